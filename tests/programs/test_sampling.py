"""Which units are drawn, and how good the estimates from them are."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from scipy.stats import binom

import programs.sampling
from isa.errors import InputError
from programs.sampling import AUTO_STEPS, LEAST_UNITS, choose_units, estimate_totals

if TYPE_CHECKING:
    from numpy.typing import NDArray

REPETITIONS = 100


def steps_of(values: list[int]) -> NDArray[np.int64]:
    return np.array(values, dtype=np.int64)


STEPS = st.lists(st.integers(0, 20_000), min_size=1, max_size=400).map(steps_of)
SEEDS = st.integers(0, 2**32)


# Choosing


@given(steps=STEPS, seed=SEEDS)
def test_all_is_all(steps: NDArray[np.int64], seed: int) -> None:
    assert choose_units(steps, "all", seed) is None


@given(steps=STEPS, seed=SEEDS)
@example(steps=steps_of([AUTO_STEPS // 100] * 100), seed=0)
@example(steps=steps_of([AUTO_STEPS // 100] * 99 + [AUTO_STEPS // 100 + 1]), seed=0)
@example(steps=steps_of([10**6] * 31), seed=0)
@example(steps=steps_of([10**6] * 30), seed=0)
@example(steps=steps_of([10**12] * 100), seed=0)
@example(steps=steps_of([0] * 5), seed=0)
@example(steps=steps_of([1000] * 100), seed=0)
def test_auto_takes_about_so_many_steps_and_enough_units(
    steps: NDArray[np.int64], seed: int
) -> None:
    chosen = choose_units(steps, "auto", seed)
    wanted = len(steps) * AUTO_STEPS / max(1, steps.sum())
    if chosen is None:
        assert steps.sum() <= AUTO_STEPS or len(steps) <= max(LEAST_UNITS, wanted + 0.5)
    else:
        assert LEAST_UNITS == 30
        assert len(chosen) >= 30
        assert len(chosen) == 30 or abs(len(chosen) - wanted) <= 0.5
        assert chosen == sorted(set(chosen))
        assert 0 <= chosen[0] <= chosen[-1] < len(steps)


@given(units=st.integers(1, 300), count=st.integers(30, 400), seed=SEEDS)
def test_a_number_is_the_number_of_units(units: int, count: int, seed: int) -> None:
    chosen = choose_units(np.ones(units, dtype=np.int64), str(count), seed)
    if count >= units:
        assert chosen is None
    else:
        assert chosen is not None
        assert len(chosen) == count
        assert chosen == sorted(set(chosen))
        assert 0 <= chosen[0] <= chosen[-1] < units


@pytest.mark.parametrize(
    "request_",
    ["", "0", "1", "29", "-3", "+5", "2.5", "1e3", " 40", "ten", "ALL", "٣٣", "²", "9" * 5000],
)
def test_any_other_request_is_refused(request_: str) -> None:
    message = (
        "--sample takes 'auto', 'all' or a number from 30 on (fewer give no interval to rely "
        f"on), not '{request_}'"
    )
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        choose_units(np.ones(50, dtype=np.int64), request_, 0)


@given(request_=st.sampled_from(["auto", "40"]), seed=SEEDS)
def test_a_seed_draws_the_same_units_again(request_: str, seed: int) -> None:
    steps = np.full(1000, 1000, dtype=np.int64)
    chosen = choose_units(steps, request_, seed)
    assert chosen is not None
    assert chosen == choose_units(steps, request_, seed)
    assert chosen != choose_units(steps, request_, seed + 1)


def test_every_unit_is_drawn_equally_often() -> None:
    steps = np.arange(120, dtype=np.int64) * 1000
    drawn = [unit for seed in range(2000) for unit in choose_units(steps, "30", seed) or []]
    counts = np.bincount(drawn, minlength=120)
    low, high = binom.ppf([1e-5, 1 - 1e-5], 2000, 30 / 120)
    assert ((counts >= low) & (counts <= high)).all()


# Estimating


@given(
    steps=st.lists(st.integers(0, 5000), min_size=40, max_size=200).map(steps_of),
    fixed=st.integers(1, 500),
    each=st.integers(1, 40),
    seed=SEEDS,
)
def test_a_cost_that_is_affine_in_steps_is_estimated_exactly(
    steps: NDArray[np.int64], fixed: int, each: int, seed: int
) -> None:
    chosen = choose_units(steps, "30", seed)
    assert chosen is not None
    assume(len(set(steps[chosen].tolist())) > 1 or len(set(steps.tolist())) == 1)
    costs = fixed + each * steps.astype(np.float64)
    ((total,), (ratio,)) = estimate_totals([costs[chosen]], steps, chosen, seed)
    assert total.value == pytest.approx(
        costs.sum(),
        rel=1e-9,
    )
    assert total.low <= total.value <= total.high
    assert (ratio.value, ratio.low, ratio.high) == (1.0, 1.0, 1.0)
    if len(set(steps[chosen].tolist())) == len(chosen):  # then every resample finds the line
        assert total.low == pytest.approx(total.high, rel=1e-9)


COSTS = st.lists(
    st.tuples(st.integers(0, 5000), st.floats(1, 1e6), st.floats(1, 1e6)), min_size=40, max_size=80
)


@given(units=COSTS, seed=SEEDS, power=st.integers(-3, 3))
def test_a_form_against_itself_or_a_multiple_of_itself_is_exact(
    units: list[tuple[int, float, float]], seed: int, power: int
) -> None:
    steps, first, second = (np.array(values) for values in zip(*units, strict=True))
    chosen = choose_units(steps, "30", seed)
    scale = 2.0**power
    costs = [first[chosen], second[chosen], first[chosen] * scale, first[chosen]]
    totals, ratios = estimate_totals(costs, steps, chosen, seed)
    assert totals[3] == totals[0]
    assert (ratios[0].value, ratios[0].low, ratios[0].high) == (1.0, 1.0, 1.0)
    assert ratios[3] == ratios[0]
    assert totals[2].value == totals[0].value * scale
    assert totals[2].low == totals[0].low * scale
    assert totals[2].high == totals[0].high * scale
    assert ratios[2].value == ratios[2].low == ratios[2].high == 1 / scale
    assert ratios[1].value == totals[0].value / totals[1].value
    for estimate in (*totals, *ratios):
        assert estimate.low <= estimate.value <= estimate.high


@given(units=COSTS, seed=SEEDS)
def test_a_sample_of_everything_is_the_total(
    units: list[tuple[int, float, float]], seed: int
) -> None:
    steps, cost, _ = (np.array(values) for values in zip(*units, strict=True))
    totals, _ = estimate_totals([cost], steps, range(len(steps)), seed)
    assert totals[0].value == pytest.approx(cost.sum(), rel=1e-9)


def test_estimates_do_not_depend_on_how_many_units_are_drawn_at_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    steps, cost = population("skewed")[:2]
    chosen = choose_units(steps, "77", 0)
    results = []
    for block in (1, 1000, 10**9):
        monkeypatch.setattr(programs.sampling, "_BLOCK", block)
        results.append(estimate_totals([cost[chosen]], steps, chosen, 0))
    assert results[0] == results[1] == results[2]


def population(kind: str) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Make up the steps of 1500 units and their costs in two forms, related to each other."""
    generator = np.random.default_rng(1)
    units = 1500
    steps = {
        "even": generator.integers(50, 150, units),
        "skewed": np.round(generator.lognormal(4, 0.8, units)).astype(np.int64),
        "two kinds": np.where(
            generator.random(units) < 0.2,
            generator.integers(200, 400, units),
            generator.integers(0, 20, units),
        ),
    }[kind]
    spread = np.sqrt(steps + 1)
    common, own = generator.normal(size=(2, units))
    first = 10.0 * steps + 60 + 8 * spread * common
    second = 4.0 * steps + 90 + spread * (3 * common + 2 * own)
    return steps, first, second


