"""How often each form steps, and how many windows a fast lane takes."""

from __future__ import annotations

from collections import Counter
from itertools import product as combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kernel_runs import (
    DUAL,
    FORMS,
    LANES,
    build,
    dot_problem,
    executions,
    merge_steps,
    product_problem,
    trace,
    window_counts,
)
from sparse_strategies import INTEGERS, Product, Vector, pairs, products

from isa.interpreter import Machine
from programs.problem import Problem
from programs.variants import BASELINE

SCALAR = tuple(form for form in FORMS if form not in DUAL)


def labels(problem: Problem, form: str, lanes: int) -> Counter[str]:
    return executions(Machine(build(problem.kernel.name, form, lanes), problem.bindings()))


def steps_by_unit(problem: Problem) -> list[int]:
    """Count, for each execution of ``unit``, the executions of ``step`` that follow it."""
    machine = Machine(build(problem.kernel.name, BASELINE, 4), problem.bindings())
    numbers = machine.program.label_numbers
    counts: list[int] = []
    for number in trace(machine):
        if number == numbers["unit"]:
            counts.append(0)
        elif number == numbers["step"]:
            counts[-1] += 1
    return counts


@given(case=pairs(INTEGERS))
def test_steps_are_those_of_select_and_of_a_merge(case: tuple[Vector, Vector]) -> None:
    problem = dot_problem(*case)
    assert problem.steps().tolist() == [merge_steps(*case)] == steps_by_unit(problem)


@given(case=products(INTEGERS))
def test_steps_of_each_row_are_those_of_select_and_of_merges(case: Product) -> None:
    problem = product_problem(case)
    merged = [sum(merge_steps(row, column) for column in case.right) for row in case.left]
    assert problem.steps().tolist() == merged
    if case.right:  # without columns no row is begun
        assert steps_by_unit(problem) == merged


@given(case=products(INTEGERS), form=st.sampled_from(SCALAR), lanes=st.sampled_from(LANES))
def test_scalar_forms_take_the_same_steps(case: Product, form: str, lanes: int) -> None:
    problem = product_problem(case)
    assert labels(problem, form, lanes)["step"] == problem.steps().sum()


@given(case=pairs(INTEGERS), lanes=st.sampled_from(LANES))
def test_a_fast_lane_takes_windows_while_both_lists_have_one(
    case: tuple[Vector, Vector], lanes: int
) -> None:
    for form in DUAL:
        counts = labels(dot_problem(*case), form, lanes)
        assert (counts["window"], counts["step"]) == window_counts(*case, lanes)


@pytest.mark.parametrize("form", DUAL)
@pytest.mark.parametrize("lanes", LANES)
def test_a_last_full_window_is_left_to_the_fast_lane(form: str, lanes: int) -> None:
    lengths = [count + extra for count in (lanes, 2 * lanes) for extra in (-1, 0, 1)]
    for ours, theirs in combinations(lengths, lengths):
        case = dict.fromkeys(range(ours), 1.0), dict.fromkeys(range(theirs), 1.0)
        counts = labels(dot_problem(*case), form, lanes)
        whole = min(ours, theirs) // lanes
        assert (counts["window"], counts["step"]) == (whole, min(ours, theirs) - whole * lanes)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("case", [({}, {}), ({}, {3: 1.0}), ({3: 1.0}, {})])
def test_without_elements_nothing_is_stepped(form: str, case: tuple[Vector, Vector]) -> None:
    counts = labels(dot_problem(*case), form, 4)
    assert counts["unit"] == 1
    assert counts["step"] == counts["window"] == 0
