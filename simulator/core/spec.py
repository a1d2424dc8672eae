"""A core as the model sees it: checked, immutable, without sources."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

ALL = "all"
"""A micro-operation that needs every register its instruction reads."""

ADDRESS = "address"
"""A micro-operation that needs the registers of the memory operand."""

DATA = "data"
"""A micro-operation that needs the registers read besides those of the memory operand."""


@dataclass(frozen=True, slots=True)
class Micro:
    """One micro-operation of an instruction.

    Attributes
    ----------
    units : tuple of int
        Units that can execute it, in order of preference.
    scheduler : int
        Where it waits.
    latency : int
        Cycles from issue to the use of its result; for a load, beyond the L1 latency.
    loads : bool
        Whether it reads memory.
    busy : int
        Cycles for which it occupies its unit: 1 when pipelined.
    operands : tuple of str
        Operands whose registers it needs: names of the instruction's signature or
        ``all``, ``address``, ``data``.
    after : tuple of int
        Earlier micro-operations of the instruction, by position, whose results it needs.
    """

    units: tuple[int, ...]
    scheduler: int
    latency: int
    loads: bool = False
    busy: int = 1
    operands: tuple[str, ...] = (ALL,)
    after: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Cost:
    """What an operation class costs at one number of lanes.

    ``slots`` issue slots are taken; micro-operation i belongs to slot ``min(i, slots-1)``,
    so that a micro-fused store is one slot with two micro-operations, and an eliminated
    move one slot with none. A vector that the core handles in ``pieces`` has its
    micro-operations and slots repeated, the same number for each piece.
    """

    micros: tuple[Micro, ...]
    slots: int
    pieces: int = 1


@dataclass(frozen=True, slots=True)
class Core:
    """A core: its figures, units, schedulers and operation costs.

    Figures carry the names and meanings of `simulator.core.figures.FIGURES`, with ``_``
    for the dot.
    """

    name: str
    title: str
    fetch_width: int
    taken_bubble: int
    depth: int
    queue: int
    width: int
    retire_width: int
    rob: int
    load_queue: int
    store_queue: int
    mispredict_penalty: int
    vector_bits: int
    l1_latency: int
    forward_latency: int
    units: tuple[str, ...]
    schedulers: tuple[int, ...]
    """Entries of each scheduler."""
    costs: Mapping[str, Mapping[int, Cost]]
    """Cost by operation class and number of lanes."""
