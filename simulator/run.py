"""Running a program on a core: the interpreter executes, the pipeline keeps time."""

from __future__ import annotations

import time
from collections.abc import Callable

from isa.binding import WildJump
from isa.interpreter import DEFAULT_INSTRUCTIONS, Machine
from isa.memory import MemoryFault
from isa.printer import print_instruction
from simulator.core.spec import Core
from simulator.model.dataflow import DataflowLimit
from simulator.model.pipeline import Pipeline, Stamp
from simulator.model.templates import branch_targets
from simulator.predictors import DEFAULT_PREDICTOR, make_predictor
from simulator.result import BranchRecord, Result

PROGRESS_EVERY = 20_000
"""Instructions between two reports of progress."""


def simulate(
    machine: Machine,
    core: Core,
    predictor: str = DEFAULT_PREDICTOR,
    *,
    limit: int = DEFAULT_INSTRUCTIONS,
    mark: int | None = None,
    log: list[Stamp] | None = None,
    progress: Callable[[int], None] | None = None,
) -> Result:
    """Run a loaded program to its end on a core.

    Parameters
    ----------
    machine : Machine
        A program with its data, not yet run; it holds the results afterwards.
    core : Core
        The core.
    predictor : str
        Name of a branch predictor.
    limit : int
        Instructions after which the run is given up.
    mark : int, optional
        Number of an instruction whose dispatch cycles are recorded.
    log : list of Stamp, optional
        Receives the stamps of every issue slot.
    progress : callable, optional
        Called now and then with the number of instructions executed so far.

    Raises
    ------
    ProgramFault, LimitError
        As `isa.interpreter.Machine.run`.
    """
    program = machine.program
    pipeline = Pipeline(program, core, make_predictor(predictor, branch_targets(program)), log)
    dataflow = DataflowLimit(core)
    marks: list[int] = []
    started = time.perf_counter()
    _run(machine, pipeline, dataflow, limit, mark, marks, progress)
    cycles = pipeline.finish()
    seconds = time.perf_counter() - started
    return Result(
        core=core.name,
        predictor=predictor,
        lanes=program.lanes,
        width=core.width,
        cycles=cycles,
        instructions=pipeline.instructions,
        uops=pipeline.slots.account.retiring,
        dataflow_cycles=dataflow.length,
        branches=sum(pipeline.branches.executed),
        mispredictions=sum(pipeline.branches.mispredicted),
        slots=pipeline.slots.account,
        unit_busy=dict(zip(core.units, pipeline.units.busy_cycles, strict=True)),
        ledger=_ledger(machine, pipeline),
        marks=tuple(marks),
        host_seconds=seconds,
    )


def _run(
    machine: Machine,
    pipeline: Pipeline,
    dataflow: DataflowLimit,
    limit: int,
    mark: int | None,
    marks: list[int],
    progress: Callable[[int], None] | None,
) -> None:
    """Execute and time every instruction."""
    handlers, templates = machine.handlers, pipeline.templates
    number = executed = 0
    while number >= 0:
        if executed >= limit:
            raise machine.runaway(number, limit)
        try:
            following = handlers[number]()
        except (MemoryFault, WildJump) as fault:
            raise machine.explain(number, fault) from None
        pipeline.accept(number, following, machine.touched)
        dataflow.accept(templates[number], machine.touched)
        if number == mark:
            marks.append(pipeline.slots.cycle)
        executed += 1
        if progress is not None and not executed % PROGRESS_EVERY:
            progress(executed)
        number = following


def _ledger(machine: Machine, pipeline: Pipeline) -> tuple[BranchRecord, ...]:
    """Return the record of every conditional branch that was executed."""
    branches, program = pipeline.branches, machine.program
    labels = {number: [name] for name, number in reversed(program.labels)}
    return tuple(
        BranchRecord(
            number,
            program.instructions[number].line,
            print_instruction(program.instructions[number], labels),
            executed,
            branches.taken[number],
            branches.mispredicted[number],
        )
        for number, executed in enumerate(branches.executed)
        if executed
    )
