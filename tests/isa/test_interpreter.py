"""What holds of every run, and what a run that goes wrong says."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from isa_machines import found, pattern_of
from strategies import (
    ARRAY_BYTES,
    MOST_LOOPS,
    MOST_ROUNDS,
    runnable_kinds,
    runnable_programs,
    words,
)

from isa.assembler import assemble
from isa.errors import InputError, LimitError
from isa.interpreter import HALTED, Machine, ProgramFault
from isa.memory import Memory
from isa.operands import FILES, REGISTERS, register_name
from isa.program import Program
from isa.table import TABLE, Kind

WALKS = settings(max_examples=settings().max_examples // 2)
"""For laws that are checked after every single instruction."""


def walk(machine: Machine) -> list[int]:
    """Run handler by handler; return the numbers of the instructions executed."""
    trail = [0]
    while trail[-1] != HALTED:
        trail.append(machine.handlers[trail[-1]]())
    return trail[:-1]


def state(machine: Machine) -> list[Any]:
    """Return every register and every byte of memory, as bits."""
    registers = [found(machine, register).tolist() for register in range(REGISTERS)]
    arrays = [bytes(machine.memory.view(name).cast("B")) for name in machine.memory.arrays]
    return [registers, arrays]


@given(runnable_programs())
def test_a_runnable_program_ends_within_its_bound_and_never_faults(program: Program) -> None:
    machine = Machine(program)
    length = len(program.instructions)
    assert length <= 40
    assert machine.run() <= MOST_ROUNDS**MOST_LOOPS * length**2
    assert {array.size for array in machine.memory.arrays.values()} == {ARRAY_BYTES}


@settings(max_examples=settings().max_examples // 5)
@given(runnable_programs(max_instructions=20, lanes=2))
def test_a_runnable_program_keeps_the_size_and_lanes_asked_for(program: Program) -> None:
    assert len(program.instructions) <= 20
    assert program.lanes == 2


def test_runnable_programs_draw_from_the_whole_table() -> None:
    assert runnable_kinds() == set(TABLE)


@WALKS
@given(runnable_programs())
def test_as_many_handlers_are_called_as_instructions_executed(program: Program) -> None:
    machine = Machine(program)
    calls: Counter[int] = Counter()

    def counting(number: int) -> Any:
        handler = machine.handlers[number]

        def call() -> int:
            calls[number] += 1
            return handler()

        return call

    machine.handlers = [counting(number) for number in range(len(machine.handlers))]
    assert machine.run() == calls.total()
    assert calls == Counter(walk(Machine(program)))


@given(runnable_programs())
def test_two_runs_of_a_program_are_equal(program: Program) -> None:
    first, second = Machine(program), Machine(program)
    assert walk(first) == walk(second)
    assert state(first) == state(second)


@WALKS
@given(runnable_programs())
def test_registers_stay_in_range_and_x0_stays_zero_after_every_instruction(
    program: Program,
) -> None:
    machine = Machine(program)
    number = 0
    while number != HALTED:
        written = program.dataflow[number].writes
        number = machine.handlers[number]()
        assert machine.registers[0] == 0
        for register in written:
            if register < REGISTERS:
                found(machine, register)  # asserts type, range, and lanes of one type


@WALKS
@given(runnable_programs())
def test_an_instruction_changes_only_the_registers_that_its_dataflow_names(
    program: Program,
) -> None:
    machine = Machine(program)
    number = 0
    while number != HALTED:
        before, written = list(machine.registers), program.dataflow[number].writes
        number = machine.handlers[number]()
        for register, old in enumerate(before):
            assert register in written or machine.registers[register] is old


@WALKS
@given(runnable_programs(), st.data())
def test_an_instruction_depends_only_on_the_registers_that_its_dataflow_names(
    program: Program, data: st.DataObject
) -> None:
    # Run twice up to some instruction, change a register that it does not read in one of
    # the two, execute it in both: nothing else may differ.
    trail = walk(Machine(program))
    stop = data.draw(st.integers(0, len(trail) - 1))
    flow = program.dataflow[trail[stop]]
    read = {*flow.reads, *flow.address}
    changed = data.draw(st.sampled_from(sorted(set(range(1, 32)) - read)))
    assume(changed not in flow.writes)
    ends = []
    for value in (None, data.draw(words())):
        machine = Machine(program)
        for number in trail[:stop]:
            machine.handlers[number]()
        kept = machine.registers[changed]
        if value is not None:
            machine.registers[changed] = value - (value >> 63 << 64)
        following = machine.handlers[trail[stop]]()
        machine.registers[changed] = kept
        ends.append((following, state(machine)))
    assert ends[0] == ends[1]


def contents(machine: Machine) -> dict[int, int]:
    """Return the 8 bytes of every word of every array, by number of the word."""
    return {
        array.base // 8 + position: value
        for name, array in machine.memory.arrays.items()
        for position, value in enumerate(machine.memory.view(name).cast("B").cast("Q"))
    }


@WALKS
@given(runnable_programs())
def test_a_load_or_store_names_the_words_that_it_touched(program: Program) -> None:
    machine = Machine(program)
    inside = set(contents(machine))
    number = 0
    while number != HALTED:
        kind = program.instructions[number].spec.kind
        before = contents(machine) if kind is Kind.STORE else {}
        machine.touched = ()
        number = machine.handlers[number]()
        touched = set(machine.touched)
        assert touched <= inside
        if kind is Kind.STORE:
            after = contents(machine)
            assert {word for word in after if after[word] != before[word]} <= touched
        elif kind is not Kind.LOAD:
            assert not touched


def test_a_write_to_x0_is_lost_and_reads_of_it_give_zero() -> None:
    text = """
        .data a, i64, 77
        li x0, 5
        la x5, a
        ld x0, (x5)
        add x6, x0, x0
        pcnt x0, p0
        halt
    """
    machine = Machine(assemble(text))
    machine.run()
    assert machine.registers[0] == machine.registers[6] == 0


def test_all_registers_start_at_zero() -> None:
    machine = Machine(assemble("halt", lanes=8))
    for letter, (first, count) in FILES.items():
        for register in range(first, first + count):
            assert register_name(register)[0] == letter
            assert not found(machine, register).any()


def test_a_destination_may_be_one_of_the_operands() -> None:
    text = "li x5, 3\nli x6, 4\nsub x5, x6, x5\nadd x6, x6, x6\nhalt"
    machine = Machine(assemble(text))
    machine.run()
    assert machine.registers[5:7] == [1, 8]


def test_both_results_in_one_register_leave_the_second() -> None:
    machine = Machine(assemble("vintersect p1, p1, v1, v2\nhalt"))
    machine.registers[64 + 1] = (1, 2, 3, 4)
    machine.registers[64 + 2] = (9, 9, 9, 1)
    machine.run()
    assert machine.registers[96 + 1] == 0b1000


# Runs that go wrong


def test_a_runaway_program_is_stopped_with_the_lines_and_the_label_of_its_loop() -> None:
    text = "start:\n  li x5, 1\nfirst:\n  nop\nforever:\n  nop\n  bnez x5, forever\n  halt"
    machine = Machine(assemble(text, name="loop.s"))
    with pytest.raises(LimitError) as caught:
        machine.run(limit=1000)
    assert str(caught.value) == (
        "loop.s: stopped after 1,000 instructions, looping in lines 6 to 7, below label "
        "'forever'; raise the limit with --max-instructions"
    )
    assert caught.value.exit_code == 3


def test_a_runaway_program_without_labels_in_its_loop_names_its_lines_only() -> None:
    machine = Machine(assemble("li x5, 4\njr x5\nhalt"))
    with pytest.raises(LimitError, match="looping in line 2; raise"):
        machine.run(limit=10)


def test_a_program_of_exactly_as_many_instructions_as_the_limit_runs() -> None:
    program = assemble("nop\nnop\nhalt")
    assert Machine(program).run(limit=3) == 3
    with pytest.raises(LimitError):
        Machine(program).run(limit=2)


@pytest.mark.parametrize("text", ["nop\nnop\nhalt", "nop\nld x5, (x0)\nhalt", "nop\njr x5\nhalt"])
def test_a_program_stopped_short_of_its_end_is_told_so_whatever_the_end(text: str) -> None:
    machine = Machine(assemble(text))
    machine.registers[5] = 400
    with pytest.raises(LimitError, match="stopped after 1 instructions"):
        machine.run(limit=1)


@pytest.mark.parametrize("target", [-4, 2, 12, 16, 2**40, -(2**63)])
@pytest.mark.parametrize("jump", ["jr x1", "ret"])
def test_a_wild_jump_names_the_instruction_the_address_and_the_good_ones(
    jump: str, target: int
) -> None:
    machine = Machine(assemble(f"li x1, {target}\n  {jump}  # wild\nhalt", name="wild.s"))
    with pytest.raises(ProgramFault) as caught:
        machine.run()
    assert str(caught.value) == (
        f"wild.s:2: '{jump}  # wild' jumps to address {target}, where there is no instruction; "
        "the program's are the multiples of 4 below 12"
    )


def test_a_fault_of_a_program_without_text_names_the_instruction() -> None:
    program = assemble("ld x5, (x0)\nhalt")
    bare = Program("built", program.instructions)
    with pytest.raises(ProgramFault, match=r"^built:1: ld loads 8 bytes at 0x0"):
        Machine(bare).run()


# Data from outside


def test_inputs_and_outputs_get_what_is_bound_to_them() -> None:
    text = ".input a, f64\n.output b, i64\nla x5, a\nfld f1, 8(x5)\nlen x6, b\nhalt"
    machine = Machine(assemble(text), {"a": [1.5, 2.5], "b": 3})
    machine.run()
    assert machine.registers[32 + 1] == 2.5
    assert machine.registers[6] == 3
    assert machine.memory.view("b").tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("bindings", "message"),
    [
        ({}, "needs data for its arrays: a, b"),
        ({"b": 1}, "needs data for its arrays: a"),
        ({"a": 1, "b": 1, "c": 1}, "declares no input or output named 'c'"),
        ({"a": 1, "b": 1, "d": 1}, "declares no input or output named 'd'"),
        ({"a": -1, "b": 1}, "array 'a' cannot have -1 elements"),
        ({"a": ["one"], "b": 1}, "a value does not fit array 'a' of i64"),
    ],
)
def test_bindings_that_do_not_fit_the_program_are_refused(
    bindings: dict[str, Any], message: str
) -> None:
    program = assemble(".input a, i64\n.output b, i64\n.array d, i64, 1\nhalt")
    with pytest.raises(InputError, match=message):
        Machine(program, bindings)


def test_data_stands_in_memory_bit_for_bit() -> None:
    text = ".data a, f64, -0.0, nan, -nan, inf, 1e-320\n.data b, i64, 'a', -1, 1 << 62\nhalt"
    memory: Memory = Machine(assemble(text)).memory
    found_bits = [pattern_of(value) for value in memory.view("a").tolist()]
    assert found_bits[:2] == [2**63, 0x7FF8000000000000]
    assert found_bits[2:4] == [0xFFF8000000000000, 0x7FF0000000000000]
    assert found_bits[4] == pattern_of(1e-320)
    assert memory.view("b").tolist() == [97, -1, 2**62]
