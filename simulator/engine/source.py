"""Reading the source of rules and meanings."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Sequence
from functools import cache
from types import FunctionType
from typing import Any

from simulator.engine.values import Unsupported

OURS = ("simulator.", "isa.")
"""Modules whose functions may be inlined."""

_IN_PLACE = (
    ast.BinOp,
    ast.UnaryOp,
    ast.Compare,
    ast.IfExp,
    ast.Name,
    ast.Constant,
    ast.operator,
    ast.unaryop,
    ast.cmpop,
    ast.expr_context,
    ast.Return,
)
_ARITHMETIC = {"wrap", "unsigned"}
_VARIADIC = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS


def plain(function: Callable[..., Any]) -> FunctionType:
    """Return a function as what it is: one written in Python, whose source can be read."""
    if not isinstance(function, FunctionType):
        raise Unsupported(f"{function} is no plain function")
    return function


@cache
def source_of(function: FunctionType) -> ast.FunctionDef:
    """Return the syntax tree of a function."""
    definition = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    if not isinstance(definition, ast.FunctionDef):
        raise Unsupported(f"{function.__qualname__} is no plain function")
    return definition


_states: dict[type, frozenset[str]] = {}


def state_of(owner: object) -> frozenset[str]:
    """Return the attributes that the methods of an object of ours assign after construction."""
    cls = type(owner)
    if cls not in _states:
        _states[cls] = _assigned(cls) if cls.__module__.startswith(OURS) else frozenset()
    return _states[cls]


def _assigned(cls: type) -> frozenset[str]:
    methods = [
        method
        for text, method in vars(cls).items()
        if isinstance(method, FunctionType) and not text.startswith("__")
    ]
    return frozenset(
        node.attr
        for method in methods
        for node in ast.walk(source_of(method))
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
    )


@cache
def is_simple(function: Callable[..., Any]) -> bool:
    """Whether a function is one expression of operators, which can be written in place."""
    if not isinstance(function, FunctionType) or function.__code__.co_flags & _VARIADIC:
        return False
    body = [statement for statement in source_of(function).body if not is_docstring(statement)]
    if len(body) != 1 or not isinstance(body[0], ast.Return):
        return False
    return all(isinstance(node, _IN_PLACE) or _is_arithmetic(node) for node in ast.walk(body[0]))


def _is_arithmetic(node: ast.AST) -> bool:
    """Whether a node calls one of our functions of integers, which are simple themselves."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in _ARITHMETIC
    )


def is_docstring(statement: ast.stmt) -> bool:
    """Whether a statement is a text that stands for itself."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def stored_names(statements: Sequence[ast.stmt]) -> set[str]:
    """Return the local names that statements assign."""
    return {
        node.id
        for statement in statements
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def returns(statement: ast.AST) -> bool:
    """Whether there is a return in a statement."""
    return any(isinstance(node, ast.Return) for node in ast.walk(statement))


def chooses(loop: ast.For) -> bool:
    """Whether a loop is of the form: if a condition holds, do something and stop."""
    body = loop.body
    return (
        len(body) == 1 and isinstance(body[0], ast.If) and isinstance(body[0].body[-1], ast.Break)
    )
