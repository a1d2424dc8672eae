"""Saturating counters, which own their threshold: the upper half predicts taken."""

from __future__ import annotations

from isa.errors import InputError


class CounterTable:
    """A table of saturating counters.

    Parameters
    ----------
    entries : int
        Number of counters, a power of two.
    bits : int
        Width of each; a counter predicts taken when its highest bit is set.

    Notes
    -----
    All start weakly not taken: the highest value that predicts not taken.
    """

    def __init__(self, entries: int, bits: int = 2) -> None:
        if entries < 1 or entries & (entries - 1):
            raise InputError(f"a predictor table has a power of two of entries, not {entries}")
        if not 1 <= bits <= 8:
            raise InputError(f"a counter has 1 to 8 bits, not {bits}")
        self.mask = entries - 1
        self.threshold = 1 << (bits - 1)
        self.top = (1 << bits) - 1
        self.values = [self.threshold - 1] * entries

    def taken(self, index: int) -> bool:
        """Return what the counter at ``index`` (modulo the size) predicts."""
        return self.values[index & self.mask] >= self.threshold

    def train(self, index: int, *, taken: bool) -> None:
        """Move the counter at ``index`` one step toward an outcome."""
        index &= self.mask
        value = self.values[index]
        if taken:
            if value < self.top:
                self.values[index] = value + 1
        elif value:
            self.values[index] = value - 1
