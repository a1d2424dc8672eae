"""The assembler: text to `Program`, or every error of the text in one go.

Statements, one to a line, after optional labels such as ``loop:``::

    .equ NAME, EXPRESSION            a constant
    .reg NAME, REGISTER              another name for a register
    .data NAME, TYPE, VALUE, ...     an array with its contents
    .array NAME, TYPE, COUNT         an array of zeros
    .input NAME, TYPE                an array whose contents are given when it is run
    .output NAME, TYPE               an array whose length is given when it is run
    .repeat NAME, COUNT              the lines to .endrepeat, COUNT times, NAME = 0, 1, ...
    MNEMONIC OPERAND, ...            an instruction

``TYPE`` is ``i64``, ``i32``, ``u32`` or ``f64``. Labels and arrays may be used before they
stand in the text, constants and aliases not. ``lanes`` is a predefined constant: the W that
the text is assembled for. Comments start with ``#``, ``;`` or ``//``, or stand between
``/*`` and ``*/``. A program starts at its first instruction and must not run past its last.
"""

from __future__ import annotations

from collections.abc import Collection

from isa.arguments import Reference, parse_argument, shown_signature
from isa.diagnostics import AssemblyError, Fault
from isa.directives import DIRECTIVES
from isa.draft import Draft, DraftInstruction
from isa.errors import InputError, nearest
from isa.expressions import parse_expression
from isa.lexer import Cursor, Token, tokenize
from isa.operands import LANE_COUNTS, Argument
from isa.program import Instruction, Program
from isa.source import Line, code_lines, split_lines
from isa.spec import Kind
from isa.table import TABLE

MOST_REPEATS = 4096
MOST_NESTED = 8
MOST_INSTRUCTIONS = 1_000_000
_ENDS = {Kind.HALT, Kind.JUMP, Kind.INDIRECT}
_TOO_LONG = f"the program has more than {MOST_INSTRUCTIONS:,} lines once its blocks are repeated"


def assemble(text: str, name: str = "<text>", lanes: int = 4) -> Program:
    """Assemble a program.

    Parameters
    ----------
    text : str
        Assembly text.
    name : str
        The file's name, for messages.
    lanes : int
        W: 2, 4, 8 or 16 lanes of 64 bits.

    Raises
    ------
    AssemblyError
        With every error of the text, each at its line and column.
    """
    if lanes not in LANE_COUNTS:
        raise InputError(f"lanes is one of 2, 4, 8, 16, not {lanes}")
    source = split_lines(text)
    draft = Draft(lanes, {"lanes": lanes})
    lines, unclosed = code_lines(source)
    _read(draft, lines, 0, len(lines))
    instructions: list[Instruction] = []
    if unclosed is None:
        instructions = _resolve(draft)
        _check_end(draft, lines)
    else:  # labels and end are missing because the comment hides them
        draft.report(*unclosed)
    if draft.diagnostics:
        raise AssemblyError(name, draft.diagnostics)
    return Program(
        name=name,
        instructions=tuple(instructions),
        arrays=tuple(draft.arrays.values()),
        labels=tuple(sorted(draft.labels.items(), key=lambda item: item[1])),
        lanes=lanes,
        source=tuple(source),
    )


def _read(draft: Draft, lines: list[Line], first: int, last: int) -> None:
    """Read statements; a repeated block is read once for each round."""
    position = first
    while position < last:
        line = lines[position]
        tokens, unreadable = tokenize(line.code)
        tokens = _take_labels(draft, line, tokens)
        try:
            if unreadable is not None:
                _keep_place(draft, line, tokens)
                raise unreadable
            if _is(tokens, ".repeat"):
                position = _repeat(draft, lines, position, last, tokens)
            elif tokens:
                _statement(draft, line, tokens)
        except Fault as fault:
            draft.report(line, fault)
        position += 1


def _is(tokens: list[Token], keyword: str) -> bool:
    return bool(tokens) and tokens[0].text.lower() == keyword


