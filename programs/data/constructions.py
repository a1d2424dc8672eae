"""Matrices that their publications define, built from the definition."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from programs.data.triplets import Triplets

if TYPE_CHECKING:
    from collections.abc import Callable

    from programs.data.operand import Csr


def trefethen(order: int, skipped: int) -> Csr:
    """Return primes on the diagonal, and ones where ``|i - j|`` is a power of two.

    Parameters
    ----------
    order : int
        Number of rows and columns.
    skipped : int
        How many primes to leave out, from 2 on.

    Returns
    -------
    scipy.sparse.csr_array
        order x order, symmetric.
    """
    diagonal = np.arange(order, dtype=np.int64)
    rows, columns = [diagonal], [diagonal]
    for power in range((order - 1).bit_length()):
        distance = 1 << power
        rows += [diagonal[distance:], diagonal[:-distance]]
        columns += [diagonal[:-distance], diagonal[distance:]]
    row, column = np.concatenate(rows), np.concatenate(columns)
    values = np.ones(len(row), dtype=np.float64)
    values[:order] = _primes(order + skipped)[skipped:]
    return Triplets(row, column, values).summed().compressed((order, order))


def _primes(count: int) -> list[int]:
    primes: list[int] = []
    candidate = 2
    while len(primes) < count:
        for prime in primes:
            if prime * prime > candidate:
                primes.append(candidate)
                break
            if candidate % prime == 0:
                break
        else:
            primes.append(candidate)
        candidate += 1
    return primes


def mycielskian(index: int) -> Csr:
    """Return the adjacency matrix of the Mycielski graph M_index, from M_2, an edge.

    The vertices are numbered as in the SuiteSparse Matrix Collection: those of the graph before,
    their copies, and the one that is joined to all copies.

    Parameters
    ----------
    index : int
        At least 2; the chromatic number of the graph.

    Returns
    -------
    scipy.sparse.csr_array
        Symmetric, all values 1.0, order 3 * 2**(index - 2) - 1.
    """
    rows, columns = np.array([0, 1], dtype=np.int64), np.array([1, 0], dtype=np.int64)
    order = 2
    for _ in range(index - 2):
        copies = np.arange(order, 2 * order, dtype=np.int64)
        apex = np.full(order, 2 * order, dtype=np.int64)
        rows, columns = (
            np.concatenate((rows, rows + order, rows, copies, apex)),
            np.concatenate((columns, columns, columns + order, apex, copies)),
        )
        order = 2 * order + 1
    entries = Triplets(rows, columns, np.ones(len(rows), dtype=np.float64))
    return entries.summed().compressed((order, order))


def poisson(side: int) -> Csr:
    """Return the five-point Laplacian of a square grid with Dirichlet boundaries.

    Parameters
    ----------
    side : int
        Grid points along a side.

    Returns
    -------
    scipy.sparse.csr_array
        side**2 x side**2, 4 on the diagonal and -1 for each neighbour.
    """
    grid = np.arange(side * side, dtype=np.int64).reshape(side, side)
    before = np.concatenate((grid[:, :-1].ravel(), grid[:-1].ravel()))
    after = np.concatenate((grid[:, 1:].ravel(), grid[1:].ravel()))
    centre = grid.ravel()
    values = np.full(len(centre) + 2 * len(before), -1.0)
    values[: len(centre)] = 4.0
    entries = Triplets(
        np.concatenate((centre, before, after)), np.concatenate((centre, after, before)), values
    )
    return entries.summed().compressed((side * side, side * side))


CONSTRUCTIONS: dict[str, Callable[..., Csr]] = {
    "trefethen": trefethen,
    "mycielskian": mycielskian,
    "poisson": poisson,
}
