"""What every form computes, against SciPy and against plain Python."""

from __future__ import annotations

import math
from itertools import product as combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kernel_runs import (
    DUAL,
    EXACT,
    FORMS,
    LANES,
    LIMIT,
    bits,
    build,
    computed,
    dot,
    dot_problem,
    dots,
    output,
    product_problem,
    ran,
    raw_bindings,
    windows,
)
from sparse_strategies import (
    ANY,
    EXTREMES,
    FINITE,
    HIGHER,
    INTEGERS,
    Product,
    Vector,
    pairs,
    products,
)

from isa.errors import CheckError
from isa.interpreter import Machine

INF = math.inf
NAN = math.nan
EXPLANATION = "multiplies unmatched elements by 0.0, which makes NaN of them"

each_form = pytest.mark.parametrize("form", FORMS)
each_width = pytest.mark.parametrize("lanes", LANES)
each_kernel = pytest.mark.parametrize("kernel", ["spdot", "spgemm"])


def ones(coordinates: range | list[int] | tuple[int, ...]) -> Vector:
    return dict.fromkeys(coordinates, 1.0)


def numbered(coordinates: range | list[int]) -> Vector:
    """Give each coordinate a value of its own, so that a wrong pair is seen."""
    return {at: float(3 + 2 * number) for number, at in enumerate(coordinates)}


@given(case=pairs(FINITE), lanes=st.sampled_from(LANES))
def test_exact_forms_add_one_product_after_the_other(
    case: tuple[Vector, Vector], lanes: int
) -> None:
    for form in EXACT:
        assert bits(computed(dot_problem(*case), form, lanes)) == bits([dot(*case)])


@given(case=pairs(FINITE), lanes=st.sampled_from(LANES))
def test_dual_forms_are_within_the_error_bound(case: tuple[Vector, Vector], lanes: int) -> None:
    problem = dot_problem(*case)
    for form in DUAL:
        (result,) = computed(problem, form, lanes)
        assert abs(result - dot(*case)) <= problem.error_bound()[0]


@given(case=pairs(INTEGERS), swapped=st.sampled_from(FORMS), lanes=st.sampled_from(LANES))
def test_exact_sums_are_the_same_in_every_form_and_order_of_operands(
    case: tuple[Vector, Vector], swapped: str, lanes: int
) -> None:
    problem = dot_problem(*case)
    for form in FORMS:
        assert computed(problem, form, lanes) == [dot(*case)]
    assert computed(dot_problem(*reversed(case)), swapped, lanes) == [dot(*case)]


@given(case=pairs(ANY), lanes=st.sampled_from(LANES))
def test_exact_forms_treat_infinities_and_nan_as_scipy(
    case: tuple[Vector, Vector], lanes: int
) -> None:
    for form in EXACT:
        assert bits(computed(dot_problem(*case), form, lanes)) == bits([dot(*case)])


def poisoned(left: Vector, right: Vector, lanes: int) -> bool:
    """Whether a window of B holds an infinity or NaN that C's window does not match."""
    return any(
        not math.isfinite(left[at])
        for ours, theirs in windows(left, right, lanes)
        for at in ours
        if at not in theirs
    )


@given(
    case=pairs(FINITE | st.sampled_from([INF, -INF, NAN])).filter(lambda case: min(map(len, case))),
    lanes=st.sampled_from(LANES),
)
def test_dual_forms_are_wrong_only_if_a_window_holds_an_unmatched_infinity(
    case: tuple[Vector, Vector], lanes: int
) -> None:
    problem = dot_problem(*case)
    for form in DUAL:
        if poisoned(*case, lanes) and not math.isnan(dot(*case)):
            with pytest.raises(CheckError, match=EXPLANATION):
                ran(problem, form, lanes)
        else:
            ran(problem, form, lanes)


