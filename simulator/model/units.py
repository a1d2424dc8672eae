"""Execution units: each starts one micro-operation a cycle, chosen out of order."""

from __future__ import annotations

from simulator.core.spec import Core
from simulator.model.templates import MicroTemplate

_PRUNE = 1 << 14


class Units:
    """A calendar of busy units.

    Micro-operations come in program order, so an older one has the choice before a
    younger one: it takes the first cycle, from the one in which it is ready, in which a
    unit of its group is free, and there the first such unit in the group's order.
    """

    def __init__(self, core: Core) -> None:
        self.calendar: dict[int, int] = {}
        self.busy_cycles = [0] * len(core.units)
        self.prune_at = _PRUNE

    def issue(self, micro: MicroTemplate, ready: int) -> int:
        """Issue a micro-operation no earlier than ``ready``; return its cycle."""
        calendar = self.calendar
        cycle = ready
        while True:
            taken = calendar.get(cycle, 0)
            for bit, unit in micro.units:
                if not taken & bit and (micro.busy == 1 or self._free(bit, cycle, micro.busy)):
                    calendar[cycle] = taken | bit
                    self.busy_cycles[unit] += micro.busy
                    if micro.busy > 1:
                        self._occupy(bit, cycle, micro.busy)
                    return cycle
            cycle += 1

    def _free(self, bit: int, cycle: int, busy: int) -> bool:
        """Whether a unit is free for all the cycles that an operation would occupy it."""
        return not any(self.calendar.get(cycle + i, 0) & bit for i in range(1, busy))

    def _occupy(self, bit: int, cycle: int, busy: int) -> None:
        """Mark the cycles after the first in which an unpipelined operation holds its unit."""
        for occupied in range(cycle + 1, cycle + busy):
            self.calendar[occupied] = self.calendar.get(occupied, 0) | bit

    def forget(self, before: int) -> None:
        """Drop what no later micro-operation can ask for: cycles earlier than ``before``."""
        if len(self.calendar) > self.prune_at:
            self.calendar = {c: bits for c, bits in self.calendar.items() if c >= before}
            self.prune_at = max(_PRUNE, 2 * len(self.calendar))
