"""The functional interpreter: what a program computes, one instruction at a time.

`Machine` binds each static instruction once to a small function (`isa.binding`) that
reads registers, applies the instruction's meaning and writes back. Calling it executes
the instruction and returns the number of the next one; a timing model does just that
and looks at what happened.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from isa.binding import WildJump, bind
from isa.errors import InputError, LimitError
from isa.memory import DEFAULT_LIMIT, Memory, MemoryFault
from isa.operands import FILES, REGISTERS

if TYPE_CHECKING:
    from isa.program import Declaration, Program
    from isa.values import Value

DEFAULT_INSTRUCTIONS = 10**9
"""Instructions after which a run counts as a run-away program."""

HALTED = -1
"""The number of the instruction after ``halt``."""

_WATCHED = 20_000

Binding: TypeAlias = "int | Sequence[int | float] | memoryview"
"""What an ``.input`` or ``.output`` gets: a number of zero elements, or its contents."""


class ProgramFault(InputError):  # noqa: N818  # the architecture calls it a fault
    """A program did what the machine does not allow: a stray access, a wild jump."""


class Machine:
    """Registers, memory and bound instructions of one run of a program.

    Attributes
    ----------
    registers : list
        Values by flat register number (`isa.operands`).
    memory : Memory
        The program's arrays.
    touched : iterable of int
        Numbers of the 8-byte words that the latest load or store accessed.
    handlers : list of callables
        One for each instruction; executes it and returns the next number.
    """

    def __init__(
        self,
        program: Program,
        bindings: Mapping[str, Binding] | None = None,
        *,
        memory_limit: int = DEFAULT_LIMIT,
    ) -> None:
        self.program = program
        self.registers: list[Value] = _initial_registers(program.lanes)
        self.memory = _build_memory(program, bindings or {}, memory_limit)
        self.touched: Iterable[int] = ()
        self.handlers = [bind(self, number) for number in range(len(program.instructions))]

    def run(self, limit: int = DEFAULT_INSTRUCTIONS) -> int:
        """Execute from the first instruction to ``halt``; return how many were executed.

        Raises
        ------
        ProgramFault
            On a stray access or a jump to no instruction.
        LimitError
            After ``limit`` instructions.
        """
        executed = 0
        number = 0
        handlers = self.handlers
        while number >= 0:
            if executed >= limit:
                raise self.runaway(number, limit)
            try:
                number = handlers[number]()
            except (MemoryFault, WildJump) as fault:
                raise self.explain(number, fault) from None
            executed += 1
        return executed

    def explain(self, number: int, fault: MemoryFault | WildJump) -> ProgramFault:
        """Turn a fault of an instruction into a message for the program's author."""
        where = self.program.where(number)
        if isinstance(fault, WildJump):
            return ProgramFault(
                f"{where} jumps to address {fault.target}, where there is no instruction; "
                f"the program's are the multiples of 4 below {4 * len(self.handlers)}"
            )
        access = f"{'stores' if fault.write else 'loads'} {fault.size} bytes at {fault.address:#x}"
        near = self.memory.nearest(fault.address)
        if near is None:
            return ProgramFault(f"{where} {access}, but the program has no arrays")
        return ProgramFault(
            f"{where} {access}, outside every array; nearest is '{near.name}' "
            f"({near.count} x {near.element}, {near.size} bytes from {near.base:#x})"
        )

    def runaway(self, number: int, limit: int) -> LimitError:
        """Say where a program that reached the instruction limit was looping."""
        visited: dict[int, int] = {}
        for _ in range(_WATCHED):
            if number < 0:
                break
            visited[number] = visited.get(number, 0) + 1
            try:
                number = self.handlers[number]()
            except (MemoryFault, WildJump):
                break
        lines = [self.program.instructions[n].line for n in visited]
        first = min(visited)
        labels = [name for name, at in self.program.labels if at <= first]
        one = min(lines) == max(lines)
        span = f"line {min(lines)}" if one else f"lines {min(lines)} to {max(lines)}"
        near = f", below label '{labels[-1]}'" if labels else ""
        return LimitError(
            f"{self.program.name}: stopped after {limit:,} instructions, looping in {span}"
            f"{near}; raise the limit with --max-instructions"
        )


def _initial_registers(lanes: int) -> list[Value]:
    """All registers zero; the last slot takes writes to x0."""
    zero: dict[str, Value] = {"x": 0, "f": 0.0, "v": (0,) * lanes, "p": 0}
    registers = [zero[letter] for letter, (_, count) in FILES.items() for _ in range(count)]
    return [*registers, *([0] * (REGISTERS + 1 - len(registers)))]


def _build_memory(program: Program, bindings: Mapping[str, Binding], limit: int) -> Memory:
    """Lay out the declared arrays and fill them."""
    known = {array.name for array in program.arrays if array.role in {"input", "output"}}
    for name in bindings:
        if name not in known:
            raise InputError(f"{program.name} declares no input or output named '{name}'")
    missing = sorted(known - set(bindings))
    if missing:
        raise InputError(f"{program.name} needs data for its arrays: {', '.join(missing)}")
    counts = [(a.name, a.element, _count(a, bindings)) for a in program.arrays]
    memory = Memory(counts, limit)
    for array in program.arrays:
        values = bindings.get(array.name, array.values)
        if not isinstance(values, int) and len(values):
            memory.fill(array.name, values)
    return memory


def _count(array: Declaration, bindings: Mapping[str, Binding]) -> int:
    """Return the number of elements of a declared array."""
    bound = bindings.get(array.name)
    if isinstance(bound, int):
        if bound < 0:
            raise InputError(f"array '{array.name}' cannot have {bound} elements")
        return bound
    if bound is not None:
        return len(bound)
    return array.count if array.count is not None else len(array.values)
