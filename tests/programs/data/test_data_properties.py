"""Laws of loading on files and sources that Hypothesis makes up."""

from __future__ import annotations

import gzip
import tempfile
import warnings
from contextlib import suppress
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import scipy.io
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.sparse import coo_array

from isa.errors import LanewiseError
from programs.data import Operand, load

relaxed = settings(deadline=None)  # a slow file system is no fault of the reader

VALUES = st.floats(allow_nan=False, width=64) | st.sampled_from([0.0, 1.0, -2.5])
SEEDS = [
    b"%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 1.5\n2 3 -1e5\n3 1 0\n",
    b"%%MatrixMarket matrix coordinate integer symmetric\n%c\n3 3 2\n2 1 4\n3 3 5\n",
    b"%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 1\n2 2\n",
    b"%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n",
    b"%%MatrixMarket vector coordinate real general\n5 2\n1 1\n5 inf\n",
    b"# extended FROSTT format\n2 2\n3 4\n1 1 1.0\n3 4 2.0\n",
    b"# c\n1 1 1.0\n2 3 2.0\n",
    b"1 1.0\n9 2.0\n",
]
WORDS = [b"%", b"#", b"-1", b"0", b"nan", b"inf", b"1e999", b"99999999999999999999", b"complex"]
WORDS += [b" ", b"\n", b"\r", b"\t", b"\0", b"\xff", b"symmetric", b"array", b"vector", b"_", b"+"]


@st.composite
def matrices(draw: st.DrawFn) -> coo_array[Any, Any]:
    rows, columns = draw(st.integers(1, 12)), draw(st.integers(1, 12))
    cells = st.integers(0, rows * columns - 1)
    positions = np.array(draw(st.lists(cells, unique=True, max_size=40)), dtype=np.int64)
    values = draw(st.lists(VALUES, min_size=len(positions), max_size=len(positions)))
    return coo_array(
        (np.array(values, dtype=np.float64), np.divmod(positions, columns)), shape=(rows, columns)
    )


@st.composite
def square(draw: st.DrawFn, sign: int) -> coo_array[Any, Any]:
    lower = draw(matrices()).toarray()
    side = min(lower.shape)
    lower = np.tril(lower[:side, :side], 0 if sign > 0 else -1)
    return coo_array(lower + sign * np.tril(lower, -1).T)


def load_bytes(data: bytes, name: str) -> Operand:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(data)
        return load(str(path), max_bytes=2**20)


def check_canonical(operand: Operand) -> None:
    matrix = operand.matrix
    assert matrix.data.dtype == np.float64
    assert matrix.indices.dtype == matrix.indptr.dtype == np.int64
    assert matrix.indptr[0] == 0
    assert matrix.indptr[-1] == len(matrix.indices) == len(matrix.data) == operand.nnz
    for first, last in zip(matrix.indptr[:-1], matrix.indptr[1:], strict=True):
        row = matrix.indices[first:last]
        assert (np.diff(row) > 0).all()
        assert ((row >= 0) & (row < matrix.shape[1])).all()


