"""Dispatch: issue slots, the structures an instruction must enter, and slot accounting.

Every slot of every cycle is charged exactly once (top-down analysis, Yasin, ISPASS 2014,
in the form for an instruction-driven model). The slots skipped before a dispatched one,
in a cycle c, are

* bad speculation, while c is between the dispatch of a mispredicted branch just before
  and the first fetch of the right path;
* else back-end bound, while the reorder buffer, a queue or a scheduler that the slot
  needs is full: memory bound if the oldest unfinished instruction is a load, else core
  bound;
* else front-end bound: bandwidth where the cycle dispatched something, else latency.
"""

from __future__ import annotations

from collections import deque
from heapq import heappushpop

from simulator.core.spec import Core
from simulator.model.ring import NEVER, make_ring
from simulator.model.templates import SlotTemplate


class SlotAccount:
    """Issue slots by what became of them; the sum is width times cycles."""

    def __init__(self, width: int, rob: int) -> None:
        self.width = width
        self.retiring = 0
        self.bad_speculation = 0
        self.fetch_latency = 0
        self.fetch_bandwidth = 0
        self.memory_bound = 0
        self.core_bound = 0
        self.unfinished: deque[int] = deque(maxlen=rob)
        """Of the slots dispatched, in order: twice the completion, plus 1 for a load (one
        number costs less than a pair). One that is forgotten has left the reorder buffer;
        finished ones are dropped when the oldest unfinished one is asked for."""

    @property
    def total(self) -> int:
        """All slots charged."""
        front_end = self.fetch_latency + self.fetch_bandwidth
        back_end = self.memory_bound + self.core_bound
        return self.retiring + self.bad_speculation + front_end + back_end

    def retire(self) -> None:
        """Charge a slot that was dispatched."""
        self.retiring += 1

    def close(self, used: int) -> None:
        """Charge what is left of the last cycle: nothing more was fetched."""
        self.fetch_bandwidth += self.width - used

    def charge(self, first: int, used: int, cycle: int, free: int, right_path: int) -> None:
        """Charge the slots between two dispatched ones.

        Parameters
        ----------
        first, used : int
            Cycle of the earlier one, and how many slots of that cycle are taken.
        cycle : int
            Cycle of the later one, which takes its first slot; not before ``free``.
        free : int
            First cycle in which every structure had room for the later one.
        right_path : int
            First fetch of the right path, if the earlier one is a mispredicted branch;
            before ``cycle``.
        """
        left = self.width - used
        since = first
        if right_path > since:
            self.bad_speculation += self.width * (right_path - since) - used
            since = right_path
            left = self.width
        if free > since:
            self.charge_back_end(since, free, left)
            since = free
            left = self.width
        if cycle > since:
            if left < self.width:
                self.fetch_bandwidth += left
                since += 1
            self.fetch_latency += self.width * (cycle - since)

    def charge_back_end(self, start: int, end: int, left: int) -> None:
        """Charge stalled cycles to memory or core by the oldest unfinished instruction.

        ``left`` is the number of slots of the first cycle; the others have all of them.
        """
        unfinished = self.unfinished
        missing = self.width - left
        while start < end:
            while unfinished and unfinished[0] >> 1 <= start:
                unfinished.popleft()
            until = min(end, unfinished[0] >> 1) if unfinished else end
            if unfinished and unfinished[0] & 1:
                self.memory_bound += self.width * (until - start) - missing
            else:
                self.core_bound += self.width * (until - start) - missing
            missing = 0
            start = until


class Dispatch:
    """Gives each slot its dispatch cycle, in order, and charges those skipped."""

    def __init__(self, core: Core) -> None:
        self.width = core.width
        self.cycle = 0
        self.used = 0
        self.rob = make_ring(core.rob)
        self.load_queue = make_ring(core.load_queue)
        self.store_queue = make_ring(core.store_queue)
        self.schedulers = [[NEVER] * entries for entries in core.schedulers]
        """For each, as a heap, the n latest cycles at which entries were left, n being its
        size: while the earliest of them lies ahead, n slots are waiting in it."""
        self.last_retired = 0
        self.account = SlotAccount(core.width, core.rob)
        self.right_path = NEVER
        """First fetch of the right path, while the latest branch was mispredicted."""

    def dispatch(self, slot: SlotTemplate, arrived: int) -> int:
        """Dispatch a slot that arrives at a cycle; return the cycle it is dispatched in."""
        free = self._room(slot)
        cycle = arrived if arrived > free else free
        if cycle > self.cycle:
            self.account.charge(self.cycle, self.used, cycle, free, self.right_path)
            self.cycle = cycle
            self.used = 1
        elif self.used < self.width:
            self.used += 1
        else:
            self.cycle += 1
            self.used = 1
        self.account.retire()
        self.right_path = NEVER
        return self.cycle

    def _room(self, slot: SlotTemplate) -> int:
        """Return the first cycle in which every structure has an entry for a slot."""
        left = self.rob[0]
        for scheduler in slot.schedulers:
            issued = self.schedulers[scheduler][0]
            if issued > left:
                left = issued
        if slot.load and self.load_queue[0] > left:
            left = self.load_queue[0]
        if slot.store and self.store_queue[0] > left:
            left = self.store_queue[0]
        if slot.drains and self.last_retired > left + 1:
            return self.last_retired
        return left + 1

    def leave_scheduler(self, scheduler: int, issued: int) -> None:
        """Note when a slot leaves a scheduler: as the last of its micro-operations issues."""
        heappushpop(self.schedulers[scheduler], issued)

    def finish(self, slot: SlotTemplate, completed: int, retired: int, *, load: bool) -> None:
        """Note when a dispatched slot completes and retires."""
        self.rob.append(retired)
        self.last_retired = retired
        if slot.load:
            self.load_queue.append(retired)
        if slot.store:
            self.store_queue.append(retired)
        self.account.unfinished.append(2 * completed + load)

    def mispredicted(self, right_path: int) -> None:
        """Note that the slot just dispatched is a mispredicted branch."""
        self.right_path = right_path

    def close(self) -> None:
        """Charge what is left of the last cycle: nothing more was fetched."""
        self.account.close(self.used)
