"""The bundled matrices: names, facts and sources, without building any of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from programs.data.operand import Csr

_COLLECTION = "T. Davis and Y. Hu, ACM TOMS 38(1), 2011"
_TREFETHEN_ORDERS = (20, 150, 200, 300, 500, 700, 2000)
_LARGEST_MYCIELSKIAN = 10
_POISSON_SIDES = (16, 32, 64)


@dataclass(frozen=True, kw_only=True, slots=True)
class Bundled:
    """A matrix that is built when it is loaded.

    Attributes
    ----------
    name, description, source : str
        One line each; the source names the publication of the construction.
    shape : tuple of int
        Rows and columns.
    nnz : int
        Entries of the matrix, all nonzero.
    build : callable
        Returns the matrix as ``scipy.sparse.csr_array``.
    """

    name: str
    description: str
    source: str
    shape: tuple[int, int]
    nnz: int
    build: Callable[[], Csr]


def bundled() -> dict[str, Bundled]:
    """Return the bundled matrices by name, in the order in which they are listed."""
    matrices = (*_trefethen(), *_mycielskian(), *_poisson())
    return {matrix.name: matrix for matrix in matrices}


def _build(family: str, *sizes: int) -> Csr:
    # Deferred, because a list of names must not wait for numpy and scipy.
    from programs.data.constructions import CONSTRUCTIONS  # noqa: PLC0415 - see above

    return CONSTRUCTIONS[family](*sizes)


def _trefethen() -> Iterator[Bundled]:
    cases = [(f"Trefethen_{order}", order, 0) for order in _TREFETHEN_ORDERS]
    cases.insert(1, ("Trefethen_20b", 19, 1))
    for name, order, skipped in cases:
        powers = (order - 1).bit_length()
        yield Bundled(
            name=name,
            description=f"primes from {2 + skipped} on the diagonal, ones where |i-j| is 2^k",
            source=f"JGD_Trefethen in {_COLLECTION}; N. Trefethen, SIAM News 35(1), 2002",
            shape=(order, order),
            nnz=order + 2 * (powers * order - (1 << powers) + 1),
            build=partial(_build, "trefethen", order, skipped),
        )


def _mycielskian() -> Iterator[Bundled]:
    order, edges = 2, 1
    for index in range(3, _LARGEST_MYCIELSKIAN + 1):
        order, edges = 2 * order + 1, 3 * edges + order
        yield Bundled(
            name=f"mycielskian{index}",
            description=f"triangle-free graph of chromatic number {index}, values 1",
            source=f"Mycielski in {_COLLECTION}; J. Mycielski, Colloq. Math. 3, 1955",
            shape=(order, order),
            nnz=2 * edges,
            build=partial(_build, "mycielskian", index),
        )


def _poisson() -> Iterator[Bundled]:
    for side in _POISSON_SIDES:
        yield Bundled(
            name=f"poisson_{side}",
            description=f"five-point Laplacian of a {side} x {side} grid",
            source=f"gallery('poisson', {side}) of MATLAB; N. Higham, ACM TOMS 17(3), 1991",
            shape=(side * side, side * side),
            nnz=5 * side * side - 4 * side,
            build=partial(_build, "poisson", side),
        )
