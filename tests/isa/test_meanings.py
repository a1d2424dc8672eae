"""Every instruction of the table means what an independent oracle says."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from isa_machines import found, machine_of, pattern_of, put
from isa_oracles import BRANCH, COMPUTE, LOAD, STORE, Expected, Movement, exact, patterns
from isa_states import GOVERNOR, IMAGE_BYTES, AccessCase, accesses, states
from strategies import vectors

from isa.assembler import assemble
from isa.interpreter import HALTED, Machine
from isa.operands import FILES, SINK, Operand
from isa.program import Declaration, Instruction
from isa.spec import Spec
from isa.table import TABLE

EXAMPLES = settings(max_examples=settings().max_examples // 5)
"""For each instruction: an example is a whole register file, so few find much."""


def after(text: str, register: int, *, executed: int = 1) -> Any:
    """Run the first instructions of a program and return a register."""
    machine = Machine(assemble(text))
    number = 0
    for _ in range(executed):
        number = machine.handlers[number]()
    return machine.registers[register]


def la_gives_where_the_elements_are() -> None:
    machine = Machine(assemble("la x5, b\nhalt\n.data a, i64, 1\n.data b, i64, 7, 8"))
    machine.run()
    assert machine.memory.load(machine.registers[5], "i64") == 7
    assert machine.memory.load(machine.registers[5] + 8, "i64") == 8


def len_gives_the_number_of_elements() -> None:
    assert after("len x5, b\nhalt\n.array b, u32, 12345", 5) == 12345


def nop_changes_nothing() -> None:
    machine = machine_of(Instruction(TABLE["nop"], ()))
    before = list(machine.registers)
    assert machine.handlers[0]() == 1
    assert machine.registers == before


def halt_ends_the_program() -> None:
    machine = Machine(assemble("halt\nhalt"))
    assert machine.handlers[0]() == HALTED
    assert machine.run() == 1


def j_goes_to_its_label() -> None:
    machine = Machine(assemble("j there\nhalt\nthere: halt"))
    assert machine.handlers[0]() == 2


def call_links_and_goes_to_its_label() -> None:
    machine = Machine(assemble("nop\ncall there\nhalt\nthere: halt"))
    assert machine.handlers[1]() == 3
    assert machine.registers[1] == 8


def ret_goes_to_the_address_in_x1() -> None:
    machine = Machine(assemble("ret\nhalt\nhalt"))
    machine.registers[1] = 8
    assert machine.handlers[0]() == 2


def jr_goes_to_the_address_in_its_register() -> None:
    machine = Machine(assemble("jr x9\nhalt\nhalt"))
    machine.registers[9] = 8
    assert machine.handlers[0]() == 2


SINGLE: dict[str, Callable[[], None]] = {
    "la": la_gives_where_the_elements_are,
    "len": len_gives_the_number_of_elements,
    "nop": nop_changes_nothing,
    "halt": halt_ends_the_program,
    "j": j_goes_to_its_label,
    "call": call_links_and_goes_to_its_label,
    "ret": ret_goes_to_the_address_in_x1,
    "jr": jr_goes_to_the_address_in_its_register,
}
"""Instructions without operands that vary: one case says it all."""


def test_every_instruction_has_an_oracle() -> None:
    tested = [*COMPUTE, *BRANCH, *LOAD, *STORE, *SINGLE]
    assert sorted(tested) == sorted(TABLE)


@pytest.mark.parametrize("mnemonic", SINGLE)
def test_an_instruction_without_varying_operands_does_its_one_thing(mnemonic: str) -> None:
    SINGLE[mnemonic]()


def operands(spec: Spec, instruction: Instruction, machine: Machine) -> SimpleNamespace:
    """Name the operands for an oracle, with the values that the registers have now."""
    named: dict[str, Any] = {"lanes": machine.program.lanes}
    for operand, argument in zip(spec.operands, instruction.arguments, strict=True):
        if operand.is_register:
            assert isinstance(argument, int)
            named[operand.name] = register_operand(machine, operand, argument)
        elif operand.kind in {"imm", "float"}:
            assert isinstance(argument, int | float)
            named[operand.kind] = patterns([pattern_of(argument)])
        elif operand.kind == "shift":
            named["shift"] = patterns([argument])
        else:
            named[operand.kind] = argument
    return SimpleNamespace(**named)


def register_operand(machine: Machine, operand: Operand, register: int) -> Any:
    if not operand.group:
        return found(machine, register)
    numbers = range(register, register + machine.program.lanes)
    return np.concatenate([found(machine, number) for number in numbers])


@pytest.mark.parametrize("mnemonic", COMPUTE)
@EXAMPLES
@given(data=st.data())
def test_a_computing_instruction_gives_what_its_oracle_gives(
    mnemonic: str, data: st.DataObject
) -> None:
    spec = TABLE[mnemonic]
    lanes, instruction, state = data.draw(states(spec))
    machine = machine_of(instruction, lanes=lanes)
    put(machine, state, doubles=data.draw(st.booleans()))
    with np.errstate(all="ignore"):
        expected = COMPUTE[mnemonic](operands(spec, instruction, machine))
    results = expected if isinstance(expected, tuple) else (expected,)
    before = list(machine.registers)

    assert machine.handlers[0]() == 1

    written = machine.program.dataflow[0].writes
    for register, result in zip(written, results, strict=True):
        if register != SINK and register not in written[1:]:
            check(machine, register, result)
    check_the_rest(machine, before, written)


def check(machine: Machine, register: int, result: Any) -> None:
    """Compare a register with the oracle's result."""
    value = found(machine, register)
    if value.dtype == bool:
        assert value.tolist() == result.tolist()
        return
    if not isinstance(result, Expected):
        result = exact(result.view(np.uint64))
    assert result.accepts(value), (value, result)


