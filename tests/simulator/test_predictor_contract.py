"""What every predictor keeps to, whatever it predicts: one contract over all of them."""

from __future__ import annotations

import copy
from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isa.errors import InputError
from simulator.model.branches import Branches
from simulator.predictors import (
    DEFAULT_PREDICTOR,
    PREDICTORS,
    Perfect,
    Predictor,
    make_predictor,
)
from simulator.predictors.counters import CounterTable

# A backward branch at 64, to 0, and a forward one at 128, to 256.
BACKWARD, FORWARD = 64, 128
TARGETS = [0] * 32 + [256] * 32

STATIC: dict[str, Callable[[int], bool]] = {
    "not-taken": lambda _: False,
    "taken": lambda _: True,
    "static": lambda pc: pc in {0, 4, BACKWARD},
}
"""What a predictor that learns nothing says of the branches at `PCS`; all others learn."""

PCS = [0, 4, BACKWARD, FORWARD, 4 * 16384, 2**20, 2**32 + 4, 2**40]

each_predictor = pytest.mark.parametrize("name", sorted(PREDICTORS))


def make(name: str) -> Predictor:
    return make_predictor(name, TARGETS)


def guess(predictor: Predictor, pc: int, *, taken: bool) -> bool:
    """Ask for a prediction; the oracle is shown the outcome first."""
    if isinstance(predictor, Perfect):
        predictor.show(taken=taken)
    return predictor.predict(pc)


def train(predictor: Predictor, seed: int, times: int = 200) -> None:
    random = Random(seed)  # noqa: S311
    for _ in range(times):
        predictor.update(random.choice(PCS), taken=random.random() < 0.6)


def state(predictor: Predictor) -> object:
    """Copy everything that a predictor knows, to any depth."""

    def of(value: object) -> object:
        if isinstance(value, list | tuple):
            return [of(part) for part in value]
        if isinstance(value, dict):
            return {key: of(part) for key, part in value.items()}
        return of(vars(value)) if hasattr(value, "__dict__") else copy.copy(value)

    return of(vars(predictor))


@each_predictor
class TestContract:
    @pytest.mark.parametrize("pc", PCS)
    @pytest.mark.parametrize("taken", [False, True])
    def test_learns_a_branch_that_never_changes(self, name: str, pc: int, taken: bool) -> None:
        predictor = make(name)
        for _ in range(64):
            predictor.update(pc, taken=taken)
        expected = STATIC[name](pc) if name in STATIC else taken
        assert guess(predictor, pc, taken=taken) == expected

    @pytest.mark.parametrize("pc", PCS)
    def test_predicting_changes_nothing(self, name: str, pc: int) -> None:
        predictor = make(name)
        train(predictor, seed=pc)
        if isinstance(predictor, Perfect):
            predictor.show(taken=True)
        before = state(predictor)
        assert predictor.predict(pc) == predictor.predict(pc)
        assert state(predictor) == before

    def test_what_comes_next_does_not_depend_on_how_often_it_was_asked(self, name: str) -> None:
        asked, silent = make(name), make(name)
        random = Random(7)  # noqa: S311
        for _ in range(500):
            pc, taken = random.choice(PCS), random.random() < 0.5
            for _ in range(random.randrange(3)):
                asked.predict(random.choice(PCS))
            asked.update(pc, taken=taken)
            silent.update(pc, taken=taken)
        for pc in PCS:
            assert guess(asked, pc, taken=True) == guess(silent, pc, taken=True)

    def test_fresh_instances_share_nothing(self, name: str) -> None:
        fresh = state(make(name))
        other = make(name)
        train(make(name), seed=1)
        assert state(other) == fresh == state(make(name))

    def test_the_same_outcomes_teach_the_same(self, name: str) -> None:
        first, second = make(name), make(name)
        train(first, seed=3)
        train(second, seed=3)
        assert state(first) == state(second)

    @pytest.mark.parametrize("pc", PCS)
    def test_works_at_any_address(self, name: str, pc: int) -> None:
        predictor = make(name)
        assert isinstance(guess(predictor, pc, taken=True), bool)
        predictor.update(pc, taken=True)
        assert isinstance(guess(predictor, pc, taken=False), bool)

    def test_works_without_targets(self, name: str) -> None:
        assert isinstance(make_predictor(name).predict(BACKWARD), bool)

    def test_is_not_better_than_the_rarer_outcome_on_independent_ones(self, name: str) -> None:
        # Outcomes taken with probability 0.7: no predictor is wrong less often than 0.3 in
        # the long run. Five standard errors of 20,000 outcomes are 0.016.
        branches = Branches(make(name), 17)
        random = Random(11)  # noqa: S311
        wrong = sum(branches.resolve(16, taken=random.random() < 0.7) for _ in range(20_000))
        if name == "perfect":
            assert wrong == 0
        else:
            assert wrong >= 20_000 * (0.3 - 0.016)

    def test_has_a_summary_and_a_source(self, name: str) -> None:
        entry = PREDICTORS[name]
        assert entry.summary
        assert entry.source


def test_the_static_predictor_takes_backward_branches_and_no_others() -> None:
    predictor = make("static")
    train(predictor, seed=5)
    assert predictor.predict(BACKWARD)
    assert not predictor.predict(FORWARD)
    assert not predictor.predict(2**40)


def test_a_branch_to_itself_goes_backward() -> None:
    assert make_predictor("static", [0, 4]).predict(4)


def test_the_default_predictor_exists() -> None:
    assert DEFAULT_PREDICTOR in PREDICTORS


def test_an_unknown_predictor_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(InputError, match=r"no predictor is named 'gshar'; did you mean 'gshare'\?"):
        make_predictor("gshar")


@pytest.mark.parametrize("entries", [0, -4, 3, 12, 1000])
def test_a_table_has_a_power_of_two_of_entries(entries: int) -> None:
    with pytest.raises(InputError, match=f"power of two of entries, not {entries}"):
        CounterTable(entries)


@pytest.mark.parametrize("bits", [0, -1, 9])
def test_a_counter_has_one_to_eight_bits(bits: int) -> None:
    with pytest.raises(InputError, match=f"1 to 8 bits, not {bits}"):
        CounterTable(4, bits)


@given(
    bits=st.integers(1, 8),
    outcomes=st.lists(st.tuples(st.integers(0, 9), st.booleans()), max_size=60),
)
@settings(max_examples=settings.default.max_examples)
def test_a_counter_counts_up_and_down_between_its_ends(
    bits: int, outcomes: list[tuple[int, bool]]
) -> None:
    table = CounterTable(4, bits)
    values = [(1 << bits - 1) - 1] * 4
    for index, taken in outcomes:
        step = 1 if taken else -1
        values[index % 4] = min(max(values[index % 4] + step, 0), (1 << bits) - 1)
        table.train(index, taken=taken)
    assert table.values == values
    assert [table.taken(index) for index in range(8)] == [
        values[index % 4] > (1 << bits) // 2 - 1 for index in range(8)
    ]
