"""A kernel with its data: what is bound to the program's arrays, and what must come out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from scipy.sparse import csc_array, csr_array

from isa.errors import CheckError, InputError, LimitError
from isa.interpreter import Machine
from programs.catalogue import Kernel
from programs.data import Operand, load
from programs.variants import Variant

if TYPE_CHECKING:
    from numpy.typing import NDArray

Matrix: TypeAlias = Any
"""A SciPy sparse array in CSR form, float64 values."""

Bindings: TypeAlias = dict[str, "int | memoryview"]

INSTRUCTIONS_PER_STEP = 12
"""About what a scalar form executes in a merge step; for estimates only."""

INSTRUCTIONS_PER_PAIR = 12
"""About what the outer loops execute for each co-iteration; for estimates only."""

MOST_PAIRS = 2**31
"""Pairs of a row and a column beyond which even counting merge steps takes too long."""

MOST_OUTPUT = 2**27
"""Elements of a dense output beyond which a run is refused."""


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """A kernel and its operands.

    Attributes
    ----------
    kernel : Kernel
        Which.
    operands : tuple of Operand
        Where the data came from, for reports.
    left, right : csr_array
        B (one row for a vector), and the transpose of C (C in CSC), each n x j.
    """

    kernel: Kernel
    operands: tuple[Operand, ...]
    left: Matrix
    right: Matrix

    @property
    def units(self) -> int:
        """How many units of work there are: rows of B."""
        return int(self.left.shape[0])

    def rows(self, chosen: Sequence[int]) -> Problem:
        """Return the problem of some rows of B only."""
        return Problem(self.kernel, self.operands, self.left[list(chosen)], self.right)

    def bindings(self) -> Bindings:
        """Return what the program's arrays are bound to."""
        if self.kernel.name == "spdot":
            return {**_vector("B", self.left), **_vector("C", self.right), "y": 1}
        size = self.units * int(self.right.shape[0])
        return {**_compressed("B", self.left), **_compressed("C", self.right), "A": size}

    def expected(self) -> NDArray[np.float64]:
        """Return SciPy's result, as the program's output array holds it."""
        left, right = self._compact()
        return _dense(left @ right.T)

    def error_bound(self) -> NDArray[np.float64]:
        """Return how far a result may be from SciPy's when sums are reordered.

        Two sums of the same n products, each in some order, differ by at most
        2 gamma(n) times the sum of their absolute values, with gamma(n) = n u / (1 - n u)
        and u = 2^-53 (Higham, Accuracy and Stability of Numerical Algorithms, 2002,
        section 4.2); one more rounding for each product joins n.
        """
        left, right = self._compact()
        magnitude = _dense(abs(left) @ abs(right).T)
        terms = _dense(_pattern(left) @ _pattern(right).T) + 1
        roundoff = terms * 2.0**-53
        return 2 * roundoff / (1 - roundoff) * magnitude

    def verify(self, machine: Machine, variant: Variant) -> None:
        """Check a finished run against SciPy.

        Infinities and NaN must agree; finite values may differ by `error_bound`, because a
        window sums in another order.

        Raises
        ------
        CheckError
            With the first wrong element, what was computed and what was expected.
        """
        name = "y" if self.kernel.name == "spdot" else "A"
        computed = np.frombuffer(machine.memory.view(name), dtype=np.float64)
        expected = self.expected()
        with np.errstate(invalid="ignore"):
            close = np.abs(computed - expected) <= self.error_bound()
        close &= np.isfinite(computed) & np.isfinite(expected)
        same = close | (computed == expected) | (np.isnan(computed) & np.isnan(expected))
        if same.all():
            return
        at = int(np.flatnonzero(~same)[0])
        where = "" if expected.size == 1 else f"({at // self._columns}, {at % self._columns})"
        raise CheckError(
            f"{self.kernel.name}:{variant.name} is wrong: {name}{where} is "
            f"{float(computed[at])!r}, and SciPy's is {float(expected[at])!r} "
            f"({int((~same).sum())} of {same.size} elements differ)" + self._why(variant)
        )

    def _compact(self) -> tuple[Matrix, Matrix]:
        """Return both operands with the coordinates in use numbered 0, 1, ... in order.

        The products are the same, and SciPy takes memory for every coordinate there could be.
        """
        left, right = self.left, self.right
        used = np.unique(np.concatenate((left.indices, right.indices)))
        return _renumbered(left, used), _renumbered(right, used)

    @property
    def _columns(self) -> int:
        return int(self.right.shape[0])

    def _why(self, variant: Variant) -> str:
        """Explain the known reasons for a wrong result."""
        if variant.exact:
            return ""
        if np.isfinite(self.left.data).all() and np.isfinite(self.right.data).all():
            if np.isfinite(self.error_bound()).all():
                return ""
            return (
                "; the products are so large that their sum overflows in some orders and not in "
                "others, and this form sums in another order than SciPy"
            )
        return (
            "; the data holds an infinity or NaN, and this form multiplies unmatched elements "
            "by 0.0, which makes NaN of them"
        )

    def steps(self) -> NDArray[np.int64]:
        """Return the scalar merge steps of each unit: iterations of ``select``.

        A merge of two lists ends when one is used up, so it handles the coordinates up to
        the smaller of the two last ones, each once.
        """
        left, right = self._compact()
        matches = np.asarray((_pattern(left) @ _pattern(right).T).sum(axis=1)).astype(np.int64)
        totals = np.zeros(self.units, dtype=np.int64)
        order = csr_array(right.tocsc().T) if right.nnz else None
        lasts = _last(right)
        lengths = np.diff(right.indptr)
        for row in range(self.units):
            coordinates = left.indices[left.indptr[row] : left.indptr[row + 1]]
            if order is None or not len(coordinates):
                continue
            ours = np.searchsorted(coordinates, lasts, side="right")
            upto = order.indices[: order.indptr[coordinates[-1] + 1]]
            theirs = np.bincount(upto, minlength=len(lengths))
            totals[row] = int((ours + theirs)[lengths > 0].sum()) - matches[row]
        return totals


