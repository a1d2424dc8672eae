"""The dataflow limit: the same run with nothing in its way but its dependences."""

from __future__ import annotations

from collections.abc import Iterable

from isa.operands import REGISTERS
from simulator.core.spec import Core
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
        ready = self.ready
        results: list[int] = []
        for slot in template.slots:
            for micro in slot.micros:
                start = 0
                for register in micro.registers:
                    start = max(start, ready[register])
                for position in micro.after:
                    start = max(start, results[position])
                if micro.loads:
                    start = self._loaded(words, start)
                results.append(start + micro.latency)
        if results:
            result = results[0] if len(results) == 1 else max(results)
        else:
            result = max((ready[register] for register in template.reads), default=0)
        for register in template.writes:
            ready[register] = result
        if template.stores:
            for word in words:
                self.stored[word] = result
        self.length = max(self.length, result)

    def _loaded(self, words: Iterable[int], start: int) -> int:
        """Return when a load has its data, before what its own latency adds."""
        available = start + self.memory_latency
        for word in words:
            stored = self.stored.get(word)
            if stored is not None:
                available = max(available, stored + self.memory_latency)
        return available
