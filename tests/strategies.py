"""Hypothesis strategies for values and programs, shared by the tests of all packages.

`programs` draws any valid program over the whole instruction table; it need not end and
may fault. `runnable_programs` draws programs that always end, never fault and need no
data, for whoever runs them: see there for what they contain.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from isa.assembler import assemble
from isa.memory import ELEMENTS
from isa.operands import (
    FILES,
    LANE_COUNTS,
    REGISTER_NUMBERS,
    Address,
    Argument,
    Operand,
)
from isa.printer import print_program
from isa.program import Declaration, Instruction, Program
from isa.table import TABLE, Kind, Spec

if TYPE_CHECKING:
    from collections.abc import Callable

# Values


def _double_bits(value: float) -> int:
    return int.from_bytes(struct.pack("<d", value), "little")


_DOUBLES = (0.5, 1.0, 1.5, 3.0, 2.0**53, 2.0**63, 2.0**-1022, 2.0**-1074, 1e308, 1e-300, math.inf)
EDGES: tuple[int, ...] = (
    *range(18),
    *(63, 64, 65, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**53 - 1, 2**53 + 1, 2**63 - 1, 2**63),
    *(2**64 - small for small in (1, 2, 3, 4, 8, 16, 2**31, 2**31 + 1, 2**32)),
    *(_double_bits(value) for value in _DOUBLES),
    *(_double_bits(-value) for value in _DOUBLES),
    *(_double_bits(math.nextafter(value, 0.0)) for value in (1.0, 2.0**63, -(2.0**63), math.inf)),
    *(0x7FF8000000000000, 0xFFF8000000000000, 0x7FF800000000BEEF),  # quiet NaN
    *(0x7FF0000000000001, 0xFFF7FFFFFFFFFFFF),  # signalling NaN
)
"""64-bit patterns at which integers or doubles do something special."""


@cache
def words() -> st.SearchStrategy[int]:
    """64-bit patterns as unsigned integers: special ones, any integer, any double."""
    return st.one_of(
        st.sampled_from(EDGES),
        st.integers(0, 2**64 - 1),
        st.floats(allow_nan=False).map(_double_bits),
    )


@cache
def pools() -> st.SearchStrategy[list[int]]:
    """A few patterns for `chosen` to take from."""
    return st.lists(words(), min_size=1, max_size=3)


def chosen(choice: bytes, pool: list[int]) -> tuple[int, ...]:
    """Turn bytes into 64-bit patterns, half of them from a small pool, so that they meet often.

    To draw one byte for a lane, and all at once, keeps tests over many registers fast.
    """
    return tuple(
        pool[byte % len(pool)] if byte < 128 else EDGES[byte % len(EDGES)] for byte in choice
    )


@cache
def vectors(lanes: int) -> st.SearchStrategy[tuple[int, ...]]:
    """Lanes of 64-bit patterns."""
    return st.builds(chosen, st.binary(min_size=lanes, max_size=lanes), pools())


# Programs over the whole table


def names() -> st.SearchStrategy[str]:
    """Names for labels, constants and arrays that are not taken by anything else."""
    head = st.sampled_from(["a", "Z", "_", ".x", "loop", "e1", "face", "inf", "x", "add", "lanes_"])
    tail = st.text("ab_.09EX", max_size=3)
    return st.builds("{}{}".format, head, tail).filter(
        lambda name: name.lower() not in REGISTER_NUMBERS and name != "lanes"
    )


def elements(element: str) -> st.SearchStrategy[int | float]:
    """Values of one element of an array; of NaN only the one that text can spell."""
    if element == "f64":
        return st.one_of(st.floats(allow_nan=False), st.just(math.nan))
    bits = 8 * ELEMENTS[element][0]
    if element == "u32":
        return st.integers(0, 2**bits - 1)
    return st.integers(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


@st.composite
def declarations(draw: st.DrawFn, name: str) -> Declaration:
    """An array in any of the four roles."""
    role = draw(st.sampled_from(["data", "array", "input", "output"]))
    element = draw(st.sampled_from(sorted(ELEMENTS)))
    values = draw(st.lists(elements(element), max_size=4)) if role == "data" else []
    count = draw(st.integers(0, 2**40)) if role == "array" else None
    return Declaration(role, name, element, count, tuple(values))


def registers(operand: Operand, lanes: int) -> st.SearchStrategy[int]:
    """Flat numbers of the registers that an operand may name."""
    return _file_registers(operand.kind, lanes if operand.group else 1)


@cache
def _file_registers(file: str, group: int) -> st.SearchStrategy[int]:
    first, count = FILES[file]
    return st.integers(first, first + count - group)


@st.composite
def addresses(draw: st.DrawFn, index_file: str) -> Address:
    """Any address; its index, if it has one, is in a register of the file given."""
    base = draw(st.integers(0, 31))
    displacement = draw(st.one_of(st.integers(-64, 64), st.integers(-(2**31), 2**31 - 1)))
    if index_file == "x" and draw(st.booleans()):
        return Address(base, None, 1, displacement)
    first, count = FILES[index_file]
    index = draw(st.integers(first, first + count - 1))
    return Address(base, index, draw(st.sampled_from([1, 2, 4, 8])), displacement)


def immediates(spec: Spec, operand: Operand, lanes: int) -> st.SearchStrategy[int | float]:
    """Values of an operand that is neither register, label, array nor address."""
    return _immediates("li" if spec.mnemonic == "li" else operand.kind, lanes)


@cache
def _immediates(kind: str, lanes: int) -> st.SearchStrategy[int | float]:
    if kind == "float":
        return elements("f64")
    bits = 63 if kind == "li" else 31
    bounds = {"shift": (0, 63), "lane": (0, lanes - 1)}
    return st.integers(*bounds.get(kind, (-(2**bits), 2**bits - 1)))


def arguments(
    spec: Spec, operand: Operand, lanes: int, length: int, arrays: list[str]
) -> st.SearchStrategy[Argument]:
    """Arguments for one operand of an instruction in a program of ``length`` instructions."""
    if operand.is_register:
        return registers(operand, lanes)
    if operand.kind == "label":
        return st.integers(0, length - 1)
    if operand.kind == "array":
        return st.sampled_from(arrays)
    if operand.kind in {"mem", "vmem"}:
        return addresses("v" if operand.kind == "vmem" else "x")
    return immediates(spec, operand, lanes)


def instructions(
    spec: Spec, lanes: int, length: int, arrays: list[str]
) -> st.SearchStrategy[Instruction]:
    """Instructions of one table entry."""
    drawn = [arguments(spec, operand, lanes, length, arrays) for operand in spec.operands]
    return st.builds(Instruction, st.just(spec), st.tuples(*drawn))


def entries(*kinds: Kind, array: bool = True) -> st.SearchStrategy[Spec]:
    """Table entries of these kinds, with or without those that name an array."""
    return st.sampled_from(_mnemonics(kinds, array)).map(TABLE.__getitem__)


@cache
def _mnemonics(kinds: tuple[Kind, ...], array: bool) -> list[str]:
    return [
        spec.mnemonic
        for spec in TABLE.values()
        if spec.kind in kinds and (array or "array" not in spec.signature)
    ]


_ENDS = entries(Kind.HALT, Kind.JUMP, Kind.INDIRECT)


@st.composite
def programs(draw: st.DrawFn, max_instructions: int = 10) -> Program:
    """Any valid program: every instruction, operand kind, array role and number of lanes.

    It need not end and may fault. Every target of a branch has a label; there are labels
    that nothing refers to, several at one place, and one after the last instruction.
    """
    lanes = draw(st.sampled_from(LANE_COUNTS))
    array_names = draw(st.lists(names(), max_size=3, unique=True))
    length = draw(st.integers(1, max_instructions))
    usable = entries(*Kind, array=bool(array_names))
    specs = [draw(usable) for _ in range(length - 1)] + [draw(_ENDS)]
    body = [draw(instructions(spec, lanes, length, array_names)) for spec in specs]
    return Program(
        name="<random>",
        instructions=tuple(body),
        arrays=tuple(draw(declarations(name)) for name in array_names),
        labels=draw(_labels(body)),
        lanes=lanes,
    )


@st.composite
def _labels(draw: st.DrawFn, body: list[Instruction]) -> tuple[tuple[str, int], ...]:
    """One label for each target of a branch, and some more."""
    targets = {
        argument
        for instruction in body
        for operand, argument in zip(instruction.spec.operands, instruction.arguments, strict=True)
        if operand.kind == "label" and isinstance(argument, int)
    }
    places = sorted(targets) + draw(st.lists(st.integers(0, len(body)), max_size=3))
    spelled = draw(st.lists(names(), min_size=len(places), max_size=len(places), unique=True))
    return tuple(sorted(zip(spelled, places, strict=True), key=lambda label: label[1]))


# Programs that run

ARRAY_BYTES = 256
"""Size of each of the three arrays of a runnable program."""

MOST_ROUNDS = 4
MOST_LOOPS = 2
"""How often a loop of a runnable program goes round, and how deep loops nest."""

# Registers that only the scaffolding writes, the largest index, and the longest prologue.
_BASES = {"a": 20, "b": 21, "c": 22}
_INDEX, _TARGET, _LEFT = 23, 26, 27
_COUNTERS = (24, 25)
_LINK = 1
_VECTOR_INDEX, _VECTOR_LIMIT = FILES["v"][0] + 31, FILES["v"][0] + 30
_TAIL = FILES["p"][0] + 7
_RESERVED = {_LINK, *range(20, 28), _VECTOR_INDEX, _VECTOR_LIMIT, _TAIL}
_FREE = {
    file: [number for number in range(first, first + count) if number not in _RESERVED]
    for file, (first, count) in FILES.items()
}
_LIMIT = 15
_PROLOGUE = 11
_COMPUTE = entries(Kind.COMPUTE)
_MEMORY = entries(Kind.LOAD, Kind.STORE)
_BRANCHES = entries(Kind.BRANCH)
_MASKED = _MEMORY.filter(lambda spec: "pg" in spec.signature and "vmem" not in spec.signature)
_SCALES = st.sampled_from([1, 2, 4, 8])
_NAMES = st.sampled_from(sorted(_BASES))


def runnable_programs(
    max_instructions: int = 40, lanes: int | None = None
) -> st.SearchStrategy[Program]:
    """Programs that end by themselves, never fault, and need no data: ``Machine(program)``.

    What they contain: every computing instruction of the table on any registers; all loads
    and stores, aligned or not, with constant, computed (data-dependent) and loop-counted
    addresses in three small arrays, so that loads often meet the bytes of earlier stores in
    part or in full; gather and scatter; masked accesses at the end of an array whose
    inactive lanes lie beyond it; forward branches on data; counted loops, also nested, and
    exits from them; jumps; jumps to a register; and calls of functions that return.

    What bounds them: loops nest `MOST_LOOPS` deep and go round at most `MOST_ROUNDS` times,
    and functions have neither loops nor calls, so that a program of n instructions executes
    less than ``MOST_ROUNDS**MOST_LOOPS * n**2`` of them, and mostly below 10 n.

    Registers x1, x20 to x27, v30, v31 and p7 belong to this scaffolding and are written by
    nothing else.

    Parameters
    ----------
    max_instructions : int
        Most instructions in the text, at least 20.
    lanes : int, optional
        W; drawn from all four if not given.
    """
    return _runnable_programs(max_instructions, lanes)


@dataclass(eq=False)
class _Place:
    """A label whose instruction number is known once the program is laid out."""

    number: int = -1


@dataclass(frozen=True)
class _AddressOf:
    """The address of the instruction at a place, for a jump to a register."""

    place: _Place


Pending = Any
"""An argument, a place or the address of one."""


@dataclass
class _Writer:
    """A program being written.

    ``left`` is how many instructions may still be added, ``counters`` the loop counters in
    use, ``exits`` the places just after the loops that are open, ``called`` the functions
    and ``used`` the bases and limits that something refers to.
    """

    draw: st.DrawFn
    lanes: int
    left: int
    functions: list[_Place]
    offsets: dict[str, int]
    body: list[tuple[str, list[Pending]]] = field(default_factory=list)
    counters: list[int] = field(default_factory=list)
    exits: list[_Place] = field(default_factory=list)
    called: list[_Place] = field(default_factory=list)
    used: set[int] = field(default_factory=set)
    in_function: bool = False

    def emit(self, mnemonic: str, *arguments: Pending) -> None:
        """Add an instruction."""
        self.body.append((mnemonic, list(arguments)))
        self.left -= 1

    def put(self, place: _Place) -> None:
        """Let a place be where the next instruction goes."""
        place.number = len(self.body)

    def register(self, operand: Operand) -> int:
        """Draw a register; one to be written is none of the scaffolding's."""
        if operand.written:
            return self.draw(st.sampled_from(_FREE[operand.kind]))
        return self.draw(registers(operand, self.lanes))

    def operand(self, spec: Spec, operand: Operand) -> Pending:
        """Draw an operand that is no memory operand."""
        if operand.is_register:
            return self.register(operand)
        if operand.kind == "array":
            return self.draw(_NAMES)
        return self.draw(immediates(spec, operand, self.lanes))

    def block(self, most: int) -> None:
        """Write up to so many statements."""
        for _ in range(self.draw(st.integers(0, most))):
            statements = 6 * [self.compute] + 4 * [self.memory]
            if self.left > 8:
                statements += [self.branch, self.jump, self.jump_to_register, self.tail]
            if self.left > 8 and not self.in_function:
                statements += [self.call] if self.functions else []
                statements += [self.leave] if self.exits else []
                statements += 3 * [self.loop] if len(self.counters) < MOST_LOOPS else []
            if self.left > 4:
                statement: Callable[[], None] = self.draw(st.sampled_from(statements))
                statement()

    def compute(self) -> None:
        """Write any computing instruction."""
        spec = self.draw(_COMPUTE)
        self.emit(spec.mnemonic, *(self.operand(spec, operand) for operand in spec.operands))

    def memory(self) -> None:
        """Write any load or store, and what bounds its address."""
        spec = self.draw(_MEMORY)
        access = spec.access
        size = access.size * (self.lanes if access.vector and not access.indexed else 1)
        address = self.vector_address() if access.indexed else self.address(size)
        self.emit(
            spec.mnemonic,
            *(
                address if operand.kind in {"mem", "vmem"} else self.operand(spec, operand)
                for operand in spec.operands
            ),
        )

    def base(self, spare: int) -> tuple[int, int]:
        """Draw an array and a place in it with ``spare`` bytes behind; base and displacement."""
        name = self.draw(_NAMES)
        last = ARRAY_BYTES - spare
        at = self.draw(st.one_of(st.integers(0, min(24, last)), st.integers(0, last)))
        return self.base_of(name), at - self.offsets[name]

    def base_of(self, name: str) -> int:
        """Name the base register of an array, which is used from now on."""
        self.used.add(_BASES[name])
        return _BASES[name]

    def address(self, size: int) -> Address:
        """Draw the address of an access of ``size`` bytes that stays in its array."""
        form = self.draw(st.sampled_from(["constant", "computed", "counted"]))
        scale = self.draw(_SCALES)
        if form == "computed":
            most = self.draw(st.sampled_from([1, 3, _LIMIT]))
            self.emit("andi", _INDEX, self.draw(st.integers(0, 31)), most)
            base, displacement = self.base(size + most * scale)
            return Address(base, _INDEX, scale, displacement)
        if form == "counted" and self.counters:
            base, displacement = self.base(size + MOST_ROUNDS * scale)
            return Address(base, self.draw(st.sampled_from(self.counters)), scale, displacement)
        base, displacement = self.base(size)
        return Address(base, None, 1, displacement)

    def vector_address(self) -> Address:
        """Draw addresses of 8 bytes for each lane."""
        first = FILES["v"][0]
        self.used.add(_VECTOR_LIMIT)
        self.emit("vand", _VECTOR_INDEX, self.draw(st.integers(first, first + 29)), _VECTOR_LIMIT)
        scale = self.draw(_SCALES)
        base, displacement = self.base(8 + _LIMIT * scale)
        return Address(base, _VECTOR_INDEX, scale, displacement)

    def tail(self) -> None:
        """Write a masked access at the end of an array: n lanes in it, the others beyond."""
        spec = self.draw(_MASKED)
        count = self.draw(st.integers(0, self.lanes))
        name = self.draw(_NAMES)
        at = ARRAY_BYTES - count * spec.access.size - self.offsets[name]
        self.emit("li", _LEFT, count)
        self.emit("pwhilelt", _TAIL, 0, _LEFT)
        given = {"mem": Address(self.base_of(name), None, 1, at), "p": _TAIL}
        self.emit(
            spec.mnemonic,
            *(
                given[operand.kind] if operand.kind in given else self.operand(spec, operand)
                for operand in spec.operands
            ),
        )

    def conditional(self, target: _Place) -> None:
        """Write a branch on data."""
        spec = self.draw(_BRANCHES)
        compared = [operand for operand in spec.operands if operand.is_register]
        self.emit(spec.mnemonic, *(self.register(operand) for operand in compared), target)

    def branch(self) -> None:
        """Write a block that a branch may skip."""
        behind = _Place()
        self.conditional(behind)
        self.block(3)
        self.put(behind)

    def jump(self) -> None:
        """Write a block that is jumped over."""
        behind = _Place()
        self.emit("j", behind)
        self.block(2)
        self.put(behind)

    def jump_to_register(self) -> None:
        """Write a block that is jumped over by its address."""
        behind = _Place()
        self.emit("li", _TARGET, _AddressOf(behind))
        self.emit("jr", _TARGET)
        self.block(2)
        self.put(behind)

    def leave(self) -> None:
        """Write a branch that may leave a loop."""
        self.conditional(self.draw(st.sampled_from(self.exits)))

    def call(self) -> None:
        """Write a call."""
        function = self.draw(st.sampled_from(self.functions))
        if function not in self.called:
            self.called.append(function)
        self.emit("call", function)

    def loop(self) -> None:
        """Write a loop that counts down in a register of its own."""
        counter = _COUNTERS[len(self.counters)]
        top, behind = _Place(), _Place()
        self.emit("li", counter, self.draw(st.integers(1, MOST_ROUNDS)))
        self.put(top)
        self.counters.append(counter)
        self.exits.append(behind)
        self.left -= 2  # kept for the end of the loop, whatever stands in it
        self.block(5)
        self.left += 2
        self.counters.pop()
        self.exits.pop()
        self.emit("addi", counter, counter, -1)
        back = self.draw(st.sampled_from(["bnez", "bne", "blt", "bltu"]))
        compared = {"bnez": [counter], "bne": [counter, 0]}.get(back, [0, counter])
        self.emit(back, *compared, top)
        self.put(behind)

    def prologue(self) -> None:
        """Set up bases and limits, and some values to compute with."""
        for name, base in _BASES.items():
            if base in self.used:
                self.emit("la", base, name)
            if base in self.used and self.offsets[name]:
                self.emit("addi", base, base, self.offsets[name])
        if _VECTOR_LIMIT in self.used:
            self.emit("li", _LEFT, _LIMIT)
            self.emit("vsplat", _VECTOR_LIMIT, _LEFT)
        for number in range(self.draw(st.integers(0, 3))):
            value = self.draw(words())
            self.emit("li", 2 + number, value - (value >> 63 << 64))

    def function(self, place: _Place) -> None:
        """Write a function: it returns, and neither loops nor calls."""
        self.in_function = True
        self.put(place)
        self.block(3)
        if self.draw(st.booleans()):
            self.emit("ret")
        else:
            self.emit("jr", _LINK)


