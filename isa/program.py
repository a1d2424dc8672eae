"""A program: instructions with their operands, declared arrays, and labels."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from isa.operands import RETURN_ADDRESS, SINK, Address, Argument
from isa.spec import Kind, Spec


@dataclass(frozen=True, slots=True)
class Declaration:
    """An array that a program declares.

    ``data`` has its values in the text, ``array`` is zero-filled with ``count``
    elements, ``input`` and ``output`` get length and contents from whoever runs it.
    """

    role: str
    name: str
    element: str
    count: int | None = None
    values: tuple[int | float, ...] = ()
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Instruction:
    """One static instruction: a table entry and its arguments, in the entry's order.

    Registers are flat indices, labels instruction numbers, arrays names.
    """

    spec: Spec
    arguments: tuple[Argument, ...]
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Dataflow:
    """Which flat registers an instruction reads and writes.

    ``reads`` are the meaning's operands in its order, ``address`` those of its memory
    operand. x0 appears among reads (always ready) and never among writes.
    """

    reads: tuple[int, ...]
    address: tuple[int, ...]
    writes: tuple[int, ...]


@dataclass(frozen=True)
class Program:
    """Instructions, arrays and labels; ``lanes`` is the W it was assembled for."""

    name: str
    instructions: tuple[Instruction, ...]
    arrays: tuple[Declaration, ...] = ()
    labels: tuple[tuple[str, int], ...] = ()
    lanes: int = 4
    source: tuple[str, ...] = field(default=(), compare=False, repr=False)

    @cached_property
    def dataflow(self) -> tuple[Dataflow, ...]:
        """Registers read and written, for each instruction."""
        return tuple(dataflow(instruction, self.lanes) for instruction in self.instructions)

    @cached_property
    def label_numbers(self) -> dict[str, int]:
        """Instruction number of each label."""
        return dict(self.labels)

    def where(self, number: int) -> str:
        """Say where an instruction stands: ``file:line`` and its text."""
        instruction = self.instructions[number]
        text = ""
        if 0 < instruction.line <= len(self.source):
            text = f" '{self.source[instruction.line - 1].strip()}'"
        return f"{self.name}:{instruction.line}:{text or ' ' + instruction.spec.mnemonic}"


def dataflow(instruction: Instruction, lanes: int) -> Dataflow:
    """Work out the registers that an instruction reads and writes."""
    reads: list[int] = []
    address: list[int] = []
    writes: list[int] = []
    for operand, argument in zip(instruction.spec.operands, instruction.arguments, strict=True):
        if isinstance(argument, Address):
            address.append(argument.base)
            if argument.index is not None:
                address.append(argument.index)
        elif operand.is_register and isinstance(argument, int):
            if operand.read:
                reads.extend(range(argument, argument + (lanes if operand.group else 1)))
            if operand.written:
                writes.append(argument or SINK)
    if instruction.spec.kind is Kind.CALL:
        writes.append(RETURN_ADDRESS)
    if instruction.spec.kind is Kind.INDIRECT and not reads:
        reads.append(RETURN_ADDRESS)
    return Dataflow(tuple(reads), tuple(address), tuple(writes))
