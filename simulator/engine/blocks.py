"""The generated function: blocks of instructions, loops around them, state in and out."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from isa.interpreter import Machine
from isa.program import Instruction, Program
from isa.spec import Kind
from simulator.engine.instructions import Instructions
from simulator.engine.specialiser import Path, Specialiser
from simulator.engine.values import (
    Known,
    Value,
    assignment,
    call,
    constant,
    name,
    target,
)
from simulator.model.dataflow import DataflowLimit
from simulator.model.pipeline import Pipeline

HALTED = -1
"""Block number after ``halt``."""

LEAVE = -2
"""Block number that means: go on with the readable form, at the instruction returned."""

SCALAR_LISTS: frozenset[Path] = frozenset(
    {
        ("machine", "registers"),
        ("pipeline", "ready"),
        ("dataflow", "ready"),
        ("pipeline", "units", "busy_cycles"),
        ("pipeline", "branches", "executed"),
        ("pipeline", "branches", "taken"),
        ("pipeline", "branches", "mispredicted"),
    }
)
"""Lists that rules index by known numbers only: a local variable for each element."""

_ENDS = {Kind.BRANCH, Kind.JUMP, Kind.CALL, Kind.INDIRECT, Kind.HALT}
Span = tuple[int, int]


class Blocks:
    """Makes the engine of one program on one core, with one run's objects as examples."""

    def __init__(
        self, machine: Machine, pipeline: Pipeline, dataflow: DataflowLimit, mark: int | None
    ) -> None:
        self.program = machine.program
        self.pipeline = Known(pipeline, ("pipeline",))
        self.dataflow = Known(dataflow, ("dataflow",))
        self.mark = mark
        self.rules = Specialiser(SCALAR_LISTS)
        self.instructions = Instructions(machine, self.rules)
        self.leaders = leaders(self.program)
        self.block_of = {number: block for block, number in enumerate(self.leaders)}

    def module(self) -> ast.Module:
        """Return the syntax tree of the engine, one function.

        ``engine(objects, state, block, executed, budget)`` runs from the start of a block
        until at least ``budget`` instructions have been executed, or the program has ended,
        and returns the next block, the number of the next instruction where that is not one,
        the instructions executed, and the state.
        """
        bodies = [self._block(block) for block in range(len(self.leaders))]
        loop = self._loop(bodies, (0, len(bodies) - 1), self._loops())
        state: list[ast.expr] = [name(text) for text in self.rules.state]
        body: list[ast.stmt] = [
            *_unpack(list(self.rules.pool), "objects"),
            *_unpack(list(self.rules.state), "state"),
            assignment(target("number"), constant(-1)),
            loop,
        ]
        left: list[ast.expr] = [name("block"), name("number"), name("executed")]
        left.append(ast.Tuple(elts=state, ctx=ast.Load()))
        body.append(ast.Return(value=ast.Tuple(elts=left, ctx=ast.Load())))
        module = ast.parse("def engine(objects, state, block, executed, budget): pass")
        function = module.body[0]
        if isinstance(function, ast.FunctionDef):
            function.body = body
        return ast.fix_missing_locations(module)

    def _loops(self) -> list[Span]:
        """Return the block intervals that backward branches span, widened until they nest."""
        spans = {
            (self.block_of[to], block)
            for block in range(len(self.leaders))
            for to in _targets(self.program.instructions[self._last(block)])
            if self.block_of[to] <= block
        }
        return _nested(spans)

    def _loop(
        self, bodies: Sequence[list[ast.stmt]], span: Span, loops: Sequence[Span]
    ) -> ast.While:
        """Return a loop that runs the blocks of an interval until control leaves it."""
        inside: list[ast.stmt] = []
        block = span[0]
        while block <= span[1]:
            inner = [s for s in loops if s[0] == block and s[1] <= span[1]]
            if inner:
                widest = max(inner, key=lambda s: s[1])
                rest = [s for s in loops if s != widest]
                nested = self._loop(bodies, widest, rest)
                inside.append(ast.If(test=_within(widest), body=[nested], orelse=[]))
                block = widest[1] + 1
            else:
                here = _compare(name("block"), ast.Eq(), constant(block))
                inside.append(ast.If(test=here, body=bodies[block], orelse=[]))
                block += 1
        spent = _compare(name("executed"), ast.GtE(), name("budget"))
        outside = ast.UnaryOp(op=ast.Not(), operand=_within(span))
        ends = ast.BoolOp(op=ast.Or(), values=[outside, spent])
        inside.append(ast.If(test=ends, body=[ast.Break()], orelse=[]))
        return ast.While(test=constant(value=True), body=inside, orelse=[])

    def _last(self, block: int) -> int:
        """Return the last instruction of a block."""
        following = [*self.leaders, len(self.program.instructions)]
        return following[block + 1] - 1

    def _block(self, block: int) -> list[ast.stmt]:
        """Return the statements of a block, each with its instruction's number plus 1 as line.

        So a fault in the generated code says which instruction made it.
        """
        first, last = self.leaders[block], self._last(block)
        count = constant(last - first + 1)
        executed = ast.AugAssign(target=target("executed"), op=ast.Add(), value=count)
        statements: list[ast.stmt] = [executed]
        for number in range(first, last + 1):
            self.rules.start_over()
            self._instruction(number, block, last=number == last)
            for statement in self.rules.statements:
                _mark_line(statement, number + 1)
            statements += self.rules.statements
        return statements

    def _instruction(self, number: int, block: int, *, last: bool) -> None:
        """Emit what an instruction computes, then what it costs, then where control goes."""
        taken, words = self.instructions.execute(number)
        pipeline: Pipeline = self.pipeline.value
        self.rules.inline(
            Pipeline.accept,
            {"self": self.pipeline, "number": Known(number), "taken": taken, "words": words},
        )
        template = Known(pipeline.templates[number])
        self.rules.inline(
            DataflowLimit.accept,
            {"self": self.dataflow, "template": template, "words": words},
        )
        if number == self.mark:
            slots = Known(pipeline.slots, ("pipeline", "slots"))
            cycle = name(self.rules.scalar(slots, "cycle"))
            append = self.rules.node(Known([].append, ("marks", "append")))
            self.rules.emit(ast.Expr(value=call(append, [cycle])))
        if last:
            following = self._following(self.program.instructions[number], block, taken)
            self.rules.emit(assignment(target("block"), following))

    def _following(self, instruction: Instruction, block: int, taken: Value) -> ast.expr:
        """Return the block that follows the last instruction of a block."""
        kind = instruction.spec.kind
        if kind is Kind.HALT:
            return constant(HALTED)
        if kind is Kind.INDIRECT:
            lookup = self.rules.node(Known(self.block_of.get, ("blocks", "get")))
            return call(lookup, [name("number"), constant(LEAVE)])
        if kind is Kind.JUMP or kind is Kind.CALL:
            return constant(self.block_of[_targets(instruction)[0]])
        if kind is not Kind.BRANCH:
            return constant(block + 1)
        elsewhere = constant(self.block_of[_targets(instruction)[0]])
        test = self.rules.node(taken)
        return ast.IfExp(test=test, body=elsewhere, orelse=constant(block + 1))


