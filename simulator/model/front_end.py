"""Fetch: how early an instruction can arrive at dispatch."""

from __future__ import annotations

from simulator.core.spec import Core
from simulator.model.ring import make_ring


class FrontEnd:
    """Fetches instructions in program order.

    Up to ``fetch_width`` instructions are fetched in a cycle; a taken branch ends the
    cycle's group and costs ``taken_bubble`` more; after a misprediction fetch goes on
    when the branch has executed. Fetch waits while the queue before dispatch is full.
    """

    def __init__(self, core: Core) -> None:
        self.width = core.fetch_width
        self.bubble = core.taken_bubble
        self.depth = core.depth
        self.redirect = core.mispredict_penalty - core.depth
        self.queue = make_ring(core.queue)
        self.cycle = 0
        self.fetched = 0

    def fetch(self) -> int:
        """Fetch the next instruction; return the cycle at which it can be dispatched."""
        room = self.queue[0] + 1 - self.depth
        if room > self.cycle:
            self.cycle = room
            self.fetched = 0
        if self.fetched == self.width:
            self.cycle += 1
            self.fetched = 0
        self.fetched += 1
        return self.cycle + self.depth

    def leave_queue(self, dispatched: int) -> None:
        """Note that a micro-operation left the queue."""
        self.queue.append(dispatched)

    def after_taken(self) -> None:
        """End the fetch group at a taken branch that was predicted."""
        self.cycle += 1 + self.bubble
        self.fetched = 0

    def after_mispredict(self, executed: int) -> int:
        """Restart at the right path; return the cycle of its first fetch.

        The first instruction of the right path can be dispatched ``mispredict_penalty``
        cycles after the branch has executed.
        """
        self.cycle = executed + self.redirect
        self.fetched = 0
        return self.cycle
