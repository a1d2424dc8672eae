"""The specialiser: reads a rule's source and emits what is left of it when constants are known.

It understands the Python that the rules are written in: assignments, ``if``, ``while``,
``for``, calls, ``return`` outside of loops. Whatever it does not understand is an error
while the engine is built, never a different meaning.

A name that is assigned under a condition known only at run time becomes a variable of the
generated code; every other name stands for its value. An attribute that some method
assigns is state and becomes a local variable; all others are constants or objects. The
lists named when the specialiser is made are always indexed by known numbers, and become
one local variable for each element used.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Sequence
from types import FunctionType, MethodType
from typing import Any

from simulator.engine.expressions import Expressions, Frame
from simulator.engine.source import (
    OURS,
    chooses,
    is_docstring,
    plain,
    returns,
    source_of,
    state_of,
    stored_names,
)
from simulator.engine.values import (
    Dynamic,
    Items,
    Known,
    Unsupported,
    Value,
    assignment,
    call,
    constant,
    constant_of,
    name,
    target,
    truth,
)

Path = tuple[str | tuple[object], ...]


class Specialiser(Expressions):
    """Emits specialised statements into ``statements``.

    Attributes
    ----------
    pool : dict of str to Known
        Objects that the code refers to, by the local variable that holds each.
    state : dict of str to (Known, key)
        State kept in local variables: the object, and the attribute or index it belongs to.
    """

    def __init__(self, scalar_lists: frozenset[Path]) -> None:
        self.scalar_lists = scalar_lists
        self.statements: list[ast.stmt] = []
        self.pool: dict[str, Known] = {}
        self.state: dict[str, tuple[Known, str | int]] = {}
        self.made = 0
        self._pool_names: dict[object, str] = {}
        self._state_names: dict[tuple[int, str | int], str] = {}
        self._kept: list[object] = []

    def start_over(self) -> None:
        """Begin a piece of code that shares no temporary values with what came before.

        Temporary variables are named from the start again: a function with few local
        variables is several times faster than one with thousands.
        """
        self.statements = []
        self.made = 0

    def emit(self, statement: ast.stmt) -> None:
        """Add a statement."""
        self.statements.append(statement)

    def assign(self, variable: str, value: Value) -> None:
        """Emit an assignment to a local variable."""
        node = self.node(value)
        if not (isinstance(node, ast.Name) and node.id == variable):
            self.emit(assignment(target(variable), node))

    def node(self, value: Value) -> ast.expr:
        """Return an expression for a value."""
        if isinstance(value, Dynamic):
            return name(value.node.id) if isinstance(value.node, ast.Name) else value.node
        if isinstance(value, Items):
            return ast.Tuple(elts=[self.node(item) for item in value.items], ctx=ast.Load())
        if value.path is None and isinstance(value.value, int | float | str | bool | type(None)):
            return constant(value.value)
        return name(self._pooled(value))

    def _pooled(self, known: Known) -> str:
        """Return the local variable that holds an object."""
        key = known.path if known.path is not None else id(known.value)
        if key not in self._pool_names:
            self._pool_names[key] = f"k{len(self.pool)}"
            self.pool[self._pool_names[key]] = known
            self._kept.append(known.value)
        return self._pool_names[key]

    def scalar(self, owner: Known, key: str | int) -> str:
        """Return the local variable for an attribute, or an element of a scalar list."""
        identity = (id(owner.value), key)
        if identity not in self._state_names:
            self._state_names[identity] = f"s{len(self.state)}"
            self.state[self._state_names[identity]] = (owner, key)
            self._kept.append(owner.value)
        return self._state_names[identity]

    def scalarised(self, owner: Known) -> bool:
        """Whether a list is kept in local variables."""
        return owner.path in self.scalar_lists

    def fresh(self, text: str) -> str:
        """Return a new name of a local variable."""
        self.made += 1
        return f"{text}_{self.made}"

    def lasting(self, value: Value, text: str) -> Value:
        """Copy a value that may change into a new variable, which never does."""
        if isinstance(value, Dynamic) and not value.stable:
            variable = self.fresh(text)
            self.assign(variable, value)
            return Dynamic(name(variable), stable=True)
        return value

    # -- calls ------------------------------------------------------------------------

    def inline(self, function: Callable[..., Any], arguments: dict[str, Value]) -> Value:
        """Emit a function's body for given arguments; return its result."""
        rule = plain(function)
        definition = source_of(rule)
        self.made += 1
        frame = Frame(rule, self.made)
        stored = stored_names(definition.body)
        for parameter, value in arguments.items():
            bound = self.lasting(value, parameter)
            if parameter in stored and isinstance(bound, Dynamic):
                bound = Dynamic(bound.node)
            frame.values[parameter] = bound
        self.block(definition.body, frame)
        return frame.result

    def call(self, expression: ast.Call, frame: Frame) -> Value:
        """Inline a rule, fold a call of constants, or emit the call of anything else."""
        function = self.evaluate(expression.func, frame)
        if not isinstance(function, Known):
            raise frame.unsupported("a call of an unknown function", expression)
        values = [self.evaluate(argument, frame) for argument in expression.args]
        keywords = {str(k.arg): self.evaluate(k.value, frame) for k in expression.keywords}
        called = function.value
        if isinstance(called, MethodType) and type(called.__self__).__module__.startswith(OURS):
            owner = Known(called.__self__, function.path[:-1] if function.path else None)
            rule: Any = called.__func__
            return self.inline(rule, _arguments(rule, [owner, *values], keywords))
        if isinstance(called, FunctionType) and called.__module__.startswith(OURS):
            return self.inline(called, _arguments(called, values, keywords))
        if keywords:
            raise frame.unsupported("a call with keywords", expression)
        return self._library(function, values)

    def _library(self, function: Known, values: list[Value]) -> Value:
        called = function.value
        if called is len and isinstance(values[0], Items):
            return Known(len(values[0].items))
        if called is max and len(values) == 1 and isinstance(values[0], Items):
            return self._latest(values[0].items)
        known = [value for value in map(constant_of, values) if value is not None]
        if called in {len, max, min, abs} and len(known) == len(values):
            return Known(called(*(value[0] for value in known)))
        return Dynamic(call(self.node(function), [self.node(value) for value in values]))

    def _latest(self, items: Sequence[Value]) -> Value:
        """Emit the maximum of several values."""
        if len(items) == 1:
            return items[0]
        variable = self.fresh("latest")
        self.assign(variable, items[0])
        for item in items[1:]:
            node = self.node(item)
            test = ast.Compare(left=node, ops=[ast.Gt()], comparators=[name(variable)])
            self.emit(ast.If(test=test, body=[assignment(target(variable), node)], orelse=[]))
        return Dynamic(name(variable), stable=True)

    # -- statements -------------------------------------------------------------------

    def block(self, statements: Sequence[ast.stmt], frame: Frame) -> bool:
        """Emit statements; return whether the function has returned at their end."""
        for position, statement in enumerate(statements):
            if isinstance(statement, ast.Return):
                self._return(statement, frame)
                return True
            if isinstance(statement, ast.If):
                if self._if(statement, statements[position + 1 :], frame):
                    return True
            else:
                self._statement(statement, frame)
        return False

    def _return(self, statement: ast.Return, frame: Frame) -> None:
        value = Known(None) if statement.value is None else self.evaluate(statement.value, frame)
        if frame.result_name is not None:
            self.assign(frame.result_name, value)
        else:
            frame.result = self.lasting(value, "result")

    def _if(self, statement: ast.If, rest: Sequence[ast.stmt], frame: Frame) -> bool:
        """Emit a conditional; return whether the statements after it are dealt with.

        With a return under a condition that is not known, what follows belongs to the
        branches.
        """
        test = truth(self.evaluate(statement.test, frame))
        known = constant_of(test)
        if known is not None:
            return self.block(statement.body if known[0] else statement.orelse, frame)
        branches = [list(statement.body), list(statement.orelse)]
        ends = returns(statement)
        if ends:
            branches = [[*branch, *rest] for branch in branches]
            if frame.result_name is None:
                frame.result_name = frame.variable("result")
                frame.result = Dynamic(name(frame.result_name), stable=True)
        self._make_variables([node for branch in branches for node in branch], frame)
        body, orelse = (self._nested(branch, frame) for branch in branches)
        condition = self.node(test)
        if orelse and not body:
            body, orelse = orelse, body
            condition = ast.UnaryOp(op=ast.Not(), operand=condition)
        if body:
            self.emit(ast.If(test=condition, body=body, orelse=orelse))
        return ends

    def _nested(self, statements: Sequence[ast.stmt], frame: Frame) -> list[ast.stmt]:
        """Emit statements into a list of their own."""
        outer, self.statements = self.statements, []
        self.block(statements, frame)
        inner, self.statements = self.statements, outer
        return inner

    def _make_variables(self, statements: Sequence[ast.stmt], frame: Frame) -> None:
        """Turn names assigned in a dynamic region into variables of the generated code."""
        for text in sorted(stored_names(statements) - frame.variables):
            frame.variables.add(text)
            if text in frame.values:
                if isinstance(frame.values[text], Items):
                    raise Unsupported(f"{frame.title}: list '{text}' changes under a condition")
                self.assign(frame.variable(text), frame.values[text])
            frame.values[text] = Dynamic(name(frame.variable(text)))

    def _statement(self, statement: ast.stmt, frame: Frame) -> None:
        handler = getattr(self, f"_do_{type(statement).__name__.lower()}", None)
        if handler is None:
            raise frame.unsupported("a statement of this kind", statement)
        handler(statement, frame)

    def _do_pass(self, statement: ast.Pass, frame: Frame) -> None:
        pass

    def _do_expr(self, statement: ast.Expr, frame: Frame) -> None:
        if is_docstring(statement):
            return
        items = _appended(statement.value, frame)
        if items is not None:
            items.append(self.lasting(self.evaluate(statement.value.args[0], frame), "item"))  # type: ignore[attr-defined]  # a call
            return
        value = self.evaluate(statement.value, frame)
        if isinstance(value, Dynamic) and isinstance(value.node, ast.Call):
            self.emit(ast.Expr(value=value.node))

    def _do_assign(self, statement: ast.Assign, frame: Frame) -> None:
        value = self.evaluate(statement.value, frame)
        if len(statement.targets) > 1:
            value = self.lasting(value, "shared")
        for to in statement.targets:
            self._store(to, value, frame)

    def _do_annassign(self, statement: ast.AnnAssign, frame: Frame) -> None:
        if statement.value is not None:
            self._store(statement.target, self.evaluate(statement.value, frame), frame)

    def _do_augassign(self, statement: ast.AugAssign, frame: Frame) -> None:
        reading = ast.parse(ast.unparse(statement.target), mode="eval").body
        now, by = self.evaluate(reading, frame), self.evaluate(statement.value, frame)
        self._store(statement.target, self.binary(statement.op, now, by), frame)

    def _store(self, to: ast.expr, value: Value, frame: Frame) -> None:
        if isinstance(to, ast.Name):
            if to.id in frame.variables:
                self.assign(frame.variable(to.id), value)
            else:
                frame.values[to.id] = self.lasting(value, to.id)
        elif isinstance(to, ast.Tuple):
            parts = _parts(value)
            if parts is None:
                raise frame.unsupported("unpacking of an unknown tuple into", to)
            for part, item in zip(to.elts, parts, strict=True):
                self._store(part, item, frame)
        elif isinstance(to, ast.Attribute):
            owner = self.evaluate(to.value, frame)
            if not isinstance(owner, Known) or to.attr not in state_of(owner.value):
                raise frame.unsupported("assignment to an attribute that is no state", to)
            self.assign(self.scalar(owner, to.attr), value)
        elif isinstance(to, ast.Subscript):
            self._store_item(to, value, frame)
        else:
            raise frame.unsupported("assignment to", to)

    def _store_item(self, to: ast.Subscript, value: Value, frame: Frame) -> None:
        owner, index = self.evaluate(to.value, frame), self.evaluate(to.slice, frame)
        if isinstance(owner, Known) and self.scalarised(owner):
            self.assign(self.scalar(owner, self.known_index(index, frame)), value)
            return
        node = ast.Subscript(value=self.node(owner), slice=self.node(index), ctx=ast.Store())
        self.emit(assignment(node, self.node(value)))

    def _do_for(self, loop: ast.For, frame: Frame) -> None:
        """Unroll a loop over known items; emit one over anything else."""
        if returns(loop):
            raise frame.unsupported("a return in a loop", loop)
        iterable = self.evaluate(loop.iter, frame)
        items = _parts(iterable)
        if items is None:
            self._emit_for(loop, iterable, frame)
        elif chooses(loop):
            self._choice(loop, items, frame)
        else:
            for item in items:
                self._store(loop.target, item, frame)
                self.block(loop.body, frame)

    def _choice(self, loop: ast.For, items: Sequence[Value], frame: Frame) -> None:
        """Emit a search that ends at the first item whose condition holds: nested choices."""
        if not items:
            return
        condition: Any = loop.body[0]
        self._store(loop.target, items[0], frame)
        test = self.evaluate(condition.test, frame)
        self._make_variables(condition.body[:-1], frame)
        body = self._nested(condition.body[:-1], frame)
        outer, self.statements = self.statements, []
        self._choice(loop, items[1:], frame)
        rest, self.statements = self.statements, outer
        self.emit(ast.If(test=self.node(test), body=body or [ast.Pass()], orelse=rest))

    def _emit_for(self, loop: ast.For, iterable: Value, frame: Frame) -> None:
        if not isinstance(loop.target, ast.Name):
            raise frame.unsupported("a loop over pairs that are not known", loop)
        self._make_variables([loop], frame)
        body = self._nested(loop.body, frame) or [ast.Pass()]
        variable = target(frame.variable(loop.target.id))
        self.emit(ast.For(target=variable, iter=self.node(iterable), body=body, orelse=[]))

    def _do_while(self, loop: ast.While, frame: Frame) -> None:
        if returns(loop) or loop.orelse:
            raise frame.unsupported("a return in a loop", loop)
        self._make_variables([loop], frame)
        before = len(self.statements)
        test = self.evaluate(loop.test, frame)
        if len(self.statements) != before:
            raise frame.unsupported("a rule called in a loop's condition", loop.test)
        body = self._nested(loop.body, frame) or [ast.Pass()]
        self.emit(ast.While(test=self.node(test), body=body, orelse=[]))

    def _do_raise(self, statement: ast.Raise, frame: Frame) -> None:
        if not isinstance(statement.exc, ast.Call):
            raise frame.unsupported("a raise of this form", statement)
        made = statement.exc
        values = [self.evaluate(argument, frame) for argument in made.args]
        nodes = [self.node(value) for value in values]
        exception = call(self.node(self.evaluate(made.func, frame)), nodes)
        self.emit(ast.Raise(exc=exception, cause=None))


def _parts(value: Value) -> list[Value] | None:
    """Return the parts of a list or tuple of known length."""
    if isinstance(value, Items):
        return list(value.items)
    known = constant_of(value)
    if known is not None and isinstance(known[0], tuple):
        return [Known(part) for part in known[0]]
    return None


def _appended(expression: ast.expr, frame: Frame) -> list[Value] | None:
    """Return the list of known length that an expression appends to, if it does."""
    if not isinstance(expression, ast.Call) or not isinstance(expression.func, ast.Attribute):
        return None
    owner = expression.func.value
    if expression.func.attr != "append" or not isinstance(owner, ast.Name):
        return None
    value = frame.values.get(owner.id)
    return value.items if isinstance(value, Items) else None


def _arguments(
    function: FunctionType, values: Sequence[Value], keywords: dict[str, Value]
) -> dict[str, Value]:
    """Match values with a function's parameters."""
    parameters = list(inspect.signature(function).parameters)
    return {**dict(zip(parameters, values, strict=False)), **keywords}
