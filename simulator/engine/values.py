"""What the specialiser knows of a value while it reads a rule."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """A value known now: a constant, a template, or an object of the run.

    ``path`` says how to reach an object of a run from the run's roots, so that code made
    with one run's objects serves another's: a root's name, then attribute names (text) and
    indices (a one-element tuple).
    """

    value: Any
    path: tuple[str | tuple[object], ...] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Dynamic:
    """A value known when the code runs: an expression.

    ``stable`` says that it is a name that no later statement changes.
    """

    node: ast.expr
    stable: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Items:
    """A list or tuple whose length is known now, of values that need not be."""

    items: list[Value]


Value: TypeAlias = Known | Dynamic | Items

FOLDED = (int, float, str, bool, type(None), tuple, frozenset)
"""Types whose values are constants: they can be folded, compared and measured now."""


class Unsupported(Exception):  # noqa: N818  # a defect of a rule, found when the engine is built
    """A rule uses Python that the specialiser does not understand."""


def constant_of(value: Value) -> tuple[Any] | None:
    """Return a value that can be computed with now, in a tuple of one; None if it cannot."""
    if isinstance(value, Known) and isinstance(value.value, FOLDED):
        return (value.value,)
    return None


def truth(value: Value) -> Value:
    """Return whether a list of known length is empty; other values as they are."""
    return Known(bool(value.items)) if isinstance(value, Items) else value


def name(text: str) -> ast.Name:
    """Return a reference to a local variable."""
    return ast.Name(id=text, ctx=ast.Load())


def target(text: str) -> ast.Name:
    """Return a local variable as the target of an assignment."""
    return ast.Name(id=text, ctx=ast.Store())


def constant(value: object) -> ast.Constant:
    """Return a constant as an expression."""
    return ast.Constant(value=value)  # type: ignore[arg-type]  # numbers, texts and None only


def assignment(to: ast.expr, value: ast.expr) -> ast.Assign:
    """Return an assignment."""
    return ast.Assign(targets=[to], value=value)


def call(function: ast.expr, arguments: list[ast.expr]) -> ast.Call:
    """Return a call with positional arguments."""
    return ast.Call(func=function, args=arguments, keywords=[])
