"""Hypothesis strategies: pairs of sparse vectors and of sparse matrices, as dictionaries.

A vector is a dictionary from coordinate to value, a matrix a list of such rows. What the
kernels get is made of them in `kernel_runs`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from hypothesis import strategies as st

Vector: TypeAlias = dict[int, float]

EXTREMES = (0, 1, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**32 + 1, 2**53 + 1, 2**63 - 2, 2**63 - 1)
"""Coordinates that meet or differ wrongly where one is cut to 32 bits or read as a double."""

HIGHER = (2**63, 2**63 + 1, 2**64 - 2, 2**64 - 1)
"""Coordinates that are negative where they are compared as signed."""

MANY = 120

INTEGERS = st.integers(-9, 9).map(float)
"""Values whose products and sums are exact, in every order."""

SPECIAL = st.sampled_from(
    [
        0.0,
        -0.0,
        5e-324,
        -5e-324,
        2.0**-1022,
        1e-160,
        1.0,
        -1.0,
        1.0 + 2.0**-52,
        2.0**500,
        -(2.0**500),
    ]
)
FINITE = SPECIAL | st.floats(-(2.0**500), 2.0**500)
"""Values whose products may become subnormal or zero, but whose sums do not overflow."""

ANY = FINITE | st.floats() | st.sampled_from([float("inf"), float("-inf"), float("nan")])


@dataclass(frozen=True)
class Product:
    """Operands of a matrix product: rows of B, and columns of C as rows."""

    left: list[Vector]
    right: list[Vector]
    inner: int


@st.composite
def runs(draw: st.DrawFn) -> set[int]:
    """Coordinates in runs of 16."""
    starts = draw(st.lists(st.integers(0, 12), max_size=4))
    return {16 * start + offset for start in starts for offset in range(16)}


def coordinates() -> st.SearchStrategy[set[int]]:
    return st.one_of(
        st.sets(st.integers(0, 40), max_size=20),
        st.sets(st.integers(0, 60), min_size=17, max_size=35),
        st.sets(st.integers(0, 12), max_size=12),
        st.sets(st.integers(0, 2**63 - 1), max_size=8),
        st.sets(st.sampled_from(EXTREMES)),
        runs(),
    )


@st.composite
def supports(draw: st.DrawFn) -> tuple[set[int], set[int]]:
    """Two sets of coordinates: unrelated, equal, disjoint, nested, one very short."""
    first = draw(coordinates())
    kind = draw(st.sampled_from(["unrelated", "equal", "disjoint", "part", "skewed"]))
    if kind == "unrelated":
        second = draw(coordinates())
    elif kind == "equal":
        second = set(first)
    elif kind == "disjoint":
        second = draw(coordinates()) - first
    elif kind == "part":
        kept = draw(st.lists(st.booleans(), min_size=len(first), max_size=len(first)))
        second = {at for at, keep in zip(sorted(first), kept, strict=True) if keep}
    else:
        first = {draw(st.integers(0, 3 * MANY))}
        step = draw(st.integers(1, 3))
        second = set(range(0, step * MANY, step))
    return (second, first) if draw(st.booleans()) else (first, second)


@st.composite
def pairs(draw: st.DrawFn, values: st.SearchStrategy[float]) -> tuple[Vector, Vector]:
    first, second = draw(supports())
    return draw(filled(first, values)), draw(filled(second, values))


@st.composite
def filled(draw: st.DrawFn, support: set[int], values: st.SearchStrategy[float]) -> Vector:
    """Draw a value for each coordinate; long vectors repeat a few, which is far cheaper."""
    drawn = draw(st.lists(values, min_size=min(len(support), 5), max_size=7))
    return {at: drawn[number % len(drawn)] for number, at in enumerate(sorted(support))}


@st.composite
def products(draw: st.DrawFn, values: st.SearchStrategy[float]) -> Product:
    """Operands of a matrix product of up to 4 x 4; many rows and columns are empty."""
    inner = draw(st.sampled_from([1, 3, 9, 40]))
    rows = st.one_of(
        st.just(set()),
        st.sets(st.integers(0, inner - 1), max_size=inner),
        st.just(set(range(inner))),
    )
    vectors = st.lists(rows.flatmap(lambda support: filled(support, values)), max_size=4)
    return Product(draw(vectors), draw(vectors), inner)
