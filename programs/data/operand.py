"""What a source of data becomes, and the limit on its size."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from isa.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from scipy.sparse import csr_array

    Csr: TypeAlias = csr_array[np.float64, tuple[int, int]]

BYTES_PER_ROW_POINTER = 8
BYTES_PER_ENTRY = 16  # a 64-bit column index and a double


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Operand:
    """One sparse operand of a kernel.

    Attributes
    ----------
    name : str
        As shown in reports: a bundled name, the stem of a file, or the text of a random source.
    matrix : scipy.sparse.csr_array
        Two-dimensional, float64 with int64 index arrays, column indices sorted and unique in
        each row. A vector of length n is stored as 1 x n.
    shape : tuple of int
        Length 1 for a vector, 2 for a matrix.
    notes : tuple of str
        What was done to the data on the way in, one sentence fragment each.
    """

    name: str
    matrix: Csr
    shape: tuple[int, ...]
    notes: tuple[str, ...] = ()

    @property
    def nnz(self) -> int:
        """Number of stored entries; explicit zeros are entries."""
        return int(self.matrix.nnz)

    @property
    def finite(self) -> bool:
        """Whether every stored value is finite."""
        return bool((abs(self.matrix.data) < math.inf).all())


def check_size(where: str, *, rows: int, entries: int, max_bytes: int) -> None:
    """Refuse a matrix whose compressed rows would not fit, before anything is allocated.

    Parameters
    ----------
    where : str
        What the message is about, such as ``"a.mtx:3"``.
    rows, entries : int
        Size of the matrix: rows, and (expected) entries.
    max_bytes : int
        Limit in bytes on the row pointers and, separately, on the entries.

    Raises
    ------
    InputError
        With the bytes that would be needed and the limit.
    """
    pointers = BYTES_PER_ROW_POINTER * (rows + 1)
    if pointers > max_bytes:
        raise InputError(
            f"{where}: {rows:,} rows need {pointers:,} bytes of row pointers, "
            f"more than the limit of {max_bytes:,} bytes"
        )
    if BYTES_PER_ENTRY * entries > max_bytes:
        raise InputError(
            f"{where}: {entries:,} entries need {BYTES_PER_ENTRY * entries:,} bytes, "
            f"more than the limit of {max_bytes:,} bytes"
        )


def counted(number: int, one: str, many: str) -> str:
    """Return a number with its noun: ``1 entry``, ``2 entries``."""
    return f"{number:,} {one if number == 1 else many}"


def order_refusal(order: int) -> str:
    """Return the message for a tensor of an order that no kernel takes."""
    return f"no kernel takes tensors of order {order} yet; expected order 1 (vector) or 2 (matrix)"
