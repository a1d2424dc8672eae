"""Static, bimodal, gshare and perfect prediction.

An instruction's address is a multiple of 4, so tables are indexed by ``pc >> 2``.
"""

from __future__ import annotations

from collections.abc import Sequence

from simulator.predictors.counters import CounterTable


class NotTaken:
    """Predicts every branch not taken."""

    def predict(self, pc: int) -> bool:  # noqa: ARG002  # the protocol passes it
        """Return False."""
        return False

    def update(self, pc: int, *, taken: bool) -> None:
        """Learn nothing."""


class Taken:
    """Predicts every branch taken."""

    def predict(self, pc: int) -> bool:  # noqa: ARG002  # the protocol passes it
        """Return True."""
        return True

    def update(self, pc: int, *, taken: bool) -> None:
        """Learn nothing."""


class BackwardTaken:
    """Predicts backward branches taken and forward ones not taken (Smith, ISCA 1981).

    Parameters
    ----------
    targets : sequence of int
        Target address of the branch at each address / 4; anything where there is none.
        A branch beyond them counts as forward.
    """

    def __init__(self, targets: Sequence[int]) -> None:
        self.targets = targets

    def predict(self, pc: int) -> bool:
        """Return whether the branch at ``pc`` goes backward."""
        number = pc >> 2
        return number < len(self.targets) and self.targets[number] <= pc

    def update(self, pc: int, *, taken: bool) -> None:
        """Learn nothing."""


class Bimodal:
    """A table of two-bit counters indexed by the branch address (Smith, ISCA 1981).

    Parameters
    ----------
    entries : int
        Counters, a power of two.
    bits : int
        Bits of each counter.
    """

    def __init__(self, entries: int = 16384, bits: int = 2) -> None:
        self.table = CounterTable(entries, bits)

    def predict(self, pc: int) -> bool:
        """Return what the branch's counter says."""
        return self.table.taken(pc >> 2)

    def update(self, pc: int, *, taken: bool) -> None:
        """Train the branch's counter."""
        self.table.train(pc >> 2, taken=taken)


class Gshare:
    """Counters indexed by address exclusive-or global history (McFarling, WRL TN-36, 1993).

    Parameters
    ----------
    entries : int
        Counters, a power of two.
    history : int
        Outcomes remembered, the latest in bit 0.
    bits : int
        Bits of each counter.
    """

    def __init__(self, entries: int = 16384, history: int = 14, bits: int = 2) -> None:
        self.table = CounterTable(entries, bits)
        self.history = 0
        self.history_mask = (1 << history) - 1

    def predict(self, pc: int) -> bool:
        """Return what the counter for address and history says."""
        return self.table.taken((pc >> 2) ^ self.history)

    def update(self, pc: int, *, taken: bool) -> None:
        """Train that counter, then shift the outcome into the history."""
        self.table.train((pc >> 2) ^ self.history, taken=taken)
        self.history = (self.history << 1 | taken) & self.history_mask


class Perfect:
    """An oracle: it is shown each outcome before it is asked for it."""

    def __init__(self) -> None:
        self.outcome = False

    def show(self, *, taken: bool) -> None:
        """Reveal the outcome of the next branch."""
        self.outcome = taken

    def predict(self, pc: int) -> bool:  # noqa: ARG002  # the protocol passes it
        """Return the outcome that was shown."""
        return self.outcome

    def update(self, pc: int, *, taken: bool) -> None:
        """Learn nothing."""
