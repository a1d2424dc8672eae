"""What a branch predictor is: two methods."""

from __future__ import annotations

from typing import Protocol


class Predictor(Protocol):
    """Guesses the direction of conditional branches.

    ``predict`` is asked before a branch at address ``pc`` and changes nothing; ``update``
    is told the outcome right after. Both see every conditional branch in program order.
    """

    def predict(self, pc: int) -> bool:
        """Return whether the branch at ``pc`` will be taken."""

    def update(self, pc: int, *, taken: bool) -> None:
        """Learn that the branch at ``pc`` was or was not taken."""
