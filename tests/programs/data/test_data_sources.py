"""Which source a text names: bundled, random, file, or none."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from isa.errors import InputError
from programs.data import Bundled, bundled, load

BUNDLED = list(bundled().values())


@pytest.mark.parametrize("entry", BUNDLED, ids=lambda entry: entry.name)
def test_bundled_matrices_are_as_listed(entry: Bundled) -> None:
    operand = load(entry.name)
    assert operand.name == entry.name
    assert operand.shape == operand.matrix.shape == entry.shape
    assert operand.nnz == entry.nnz == np.count_nonzero(operand.matrix.data)
    assert operand.notes == ()
    assert operand.matrix.has_canonical_format
    assert operand.matrix.indices.dtype == np.int64
    assert (operand.matrix != operand.matrix.T).nnz == 0
    assert entry.description
    assert "19" in entry.source or "20" in entry.source


@pytest.mark.parametrize(
    ("name", "order", "nnz"),
    [
        ("Trefethen_20", 20, 158),
        ("Trefethen_20b", 19, 147),
        ("Trefethen_150", 150, 2040),
        ("Trefethen_300", 300, 4678),
        ("Trefethen_2000", 2000, 41906),
        ("mycielskian3", 5, 10),
        ("mycielskian4", 11, 40),
        ("mycielskian5", 23, 142),
        ("mycielskian6", 47, 472),
        ("mycielskian7", 95, 1510),
        ("mycielskian9", 383, 14542),
    ],
)
def test_counts_are_those_of_the_collection(name: str, order: int, nnz: int) -> None:
    assert bundled()[name].shape == (order, order)
    assert bundled()[name].nnz == nnz


def test_trefethen_by_its_definition() -> None:
    matrix = load("Trefethen_20").matrix.toarray()
    assert matrix.diagonal().tolist()[-3:] == [61, 67, 71]
    apart = np.abs(np.subtract.outer(np.arange(20), np.arange(20)))
    assert np.array_equal(matrix - np.diag(matrix.diagonal()), np.isin(apart, (1, 2, 4, 8, 16)))
    assert np.array_equal(load("Trefethen_20b").matrix.toarray(), matrix[1:, 1:])


def test_mycielskian_has_no_triangles_and_the_published_blocks() -> None:
    small, large = (load(name).matrix.toarray() for name in ("mycielskian5", "mycielskian6"))
    assert np.trace(large @ large @ large) == 0
    n = len(small)
    assert np.array_equal(large[:n, :n], small)
    assert np.array_equal(large[n:-1, :n], small)
    assert large[-1].tolist() == [0] * n + [1] * n + [0]


def test_poisson_is_the_kronecker_sum() -> None:
    line = np.diag(np.full(16, 2.0)) - np.eye(16, k=1) - np.eye(16, k=-1)
    expected = np.kron(line, np.eye(16)) + np.kron(np.eye(16), line)
    assert np.array_equal(load("poisson_16").matrix.toarray(), expected)


def test_listing_imports_neither_numpy_nor_scipy() -> None:
    code = (
        "import sys; from programs.data import bundled, load; "
        "assert bundled(); assert not {'numpy', 'scipy'} & sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[3])


def test_a_bundled_name_goes_before_a_file_of_that_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = "%%MatrixMarket matrix coordinate real general\n1 1 0\n"
    Path("mycielskian3").write_text(text)
    Path("mycielskian3.mtx").write_text(text)
    assert load("mycielskian3").shape == (5, 5)
    assert load("./mycielskian3").shape == (1, 1)
    assert load("mycielskian3.mtx").shape == (1, 1)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("trefethen300", "no such file or bundled matrix 'trefethen300'; did you mean 'Trefethen_"),
        ("mycielskian5.mtx", "did you mean 'mycielskian5'"),
        ("jaz", "no such file or bundled matrix 'jaz'; 'lanewise list data'"),
        ("no/such.mtx", "no such file or bundled matrix 'no/such.mtx'"),
        ("Random:10:0.5", r"random data are written random:DIMS:DENSITY\[:SEED\]"),
        ("", "the data source is empty"),
        ("random:", "expected random:DIMS"),
        ("random:10", "expected random:DIMS"),
        ("random:10:0.5:1:2", "expected random:DIMS"),
        ("random:10x:0.5", "the size '' is not an integer of at least 1"),
        ("random:1e5:0.5", "the size '1e5'"),
        ("random:0:0.5", "the size '0'"),
        ("random:\xb2:0.5", "the size '\xb2'"),
        ("random:10:0", "the density '0' is not a number above 0 and at most 1"),
        ("random:10:1.5", "the density '1.5'"),
        ("random:10:nan", "the density 'nan'"),
        ("random:10:1_0e-2", "the density '1_0e-2'"),
        ("random:10:-0.5", "the density '-0.5'"),
        ("random:10:0.5:", "the seed ''"),
        ("random:10:0.5:-1", "the seed '-1' is not an integer of at least 0"),
        ("random:10:0.5:x", "the seed 'x'"),
        ("random:5x40x500:0.1", "no kernel takes tensors of order 3 yet"),
    ],
)
def test_refusals(source: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        load(source)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("random:1000000000x2:1e-9", "1,000,000,000 rows need 8,000,000,008 bytes"),
        ("random:100000x100000:0.5", "5,000,000,000 entries need 80,000,000,000 bytes"),
        ("random:1000000x1000000000000:1e-15", "positions; the limit is"),
    ],
)
def test_random_sources_beyond_the_limit(source: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        load(source)


def test_random_of_density_one_is_dense() -> None:
    operand = load("random:30x20:1")
    assert operand.nnz == 600
    assert operand.name == "random:30x20:1"
    assert load("random:7:1.0").shape == (7,)


def test_the_seed_is_zero_unless_given() -> None:
    first, same, other = (load(f"random:50x50:0.2{seed}") for seed in ("", ":0", ":1"))
    assert (first.matrix != same.matrix).nnz == 0
    assert (first.matrix != other.matrix).nnz > 0


def test_a_sparse_matrix_of_many_cells_costs_its_entries_only() -> None:
    operand = load("random:100000x1000000000:1e-10:3")
    assert 9_500 < operand.nnz < 10_500
    assert operand.matrix.indices.max() > 2**29


def test_random_positions_are_independent() -> None:
    # Each row and each column of a 400 x 400 draw is a binomial count: check their variance.
    matrix = load("random:400x400:0.3:11").matrix.toarray() != 0.0
    for axis in (0, 1):
        counts = matrix.sum(axis=axis)
        assert 0.75 < counts.var() / (400 * 0.3 * 0.7) < 1.3
