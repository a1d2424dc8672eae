"""Branch predictors by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from isa.errors import InputError, nearest
from simulator.predictors.protocol import Predictor
from simulator.predictors.simple import (
    BackwardTaken,
    Bimodal,
    Gshare,
    NotTaken,
    Perfect,
    Taken,
)

__all__ = ["DEFAULT_PREDICTOR", "PREDICTORS", "Entry", "Perfect", "Predictor", "make_predictor"]


@dataclass(frozen=True, slots=True)
class Entry:
    """A predictor that users can name: how it is made, what it is, where it is from."""

    make: Callable[[Sequence[int]], Predictor]
    summary: str
    source: str


PREDICTORS: dict[str, Entry] = {
    "not-taken": Entry(lambda _: NotTaken(), "static: never taken", "Smith, ISCA 1981"),
    "taken": Entry(lambda _: Taken(), "static: always taken", "Smith, ISCA 1981"),
    "static": Entry(
        BackwardTaken, "static: backward branches taken, forward ones not", "Smith, ISCA 1981"
    ),
    "bimodal": Entry(lambda _: Bimodal(), "16384 two-bit counters by address", "Smith, ISCA 1981"),
    "gshare": Entry(
        lambda _: Gshare(),
        "16384 two-bit counters by address xor 14 bits of global history",
        "McFarling, WRL TN-36, 1993",
    ),
    "perfect": Entry(lambda _: Perfect(), "oracle: never wrong", "a bound, not a design"),
}
"""Every predictor. ``make`` gets the target address of each instruction."""

DEFAULT_PREDICTOR = "gshare"


def make_predictor(name: str, targets: Sequence[int] = ()) -> Predictor:
    """Make a fresh predictor.

    Parameters
    ----------
    name : str
        Key of `PREDICTORS`.
    targets : sequence of int
        Branch target address of each instruction, for static prediction by direction.

    Raises
    ------
    InputError
        If no predictor has that name.
    """
    if name not in PREDICTORS:
        raise InputError(f"no predictor is named '{name}'{nearest(name, PREDICTORS)}")
    return PREDICTORS[name].make(targets)
