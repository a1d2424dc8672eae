"""Random programs that come to an end, and random cores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from random import Random

from hypothesis import strategies as st
from timing_harness import SHIPPED, with_costs

from isa.assembler import assemble
from isa.operands import LANE_COUNTS, Operand
from isa.program import Program
from isa.spec import Kind, Spec
from isa.table import TABLE
from simulator.core.corefile import load_core
from simulator.core.spec import Core, Cost, Micro

_POOL = [spec for spec in TABLE.values() if spec.kind in {Kind.COMPUTE, Kind.LOAD, Kind.STORE}]
_CONDITIONS = ("beq", "bne", "blt", "bge", "bltu", "bgeu")
_VALUES = st.sampled_from([0, 1, 2, 3, -1, 7, 64, -(2**63)])

# x20 holds the address of A, x21 a small index and v20 the lane numbers, as indices that
# are always good; x28 to x30 count loops. Nothing writes these, and nothing writes x1.
_PROLOGUE = """\
    la x20, A
    li x21, 3
    li x22, 1
    vindex v20, x0, x22
    pmv.p.x p1, x21
    ld x5, (x20)
    vld v1, 8(x20)
"""


_VARIANTS = 10
"""Different operands in which each instruction is offered; drawing them singly is slow."""


def _operand(random: Random, operand: Operand, lanes: int) -> str:
    kind = operand.kind
    if operand.is_register:
        first, last = {"x": (5, 9), "f": (0, 3), "v": (0, 3), "p": (0, 3)}[kind]
        return f"{kind}{random.randint(first, last)}"
    if kind in {"mem", "vmem"}:
        index = ", v20*8" if kind == "vmem" else random.choice(["", "", ", x21*8", ", x21*4"])
        return f"{4 * random.randint(0, 8)}(x20{index})"
    choices = {
        "imm": range(-4, 5),
        "shift": range(64),
        "lane": range(lanes),
        "float": ["0.0", "1.5", "-2.0", "inf"],
        "array": ["A"],
    }
    return str(random.choice(choices[kind]))


def _variants(spec: Spec, lanes: int) -> list[str]:
    """Write an instruction with operands of several sorts, the same in every process."""
    random = Random(f"{spec.mnemonic} {lanes}")  # noqa: S311
    texts = []
    for _ in range(_VARIANTS):
        operands = ", ".join(_operand(random, operand, lanes) for operand in spec.operands)
        texts.append(f"    {spec.mnemonic} {operands}")
    return texts


@cache
def _statements(lanes: int) -> st.SearchStrategy[str]:
    """Return a strategy of any instruction that does not steer, memory accesses preferred."""
    texts = {spec.mnemonic: _variants(spec, lanes) for spec in _POOL}
    accesses = [text for spec in _POOL if spec.access is not None for text in texts[spec.mnemonic]]
    every = [text for variants in texts.values() for text in variants]
    return st.sampled_from([*every, *accesses * (len(every) // len(accesses))])


class _Labels:
    """Labels of one program, each used once."""

    def __init__(self) -> None:
        self.used = 0

    def new(self) -> str:
        self.used += 1
        return f"at{self.used}"


@st.composite
def _block(draw: st.DrawFn, lanes: int, labels: _Labels, nesting: int) -> list[str]:
    """Draw statements, branches over some of them, jumps, calls and counted loops."""
    lines: list[str] = []
    kinds = ["statement", "branch", "jump", "call"] + ["loop"] * (nesting < 2)
    for kind in draw(st.lists(st.sampled_from(kinds), min_size=2, max_size=6)):
        if kind == "statement":
            lines += draw(st.lists(_statements(lanes), min_size=2, max_size=6))
        elif kind == "call":
            lines.append("    call routine")
        elif kind == "jump":
            label = labels.new()
            lines += [f"    j {label}", f"{label}:"]
        elif kind == "branch":
            label = labels.new()
            first, second = draw(st.tuples(*[st.integers(5, 9)] * 2))
            lines.append(f"    {draw(st.sampled_from(_CONDITIONS))} x{first}, x{second}, {label}")
            lines += [*draw(st.lists(_statements(lanes), max_size=3)), f"{label}:"]
        else:
            label, counter = labels.new(), f"x{28 + nesting}"
            lines += [f"    li {counter}, {draw(st.integers(1, 6 if nesting == 0 else 3))}"]
            lines += [f"{label}:", *draw(_block(lanes, labels, nesting + 1))]
            lines += [f"    addi {counter}, {counter}, -1", f"    bnez {counter}, {label}"]
    return lines


@st.composite
def programs(draw: st.DrawFn, lanes: st.SearchStrategy[int] | None = None) -> Program:
    """Draw a program that comes to an end, in any number of lanes."""
    width = draw(lanes if lanes is not None else st.sampled_from(LANE_COUNTS))
    values = [str(value) for value in draw(st.lists(_VALUES, min_size=4, max_size=4))]
    lines = [f".data A, i64, {', '.join(values * 16)}", *_PROLOGUE.splitlines()]
    lines += draw(_block(width, _Labels(), 0))
    routine = draw(st.lists(_statements(width), max_size=2))
    lines += ["    halt", "routine:", *routine, "    ret"]
    return assemble("\n".join(lines), "random.s", width)


@cache
def _cracked(name: str, vector_bits: int) -> Core:
    """Return a shipped core, or that core with narrower or wider vector units."""
    return load_core(name, [f"vector_bits={vector_bits}"])


@st.composite
def micros(draw: st.DrawFn, core: Core, *, loads: bool) -> dict[int, Cost]:
    """Draw a cost: any micro-operations on any units of one scheduler each, in any slots."""
    feeds = sorted(
        {
            (m.scheduler, m.units)
            for by in core.costs.values()
            for c in by.values()
            for m in c.micros
        }
    )
    drawn: list[Micro] = []
    for position in range(draw(st.integers(0, 4))):
        scheduler, units = draw(st.sampled_from(feeds))
        after = draw(st.sets(st.integers(0, position - 1))) if position else set()
        latency, busy = draw(st.tuples(st.integers(0, 9), st.sampled_from([1, 1, 2, 5])))
        drawn.append(
            Micro(
                units,
                scheduler,
                latency,
                loads=loads and draw(st.booleans()),
                busy=busy,
                operands=() if after else (draw(st.sampled_from(["all", "address", "data"])),),
                after=tuple(sorted(after)),
            )
        )
    slots = draw(st.sampled_from([max(1, len(drawn)), 1, 2, 5]))
    return dict.fromkeys(LANE_COUNTS, Cost(tuple(drawn), slots))


def every_instruction(lanes: int) -> Program:
    """Write a program of every instruction but branches, each with three sets of operands."""
    lines = [".data A, i64, 3, 1, 2, 0" + ", 5" * 60, *_PROLOGUE.splitlines()]
    lines += [text for spec in _POOL for text in _variants(spec, lanes)[:3]]
    return assemble("\n".join([*lines, "    halt"]), "every.s", lanes)


SIZES = st.sampled_from([1, 2, 3, 5, 16, 64, 5000])
WIDTHS = st.sampled_from([1, 2, 3, 4, 8, 64])


@st.composite
def cores(draw: st.DrawFn, *, own_costs: bool = True) -> Core:
    """Draw a core: every figure from 1 to more than enough, on either layout of units.

    With ``own_costs``, a few classes may get costs that no file has.
    """
    name = draw(st.sampled_from(sorted(SHIPPED)))
    core = _cracked(name, draw(st.sampled_from([64, 128, 256, 512, 1024])))
    depth = draw(st.sampled_from([1, 2, 3, 5, 12]))
    core = replace(
        core,
        fetch_width=draw(WIDTHS),
        taken_bubble=draw(st.sampled_from([0, 1, 2, 17])),
        depth=depth,
        queue=draw(SIZES),
        width=draw(WIDTHS),
        retire_width=draw(WIDTHS),
        rob=draw(SIZES),
        load_queue=draw(SIZES),
        store_queue=draw(SIZES),
        schedulers=tuple(draw(SIZES) for _ in core.schedulers),
        mispredict_penalty=depth + draw(st.sampled_from([0, 1, 2, 9, 40])),
        l1_latency=draw(st.sampled_from([0, 1, 2, 4, 9, 40])),
        forward_latency=draw(st.sampled_from([0, 1, 2, 4, 9, 40])),
    )
    if own_costs and draw(st.booleans()):
        core = with_costs(core, draw(_own_costs(core)))
    return core


@st.composite
def _own_costs(draw: st.DrawFn, core: Core) -> Mapping[str, Mapping[int, Cost]]:
    """Draw costs for a few of the classes that random programs use most."""
    common = ["int.alu", "branch.cond", "load.int", "store.int", "store.vec", "vec.int.alu"]
    chosen = draw(st.lists(st.sampled_from([*common, "branch.call", "nop"]), unique=True))
    return {
        opclass: draw(micros(core, loads=not opclass.startswith("store"))) for opclass in chosen
    }
