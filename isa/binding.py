"""Binding: a static instruction becomes a function without arguments.

The function executes the instruction on its machine and returns the number of the next
instruction. What an instruction computes comes from the table alone; here stands only
how operands reach the meaning and where results go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeAlias

from isa.memory import ELEMENTS, MemoryFault
from isa.operands import Address
from isa.spec import Kind
from isa.values import MASK64, as_floats, as_ints

if TYPE_CHECKING:
    from isa.interpreter import Machine
    from isa.program import Instruction
    from isa.spec import Access

Handler: TypeAlias = Callable[[], int]

_VIEWS: dict[str, Callable[[Any], Any]] = {"Ints": as_ints, "Floats": as_floats}


def bind(machine: Machine, number: int) -> Handler:
    """Bind instruction ``number`` of the machine's program."""
    return _BINDERS[machine.program.instructions[number].spec.kind](machine, number)


def _constants(machine: Machine, instruction: Instruction) -> tuple[Any, ...]:
    """Return the meaning's trailing arguments: immediates, array facts, lanes."""
    spec = instruction.spec
    values: list[Any] = []
    for operand, argument in zip(spec.operands, instruction.arguments, strict=True):
        if operand.kind == "array":
            values.append(machine.memory.arrays[str(argument)])
        elif operand.kind in {"imm", "shift", "lane", "float"}:
            values.append(argument)
    return tuple(values)


def _operands(machine: Machine, number: int) -> Callable[[], list[Any]]:
    """Return a function that fetches the registers read, each in the view asked for."""
    spec = machine.program.instructions[number].spec
    reads = machine.program.dataflow[number].reads
    registers = machine.registers
    views = [_VIEWS.get(view) for view in spec.views[: len(reads)]]
    if not any(views):
        return lambda: [registers[r] for r in reads]
    pairs = [(r, view or (lambda value: value)) for r, view in zip(reads, views, strict=False)]
    return lambda: [view(registers[r]) for r, view in pairs]


def _compute(machine: Machine, number: int) -> Handler:
    instruction = machine.program.instructions[number]
    spec, meaning = instruction.spec, instruction.spec.meaning
    registers = machine.registers
    fetch = _operands(machine, number)
    constants = _constants(machine, instruction)
    if spec.wants_lanes:
        constants = (*constants, machine.program.lanes)
    writes = machine.program.dataflow[number].writes
    following = number + 1

    if not writes:
        return lambda: following
    if len(writes) > 1:

        def compute_several() -> int:
            for register, value in zip(writes, meaning(*fetch(), *constants), strict=True):
                registers[register] = value
            return following

        return compute_several
    register = writes[0]

    def compute() -> int:
        registers[register] = meaning(*fetch(), *constants)
        return following

    return compute


def _address(machine: Machine, argument: Address) -> Callable[[], int]:
    """Return a function that computes a memory operand's address in [0, 2^64)."""
    registers: list[Any] = machine.registers
    base, index = argument.base, argument.index
    scale, displacement = argument.scale, argument.displacement
    if index is None:
        return lambda: effective(registers[base] + displacement)
    return lambda: effective(registers[base] + registers[index] * scale + displacement)


def _lane_addresses(machine: Machine, argument: Address) -> Callable[[], list[int]]:
    """Return a function that computes one address for each lane of a vector index."""
    registers: list[Any] = machine.registers
    base, index = argument.base, argument.index
    scale, displacement = argument.scale, argument.displacement
    if index is None:
        raise ValueError("an indexed access needs an index register")
    return lambda: [
        effective(registers[base] + lane * scale + displacement)
        for lane in as_ints(registers[index])
    ]


def _memory_argument(instruction: Instruction) -> Address:
    return next(a for a in instruction.arguments if isinstance(a, Address))


def effective(address: int) -> int:
    """Reduce the sum of a memory operand's parts modulo 2^64."""
    return address if 0 <= address <= MASK64 else address & MASK64


def words(address: int, size: int) -> Iterable[int]:
    """Return the numbers of the 8-byte words that ``size`` bytes at an address touch."""
    return range(address >> 3, ((address + size - 1) >> 3) + 1)


def words_of_one(address: int, size: int) -> Iterable[int]:
    """Return the same for a single element of up to 8 bytes."""
    word = address >> 3
    return (word,) if address & 7 <= 8 - size else (word, word + 1)


def _load(machine: Machine, number: int) -> Handler:
    instruction = machine.program.instructions[number]
    spec, meaning = instruction.spec, instruction.spec.meaning
    registers, fetch = machine.registers, _operands(machine, number)
    read = _reader(machine, instruction, spec.access)
    constants = (machine.program.lanes,) if spec.wants_lanes else ()
    register = machine.program.dataflow[number].writes[0]
    following = number + 1

    def load() -> int:
        operands = fetch()
        registers[register] = meaning(*operands, read(operands), *constants)
        return following

    return load


def _governor(instruction: Instruction) -> int:
    """Return the position, among registers read, of the governing predicate."""
    read = [operand for operand in instruction.spec.operands if operand.read]
    return next(i for i, operand in enumerate(read) if operand.name == "pg")


