"""Constant expressions of assembly text: integers, names and operators.

Operators bind as in C, loosest first: ``|``, ``^``, ``&``, ``<< >>``, ``+ -``, ``* / %``,
then the signs ``- + ~`` and parentheses. Values are exact integers; division truncates
toward zero, and the remainder has the sign of the dividend.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from isa.errors import nearest
from isa.lexer import LARGEST, Cursor, Token
from isa.operands import REGISTER_NUMBERS

_LEVELS: tuple[tuple[str, ...], ...] = (
    ("|",),
    ("^",),
    ("&",),
    ("<<", ">>"),
    ("+", "-"),
    ("*", "/", "%"),
)
_OPERATORS: dict[str, Callable[[int, int], int]] = {
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "&": lambda a, b: a & b,
    "<<": lambda a, b: a << b,
    ">>": lambda a, b: a >> b,
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1),
    "%": lambda a, b: abs(a) % abs(b) * (-1 if a < 0 else 1),
}
_DEEPEST = 200


def parse_expression(
    cursor: Cursor, constants: Mapping[str, int], level: int = 0, depth: int = 0
) -> int:
    """Evaluate the expression at the cursor and move past it.

    ``level`` is the loosest binding to read, ``depth`` how deep the recursion is.

    Raises
    ------
    Fault
        On anything that is no expression, an unknown name, or an absurdly large value.
    """
    if level == len(_LEVELS):
        return _parse_unary(cursor, constants, depth)
    value = parse_expression(cursor, constants, level + 1, depth + 1)
    while (
        (token := cursor.current) is not None
        and token.text in _LEVELS[level]
        and token.kind == "symbol"
    ):
        cursor.take()
        right = parse_expression(cursor, constants, level + 1, depth + 1)
        value = _apply(token, value, right)
    return value


def _parse_unary(cursor: Cursor, constants: Mapping[str, int], depth: int) -> int:
    if depth > _DEEPEST:
        raise cursor.fault("the expression is nested too deeply")
    if cursor.accept("-"):
        return -_parse_unary(cursor, constants, depth + 1)
    if cursor.accept("+"):
        return _parse_unary(cursor, constants, depth + 1)
    if cursor.accept("~"):
        return ~_parse_unary(cursor, constants, depth + 1)
    if cursor.accept("("):
        value = parse_expression(cursor, constants, 0, depth + 1)
        cursor.expect(")", "to close the parenthesis")
        return value
    return _parse_atom(cursor, constants)


def _parse_atom(cursor: Cursor, constants: Mapping[str, int]) -> int:
    token = cursor.current
    if token is None or token.kind not in {"number", "char", "name"}:
        raise cursor.fault("expected an integer constant")
    if token.kind != "name":
        cursor.take()
        return token.value
    if token.text in constants:
        cursor.take()
        return constants[token.text]
    if token.text.lower() in REGISTER_NUMBERS:
        raise token.fault(f"expected an integer constant, and '{token.text}' is a register")
    raise token.fault(f"unknown constant '{token.text}'{nearest(token.text, constants)}")


def _apply(token: Token, left: int, right: int) -> int:
    if token.text in {"/", "%"} and right == 0:
        raise token.fault("division by zero")
    if token.text in {"<<", ">>"} and not 0 <= right <= 63:
        raise token.fault(f"shift by {right}; 0 to 63 is allowed")
    value = _OPERATORS[token.text](left, right)
    if abs(value) >= LARGEST:
        raise token.fault("the value does not fit 64 bits")
    return value
