"""The rules of the arithmetic at its edges, each by name: nothing traps."""

from __future__ import annotations

import math
import operator
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from isa_machines import pattern_of, put
from isa_oracles import fused
from strategies import words

from isa.assembler import assemble
from isa.interpreter import Machine

INF, NAN = math.inf, math.nan
MOST, LEAST = 2**63 - 1, -(2**63)
LARGEST, SMALLEST, NORMAL = 1.7976931348623157e308, 5e-324, 2.0**-1022
ULP = 2.0**-52


def integers(mnemonic: str, a: int, b: int) -> int:
    machine = Machine(assemble(f"li x5, {a}\nli x6, {b}\n{mnemonic} x7, x5, x6\nhalt"))
    machine.run()
    value = machine.registers[7]
    assert isinstance(value, int)
    return value


def doubles(mnemonic: str, *operands: float) -> float:
    names = ", ".join(f"f{number + 1}" for number in range(len(operands)))
    machine = Machine(assemble(f"{mnemonic} f9, {names}\nhalt"))
    for number, operand in enumerate(operands):
        machine.registers[32 + 1 + number] = operand
    machine.run()
    value = machine.registers[32 + 9]
    assert isinstance(value, float)
    return value


def same(found: float, expected: float) -> bool:
    """Compare doubles by their bits, but any NaN with any."""
    return pattern_of(found) == pattern_of(expected) or (math.isnan(found) and math.isnan(expected))


@pytest.mark.parametrize(
    ("mnemonic", "a", "b", "result"),
    [
        ("add", MOST, 1, LEAST),
        ("sub", LEAST, 1, MOST),
        ("mul", 2**32, 2**32, 0),
        ("mul", LEAST, -1, LEAST),
        ("div", 7, 0, -1),
        ("div", 0, 0, -1),
        ("divu", 7, 0, -1),
        ("rem", -7, 0, -7),
        ("remu", -7, 0, -7),
        ("div", LEAST, -1, LEAST),
        ("rem", LEAST, -1, 0),
        ("div", -7, 2, -3),
        ("div", 7, -2, -3),
        ("rem", -7, 2, -1),
        ("rem", 7, -2, 1),
        ("divu", -1, 2, MOST),
        ("remu", -1, 10, 5),
        ("sll", 1, 64, 1),
        ("sll", 1, -1, LEAST),
        ("srl", -1, 63, 1),
        ("srl", -1, 64, -1),
        ("sra", LEAST, 63, -1),
        ("sra", LEAST, 127, -1),
    ],
)
def test_integers_wrap_and_division_by_zero_has_a_result(
    mnemonic: str, a: int, b: int, result: int
) -> None:
    assert integers(mnemonic, a, b) == result


@pytest.mark.parametrize(
    ("mnemonic", "operands", "result"),
    [
        ("fdiv", (1.0, 0.0), INF),
        ("fdiv", (1.0, -0.0), -INF),
        ("fdiv", (-INF, 0.0), -INF),
        ("fdiv", (0.0, 0.0), NAN),
        ("fdiv", (NAN, 0.0), NAN),
        ("fdiv", (-0.0, 5.0), -0.0),
        ("fdiv", (INF, INF), NAN),
        ("fadd", (LARGEST, LARGEST), INF),
        ("fadd", (INF, -INF), NAN),
        ("fadd", (-0.0, -0.0), -0.0),
        ("fadd", (0.0, -0.0), 0.0),
        ("fsub", (0.0, 0.0), 0.0),
        ("fmul", (INF, 0.0), NAN),
        ("fmul", (SMALLEST, 0.5), 0.0),
        ("fsqrt", (-1.0,), NAN),
        ("fsqrt", (-0.0,), -0.0),
        ("fsqrt", (INF,), INF),
        ("fsqrt", (NAN,), NAN),
        ("fmin", (NAN, 1.0), 1.0),
        ("fmin", (1.0, NAN), 1.0),
        ("fmax", (NAN, -INF), -INF),
        ("fmin", (NAN, NAN), NAN),
        ("fmin", (0.0, -0.0), -0.0),
        ("fmin", (-0.0, 0.0), -0.0),
        ("fmax", (0.0, -0.0), 0.0),
        ("fmax", (-0.0, 0.0), 0.0),
    ],
)
def test_doubles_never_trap(mnemonic: str, operands: tuple[float, ...], result: float) -> None:
    assert same(doubles(mnemonic, *operands), result)


