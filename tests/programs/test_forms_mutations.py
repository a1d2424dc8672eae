"""Faults planted in the forms: a small battery of inputs finds each of them.

This is a test of the tests: what the battery checks, a wrong result, an access outside the
arrays or a run without end, is what the other tests of the forms check on far more inputs.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache

import pytest
from kernel_runs import FORMS, dots, executions, output, raw_bindings, window_counts
from sparse_strategies import Product, Vector

from isa.assembler import assemble
from isa.errors import LimitError
from isa.interpreter import Machine, ProgramFault
from programs.variants import program_text

INSTRUCTIONS = 30_000
LANES = (2, 8)
NOTHING = "nop"

# Kernel, form, text, what stands there instead. Only the first place is changed, which in a
# dual form lies in the fast lane.
WRONG = [
    ("spdot", "branchy", "bne  ca, cb, unequal", "beq  ca, cb, unequal"),
    ("spdot", "branchy", "bgeu ca, cb, advance_c", "bge  ca, cb, advance_c"),
    ("spdot", "branchy", "bgeu ca, cb, advance_c", "bltu ca, cb, advance_c"),
    ("spdot", "branchy", "fadd acc, acc, vb", NOTHING),
    ("spdot", "branchy", "bltu p, p_end, more", "j    more"),
    ("spdot", "branchy", "bgeu q, q_end, done", NOTHING),
    ("spdot", "branchy", "fld  vc, (c_val, q*8)", "fld  vc, (c_val, p*8)"),
    ("spdot", "select", "minu least, ca, cb", "min  least, ca, cb"),
    ("spdot", "select", "minu least, ca, cb", "maxu least, ca, cb"),
    ("spdot", "select", "seq  eq_b, ca, least", "seq  eq_b, cb, least"),
    ("spdot", "select", "and  both, eq_b, eq_c", "or   both, eq_b, eq_c"),
    ("spdot", "select", "beqz both, advance", "bnez both, advance"),
    ("spdot", "select", "bltu q, q_end, step", "bgeu q, q_end, step"),
    ("spdot", "select", "add  q, q, eq_c", NOTHING),
    ("spdot", "predicated", "fcsel vb, vb, zero, both", "fcsel vb, zero, vb, both"),
    ("spdot", "predicated", "fcsel vb, vb, zero, both", NOTHING),
    ("spdot", "predicated", "bgeu  p, p_end, done", NOTHING),
    ("spgemm", "select", "mv   p, p_first", NOTHING),
    ("spgemm", "select", "ld   q_end, 8(c_pos, column*8)", "ld   q_end, 16(c_pos, column*8)"),
    ("spgemm", "select", "bgeu q, q_end, done", NOTHING),
    ("spgemm", "predicated", "addi a_at, a_at, 8", NOTHING),
    ("spgemm", "dual:001", "addi p_last, p_end, -lanes", "addi p_last, p_end, 1-lanes"),
    ("spgemm", "dual:111", "addi q_last, q_end, -lanes", "addi q_last, q_end, 1-lanes"),
    *(
        ("spdot", form, old, new)
        for form in ("dual:001", "dual:111")
        for old, new in (
            ("addi p_last, p_end, -lanes", "addi p_last, p_end, 1-lanes"),
            ("addi q_last, q_end, -lanes", "addi q_last, q_end, 1-lanes"),
            ("blt  p_last, p, tail", NOTHING),
            ("blt  q_last, q, tail", NOTHING),
            ("bge {pad}q_last, q, window", "bge  p_last, p, window"),
            ("bge {pad}q_last, q, window", "j    window"),
            ("vcmpeq   p1, v3, v1", "vcmpeq   p1, v3, v2"),
            ("vcmpeq   p1, v3, v1", "ptrue    p1"),
            ("vldsplat v3, i*8(b_crd, p*8)", "vldsplat v3, (b_crd, p*8)"),
            ("vselz    v4, p1, v2", "vselz    v4, p1, v1"),
            ("fadd {pad}acc, acc, vb", NOTHING),
            ("minu {pad}pivot, ca, cb", "maxu pivot, ca, cb"),
            ("minu {pad}pivot, ca, cb", "min  pivot, ca, cb"),
            ("ld {pad}ca, (lanes-1)*8(b_crd, p*8)", "ld   ca, (lanes-2)*8(b_crd, p*8)"),
            ("ld {pad}cb, (lanes-1)*8(c_crd, q*8)", "ld   cb, (lanes-2)*8(c_crd, q*8)"),
            ("tail:\n", "tail:\n    j    done\n"),
        )
    ),
    ("spdot", "dual:001", ".repeat i, lanes\n", ".repeat i, lanes-1\n"),
    ("spdot", "dual:001", ".repeat i, lanes-1\n", ".repeat i, lanes-2\n"),
    ("spdot", "dual:001", "fld  vc, (i+1)*8(b_val, p*8)", "fld  vc, i*8(b_val, p*8)"),
    ("spdot", "dual:001", "fmul vb, vb, f8", "fmul vb, vb, f9"),
    (
        "spdot",
        "dual:001",
        "sleu eq_b, ca, pivot\n    sleu eq_c, cb, pivot",
        "sltu eq_b, ca, pivot\n    sltu eq_c, cb, pivot",
    ),
    ("spdot", "dual:001", "sleu eq_b, ca, pivot", "sle  eq_b, ca, pivot"),
    ("spgemm", "dual:001", "mv   p_next, p", NOTHING),
    ("spgemm", "dual:001", "mv   q_next, q", NOTHING),
    ("spdot", "dual:001", "mv   p, p_next", NOTHING),
    ("spdot", "dual:001", "mv   q, q_next", "mv   q, p_next"),
    ("spdot", "dual:111", "vfbuild v5, f8", "vfbuild v5, f9"),
    ("spdot", "dual:111", "vfmul   v5, v5, v6", "vfmul   v5, v5, v2"),
    (
        "spdot",
        "dual:111",
        "vcmpleu p2, v7, v8\n    vcmpleu p3, v1, v8",
        "vcmpltu p2, v7, v8\n    vcmpltu p3, v1, v8",
    ),
    ("spdot", "dual:111", "vcmpleu p2, v7, v8", "vcmple  p2, v7, v8"),
    ("spdot", "dual:111", "pcnt    eq_c, p3", "pcnt    eq_c, p2"),
    ("spdot", "dual:111", "add     p, p, eq_b", NOTHING),
]

# The result is right, but a window that the fast lane should take is left to the rest, or an
# element is looked at twice.
SLOW = [
    ("spdot", form, old, new)
    for form in ("dual:001", "dual:111")
    for old, new in (
        ("addi p_last, p_end, -lanes", "addi p_last, p_end, -lanes-1"),
        ("bge {pad}q_last, q, window", "blt  q, q_last, window"),
        ("bge {pad}q_last, q, window", "j    tail"),
        ("blt {pad}p_last, p, tail", "j    tail"),
    )
] + [
    ("spdot", "branchy", "fadd acc, acc, vb\n    addi p, p, 1", "fadd acc, acc, vb"),
    ("spdot", "dual:001", "sleu eq_b, ca, pivot", "sltu eq_b, ca, pivot"),
    ("spdot", "dual:001", "sleu eq_c, cb, pivot", "sltu eq_c, cb, pivot"),
    ("spdot", "dual:111", "vcmpleu p2, v7, v8", "vcmpltu p2, v7, v8"),
    ("spdot", "dual:111", "vcmpleu p3, v1, v8", "vcmpltu p3, v1, v8"),
]


def numbered(coordinates: range | list[int]) -> Vector:
    return {at: float(3 + 2 * number) for number, at in enumerate(coordinates)}


@cache
def vectors(lanes: int) -> list[tuple[Vector, Vector]]:
    """Pairs of vectors that W-wide windows have trouble with."""
    some = random.Random(1)  # noqa: S311 - nothing to keep secret
    top, high = 2**64 - 1, 2**63
    supports = [
        (range(2 * lanes + 1), range(2 * lanes + 1)),
        (range(2 * lanes), range(lanes)),
        (range(0, 6 * lanes, 3), range(0, 6 * lanes, 2)),
        (range(0, 4 * lanes, 2), range(1, 4 * lanes, 2)),
        (range(lanes - 1), range(2 * lanes)),
        (range(2 * lanes), range(lanes - 1)),
        (range(lanes), range(lanes - 1, 3 * lanes)),
        (range(lanes - 1, 3 * lanes), range(lanes)),
        (range(high - lanes, high + 2 * lanes), range(high - 2 * lanes, high + 2 * lanes, 2)),
        (range(high - lanes, high + 2 * lanes), range(high - lanes + 1, high + 2 * lanes)),
        (range(high - lanes + 1, high + 2 * lanes), range(high - lanes, high + 2 * lanes)),
        ([*range(lanes), top], [*range(2 * lanes), top - 1, top]),
        ([5], range(40)),
        (range(40), [39]),
        ([], range(lanes)),
        (range(lanes), []),
        (range(lanes), range(100, 100 + lanes)),
        *((some.sample(range(60), 35), some.sample(range(60), 35)) for _ in range(3)),
    ]
    return [(numbered(sorted(ours)), numbered(sorted(theirs))) for ours, theirs in supports]


@cache
def battery(kernel: str, lanes: int) -> list[Product]:
    if kernel == "spdot":
        return [Product([left], [right], 0) for left, right in vectors(lanes)]
    rows, columns = zip(*vectors(lanes), strict=True)
    chosen = slice(0, 6)
    return [
        Product([{}, *rows[chosen], {}], [{}, *columns[chosen], {}], 0),
        Product([*rows[chosen]], [*columns[chosen]], 0),
    ]


def faults(text: str, kernel: str, lanes: int) -> Iterator[str]:
    """Run a text on the battery and say what goes wrong."""
    program = assemble(text, "mutated", lanes)
    for case in battery(kernel, lanes):
        machine = Machine(program, raw_bindings(kernel, case))
        try:
            machine.run(INSTRUCTIONS)
        except (ProgramFault, LimitError) as error:
            yield str(error)
        else:
            if output(machine) != dots(case):
                yield f"{output(machine)} instead of {dots(case)}"


def miscounts(text: str, lanes: int) -> Iterator[str]:
    """Run a dot product on the battery and say where it takes other steps than it should."""
    program = assemble(text, "mutated", lanes)
    for left, right in vectors(lanes):
        machine = Machine(program, raw_bindings("spdot", Product([left], [right], 0)))
        counts = executions(machine)
        width = lanes if "window" in program.label_numbers else 2**20
        if (counts["window"], counts["step"]) != window_counts(left, right, width):
            yield f"{counts} on {left} and {right}"


def mutate(kernel: str, form: str, old: str, new: str) -> str:
    text = program_text(kernel, form)
    if "{pad}" in old:  # the two dual forms are aligned differently
        old = next(padded for pad in range(6) if (padded := old.format(pad=" " * pad)) in text)
    assert old in text
    mutated = text.replace(old, new, 1)
    assert mutated != text
    return mutated


@pytest.mark.parametrize("kernel", ["spdot", "spgemm"])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("lanes", LANES)
def test_the_battery_passes_what_is_right(kernel: str, form: str, lanes: int) -> None:
    text = program_text(kernel, form)
    assert list(faults(text, kernel, lanes)) == []
    if kernel == "spdot":
        assert list(miscounts(text, lanes)) == []


@pytest.mark.parametrize(("kernel", "form", "old", "new"), WRONG)
@pytest.mark.parametrize("lanes", LANES)
def test_the_battery_finds_a_planted_fault(
    kernel: str, form: str, old: str, new: str, lanes: int
) -> None:
    assert next(faults(mutate(kernel, form, old, new), kernel, lanes), None) is not None


@pytest.mark.parametrize(("kernel", "form", "old", "new"), SLOW)
@pytest.mark.parametrize("lanes", LANES)
def test_the_battery_finds_a_window_or_a_step_too_many_or_too_few(
    kernel: str, form: str, old: str, new: str, lanes: int
) -> None:
    mutated = mutate(kernel, form, old, new)
    assert next(faults(mutated, kernel, lanes), None) is None
    assert next(miscounts(mutated, lanes), None) is not None
