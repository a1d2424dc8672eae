"""Running a program on a core: the interpreter executes, the pipeline keeps time."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from isa.binding import WildJump
from isa.interpreter import DEFAULT_INSTRUCTIONS, Machine
from isa.memory import MemoryFault
from isa.printer import print_instruction
from simulator.core.spec import Core
from simulator.engine.engine import Engine, Session, cached_engine, faulting_instruction
from simulator.model.dataflow import DataflowLimit
from simulator.model.pipeline import Pipeline, Stamp
from simulator.model.templates import branch_targets
from simulator.predictors import DEFAULT_PREDICTOR, make_predictor
from simulator.result import BranchRecord, Result

SLICE = 50_000
"""Instructions between two reports of progress, when what is past is forgotten too."""

ENGINE_AFTER = 200_000
"""Instructions after which building an engine pays: it takes as long as about so many."""


@dataclass(slots=True)
class Run:
    """One run in progress: the machine that executes, the models that keep time."""

    machine: Machine
    core: Core
    predictor: str
    pipeline: Pipeline
    dataflow: DataflowLimit
    mark: int | None
    marks: list[int]
    limit: int
    progress: Callable[[int], None] | None
    building: float = 0.0
    """Seconds spent on building the engine."""

    def step(self, number: int) -> int:
        """Execute and time one instruction by the readable rules; return the next one."""
        try:
            following = self.machine.handlers[number]()
        except (MemoryFault, WildJump) as fault:
            raise self.machine.explain(number, fault) from None
        words = self.machine.touched
        self.pipeline.accept(number, following != number + 1, words)
        self.dataflow.accept(self.pipeline.templates[number], words)
        if number == self.mark:
            self.marks.append(self.pipeline.slots.cycle)
        return following

    def run(self, engine_after: int | None) -> int:
        """Run to the end; return how many instructions were executed."""
        first = self.limit if engine_after is None else min(engine_after, self.limit)
        number, executed = self.by_rules(0, 0, first)
        if number < 0:
            return executed
        started = time.perf_counter()
        session = Session(self.engine(), self.machine, self.pipeline, self.dataflow, self.marks)
        self.building = time.perf_counter() - started
        return self.by_engine(session, number, executed)

    def by_rules(self, number: int, executed: int, until: int) -> tuple[int, int]:
        """Run by the readable rules; return the next instruction and the number executed."""
        while number >= 0:
            if executed >= self.limit:
                raise self.machine.runaway(number, self.limit)
            if executed >= until:
                break
            number = self.step(number)
            executed += 1
            if not executed % SLICE:
                self.rest(executed)
        return number, executed

    def by_engine(self, session: Session, number: int, executed: int) -> int:
        """Run by the engine wherever it can take over; return the number executed."""
        engine = session.engine
        last = self.limit - engine.longest
        while number >= 0:
            if number not in engine.block_of or executed >= last:
                number, executed = self.by_rules(number, executed, executed + 1)
                continue
            try:
                number, executed = session.run(number, executed, min(executed + SLICE, last))
            except (MemoryFault, WildJump) as fault:
                at = faulting_instruction(fault.__traceback__)
                raise self.machine.explain(number if at is None else at, fault) from None
            self.rest(executed)
        return executed

    def engine(self) -> Engine:
        """Return the engine for this run, built if there is none yet."""
        key = (self.machine.program, self.core, self.predictor, self.mark)
        return cached_engine(
            key, lambda: Engine(self.machine, self.pipeline, self.dataflow, self.mark)
        )

    def rest(self, executed: int) -> None:
        """Forget what is past, and report progress."""
        self.pipeline.forget()
        if self.progress is not None:
            self.progress(executed)


def simulate(
    machine: Machine,
    core: Core,
    predictor: str = DEFAULT_PREDICTOR,
    *,
    limit: int = DEFAULT_INSTRUCTIONS,
    mark: int | None = None,
    log: list[Stamp] | None = None,
    engine_after: int | None = ENGINE_AFTER,
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
        Receives the stamps of every issue slot; the run is then readable.
    engine_after : int, optional
        Instructions after which the engine made from the readable rules takes over; None
        for never. The result is the same.
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
    run = Run(machine, core, predictor, pipeline, dataflow, mark, [], limit, progress)
    started = time.perf_counter()
    executed = run.run(None if log is not None else engine_after)
    cycles = pipeline.finish()
    seconds = time.perf_counter() - started - run.building
    return _result(run, cycles, executed, seconds)


def _result(run: Run, cycles: int, executed: int, seconds: float) -> Result:
    """Collect what a finished run measured."""
    pipeline, core = run.pipeline, run.core
    return Result(
        core=core.name,
        predictor=run.predictor,
        lanes=run.machine.program.lanes,
        width=core.width,
        cycles=cycles,
        instructions=executed,
        uops=pipeline.slots.account.retiring,
        dataflow_cycles=max(1, run.dataflow.length),
        branches=sum(pipeline.branches.executed),
        mispredictions=sum(pipeline.branches.mispredicted),
        slots=pipeline.slots.account,
        unit_busy=dict(zip(core.units, pipeline.units.busy_cycles, strict=True)),
        ledger=_ledger(run.machine, pipeline),
        marks=tuple(run.marks),
        host_seconds=seconds,
    )


def engine_text(machine: Machine, core: Core, predictor: str = DEFAULT_PREDICTOR) -> str:
    """Return the code of the engine that `simulate` would use for a loaded program."""
    program = machine.program
    pipeline = Pipeline(program, core, make_predictor(predictor, branch_targets(program)))
    return Engine(machine, pipeline, DataflowLimit(core), None).text()


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
