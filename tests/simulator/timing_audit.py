"""An independent account of a run: every stamp derived again, naively, from the rules.

Nothing of `simulator.model` is used here but the stamps under test. Structures are
counted by looking at who is inside, cycle by cycle or one by one, where the model keeps
rings and heaps; slots are classed cycle by cycle, where the model clips intervals.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property

from isa.interpreter import Machine
from isa.operands import REGISTERS
from isa.program import Program
from isa.spec import Kind
from simulator.core.spec import Core, Cost, Micro
from simulator.model.pipeline import Stamp
from simulator.predictors import Perfect, make_predictor


@dataclass(frozen=True)
class Step:
    """One executed instruction, as the interpreter and a predictor saw it."""

    number: int
    words: frozenset[int]
    taken: bool
    wrong: bool


def replay(program: Program, predictor_name: str) -> list[Step]:
    """Execute a program without any timing."""
    machine = Machine(program)
    steps: list[Step] = []
    targets = [
        4 * int(i.arguments[-1]) if i.spec.kind is Kind.BRANCH else 1 << 40
        for i in program.instructions
    ]
    predictor = make_predictor(predictor_name, targets)
    number = 0
    while number >= 0:
        following = machine.handlers[number]()
        kind = program.instructions[number].spec.kind
        taken = kind in {Kind.JUMP, Kind.CALL, Kind.INDIRECT}
        wrong = False
        if kind is Kind.BRANCH:
            taken = following != number + 1
            if not isinstance(predictor, Perfect):
                wrong = predictor.predict(4 * number) != taken
            predictor.update(4 * number, taken=taken)
        accesses = kind in {Kind.LOAD, Kind.STORE}
        words = frozenset(machine.touched) if accesses else frozenset()
        steps.append(Step(number, words, taken, wrong))
        number = following
    return steps


def share(cost: Cost) -> list[list[Micro]]:
    """Give each slot its micro-operations, for each piece of the vector alike."""
    slots: list[list[Micro]] = [[] for _ in range(cost.slots)]
    per_piece, slots_per_piece = len(cost.micros) // cost.pieces, cost.slots // cost.pieces
    for number, micro in enumerate(cost.micros):
        piece, place = divmod(number, per_piece)
        slots[piece * slots_per_piece + min(place, slots_per_piece - 1)].append(micro)
    return slots


@dataclass
class Op:
    """One issue slot of the run."""

    step: Step
    stamp: Stamp
    micros: list[Micro]
    first: bool
    last: bool
    kind: Kind
    executed: int = 0
    """When the whole instruction has executed."""
    left: int = 0
    """When it left its schedulers."""

    def holds(self, structure: str, cycle: int) -> bool:
        """Whether it is inside a structure in a cycle."""
        if structure == "rob":
            inside, leaves = True, self.stamp.retired
        elif structure == "load queue":
            inside, leaves = self.first and self.kind is Kind.LOAD, self.stamp.retired
        elif structure == "store queue":
            inside, leaves = self.first and self.kind is Kind.STORE, self.stamp.retired
        else:
            inside = any(structure == f"scheduler {micro.scheduler}" for micro in self.micros)
            leaves = self.left
        return inside and self.stamp.dispatched <= cycle <= leaves


@dataclass
class Audit:
    """A run's stamps, paired with what the interpreter says was executed."""

    program: Program
    core: Core
    log: list[Stamp]
    cycles: int
    steps: list[Step]
    issues: list[tuple[Micro, int, int]] = field(default_factory=list)
    """For every micro-operation in order: when it was ready and when it issued."""

    @cached_property
    def ops(self) -> list[Op]:
        """Pair stamps and executed instructions, in program order."""
        ops: list[Op] = []
        stamps = iter(self.log)
        for step in self.steps:
            spec = self.program.instructions[step.number].spec
            shares = share(self.core.costs[spec.opclass][self.program.lanes])
            mine = [
                Op(step, next(stamps), micros, i == 0, i == len(shares) - 1, spec.kind)
                for i, micros in enumerate(shares)
            ]
            for op in mine:
                op.executed = max(other.stamp.completed for other in mine)
                op.left = max(op.stamp.issued, default=op.stamp.dispatched)
            ops += mine
        assert next(stamps, None) is None, "more stamps than instructions executed"
        return ops

    @cached_property
    def sizes(self) -> dict[str, int]:
        """Entries of every structure."""
        core = self.core
        schedulers = {f"scheduler {i}": size for i, size in enumerate(core.schedulers)}
        return {
            "rob": core.rob,
            "load queue": core.load_queue,
            "store queue": core.store_queue,
            **schedulers,
        }

    def registers(self, micro: Micro, number: int) -> list[int]:
        """List the registers that a micro-operation waits for."""
        instruction, flow = self.program.instructions[number], self.program.dataflow[number]
        found: list[int] = []
        for name in micro.operands:
            if name in {"all", "data"}:
                found += flow.reads
            if name in {"all", "address"}:
                found += flow.address
            for operand, argument in zip(
                instruction.spec.operands, instruction.arguments, strict=True
            ):
                if operand.name == name:
                    lanes = self.program.lanes if operand.group else 1
                    found += range(int(argument), int(argument) + lanes)
        return [register for register in found if register != 0]

    def fetches(self) -> list[int]:
        """Derive when each instruction arrives at dispatch, from what came before it."""
        core = self.core
        arrivals: list[int] = []
        fetched: list[int] = []
        previous: Op | None = None
        dispatched: list[int] = []
        for op in self.ops:
            if op.first:
                cycle = fetched[-1] if fetched else 0
                if previous is not None and previous.step.wrong:
                    cycle = previous.executed + core.mispredict_penalty - core.depth
                elif previous is not None and previous.step.taken:
                    cycle += 1 + core.taken_bubble
                if len(dispatched) >= core.queue:
                    cycle = max(cycle, dispatched[-core.queue] + 1 - core.depth)
                if fetched.count(cycle) == core.fetch_width:
                    cycle += 1
                fetched.append(cycle)
            arrivals.append(fetched[-1] + core.depth)
            dispatched.append(op.stamp.dispatched)
            previous = op
        return arrivals

    def full(self, position: int, cycle: int) -> bool:
        """Whether a slot finds a structure that it needs full in a cycle."""
        op = self.ops[position]
        older = self.window(position, cycle)
        for structure, size in self.sizes.items():
            if structure == "load queue":
                needed = op.first and op.kind is Kind.LOAD
            elif structure == "store queue":
                needed = op.first and op.kind is Kind.STORE
            elif structure == "rob":
                needed = True
            else:
                needed = any(structure == f"scheduler {micro.scheduler}" for micro in op.micros)
            if needed and sum(other.holds(structure, cycle) for other in older) >= size:
                return True
        return op.kind is Kind.HALT and any(other.stamp.retired > cycle for other in older)

    def window(self, position: int, cycle: int) -> list[Op]:
        """List the older slots that have not retired before a cycle."""
        first = position
        while first and self.ops[first - 1].stamp.retired >= cycle:
            first -= 1
        return self.ops[first:position]

    def slot_classes(self) -> Counter[str]:
        """Class every slot of every cycle by the rule, one cycle after the other.

        A full store queue is no class of its own: here a store leaves it when it retires,
        so what keeps it full is the oldest unfinished instruction, as for the other
        structures.
        """
        counts: Counter[str] = Counter()
        width, ops, position = self.core.width, self.ops, 0
        for cycle in range(self.cycles):
            start = position
            while position < len(ops) and ops[position].stamp.dispatched == cycle:
                position += 1
            used = position - start
            counts["retiring"] += used
            if used < width:
                counts[self._class_of(position, cycle, used)] += width - used
        assert position == len(ops), "a slot was dispatched after the end or out of order"
        return counts

    def _class_of(self, position: int, cycle: int, used: int) -> str:
        """Say why the slot at a position was not dispatched in a cycle."""
        if position == len(self.ops):
            return "fetch_bandwidth"
        previous = self.ops[position - 1] if position else None
        if previous is not None and previous.last and previous.step.wrong:
            redirect = previous.executed + self.core.mispredict_penalty - self.core.depth
            if cycle < redirect:
                return "bad_speculation"
        if self.full(position, cycle):
            older = self.window(position, cycle)
            oldest = next((op for op in older if op.stamp.completed > cycle), None)
            memory = oldest is not None and oldest.kind is Kind.LOAD
            return "memory_bound" if memory else "core_bound"
        arrived = self.ops[position].stamp.arrived
        assert arrived > cycle, f"slot {position} was held back in cycle {cycle} by nothing"
        return "fetch_bandwidth" if used else "fetch_latency"

    def retirements(self) -> list[int]:
        """Derive when each slot retires from when all have completed."""
        retired: list[int] = []
        for op in self.ops:
            cycle = max([op.stamp.completed, *retired[-1:]])
            if retired.count(cycle) == self.core.retire_width:
                cycle += 1
            retired.append(cycle)
        return retired

    def executions(self) -> tuple[list[int], Counter[int]]:
        """Derive when each slot completes, and how long each unit is occupied.

        On the way every micro-operation is held to issue as soon as it is ready and one
        of its units is free of older ones, on the first such unit.
        """
        occupied: set[tuple[int, int]] = set()
        busy: Counter[int] = Counter()
        available: dict[int, int] = dict.fromkeys(range(REGISTERS + 1), 0)
        stores: list[tuple[frozenset[int], int, int]] = []
        completions: list[int] = []
        results: list[int] = []
        self.issues = []
        for op in self.ops:
            if op.first:
                results = []
            number, slot_done = op.step.number, op.stamp.dispatched
            for micro, issued in zip(op.micros, op.stamp.issued, strict=True):
                waits = [available[register] for register in self.registers(micro, number)]
                waits += [results[earlier] for earlier in micro.after]
                ready = max([op.stamp.dispatched + 1, *waits])
                self.issues.append((micro, ready, issued))
                for cycle in range(ready, issued):
                    assert not _free_unit(occupied, micro, cycle), f"{op} waited for no unit"
                unit = next(iter(_free_unit(occupied, micro, issued)), None)
                assert unit is not None, f"{op} issued with no unit free"
                occupied |= {(unit, issued + i) for i in range(micro.busy)}
                busy[unit] += micro.busy
                done = issued + micro.latency
                if micro.loads:
                    done += self._memory(op, issued, stores)
                results.append(done)
                slot_done = max(slot_done, done)
            completions.append(slot_done)
            if op.last:
                flow = self.program.dataflow[number]
                reads = [available[r] for r in (*flow.reads, *flow.address) if r != 0]
                value = max(results) if results else max(reads, default=0)
                available.update(dict.fromkeys(flow.writes, value))
                if op.kind is Kind.STORE:
                    stores.append((op.step.words, value, op.stamp.retired))
        return completions, busy

    def _memory(self, op: Op, issued: int, stores: list[tuple[frozenset[int], int, int]]) -> int:
        """Work out how long a load waits for its words."""
        core = self.core
        waits = [core.l1_latency] if not op.step.words else []
        for word in op.step.words:
            latest = next((store for store in reversed(stores) if word in store[0]), None)
            if latest is None or latest[2] <= issued:
                waits.append(core.l1_latency)
            else:
                waits.append(max(latest[1] - issued, 0) + core.forward_latency)
        return max(waits)

    def dataflow(self) -> int:
        """Derive the length with nothing in the way but operands and latencies."""
        fastest = min(self.core.l1_latency, self.core.forward_latency)
        available: dict[int, int] = dict.fromkeys(range(REGISTERS + 1), 0)
        stores: list[tuple[frozenset[int], int]] = []
        values: list[int] = []
        for step in self.steps:
            instruction = self.program.instructions[step.number]
            flow = self.program.dataflow[step.number]
            results: list[int] = []
            for micro in self.core.costs[instruction.spec.opclass][self.program.lanes].micros:
                waits = [available[register] for register in self.registers(micro, step.number)]
                waits += [results[earlier] for earlier in micro.after]
                start = max(waits, default=0)
                if micro.loads and instruction.spec.access is None:
                    start += self.core.l1_latency
                elif micro.loads:
                    data = [
                        next((ready for words, ready in reversed(stores) if word in words), 0)
                        for word in step.words
                    ]
                    start = max([start, *data]) + fastest
                results.append(start + micro.latency)
            reads = [available[r] for r in (*flow.reads, *flow.address) if r != 0]
            value = max(results) if results else max(reads, default=0)
            available.update(dict.fromkeys(flow.writes, value))
            if instruction.spec.kind is Kind.STORE:
                stores.append((step.words, value))
            values.append(value)
        return max(values)

    @property
    def waits(self) -> int:
        """Cycles that micro-operations waited for a unit, all together."""
        if not self.issues:
            self.executions()
        return sum(issued - ready for _, ready, issued in self.issues)


def _free_unit(occupied: set[tuple[int, int]], micro: Micro, cycle: int) -> list[int]:
    """List the units free for as long as a micro-operation that starts in a cycle needs."""
    return [
        unit
        for unit in micro.units
        if all((unit, cycle + i) not in occupied for i in range(micro.busy))
    ]