def load_problem(kernel: Kernel, sources: Sequence[str]) -> Problem:
    """Load a kernel's operands.

    One source serves all operands where the shapes allow it. A random source without a
    seed takes the operand's position as seed, so that operands are independent.

    Raises
    ------
    InputError
        If the number of sources or a shape does not fit.
    """
    count = len(kernel.operands)
    given = list(sources) or list(kernel.default_data)
    if len(given) == 1:
        given *= count
    if len(given) != count:
        raise InputError(
            f"{kernel.name} takes {count} operands ({kernel.expression}): give one source for "
            f"each with --data, or one for all; found {len(given)}"
        )
    given = [_seeded(source, position) for position, source in enumerate(given)]
    loaded: dict[str, Operand] = {}
    for source in given:
        if source not in loaded:
            loaded[source] = load(source)
    return make_problem(kernel, tuple(loaded[source] for source in given))


def make_problem(kernel: Kernel, operands: tuple[Operand, ...]) -> Problem:
    """Check operands against a kernel and put them into its formats."""
    if kernel.name == "spdot":
        left, right = (_as_vector(operand, kernel) for operand in operands)
        if left.shape != right.shape:
            raise InputError(
                f"spdot takes two vectors of one length; '{operands[0].name}' has "
                f"{left.shape[1]} elements and '{operands[1].name}' {right.shape[1]}"
            )
        return Problem(kernel, operands, left, right)
    for operand in operands:
        if len(operand.shape) != 2:
            raise InputError(f"{kernel.name} takes matrices, and '{operand.name}' is a vector")
    first, second = operands
    if first.shape[1] != second.shape[0]:
        raise InputError(
            f"{kernel.expression} needs as many columns in B as rows in C: '{first.name}' is "
            f"{first.shape[0]}x{first.shape[1]} and '{second.name}' is "
            f"{second.shape[0]}x{second.shape[1]}"
        )
    if second.shape[1] > MOST_OUTPUT:
        raise InputError(
            f"{kernel.name} would write rows of {second.shape[1]:,} elements, one for each column "
            f"of '{second.name}', more than {MOST_OUTPUT:,}; take smaller data"
        )
    pairs = first.shape[0] * second.shape[1]
    if pairs > MOST_PAIRS:
        raise InputError(
            f"{kernel.name} on this data walks {pairs:,} pairs of a row and a column, more than "
            f"{MOST_PAIRS:,}; take smaller data"
        )
    return Problem(kernel, operands, first.matrix, _transposed(second.matrix))


