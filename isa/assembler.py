"""The assembler: text to `Program`, or every error of the text in one go.

Statements, one to a line, after optional labels::

    .equ NAME, EXPRESSION            a constant
    .reg NAME, REGISTER              another name for a register
    .data NAME, TYPE, VALUE, ...     an array with its contents
    .array NAME, TYPE, COUNT         an array of zeros
    .input NAME, TYPE                an array whose contents are given when it is run
    .output NAME, TYPE               an array whose length is given when it is run
    .repeat NAME, COUNT              the lines to .endrepeat, COUNT times, NAME = 0, 1, ...
    MNEMONIC OPERAND, ...            an instruction

``lanes`` is a predefined constant: the W that the text is assembled for. Comments start
with ``#``, ``;`` or ``//``, or stand between ``/*`` and ``*/``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from isa.arguments import (
    Label,
    Names,
    parse_argument,
    parse_element,
    parse_float,
    shown_signature,
)
from isa.diagnostics import AssemblyError, Diagnostic, Fault
from isa.errors import InputError, nearest
from isa.expressions import parse_expression
from isa.lexer import Cursor, Token, strip_comment, tokenize
from isa.memory import ELEMENTS
from isa.operands import LANE_COUNTS, REGISTER_NUMBERS, Argument
from isa.program import Declaration, Instruction, Program
from isa.spec import Kind, Spec
from isa.table import TABLE
from isa.values import INT_MAX, INT_MIN

MOST_REPEATS = 4096
MOST_INSTRUCTIONS = 1_000_000
_ENDS = {Kind.HALT, Kind.JUMP, Kind.INDIRECT}


@dataclass(slots=True)
class _Line:
    number: int
    code: str
    text: str


@dataclass(slots=True)
class _Draft:
    """An instruction whose labels are not resolved yet."""

    spec: Spec
    arguments: list[Argument | Label]
    line: _Line


@dataclass
class _State:
    name: str
    lanes: int
    constants: dict[str, int]
    aliases: dict[str, int] = field(default_factory=dict)
    arrays: dict[str, Declaration] = field(default_factory=dict)
    labels: dict[str, int] = field(default_factory=dict)
    drafts: list[_Draft] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    repeating: int = 0

    def report(self, line: _Line, fault: Fault) -> None:
        """Record an error at a place in a line."""
        self.diagnostics.append(
            Diagnostic(line.number, fault.column, fault.width, fault.message, line.text)
        )

    @property
    def names(self) -> Names:
        """The names as operands see them."""
        arrays = {name: array.element for name, array in self.arrays.items()}
        return Names(self.constants, self.aliases, arrays, self.lanes)


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
    source = text.splitlines()
    state = _State(name, lanes, {"lanes": lanes})
    lines = _code_lines(state, source)
    _read(state, lines, 0, len(lines))
    instructions = _resolve(state)
    _check_end(state, instructions, source)
    if state.diagnostics:
        raise AssemblyError(name, state.diagnostics)
    return Program(
        name=name,
        instructions=tuple(instructions),
        arrays=tuple(state.arrays.values()),
        labels=tuple(sorted(state.labels.items(), key=lambda item: item[1])),
        lanes=lanes,
        source=tuple(source),
    )


def _code_lines(state: _State, source: list[str]) -> list[_Line]:
    """Blank out comments, keeping columns."""
    lines = []
    opened: tuple[_Line, int] | None = None
    for number, raw in enumerate(source, 1):
        line = _Line(number, raw, raw)
        code, position = "", 0
        while position < len(raw):
            if opened is not None:
                end = raw.find("*/", position)
                stop = len(raw) if end < 0 else end + 2
                opened = opened if end < 0 else None
                code += " " * (stop - position)
                position = stop
                continue
            visible = strip_comment(raw[position:])
            start = visible.find("/*")
            if start < 0:
                code += visible
                break
            opened = (line, position + start + 1)
            code += visible[:start] + "  "
            position += start + 2
        line.code = code
        lines.append(line)
    if opened is not None:
        state.report(opened[0], Fault(opened[1], 2, "this comment is never closed with '*/'"))
    return lines


def _read(state: _State, lines: list[_Line], first: int, last: int) -> None:
    """Read statements; a repeated block is read once for each round."""
    position = first
    while position < last:
        line = lines[position]
        try:
            tokens = tokenize(line.code)
            statement = _take_labels(state, line, tokens)
            if statement and statement[0].text.lower() == ".repeat":
                position = _repeat(state, lines, position, last, statement)
            elif statement:
                _statement(state, line, statement)
        except Fault as fault:
            state.report(line, fault)
        position += 1


def _take_labels(state: _State, line: _Line, tokens: list[Token]) -> list[Token]:
    """Record the labels that a line starts with; return the rest."""
    while len(tokens) > 1 and tokens[1].text == ":":
        label = tokens[0]
        if label.kind != "name":
            raise Fault(
                label.column,
                len(label.text),
                f"'{label.text}' cannot be a label: a label starts with a letter, '_' or '.'",
            )
        if state.repeating:
            raise Fault(label.column, len(label.text), "a label cannot stand in a repeated block")
        if label.text in state.labels:
            raise Fault(label.column, len(label.text), f"label '{label.text}' is defined twice")
        state.labels[label.text] = len(state.drafts)
        tokens = tokens[2:]
    return tokens


def _repeat(state: _State, lines: list[_Line], at: int, last: int, tokens: list[Token]) -> int:
    """Read a repeated block; return the position of its end."""
    end = _end_of_block(lines, at, last)
    line = lines[at]
    if end is None:
        raise Fault(tokens[0].column, len(tokens[0].text), "'.repeat' without '.endrepeat'")
    try:
        parts = _split(tokens[1:], _end_column(line))
        name, count = _repeat_header(state, tokens[0], parts)
    except Fault as fault:
        state.report(line, fault)
        return end
    state.repeating += 1
    for turn in range(count):
        state.constants[name] = turn
        before = len(state.diagnostics)
        _read(state, lines, at + 1, end)
        if len(state.diagnostics) > before or len(state.drafts) > MOST_INSTRUCTIONS:
            break
    state.repeating -= 1
    state.constants.pop(name, None)
    return end


def _repeat_header(state: _State, keyword: Token, parts: list[Cursor]) -> tuple[str, int]:
    if len(parts) != 2:
        raise Fault(keyword.column, len(keyword.text), "'.repeat' takes a name and a count")
    name = _new_name(state, parts[0])
    token = parts[1].current
    count = parse_expression(parts[1], state.constants)
    parts[1].finish()
    if not 0 <= count <= MOST_REPEATS:
        column, width = (token.column, len(token.text)) if token else (parts[1].end, 1)
        raise Fault(column, width, f"a block is repeated 0 to {MOST_REPEATS} times, not {count}")
    if len(state.drafts) > MOST_INSTRUCTIONS:
        raise Fault(keyword.column, len(keyword.text), _too_long())
    return name, count


def _too_long() -> str:
    return f"the program has more than {MOST_INSTRUCTIONS:,} instructions"


def _end_of_block(lines: list[_Line], at: int, last: int) -> int | None:
    depth = 0
    for position in range(at, last):
        words = lines[position].code.split(None, 1)
        keyword = words[0].lower() if words else ""
        depth += (keyword == ".repeat") - (keyword == ".endrepeat")
        if depth == 0:
            return position
    return None


def _end_column(line: _Line) -> int:
    return len(line.code.rstrip()) + 1


def _split(tokens: list[Token], end: int) -> list[Cursor]:
    """Split tokens at the commas outside parentheses."""
    if not tokens:
        return []
    parts: list[Cursor] = []
    current: list[Token] = []
    depth = 0
    for token in tokens:
        if token.text == "," and depth == 0 and token.kind == "symbol":
            parts.append(Cursor(current, token.column))
            current = []
            continue
        if token.kind == "symbol":
            depth += (token.text in "({") - (token.text in ")}")
        current.append(token)
    return [*parts, Cursor(current, end)]


def _statement(state: _State, line: _Line, tokens: list[Token]) -> None:
    keyword = tokens[0]
    if keyword.kind != "name":
        raise Fault(
            keyword.column, len(keyword.text), f"a statement cannot start with '{keyword.text}'"
        )
    parts = _split(tokens[1:], _end_column(line))
    if keyword.text.startswith("."):
        directive = _DIRECTIVES.get(keyword.text.lower())
        if directive is None:
            hint = nearest(keyword.text, [*_DIRECTIVES, ".repeat", ".endrepeat"])
            raise Fault(
                keyword.column, len(keyword.text), f"unknown directive '{keyword.text}'{hint}"
            )
        directive(state, line, keyword, parts)
        return
    _instruction(state, line, keyword, parts)


def _instruction(state: _State, line: _Line, keyword: Token, parts: list[Cursor]) -> None:
    spec = TABLE.get(keyword.text.lower())
    if spec is None:
        raise Fault(
            keyword.column,
            len(keyword.text),
            f"unknown instruction '{keyword.text}'{nearest(keyword.text, TABLE)}",
        )
    if len(parts) != len(spec.operands):
        count = len(spec.operands)
        raise Fault(
            keyword.column,
            len(keyword.text),
            f"'{spec.mnemonic}' takes {count} "
            f"operand{'s' if count != 1 else ''} ({shown_signature(spec)}), found {len(parts)}",
        )
    if len(state.drafts) >= MOST_INSTRUCTIONS:
        raise Fault(keyword.column, len(keyword.text), _too_long())
    names = state.names
    arguments: list[Argument | Label] = []
    for cursor, operand in zip(parts, spec.operands, strict=True):
        try:
            arguments.append(parse_argument(cursor, operand, names, spec))
        except Fault as fault:
            state.report(line, fault)
    state.drafts.append(_Draft(spec, arguments, line))


def _new_name(state: _State, cursor: Cursor) -> str:
    """Read a name that is about to be defined."""
    token = cursor.current
    if token is None or token.kind != "name":
        raise cursor.fault("expected a name")
    cursor.take()
    cursor.finish()
    taken = {
        "a constant": state.constants,
        "a register alias": state.aliases,
        "an array": state.arrays,
        "a register": {token.text: 0} if token.text.lower() in REGISTER_NUMBERS else {},
    }
    for what, names in taken.items():
        if token.text in names:
            raise Fault(token.column, len(token.text), f"'{token.text}' is already {what}")
    return token.text


def _expect_parts(
    keyword: Token, parts: list[Cursor], form: str, least: int, exact: bool = True
) -> None:
    if len(parts) < least or (exact and len(parts) != least):
        raise Fault(keyword.column, len(keyword.text), f"'{keyword.text}' takes {form}")


def _equ(state: _State, _line: _Line, keyword: Token, parts: list[Cursor]) -> None:
    _expect_parts(keyword, parts, "a name and a constant", 2)
    value = _integer(state, parts[1])
    state.constants[_new_name(state, parts[0])] = value


def _integer(state: _State, cursor: Cursor) -> int:
    token = cursor.current
    value = parse_expression(cursor, state.constants)
    cursor.finish()
    if not INT_MIN <= value <= INT_MAX:
        column, width = (token.column, len(token.text)) if token else (cursor.end, 1)
        raise Fault(column, width, f"{value} does not fit a 64-bit integer")
    return value


def _reg(state: _State, _line: _Line, keyword: Token, parts: list[Cursor]) -> None:
    _expect_parts(keyword, parts, "a name and a register", 2)
    token = parts[1].take()
    register = REGISTER_NUMBERS.get(token.text.lower())
    if register is None:
        hint = nearest(token.text, REGISTER_NUMBERS)
        raise Fault(token.column, len(token.text), f"'{token.text}' is no register{hint}")
    parts[1].finish()
    state.aliases[_new_name(state, parts[0])] = register


def _data(state: _State, line: _Line, keyword: Token, parts: list[Cursor]) -> None:
    _expect_parts(keyword, parts, "a name, an element type and values", 3, exact=False)
    name, element = _new_name(state, parts[0]), parse_element(parts[1])
    parts[1].finish()
    values = []
    for cursor in parts[2:]:
        try:
            values.append(_element_value(state, cursor, element))
        except Fault as fault:
            state.report(line, fault)
    state.arrays[name] = Declaration("data", name, element, None, tuple(values), line.number)


def _element_value(state: _State, cursor: Cursor, element: str) -> int | float:
    if element == "f64":
        number = parse_float(cursor, state.names)
        cursor.finish()
        return number
    token = cursor.current
    value = _integer(state, cursor)
    bits = 8 * ELEMENTS[element][0]
    low, high = (0, 2**bits - 1) if element == "u32" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    if not low <= value <= high:
        column, width = (token.column, len(token.text)) if token else (cursor.end, 1)
        raise Fault(column, width, f"{value} does not fit {element} ({low} to {high})")
    return value


def _array(state: _State, line: _Line, keyword: Token, parts: list[Cursor]) -> None:
    _expect_parts(keyword, parts, "a name, an element type and a count", 3)
    name, element = _new_name(state, parts[0]), parse_element(parts[1])
    parts[1].finish()
    token = parts[2].current
    count = _integer(state, parts[2])
    if count < 0:
        column, width = (token.column, len(token.text)) if token else (parts[2].end, 1)
        raise Fault(column, width, f"an array cannot have {count} elements")
    state.arrays[name] = Declaration("array", name, element, count, (), line.number)


def _bound(state: _State, line: _Line, keyword: Token, parts: list[Cursor]) -> None:
    _expect_parts(keyword, parts, "a name and an element type", 2)
    name, element = _new_name(state, parts[0]), parse_element(parts[1])
    parts[1].finish()
    role = keyword.text.lower()[1:]
    state.arrays[name] = Declaration(role, name, element, None, (), line.number)


def _stray_end(_state: _State, _line: _Line, keyword: Token, _parts: list[Cursor]) -> None:
    raise Fault(keyword.column, len(keyword.text), "'.endrepeat' without '.repeat'")


_DIRECTIVES: dict[str, Callable[[_State, _Line, Token, list[Cursor]], None]] = {
    ".equ": _equ,
    ".reg": _reg,
    ".data": _data,
    ".array": _array,
    ".input": _bound,
    ".output": _bound,
    ".endrepeat": _stray_end,
}


def _resolve(state: _State) -> list[Instruction]:
    """Put instruction numbers in the place of labels."""
    instructions = []
    for draft in state.drafts:
        arguments: list[Argument] = []
        for argument in draft.arguments:
            if not isinstance(argument, Label):
                arguments.append(argument)
                continue
            token = argument.token
            number = state.labels.get(token.text)
            if number is None:
                message = f"no label is named '{token.text}'{nearest(token.text, state.labels)}"
                state.report(draft.line, Fault(token.column, len(token.text), message))
            elif number == len(state.drafts):
                message = f"label '{token.text}' has no instruction after it"
                state.report(draft.line, Fault(token.column, len(token.text), message))
            else:
                arguments.append(number)
        if len(arguments) == len(draft.spec.operands):
            instructions.append(Instruction(draft.spec, tuple(arguments), draft.line.number))
    return instructions


def _check_end(state: _State, instructions: list[Instruction], source: list[str]) -> None:
    """Check that the program cannot run past its last instruction."""
    if not state.drafts:
        if not state.diagnostics:
            text = source[0] if source else ""
            line = _Line(1, text, text)
            state.report(line, Fault(1, 1, "the text holds no instruction"))
        return
    last = state.drafts[-1]
    if last.spec.kind not in _ENDS and not state.diagnostics:
        column = len(last.line.code) - len(last.line.code.lstrip()) + 1
        message = "the program runs past its last instruction; end it with 'halt'"
        state.report(last.line, Fault(column, len(last.line.code.strip()), message))
