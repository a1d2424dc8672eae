"""Retirement: in program order, up to a number of micro-operations in a cycle."""

from __future__ import annotations

from simulator.core.spec import Core


class Retirement:
    """Retires issue slots in order, once they and all older ones have completed."""

    def __init__(self, core: Core) -> None:
        self.width = core.retire_width
        self.cycle = 0
        self.retired = 0

    def retire(self, completed: int) -> int:
        """Retire the next slot, complete at a cycle; return the cycle it retires in."""
        if completed > self.cycle:
            self.cycle = completed
            self.retired = 0
        elif self.retired == self.width:
            self.cycle += 1
            self.retired = 0
        self.retired += 1
        return self.cycle
