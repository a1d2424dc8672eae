"""Branches, jumps and calls: where a program goes on."""

from __future__ import annotations

import pytest

from isa.assembler import assemble
from isa.interpreter import Machine

CASES = [
    # mnemonic, operands, values of x5 and x6, taken
    ("beq", "x5, x6", 3, 3, True),
    ("beq", "x5, x6", 3, 4, False),
    ("bne", "x5, x6", 3, 4, True),
    ("bne", "x5, x6", -1, -1, False),
    ("blt", "x5, x6", -1, 0, True),
    ("blt", "x5, x6", 0, 0, False),
    ("blt", "x5, x6", 0, -1, False),
    ("bge", "x5, x6", 0, 0, True),
    ("bge", "x5, x6", 0, -(2**63), True),
    ("bge", "x5, x6", -1, 0, False),
    ("bltu", "x5, x6", 0, -1, True),
    ("bltu", "x5, x6", -1, 0, False),
    ("bltu", "x5, x6", 7, 7, False),
    ("bgeu", "x5, x6", -1, 2**63 - 1, True),
    ("bgeu", "x5, x6", 7, 7, True),
    ("bgeu", "x5, x6", 0, -1, False),
    ("beqz", "x5", 0, 0, True),
    ("beqz", "x5", -(2**63), 0, False),
    ("bnez", "x5", -(2**63), 0, True),
    ("bnez", "x5", 0, 1, False),
]


@pytest.mark.parametrize(("mnemonic", "operands", "x5", "x6", "taken"), CASES)
def test_a_branch_goes_to_its_label_or_on(
    mnemonic: str, operands: str, x5: int, x6: int, taken: bool
) -> None:
    text = f"""
        li x5, {x5}
        li x6, {x6}
        {mnemonic} {operands}, there
        li x7, 1
        halt
    there:
        li x7, 2
        halt
    """
    machine = Machine(assemble(text))
    machine.run()
    assert machine.registers[7] == (2 if taken else 1)


@pytest.mark.parametrize("mnemonic", sorted({case[0] for case in CASES}))
def test_every_branch_is_tried_both_ways(mnemonic: str) -> None:
    assert {case[4] for case in CASES if case[0] == mnemonic} == {True, False}


@pytest.mark.parametrize(("mnemonic", "operands", "x5", "x6", "taken"), CASES)
def test_a_branch_may_go_back(mnemonic: str, operands: str, x5: int, x6: int, taken: bool) -> None:
    text = f"""
        j start
    back:
        li x7, 2
        halt
    start:
        li x5, {x5}
        li x6, {x6}
        {mnemonic} {operands}, back
        halt
    """
    machine = Machine(assemble(text))
    machine.run()
    assert machine.registers[7] == (2 if taken else 0)


def test_a_counted_loop_goes_round_as_often_as_it_says() -> None:
    machine = Machine(assemble("li x5, 7\nl: addi x6, x6, 2\naddi x5, x5, -1\nbnez x5, l\nhalt"))
    assert machine.run() == 1 + 3 * 7 + 1
    assert machine.registers[6] == 14


def test_a_branch_to_itself_is_a_loop() -> None:
    machine = Machine(assemble("l: beqz x5, l\nhalt"))
    assert machine.handlers[0]() == 0


CALLS = """
    li   x5, 10
    call double
    call double
    call indirect
    halt
double:
    add  x5, x5, x5
    ret
indirect:
    mv   x9, x1
    call double           # needs x1 itself
    jr   x9
"""


def test_calls_return_to_the_instruction_after_them() -> None:
    machine = Machine(assemble(CALLS))
    executed = machine.run()
    assert machine.registers[5] == 80
    assert executed == 1 + 3 + 2 * 2 + (3 + 2) + 1


def test_recursion_with_a_stack_in_memory_computes_a_factorial() -> None:
    text = """
    .array stack, i64, 64
        la   x2, stack
        li   x5, 10
        call factorial
        halt
    factorial:                # x6 = x5!
        li   x6, 1
        beqz x5, done
        sd   x1, (x2)
        sd   x5, 8(x2)
        addi x2, x2, 16
        addi x5, x5, -1
        call factorial
        addi x2, x2, -16
        ld   x1, (x2)
        ld   x5, 8(x2)
        mul  x6, x6, x5
    done:
        ret
    """
    machine = Machine(assemble(text))
    machine.run()
    assert machine.registers[6] == 3628800
    assert machine.registers[2] == machine.memory.arrays["stack"].base


def test_a_jump_table_in_memory_reaches_every_entry() -> None:
    text = """
    .data table, i64, 4 * 5, 4 * 7, 4 * 9
        la   x5, table
        slli x6, x7, 3
        add  x5, x5, x6
        ld   x5, (x5)
        jr   x5
        li   x8, 100
        halt
        li   x8, 200
        halt
        li   x8, 300
        halt
    """
    for entry in range(3):
        machine = Machine(assemble(text))
        machine.registers[7] = entry
        machine.run()
        assert machine.registers[8] == 100 * (entry + 1)