def runnable_kinds() -> set[str]:
    """Mnemonics of all instructions that runnable programs may contain."""
    drawn = _mnemonics((Kind.COMPUTE, Kind.LOAD, Kind.STORE, Kind.BRANCH), True)
    return {*drawn, "j", "jr", "call", "ret", "halt"}


@st.composite
def _runnable_programs(draw: st.DrawFn, max_instructions: int, lanes: int | None) -> Program:
    width = lanes or draw(st.sampled_from(LANE_COUNTS))
    functions = [_Place() for _ in range(draw(st.integers(0, 2)))]
    offsets = {name: draw(st.sampled_from([0, ARRAY_BYTES // 2])) for name in _BASES}
    reserve = _PROLOGUE + 1 + len(functions)
    writer = _Writer(draw, width, max_instructions - reserve, functions, offsets)
    writer.block(max_instructions // 2)
    writer.emit("halt")
    for place in writer.called:
        writer.function(place)
    body, writer.body = writer.body, []
    writer.prologue()
    first = len(writer.body)
    program = Program(
        name="<runnable>",
        instructions=tuple(
            Instruction(TABLE[mnemonic], tuple(_placed(argument, first) for argument in given))
            for mnemonic, given in writer.body + body
        ),
        arrays=_arrays(draw(st.integers(0, 2**64 - 1))),
        lanes=width,
    )
    # Through text, so that instructions have lines and labels have names for messages.
    return assemble(print_program(program), program.name, width)


def _placed(argument: Pending, first: int) -> Argument:
    """Put in a place's number, counted from instruction ``first``."""
    if isinstance(argument, _AddressOf):
        return 4 * (first + argument.place.number)
    if isinstance(argument, _Place):
        return first + argument.number
    given: Argument = argument
    return given


def _arrays(seed: int) -> tuple[Declaration, ...]:
    """Three arrays: integers with bits all over, doubles of moderate size, zeros."""
    count = ARRAY_BYTES // 8
    mixed = [(seed + i) * 0x9E3779B97F4A7C15 % 2**64 for i in range(count)]
    integers = tuple(word - 2**63 for word in mixed)
    doubles = tuple((word >> 40) / 2**20 - 8.0 for word in mixed)
    return (
        Declaration("data", "a", "i64", None, integers),
        Declaration("data", "b", "f64", None, doubles),
        Declaration("array", "c", "u32", ARRAY_BYTES // 4),
    )
