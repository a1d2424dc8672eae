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

    def __init__(self) -> None:
        self.retiring = 0
        self.bad_speculation = 0
        self.fetch_latency = 0
        self.fetch_bandwidth = 0
        self.memory_bound = 0
        self.core_bound = 0

    @property
    def total(self) -> int:
        """All slots charged."""
        front_end = self.fetch_latency + self.fetch_bandwidth
        back_end = self.memory_bound + self.core_bound
        return self.retiring + self.bad_speculation + front_end + back_end


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
        self.account = SlotAccount()
        self.right_path = NEVER
        """First fetch of the right path, while the latest branch was mispredicted."""
        self.unfinished: deque[tuple[int, bool]] = deque()
        """Completion, and whether a load, of slots in order from the oldest unfinished."""

    def dispatch(self, slot: SlotTemplate, arrived: int) -> int:
        """Dispatch a slot that arrives at a cycle; return the cycle it is dispatched in."""
        free = self._room(slot)
        cycle = arrived if arrived > free else free
        if cycle <= self.cycle:
            cycle = self.cycle if self.used < self.width else self.cycle + 1
        if cycle > self.cycle:
            self._charge(cycle, free)
            self.cycle = cycle
            self.used = 0
        self.used += 1
        self.account.retiring += 1
        self.right_path = NEVER
        return cycle

    def _room(self, slot: SlotTemplate) -> int:
        """Return the first cycle in which every structure has an entry for a slot."""
        left = self.rob[0]
        for scheduler in slot.schedulers:
            issued = self.schedulers[scheduler][0]
            left = max(left, issued)
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
        self.unfinished.append((completed, load))

    def mispredicted(self, right_path: int) -> None:
        """Note that the slot just dispatched is a mispredicted branch."""
        self.right_path = right_path

    def close(self) -> None:
        """Charge what is left of the last cycle: nothing more was fetched."""
        self.account.fetch_bandwidth += self.width - self.used

    def _charge(self, cycle: int, free: int) -> None:
        """Charge the slots between the last one dispatched and the first of ``cycle``.

        The first cycle of the gap has ``width - used`` slots, the others all of them.
        """
        account = self.account
        first = self.cycle
        wrong_end = min(max(self.right_path, first), cycle)
        stalled_end = min(max(free, wrong_end), cycle)
        account.bad_speculation += self._slots(first, wrong_end)
        if stalled_end > wrong_end:
            self._charge_back_end(wrong_end, stalled_end)
        if cycle > stalled_end:
            if self.used and stalled_end == first:
                account.fetch_bandwidth += self.width - self.used
                stalled_end += 1
            account.fetch_latency += self._slots(stalled_end, cycle)
        while self.unfinished and self.unfinished[0][0] <= cycle:
            self.unfinished.popleft()

    def _slots(self, start: int, end: int) -> int:
        """Count the undispatched slots of cycles from ``start`` up to ``end``."""
        slots = self.width * (end - start)
        return slots - self.used if start == self.cycle and end > start else slots

    def _charge_back_end(self, start: int, end: int) -> None:
        """Charge stalled cycles to memory or core by the oldest unfinished instruction."""
        unfinished = self.unfinished
        while start < end:
            while unfinished and unfinished[0][0] <= start:
                unfinished.popleft()
            until = min(end, unfinished[0][0]) if unfinished else end
            if unfinished and unfinished[0][1]:
                self.account.memory_bound += self._slots(start, until)
            else:
                self.account.core_bound += self._slots(start, until)
            start = until
