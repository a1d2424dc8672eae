"""Registers of a machine as 64-bit patterns, for tests that compare with an oracle."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
from isa_states import State

from isa.interpreter import Machine
from isa.operands import register_name
from isa.program import Declaration, Instruction, Program
from isa.table import TABLE

HALT = Instruction(TABLE["halt"], ())


def machine_of(
    *instructions: Instruction, lanes: int = 4, arrays: tuple[Declaration, ...] = ()
) -> Machine:
    """Load a program of these instructions and ``halt``."""
    return Machine(Program("<test>", (*instructions, HALT), arrays, lanes=lanes))


def as_integer(pattern: int) -> int:
    """Read a pattern as a register holds it: as a signed integer."""
    return pattern - (pattern >> 63 << 64)


def as_double(pattern: int) -> float:
    """Read a pattern as a double, NaN payload and all."""
    value: float = struct.unpack("<d", pattern.to_bytes(8, "little"))[0]
    return value


def pattern_of(value: float) -> int:
    """Return the pattern of an integer or a double."""
    if isinstance(value, float):
        return int.from_bytes(struct.pack("<d", value), "little")
    return value % 2**64


def put(machine: Machine, state: State, doubles: bool) -> None:
    """Set registers; ``doubles`` says in which of the two views vectors are held."""
    for register, bits in state.items():
        file = register_name(register)[0]
        if file == "v":
            read = as_double if doubles else as_integer
            machine.registers[register] = tuple(read(pattern) for pattern in bits)
        elif file == "f":
            machine.registers[register] = as_double(bits[0])
        else:
            machine.registers[register] = as_integer(bits[0])


def found(machine: Machine, register: int) -> Any:
    """Return a register as an oracle has it: patterns, or truth values of a predicate."""
    value: Any = machine.registers[register]
    file = register_name(register)[0]
    if file == "p":
        assert 0 <= value < 2**machine.program.lanes
        return np.array([value >> lane & 1 == 1 for lane in range(machine.program.lanes)])
    lanes = value if file == "v" else (value,)
    assert len({type(lane) for lane in lanes}) == 1
    if file == "v":
        assert len(lanes) == machine.program.lanes
    else:
        assert isinstance(value, float if file == "f" else int)
    for lane in lanes:
        assert isinstance(lane, float) or -(2**63) <= lane < 2**63
    return np.array([pattern_of(lane) for lane in lanes], dtype=np.uint64)
