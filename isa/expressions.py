"""Constant expressions of assembly text: integers, names and operators."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from isa.diagnostics import Fault
from isa.errors import nearest
from isa.lexer import Cursor, Token


_LEVELS: tuple[tuple[str, ...], ...] = (
    ("|",),
    ("^",),
    ("&",),
    ("<<", ">>"),
    ("+", "-"),
    ("*", "/", "%"),
)
_LARGEST = 1 << 128
_DEEPEST = 60


def parse_expression(
    cursor: Cursor, constants: Mapping[str, int], level: int = 0, depth: int = 0
) -> int:
    """Evaluate the expression at the cursor and move past it.

    Operators bind as in C: ``|``, ``^``, ``&``, shifts, sums, products, signs. Division
    truncates toward zero.

    Raises
    ------
    Fault
        On anything that is no expression, an unknown name, or an absurdly large value.
    """
    if depth > _DEEPEST:
        raise cursor.fault("the expression is nested too deeply")
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
    token = cursor.current
    if token is None or token.kind not in {"number", "char", "name"}:
        raise cursor.fault("expected a constant")
    cursor.take()
    if token.kind != "name":
        return token.value
    if token.text not in constants:
        known = nearest(token.text, constants)
        raise Fault(token.column, len(token.text), f"unknown constant '{token.text}'{known}")
    return constants[token.text]


def _apply(token: Token, left: int, right: int) -> int:
    operators: dict[str, Callable[[int, int], int]] = {
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
    if token.text in {"/", "%"} and right == 0:
        raise Fault(token.column, len(token.text), "division by zero")
    if token.text in {"<<", ">>"} and not 0 <= right <= 63:
        raise Fault(token.column, len(token.text), f"shift by {right}; 0 to 63 is allowed")
    value = operators[token.text](left, right)
    if abs(value) >= _LARGEST:
        raise Fault(token.column, len(token.text), "the value does not fit 64 bits")
    return value
