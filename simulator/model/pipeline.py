"""The pipeline: the rules of the parts, applied to one dynamic instruction after another."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from isa.operands import REGISTERS
from isa.program import Program
from simulator.core.spec import Core
from simulator.model.branches import Branches
from simulator.model.dispatch import Dispatch
from simulator.model.front_end import FrontEnd
from simulator.model.memory import DataMemory
from simulator.model.retirement import Retirement
from simulator.model.templates import SlotTemplate, Template, build_templates
from simulator.model.units import Units
from simulator.predictors import Predictor


@dataclass(frozen=True, slots=True)
class Stamp:
    """When one issue slot passed the stages; ``issued`` has a cycle for each micro-operation."""

    number: int
    arrived: int
    dispatched: int
    issued: tuple[int, ...]
    completed: int
    retired: int


class Pipeline:
    """A core running a program.

    Parameters
    ----------
    program : Program
        For its instructions' operands.
    core : Core
        Figures and costs.
    predictor : Predictor
        A fresh one.
    log : list of Stamp, optional
        Receives a stamp for every slot; for traces and tests.
    """

    def __init__(
        self, program: Program, core: Core, predictor: Predictor, log: list[Stamp] | None = None
    ) -> None:
        self.core = core
        self.templates: list[Template] = build_templates(program, core)
        self.front_end = FrontEnd(core)
        self.branches = Branches(predictor, len(program.instructions))
        self.slots = Dispatch(core)
        self.units = Units(core)
        self.memory = DataMemory(core)
        self.retirement = Retirement(core)
        self.ready = [0] * (REGISTERS + 1)
        """When the newest value of each register can be used."""
        self.log = log

    def accept(self, number: int, taken: bool, words: Iterable[int]) -> None:
        """Take the next instruction of the run.

        Parameters
        ----------
        number : int
            Its number in the program.
        taken : bool
            Whether another one than the next in the program is executed after it.
        words : iterable of int
            8-byte words that it accessed, if it is a load or store.
        """
        template = self.templates[number]
        arrived = self.front_end.fetch()
        results: list[int] = []
        finished: list[int] = []
        retired = 0
        for slot in template.slots:
            dispatched = self.slots.dispatch(slot, arrived)
            self.front_end.leave_queue(dispatched)
            issued, completed = self._execute(slot, dispatched, results, words)
            finished.append(completed)
            retired = self.retirement.retire(completed)
            self.slots.finish(slot, completed, retired, load=template.loads)
            if self.log is not None:
                stamp = Stamp(number, arrived, dispatched, tuple(issued), completed, retired)
                self.log.append(stamp)
        self._write_back(template, results, words, retired)
        if template.steers:
            self._steer(template, number, taken, max(finished))

    def forget(self) -> None:
        """Drop what lies before anything that a later instruction can ask for."""
        self.units.forget(self.slots.cycle)
        self.memory.forget(self.slots.cycle)

    def finish(self) -> int:
        """End the run after its last instruction; return its length in cycles."""
        self.slots.close()
        return self.slots.cycle + 1

    def _execute(
        self, slot: SlotTemplate, dispatched: int, results: list[int], words: Iterable[int]
    ) -> tuple[list[int], int]:
        """Issue a slot's micro-operations; return their cycles and when all have completed.

        A slot without any (a no-operation, an eliminated move) completes at dispatch.
        """
        ready_at = self.ready
        issued: list[int] = []
        finished: list[int] = []
        for micro in slot.micros:
            ready = dispatched + 1
            for register in micro.registers:
                if ready_at[register] > ready:
                    ready = ready_at[register]
            for position in micro.after:
                if results[position] > ready:
                    ready = results[position]
            cycle = self.units.issue(micro, ready)
            available = self.memory.load(words, cycle) if micro.loads else cycle
            completed = available + micro.latency
            results.append(completed)
            issued.append(cycle)
            finished.append(completed)
        for scheduler in slot.schedulers:
            self.slots.leave_scheduler(scheduler, max(issued))
        return issued, max(finished) if finished else dispatched

    def _write_back(
        self, template: Template, results: list[int], words: Iterable[int], retired: int
    ) -> None:
        """Make results available: a register's when all micro-operations are complete.

        An instruction without any (an eliminated move) passes its operand on.
        """
        if results:
            available = max(results)
        else:
            available = 0
            for register in template.reads:
                if self.ready[register] > available:
                    available = self.ready[register]
        for register in template.writes:
            self.ready[register] = available
        if template.stores:
            self.memory.store(words, available, retired)

    def _steer(self, template: Template, number: int, taken: bool, executed: int) -> None:
        """Let the front end follow a branch or jump."""
        if template.conditional and self.branches.resolve(number, taken=taken):
            self.slots.mispredicted(self.front_end.after_mispredict(executed))
        elif taken or not template.conditional:
            self.front_end.after_taken()