@relaxed
@given(matrices(), st.booleans())
def test_what_scipy_writes_is_read_back(matrix: coo_array[Any, Any], compress: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.mtx"
        scipy.io.mmwrite(path, matrix, precision=17, symmetry="general")
        data = path.read_bytes()
    operand = load_bytes(gzip.compress(data) if compress else data, "a.mtx")
    check_canonical(operand)
    assert operand.nnz == matrix.nnz
    assert np.array_equal(operand.matrix.toarray(), matrix.toarray())


@relaxed
@given(st.sampled_from([1, -1]).flatmap(lambda sign: st.tuples(st.just(sign), square(sign))))
def test_symmetric_matrices_are_read_back(case: tuple[int, coo_array[Any, Any]]) -> None:
    sign, matrix = case
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.mtx"
        kind = "symmetric" if sign > 0 else "skew-symmetric"
        scipy.io.mmwrite(path, matrix, precision=17, symmetry=kind)
        operand = load(str(path))
    check_canonical(operand)
    assert np.array_equal(operand.matrix.toarray(), matrix.toarray())


@relaxed
@given(matrices())
def test_arrays_are_read_back(matrix: coo_array[Any, Any]) -> None:
    dense = matrix.toarray()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.mtx"
        scipy.io.mmwrite(path, dense, precision=17, symmetry="general")
        operand = load(str(path))
    check_canonical(operand)
    assert operand.nnz == np.count_nonzero(dense)
    assert np.array_equal(operand.matrix.toarray(), dense)


@relaxed
@given(matrices())
def test_frostt_is_read_back(matrix: coo_array[Any, Any]) -> None:
    rows, columns = matrix.shape
    lines = ["# extended FROSTT format", f"2 {matrix.nnz}", f"{rows} {columns}"]
    entries = zip(matrix.row, matrix.col, matrix.data, strict=True)
    lines += [f"{row + 1} {column + 1} {float(value)!r}" for row, column, value in entries]
    operand = load_bytes("\n".join(lines).encode(), "a.tns")
    check_canonical(operand)
    assert operand.shape == matrix.shape
    assert np.array_equal(operand.matrix.toarray(), matrix.toarray())


@relaxed
@given(st.binary(max_size=200), st.sampled_from(["a.mtx", "a.tns", "a", "a.mtx.gz", "a.tns.gz"]))
def test_random_bytes_are_refused_or_loaded(data: bytes, name: str) -> None:
    with suppress(LanewiseError):
        check_canonical(load_bytes(data, name))


@relaxed
@given(st.data(), st.sampled_from(SEEDS), st.booleans())
def test_mutated_files_are_refused_or_loaded(
    data: st.DataObject, text: bytes, compress: bool
) -> None:
    edits = data.draw(
        st.lists(
            st.tuples(
                st.integers(0, len(text)),
                st.integers(0, 6),
                st.sampled_from(WORDS) | st.from_regex(rb"[0-9 .\n-]{0,4}", fullmatch=True),
            ),
            max_size=4,
        )
    )
    for at, removed, inserted in edits:
        text = text[:at] + inserted + text[at + removed :]
    name = "a.mtx" if text[:1] == b"%" else "a.tns"
    try:
        operand = load_bytes(gzip.compress(text) if compress else text, name)
    except LanewiseError as error:
        assert name in str(error)  # noqa: PT017 - loading is as right as refusing
    else:
        check_canonical(operand)


@relaxed
@given(st.data())
def test_damaged_gzip_is_refused_or_loaded(data: st.DataObject) -> None:
    packed = bytearray(gzip.compress(SEEDS[0]))
    for _ in range(data.draw(st.integers(1, 3))):
        packed[data.draw(st.integers(0, len(packed) - 1))] = data.draw(st.integers(0, 255))
    with suppress(LanewiseError):
        check_canonical(load_bytes(bytes(packed), "a.mtx"))


@relaxed
@given(st.text(max_size=30) | st.text(max_size=20).map("random:".__add__))
@example("random:1x1:1e-320")
@example("/" * 5000)
def test_any_text_is_a_source_or_refused(source: str) -> None:
    with warnings.catch_warnings(), suppress(LanewiseError):
        warnings.simplefilter("error")
        check_canonical(load(source, max_bytes=2**20))


@relaxed
@given(
    st.integers(1, 300),
    st.none() | st.integers(1, 300),
    st.floats(1e-3, 1.0),
    st.integers(0, 2**70),
)
def test_random_sources(rows: int, columns: int | None, density: float, seed: int) -> None:
    dims = str(rows) if columns is None else f"{rows}x{columns}"
    source = f"random:{dims}:{density!r}:{seed}"
    operand, again = load(source), load(source)
    check_canonical(operand)
    assert operand.shape == ((rows,) if columns is None else (rows, columns))
    assert np.array_equal(operand.matrix.indptr, again.matrix.indptr)
    assert np.array_equal(operand.matrix.indices, again.matrix.indices)
    assert np.array_equal(operand.matrix.data, again.matrix.data)
    assert ((operand.matrix.data >= 0.5) & (operand.matrix.data < 2.5)).all()
    cells = rows * (columns or 1)
    # Six standard deviations and, for small means, where a binomial count is skewed, 10 more.
    assert abs(operand.nnz - cells * density) <= 6 * sqrt(cells * density * (1 - density)) + 10