@each_form
@each_width
def test_an_infinity_without_a_match_is_right_or_explained(form: str, lanes: int) -> None:
    left, right = ones(range(lanes)) | {lanes: INF}, ones(range(lanes))
    assert computed(dot_problem(left, right), form, lanes) == [lanes]  # left to the epilogue
    assert computed(dot_problem(right, left), form, lanes) == [lanes]
    inside, other = {0: INF} | ones(range(2, 2 * lanes)), ones(range(1, 2 * lanes))
    assert computed(dot_problem(other, inside), form, lanes) == [2 * lanes - 2]
    if form in DUAL:
        with pytest.raises(CheckError, match=f"spdot:{form} is wrong: y is nan.*{EXPLANATION}"):
            ran(dot_problem(inside, other), form, lanes)
    else:
        assert computed(dot_problem(inside, other), form, lanes) == [2 * lanes - 2]


@each_form
@each_width
@pytest.mark.parametrize("before", [0, 20])
def test_a_stored_zero_times_infinity_is_nan(form: str, lanes: int, before: int) -> None:
    left, right = ones(range(before)) | {99: 0.0}, ones(range(before)) | {99: INF}
    assert math.isnan(computed(dot_problem(left, right), form, lanes)[0])


@each_form
@each_width
@pytest.mark.parametrize("before", [0, 20])
def test_a_sum_that_starts_from_zero_has_no_negative_zero(
    form: str, lanes: int, before: int
) -> None:
    left, right = ones(range(before + 1)), dict.fromkeys(range(before + 1), -0.0)
    assert bits(computed(dot_problem(left, right), form, lanes)) == bits([0.0])


@each_form
@each_width
def test_lengths_around_the_window(form: str, lanes: int) -> None:
    lengths = [count + extra for count in (lanes, 2 * lanes) for extra in (-1, 0, 1)]
    for ours, theirs in combinations(lengths, lengths):
        for left, right in (
            (range(ours), range(theirs)),
            (range(0, 2 * ours, 2), range(1, 2 * theirs, 2)),
            (range(0, 2 * ours, 2), range(0, 3 * theirs, 3)),
        ):
            case = numbered(left), numbered(right)
            bound = raw_bindings("spdot", Product([case[0]], [case[1]], 0))
            machine = Machine(build("spdot", form, lanes), bound)
            for array in machine.memory.arrays.values():
                assert not machine.memory.holds(array.base + array.size, 1)
            machine.run(LIMIT)  # which faults on an access behind a list
            assert output(machine) == [dot(*case)], case


@given(
    case=st.tuples(*[st.sets(st.sampled_from(EXTREMES + HIGHER) | st.integers(0, 2**64 - 1))] * 2),
    lanes=st.sampled_from(LANES),
)
def test_coordinates_are_unsigned_and_64_bits_wide(
    case: tuple[set[int], set[int]], lanes: int
) -> None:
    left, right = (numbered(sorted(support)) for support in case)
    bound = raw_bindings("spdot", Product([left], [right], 0))
    for form in FORMS:
        machine = Machine(build("spdot", form, lanes), bound)
        machine.run(LIMIT)
        assert output(machine) == [dot(left, right)]


@each_form
@each_width
@pytest.mark.parametrize(
    ("left", "right"),
    [
        ([1459905072], list(range(7, 17))),  # one list ends without a match
        ([5, 6], [800261, 800262]),  # equal in their low bytes
        ([1], [1 + 2**32]),
        ([2**31], [2**32 + 2**31]),
        ([], []),
        ([], list(range(40))),
        (list(range(40)), []),
        (list(range(40)), list(range(40, 80))),
        (list(range(40, 80)), list(range(40))),
        (list(range(0, 80, 2)), list(range(1, 80, 2))),
    ],
)
def test_without_a_match_the_sum_is_zero(
    form: str, lanes: int, left: list[int], right: list[int]
) -> None:
    assert bits(computed(dot_problem(ones(left), ones(right)), form, lanes)) == bits([0.0])


@each_form
@each_width
@pytest.mark.parametrize("at", [0, 77, 199])
def test_one_element_against_200(form: str, lanes: int, at: int) -> None:
    left, right = {at: 2.0}, numbered(range(200))
    for case in ((left, right), (right, left)):
        assert computed(dot_problem(*case), form, lanes) == [2.0 * right[at]]


