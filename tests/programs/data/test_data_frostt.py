"""FROSTT files, plain and extended, written anew."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from isa.errors import InputError
from programs.data import load

Write = Callable[[str, str | bytes], str]

EXTENDED = "# extended FROSTT format\n"


def test_plain_matrix_with_comments_tabs_and_blanks(write: Write) -> None:
    operand = load(write("a.tns", "# sizes are not stated\n\n1\t3\t2.0 \r\n  2 1 1.5\n\n \n"))
    assert operand.shape == (2, 3)
    assert operand.matrix.toarray().tolist() == [[0, 0, 2], [1.5, 0, 0]]
    assert operand.notes == ("took the size 2 x 3 from the largest indices",)


def test_plain_vector(write: Write) -> None:
    operand = load(write("a.tns.gz", "3 1.5\n1 2\n3 1\n"))
    assert (operand.name, operand.shape) == ("a", (3,))
    assert operand.matrix.toarray().tolist() == [[2, 0, 2.5]]
    assert operand.notes[1:] == ("summed 1 duplicate entry",)


@pytest.mark.parametrize("name", ["a.tns", "a.dat", "a.tns.gz", "a.mtx"])
def test_extended_vector_keeps_its_length(write: Write, name: str) -> None:
    operand = load(write(name, EXTENDED + "1 2\n# c\n7\n5 1.0\n2 0\n"))
    assert operand.shape == (7,)
    assert operand.matrix.indices.tolist() == [1, 4]
    assert operand.notes == ("kept 1 explicit zero",)


def test_extended_matrix(write: Write) -> None:
    operand = load(write("a.tns", "#Extended Frostt\n2 1\n4 5\n4 5 -1e1\n"))
    assert operand.shape == (4, 5)
    assert operand.matrix[3, 4] == -10.0


def test_a_first_line_of_another_comment_is_plain(write: Write) -> None:
    assert load(write("a.tns", "# not extended\n1 2\n2 2\n")).shape == (2,)


def test_extended_without_entries(write: Write) -> None:
    assert load(write("a.tns", EXTENDED + "2 0\n2 3\n")).shape == (2, 3)


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("", "1", "the file is empty"),
        ("# c\n\n", "2", "comments only"),
        ("5\n", "1", "expected indices and a value, found 1 word"),
        ("1 1 1\n0 1 1.0\n", "2:1", "row index is 0; indices start at 1"),
        ("1 1 1\n1 1\n", "2", "expected 3 numbers .* found 2"),
        ("1 1\n1 1 1\n", "2:5", r"expected 2 numbers \(index, value\), found 3"),
        ("1 x\n", "1:3", "'x' is not a number"),
        ("1 1e999\n", "1:3", "too large for a double"),
        (f"{2**63} 1\n", "1:1", f"is outside 1 to {2**63 - 1}"),
        ("# c\n1 2 3 4.0\n", "2", "no kernel takes tensors of order 3 yet"),
        ("1 2 0 4.0\n", "1:5", "index 3 is 0"),
        ("sptensor\n3\n5 4 3\n", "1", r"'sptensor' begins a file in the Tensor Toolbox \(pyttb\)"),
        (EXTENDED, "1", r"2 sizes \(dimensions, entries\), found the end"),
        (EXTENDED + "3 1\n2 2 2\n1 1 1 1\n", "2", "no kernel takes tensors of order 3 yet"),
        (EXTENDED + "0 1\n", "2", "of order 0"),
        (EXTENDED + "2 1\n2\n", "3", "found 1 word"),
        (EXTENDED + "2 1\n2 2\n1 3 1\n", "4:3", "column index '3' is outside 1 to 2"),
        (EXTENDED + "2 1\n2 2\n", "3", "expected 1 entry, found 0"),
        (EXTENDED + "1 1\n2\n1 1\n2 1\n", "5", "expected 1 entry, found one more"),
    ],
)
def test_faults_name_the_place(write: Write, text: str, place: str, message: str) -> None:
    path = write("a.tns", text)
    with pytest.raises(InputError, match=re.escape(f"{path}:{place}: ") + f".*{message}"):
        load(path)


def test_a_row_index_that_needs_too_many_row_pointers(write: Write) -> None:
    path = write("a.tns", f"1 1 1\n{2**40} 1 1\n2 1 1\n")
    with pytest.raises(InputError, match=r":2: 1,099,511,627,776 rows need .* the limit of"):
        load(path)


def test_entries_beyond_the_limit(write: Write) -> None:
    path = write("a.tns", "1 1\n2 1\n3 1\n4 1\n5 1\n")
    assert load(path, max_bytes=80).nnz == 5
    with pytest.raises(InputError, match=":5: the entries need more than 64 bytes"):
        load(path, max_bytes=64)


def test_a_long_vector(write: Write) -> None:
    assert load(write("a.tns", f"{2**63 - 1} 1\n")).shape == (2**63 - 1,)