def _reader(
    machine: Machine, instruction: Instruction, access: Access | None
) -> Callable[[list[Any]], Any]:
    """Return a function that makes a load's access and records the words touched."""
    if access is None:
        raise ValueError(f"{instruction.spec.mnemonic} has no access")
    memory, element, lanes = machine.memory, access.element, machine.program.lanes
    size = access.size
    if access.masked:
        governor, addresses = _governor(instruction), _masked_addresses(machine, instruction)

        def read_masked(operands: list[Any]) -> Any:
            where = addresses()
            return _gather(machine, where, operands[governor], element, size)

        return read_masked
    address = _address(machine, _memory_argument(instruction))
    if access.vector:

        def read_vector(_operands: list[Any]) -> Any:
            at = address()
            machine.touched = words(at, size * lanes)
            return memory.load_lanes(at, element, lanes)

        return read_vector

    def read_one(_operands: list[Any]) -> Any:
        at = address()
        machine.touched = words_of_one(at, size)
        return memory.load(at, element)

    return read_one


def _masked_addresses(machine: Machine, instruction: Instruction) -> Callable[[], list[int]]:
    """Return a function that gives the address of every lane of a governed access."""
    access, argument = instruction.spec.access, _memory_argument(instruction)
    if access is not None and access.indexed:
        return _lane_addresses(machine, argument)
    first = _address(machine, argument)
    size = access.size if access is not None else 8
    lanes = machine.program.lanes

    def consecutive() -> list[int]:
        at = first()
        return [effective(at + lane * size) for lane in range(lanes)]

    return consecutive


def _gather(machine: Machine, addresses: list[int], mask: int, element: str, size: int) -> Any:
    """Load the active lanes, each from its address; zero in the place of the others."""
    memory = machine.memory
    active = [lane for lane in range(len(addresses)) if mask >> lane & 1]
    machine.touched = sorted({word for lane in active for word in words(addresses[lane], size)})
    if element == "any":
        element = memory.type_at(addresses[active[0]]) if active else "i64"
    values: list[int | float] = [0.0 if element == "f64" else 0] * len(addresses)
    for lane in active:
        values[lane] = memory.load(addresses[lane], element)
    return tuple(values)


def _store(machine: Machine, number: int) -> Handler:
    instruction = machine.program.instructions[number]
    access = instruction.spec.access
    if access is None:
        raise ValueError(f"{instruction.spec.mnemonic} has no access")
    fetch, meaning = _operands(machine, number), instruction.spec.meaning
    memory, element, size = machine.memory, access.element, access.size
    following = number + 1
    if access.masked:
        governor, addresses = _governor(instruction), _masked_addresses(machine, instruction)

        def store_masked() -> int:
            operands = fetch()
            _scatter(machine, addresses(), operands[governor], meaning(*operands))
            return following

        return store_masked
    address = _address(machine, _memory_argument(instruction))
    width = size * machine.program.lanes if access.vector else size

    def store() -> int:
        at = address()
        machine.touched = words(at, width)
        value = meaning(*fetch())
        if access.vector:
            memory.store_lanes(at, value)
        else:
            memory.store(at, element, value)
        return following

    return store


def _scatter(machine: Machine, addresses: list[int], mask: int, values: Any) -> None:
    """Store the active lanes, lane 0 first; all addresses are checked before any write."""
    active = [lane for lane in range(len(addresses)) if mask >> lane & 1]
    machine.touched = sorted({word for lane in active for word in words(addresses[lane], 8)})
    element = "f64" if isinstance(values[0], float) else "i64"
    size = ELEMENTS[element][0]
    for lane in active:
        if not machine.memory.holds(addresses[lane], size):
            raise MemoryFault(addresses[lane], size, write=True)
    for lane in active:
        machine.memory.store(addresses[lane], element, values[lane])


def _branch(machine: Machine, number: int) -> Handler:
    instruction = machine.program.instructions[number]
    fetch, taken = _operands(machine, number), instruction.spec.meaning
    target, following = _target(instruction), number + 1

    def branch() -> int:
        return target if taken(*fetch()) else following

    return branch


def _target(instruction: Instruction) -> int:
    target = instruction.arguments[-1]
    if not isinstance(target, int):
        raise TypeError(f"unresolved label {target!r}")
    return target


def _jump(machine: Machine, number: int) -> Handler:
    target = _target(machine.program.instructions[number])
    return lambda: target


def _call(machine: Machine, number: int) -> Handler:
    target = _target(machine.program.instructions[number])
    register = machine.program.dataflow[number].writes[0]
    link = machine.program.instructions[number].spec.meaning(4 * (number + 1))
    registers = machine.registers

    def call() -> int:
        registers[register] = link
        return target

    return call


def _indirect(machine: Machine, number: int) -> Handler:
    fetch, meaning = _operands(machine, number), machine.program.instructions[number].spec.meaning
    count = len(machine.program.instructions)

    def indirect() -> int:
        target: int = meaning(*fetch())
        if target % 4 or not 0 <= target < 4 * count:
            raise WildJump(target)
        return target // 4

    return indirect


class WildJump(Exception):  # noqa: N818  # the interpreter turns it into a ProgramFault
    """A jump to an address where there is no instruction."""

    def __init__(self, target: int) -> None:
        super().__init__(target)
        self.target = target


def _halt(_machine: Machine, _number: int) -> Handler:
    return lambda: -1


_BINDERS: dict[Kind, Callable[[Machine, int], Handler]] = {
    Kind.COMPUTE: _compute,
    Kind.LOAD: _load,
    Kind.STORE: _store,
    Kind.BRANCH: _branch,
    Kind.JUMP: _jump,
    Kind.CALL: _call,
    Kind.INDIRECT: _indirect,
    Kind.HALT: _halt,
}
