"""What the timing tests share: running a text on a core, and cores made for one purpose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from isa.assembler import assemble
from isa.interpreter import Machine
from isa.operands import LANE_COUNTS
from isa.program import Program
from simulator.core.corefile import core_names, load_core
from simulator.core.spec import Core, Cost, Micro
from simulator.model.pipeline import Stamp
from simulator.result import Result
from simulator.run import simulate

SHIPPED = {name: load_core(name) for name in core_names()}
CLASSROOM = SHIPPED["classroom"]
PLENTY = 2000
"""More entries than any program of these tests fills."""

UNITS = 200
"""More units than any program of these tests uses in one cycle."""

ALU, MEM, VEC = range(3)
"""Schedulers of `WIDE`."""


def cost(*micros: Micro, slots: int | None = None) -> dict[int, Cost]:
    """Give one list of micro-operations as the cost at every number of lanes."""
    one = Cost(micros, max(1, len(micros)) if slots is None else slots)
    return dict.fromkeys(LANE_COUNTS, one)


def with_costs(core: Core, costs: Mapping[str, Mapping[int, Cost]]) -> Core:
    """Give a core other costs for some operation classes."""
    return replace(core, costs={**core.costs, **costs})


def with_units(core: Core, units: Mapping[int, Sequence[int]]) -> Core:
    """Move the micro-operations of each scheduler to other units, below `UNITS`."""

    def moved(micro: Micro) -> Micro:
        return replace(micro, units=tuple(units[micro.scheduler]))

    costs = {
        opclass: {
            lanes: replace(one, micros=tuple(moved(micro) for micro in one.micros))
            for lanes, one in by_lanes.items()
        }
        for opclass, by_lanes in core.costs.items()
    }
    return replace(core, units=tuple(f"u{n}" for n in range(UNITS)), costs=costs)


def without_contention(core: Core) -> Core:
    """Give every scheduler so many units that no micro-operation ever waits for one."""
    every = tuple(range(UNITS))
    return with_units(core, dict.fromkeys(range(len(core.schedulers)), every))


WIDE = without_contention(
    replace(
        CLASSROOM,
        fetch_width=64,
        taken_bubble=0,
        queue=PLENTY,
        width=64,
        retire_width=64,
        rob=PLENTY,
        load_queue=PLENTY,
        store_queue=PLENTY,
        schedulers=(PLENTY,) * 3,
    )
)
"""The classroom core's latencies and front end, with enough of everything else."""


def alus(count: int) -> Core:
    """Make `WIDE` with so many integer units."""
    return with_units(WIDE, {ALU: range(count), MEM: range(64, 128), VEC: range(128, 192)})


def program(*lines: str, lanes: int = 4) -> Program:
    """Assemble lines; a label stands on the line of its instruction."""
    return assemble("\n".join(lines), "test.s", lanes)


def run(
    lines: Sequence[str],
    core: Core,
    predictor: str = "perfect",
    *,
    lanes: int = 4,
    log: list[Stamp] | None = None,
) -> Result:
    """Run lines, with ``halt`` after them, on a core; by the readable rules, as all with a log."""
    log = [] if log is None else log
    return simulate(Machine(program(*lines, "halt", lanes=lanes)), core, predictor, log=log)


def cycles(lines: Sequence[str], core: Core, predictor: str = "perfect", *, lanes: int = 4) -> int:
    """Count the cycles of lines, with ``halt`` after them, on a core."""
    return run(lines, core, predictor, lanes=lanes).cycles


def alone(lines: Sequence[str], core: Core, *, lanes: int = 4) -> int:
    """Count the cycles from the issue of the first to the completion of the last.

    What is dispatched at ``depth`` issues one cycle later at the earliest; ``halt`` is
    dispatched in the cycle in which the last completes, which is the last cycle of the
    run, and cycles count from 0: together ``depth + 2`` besides the execution.
    """
    return cycles(lines, core, lanes=lanes) - core.depth - 2


ANY = WIDE.costs["int.alu"][4].micros[0].units
ADD = "add x5, x6, x7"
"""An add that depends on nothing else in its program."""


def integers(core: Core, latency: int, *, busy: int = 1, slots: int | None = None) -> Core:
    """Give integer adds, divides and branches of a wide core another latency and occupancy."""
    one = cost(Micro(ANY, ALU, latency, busy=busy), slots=slots)
    return with_costs(core, {"int.alu": one, "int.div": one, "branch.cond": one})


def stamps(lines: list[str], core: Core, *, lanes: int = 4) -> list[Stamp]:
    log: list[Stamp] = []
    run(lines, core, lanes=lanes, log=log)
    return log
