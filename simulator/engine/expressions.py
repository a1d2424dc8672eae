"""Expressions: worked out as far as they are known."""

from __future__ import annotations

import ast
import builtins
import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

from simulator.engine.source import state_of
from simulator.engine.values import (
    Dynamic,
    Items,
    Known,
    Unsupported,
    Value,
    constant_of,
    name,
    truth,
)

_OPERATORS: dict[type, Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.USub: operator.neg,
    ast.Not: operator.not_,
    ast.Invert: operator.invert,
}
_IDENTITY: dict[type, Callable[..., Any]] = {ast.Is: operator.is_, ast.IsNot: operator.is_not}

VARYING = frozenset({"machine"})
"""Roots whose figures differ between runs of the same program on the same core."""


class Frame:
    """One inlined call: its names, and where its result goes."""

    def __init__(self, function: FunctionType, number: int) -> None:
        self.globals = function.__globals__
        self.title = function.__qualname__
        self.number = number
        self.values: dict[str, Value] = {}
        self.variables: set[str] = set()
        self.result: Value = Known(None)
        self.result_name: str | None = None

    def variable(self, text: str) -> str:
        """Return the generated name of a local variable."""
        return f"{text}_{self.number}"

    def unsupported(self, what: str, node: ast.AST) -> Unsupported:
        """Return an error about a node of this function."""
        return Unsupported(f"{self.title}: {what}: {ast.unparse(node)}")


