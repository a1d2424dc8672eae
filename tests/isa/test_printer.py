"""Printing and assembling undo each other."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import instructions, programs, runnable_programs

from isa.assembler import assemble
from isa.operands import LANE_COUNTS
from isa.printer import print_float, print_instruction, print_program
from isa.program import Declaration, Instruction, Program
from isa.table import TABLE


def assembled_again(program: Program) -> Program:
    return assemble(print_program(program), program.name, program.lanes)


@given(programs())
def test_printing_and_assembling_undo_each_other(program: Program) -> None:
    text = print_program(program)
    again = assemble(text, program.name, program.lanes)
    assert again == program
    assert print_program(again) == text


@given(runnable_programs())
def test_a_runnable_program_stands_in_canonical_text(program: Program) -> None:
    assert print_program(program).splitlines() == list(program.source)
    for instruction in program.instructions:
        line = program.source[instruction.line - 1].strip()
        assert line.startswith(instruction.spec.mnemonic)


@pytest.mark.parametrize("mnemonic", TABLE)
@settings(max_examples=settings().max_examples // 20)
@given(data=st.data())
def test_every_instruction_printed_and_assembled_is_the_same(
    mnemonic: str, data: st.DataObject
) -> None:
    lanes = data.draw(st.sampled_from(LANE_COUNTS))
    instruction = data.draw(instructions(TABLE[mnemonic], lanes, 1, ["a"]))
    text = f"here: {print_instruction(instruction, {0: ['here']})}\nhalt\n.array a, i64, 1"
    assert assemble(text, lanes=lanes).instructions[0] == instruction


@pytest.mark.parametrize("lanes", LANE_COUNTS)
def test_a_program_for_other_lanes_is_another_program(lanes: int) -> None:
    program = assemble("lanes x1\nhalt", lanes=lanes)
    assert assembled_again(program) == program
    assert all(program != assemble("lanes x1\nhalt", lanes=o) for o in LANE_COUNTS if o != lanes)


@given(st.floats())
def test_a_double_is_printed_so_that_it_reads_back(value: float) -> None:
    found = assemble(f"fli f1, {print_float(value)}\nhalt").instructions[0].arguments[1]
    assert isinstance(found, float)
    assert math.copysign(1.0, found) == math.copysign(1.0, value)
    assert found == value or (math.isnan(found) and math.isnan(value))


def test_canonical_text_looks_like_this() -> None:
    text = """\
.data a, f64, 0.5, -0.0, inf, nan, 1e-320
.data none, i32
.array b, u32, 16
.input c, i64
.output d, i64
start:
again:
    la x1, a
    fld f2, -8(x1, x3*4)
    vldz v1, p2, (x1, x3)
    vgather v1, p2, 16(x1, v3*8)
    beq x1, x0, start
    ret
end:
"""
    assert print_program(assemble(text)) == text


def test_a_target_without_label_gets_one_that_is_free() -> None:
    jump, halt = TABLE["j"], TABLE["halt"]
    body = (Instruction(jump, (1,)), Instruction(jump, (2,)), Instruction(halt, ()))
    program = Program("<test>", body, labels=(("L1", 0), ("L2", 2), ("L1_", 2)))
    text = print_program(program)
    assert text == "L1:\n    j L1__\nL1__:\n    j L2\nL2:\nL1_:\n    halt\n"
    again = assemble(text)
    assert again.instructions == body
    assert dict(again.labels) == {"L1": 0, "L1__": 1, "L2": 2, "L1_": 2}


def test_an_instruction_alone_shows_the_number_of_its_target() -> None:
    assert print_instruction(Instruction(TABLE["beqz"], (5, 17))) == "beqz x5, @17"
    assert print_instruction(Instruction(TABLE["beqz"], (5, 17)), {17: ["a", "b"]}) == "beqz x5, a"


def test_lines_and_source_do_not_make_programs_differ() -> None:
    program = assemble("# comment\n\n  halt  ")
    assert program == assemble("halt")
    assert program.instructions[0].line == 3
    built = Program("<text>", (Instruction(TABLE["halt"], ()),))
    assert program == built


@pytest.mark.parametrize(
    "change",
    [
        {"arrays": (Declaration("array", "a", "i64", 2),)},
        {"labels": (("l", 0),)},
        {"instructions": (Instruction(TABLE["ret"], ()),)},
    ],
)
def test_arrays_labels_and_instructions_make_programs_differ(change: dict[str, object]) -> None:
    program = assemble("halt")
    assert program != Program(**{"name": "<text>", "instructions": program.instructions} | change)
