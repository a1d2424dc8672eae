"""Branch prediction, and what is known of every branch."""

from __future__ import annotations

from simulator.predictors import Perfect, Predictor


class Branches:
    """Predicts conditional branches and counts, by instruction number.

    A predictor learns the outcome before the next branch is predicted. Direct jumps,
    calls and returns are always predicted right.
    """

    def __init__(self, predictor: Predictor, instructions: int) -> None:
        self.predictor = predictor
        self.oracle = predictor if isinstance(predictor, Perfect) else None
        self.executed = [0] * instructions
        self.mispredicted = [0] * instructions
        self.taken = [0] * instructions

    def resolve(self, number: int, *, taken: bool) -> bool:
        """Predict a branch, learn its outcome; return whether the prediction was wrong."""
        pc = 4 * number
        if self.oracle is not None:
            self.oracle.show(taken=taken)
        wrong = self.predictor.predict(pc) != taken
        self.predictor.update(pc, taken=taken)
        self.executed[number] += 1
        if taken:
            self.taken[number] += 1
        if wrong:
            self.mispredicted[number] += 1
        return wrong
