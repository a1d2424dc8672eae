"""Rings: how a structure with n entries limits what enters it.

A ring holds, for the last n occupants in order, the cycle at which each left. The next
occupant takes the entry of the oldest, so ``ring[0]`` is when its entry became free.
"""

from __future__ import annotations

from collections import deque

NEVER = -1_000_000
"""Earlier than any cycle: an entry that nothing has used yet."""


def make_ring(entries: int) -> deque[int]:
    """Return a ring of unused entries; ``append`` notes when the newest occupant leaves."""
    return deque([NEVER] * entries, maxlen=entries)
