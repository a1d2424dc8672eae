"""The assembler's directives, except ``.repeat``: constants, aliases and arrays."""

from __future__ import annotations

from collections.abc import Callable

from isa.arguments import parse_element, parse_float, parse_register, register_hint
from isa.diagnostics import Fault
from isa.draft import Draft
from isa.expressions import parse_expression
from isa.lexer import Cursor, Token
from isa.memory import ELEMENTS
from isa.program import Declaration
from isa.source import Line
from isa.values import INT_MAX, INT_MIN


def _expect_parts(keyword: Token, parts: list[Cursor], count: int, form: str) -> None:
    if len(parts) != count:
        raise keyword.fault(f"'{keyword.text}' takes {form}")


def _integer(draft: Draft, cursor: Cursor, low: int, high: int, what: str) -> int:
    start = cursor.position
    value = parse_expression(cursor, draft.constants)
    fault = cursor.span(start, f"{value} does not fit {what}")
    cursor.finish()
    if not low <= value <= high:
        raise fault
    return value


def _equ(draft: Draft, line: Line, keyword: Token, parts: list[Cursor]) -> None:
    _expect_parts(keyword, parts, 2, "a name and a constant")
    value = 0
    try:
        value = _integer(draft, parts[1], INT_MIN, INT_MAX, "a 64-bit integer")
    except Fault as fault:
        draft.report(line, fault)  # the name is defined all the same: one error, not many
    draft.constants[draft.new_name(parts[0])] = value


def _reg(draft: Draft, _line: Line, keyword: Token, parts: list[Cursor]) -> None:
    _expect_parts(keyword, parts, 2, "a name and a register")
    register = parse_register(parts[1], draft.names)
    if register is None:
        token = parts[1].take()
        raise token.fault(f"'{token.text}' is no register{register_hint(token, draft.names)}")
    parts[1].finish()
    draft.aliases[draft.new_name(parts[0])] = register


def _declared(draft: Draft, parts: list[Cursor]) -> tuple[str, str]:
    """Read name and element type of an array."""
    name = draft.new_name(parts[0])
    draft.arrays[name] = Declaration("array", name, "i64")  # stands in if the rest is wrong
    element = parse_element(parts[1])
    parts[1].finish()
    return name, element


def _data(draft: Draft, line: Line, keyword: Token, parts: list[Cursor]) -> None:
    if len(parts) < 2:
        raise keyword.fault(f"'{keyword.text}' takes a name, an element type and values")
    name, element = _declared(draft, parts)
    values = []
    for cursor in parts[2:]:
        try:
            values.append(_element_value(draft, cursor, element))
        except Fault as fault:
            draft.report(line, fault)
    draft.arrays[name] = Declaration("data", name, element, None, tuple(values), line.number)


def _element_value(draft: Draft, cursor: Cursor, element: str) -> int | float:
    if element == "f64":
        number = parse_float(cursor, draft.constants)
        cursor.finish()
        return number
    bits = 8 * ELEMENTS[element][0]
    low, high = (0, 2**bits - 1) if element == "u32" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    return _integer(draft, cursor, low, high, f"{element} ({low} to {high})")


def _array(draft: Draft, line: Line, keyword: Token, parts: list[Cursor]) -> None:
    _expect_parts(keyword, parts, 3, "a name, an element type and a count")
    name, element = _declared(draft, parts)
    count = _integer(draft, parts[2], 0, INT_MAX, "the number of elements of an array")
    draft.arrays[name] = Declaration("array", name, element, count, (), line.number)


def _bound(draft: Draft, line: Line, keyword: Token, parts: list[Cursor]) -> None:
    _expect_parts(keyword, parts, 2, "a name and an element type")
    name, element = _declared(draft, parts)
    role = keyword.text.lower()[1:]
    draft.arrays[name] = Declaration(role, name, element, None, (), line.number)


def _stray_end(_draft: Draft, _line: Line, keyword: Token, _parts: list[Cursor]) -> None:
    raise keyword.fault("'.endrepeat' without '.repeat'")


DIRECTIVES: dict[str, Callable[[Draft, Line, Token, list[Cursor]], None]] = {
    ".equ": _equ,
    ".reg": _reg,
    ".data": _data,
    ".array": _array,
    ".input": _bound,
    ".output": _bound,
    ".endrepeat": _stray_end,
}
"""What a line does that starts with a word, given the line, the word and its operands."""
