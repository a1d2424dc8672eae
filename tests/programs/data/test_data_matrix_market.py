"""Matrix Market files, written anew: what is read, and what is refused and where."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest

from isa.errors import InputError
from programs.data import Operand, load

Write = Callable[[str, str | bytes], str]

BANNER = "%%MatrixMarket matrix coordinate real general\n"


def read(write: Write, text: str | bytes) -> Operand:
    return load(write("a.mtx", text))


def dense(operand: Operand) -> list[list[float]]:
    return operand.matrix.toarray().tolist()


def banner(*words: str) -> str:
    return " ".join(("%%MatrixMarket", *words)) + "\n"


def test_entries_are_sorted_and_rows_keep_their_numbers(write: Write) -> None:
    operand = read(write, BANNER + "4 3 3\n3 3 5\n2 2 -4e0\n2 1 .5\n")
    assert operand.matrix.indptr.tolist() == [0, 0, 2, 3, 3]
    assert operand.matrix.indices.tolist() == [0, 1, 2]
    assert operand.matrix.data.tolist() == [0.5, -4.0, 5.0]
    assert operand.shape == (4, 3)
    assert operand.notes == ()
    assert operand.finite


def test_index_arrays_are_64_bit_and_values_double(write: Write) -> None:
    matrix = read(
        write, banner("matrix", "coordinate", "pattern", "general") + "2 2 1\n1 2\n"
    ).matrix
    assert matrix.indices.dtype == matrix.indptr.dtype == np.int64
    assert matrix.data.dtype == np.float64
    assert matrix.has_canonical_format
    assert matrix.data.tolist() == [1.0]


@pytest.mark.parametrize("name", ["g.mtx", "g.MTX", "g.mtx.gz", "g.txt", "g", "g.tns"])
def test_a_banner_decides_whatever_the_suffix_and_the_name_is_the_stem(
    write: Write, name: str
) -> None:
    operand = load(write(name, BANNER + "1 1 1\n1 1 2\n"))
    assert (operand.name, operand.nnz) == ("g", 1)


@pytest.mark.parametrize("field", ["real", "double", "integer", "unsigned-integer", "REAL"])
def test_fields_of_real_numbers(write: Write, field: str) -> None:
    text = banner("MATRIX", "Coordinate", field, "GENERAL") + "1 2 1\n+1 02 +7\n"
    assert dense(read(write, text)) == [[0.0, 7.0]]


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n"])
@pytest.mark.parametrize("last", ["", "end"])
def test_line_ends_blank_lines_comments_and_leading_blanks(
    write: Write, end: str, last: str
) -> None:
    lines = [
        "  %%MatrixMarket matrix coordinate real general",
        "%%GraphBLAS type double",
        "",
        " % c",
    ]
    lines += ["\t2  2 \t2 ", "", " 1 1  1", "% between", "", "2\t2 2 ", "", ""]
    text = end.join(lines) + (end if last else "")
    assert dense(read(write, text)) == [[1.0, 0.0], [0.0, 2.0]]


def test_line_ends_at_the_edge_of_a_block(write: Write) -> None:
    for size in (65533, 65534, 65535, 65536, 65537):
        head = BANNER + "2 2 2\n"
        comment = "\r\n".join(["%" + "c" * 1000] * 100)
        padding = comment[: size - len(head)]
        text = head + padding.rstrip("\r\n") + "\r\n1 1 1\r\n2 2 x\r\n"
        line = text.count("\n")
        with pytest.raises(InputError, match=rf":{line}:5: 'x' is not a number"):
            read(write, text)


def test_a_byte_order_mark_is_skipped(write: Write) -> None:
    assert read(write, b"\xef\xbb\xbf" + BANNER.encode() + b"1 1 0\n").nnz == 0


def test_sizes_of_zero(write: Write) -> None:
    assert read(write, BANNER + "3 3 0\n").shape == (3, 3)
    assert read(write, BANNER + "0 0 0\n").matrix.indptr.tolist() == [0]
    assert read(write, banner("matrix", "array", "real", "general") + "0 4\n").shape == (0, 4)


def test_one_percent_in_the_banner_is_noted(write: Write) -> None:
    operand = read(write, BANNER[1:] + "1 1 0\n")
    assert operand.notes == ("accepted a banner with one % in place of two",)


def test_duplicates_are_summed_and_zeros_kept(write: Write) -> None:
    operand = read(write, BANNER + "2 2 5\n2 1 1\n1 1 0\n2 1 2\n2 2 3\n2 1 -4\n")
    assert dense(operand) == [[0.0, 0.0], [-1.0, 3.0]]
    assert operand.nnz == 3
    assert operand.notes == ("summed 2 duplicate entries", "kept 1 explicit zero")


def test_written_infinities_and_nan_are_noted(write: Write) -> None:
    operand = read(write, BANNER + "4 1 4\n1 1 inf\n2 1 -Infinity\n3 1 NaN\n4 1 1\n")
    assert operand.notes == ("holds 3 values that are not finite",)
    assert not operand.finite
    assert operand.matrix.data[:2].tolist() == [np.inf, -np.inf]


def test_sums_that_overflow_are_noted_not_warned_about(write: Write) -> None:
    operand = read(write, BANNER + "1 2 4\n1 1 1e308\n1 1 1e308\n1 2 inf\n1 2 -inf\n")
    assert operand.notes[-1] == "holds 2 values that are not finite"


def test_symmetric_files_are_expanded(write: Write) -> None:
    text = banner("matrix", "coordinate", "real", "symmetric") + "3 3 3\n3 1 10\n3 2 20\n3 3 30\n"
    operand = read(write, text)
    assert dense(operand) == [[0, 0, 10], [0, 0, 20], [10, 20, 30]]
    assert operand.notes == ("expanded a symmetric file from 3 to 5 entries",)


def test_real_hermitian_is_symmetric(write: Write) -> None:
    text = banner("matrix", "coordinate", "real", "hermitian") + "2 2 1\n2 1 3\n"
    operand = read(write, text)
    assert dense(operand) == [[0, 3], [3, 0]]
    assert operand.notes[0] == "read a hermitian file of real values as symmetric"


def test_skew_symmetric_files_change_the_sign(write: Write) -> None:
    text = banner("matrix", "coordinate", "real", "skew-symmetric") + "3 3 2\n3 1 10\n3 2 inf\n"
    assert dense(read(write, text)) == [[0, 0, -10], [0, 0, -np.inf], [10, np.inf, 0]]


def test_an_entry_above_the_diagonal_of_a_symmetric_file_is_noted(write: Write) -> None:
    text = banner("matrix", "coordinate", "pattern", "symmetric") + "3 3 2\n1 2\n3 1\n"
    operand = read(write, text)
    assert dense(operand) == [[0, 1, 1], [1, 0, 0], [1, 0, 0]]
    assert operand.notes[0] == "accepted 1 entry above the diagonal of a symmetric file"


def test_array_files_are_by_columns_and_zeros_are_not_entries(write: Write) -> None:
    operand = read(write, banner("matrix", "array", "real", "general") + "2 3\n1\n2\n0\n4\n5\n6\n")
    assert dense(operand) == [[1, 0, 5], [2, 4, 6]]
    assert operand.nnz == 5
    assert operand.notes == ("left out 1 zero of the 6 values of an array",)


def test_symmetric_array(write: Write) -> None:
    text = banner("matrix", "array", "integer", "symmetric") + "3 3\n1\n2\n3\n4\n5\n6\n"
    assert dense(read(write, text)) == [[1, 2, 3], [2, 4, 5], [3, 5, 6]]


def test_skew_symmetric_array_has_no_diagonal(write: Write) -> None:
    text = banner("matrix", "array", "real", "skew-symmetric") + "3 3\n1\n2\n3\n"
    assert dense(read(write, text)) == [[0, -1, -2], [1, 0, -3], [2, 3, 0]]


@pytest.mark.parametrize(
    ("form", "body"), [("coordinate", "3 2\n3 7\n1 5\n"), ("array", "3\n5\n0\n7\n")]
)
def test_vectors(write: Write, form: str, body: str) -> None:
    operand = read(write, banner("vector", form, "real", "general") + body)
    assert operand.shape == (3,)
    assert dense(operand) == [[5, 0, 7]]


def test_a_long_vector_needs_no_row_pointers(write: Write) -> None:
    text = banner("vector", "coordinate", "real", "general") + f"{2**62} 1\n{2**62} 1\n"
    operand = read(write, text)
    assert operand.matrix.shape == (1, 2**62)
    assert operand.matrix.indices.tolist() == [2**62 - 1]


def test_integers_beyond_the_precision_of_doubles_are_noted(write: Write) -> None:
    text = banner("matrix", "coordinate", "integer", "general") + f"1 1 1\n1 1 {2**53 + 1}\n"
    assert read(write, text).notes == ("rounded integers from 2^53 on to the nearest doubles",)


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("", "1", "the file is empty"),
        (" \n\n\t\n", "3", "nothing but blanks"),
        ("1 1 1\n", "1", r"expected the banner .*, found '1 1 1'"),
        ("%%MatrixMarket\n", "1", "expected 5 words .* found 1"),
        (BANNER[:-1] + " x\n", "1:47", "expected 5 words .* found 6"),
        (banner("matrx", "array", "real", "general"), "1:16", "did you mean 'matrix'"),
        (banner("matrix", "coord", "real", "general"), "1:23", "unknown format 'coord'"),
        (banner("matrix", "array", "reel", "general"), "1:29", "did you mean 'real'"),
        (banner("matrix", "array", "real", "\xfc"), "1:34", "unknown symmetry"),
        (banner("matrix", "array", "complex", "general"), "1:29", "the field is 'complex'"),
        (banner("matrix", "array", "pattern", "general"), "1:29", "cannot be 'pattern'"),
        (banner("matrix", "coordinate", "pattern", "hermitian"), "1:42", "cannot be 'hermitian'"),
        (banner("vector", "array", "real", "symmetric"), "1:34", "a vector cannot be 'symmetric'"),
        (BANNER + "% only\n", "2", r"3 sizes \(rows, columns, entries\), found the end"),
        (BANNER + "\n3 3\n", "3", "expected a line with 3 sizes .* found 2 words"),
        (BANNER + "3 3 3 3\n", "2", "found 4 words"),
        (BANNER + "3 3 -3\n", "2:5", "the number of entries is '-3'"),
        (BANNER + "3.0 3 3\n", "2:1", "the number of rows is '3.0'"),
        (BANNER + f"3 {2**63} 3\n", "2:3", "expected an integer from 0 to 2"),
        (banner("matrix", "coordinate", "real", "symmetric") + "2 3 0\n", "2", "is square"),
        (BANNER + "2 2 2\n1 1 1\n1 2\n", "4", "expected 3 numbers .* found 2"),
        (BANNER + "2 2 2\n1 1 1\n1 2 3 4\n", "4:7", "expected 3 numbers .* found 4"),
        (BANNER + "2 2 1\n0 1 1\n", "3:1", "row index is 0; indices start at 1"),
        (BANNER + "2 2 1\n1 -1 1\n", "3:3", "column index '-1' is outside 1 to 2"),
        (BANNER + "2 2 1\n  1   3 1\n", "3:7", "column index '3' is outside 1 to 2"),
        (BANNER + f"2 2 1\n1 {'9' * 5000} 1\n", "3:3", "is outside 1 to 2"),
        (BANNER + f"2 2 1\n{'0' * 60000}x 1 1\n", "3:1", "row index .* is not an integer"),
        (BANNER + "2 2 1\n1.0 1 1\n", "3:1", "row index '1.0' is not an integer"),
        (BANNER + "2 2 1\n1 1_0 1\n", "3:3", "column index '1_0' is not an integer"),
        (BANNER + "2 2 1\n1 1 1_0\n", "3:5", "'1_0' is not a number"),
        (BANNER + "2 2 1\n1 1 \x1b[31m\n", "3:5", r"'\\x1b\[31m' is not a number"),
        (BANNER + "2 2 1\n1 1 1e310\n", "3:5", "the value '1e310' is too large for a double"),
        (BANNER + "2 2 1\n1 1 -.1e400\n", "3:5", "too large"),
        (BANNER + "2 2 1\n1 1 1\n\n% c\n2 2 2\n", "6", "expected 1 entry, found one more"),
        (BANNER + "2 2 3\n1 1 1\n2 2 2\n\n", "5", "expected 3 entries, found 2 before the end"),
        (BANNER + "2 2 1\n1 1\0 1\n", "3", "found a NUL byte"),
        (BANNER + "2 2 1\n% " + "c" * 70000, "3", "the line is longer"),
        (
            banner("matrix", "coordinate", "integer", "general") + "2 2 1\n1 1 1.5\n",
            "3:5",
            "'1.5' is not an integer, as the field",
        ),
        (
            banner("matrix", "coordinate", "unsigned-integer", "general") + "2 2 1\n1 1 -1\n",
            "3:5",
            "'-1' is not an integer of at least 0",
        ),
        (
            banner("matrix", "coordinate", "integer", "general") + f"2 2 1\n1 1 {'9' * 400}\n",
            "3:5",
            "too large for a double",
        ),
        (
            banner("matrix", "coordinate", "pattern", "general") + "2 2 1\n1 1 1\n",
            "3:5",
            r"expected 2 numbers \(row index, column index\), found 3",
        ),
        (
            banner("matrix", "coordinate", "real", "skew-symmetric") + "2 2 2\n2 1 1\n2 2 1\n",
            "4",
            "no entries on its diagonal",
        ),
        (
            banner("matrix", "coordinate", "real", "symmetric") + "3 3 3\n1 1 1\n1 2 1\n2 1 1\n",
            "4",
            r"\(1, 2\) is listed, and so is \(2, 1\)",
        ),
        (
            banner("matrix", "array", "real", "general") + "1 2\n1 2\n",
            "3:3",
            r"expected 1 number \(value\), found 2",
        ),
        (banner("matrix", "array", "real", "general") + "1 2\n1\n", "3", "expected 2 entries"),
        (
            banner("matrix", "array", "real", "skew-symmetric") + "2 2\n1\n2\n",
            "4",
            "found one more",
        ),
    ],
)
def test_faults_name_the_place(write: Write, text: str, place: str, message: str) -> None:
    path = write("a.mtx", text)
    with pytest.raises(InputError, match=re.escape(f"{path}:{place}: ") + f".*{message}"):
        load(path)


@pytest.mark.parametrize(
    ("sizes", "bytes_needed"),
    [(f"{2**40} {2**40} 3", "8,796,093,022,216"), ("1 1 1000000000", "16,000,000,000")],
)
def test_sizes_beyond_the_limit_are_refused_before_anything_is_read(
    write: Write, sizes: str, bytes_needed: str
) -> None:
    path = write("a.mtx", BANNER + sizes + "\n1 1 1\n")
    with pytest.raises(
        InputError, match=rf":2: .* need {bytes_needed} bytes.* 1,073,741,824 bytes"
    ):
        load(path)


def test_an_array_beyond_the_limit_is_refused(write: Write) -> None:
    path = write("a.mtx", banner("matrix", "array", "real", "general") + "100000 100000\n")
    with pytest.raises(InputError, match="10,000,000,000 entries"):
        load(path)
