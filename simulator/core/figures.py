"""The scalar figures of a core: one list of names, meanings, units and allowed ranges."""

from __future__ import annotations

from dataclasses import dataclass

HUGE = 1_000_000


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure: what it means, its unit, and the values that are allowed."""

    meaning: str
    unit: str
    low: int
    high: int = HUGE


FIGURES: dict[str, Figure] = {
    "fetch_width": Figure("instructions fetched in a cycle", "instructions", 1, 64),
    "taken_bubble": Figure("cycles without fetch after a taken branch", "cycles", 0, 1000),
    "depth": Figure("cycles from fetch to the earliest dispatch", "cycles", 1, 1000),
    "queue": Figure("micro-operations decoded and waiting for dispatch", "entries", 1),
    "width": Figure("issue slots: micro-operations dispatched in a cycle", "slots", 1, 64),
    "retire_width": Figure("micro-operations retired in a cycle", "slots", 1, 64),
    "rob": Figure("micro-operations dispatched and not yet retired", "entries", 1),
    "load_queue": Figure("loads dispatched and not yet retired", "entries", 1),
    "store_queue": Figure("stores dispatched and not yet retired", "entries", 1),
    "mispredict_penalty": Figure(
        "cycles from the execution of a mispredicted branch to the dispatch of the right path",
        "cycles",
        1,
        1000,
    ),
    "vector_bits": Figure("widest vector that one micro-operation handles", "bits", 64, 4096),
    "l1.latency": Figure("load-to-use latency of an integer load that hits L1", "cycles", 0, 1000),
    "forward.latency": Figure(
        "load-to-use latency of a load that takes its data from an older store", "cycles", 0, 1000
    ),
}
"""Every scalar figure of a core file, by the name that ``--set`` takes too."""
