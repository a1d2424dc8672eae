"""Coordinate lists, and the compressed rows made of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from scipy.sparse import csr_array

from programs.data.operand import Operand, counted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from programs.data.operand import Csr
    from programs.data.records import Entries

Integers: TypeAlias = np.ndarray[tuple[int], np.dtype[np.int64]]
Doubles: TypeAlias = np.ndarray[tuple[int], np.dtype[np.float64]]


@dataclass(frozen=True, slots=True, eq=False)
class Triplets:
    """Entries as three arrays of equal length: 0-based rows and columns (int64), values."""

    rows: Integers
    columns: Integers
    values: Doubles

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, chosen: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Triplets:
        return Triplets(self.rows[chosen], self.columns[chosen], self.values[chosen])

    def summed(self) -> Triplets:
        """Return the entries by rows, then columns, with the values of each position summed."""
        order = np.lexsort((self.columns, self.rows))  # stable
        rows, columns, values = self.rows[order], self.columns[order], self.values[order]
        fresh = np.ones(len(order), dtype=np.bool_)
        fresh[1:] = (rows[1:] != rows[:-1]) | (columns[1:] != columns[:-1])
        if fresh.all():
            return Triplets(rows, columns, values)
        with np.errstate(over="ignore", invalid="ignore"):  # a sum may leave the finite numbers
            sums = np.add.reduceat(values, np.flatnonzero(fresh))
        return Triplets(rows[fresh], columns[fresh], sums)

    def mirrored(self, sign: int) -> Triplets:
        """Return the entries with those off the diagonal repeated, times sign, transposed."""
        off = self[self.rows != self.columns]
        return Triplets(
            np.concatenate((self.rows, off.columns)),
            np.concatenate((self.columns, off.rows)),
            np.concatenate((self.values, sign * off.values)),
        )

    def compressed(self, shape: tuple[int, int]) -> Csr:
        """Return compressed rows; the entries must be in order, each position once."""
        pointers = np.zeros(shape[0] + 1, dtype=np.int64)
        np.cumsum(np.bincount(self.rows, minlength=shape[0]), out=pointers[1:])
        matrix: Csr = csr_array((self.values, self.columns, pointers), shape=shape)
        # The constructor narrows indices to 32 bits where they fit, and the stubs know no others.
        matrix.indices = self.columns  # type: ignore[assignment]
        matrix.indptr = pointers  # type: ignore[assignment]
        return matrix


def from_entries(entries: Entries, order: int) -> Triplets:
    """Return the entries of a file of order 1, all in row 0, or 2."""
    indices = np.array(entries.indices, dtype=np.int64) - 1
    columns = indices[order - 1 :: order]
    rows = indices[::2] if order == 2 else np.zeros_like(columns)
    return Triplets(rows, columns, np.array(entries.values, dtype=np.float64))


def duplicates(listed: Triplets, stored: Triplets) -> list[str]:
    """Return the note on the duplicates among listed entries, if there were any."""
    number = len(listed) - len(stored)
    return [f"summed {counted(number, 'duplicate entry', 'duplicate entries')}"] if number else []


def operand(
    name: str, shape: tuple[int, ...], entries: Triplets, notes: Iterable[str] = ()
) -> Operand:
    """Return an operand of entries that are in order, and add notes on their values.

    Parameters
    ----------
    name : str
        For reports.
    shape : tuple of int
        (length,) of a vector or (rows, columns) of a matrix.
    entries : Triplets
        By rows, then columns, each position once; rows are 0 in a vector.
    notes : iterable of str
        What was done so far.
    """
    zeros = int(np.count_nonzero(entries.values == 0.0))
    strange = len(entries) - int(np.count_nonzero(np.isfinite(entries.values)))
    said = [*notes]
    if zeros:
        said.append(f"kept {counted(zeros, 'explicit zero', 'explicit zeros')}")
    if strange:
        verb = "that is" if strange == 1 else "that are"
        said.append(f"holds {counted(strange, 'value', 'values')} {verb} not finite")
    rows, columns = shape if len(shape) == 2 else (1, shape[0])
    matrix = entries.compressed((rows, columns))
    return Operand(name=name, matrix=matrix, shape=shape, notes=tuple(said))
