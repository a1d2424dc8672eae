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
        cycle = ready
        taken = self.calendar.get(cycle, 0) if micro.busy == 1 else self.taken(cycle, micro.busy)
        while taken & micro.group == micro.group:
            cycle += 1
            if micro.busy == 1:
                taken = self.calendar.get(cycle, 0)
            else:
                taken = self.taken(cycle, micro.busy)
        for bit, unit in micro.units:
            if not taken & bit:
                if micro.busy == 1:
                    self.calendar[cycle] = taken | bit
                else:
                    self.occupy(bit, cycle, micro.busy)
                self.busy_cycles[unit] += micro.busy
                break
        return cycle

    def taken(self, cycle: int, busy: int) -> int:
        """Return the bits of the units that are not free for ``busy`` cycles from one on."""
        taken = 0
        for later in range(cycle, cycle + busy):
            taken |= self.calendar.get(later, 0)
        return taken

    def occupy(self, bit: int, cycle: int, busy: int) -> None:
        """Mark a unit as busy for several cycles."""
        for later in range(cycle, cycle + busy):
            self.calendar[later] = self.calendar.get(later, 0) | bit

    def forget(self, before: int) -> None:
        """Drop what no later micro-operation can ask for: cycles earlier than ``before``."""
        if len(self.calendar) > self.prune_at:
            for cycle in [cycle for cycle in self.calendar if cycle < before]:
                del self.calendar[cycle]
            self.prune_at = max(_PRUNE, 2 * len(self.calendar))
