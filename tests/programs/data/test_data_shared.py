"""The awkward and the real files of ../shared: each read, or refused where it should be."""

from __future__ import annotations

import csv
import time
from pathlib import Path

import numpy as np
import pytest
import scipy.io

from isa.errors import InputError, LanewiseError
from programs.data import load

ACCEPTED = {
    "sym_lower.mtx": ((3, 3), 5, ("expanded a symmetric file from 3 to 5 entries",)),
    "skew.mtx": ((3, 3), 4, ("expanded a skew-symmetric file from 2 to 4 entries",)),
    "hermitian_real.mtx": (
        (3, 3),
        5,
        (
            "read a hermitian file of real values as symmetric",
            "expanded a symmetric file from 3 to 5 entries",
        ),
    ),
    "explicit_zero.mtx": ((3, 3), 5, ("summed 1 duplicate entry",)),
    "free_format.mtx": ((5, 5), 8, ()),
    "crlf_free_format.mtx": ((5, 5), 8, ()),
    "old_mac_cr.mtx": ((3, 3), 3, ()),
    "banner_one_percent.mtx": ((3, 3), 3, ("accepted a banner with one % in place of two",)),
    "empty_0nnz.mtx": ((3, 4), 0, ()),
    "empty_int_0nnz.mtx": ((10, 10), 0, ()),
}
REFUSED: dict[str, tuple[type[LanewiseError], str]] = {
    "hermitian.mtx": (InputError, "1:34: the field is 'complex'"),
    "hermitian_complex_diagonal.mtx": (InputError, "1:34: the field is 'complex'"),
    "index_too_big.mtx": (InputError, "5:1: the row index '5000' is outside 1 to 7"),
    "index_zero.mtx": (InputError, "5:1: the row index is 0"),
    "lesmis_zero_based.mtx": (InputError, "3:3: the column index is 0"),
    "size_line_missing.mtx": (InputError, "14:5: the number of entries is '-1'"),
    "too_many_entries.mtx": (InputError, "7: expected 3 entries, found one more"),
    "too_few_entries.mtx": (InputError, "4: expected 12 entries, found 2 before the end"),
    "line_cut.mtx": (InputError, "5: expected 3 numbers .* found 2"),
    "too_many_tokens.mtx": (InputError, "5:7: expected 3 numbers .* found 4"),
    "bad_banner.mtx": (InputError, "1: expected the banner"),
    "bad_field.mtx": (InputError, "1:34: unknown field '____'"),
    "bad_symmetry.mtx": (InputError, "1:39: unknown symmetry '___'"),
    "header_cut.mtx": (InputError, "2: expected a line with 2 sizes .* end of the file"),
    "negative_nnz.mtx": (InputError, "3:5: the number of entries is '-3'"),
    "pattern_hermitian.mtx": (InputError, "1:42: .* cannot be 'hermitian'"),
    "array_pattern.mtx": (InputError, "1:29: .* cannot be 'pattern'"),
    "dim_over_32_bit.mtx": (InputError, "3: .* need 8,796,093,022,216 bytes of row pointers"),
    "value_over_double.mtx": (InputError, "4:5: the value '1E310' is too large for a double"),
    "tns_zero_based.tns": (InputError, "2:7: the index 4 is 0"),
    "tns_pyttb_header.tns": (InputError, "1: 'sptensor' begins a file in the Tensor Toolbox"),
    "tns_pyttb_zero_based.tns": (InputError, "1: 'sptensor' begins a file in the Tensor Toolbox"),
    "tns_mlir_above_dimension.tns": (InputError, "4:1: the row index '5' is outside 1 to 4"),
    "tns_mlir_zero.tns": (InputError, "4:1: the row index is 0"),
}


def rows(index: Path) -> list[dict[str, str]]:
    with index.open(newline="") as file:
        return list(csv.DictReader(file))


def test_every_awkward_file_is_expected(shared: Path) -> None:
    names = {row["name"] for row in rows(shared / "awkward" / "INDEX.csv")}
    assert names == ACCEPTED.keys() | REFUSED.keys()


@pytest.mark.parametrize("name", ACCEPTED)
def test_awkward_but_legal(shared: Path, name: str) -> None:
    operand = load(str(shared / "awkward" / name))
    assert (operand.shape, operand.nnz, operand.notes) == ACCEPTED[name]


@pytest.mark.parametrize("name", REFUSED)
def test_broken(shared: Path, name: str) -> None:
    error, message = REFUSED[name]
    with pytest.raises(error, match=rf"/{name}:{message}"):
        load(str(shared / "awkward" / name))


def test_values_of_awkward_files(shared: Path) -> None:
    def values(name: str) -> list[list[float]]:
        return load(str(shared / "awkward" / name)).matrix.toarray().tolist()

    assert values("skew.mtx") == [[0, 0, -10], [0, 0, -20], [10, 20, 0]]
    assert values("explicit_zero.mtx")[2][2] == 30
    assert values("old_mac_cr.mtx") == np.eye(3).tolist()
    assert values("crlf_free_format.mtx") == values("free_format.mtx")


def test_real_matrices_are_as_scipy_reads_them(shared: Path) -> None:
    for row in rows(shared / "matrices" / "INDEX.csv"):
        path = shared / "matrices" / f"{row['name']}.mtx"
        operand = load(str(path))
        assert operand.name == row["name"]
        assert operand.shape == (int(row["rows"]), int(row["cols"]))
        assert operand.nnz == int(row["nnz_expanded"])
        assert (operand.matrix != scipy.io.mmread(path, spmatrix=False).tocsr()).nnz == 0


def test_trefethen_is_the_matrix_of_the_collection(shared: Path) -> None:
    built, read = load("Trefethen_300"), load(str(shared / "matrices" / "Trefethen_300.mtx"))
    assert np.array_equal(built.matrix.indptr, read.matrix.indptr)
    assert np.array_equal(built.matrix.indices, read.matrix.indices)
    assert np.array_equal(built.matrix.data, read.matrix.data)


def test_a_large_file_takes_less_than_a_second(shared: Path) -> None:
    begin = time.perf_counter()
    assert load(str(shared / "matrices" / "dendrimer.mtx")).nnz == 63_024
    assert time.perf_counter() - begin < 1.0