@pytest.mark.parametrize(
    ("a", "b", "c", "result"),
    [
        # one rounding where multiply and add would round twice
        (1 + ULP, 1 + ULP, -1 - 2 * ULP, ULP * ULP),
        (1 + ULP, 1 - ULP, -1.0, -ULP * ULP),
        (0.1, 10.0, -1.0, 5.551115123125783e-17),
        # a product halfway between two doubles, and an addend that says which
        (1 + ULP, 1.5, 2.0**-120, 1.5 + 2 * ULP),
        (1 + ULP, 1.5, -(2.0**-120), 1.5 + ULP),
        (2.0**53 + 2, 1.0, 1.0, 2.0**53 + 4),
        (2.0**53, 1.0, 1.0, 2.0**53),
        (2.0**53, 1.0, 1.0 + ULP, 2.0**53 + 2),
        # a product out of range that the addend brings back, and one that it does not
        (2.0**1000, 2.0**24, -(2.0**1023), 2.0**1023),
        (2.0**1000, 2.0**24, 0.0, INF),
        (-(2.0**1000), 2.0**24, 0.0, -INF),
        (LARGEST, 1.0, 2.0**969, LARGEST),
        (LARGEST, 1.0, 2.0**970, INF),
        # below the normal numbers
        (NORMAL, 0.5, SMALLEST, NORMAL / 2 + SMALLEST),
        (SMALLEST, 0.5, 0.0, 0.0),
        (SMALLEST, 0.75, 0.0, SMALLEST),
        (-SMALLEST, 0.25, 0.0, -0.0),
        # zeros and their signs
        (2.0, 3.0, -6.0, 0.0),
        (0.0, 1.0, 0.0, 0.0),
        (-0.0, 1.0, -0.0, -0.0),
        (0.0, 1.0, -0.0, 0.0),
        (0.0, 5.0, 7.0, 7.0),
        # what is not finite
        (INF, 0.0, 1.0, NAN),
        (INF, 1.0, -INF, NAN),
        (2.0**1000, 2.0**1000, -INF, -INF),
        (1.0, 1.0, NAN, NAN),
        (NAN, 1.0, 1.0, NAN),
    ],
)
def test_a_fused_multiply_add_rounds_once(a: float, b: float, c: float, result: float) -> None:
    assert same(fused(a, b, c), result)
    assert same(doubles("ffma", a, b, c), result)


finite = st.floats(allow_nan=False, allow_infinity=False)


@given(finite, finite, st.integers(-3, 3))
def test_a_fused_multiply_add_of_almost_equal_terms_is_exact_to_the_last_bit(
    a: float, b: float, steps: int
) -> None:
    # The addend is the rounded product, or a neighbour of it, so that almost all cancels.
    c = -(a * b)
    for _ in range(abs(steps)):
        c = math.nextafter(c, math.copysign(INF, steps))
    assert same(doubles("ffma", a, b, c), fused(a, b, c))


@given(finite, finite, finite)
def test_the_oracle_of_fused_multiply_add_agrees_with_a_multiplication_alone(
    a: float, b: float, c: float
) -> None:
    # Where two roundings are one, the machine's own arithmetic checks the oracle.
    assert same(fused(a, b, math.copysign(0.0, a * b)), a * b)
    assert same(fused(a, 1.0, c), a + c)


@pytest.mark.parametrize(
    ("value", "result"),
    [
        (2**53 + 1, 2.0**53),
        (2**53 + 3, 2.0**53 + 4),
        (MOST, 2.0**63),
        (LEAST, -(2.0**63)),
        (-(2**53) - 1, -(2.0**53)),
    ],
)
def test_an_integer_becomes_the_nearest_double_ties_to_even(value: int, result: float) -> None:
    machine = Machine(assemble(f"li x5, {value}\nfcvt.d.l f1, x5\nhalt"))
    machine.run()
    assert machine.registers[32 + 1] == result


@pytest.mark.parametrize(
    ("value", "result"),
    [
        (1.9, 1),
        (-1.9, -1),
        (-0.0, 0),
        (NAN, 0),
        (INF, MOST),
        (-INF, LEAST),
        (2.0**63, MOST),
        (1e300, MOST),
        (-(2.0**63), LEAST),
        (math.nextafter(2.0**63, 0.0), 2**63 - 1024),
        (math.nextafter(-(2.0**63), -INF), LEAST),
    ],
)
def test_a_double_becomes_an_integer_by_truncation_and_saturates(value: float, result: int) -> None:
    machine = Machine(assemble("fcvt.l.d x5, f1\nvcvt.l.d v2, v1\nhalt"))
    machine.registers[32 + 1] = value
    machine.registers[64 + 1] = (value,) * 4
    machine.run()
    assert machine.registers[5] == result
    assert machine.registers[64 + 2] == (result,) * 4


@given(words())
def test_bits_pass_through_moves_loads_stores_and_lanes_unchanged(pattern: int) -> None:
    text = """
    .array a, f64, 8
        la       x5, a
        fmv.d.x  f1, x6
        fmv      f2, f1
        fsd      f2, (x5)
        ld       x7, (x5)
        fld      f3, (x5)
        vfsplat  v1, f3
        vst      v1, 8(x5)
        vld      v2, 8(x5)
        vmv      v3, v2
        vfext    f4, v3, 3
        fmv.x.d  x8, f4
        vext     x9, v3, 0
        halt
    """
    machine = Machine(assemble(text))
    put(machine, {6: (pattern,)}, doubles=False)
    machine.run()
    assert [pattern_of(value) for value in machine.registers[7:10]] == [pattern] * 3


@given(st.integers(LEAST, MOST), st.integers(LEAST, MOST))
def test_quotient_and_remainder_make_up_the_dividend(a: int, b: int) -> None:
    product = integers("div", a, b) * b + integers("rem", a, b)
    assert (product - a) % 2**64 == 0
    if b:
        assert abs(integers("rem", a, b)) < abs(b)


@pytest.mark.parametrize("lanes", [2, 4, 8, 16])
def test_ordered_and_tree_sums_add_in_the_order_that_they_say(lanes: int) -> None:
    # 1 vanishes in 2^53 and not in a sum of small lanes: the order shows in the result.
    values = (2.0**53, *([1.0] * (lanes - 1)))
    machine = Machine(assemble("vfsumo f1, v1\nvfsum f2, v1\nhalt", lanes=lanes))
    machine.registers[64 + 1] = values
    machine.run()
    tree = list(values)
    while len(tree) > 1:
        half = len(tree) // 2
        tree = list(map(operator.add, tree[:half], tree[half:]))
    assert machine.registers[33:35] == [2.0**53, tree[0]]
    assert Fraction(tree[0]) <= sum(map(Fraction, values))