def _keep_place(draft: Draft, line: Line, tokens: list[Token]) -> None:
    """Count a line that cannot be read as an instruction, unless it is a directive."""
    if not tokens or not tokens[0].text.startswith("."):
        draft.instructions.append(DraftInstruction(line))


def _take_labels(draft: Draft, line: Line, tokens: list[Token]) -> list[Token]:
    """Record the labels that a line starts with; return the rest."""
    while len(tokens) > 1 and tokens[1].text == ":":
        label = tokens[0]
        if label.kind != "name":
            message = f"'{label.text}' cannot be a label: a label starts with a letter, '_' or '.'"
            draft.report(line, label.fault(message))
        elif draft.repeating:
            draft.report(line, label.fault("a label cannot stand in a repeated block"))
        elif label.text in draft.labels:
            draft.report(line, label.fault(f"label '{label.text}' is defined twice"))
        else:
            draft.labels[label.text] = len(draft.instructions)
        tokens = tokens[2:]
    return tokens


def _repeat(draft: Draft, lines: list[Line], at: int, last: int, tokens: list[Token]) -> int:
    """Read a repeated block; return the position of its end."""
    line, keyword = lines[at], tokens[0]
    end = _end_of_block(lines, at, last)
    if end == last:
        draft.report(line, keyword.fault("'.repeat' without '.endrepeat'"))
    if draft.repeating == MOST_NESTED:
        draft.report(line, keyword.fault(f"more than {MOST_NESTED} '.repeat' within each other"))
        return end
    try:
        name, count = _repeat_header(draft, keyword, _split(tokens[1:], line.end))
    except Fault as fault:
        draft.report(line, fault)
        return end
    draft.repeating += 1
    for turn in range(count):
        draft.constants[name] = turn
        before = len(draft.diagnostics)
        _read(draft, lines, at + 1, end)
        draft.repeated += 1 + end - at
        if len(draft.diagnostics) > before:
            break
        if draft.repeated > MOST_INSTRUCTIONS:
            draft.report(line, keyword.fault(_TOO_LONG))
            break
    draft.constants.pop(name, None)
    if end < last:
        _finish_block(draft, lines[end])
    draft.repeating -= 1
    return end


def _repeat_header(draft: Draft, keyword: Token, parts: list[Cursor]) -> tuple[str, int]:
    if len(parts) != 2:
        raise keyword.fault("'.repeat' takes a name and a count")
    name = draft.new_name(parts[0])
    count = parse_expression(parts[1], draft.constants)
    fault = parts[1].span(0, f"a block is repeated 0 to {MOST_REPEATS} times, not {count}")
    parts[1].finish()
    if not 0 <= count <= MOST_REPEATS:
        raise fault
    return name, count


def _end_of_block(lines: list[Line], at: int, last: int) -> int:
    """Return the position of the ``.endrepeat`` that belongs to a ``.repeat``, or ``last``."""
    depth = 0
    for position in range(at, last):
        tokens, _ = tokenize(lines[position].code)
        while len(tokens) > 1 and tokens[1].text == ":":
            tokens = tokens[2:]
        depth += _is(tokens, ".repeat") - _is(tokens, ".endrepeat")
        if depth == 0:
            return position
    return last


def _finish_block(draft: Draft, line: Line) -> None:
    """Check that nothing but ``.endrepeat`` stands on the last line of a block."""
    tokens, unreadable = tokenize(line.code)
    tokens = _take_labels(draft, line, tokens)
    try:
        if unreadable is not None:
            raise unreadable
        Cursor(tokens[1:], line.end).finish()
    except Fault as fault:
        draft.report(line, fault)


