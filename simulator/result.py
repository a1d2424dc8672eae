"""What a run measured, and the one definition of every metric made from it."""

from __future__ import annotations

from dataclasses import dataclass

from simulator.model.dispatch import SlotAccount

TOPDOWN = {
    "retiring": "slots that retired a micro-operation",
    "bad_speculation": "slots lost to wrong paths and recovery",
    "frontend_bound": "slots for which nothing was delivered",
    "memory_bound": "slots stalled with a load as oldest unfinished instruction",
    "core_bound": "slots stalled on anything else",
}
"""Top-down classes of level 1, with the back end split; fractions of width x cycles."""


@dataclass(frozen=True, slots=True)
class BranchRecord:
    """One conditional branch: instruction number, source line and counts."""

    number: int
    line: int
    text: str
    executed: int
    taken: int
    mispredicted: int


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of one timed run.

    Attributes
    ----------
    cycles, instructions, uops : int
        Length of the run, instructions executed, issue slots that retired (a micro-fused
        store counts once).
    dataflow_cycles : int
        Length with unlimited width, window and units and perfect prediction.
    branches, mispredictions : int
        Conditional branches, and how many were predicted wrong.
    slots : SlotAccount
        Issue slots by fate.
    unit_busy : dict of str to int
        Cycles in which each unit was occupied.
    marks : tuple of int
        Cycle in which each execution of the marked instruction was dispatched.
    host_seconds : float
        Time spent simulating.
    """

    core: str
    predictor: str
    lanes: int
    width: int
    cycles: int
    instructions: int
    uops: int
    dataflow_cycles: int
    branches: int
    mispredictions: int
    slots: SlotAccount
    unit_busy: dict[str, int]
    ledger: tuple[BranchRecord, ...]
    marks: tuple[int, ...]
    host_seconds: float

    @property
    def ipc(self) -> float:
        """Instructions per cycle: the parallelism achieved."""
        return self.instructions / self.cycles

    @property
    def ilp_limit(self) -> float:
        """Instructions per cycle of the dataflow limit: the parallelism available."""
        return self.instructions / self.dataflow_cycles

    @property
    def mpki(self) -> float:
        """Mispredictions per thousand instructions."""
        return 1000 * self.mispredictions / self.instructions

    @property
    def topdown(self) -> dict[str, float]:
        """Fractions of all issue slots; they sum to 1."""
        total = self.width * self.cycles
        slots = self.slots
        counts = {
            "retiring": slots.retiring,
            "bad_speculation": slots.bad_speculation,
            "frontend_bound": slots.fetch_latency + slots.fetch_bandwidth,
            "memory_bound": slots.memory_bound,
            "core_bound": slots.core_bound,
        }
        return {name: count / total for name, count in counts.items()}

    @property
    def units(self) -> dict[str, float]:
        """Share of cycles in which each unit was occupied."""
        return {unit: min(1.0, busy / self.cycles) for unit, busy in self.unit_busy.items()}
