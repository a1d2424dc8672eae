"""Closed forms of misprediction counts: Smith's counters and McFarling's gshare."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import sqrt
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from timing_harness import CLASSROOM, run

from simulator.predictors import PREDICTORS, Entry, Predictor
from simulator.predictors.counters import CounterTable
from simulator.predictors.simple import Bimodal, Gshare


def count_wrong(predictor: Predictor, outcomes: Iterable[bool], pc: int = 0) -> int:
    """Count the mispredictions of one branch."""
    wrong = 0
    for taken in outcomes:
        wrong += predictor.predict(pc) != taken
        predictor.update(pc, taken=taken)
    return wrong


def steady(predictor: Predictor, pattern: Sequence[bool], periods: int = 20) -> Fraction:
    """Return the mispredictions a period after a long warm-up."""
    count_wrong(predictor, [*pattern] * 40)
    return Fraction(count_wrong(predictor, [*pattern] * periods), periods)


def outcomes_of(text: str) -> list[bool]:
    """Read T and N as taken and not taken."""
    return [letter == "T" for letter in text]


def loop(trip: int) -> list[bool]:
    """Return the outcomes of the branch that closes a loop: taken but for the last time."""
    return [True] * (trip - 1) + [False]


def counter(bits: int, state: int) -> Bimodal:
    """Make one counter in a state."""
    predictor = Bimodal(entries=1, bits=bits)
    predictor.table.values[0] = state
    return predictor


def own_history(bits: int) -> Gshare:
    """Make a gshare of one branch: one counter for each history, nothing shared."""
    return Gshare(entries=1 << bits, history=bits)


def miss_rate(bits: int, p: Fraction) -> Fraction:
    """Return the closed form of the miss rate of an n-bit counter: Bernoulli(p) outcomes.

    The stationary weight of state i is (p / q)^i, so not taken is predicted with
    probability q^N / (p^N + q^N), N = 2^(n - 1).
    """
    q, half = 1 - p, 2 ** (bits - 1)
    return (p * q**half + q * p**half) / (p**half + q**half)


PROBABILITIES = [Fraction(n, 100) for n in (1, 20, 50, 70, 80, 90, 99)]


class TestCountersOnIndependentOutcomes:
    @pytest.mark.parametrize("p", PROBABILITIES, ids=str)
    @pytest.mark.parametrize("bits", [1, 2, 3, 5])
    def test_the_counters_own_transitions_give_the_closed_form_exactly(
        self, bits: int, p: Fraction
    ) -> None:
        # What a table does in each state, as a chain, in fractions: its stationary
        # distribution from detailed balance, since it moves by one or not at all.
        size = 1 << bits
        table = CounterTable(size, bits)
        table.values = list(range(size))
        predicted = [table.taken(state) for state in range(size)]
        moves: dict[bool, list[int]] = {}
        for taken in (False, True):
            table.values = list(range(size))
            for state in range(size):
                table.train(state, taken=taken)
            moves[taken] = list(table.values)
        assert all(moves[True][state] == state + 1 for state in range(size - 1))
        assert all(moves[False][state] == state - 1 for state in range(1, size))
        weights = [(p / (1 - p)) ** state for state in range(size)]
        wrong = sum(w * ((1 - p) if t else p) for w, t in zip(weights, predicted, strict=True))
        assert wrong / sum(weights) == miss_rate(bits, p)

    @pytest.mark.parametrize(
        ("bits", "p", "expected"),
        [
            *[(1, p, 2 * p * (1 - p)) for p in (0.5, 0.7, 0.9)],
            (2, 0.5, 0.5),
            (2, 0.7, 0.36207),
            (2, 0.8, 0.23529),
            (2, 0.9, 0.10976),
            (2, 0.99, 0.01010),
            (3, 0.9, 0.10012),
        ],
    )
    def test_long_runs_agree_with_the_published_figures(
        self, bits: int, p: float, expected: float
    ) -> None:
        runs, length = 16, 4000
        wrong = 0
        for seed in range(runs):
            random = Random(seed)  # noqa: S311
            predictor = counter(bits, 1 << (bits - 1))
            count_wrong(predictor, [random.random() < p for _ in range(200)])
            wrong += count_wrong(predictor, [random.random() < p for _ in range(length)])
        error = sqrt(expected * (1 - expected) / (runs * length))
        assert abs(wrong / (runs * length) - expected) < 4 * error + 0.000005


class TestCountersOnPatterns:
    @pytest.mark.parametrize("first", "TN")
    @pytest.mark.parametrize("state", range(4))
    def test_an_alternating_branch_is_wrong_half_the_time_or_always(
        self, state: int, first: str
    ) -> None:
        # Always from the weak state opposite to the first outcome.
        pattern = outcomes_of("TN" if first == "T" else "NT") * 50
        always = state == (1 if first == "T" else 2)
        assert count_wrong(counter(2, state), pattern) == (100 if always else 50)

    @pytest.mark.parametrize("state", range(4))
    def test_two_bits_on_ttn_are_wrong_once_and_on_ttnn_three_times_a_period(
        self, state: int
    ) -> None:
        assert steady(counter(2, state), outcomes_of("TTN")) == 1
        assert steady(counter(2, state), outcomes_of("TTNN")) == 3

    @pytest.mark.parametrize("trip", [2, 3, 4, 7, 30])
    def test_a_loop_costs_one_bit_two_and_two_bits_one_misprediction(self, trip: int) -> None:
        assert {steady(counter(1, state), loop(trip)) for state in range(2)} == {2}
        starts = [0, 2, 3] if trip == 2 else [0, 1, 2, 3]  # from 1, TN TN is all wrong
        assert {steady(counter(2, state), loop(trip)) for state in starts} == {1}

    @pytest.mark.parametrize("bits", [1, 2, 3, 8])
    def test_a_branch_that_never_changes_is_wrong_until_its_counter_crosses_over(
        self, bits: int
    ) -> None:
        half = 1 << (bits - 1)
        for state in range(2 * half):
            assert count_wrong(counter(bits, state), [True] * 300) == max(0, half - state)
            assert count_wrong(counter(bits, state), [False] * 300) == max(0, state - half + 1)


class TestHistory:
    @pytest.mark.parametrize("trip", range(3, 13))
    def test_a_loop_is_right_with_a_history_of_all_but_its_last_turn(self, trip: int) -> None:
        # With one bit less, the context of all taken is that of the exit and of the turn
        # before it, which spoil each other; with less still, of several turns, and the
        # counter stays taken: the exit alone is wrong.
        for history in range(1, trip + 4):
            if history >= trip - 1:
                expected = 0
            elif history == trip - 2:
                expected = 2
            else:
                expected = 1
            assert steady(own_history(history), loop(trip)) == expected, history

    @pytest.mark.parametrize(("trip", "wrong"), [(4, 6), (8, 14), (16, 30)])
    def test_learning_a_loop_with_a_history_of_its_length_costs_twice_the_taken_turns(
        self, trip: int, wrong: int
    ) -> None:
        # From weakly not taken: each of trip - 1 contexts once in steady state and once
        # with the empty history of the start.
        predictor = own_history(trip)
        assert count_wrong(predictor, loop(trip) * 4) == wrong == 2 * (trip - 1)
        assert count_wrong(predictor, loop(trip) * 50) == 0

    @given(
        pattern=st.lists(st.booleans(), min_size=1, max_size=10),
        history=st.integers(1, 10),
    )
    def test_a_pattern_is_right_if_and_only_if_every_context_has_one_successor(
        self, pattern: list[bool], history: int
    ) -> None:
        endless = pattern * 12
        contexts: dict[tuple[bool, ...], set[bool]] = {}
        for start in range(len(pattern)):
            context = tuple(endless[start : start + history])
            contexts.setdefault(context, set()).add(endless[start + history])
        clear = all(len(successors) == 1 for successors in contexts.values())
        assert (steady(own_history(history), pattern) == 0) == clear

    @given(pattern=st.lists(st.booleans(), min_size=2, max_size=10))
    def test_a_history_one_shorter_than_the_period_always_suffices(
        self, pattern: list[bool]
    ) -> None:
        assert steady(own_history(len(pattern) - 1), pattern) == 0

    @pytest.mark.parametrize("distance", [1, 2, 3, 6])
    @pytest.mark.parametrize("history", range(1, 9))
    def test_a_branch_like_one_some_branches_earlier_is_right_if_the_history_reaches_back(
        self, history: int, distance: int
    ) -> None:
        # A random branch, distance - 1 that are always taken, and one that repeats the
        # random one. Addresses lie so far apart that no two share a counter.
        predictor = Gshare(entries=1 << (history + 4), history=history)
        random = Random(history)  # noqa: S311
        wrong = rounds = 0
        for turn in range(1500):
            outcome = random.random() < 0.5
            outcomes = [outcome, *[True] * (distance - 1), outcome]
            for place, taken in enumerate(outcomes):
                pc = 4 * place << history
                if place == distance and turn >= 1000:
                    rounds += 1
                    wrong += predictor.predict(pc) != taken
                predictor.update(pc, taken=taken)
        if history >= distance:
            assert wrong == 0
        else:
            assert abs(wrong / rounds - 0.5) < 5 * 0.5 / sqrt(rounds)

    def test_a_history_of_nothing_is_a_table_by_address(self) -> None:
        random = Random(2)  # noqa: S311
        gshare, bimodal = Gshare(entries=16, history=0), Bimodal(entries=16)
        for _ in range(500):
            pc, taken = 4 * random.randrange(40), random.random() < 0.5
            assert gshare.predict(pc) == bimodal.predict(pc)
            gshare.update(pc, taken=taken)
            bimodal.update(pc, taken=taken)


class TestAliasing:
    # T34: one branch always taken, one never, strictly alternating.
    @pytest.mark.parametrize("bits", [0, 1, 4, 10])
    def test_two_branches_that_share_a_one_bit_counter_are_always_wrong(self, bits: int) -> None:
        predictor = Bimodal(entries=1 << bits, bits=1)
        first, second = 16, 16 + (4 << bits)
        wrong = 0
        for _ in range(100):
            wrong += count_wrong(predictor, [True], first)
            wrong += count_wrong(predictor, [False], second)
        assert wrong == 200

    @pytest.mark.parametrize("bits", [1, 4, 10])
    def test_with_counters_of_their_own_each_is_wrong_at_most_once(self, bits: int) -> None:
        predictor = Bimodal(entries=1 << bits, bits=1)
        first, second = 16, 16 + (2 << bits)
        wrong = [0, 0]
        for _ in range(100):
            wrong[0] += count_wrong(predictor, [True], first)
            wrong[1] += count_wrong(predictor, [False], second)
        assert wrong == [1, 0]

    @pytest.mark.parametrize(("nops", "expected"), [(7, 63 + 63), (6, 0 + 2)])
    def test_a_run_shows_the_aliasing_of_its_branches(
        self, nops: int, expected: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        # Eight counters; the branch that closes the loop and the one that is never taken
        # are eight instructions apart, or seven. In one counter, the one that is never
        # taken is wrong but for the first turn and the loop's but for the last; apart, the
        # loop's is wrong in the first and the last.
        entry = Entry(lambda _: Bimodal(entries=8, bits=1), "", "")
        monkeypatch.setitem(PREDICTORS, "eight", entry)
        lines = ["li x5, 64", "top: addi x5, x5, -1", "bnez x0, end"]
        lines += ["nop"] * nops + ["bnez x5, top", "end:"]
        result = run(lines, CLASSROOM, "eight")
        assert result.mispredictions == expected
