"""What a core makes of each static instruction of a program, worked out once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from isa.errors import InputError
from isa.program import Instruction, Program
from isa.spec import Kind
from simulator.core.spec import ADDRESS, ALL, DATA, Core, Cost, Micro


@dataclass(frozen=True, slots=True)
class MicroTemplate:
    """A micro-operation with its operands resolved to registers."""

    units: tuple[tuple[int, int], ...]
    """Candidate units as (bit, number), in order of preference."""
    group: int
    """The bits of all of them."""
    latency: int
    loads: bool
    busy: int
    registers: tuple[int, ...]
    after: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SlotTemplate:
    """One issue slot of an instruction: one entry in each structure it passes."""

    micros: tuple[MicroTemplate, ...]
    schedulers: tuple[int, ...]
    """Schedulers in which the slot's micro-operations wait: one entry in each, until the
    last of them, in whichever scheduler, issues."""
    load: bool
    """Whether it takes a load queue entry (an instruction's first slot does)."""
    store: bool
    """Whether it takes a store queue entry."""
    drains: bool
    """Whether it waits for all older instructions to retire."""


@dataclass(frozen=True, slots=True)
class Template:
    """A static instruction as the pipeline sees it."""

    slots: tuple[SlotTemplate, ...]
    reads: tuple[int, ...]
    writes: tuple[int, ...]
    loads: bool
    stores: bool
    steers: bool
    """Whether it decides what is fetched next: a branch, jump, call or return."""
    conditional: bool
    """Whether it is a branch that may fall through."""


def build_templates(program: Program, core: Core) -> list[Template]:
    """Resolve every instruction of a program against a core's costs.

    Raises
    ------
    InputError
        If a cost names an operand that an instruction of its class does not have.
    """
    return [_template(program, number, core) for number in range(len(program.instructions))]


def branch_targets(program: Program) -> list[int]:
    """Return the target address of each instruction that has a label, else a large one."""
    targets = []
    for instruction in program.instructions:
        labels = [
            argument
            for operand, argument in zip(
                instruction.spec.operands, instruction.arguments, strict=True
            )
            if operand.kind == "label" and isinstance(argument, int)
        ]
        targets.append(4 * labels[0] if labels else 4 * len(program.instructions))
    return targets


def _template(program: Program, number: int, core: Core) -> Template:
    instruction = program.instructions[number]
    flow = program.dataflow[number]
    cost = core.costs[instruction.spec.opclass][program.lanes]
    reads = tuple(dict.fromkeys(r for r in (*flow.reads, *flow.address) if r != 0))
    kind = instruction.spec.kind
    slots = tuple(
        _slot(_micros_of(cost, slot), program, number, core, first=slot == 0)
        for slot in range(cost.slots)
    )
    return Template(
        slots=slots,
        reads=reads,
        writes=flow.writes,
        loads=kind is Kind.LOAD,
        stores=kind is Kind.STORE,
        steers=kind in {Kind.BRANCH, Kind.JUMP, Kind.CALL, Kind.INDIRECT},
        conditional=kind is Kind.BRANCH,
    )


def _micros_of(cost: Cost, slot: int) -> list[Micro]:
    """Return the micro-operations of one of an operation's slots."""
    micros, slots = len(cost.micros) // cost.pieces, cost.slots // cost.pieces
    piece, place = divmod(slot, slots)
    own = cost.micros[piece * micros : (piece + 1) * micros]
    return [micro for i, micro in enumerate(own) if min(i, slots - 1) == place]


def _slot(
    micros: Sequence[Micro], program: Program, number: int, core: Core, *, first: bool
) -> SlotTemplate:
    kind = program.instructions[number].spec.kind
    return SlotTemplate(
        micros=tuple(_micro(micro, program, number, core) for micro in micros),
        schedulers=tuple(dict.fromkeys(micro.scheduler for micro in micros)),
        load=first and kind is Kind.LOAD,
        store=first and kind is Kind.STORE,
        drains=kind is Kind.HALT,
    )


def _micro(micro: Micro, program: Program, number: int, core: Core) -> MicroTemplate:
    """Resolve operands; an instruction that has no data access takes just the L1 latency."""
    instruction = program.instructions[number]
    accesses = instruction.spec.kind in {Kind.LOAD, Kind.STORE}
    needed = [r for name in micro.operands for r in _registers(name, instruction, program, number)]
    return MicroTemplate(
        units=tuple((1 << unit, unit) for unit in micro.units),
        group=sum(1 << unit for unit in set(micro.units)),
        latency=micro.latency + (core.l1_latency if micro.loads and not accesses else 0),
        loads=micro.loads and accesses,
        busy=micro.busy,
        registers=tuple(dict.fromkeys(register for register in needed if register != 0)),
        after=micro.after,
    )


def _registers(
    name: str, instruction: Instruction, program: Program, number: int
) -> tuple[int, ...]:
    """Return the registers that an operand name of a core file stands for."""
    flow = program.dataflow[number]
    if name == ALL:
        return (*flow.reads, *flow.address)
    if name == ADDRESS:
        return flow.address
    if name == DATA:
        return flow.reads
    for operand, argument in zip(instruction.spec.operands, instruction.arguments, strict=True):
        if operand.name == name and isinstance(argument, int):
            return tuple(range(argument, argument + (program.lanes if operand.group else 1)))
    raise InputError(
        f"the core's cost of {instruction.spec.opclass} needs an operand '{name}', which "
        f"'{instruction.spec.mnemonic}' ({instruction.spec.signature}) does not have"
    )
