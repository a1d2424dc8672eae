"""The dataflow limit: the same run with nothing in its way but its dependences."""

from __future__ import annotations

from collections.abc import Iterable

from isa.operands import REGISTERS
from simulator.core.spec import Core
from simulator.model.ring import NEVER
from simulator.model.templates import Template


class DataflowLimit:
    """Completion times with unlimited width, window and units and perfect prediction.

    Latencies stay; an instruction starts when its operands are ready. A load waits for
    the latest store to each word it reads. The run's length is a lower bound of the
    core's cycles, and instructions over it the parallelism that the program offers.
    """

    def __init__(self, core: Core) -> None:
        self.ready = [0] * (REGISTERS + 1)
        self.stored: dict[int, int] = {}
        self.l1_latency = core.l1_latency
        self.memory_latency = min(core.l1_latency, core.forward_latency)
        self.length = 0

    def accept(self, template: Template, words: Iterable[int]) -> None:
        """Take the next instruction of the run."""
        result = self._complete(template, words)
        for register in template.writes:
            self.ready[register] = result
        if template.stores:
            for word in words:
                self.stored[word] = result
        if result > self.length:
            self.length = result

    def _complete(self, template: Template, words: Iterable[int]) -> int:
        """Return when an instruction's result is there."""
        results: list[int] = []
        for slot in template.slots:
            for micro in slot.micros:
                start = self._ready(micro.registers)
                for position in micro.after:
                    if results[position] > start:
                        start = results[position]
                if micro.loads:
                    start = self._loaded(words, start)
                results.append(start + micro.latency)
        return max(results) if results else self._ready(template.reads)

    def _ready(self, registers: tuple[int, ...]) -> int:
        """Return when the last of some registers is ready."""
        start = 0
        for register in registers:
            if self.ready[register] > start:
                start = self.ready[register]
        return start

    def _loaded(self, words: Iterable[int], start: int) -> int:
        """Return when a load has its data, before what its own latency adds."""
        available = start + self.memory_latency
        for word in words:
            stored = self.stored.get(word, NEVER) + self.memory_latency
            if stored > available:
                available = stored
        return available