def _split(tokens: list[Token], end: int) -> list[Cursor]:
    """Split tokens at the commas outside parentheses."""
    if not tokens:
        return []
    parts: list[Cursor] = []
    current: list[Token] = []
    opened: list[Token] = []
    for token in tokens:
        if token.text == "," and not opened:
            parts.append(Cursor(current, token.column))
            current = []
            continue
        if token.text in {"(", "{"}:
            opened.append(token)
        elif token.text in {")", "}"} and opened:
            opened.pop()
        current.append(token)
    if opened:
        raise opened[0].fault(f"this '{opened[0].text}' is never closed")
    return [*parts, Cursor(current, end)]


def _statement(draft: Draft, line: Line, tokens: list[Token]) -> None:
    keyword = tokens[0]
    if not keyword.text.startswith(".") or keyword.kind != "name":
        _instruction(draft, line, keyword, tokens[1:])
        return
    directive = DIRECTIVES.get(keyword.text.lower())
    if directive is None:
        hint = nearest(keyword.text, [*DIRECTIVES, ".repeat"])
        raise keyword.fault(f"unknown directive '{keyword.text}'{hint}")
    directive(draft, line, keyword, _split(tokens[1:], line.end))


def _instruction(draft: Draft, line: Line, keyword: Token, rest: list[Token]) -> None:
    instruction = DraftInstruction(line)
    draft.instructions.append(instruction)
    if keyword.kind != "name":
        raise keyword.fault(f"a statement cannot start with '{keyword.text}'")
    spec = TABLE.get(keyword.text.lower())
    if spec is None:
        hint = nearest(keyword.text, TABLE)
        raise keyword.fault(f"unknown instruction '{keyword.text}'{hint}")
    parts = _split(rest, line.end)
    instruction.spec = spec
    if len(parts) != len(spec.operands):
        count = len(spec.operands)
        shown = f" ({shown_signature(spec)})" if count else ""
        raise keyword.fault(
            f"'{spec.mnemonic}' takes {count} operand{'s' if count != 1 else ''}{shown}, "
            f"found {len(parts)}"
        )
    if len(draft.instructions) == MOST_INSTRUCTIONS + 1:
        raise keyword.fault(_TOO_LONG)
    names = draft.names
    for cursor, operand in zip(parts, spec.operands, strict=True):
        try:
            instruction.arguments.append(parse_argument(cursor, operand, names, spec))
        except Fault as fault:
            draft.report(line, fault)


def _resolve(draft: Draft) -> list[Instruction]:
    """Put instruction numbers in the place of labels and check the names of arrays."""
    instructions = []
    for instruction in draft.instructions:
        arguments: list[Argument] = []
        for argument in instruction.arguments:
            try:
                arguments.append(_resolve_argument(draft, argument))
            except Fault as fault:
                draft.report(instruction.line, fault)
        if instruction.spec is not None:
            number = instruction.line.number
            instructions.append(Instruction(instruction.spec, tuple(arguments), number))
    return instructions


def _resolve_argument(draft: Draft, argument: Argument | Reference) -> Argument:
    if not isinstance(argument, Reference):
        return argument
    token, kind = argument.token, argument.kind
    known: Collection[str] = draft.labels if kind == "label" else draft.arrays
    if token.text not in known:
        message = f"no {kind} is named '{token.text}'{nearest(token.text, known)}"
        raise token.fault(message)
    if kind == "array":
        return token.text
    number = draft.labels[token.text]
    if number == len(draft.instructions):
        raise token.fault(f"label '{token.text}' has no instruction after it")
    return number


def _check_end(draft: Draft, lines: list[Line]) -> None:
    """Check that there is a program and that it cannot run past its last instruction."""
    if draft.instructions:
        spec, line = draft.instructions[-1].spec, draft.instructions[-1].line
        if spec is None or spec.kind in _ENDS:
            return
        column = len(line.code) - len(line.code.lstrip()) + 1
        message = "the program runs past its last instruction; end it with 'halt'"
        draft.report(line, Fault(column, line.end - column, message))
    elif not draft.diagnostics:
        line = lines[0] if lines else Line(1, "", "")
        draft.report(line, Fault(1, 1, "the text holds no instruction"))
