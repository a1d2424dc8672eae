"""A kernel with its data: loading, binding, the expected result, and what is refused."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kernel_runs import (
    DUAL,
    EXACT,
    FORMS,
    LIMIT,
    bits,
    build,
    compressed,
    computed,
    dot,
    dot_problem,
    dots,
    output,
    product_problem,
    raw_bindings,
)
from scipy.sparse import csr_array
from sparse_strategies import FINITE, Product, Vector, pairs, products

from isa.errors import CheckError, InputError, LimitError
from isa.interpreter import Machine
from programs.catalogue import KERNELS, Kernel, find_kernel
from programs.data import Operand
from programs.problem import (
    INSTRUCTIONS_PER_PAIR,
    INSTRUCTIONS_PER_STEP,
    MOST_OUTPUT,
    Problem,
    check_feasible,
    load_problem,
    make_problem,
)
from programs.variants import BASELINE, DEFAULT_VARIANTS, VARIANTS, find_variant

SPDOT, SPGEMM = KERNELS["spdot"], KERNELS["spgemm"]
SMALL = Product([{0: 1.0, 2: 2.0}, {1: 3.0}], [{0: 1.0}, {}, {1: 2.0, 2: 4.0}], 3)


def operand(name: str, rows: list[Vector], columns: int, *, vector: bool = False) -> Operand:
    matrix = compressed(rows, columns)
    return Operand(name=name, matrix=matrix, shape=(columns,) if vector else matrix.shape)


def machine_with(problem: Problem, values: list[float]) -> Machine:
    """Return a machine whose output array holds some values, as if a run had left them."""
    name = "y" if problem.kernel is SPDOT else "A"
    return Machine(build(problem.kernel.name, BASELINE, 4), problem.bindings() | {name: values})


def refused(message: str) -> pytest.RaisesExc[InputError]:
    return pytest.raises(InputError, match=f"^{re.escape(message)}$")


# Loading


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
@pytest.mark.parametrize("form", FORMS)
def test_default_data_can_be_run(form: str, kernel: Kernel) -> None:
    problem = load_problem(kernel, [])
    assert problem.steps().sum() > 1000
    part = problem.rows([problem.units // 2])
    machine = Machine(build(problem.kernel.name, form, 4), part.bindings())
    machine.run()
    part.verify(machine, VARIANTS[form])
    assert any(output(machine))


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
def test_any_other_number_of_sources_is_refused(kernel: Kernel) -> None:
    sources = ["random:9:1"] * (len(kernel.operands) + 1)
    with refused(
        f"{kernel.name} takes 2 operands ({kernel.expression}): give one source for each with "
        "--data, or one for all; found 3"
    ):
        load_problem(kernel, sources)


def test_one_source_serves_all_operands() -> None:
    problem = load_problem(SPGEMM, ["Trefethen_20"])
    first, second = problem.operands
    assert first is second
    assert first.name == "Trefethen_20"
    assert np.array_equal(problem.left.todense(), problem.right.todense().T)


@pytest.mark.parametrize(
    "sources",
    [["random:500:0.2"], ["random:500:0.2"] * 2, ["random:500:0.2", "random:500:0.1"]],
    ids=["one for all", "one for each", "of different density"],
)
def test_random_operands_without_a_seed_are_independent(sources: list[str]) -> None:
    problem = load_problem(SPDOT, sources)
    first, second = (set(operand.matrix.indices.tolist()) for operand in problem.operands)
    chance = len(first) * len(second) / 500
    assert abs(len(first & second) - chance) < 5 * math.sqrt(chance)
    again = load_problem(SPDOT, [problem.operands[0].name, problem.operands[1].name])
    assert np.array_equal(again.left.data, problem.left.data)
    assert np.array_equal(again.right.data, problem.right.data)


def test_a_seed_that_is_given_is_kept() -> None:
    first, second = load_problem(SPDOT, ["random:500:0.2:7"] * 2).operands
    assert first is second
    assert first.name == "random:500:0.2:7"


def test_a_row_and_a_column_are_the_same_vector(tmp_path: Path) -> None:
    header = "%%MatrixMarket matrix coordinate real general\n"
    row, column = tmp_path / "row.mtx", tmp_path / "column.mtx"
    row.write_text(header + "1 9 3\n1 2 1.5\n1 5 -2\n1 9 4\n")
    column.write_text(header + "9 1 3\n2 1 1.5\n5 1 -2\n9 1 4\n")
    problem = load_problem(SPDOT, [str(row), str(column)])
    assert problem.left.shape == problem.right.shape == (1, 9)
    assert problem.left.indices.tolist() == problem.right.indices.tolist() == [1, 4, 8]
    assert computed(problem, BASELINE, 4) == [1.5**2 + 2.0**2 + 4.0**2]


def test_vectors_of_different_length_are_refused() -> None:
    vectors = (operand("u", [{0: 1.0}], 5, vector=True), operand("v", [{0: 1.0}], 6, vector=True))
    with refused("spdot takes two vectors of one length; 'u' has 5 elements and 'v' 6"):
        make_problem(SPDOT, vectors)


def test_a_matrix_for_a_vector_is_refused() -> None:
    vector, matrix = operand("u", [{}], 5, vector=True), operand("M", [{}, {}], 5)
    with refused("spdot takes vectors, and 'M' is a matrix of 2x5"):
        make_problem(SPDOT, (vector, matrix))


def test_a_vector_for_a_matrix_is_refused() -> None:
    vector, matrix = operand("u", [{}], 5, vector=True), operand("M", [{}] * 5, 5)
    for operands in ((vector, matrix), (matrix, vector)):
        with refused("spgemm takes matrices, and 'u' is a vector"):
            make_problem(SPGEMM, operands)


def test_shapes_that_do_not_fit_are_refused() -> None:
    with refused(
        "A(i,k) = sum_j B(i,j) * C(j,k) needs as many columns in B as rows in C: "
        "'M' is 2x3 and 'N' is 4x5"
    ):
        make_problem(SPGEMM, (operand("M", [{}] * 2, 3), operand("N", [{}] * 4, 5)))


def test_unknown_names_get_the_nearest() -> None:
    with refused("no kernel is named 'spgem'; did you mean 'spgemm'?"):
        find_kernel("spgem")
    with refused("no kernel is named 'quux'; known: " + ", ".join(sorted(KERNELS))):
        find_kernel("quux")
    with refused("no variant is named 'dual:00'; did you mean 'dual:001'?"):
        find_variant("dual:00")
    with refused("no variant is named 'Select'; did you mean 'select'?"):
        find_variant("Select")
    with refused("no variant is named 'quux'; known: " + ", ".join(sorted(VARIANTS))):
        find_variant("quux")


def test_names_find_what_they_name() -> None:
    assert {name: find_kernel(name) for name in KERNELS} == KERNELS
    assert {name: find_variant(name) for name in VARIANTS} == VARIANTS
    assert {BASELINE, *DEFAULT_VARIANTS} <= set(VARIANTS)


# Large coordinates


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("columns", [2**31, 2**32 + 1, 2**40, 2**62])
def test_dimensions_beyond_32_bits_are_taken(form: str, columns: int) -> None:
    rows = [{0: 2.0, 2**31 - 1: 3.0, columns - 1: 5.0}]
    vector = operand("u", rows, columns, vector=True)
    problem = make_problem(SPDOT, (vector, vector))
    assert problem.bindings()["B_crd"].tolist() == sorted(rows[0])
    assert computed(problem, form, 4) == [dot(rows[0], rows[0])]
    assert problem.steps().tolist() == [len(rows[0])]


def test_a_random_vector_may_be_longer_than_memory() -> None:
    problem = load_problem(SPDOT, [f"random:{2**40}:1e-11"])
    assert problem.left.shape == (1, 2**40)
    assert computed(problem, BASELINE, 4) == problem.expected().tolist()


def test_more_columns_than_a_dense_row_may_have_are_refused() -> None:
    left, right = operand("M", [{0: 1.0}], 1), operand("wide", [{0: 1.0, 2**40 - 1: 1.0}], 2**40)
    with refused(
        "spgemm would write rows of 1,099,511,627,776 elements, one for each column of 'wide', "
        "more than 134,217,728; take smaller data"
    ):
        make_problem(SPGEMM, (left, right))


# Binding


def held(problem: Problem) -> str:
    """Return what the arrays hold, as text, in which zeros keep their signs."""
    bound = problem.bindings()
    for name, view in bound.items():
        if isinstance(view, memoryview):
            assert view.itemsize == 8
            assert (view.format == "d") == name.endswith("val")
            bound[name] = view.tolist()
    return repr(sorted(bound.items()))


@given(case=products(FINITE))
def test_arrays_hold_the_matrices(case: Product) -> None:
    assert held(product_problem(case)) == repr(sorted(raw_bindings("spgemm", case).items()))


@given(case=pairs(FINITE))
def test_arrays_hold_the_vectors(case: tuple[Vector, Vector]) -> None:
    expected = raw_bindings("spdot", Product([case[0]], [case[1]], 0))
    assert held(dot_problem(*case)) == repr(sorted(expected.items()))


@pytest.mark.parametrize("form", FORMS)
def test_the_right_matrix_is_walked_by_columns(form: str) -> None:
    problem = load_problem(SPGEMM, ["random:7x9:0.5:1", "random:9x5:0.5:2"])
    left, right = (operand.matrix.todense() for operand in problem.operands)
    assert np.allclose(problem.expected().reshape(7, 5), left @ right, rtol=1e-14)
    assert problem.right.shape == (5, 9)
    for column in range(5):
        first, last = problem.right.indptr[column : column + 2]
        rows = np.flatnonzero(right[:, column])
        assert problem.right.indices[first:last].tolist() == rows.tolist()
        assert problem.right.data[first:last].tolist() == right[rows, column].tolist()
    computed(problem, form, 4)


@given(case=products(FINITE))
def test_expected_is_the_product(case: Product) -> None:
    problem = product_problem(case)
    values, bounds = problem.expected(), problem.error_bound()
    for value, exact, bound in zip(values, dots(case), bounds, strict=True):
        assert abs(value - exact) <= bound


@given(case=products(FINITE), data=st.data())
def test_chosen_rows_are_the_problem_of_those_rows(case: Product, data: st.DataObject) -> None:
    problem = product_problem(case)
    chosen = data.draw(st.lists(st.sampled_from(range(problem.units)))) if problem.units else []
    part = problem.rows(chosen)
    assert part.units == len(chosen)
    assert part.steps().tolist() == problem.steps()[chosen].tolist()
    columns = len(case.right)
    rows = problem.expected().reshape(problem.units, columns)[chosen]
    assert bits(part.expected().tolist()) == bits(rows.reshape(-1).tolist())
    kept = Product([case.left[row] for row in chosen], case.right, 0)
    assert held(part) == repr(sorted(raw_bindings("spgemm", kept).items()))


# Verifying


@given(case=pairs(FINITE), data=st.data())
def test_sums_in_any_order_are_within_the_error_bound(
    case: tuple[Vector, Vector], data: st.DataObject
) -> None:
    left, right = case
    terms = [left[at] * right[at] for at in sorted(left.keys() & right.keys())]
    shuffled = data.draw(st.permutations(terms))
    problem = dot_problem(left, right)
    (bound,) = problem.error_bound()
    total = sum((Fraction(abs(term)) for term in terms), Fraction(0))
    assert abs(Fraction(sum(shuffled)) - Fraction(problem.expected()[0])) <= Fraction(bound)
    # No wider than the law that it states, with a little for its own roundings.
    law = 2 * (len(terms) + 1) * Fraction(2) ** -53 * total
    assert Fraction(bound) <= law * (1 + Fraction(2) ** -40) + Fraction(5e-324) * (len(terms) + 2)


@pytest.mark.parametrize("form", FORMS)
def test_a_wrong_element_is_named(form: str) -> None:
    problem = product_problem(SMALL)
    result = dots(SMALL)
    problem.verify(machine_with(problem, result), VARIANTS[form])
    result[5] += 1.0
    with pytest.raises(CheckError) as caught:
        problem.verify(machine_with(problem, result), VARIANTS[form])
    assert str(caught.value) == (
        f"spgemm:{form} is wrong: A(1, 2) is 7.0, and SciPy's is 6.0 (1 of 6 elements differ)"
    )
    scalar = dot_problem({1: 2.0}, {1: 3.0})
    with pytest.raises(CheckError) as caught:
        scalar.verify(machine_with(scalar, [0.0]), VARIANTS[form])
    assert str(caught.value) == (
        f"spdot:{form} is wrong: y is 0.0, and SciPy's is 6.0 (1 of 1 elements differ)"
    )


@pytest.mark.parametrize("sign", [-1, 1])
def test_a_difference_beyond_the_bound_is_wrong_and_one_within_is_not(sign: int) -> None:
    case = {at: 0.1 * (at + 1) for at in range(20)}
    problem = dot_problem(case, case)
    (expected,), (bound,) = problem.expected(), problem.error_bound()
    within, beyond = expected + sign * 0.9 * bound, expected + sign * 1.1 * bound
    assert within != expected
    problem.verify(machine_with(problem, [within]), VARIANTS["dual:001"])
    with pytest.raises(CheckError, match="y is"):
        problem.verify(machine_with(problem, [beyond]), VARIANTS["dual:001"])


VALUES = {"finite": 1.0, "infinity": math.inf, "minus infinity": -math.inf, "NaN": math.nan}


@pytest.mark.parametrize("right", VALUES)
@pytest.mark.parametrize("held", VALUES)
@pytest.mark.parametrize("form", ["select", "dual:001"])
def test_infinities_and_nan_must_agree(form: str, held: str, right: str) -> None:
    problem = dot_problem({0: VALUES[right]}, {0: 1.0})
    machine = machine_with(problem, [VALUES[held]])
    if held == right:
        problem.verify(machine, VARIANTS[form])
    else:
        with pytest.raises(CheckError, match="is wrong"):
            problem.verify(machine, VARIANTS[form])


@pytest.mark.parametrize("form", DUAL)
def test_an_overflow_of_reordered_sums_is_explained(form: str) -> None:
    # One after the other the second sum overflows; a window adds its own products first.
    values = [1e308, 0.0, 1e308, -1e308]
    problem = dot_problem(dict(enumerate(values)), dict.fromkeys(range(4), 1.0))
    assert problem.expected().tolist() == [math.inf]
    with pytest.raises(CheckError, match="their sum overflows in some orders"):
        computed(problem, form, 2)
    for exact in EXACT:
        assert computed(problem, exact, 2) == [math.inf]


# Feasibility


def empty_problem(rows: int, columns: int) -> Problem:
    return Problem(SPGEMM, (), csr_array((rows, 1)), csr_array((columns, 1)))


def test_a_dense_output_beyond_the_limit_is_refused() -> None:
    check_feasible(empty_problem(2**14, 2**13), 0, 10**12)
    assert MOST_OUTPUT == 2**27
    with refused(
        "spgemm would write 134,225,920 elements of a dense result, more than 134,217,728; take "
        "smaller data, or a sample of rows with --sample"
    ):
        check_feasible(empty_problem(2**14 + 1, 2**13), 0, 10**12)


def test_a_run_beyond_the_instruction_limit_is_refused() -> None:
    problem = empty_problem(5, 8)
    estimate = 1000 * INSTRUCTIONS_PER_STEP + 40 * INSTRUCTIONS_PER_PAIR
    check_feasible(problem, 1000, estimate)
    with pytest.raises(LimitError) as caught:
        check_feasible(problem, 1000, estimate - 1)
    assert str(caught.value) == (
        f"spgemm on this data would execute about {estimate:,} instructions in each form, and the "
        f"limit is {estimate - 1:,}; take smaller data or a sample (compare --sample N), or raise "
        "the limit with --max-instructions"
    )


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("lanes", [2, 16])
@pytest.mark.parametrize("density", [0.05, 0.5, 1.0])
def test_the_estimate_of_instructions_is_about_right(form: str, lanes: int, density: float) -> None:
    problem = load_problem(SPGEMM, [f"random:6x40:{density}:1", f"random:40x6:{density}:2"])
    estimate = INSTRUCTIONS_PER_STEP * problem.steps().sum() + INSTRUCTIONS_PER_PAIR * 36
    executed = Machine(build("spgemm", form, lanes), problem.bindings()).run(LIMIT)
    assert 0.4 * estimate < executed < 2.5 * estimate