def leaders(program: Program) -> list[int]:
    """Return the numbers of the instructions at which blocks start."""
    starts = {0}
    for number, instruction in enumerate(program.instructions):
        starts.update(_targets(instruction))
        if instruction.spec.kind in _ENDS and number + 1 < len(program.instructions):
            starts.add(number + 1)
    return sorted(starts)


def _targets(instruction: Instruction) -> list[int]:
    return [
        argument
        for operand, argument in zip(instruction.spec.operands, instruction.arguments, strict=True)
        if operand.kind == "label" and isinstance(argument, int)
    ]


def _nested(spans: set[Span]) -> list[Span]:
    """Widen overlapping intervals until any two are nested or apart."""
    while True:
        crossing = [(a, b) for a in spans for b in spans if a[0] < b[0] <= a[1] < b[1]]
        if not crossing:
            return sorted(spans)
        a, b = min(crossing)
        spans = (spans - {a, b}) | {(a[0], b[1])}


def _unpack(names: Sequence[str], source: str) -> list[ast.stmt]:
    """Return the assignment of a tuple's parts to local variables."""
    if not names:
        return []
    parts = ast.Tuple(elts=[target(text) for text in names], ctx=ast.Store())
    return [assignment(parts, name(source))]


def _within(span: Span) -> ast.expr:
    return ast.Compare(
        left=constant(span[0]),
        ops=[ast.LtE(), ast.LtE()],
        comparators=[name("block"), constant(span[1])],
    )


def _compare(left: ast.expr, op: ast.cmpop, right: ast.expr) -> ast.Compare:
    return ast.Compare(left=left, ops=[op], comparators=[right])


def _mark_line(statement: ast.stmt, line: int) -> None:
    """Give every node of a statement one line number."""
    for node in ast.walk(statement):
        if isinstance(node, ast.expr | ast.stmt):
            node.lineno = node.end_lineno = line
            node.col_offset = node.end_col_offset = 0