def check_the_rest(machine: Machine, before: list[Any], written: tuple[int, ...]) -> None:
    """Check that no other register changed, and x0 least of all."""
    for register, (old, new) in enumerate(zip(before, machine.registers, strict=True)):
        assert register in written or old is new
    assert machine.registers[0] == 0


@pytest.mark.parametrize("mnemonic", BRANCH)
@EXAMPLES
@given(data=st.data())
def test_a_branch_is_taken_when_its_oracle_says(mnemonic: str, data: st.DataObject) -> None:
    spec = TABLE[mnemonic]
    lanes, instruction, state = data.draw(states(spec))
    branch = Instruction(spec, (*instruction.arguments[:-1], 3))
    nop = Instruction(TABLE["nop"], ())
    machine = machine_of(branch, nop, nop, lanes=lanes)
    put(machine, state, doubles=False)
    taken = bool(BRANCH[mnemonic](operands(spec, branch, machine))[0])
    before = list(machine.registers)
    assert machine.handlers[0]() == (3 if taken else 1)
    check_the_rest(machine, before, ())


ORIGIN = Machine(assemble("halt\n.array m, i64, 1")).memory.arrays["m"].base
"""Where the first array of any program lies."""


def loaded(case: AccessCase) -> Machine:
    """Load a machine whose array holds the case's image."""
    size = {"i64": 8, "f64": 8, "i32": 4, "u32": 4}[case.element]
    array = Declaration("array", "m", case.element, IMAGE_BYTES // size)
    fence = Declaration("array", "fence", "u32", 64)
    machine = machine_of(lanes=case.lanes, arrays=(array, fence))
    assert machine.memory.arrays["m"].base == ORIGIN
    machine.memory.view("m").cast("B")[:] = case.image
    return machine


def access_machine(spec: Spec, case: AccessCase, moved: int) -> Machine:
    """Bind an access with its data in register ``moved``, or going there."""
    given_for = {"mem": case.address, "vmem": case.address, "pg": GOVERNOR}
    arguments = tuple(given_for.get(operand.name, moved) for operand in spec.operands)
    machine = loaded(case)
    filled = machine_of(
        Instruction(spec, arguments), lanes=case.lanes, arrays=machine.program.arrays
    )
    filled.memory.view("m").cast("B")[:] = case.image
    return filled


def touched(case: AccessCase, size: int) -> set[int]:
    """Return the words that hold the bytes of all active elements."""
    starts = [ORIGIN + place for place in case.places if place is not None]
    return {byte // 8 for start in starts for byte in range(start, start + size)}


def target(spec: Spec) -> int:
    """Return a register for the data, in the file that the entry names first."""
    return FILES[spec.operands[0].kind][0] + 7


@pytest.mark.parametrize("mnemonic", LOAD)
@EXAMPLES
@given(data=st.data())
def test_a_load_reads_the_bytes_at_its_active_addresses(mnemonic: str, data: st.DataObject) -> None:
    spec, moves = TABLE[mnemonic], LOAD[mnemonic]
    case = data.draw(accesses(spec, ORIGIN))
    register = target(spec)
    machine = access_machine(spec, case, register)
    old = data.draw(vectors(case.lanes if spec.operands[0].kind == "v" else 1))
    put(machine, case.state | {register: old}, doubles=data.draw(st.booleans()))
    before = list(machine.registers)

    assert machine.handlers[0]() == 1

    expected = elements_at(case, moves, old)
    check(machine, register, np.repeat(expected, case.lanes) if moves.spread else expected)
    check_the_rest(machine, before, (register,))
    assert set(machine.touched) == touched(case, np.dtype(moves.element).itemsize)
    assert bytes(machine.memory.view("m").cast("B")) == case.image


def elements_at(case: AccessCase, moves: Movement, old: tuple[int, ...]) -> Any:
    """Read each active element of the image; in the place of the others, old or zero."""
    lanes = []
    for lane, place in enumerate(case.places):
        if place is None:
            lanes.append(old[lane] if moves.merge else 0)
        else:
            lanes.append(int(np.frombuffer(case.image, moves.element, 1, place)[0]))
    return patterns(lanes)


@pytest.mark.parametrize("mnemonic", STORE)
@EXAMPLES
@given(data=st.data())
def test_a_store_writes_the_bytes_at_its_active_addresses_and_no_others(
    mnemonic: str, data: st.DataObject
) -> None:
    spec, moves = TABLE[mnemonic], STORE[mnemonic]
    case = data.draw(accesses(spec, ORIGIN))
    register = target(spec)
    machine = access_machine(spec, case, register)
    value = data.draw(vectors(len(case.places)))
    put(machine, case.state | {register: value}, doubles=data.draw(st.booleans()))
    before = list(machine.registers)

    assert machine.handlers[0]() == 1

    size = np.dtype(moves.element).itemsize
    image = bytearray(case.image)
    for place, word in zip(case.places, value, strict=True):
        if place is not None:  # lane 0 first: where two meet, the higher lane wins
            image[place : place + size] = (word % 2 ** (8 * size)).to_bytes(size, "little")
    assert bytes(machine.memory.view("m").cast("B")) == image
    assert not any(machine.memory.view("fence"))
    check_the_rest(machine, before, ())
    assert set(machine.touched) == touched(case, size)