@pytest.mark.parametrize("kind", ["even", "skewed", "two kinds"])
@pytest.mark.parametrize("count", [LEAST_UNITS, 100])
def test_95_of_100_intervals_hold_the_truth(kind: str, count: int) -> None:
    steps, first, second = population(kind)
    truths = first.sum(), first.sum() / second.sum()
    estimates = []
    for seed in range(REPETITIONS):
        chosen = choose_units(steps, str(count), seed)
        totals, ratios = estimate_totals([first[chosen], second[chosen]], steps, chosen, seed)
        estimates.append((totals[0], ratios[1]))
    for truth, series in zip(truths, zip(*estimates, strict=True), strict=True):
        held = sum(estimate.low <= truth <= estimate.high for estimate in series)
        # The bootstrap of 30 units is known to fall short by a few percent.
        assert held >= binom.ppf(1e-3, REPETITIONS, 0.92 if count < 100 else 0.94)
        # Nor are they wider than the estimates vary.
        values = np.array([estimate.value for estimate in series])
        half = np.mean([estimate.high - estimate.low for estimate in series]) / 2
        assert 0.8 < half / (1.96 * values.std()) < 1.25
        assert abs(values.mean() - truth) < 4 * values.std() / np.sqrt(REPETITIONS)


def test_steps_make_estimates_better_than_means_do() -> None:
    steps, cost, _ = population("skewed")
    samples = [choose_units(steps, "30", seed) for seed in range(REPETITIONS)]
    means = [len(steps) * cost[chosen].mean() for chosen in samples]
    estimates = [
        estimate_totals([cost[chosen]], steps, chosen, 0)[0][0].value for chosen in samples
    ]
    assert np.std(estimates) < 0.3 * np.std(means)