def check_feasible(problem: Problem, steps: int, limit: int) -> None:
    """Refuse, before anything is run, what would not fit or not end.

    Parameters
    ----------
    problem : Problem
        What is about to be run.
    steps : int
        Its merge steps.
    limit : int
        Instructions that one program may execute.

    Raises
    ------
    InputError
        If the dense output has too many elements.
    LimitError
        If the estimated number of instructions is beyond the limit.
    """
    pairs = problem.units * int(problem.right.shape[0])
    if pairs > MOST_OUTPUT:
        raise InputError(
            f"{problem.kernel.name} would write {pairs:,} elements of a dense result, more "
            f"than {MOST_OUTPUT:,}; take smaller data, or a sample of rows with --sample"
        )
    estimate = INSTRUCTIONS_PER_STEP * steps + INSTRUCTIONS_PER_PAIR * pairs
    if estimate > limit:
        raise LimitError(
            f"{problem.kernel.name} on this data would execute about {estimate:,} instructions in "
            f"each form, and the limit is {limit:,}; take smaller data or a sample (compare "
            "--sample N), or raise the limit with --max-instructions"
        )


def _seeded(source: str, position: int) -> str:
    """Give a random source without a seed its operand's position as seed (0 is the default)."""
    if position and source.startswith("random:") and source.count(":") == 2:
        return f"{source}:{position}"
    return source


def _as_vector(operand: Operand, kernel: Kernel) -> Matrix:
    """Return a vector as a matrix of one row."""
    matrix: Matrix = operand.matrix
    if matrix.shape[0] == 1:
        return matrix
    if matrix.shape[1] == 1:
        return _transposed(matrix)
    raise InputError(
        f"{kernel.name} takes vectors, and '{operand.name}' is a matrix of "
        f"{matrix.shape[0]}x{matrix.shape[1]}"
    )


def _transposed(matrix: Matrix) -> Matrix:
    """Return the transpose with sorted indices: the columns of C, each in order."""
    result: Matrix = csr_array(csc_array(matrix).T)
    result.sort_indices()
    return result


def _array(values: NDArray[Any], dtype: type[np.generic]) -> memoryview:
    return np.ascontiguousarray(values, dtype=dtype).data


def _vector(name: str, matrix: Matrix) -> Bindings:
    return {
        f"{name}_crd": _array(matrix.indices, np.int64),
        f"{name}_val": _array(matrix.data, np.float64),
    }


def _compressed(name: str, matrix: Matrix) -> Bindings:
    return {f"{name}_pos": _array(matrix.indptr, np.int64), **_vector(name, matrix)}


def _pattern(matrix: Matrix) -> Matrix:
    return csr_array((np.ones(matrix.nnz), matrix.indices, matrix.indptr), shape=matrix.shape)


def _renumbered(matrix: Matrix, used: NDArray[np.int64]) -> Matrix:
    numbers = np.searchsorted(used, matrix.indices)
    shape = (matrix.shape[0], len(used))
    return csr_array((matrix.data, numbers, matrix.indptr), shape=shape)


def _last(matrix: Matrix) -> NDArray[np.int64]:
    """Return the last coordinate of each row, -1 for an empty one."""
    ends = matrix.indptr[1:]
    last = np.full(matrix.shape[0], -1, dtype=np.int64)
    filled = np.diff(matrix.indptr) > 0
    last[filled] = matrix.indices[ends[filled] - 1]
    return last


def _dense(matrix: Matrix) -> NDArray[np.float64]:
    return np.asarray(matrix.todense(), dtype=np.float64).reshape(-1)
