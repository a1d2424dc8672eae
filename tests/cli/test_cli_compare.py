"""``lanewise compare``: its JSON contract, its table, its sampling."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import pytest

from programs.problem import Problem
from programs.variants import BASELINE, DEFAULT_VARIANTS, VARIANTS
from simulator.cli.main import main

Run = Callable[..., tuple[int, str, str]]

SMALL = ["--data", "mycielskian4"]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def call(*arguments: str) -> tuple[int, str, str]:
        code = main(list(arguments))
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


def compare(run: Run, *arguments: str) -> dict[str, Any]:
    code, out, err = run("compare", *arguments, "--json")
    assert code == 0, err
    document: dict[str, Any] = json.loads(out)
    return document


TOP = {"schema", "kernel", "core", "predictor", "lanes", "data", "variants"}
VARIANT = {
    "variant", "cycles", "instructions", "uops", "steps", "ipc", "ilp_limit", "cycles_per_step",
    "branches", "mispredictions", "mpki", "topdown", "units", "speedup", "verified", "sample",
    "host_seconds",
}  # fmt: skip
TOPDOWN = {"retiring", "bad_speculation", "frontend_bound", "memory_bound", "core_bound"}


def test_the_json_has_exactly_the_fields_of_the_contract(run: Run) -> None:
    document = compare(run, "spgemm", *SMALL)
    assert set(document) == TOP
    assert document["schema"] == 1
    assert [v["variant"] for v in document["variants"]] == list(DEFAULT_VARIANTS)
    for entry in document["data"]:
        assert entry == {"name": "mycielskian4", "shape": [11, 11], "nnz": 40}
    for variant in document["variants"]:
        assert set(variant) == VARIANT
        assert set(variant["topdown"]) == TOPDOWN
        assert all(0 <= share <= 1 for share in variant["units"].values())
        for field in ("cycles", "instructions", "uops", "steps", "branches", "mispredictions"):
            assert isinstance(variant[field], int), field


def test_every_ratio_follows_from_the_counts_beside_it(run: Run) -> None:
    document = compare(run, "spgemm", *SMALL, "--variants", ",".join(VARIANTS))
    base = next(v for v in document["variants"] if v["variant"] == BASELINE)
    for v in document["variants"]:
        assert v["verified"] is True
        assert v["sample"] is None
        assert math.isclose(v["ipc"], v["instructions"] / v["cycles"])
        assert math.isclose(v["mpki"], 1000 * v["mispredictions"] / v["instructions"])
        assert math.isclose(v["cycles_per_step"], v["cycles"] / v["steps"])
        assert math.isclose(v["speedup"], base["cycles"] / v["cycles"])
        assert math.isclose(sum(v["topdown"].values()), 1)
        assert math.isclose(v["topdown"]["retiring"], v["uops"] / (6 * v["cycles"]))
        assert v["ilp_limit"] >= v["ipc"]
        assert v["steps"] == base["steps"]


def test_a_comparison_is_deterministic(run: Run) -> None:
    first, second = (compare(run, "spgemm", *SMALL) for _ in range(2))
    for document in (first, second):
        for variant in document["variants"]:
            del variant["host_seconds"]
    assert first == second


def test_speedups_are_against_the_first_variant_where_the_baseline_is_missing(run: Run) -> None:
    document = compare(run, "spgemm", *SMALL, "--variants", "predicated,branchy")
    first, second = document["variants"]
    assert first["speedup"] == 1
    assert math.isclose(second["speedup"], first["cycles"] / second["cycles"])


def test_a_perfect_predictor_takes_mispredictions_away(run: Run) -> None:
    document = compare(run, "spgemm", *SMALL, "--predictor", "perfect")
    assert document["predictor"] == "perfect"
    assert all(v["mispredictions"] == 0 for v in document["variants"])
    assert all(v["topdown"]["bad_speculation"] == 0 for v in document["variants"])


@pytest.mark.parametrize("lanes", ["2", "4", "8", "16"])
@pytest.mark.parametrize("core", ["golden-cove", "classroom"])
def test_every_form_is_right_on_every_core_at_every_width(run: Run, core: str, lanes: str) -> None:
    document = compare(
        run, "spdot", "--data", "random:400:0.2", "--core", core, "--lanes", lanes,
        "--variants", ",".join(VARIANTS),
    )  # fmt: skip
    assert document["lanes"] == int(lanes)
    assert document["core"] == core
    assert all(v["verified"] for v in document["variants"])


def test_an_override_changes_the_core(run: Run) -> None:
    wide = compare(run, "spgemm", *SMALL)
    narrow = compare(run, "spgemm", *SMALL, "--set", "rob=8", "--set", "l1.latency=9")
    for one, other in zip(wide["variants"], narrow["variants"], strict=True):
        assert other["cycles"] > one["cycles"]
        assert other["instructions"] == one["instructions"]


def test_a_sample_estimates_the_whole_within_its_interval(run: Run) -> None:
    source = ["--data", "random:80x300:0.05", "random:300x6:0.05:9"]
    whole = compare(run, "spgemm", *source, "--sample", "all")
    sampled = compare(run, "spgemm", *source, "--sample", "40", "--seed", "3")
    for full, part in zip(whole["variants"], sampled["variants"], strict=True):
        assert part["sample"]["units"] == 40
        assert part["sample"]["of"] == 80
        low, high = part["sample"]["cycles_ci95"]
        assert low <= part["cycles"] <= high
        assert abs(part["cycles"] - full["cycles"]) <= 0.05 * full["cycles"]
        assert part["steps"] == full["steps"]
        assert math.isclose(part["cycles_per_step"], part["cycles"] / part["steps"], rel_tol=1e-6)
        assert math.isclose(part["ipc"], part["instructions"] / part["cycles"], rel_tol=1e-4)
        low, high = part["sample"]["speedup_ci95"]
        assert low <= part["speedup"] <= high


def test_the_character_of_the_forms_is_as_measured(run: Run) -> None:
    # A real machine takes about 10 cycles a step for select, bound by its carried chain, and
    # loses the branchy form's time to mispredictions; the fast lane is well over twice as fast.
    document = compare(
        run, "spgemm", "--data", "random:4x5000:0.05", "random:5000x4:0.05:1", "--sample", "all"
    )
    forms = {v["variant"]: v for v in document["variants"]}
    select = forms["select"]
    assert 9 <= select["cycles_per_step"] <= 12
    assert 1.0 <= select["ipc"] <= 1.5
    assert select["topdown"]["memory_bound"] + select["topdown"]["core_bound"] >= 0.45
    branchy = forms["branchy"]
    assert branchy["mpki"] > 50
    assert branchy["topdown"]["bad_speculation"] + branchy["topdown"]["frontend_bound"] >= 0.8
    assert forms["dual:001"]["speedup"] >= 2.2


def test_the_table_names_every_form_and_unit_within_a_hundred_columns(run: Run) -> None:
    code, out, _ = run("compare", "spgemm", *SMALL, "--variants", ",".join(VARIANTS))
    assert code == 0
    for name in VARIANTS:
        assert name in out
    for word in ("cycles per step", "IPC", "ILP", "MPKI", "speedup", "equal to SciPy's"):
        assert word in out
    assert max(map(len, out.splitlines())) <= 100
    assert all(line == line.rstrip() for line in out.splitlines())
    assert "\x1b" not in out


def test_every_form_gets_a_sentence_with_numbers(run: Run) -> None:
    _, out, _ = run("compare", "spgemm", *SMALL)
    told = [line for line in out.splitlines() if line.split(":")[0] in VARIANTS or "dual:" in line]
    for name in DEFAULT_VARIANTS:
        sentence = next(line for line in told if line.startswith(f"{name}: "))
        assert any(character.isdigit() for character in sentence)


def test_a_wrong_result_is_reported_and_its_cell_is_no_number(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = Problem.expected
    monkeypatch.setattr(Problem, "expected", lambda self: right(self) + 1.0)
    code, out, err = run("compare", "spgemm", *SMALL)
    assert code == 1
    assert "is wrong: A(0, 0) is" in err
    assert "incorrect" in out
    code, out, _ = run("compare", "spgemm", *SMALL, "--json")
    assert code == 1
    assert [v["verified"] for v in json.loads(out)["variants"]] == [False] * 4
    assert [v["speedup"] for v in json.loads(out)["variants"]] == [None] * 4


def test_empty_data_gives_null_where_there_is_no_step(run: Run, tmp_path: Any) -> None:
    empty = tmp_path / "empty.mtx"
    empty.write_text("%%MatrixMarket matrix coordinate real general\n3 3 0\n")
    document = compare(run, "spgemm", "--data", str(empty))
    for variant in document["variants"]:
        assert variant["steps"] == 0
        assert variant["cycles_per_step"] is None
        assert variant["verified"] is True
    code, out, _ = run("compare", "spgemm", "--data", str(empty))
    assert code == 0
    assert "cycles per step" in out
