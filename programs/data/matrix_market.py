"""The Matrix Market format: coordinate and array files of real numbers.

Beyond the letter of the format, one ``%`` in the banner, leading blanks, blank lines, comments
between entries, CRLF and CR line ends, and the words ``double`` and ``unsigned-integer`` are
accepted. Complex files are refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from isa.errors import nearest
from programs.data.operand import check_size, counted
from programs.data.records import Grammar, read_entries, read_sizes
from programs.data.text import show
from programs.data.triplets import Triplets, duplicates, from_entries, operand

if TYPE_CHECKING:
    from programs.data.operand import Operand
    from programs.data.records import Entries
    from programs.data.text import TextFile
    from programs.data.triplets import Integers

_COMMENT = b"%"
_BANNERS = (b"%%matrixmarket", b"%matrixmarket")
_EXAMPLE = "%%MatrixMarket matrix coordinate real general"
_WORDS = {
    "object": ("matrix", "vector"),
    "format": ("coordinate", "array"),
    "field": ("real", "double", "integer", "unsigned-integer", "pattern"),
    "symmetry": ("general", "symmetric", "skew-symmetric", "hermitian"),
}
_INEXACT_FROM = 2.0**53  # where doubles no longer hold every integer


@dataclass(frozen=True, slots=True)
class _Header:
    """What the banner says, with the synonyms of a real file resolved."""

    vector: bool
    dense: bool
    field: str
    symmetry: str
    notes: tuple[str, ...]

    def stored(self, shape: tuple[int, ...]) -> int:
        """Return how many values an array file of this shape holds."""
        if self.symmetry == "general":
            return prod(shape)
        diagonal = shape[0] if self.symmetry == "symmetric" else 0
        return shape[0] * (shape[0] - 1) // 2 + diagonal


def is_banner(line: bytes) -> bool:
    """Whether a line begins as the first line of a Matrix Market file does."""
    return line.lower().lstrip().startswith(_BANNERS)


def read_matrix_market(text: TextFile, name: str, max_bytes: int) -> Operand:
    """Read a Matrix Market file.

    Parameters
    ----------
    text : TextFile
        At its first line.
    name : str
        Of the operand.
    max_bytes : int
        Limit in bytes on the row pointers and on the entries.

    Raises
    ------
    InputError
        With path and line of whatever is not of the format.
    InputError
        If the sizes are beyond the limit.
    """
    header = _read_banner(text)
    shape, count = _read_shape(text, header)
    copies = 1 if header.symmetry == "general" else 2
    rows = shape[0] if len(shape) == 2 else 1
    check_size(text.where, rows=rows, entries=copies * count, max_bytes=max_bytes)
    grammar = Grammar(() if header.dense else shape, header.field, _COMMENT)
    entries = read_entries(text, grammar, count=count, max_bytes=max_bytes)
    if header.dense:
        stored, notes = _from_array(header, shape, entries)
    else:
        stored, notes = _from_coordinates(text, header, entries)
    if "integer" in header.field and (np.abs(stored.values) >= _INEXACT_FROM).any():
        notes.append("rounded integers from 2^53 on to the nearest doubles")
    if header.symmetry != "general":
        whole = stored.mirrored(1 if header.symmetry == "symmetric" else -1).summed()
        size = counted(len(whole), "entry", "entries")
        notes.append(f"expanded a {header.symmetry} file from {len(stored)} to {size}")
        stored = whole
    return operand(name, shape, stored, (*header.notes, *notes))


def _read_banner(text: TextFile) -> _Header:
    words = text.words()
    if words[0][1].lower() not in _BANNERS:
        raise text.fault(f"expected the banner '{_EXAMPLE}', found {show(text.line.strip())}")
    if len(words) != 5:
        raise text.fault(
            f"expected 5 words in the banner, as in '{_EXAMPLE}', found {len(words)}",
            words[5][0] if len(words) > 5 else None,
        )
    said = [
        _known(text, column, word, kind)
        for (column, word), kind in zip(words[1:], _WORDS, strict=True)
    ]
    kind, form, field, symmetry = said
    _check_pairs(text, kind, form, field, symmetry)
    notes = []
    if not words[0][1].startswith(b"%%"):
        notes.append("accepted a banner with one % in place of two")
    if symmetry == "hermitian":
        symmetry = "symmetric"
        notes.append(f"read a hermitian file of {field} values as symmetric")
    return _Header(
        vector=kind == "vector",
        dense=form == "array",
        field="real" if field == "double" else field,
        symmetry=symmetry,
        notes=tuple(notes),
    )


def _known(text: TextFile, column: int, word: bytes, kind: str) -> str:
    """Return a word of the banner, checked."""
    lowered = word.lower().decode("ascii", "replace")
    if lowered in _WORDS[kind]:
        return lowered
    if (kind, lowered) == ("field", "complex"):
        raise text.fault("the field is 'complex'; no kernel takes complex values", column)
    raise text.fault(f"unknown {kind} {show(word)}{nearest(lowered, _WORDS[kind])}", column)


def _check_pairs(text: TextFile, kind: str, form: str, field: str, symmetry: str) -> None:
    """Refuse words that do not go together."""
    columns = [column for column, _ in text.words()]
    if (form, field) == ("array", "pattern"):
        raise text.fault("an array file has values, so its field cannot be 'pattern'", columns[3])
    if field == "pattern" and symmetry not in ("general", "symmetric"):
        raise text.fault(
            f"a pattern has no sign or conjugate, so it cannot be '{symmetry}'", columns[4]
        )
    if kind == "vector" and symmetry != "general":
        raise text.fault(f"a vector cannot be '{symmetry}'; expected 'general'", columns[4])


def _read_shape(text: TextFile, header: _Header) -> tuple[tuple[int, ...], int]:
    """Read the size line; return the shape and the count of lines that must follow."""
    names = ("elements",) if header.vector else ("rows", "columns")
    sizes = read_sizes(text, names if header.dense else (*names, "entries"), _COMMENT)
    shape = sizes[: len(names)]
    if header.symmetry != "general" and shape[0] != shape[1]:
        raise text.fault(
            f"a {header.symmetry} matrix is square; found {shape[0]} rows and {shape[1]} columns"
        )
    return shape, header.stored(shape) if header.dense else sizes[-1]


def _from_array(
    header: _Header, shape: tuple[int, ...], entries: Entries
) -> tuple[Triplets, list[str]]:
    """Return the nonzeros of an array, which lists its elements column by column, and notes."""
    values = np.array(entries.values, dtype=np.float64)
    rows: Integers
    columns: Integers
    if header.symmetry == "general":
        height = shape[0] if len(shape) == 2 else 1
        columns, rows = np.divmod(np.arange(len(values), dtype=np.int64), max(height, 1))
    else:
        first = 0 if header.symmetry == "symmetric" else 1
        # The lower triangle by columns is the upper triangle by rows, transposed.
        columns, rows = np.triu_indices(shape[0], first)
    stored = Triplets(rows, columns, values)[values != 0.0].summed()
    if len(stored) == len(values):
        return stored, []
    zeros = counted(len(values) - len(stored), "zero", "zeros")
    return stored, [f"left out {zeros} of the {len(values)} values of an array"]


def _from_coordinates(
    text: TextFile, header: _Header, entries: Entries
) -> tuple[Triplets, list[str]]:
    """Return the entries of a coordinate file, with repeated positions summed, and notes."""
    listed = from_entries(entries, 1 if header.vector else 2)
    notes = []
    if header.symmetry != "general":
        notes = _check_triangle(text, header, entries, listed)
    stored = listed.summed()
    return stored, notes + duplicates(listed, stored)


def _check_triangle(
    text: TextFile, header: _Header, entries: Entries, listed: Triplets
) -> list[str]:
    """Refuse entries that a symmetric file cannot have; return notes on unusual ones.

    The format stores the lower triangle, but files of edge lists name the ends of an edge in
    either order. That is harmless unless both (i, j) and (j, i) are listed: the value would
    count twice.
    """
    rows, columns = listed.rows, listed.columns
    if header.symmetry == "skew-symmetric" and (rows == columns).any():
        text.number = entries.lines[int(np.argmax(rows == columns))]
        raise text.fault("a skew-symmetric matrix has no entries on its diagonal")
    above = rows < columns
    if not above.any():
        return []
    # Sizes that pass the limit on row pointers keep the products below 2^63.
    order = int(max(rows.max(), columns.max())) + 1
    doubled = above & np.isin(columns * order + rows, (rows * order + columns)[rows > columns])
    if doubled.any():
        where = int(np.argmax(doubled))
        text.number = entries.lines[where]
        row, column = int(rows[where]) + 1, int(columns[where]) + 1
        raise text.fault(
            f"({row}, {column}) is listed, and so is ({column}, {row}); "
            f"a {header.symmetry} file stores one triangle (is the file general?)"
        )
    number = counted(int(np.count_nonzero(above)), "entry", "entries")
    return [f"accepted {number} above the diagonal of a {header.symmetry} file"]
