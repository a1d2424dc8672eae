"""Laws of every run: random programs on random cores with every predictor."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import runnable_programs
from timing_audit import Audit, replay
from timing_harness import SHIPPED
from timing_harness import program as program_of
from timing_strategies import cores, every_instruction, programs

from isa.interpreter import Machine
from isa.operands import LANE_COUNTS
from isa.program import Program
from isa.spec import Kind
from simulator.core.spec import Core
from simulator.model import memory, units
from simulator.model.pipeline import Pipeline, Stamp
from simulator.predictors import PREDICTORS
from simulator.result import Result
from simulator.run import simulate

predictors = st.sampled_from(sorted(PREDICTORS))


@dataclass(frozen=True)
class Run:
    """A program, the core and predictor that it ran with, and what came out."""

    program: Program
    core: Core
    predictor: str
    machine: Machine
    result: Result
    log: list[Stamp]

    def __repr__(self) -> str:
        text = "\n".join(self.program.source)
        core = replace(self.core, units=(), costs={})
        return f"{self.predictor}, {self.program.lanes} lanes, {core}:\n{text}"

    @cached_property
    def audit(self) -> Audit:
        steps = replay(self.program, self.predictor)
        return Audit(self.program, self.core, self.log, self.result.cycles, steps)


def execute(program: Program, core: Core, predictor: str) -> Run:
    log: list[Stamp] = []
    machine = Machine(program)
    return Run(program, core, predictor, machine, simulate(machine, core, predictor, log=log), log)


RUNS = st.builds(execute, programs(), cores(), predictors)
ENOUGH = settings.default.max_examples * 2 // 5
"""Examples for each law: there are many laws, and most faults break several."""


def over_runs(law: Callable[..., None]) -> Callable[..., None]:
    """Test a law over random programs, cores and predictors."""
    return settings(max_examples=ENOUGH)(given(run=RUNS)(law))


SLOT_CLASSES = (
    "retiring",
    "bad_speculation",
    "fetch_latency",
    "fetch_bandwidth",
    "memory_bound",
    "core_bound",
)


def most_in_a_cycle(cycles: list[int]) -> int:
    return max(Counter(cycles).values())


def state(machine: Machine) -> tuple[object, ...]:
    """Return registers and memory bit for bit, so that a NaN equals itself."""

    def bits(value: object) -> object:
        if isinstance(value, tuple):
            return tuple(bits(part) for part in value)
        return struct.pack("<d", value) if isinstance(value, float) else value

    registers = tuple(bits(value) for value in machine.registers)
    arrays = tuple(machine.memory.view(name).tobytes() for name in machine.memory.arrays)
    return registers, arrays


def measured(result: Result) -> dict[str, object]:
    """Return everything about a run that does not depend on the host."""
    values: dict[str, object] = {
        name: getattr(result, name) for name in result.__slots__ if name != "host_seconds"
    }
    return {**values, "slots": charged(result)}


def charged(result: Result) -> dict[str, int]:
    """Return the slots of each class."""
    return {name: getattr(result.slots, name) for name in SLOT_CLASSES}


class TestEverySlotIsChargedOnce:
    @over_runs
    def test_slots_are_width_times_cycles(self, run: Run) -> None:
        assert run.result.slots.total == run.core.width * run.result.cycles
        assert run.result.slots.retiring == run.result.uops == len(run.log)

    @over_runs
    def test_top_down_fractions_sum_to_one(self, run: Run) -> None:
        assert sum(run.result.topdown.values()) == pytest.approx(1, abs=1e-12)
        assert all(0 <= fraction <= 1 for fraction in run.result.topdown.values())

    @over_runs
    def test_classes_are_those_of_a_count_cycle_by_cycle(self, run: Run) -> None:
        assert run.audit.slot_classes() == Counter(charged(run.result))


def assert_follows_from_the_rules(run: Run) -> None:
    """Compare every stamp and every count of a run with the independent account."""
    audit, log = run.audit, run.log
    completions, busy = audit.executions()
    assert [stamp.arrived for stamp in log] == audit.fetches()
    assert [stamp.completed for stamp in log] == completions
    assert [stamp.retired for stamp in log] == audit.retirements()
    assert run.result.unit_busy == {unit: busy[i] for i, unit in enumerate(run.core.units)}
    assert audit.slot_classes() == Counter(charged(run.result))


class TestEveryStampFollowsFromTheRules:
    @over_runs
    def test_the_slots_are_those_of_the_instructions_that_the_interpreter_executed(
        self, run: Run
    ) -> None:
        numbers = [op.step.number for op in run.audit.ops]
        assert [stamp.number for stamp in run.log] == numbers
        assert run.result.instructions == len(run.audit.steps)

    @over_runs
    def test_arrival_follows_from_fetch_width_branches_and_queue(self, run: Run) -> None:
        assert [stamp.arrived for stamp in run.log] == run.audit.fetches()

    @over_runs
    def test_issue_and_completion_follow_from_operands_units_and_memory(self, run: Run) -> None:
        completions, busy = run.audit.executions()
        assert [stamp.completed for stamp in run.log] == completions
        names = run.core.units
        assert run.result.unit_busy == {name: busy[i] for i, name in enumerate(names)}

    @over_runs
    def test_retirement_follows_from_completion_order_and_width(self, run: Run) -> None:
        assert [stamp.retired for stamp in run.log] == run.audit.retirements()

    @over_runs
    def test_mispredictions_are_those_of_the_predictor_alone(self, run: Run) -> None:
        wrong = Counter(step.number for step in run.audit.steps if step.wrong)
        assert {r.number: r.mispredicted for r in run.result.ledger if r.mispredicted} == wrong
        assert run.result.mispredictions == wrong.total()
        kinds = [run.program.instructions[step.number].spec.kind for step in run.audit.steps]
        assert run.result.branches == kinds.count(Kind.BRANCH)

    @pytest.mark.parametrize("lanes", LANE_COUNTS)
    @pytest.mark.parametrize("core", SHIPPED.values(), ids=SHIPPED.keys())
    def test_they_do_so_for_every_instruction_of_the_table(self, core: Core, lanes: int) -> None:
        assert_follows_from_the_rules(execute(every_instruction(lanes), core, "gshare"))

    @settings(max_examples=ENOUGH)
    @given(run=st.builds(execute, runnable_programs(), cores(), predictors))
    def test_they_do_so_for_computed_addresses_and_jumps(self, run: Run) -> None:
        assert_follows_from_the_rules(run)


class TestNothingIsWiderThanTheCore:
    # T37
    @over_runs
    def test_dispatch_retirement_and_fetch_keep_to_their_widths(self, run: Run) -> None:
        log, core = run.log, run.core
        fetched = [op.stamp.arrived for op in run.audit.ops if op.first]
        assert most_in_a_cycle(fetched) <= core.fetch_width
        assert most_in_a_cycle([stamp.dispatched for stamp in log]) <= core.width
        assert most_in_a_cycle([stamp.retired for stamp in log]) <= core.retire_width

    @over_runs
    def test_instructions_per_cycle_are_at_most_the_width(self, run: Run) -> None:
        assert run.result.ipc <= run.core.width
        assert run.result.ipc <= run.core.fetch_width
        assert run.result.instructions <= run.result.uops

    @over_runs
    def test_stages_follow_each_other_and_order_is_kept_outside_the_units(self, run: Run) -> None:
        for stamp in run.log:
            assert run.core.depth <= stamp.arrived <= stamp.dispatched
            assert all(stamp.dispatched < issued <= stamp.completed for issued in stamp.issued)
            assert stamp.dispatched <= stamp.completed <= stamp.retired
        for stage in ("arrived", "dispatched", "retired"):
            cycles = [getattr(stamp, stage) for stamp in run.log]
            assert cycles == sorted(cycles), stage

    @over_runs
    def test_no_structure_holds_more_than_its_entries(self, run: Run) -> None:
        # It is fullest in a cycle in which something has just entered.
        for position, op in enumerate(run.audit.ops):
            cycle = op.stamp.dispatched
            inside = [*run.audit.window(position, cycle), op]
            for structure, size in run.audit.sizes.items():
                if op.holds(structure, cycle):
                    assert sum(older.holds(structure, cycle) for older in inside) <= size, structure

    @over_runs
    def test_the_queue_holds_no_more_than_its_entries_and_the_rest_of_one_instruction(
        self, run: Run
    ) -> None:
        # An instruction enters whole when there is room for its first micro-operation.
        for position, op in enumerate(run.audit.ops):
            if op.first:
                waiting = [
                    older
                    for older in run.audit.ops[:position]
                    if older.stamp.dispatched >= op.stamp.arrived
                ]
                assert len(waiting) < run.core.queue

    @over_runs
    def test_everything_but_halt_has_retired_when_halt_is_dispatched(self, run: Run) -> None:
        *older, halt = run.log
        assert run.result.cycles == halt.dispatched + 1
        assert all(stamp.retired <= halt.dispatched for stamp in older)


class TestBounds:
    @over_runs
    def test_no_run_is_shorter_than_its_dataflow(self, run: Run) -> None:
        assert run.result.cycles >= run.result.dataflow_cycles
        assert run.result.ipc <= run.result.ilp_limit or not run.result.dataflow_cycles

    @over_runs
    def test_the_dataflow_limit_is_the_longest_chain_of_operands_and_latencies(
        self, run: Run
    ) -> None:
        assert run.result.dataflow_cycles == run.audit.dataflow()

    @over_runs
    def test_no_run_is_shorter_than_its_micro_operations_over_the_width(self, run: Run) -> None:
        assert run.result.cycles * run.core.width >= run.result.uops
        assert run.result.cycles * run.core.retire_width >= run.result.uops - 1

    @settings(max_examples=ENOUGH)
    @given(run=st.builds(execute, programs(), cores(own_costs=False), predictors))
    def test_no_run_is_shorter_than_the_work_of_its_busiest_unit(self, run: Run) -> None:
        # In the files no operation occupies its unit for longer than it takes to complete.
        assert run.result.cycles >= max(run.result.unit_busy.values())
        assert all(0 <= share <= 1 for share in run.result.units.values())

    @over_runs
    def test_a_deeper_front_end_with_the_same_penalty_delays_everything_alike(
        self, run: Run
    ) -> None:
        penalty = max(run.core.mispredict_penalty, 30)
        shallow, deep = (
            execute(
                run.program,
                replace(run.core, depth=depth, mispredict_penalty=penalty),
                run.predictor,
            )
            for depth in (1, 30)
        )
        assert deep.result.cycles == shallow.result.cycles + 29
        assert [s.retired + 29 for s in shallow.log] == [s.retired for s in deep.log]


class TestARunIsAFunctionOfItsInputs:
    @over_runs
    def test_a_second_run_measures_the_same(self, run: Run) -> None:
        again = execute(run.program, run.core, run.predictor)
        assert measured(again.result) == measured(run.result)
        assert again.log == run.log

    @over_runs
    def test_registers_and_memory_are_those_of_the_interpreter(self, run: Run) -> None:
        machine = Machine(run.program)
        assert machine.run() == run.result.instructions
        assert state(machine) == state(run.machine)

    @pytest.mark.parametrize("predictor", PREDICTORS)
    @pytest.mark.parametrize("core", SHIPPED.values(), ids=SHIPPED.keys())
    def test_a_log_changes_nothing(self, core: Core, predictor: str) -> None:
        lines = [".data A, i64, 1, 0, 0, 1, 1, 0, 1, 0", "la x6, A", "li x5, 8"]
        lines += ["top: addi x5, x5, -1", "ld x7, (x6, x5*8)", "beqz x7, even", "fadd f1, f1, f2"]
        lines += ["even: sd x5, (x6, x5*8)", "bnez x5, top", "halt"]
        with_log = execute(program_of(*lines), core, predictor).result
        without = simulate(Machine(program_of(*lines)), core, predictor)
        assert measured(without) == measured(with_log)

    @over_runs
    def test_forgetting_what_is_past_changes_nothing(self, run: Run) -> None:
        accept = Pipeline.accept

        def accept_and_forget(self: Pipeline, *arguments: Any, **named: Any) -> None:
            accept(self, *arguments, **named)
            forget(self)

        with (
            patch.object(memory, "_PRUNE", 1),
            patch.object(units, "_PRUNE", 1),
            patch.object(Pipeline, "accept", accept_and_forget),
        ):
            again = execute(run.program, run.core, run.predictor)
        assert again.log == run.log

    @settings(max_examples=ENOUGH)
    @given(run=st.builds(execute, programs(), cores(), st.just("perfect")))
    def test_an_oracle_is_never_wrong_and_loses_no_slot_to_speculation(self, run: Run) -> None:
        assert run.result.mispredictions == 0
        assert run.result.slots.bad_speculation == 0

    @settings(max_examples=ENOUGH)
    @given(run=st.builds(execute, programs(), cores(), st.just("taken")))
    def test_opposite_static_guesses_are_together_wrong_once_for_each_branch(
        self, run: Run
    ) -> None:
        taken = run.result
        untaken = execute(run.program, run.core, "not-taken").result
        assert taken.mispredictions + untaken.mispredictions == taken.branches == untaken.branches
        assert sum(record.taken for record in taken.ledger) == untaken.mispredictions


def forget(model: Pipeline) -> None:
    model.units.forget(model.slots.cycle)
    model.memory.forget(model.slots.cycle)


def test_what_is_past_is_forgotten() -> None:
    # 6,000 words are stored, and 36,000 cycles have work.
    lines = [".array A, i64, 6000", "la x6, A", "li x5, 6000", "top: addi x5, x5, -1"]
    lines += ["sd x5, (x6, x5*8)", "mul x7, x7, x7", "mul x7, x7, x7", "bnez x5, top", "halt"]
    accept = Pipeline.accept
    stores, cycles = [0], [0]

    def accept_and_forget(self: Pipeline, *arguments: Any, **named: Any) -> None:
        accept(self, *arguments, **named)
        forget(self)
        stores.append(len(self.memory.pending))
        cycles.append(len(self.units.calendar))

    with patch.object(Pipeline, "accept", accept_and_forget):
        result = execute(program_of(*lines), SHIPPED["classroom"], "perfect").result
    # The first multiply issues three cycles after the first instruction arrives, and the
    # two of each turn take three cycles each.
    assert result.cycles == SHIPPED["classroom"].depth + 3 + 36_000 + 1
    assert max(stores) <= 4096
    assert max(cycles) <= 16_384
