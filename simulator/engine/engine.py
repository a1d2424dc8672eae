"""Engines: built once for a program on a core, run for any data."""

from __future__ import annotations

import ast
import struct
from collections import OrderedDict
from collections.abc import Callable
from itertools import pairwise
from types import TracebackType
from typing import Any

from isa.interpreter import Machine
from isa.operands import Argument
from isa.program import Program
from simulator.core.spec import Core
from simulator.engine.blocks import HALTED, Blocks
from simulator.engine.values import Known
from simulator.model.dataflow import DataflowLimit
from simulator.model.pipeline import Pipeline

_FILE = "<engine>"
_CACHED = 32

State = tuple[Any, ...]
Code = Callable[[State, State, int, int, int], tuple[int, int, int, State]]


class Engine:
    """The specialised code of one program on one core with one kind of predictor.

    Attributes
    ----------
    leaders : list of int
        Instruction at which each block starts.
    block_of : dict of int to int
        Block that starts at an instruction: where the engine can take over.
    longest : int
        Instructions of the longest block: by how many a run may go past its budget.
    """

    def __init__(
        self, machine: Machine, pipeline: Pipeline, dataflow: DataflowLimit, mark: int | None
    ) -> None:
        blocks = Blocks(machine, pipeline, dataflow, mark)
        self.tree = blocks.module()
        self.block_of = blocks.block_of
        self.leaders = blocks.leaders
        edges = [*self.leaders, len(machine.program.instructions)]
        self.longest = max(b - a for a, b in pairwise(edges))
        self.pool = tuple(blocks.rules.pool.values())
        self.state = tuple(blocks.rules.state.values())
        namespace: dict[str, Any] = {}
        exec(compile(self.tree, _FILE, "exec"), namespace)  # noqa: S102  # our own code, from rules
        self.code: Code = namespace["engine"]

    def text(self) -> str:
        """Return the generated code."""
        return ast.unparse(self.tree) + "\n"


class Session:
    """An engine at work on one run's objects."""

    def __init__(
        self,
        engine: Engine,
        machine: Machine,
        pipeline: Pipeline,
        dataflow: DataflowLimit,
        marks: list[int],
    ) -> None:
        self.engine = engine
        roots = {
            "machine": machine,
            "pipeline": pipeline,
            "dataflow": dataflow,
            "marks": marks,
            "blocks": engine.block_of,
        }
        self.objects = tuple(_resolve(known, roots) for known in engine.pool)
        self.owners = [(_resolve(owner, roots), key) for owner, key in engine.state]

    def run(self, number: int, executed: int, budget: int) -> tuple[int, int]:
        """Run from an instruction that starts a block; return the next one and the count.

        The next instruction is negative after ``halt``.
        """
        engine = self.engine
        state = tuple(_read(owner, key) for owner, key in self.owners)
        block, number, executed, state = engine.code(
            self.objects, state, engine.block_of[number], executed, budget
        )
        for (owner, key), value in zip(self.owners, state, strict=True):
            _write(owner, key, value)
        if block == HALTED:
            return HALTED, executed
        if block >= 0:
            number = engine.leaders[block]
        return number, executed


def faulting_instruction(trace: TracebackType | None) -> int | None:
    """Return the instruction whose generated code an exception came from."""
    number = None
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == _FILE:
            number = trace.tb_lineno - 1
        trace = trace.tb_next
    return number


Key = tuple[Program, Core, str, int | None]

_engines: OrderedDict[object, Engine] = OrderedDict()


def cached_engine(key: Key, make: Callable[[], Engine]) -> Engine:
    """Return the engine for a program, core, predictor and mark, built if there is none yet.

    The few latest engines are kept for as long as the process lives.
    """
    program, core, predictor, mark = key
    identity = (_identity(program), repr(core), predictor, mark)
    if identity not in _engines:
        _engines[identity] = make()
        if len(_engines) > _CACHED:
            _engines.popitem(last=False)
    _engines.move_to_end(identity)
    return _engines[identity]


def _identity(program: Program) -> tuple[object, ...]:
    """Return what an engine depends on in a program.

    Doubles count by their bits, since 0.0 equals -0.0 and NaN not even itself.
    """
    return (
        program.lanes,
        tuple(
            (instruction.spec.mnemonic, *map(_identity_of, instruction.arguments))
            for instruction in program.instructions
        ),
    )


def _identity_of(argument: Argument) -> object:
    return struct.pack("<d", argument) if isinstance(argument, float) else argument


def _resolve(known: Known, roots: dict[str, Any]) -> Any:
    """Return an object of a run by its path, or a constant."""
    if known.path is None:
        return known.value
    value = roots[str(known.path[0])]
    for step in known.path[1:]:
        value = value[step[0]] if isinstance(step, tuple) else getattr(value, step)
    return value


def _read(owner: Any, key: str | int) -> Any:
    return getattr(owner, key) if isinstance(key, str) else owner[key]


def _write(owner: Any, key: str | int, value: Any) -> None:
    if isinstance(key, str):
        setattr(owner, key, value)
    else:
        owner[key] = value
