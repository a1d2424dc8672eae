"""Random operands: every position holds an entry with one probability, independently."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import prod, sqrt

import numpy as np

from isa.errors import InputError
from programs.data.operand import Operand, check_size, order_refusal
from programs.data.triplets import Integers, Triplets, operand

_FORM = "random:DIMS:DENSITY[:SEED], for example random:300x200:0.01"
_SIZE = re.compile(r"0*([0-9]{1,19})")
_DENSITY = re.compile(r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?", re.ASCII)
_MAX_CELLS = 2**53


@dataclass(frozen=True, slots=True)
class _Source:
    shape: tuple[int, ...]
    density: float
    seed: int


def draw(source: str, *, max_bytes: int) -> Operand:
    """Draw a random operand; the same text gives the same operand.

    Parameters
    ----------
    source : str
        ``random:DIMS:DENSITY[:SEED]``: sizes such as ``100000`` or ``300x200``, a density above
        0 and at most 1 (1 is dense), a seed (0 if not given). Values are uniform in [0.5, 2.5).
    max_bytes : int
        Limit in bytes on the row pointers and on the expected entries.

    Raises
    ------
    InputError
        If the text is not of this form.
    InputError
        If the operand would be beyond the limit.
    """
    asked = _parse(source)
    cells = prod(asked.shape)
    if cells > _MAX_CELLS:
        raise InputError(f"{source}: has {cells:,} positions; the limit is 2^53")
    rows = asked.shape[0] if len(asked.shape) == 2 else 1
    expected = round(cells * asked.density)
    check_size(source, rows=rows, entries=expected, max_bytes=max_bytes)
    generator = np.random.default_rng(asked.seed)
    positions = _positions(generator, cells, asked.density)
    values = generator.uniform(0.5, 2.5, size=len(positions))
    row, column = np.divmod(positions, asked.shape[-1])
    return operand(source, asked.shape, Triplets(row, column, values))


def _parse(source: str) -> _Source:
    _, *parts = source.split(":")
    if len(parts) not in (2, 3):
        raise InputError(f"{source!r}: expected {_FORM}")
    shape = tuple(_parse_size(source, size) for size in parts[0].split("x"))
    density = float(parts[1]) if _DENSITY.fullmatch(parts[1]) else 0.0
    if not 0.0 < density <= 1.0:
        raise InputError(
            f"{source!r}: the density {parts[1]!r} is not a number above 0 and at most 1; "
            f"expected {_FORM}"
        )
    if len(shape) > 2:
        raise InputError(f"{source!r}: {order_refusal(len(shape))}")
    return _Source(shape, density, _parse_seed(source, parts[2]) if len(parts) == 3 else 0)


def _parse_size(source: str, word: str) -> int:
    match = _SIZE.fullmatch(word)
    if match is None or int(match[1]) == 0:
        raise InputError(
            f"{source!r}: the size {word!r} is not an integer of at least 1; expected {_FORM}"
        )
    return int(match[1])


def _parse_seed(source: str, word: str) -> int:
    if not re.fullmatch(r"[0-9]{1,40}", word):
        raise InputError(
            f"{source!r}: the seed {word!r} is not an integer of at least 0; expected {_FORM}"
        )
    return int(word)


def _positions(generator: np.random.Generator, cells: int, density: float) -> Integers:
    """Return the chosen positions among cells, ascending.

    The gaps between successes of Bernoulli trials are geometric, so that drawing gaps is exact
    and costs time and memory for the entries only.
    """
    chosen = []
    last = -1
    while last < cells:
        remaining = cells - last
        mean = remaining * density
        gaps = generator.geometric(density, size=int(mean + 4.0 * sqrt(mean)) + 16)
        # Cut at the end of the cells, few gaps of up to 2^53 cannot overflow when added, and
        # where there are many their sum is near the number of cells.
        block = last + np.cumsum(np.minimum(gaps, remaining))
        chosen.append(block[block < cells])
        last = int(block[-1])
    return np.concatenate(chosen)