class Expressions(ABC):
    """The part of the specialiser that evaluates; what emits statements is in its subclass."""

    statements: list[ast.stmt]

    @abstractmethod
    def node(self, value: Value) -> ast.expr:
        """Return an expression for a value."""

    @abstractmethod
    def scalar(self, owner: Known, key: str | int) -> str:
        """Return the local variable for an attribute or an element."""

    @abstractmethod
    def scalarised(self, owner: Known) -> bool:
        """Whether a list is kept in local variables."""

    @abstractmethod
    def call(self, expression: ast.Call, frame: Frame) -> Value:
        """Work out a call."""

    def evaluate(self, expression: ast.expr, frame: Frame) -> Value:
        """Work out an expression as far as it is known."""
        handler = getattr(self, f"_eval_{type(expression).__name__.lower()}", None)
        if handler is None:
            raise frame.unsupported("an expression of this kind", expression)
        value: Value = handler(expression, frame)
        return value

    def _eval_constant(self, expression: ast.Constant, _frame: Frame) -> Value:
        return Known(expression.value)

    def _eval_name(self, expression: ast.Name, frame: Frame) -> Value:
        if expression.id in frame.values:
            return frame.values[expression.id]
        if expression.id in frame.globals:
            return Known(frame.globals[expression.id])
        if hasattr(builtins, expression.id):
            return Known(getattr(builtins, expression.id))
        raise frame.unsupported("a name that is not defined on this path", expression)

    def _eval_attribute(self, expression: ast.Attribute, frame: Frame) -> Value:
        owner = self.evaluate(expression.value, frame)
        if not isinstance(owner, Known):
            raise frame.unsupported("an attribute of an unknown object", expression)
        attribute = expression.attr
        if attribute in state_of(owner.value):
            return Dynamic(name(self.scalar(owner, attribute)))
        value = getattr(owner.value, attribute)
        if not isinstance(value, int | float | str | bool | type(None) | tuple | FunctionType):
            return Known(value, None if owner.path is None else (*owner.path, attribute))
        if owner.path and owner.path[0] in VARYING:
            node = ast.Attribute(value=self.node(owner), attr=attribute, ctx=ast.Load())
            return Dynamic(node)
        return Known(value)

    def _eval_subscript(self, expression: ast.Subscript, frame: Frame) -> Value:
        owner = self.evaluate(expression.value, frame)
        index = self.evaluate(expression.slice, frame)
        known = constant_of(index)
        if isinstance(owner, Items):
            return owner.items[self.known_index(index, frame)]
        if isinstance(owner, Known):
            if self.scalarised(owner):
                return Dynamic(name(self.scalar(owner, self.known_index(index, frame))))
            if known is not None and _holds_objects(owner.value, known[0]):
                path = None if owner.path is None else (*owner.path, known)
                return Known(owner.value[known[0]], path)
        return Dynamic(
            ast.Subscript(value=self.node(owner), slice=self.node(index), ctx=ast.Load())
        )

    def known_index(self, index: Value, frame: Frame) -> int:
        """Return an index that must be known now."""
        known = constant_of(index)
        if known is None or not isinstance(known[0], int):
            raise frame.unsupported("an element of unknown number", self.node(index))
        return known[0]

    def _eval_call(self, expression: ast.Call, frame: Frame) -> Value:
        return self.call(expression, frame)

    def _eval_binop(self, expression: ast.BinOp, frame: Frame) -> Value:
        left, right = self._ordered([expression.left, expression.right], frame)
        return self.binary(expression.op, left, right)

    def binary(self, op: ast.operator, left: Value, right: Value) -> Value:
        """Apply an operator, now if both sides are known."""
        one, other = constant_of(left), constant_of(right)
        if one is not None and other is not None:
            return Known(_OPERATORS[type(op)](one[0], other[0]))
        return Dynamic(ast.BinOp(left=self.node(left), op=op, right=self.node(right)))

    def _eval_unaryop(self, expression: ast.UnaryOp, frame: Frame) -> Value:
        operand = self.evaluate(expression.operand, frame)
        known = constant_of(operand)
        if known is not None:
            return Known(_OPERATORS[type(expression.op)](known[0]))
        return Dynamic(ast.UnaryOp(op=expression.op, operand=self.node(operand)))

    def _eval_compare(self, expression: ast.Compare, frame: Frame) -> Value:
        parts = self._ordered([expression.left, *expression.comparators], frame)
        identity = _IDENTITY.get(type(expression.ops[0]))
        if identity is not None:
            objects = [part.value for part in parts if isinstance(part, Known)]
            if len(objects) == 2:
                return Known(identity(*objects))
        known = [part for part in map(constant_of, parts) if part is not None]
        if len(known) == len(parts) and identity is None:
            pairs = zip(expression.ops, known, known[1:], strict=False)
            return Known(all(_OPERATORS[type(op)](a[0], b[0]) for op, a, b in pairs))
        nodes = [self.node(part) for part in parts]
        return Dynamic(ast.Compare(left=nodes[0], ops=expression.ops, comparators=nodes[1:]))

    def _eval_boolop(self, expression: ast.BoolOp, frame: Frame) -> Value:
        """Fold known operands; later ones must be expressions without statements of their own."""
        stops = isinstance(expression.op, ast.Or)
        left: list[ast.expr] = []
        for position, part in enumerate(expression.values):
            before = len(self.statements)
            value = self.evaluate(part, frame)
            if left and len(self.statements) != before:
                raise frame.unsupported("a rule called under a condition", expression)
            known = constant_of(value)
            last = position == len(expression.values) - 1
            if known is not None and bool(known[0]) is not stops and not last:
                continue
            if known is not None and not left:
                return value
            left.append(self.node(value))
            if known is not None:
                break
        return Dynamic(left[0] if len(left) == 1 else ast.BoolOp(op=expression.op, values=left))

    def _eval_ifexp(self, expression: ast.IfExp, frame: Frame) -> Value:
        test = truth(self.evaluate(expression.test, frame))
        known = constant_of(test)
        if known is not None:
            return self.evaluate(expression.body if known[0] else expression.orelse, frame)
        before = len(self.statements)
        body = self.evaluate(expression.body, frame)
        orelse = self.evaluate(expression.orelse, frame)
        if len(self.statements) != before:
            raise frame.unsupported("a rule called under a condition", expression)
        return Dynamic(
            ast.IfExp(test=self.node(test), body=self.node(body), orelse=self.node(orelse))
        )

    def _eval_tuple(self, expression: ast.Tuple, frame: Frame) -> Value:
        return Items(self._ordered(expression.elts, frame))

    def _eval_list(self, expression: ast.List, frame: Frame) -> Value:
        return Items(self._ordered(expression.elts, frame))

    def _ordered(self, parts: Sequence[ast.expr], frame: Frame) -> list[Value]:
        """Evaluate operands in order; none may change while a later one is worked out."""
        values: list[Value] = []
        for part in parts:
            before = len(self.statements)
            value = self.evaluate(part, frame)
            if len(self.statements) != before and not all(map(_lasts, values)):
                raise frame.unsupported("a rule called beside an operand that may change", part)
            values.append(value)
        return values


def _lasts(value: Value) -> bool:
    """Whether a value stays as it is, whatever is executed in between."""
    if isinstance(value, Items):
        return all(map(_lasts, value.items))
    return isinstance(value, Known) or value.stable


def _holds_objects(container: object, index: object) -> bool:
    """Whether an element of a container is an object of its own, which is never replaced."""
    if isinstance(container, tuple):
        return True
    if isinstance(container, list | dict):
        element = container[index]  # type: ignore[call-overload]  # a list's or a dict's key
        return not isinstance(element, int | float | str | bool | type(None))
    return False
