"""Loads and stores: a flat L1 latency, and forwarding from stores that have not retired."""

from __future__ import annotations

from collections.abc import Iterable

from simulator.core.spec import Core

_PRUNE = 4096


class DataMemory:
    """Every access hits L1.

    A load that overlaps a store still in the store queue when the load issues takes the
    store's data: it completes ``forward_latency`` cycles after its issue or after the
    data is ready, whichever is later. Overlap is judged by aligned 8-byte words, and of
    several stores to a word only the latest counts; words without a store come from L1. A
    load without an active lane takes the L1 latency. Memory dependences are predicted
    perfectly: a load never waits for a store to other words and is never replayed.
    """

    def __init__(self, core: Core) -> None:
        self.l1_latency = core.l1_latency
        self.forward_latency = core.forward_latency
        self.pending: dict[int, tuple[int, int]] = {}
        """By 8-byte word: when the latest store's data is ready and when it retires."""
        self.prune_at = _PRUNE

    def load(self, words: Iterable[int], issued: int) -> int:
        """Return when a load that issues at a cycle has its data."""
        available = 0
        for word in words:
            store = self.pending.get(word)
            if store is not None and store[1] > issued:
                ready = max(issued, store[0]) + self.forward_latency
            else:
                ready = issued + self.l1_latency
            if ready > available:
                available = ready
        return available or issued + self.l1_latency

    def store(self, words: Iterable[int], ready: int, retired: int) -> None:
        """Note a store's data, until it retires."""
        for word in words:
            self.pending[word] = (ready, retired)

    def forget(self, before: int) -> None:
        """Drop stores that have retired before any later load can issue."""
        if len(self.pending) > self.prune_at:
            for word in [word for word, store in self.pending.items() if store[1] < before]:
                del self.pending[word]
            self.prune_at = max(_PRUNE, 2 * len(self.pending))
