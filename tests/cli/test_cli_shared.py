"""The command line on real and on awkward files, where they lie beside the repository."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from simulator.cli.main import main

SHARED = Path(__file__).resolve().parents[3] / "shared"
AWKWARD = SHARED / "awkward"

ACCEPTED = {
    "sym_lower.mtx": 5,
    "skew.mtx": 4,
    "hermitian_real.mtx": 5,
    "explicit_zero.mtx": 5,
    "free_format.mtx": 8,
    "crlf_free_format.mtx": 8,
    "old_mac_cr.mtx": 3,
    "banner_one_percent.mtx": 3,
    "empty_int_0nnz.mtx": 0,
}
"""Entries of the files that a kernel of two square matrices can take."""

needs_shared = pytest.mark.skipif(
    not AWKWARD.is_dir(), reason="no folder 'shared' beside the repository"
)


def names() -> list[str]:
    if not AWKWARD.is_dir():
        return []
    with (AWKWARD / "INDEX.csv").open(encoding="utf-8") as index:
        return [row["name"] for row in csv.DictReader(index)]


@needs_shared
def test_every_accepted_file_is_there() -> None:
    assert set(ACCEPTED) <= set(names())


@needs_shared
@pytest.mark.parametrize("name", names())
def test_an_awkward_file_is_taken_or_refused_by_name_and_line(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["compare", "spgemm", "--data", str(AWKWARD / name), "--json"])
    captured = capsys.readouterr()
    if name in ACCEPTED:
        assert code == 0
        document = json.loads(captured.out)
        assert document["data"][0]["nnz"] == ACCEPTED[name]
        assert all(variant["verified"] for variant in document["variants"])
        return
    assert code == 2
    assert captured.out == ""
    assert name.removesuffix(".mtx") in captured.err
    assert "Traceback" not in captured.err
    assert len(captured.err.splitlines()) == 1


@needs_shared
@pytest.mark.parametrize("name", ["can_24", "bcsstk01", "dwt_59"])
def test_a_real_matrix_verifies_in_every_form(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = SHARED / "matrices" / f"{name}.mtx"
    assert main(["compare", "spgemm", "--data", str(path), "--sample", "30", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert all(variant["verified"] for variant in document["variants"])