@given(case=products(FINITE), lanes=st.sampled_from(LANES))
def test_exact_forms_multiply_matrices_in_order(case: Product, lanes: int) -> None:
    for form in EXACT:
        assert bits(computed(product_problem(case), form, lanes)) == bits(dots(case))


@given(case=products(FINITE), lanes=st.sampled_from(LANES))
def test_dual_forms_multiply_matrices_within_the_error_bound(case: Product, lanes: int) -> None:
    problem = product_problem(case)
    for form in DUAL:
        result = computed(problem, form, lanes)
        for value, expected, bound in zip(result, dots(case), problem.error_bound(), strict=True):
            assert abs(value - expected) <= bound


@given(case=products(INTEGERS), lanes=st.sampled_from(LANES))
def test_exact_products_are_the_same_in_every_form(case: Product, lanes: int) -> None:
    problem = product_problem(case)
    for form in FORMS:
        assert computed(problem, form, lanes) == dots(case)


@each_form
@each_width
def test_empty_rows_and_columns_keep_their_numbers(form: str, lanes: int) -> None:
    rows = [{}, {}, {0: 2.0, 2: 3.0}, {}, {1: 5.0}]
    columns = [{}, {0: 7.0, 2: 1.0}, {}, {1: 1.0}]
    problem = product_problem(Product(rows, columns, 3))
    assert problem.left.indptr.tolist() == [0, 0, 0, 2, 2, 3]
    result = [0.0] * 20
    result[2 * 4 + 1] = 17.0
    result[4 * 4 + 3] = 5.0
    assert computed(problem, form, lanes) == result


@each_form
@each_width
def test_merges_one_after_the_other_start_anew(form: str, lanes: int) -> None:
    problem = product_problem(Product([{1: 1.0, 5: 1.0}], [{5: 1.0}, {1: 1.0}], 6))
    assert computed(problem, form, lanes) == [1.0, 1.0]
    long = numbered(range(3 * lanes))
    problem = product_problem(Product([long, long], [long, long, long], 3 * lanes))
    assert computed(problem, form, lanes) == [dot(long, long)] * 6


@each_form
@pytest.mark.parametrize(("rows", "columns"), [(0, 0), (0, 3), (3, 0)])
def test_a_product_without_elements_is_empty(form: str, rows: int, columns: int) -> None:
    case = Product([{0: 1.0}] * rows, [{0: 1.0}] * columns, 1)
    assert computed(product_problem(case), form, 4) == []


@given(case=products(INTEGERS), form=st.sampled_from(FORMS), lanes=st.sampled_from(LANES))
def test_a_row_is_what_it_is_alone(case: Product, form: str, lanes: int) -> None:
    problem = product_problem(case)
    chosen = range(problem.units)[::2]
    part = Product([case.left[row] for row in chosen], case.right, case.inner)
    assert computed(problem.rows(chosen), form, lanes) == dots(part)


@each_kernel
@given(case=products(INTEGERS), form=st.sampled_from(FORMS), lanes=st.sampled_from(LANES))
def test_a_run_changes_its_output_and_nothing_else(
    kernel: str, case: Product, form: str, lanes: int
) -> None:
    if kernel == "spdot":
        case = Product([*case.left, {}][:1], [*case.right, {}][:1], case.inner)
    count = len(case.left) * len(case.right)
    name = "y" if kernel == "spdot" else "A"
    bound = raw_bindings(kernel, case) | {name: [float(number) for number in range(count)]}
    machine = Machine(build(kernel, form, lanes), bound)
    array = machine.memory.arrays[name]
    assert array.count == count
    before = bytes(machine.memory._bytes)
    machine.run(LIMIT)
    after = bytes(machine.memory._bytes)
    assert before[: array.base] == after[: array.base]
    assert before[array.base + array.size :] == after[array.base + array.size :]
    assert output(machine) == [number + value for number, value in enumerate(dots(case))]
