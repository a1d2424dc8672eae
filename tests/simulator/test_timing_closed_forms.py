"""Micro-programs whose length follows from the rules: one cause swept, exact cycles.

Cycles count from 0. What is fetched in cycle 0 is dispatched in cycle ``depth``, issues
one cycle later at the earliest, and ``halt`` is dispatched in the cycle in which the last
older instruction retires; that cycle is the run's last. `alone` takes these fixed parts
off, so that it gives the time of the execution.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from timing_harness import (
    ADD,
    ALU,
    ANY,
    CLASSROOM,
    MEM,
    SHIPPED,
    WIDE,
    alone,
    alus,
    cost,
    cycles,
    integers,
    program,
    run,
    stamps,
    with_costs,
)

from isa.errors import LimitError
from isa.interpreter import Machine
from simulator.core.corefile import load_core
from simulator.core.spec import Core, Micro
from simulator.model.pipeline import Stamp
from simulator.predictors import PREDICTORS
from simulator.run import simulate

EACH_CORE = pytest.mark.parametrize("core", SHIPPED.values(), ids=SHIPPED.keys())

LATENCIES = {  # on classroom and on golden-cove
    "add x5, x5, x6": (1, 1),
    "slli x5, x5, 1": (1, 1),
    "mul x5, x5, x6": (3, 3),
    "div x5, x5, x6": (20, 18),
    "min x5, x5, x6": (1, 2),  # golden-cove: compare, then conditional move
    "slt x5, x5, x6": (1, 2),
    "csel x6, x7, x8, x6": (1, 2),  # through the condition
    "popcnt x5, x5": (1, 3),
    "fadd f1, f1, f2": (4, 2),
    "fmul f1, f1, f2": (4, 4),
    "ffma f1, f1, f2, f3": (4, 4),
    "fdiv f1, f1, f2": (16, 14),
    "fsqrt f1, f1": (16, 18),
    "fmin f1, f1, f2": (2, 4),
    "vadd v1, v1, v2": (1, 1),
    "vfadd v1, v1, v2": (4, 2),
    "vmul v1, v1, v2": (4, 15),  # golden-cove: three multiplies, one after the other
    "vperm v1, v1, v2": (2, 3),
    "pand p1, p1, p2": (1, 1),
}


class TestLatency:
    @EACH_CORE
    def test_a_program_of_nothing_takes_the_front_end_and_the_cycle_of_halt(
        self, core: Core
    ) -> None:
        assert cycles([], core) == core.depth + 1

    @pytest.mark.parametrize("length", [1, 2, 7, 60])
    @pytest.mark.parametrize("instruction", LATENCIES)
    @pytest.mark.parametrize("name", ["classroom", "golden-cove"])
    def test_a_chain_takes_its_length_times_the_latency(
        self, name: str, instruction: str, length: int
    ) -> None:
        latency = dict(zip(["classroom", "golden-cove"], LATENCIES[instruction], strict=True))
        assert alone([instruction] * length, SHIPPED[name]) == length * latency[name]

    @EACH_CORE
    @pytest.mark.parametrize("length", [1, 10, 100])
    def test_two_chains_of_adds_differ_by_the_difference_of_their_lengths(
        self, core: Core, length: int
    ) -> None:
        chain = ["add x5, x5, x6"]
        assert cycles(chain * (length + 13), core) - cycles(chain * length, core) == 13

    def test_an_eliminated_move_adds_nothing_to_a_chain_and_an_executed_one_its_latency(
        self,
    ) -> None:
        pair = ["addi x5, x6, 1", "mv x6, x5"]
        assert alone(pair * 20, SHIPPED["golden-cove"]) == 20
        assert alone(pair * 20, CLASSROOM) == 40

    @pytest.mark.parametrize("lanes", [2, 4, 8, 16])
    def test_an_ordered_sum_takes_an_add_for_each_further_lane(self, lanes: int) -> None:
        # classroom: W - 1 adds of 4 cycles; golden-cove: a move of one cycle to the first
        # add, then W - 1 adds of 2 cycles, the other moves in their shadow.
        assert alone(["vfsumo f1, v1"], CLASSROOM, lanes=lanes) == 4 * (lanes - 1)
        assert alone(["vfsumo f1, v1"], SHIPPED["golden-cove"], lanes=lanes) == 2 * lanes - 1

    def test_a_tree_sum_of_four_takes_two_moves_and_two_adds(self) -> None:
        assert alone(["vfsum f1, v1"], CLASSROOM) == 6 + 6
        assert alone(["vfsum f1, v1"], SHIPPED["golden-cove"]) == (3 + 2) + (1 + 2)

    @pytest.mark.parametrize(("first", "second"), [(1, 1), (5, 1), (1, 9), (3, 4)])
    def test_micro_operations_in_a_chain_add_their_latencies(self, first: int, second: int) -> None:
        two = cost(Micro(ANY, ALU, first), Micro(ANY, ALU, second, operands=(), after=(0,)))
        core = with_costs(WIDE, {"int.minmax": two})
        assert alone(["min x5, x5, x6"] * 9, core) == 9 * (first + second)

    @pytest.mark.parametrize(("first", "second"), [(1, 1), (5, 1), (1, 9), (3, 4)])
    def test_micro_operations_side_by_side_take_the_longer_latency(
        self, first: int, second: int
    ) -> None:
        two = cost(Micro(ANY, ALU, first), Micro(ANY, ALU, second))
        core = with_costs(WIDE, {"int.minmax": two})
        assert alone(["min x5, x5, x6"] * 9, core) == 9 * max(first, second)

    @EACH_CORE
    def test_a_merging_masked_add_chains_through_its_destination_and_a_zeroing_one_does_not(
        self, core: Core
    ) -> None:
        # T26: ten adds, each of latency L on u units.
        latency, units = {"classroom": (4, 1), "golden-cove": (2, 2)}[core.name]
        assert alone(["vfaddm v1, p1, v2, v3"] * 10, core) == 10 * latency
        assert alone(["vfaddz v1, p1, v2, v3"] * 10, core) == 10 // units - 1 + latency


class TestThroughput:
    @pytest.mark.parametrize("count", [1, 2, 7, 30, 60])
    @pytest.mark.parametrize("units", [1, 2, 3, 5, 16])
    def test_independent_adds_take_their_number_over_the_units(
        self, units: int, count: int
    ) -> None:
        assert alone([ADD] * count, alus(units)) == -(-count // units)

    @pytest.mark.parametrize("count", [1, 5, 6, 99, 100])
    def test_independent_adds_on_the_shipped_cores(self, count: int) -> None:
        assert alone([ADD] * count, CLASSROOM) == -(-count // 2)
        assert alone([ADD] * count, SHIPPED["golden-cove"]) == -(-count // 5)

    @pytest.mark.parametrize("count", [1, 5, 6, 7, 63])
    @pytest.mark.parametrize("width", [1, 2, 3, 6, 64])
    def test_no_operations_are_dispatched_width_in_a_cycle(self, width: int, count: int) -> None:
        # halt is slot number ``count``, and what it waits for retires no later.
        core = replace(WIDE, width=width)
        assert cycles(["nop"] * count, core) == core.depth + count // width + 1

    @EACH_CORE
    @pytest.mark.parametrize("count", [1, 2, 11, 12, 13, 200])
    def test_no_operations_run_at_the_width_of_the_shipped_cores(
        self, core: Core, count: int
    ) -> None:
        assert cycles(["nop"] * count, core) == core.depth + count // core.width + 1

    @pytest.mark.parametrize("count", [1, 5, 6, 7, 63])
    @pytest.mark.parametrize("width", [1, 2, 3, 6, 64])
    def test_no_operations_are_fetched_fetch_width_in_a_cycle(self, width: int, count: int) -> None:
        core = replace(WIDE, fetch_width=width)
        assert cycles(["nop"] * count, core) == core.depth + count // width + 1

    @pytest.mark.parametrize("count", [1, 5, 6, 7, 63])
    @pytest.mark.parametrize("width", [1, 2, 3, 6, 64])
    def test_no_operations_retire_retire_width_in_a_cycle(self, width: int, count: int) -> None:
        # halt waits for the last of them, number ``count - 1``.
        core = replace(WIDE, retire_width=width)
        assert cycles(["nop"] * count, core) == core.depth + (count - 1) // width + 1

    def test_a_thousand_loads_come_two_in_a_cycle_though_eight_may_retire(self) -> None:
        # T37: la and the first load are dispatched together, the last 500 cycles later.
        core = replace(WIDE, width=2, retire_width=8)
        result = run([".array A, i64, 1", "la x6, A", *["ld x5, (x6)"] * 1000], core)
        assert result.cycles == core.depth + 500 + 1 + core.l1_latency + 1

    @pytest.mark.parametrize("count", [1, 2, 9])
    @pytest.mark.parametrize("busy", [1, 2, 4, 20, 30])
    @pytest.mark.parametrize("units", [1, 2])
    def test_divides_start_as_often_as_their_unit_is_free(
        self, units: int, busy: int, count: int
    ) -> None:
        core = integers(WIDE, 20, busy=busy)
        divide = cost(Micro(ANY[:units], ALU, 20, busy=busy))
        core = with_costs(core, {"int.div": divide})
        starts = -(-count // units)
        assert alone(["div x5, x6, x7"] * count, core) == (starts - 1) * busy + 20

    @pytest.mark.parametrize("count", [1, 2, 9])
    def test_divides_of_the_shipped_cores(self, count: int) -> None:
        integer, double = ["div x5, x6, x7"] * count, ["fdiv f1, f2, f3"] * count
        assert alone(integer, CLASSROOM) == 20 * count
        assert alone(double, CLASSROOM) == 16 * count
        assert alone(integer, SHIPPED["golden-cove"]) == 3 * (count - 1) + 18
        assert alone(double, SHIPPED["golden-cove"]) == 4 * (count - 1) + 14

    @pytest.mark.parametrize("busy", [1, 2, 7])
    def test_an_add_waits_for_the_unit_that_an_older_divide_occupies(self, busy: int) -> None:
        shared = cost(Micro((0,), ALU, 1, busy=busy))
        core = with_costs(alus(1), {"int.div": shared})
        assert alone(["div x5, x6, x7", ADD], core) == busy + 1

    def test_a_younger_operation_starts_before_an_older_one_that_is_not_ready(self) -> None:
        # On one unit: a divide of 20 cycles elsewhere, an add that needs it, one that does not.
        core = with_costs(alus(1), {"int.div": cost(Micro((5,), ALU, 20))})
        log = stamps(["div x5, x6, x7", "add x5, x5, x5", ADD], core)
        assert [stamp.issued[0] - log[0].issued[0] for stamp in log[:3]] == [0, 20, 0]

    def test_an_unpipelined_operation_does_not_start_where_an_older_one_will_need_the_unit(
        self,
    ) -> None:
        # The unit is promised to the older add at cycle 10, so of two cycles' work a
        # younger divide starts at 0, fills it at most to 10, or waits until 11.
        core = with_costs(alus(1), {"int.div": cost(Micro((0,), ALU, 4, busy=4))})
        core = with_costs(core, {"int.mul": cost(Micro((5,), ALU, 10))})
        log = stamps(["mul x5, x6, x7", "add x5, x5, x5", *["div x8, x6, x7"] * 3], core)
        started = [stamp.issued[0] - log[0].issued[0] for stamp in log[:5]]
        assert started == [0, 10, 0, 4, 11]

    @pytest.mark.parametrize("bits", [64, 128, 256, 512, 1024])
    def test_a_vector_wider_than_the_core_takes_a_micro_operation_for_each_piece(
        self, bits: int
    ) -> None:
        # 16 lanes of 64 bits on one unit of 4 cycles; a result is ready when all pieces are.
        core = load_core("classroom", [f"vector_bits={bits}"])
        pieces = 1024 // bits
        assert alone(["vfadd v1, v2, v3"] * 5, core, lanes=16) == 5 * pieces - 1 + 4
        assert alone(["vfadd v1, v1, v3"] * 5, core, lanes=16) == 5 * (pieces - 1 + 4)

    def test_each_piece_of_a_store_is_one_slot_with_address_and_data(self) -> None:
        lines = ["la x5, A", "vst v1, (x5)"]
        log = stamps([".array A, i64, 16", *lines], SHIPPED["golden-cove"], lanes=16)
        assert [len(stamp.issued) for stamp in log if stamp.number == 1] == [2, 2]


PAIRS = {
    "all of it": ("sd x5, (x6)", "ld x5, (x6)"),
    "the lower half": ("sd x5, (x6)", "lw x5, (x6)"),
    "the upper half": ("sd x5, (x6)", "lw x5, 4(x6)"),
    "half of it and older bytes": ("sd x5, 8(x6)", "ld x5, 4(x6)"),
    "half of it and younger bytes": ("sd x5, (x6)", "ld x5, 4(x6)"),
    "more than it": ("sw x5, (x6)", "ld x5, (x6)"),
    # Overlap is judged by aligned words of 8 bytes.
    "another half of the same word": ("sw x5, (x6)", "lw x5, 4(x6)"),
}


class TestMemory:
    @pytest.mark.parametrize("latency", [1, 2, 4, 5, 30])
    @EACH_CORE
    def test_a_pointer_chain_takes_the_load_latency_a_step(self, core: Core, latency: int) -> None:
        core = replace(core, l1_latency=latency)
        lines = [".array A, i64, 1", "la x6, A", *["ld x5, (x6, x5*8)"] * 9]
        assert alone(lines, core) == 1 + 9 * latency

    def test_the_shipped_cores_have_load_latencies_of_four_and_five(self) -> None:
        lines = [".array A, i64, 1", "la x6, A", "ld x5, (x6)"]
        assert alone(lines, CLASSROOM) == 1 + 4
        assert alone(lines, SHIPPED["golden-cove"]) == 1 + 5

    # A store's data is ready one cycle after its issue, and the load behind it has it
    # ``forward.latency`` later: 1 + forward.latency for each pair of a chain.
    FORWARD = pytest.mark.parametrize("forward", [0, 1, 3, 4, 9, 40])

    @FORWARD
    @pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS.keys())
    def test_a_load_that_overlaps_an_older_store_waits_for_its_data(
        self, pair: tuple[str, str], forward: int
    ) -> None:
        # T40; all pairs are dispatched in one cycle, so the L1 part of a load that takes
        # some of its bytes from there is long over.
        core = replace(WIDE, forward_latency=forward)
        start = [".array A, i64, 4", "la x6, A"]
        difference = cycles([*start, *pair * 20], core) - cycles([*start, *pair * 10], core)
        assert difference == 10 * (1 + forward)

    @pytest.mark.parametrize("forward", [0, 1, 2, 4, 9])
    def test_bytes_that_no_store_has_take_the_load_latency(self, forward: int) -> None:
        # Word 0 comes from the store and word 1 from L1, with a latency of 4.
        core = replace(WIDE, forward_latency=forward, l1_latency=4)
        start = [".array A, i64, 4", "la x6, A", "nop", "sd x5, (x6)"]
        (inside,) = (s for s in stamps([*start, "ld x7, (x6)"], core) if s.number == 3)
        (across,) = (s for s in stamps([*start, "ld x7, 4(x6)"], core) if s.number == 3)
        # The store issues with the load, so its data is ready a cycle later.
        assert inside.completed - inside.issued[0] == 1 + forward
        assert across.completed - across.issued[0] == max(1 + forward, 4)

    @pytest.mark.parametrize("latency", [1, 4, 30])
    def test_a_forwarded_load_does_not_wait_for_the_cache(self, latency: int) -> None:
        core = replace(WIDE, l1_latency=latency, forward_latency=3)
        start = [".array A, i64, 1", "la x6, A"]
        assert alone([*start, *["sd x5, (x6)", "ld x5, (x6)"] * 9], core) == 1 + 9 * (1 + 3)

    def test_overlapping_accesses_have_the_right_bytes(self) -> None:
        text = program(
            ".data A, i64, 0x1111111122222222, 0x3333333344444444",
            "la x6, A",
            "li x5, 0x5555555566666666",
            "sd x5, (x6)",
            "lwu x7, 4(x6)",
            "ld x8, 4(x6)",
            "sw x5, 12(x6)",
            "ld x9, 8(x6)",
            "halt",
        )
        machine = Machine(text)
        simulate(machine, CLASSROOM)
        assert machine.registers[7:10] == [0x55555555, 0x4444444455555555, 0x6666666644444444]

    def test_a_load_from_other_words_is_not_held_back(self) -> None:
        start = [".array A, i64, 64", "la x6, A"]
        pair = ["sd x5, (x6)", "ld x5, 8(x6)"]
        lengths = {
            alone([*start, *pair * count], replace(WIDE, forward_latency=forward))
            for forward in (0, 4, 500)
            for count in (1, 30)
        }
        # la, a load; the store after it only for the second pair on, with nothing behind it.
        assert lengths == {1 + 4, 1 + 4 + 1}

    @pytest.mark.parametrize("forward", [0, 4, 500])
    def test_a_load_that_issues_after_the_store_has_retired_reads_the_cache(
        self, forward: int
    ) -> None:
        core = replace(WIDE, forward_latency=forward)
        lines = [".array A, i64, 1", "la x6, A", "sd x5, (x6)", "div x7, x0, x6"]
        assert alone([*lines, "ld x8, (x6, x7)"], core) == 1 + 20 + 4

    def test_of_two_stores_to_a_word_only_the_latest_counts(self) -> None:
        # A simplification: the first store's half is not waited for.
        lines = [".array A, i64, 1", "la x6, A", "div x5, x7, x8"]
        lines += ["sw x5, (x6)", "sw x0, 4(x6)", "ld x9, (x6)"]
        log = {stamp.number: stamp for stamp in stamps(lines, WIDE)}
        assert log[4].completed == log[3].completed + WIDE.forward_latency
        assert log[4].completed < log[2].completed

    @pytest.mark.parametrize("latency", [1, 4, 9])
    def test_a_masked_load_of_no_lane_takes_the_load_latency_and_nothing_from_stores(
        self, latency: int
    ) -> None:
        core = replace(WIDE, l1_latency=latency, forward_latency=500)
        lines = [".array A, i64, 4", "la x6, A", "vst v1, (x6)", "vldz v2, p1, (x6)"]
        (load,) = (stamp for stamp in stamps(lines, core) if stamp.number == 2)
        assert load.completed - load.issued[0] == latency

    @pytest.mark.parametrize("latency", [1, 4, 9])
    def test_an_instruction_without_data_access_takes_a_load_latency_and_no_stores_data(
        self, latency: int
    ) -> None:
        core = replace(WIDE, l1_latency=latency, forward_latency=500)
        core = with_costs(core, {"int.mul": cost(Micro(ANY, MEM, 2, loads=True))})
        lines = [".array A, i64, 4", "la x6, A", "sd x6, (x6)", *["mul x5, x5, x6"] * 9]
        assert alone(lines, core) == 1 + 9 * (latency + 2)


class TestDataflow:
    """The same run with unlimited width, window and units and perfect prediction."""

    @EACH_CORE
    @pytest.mark.parametrize("length", [1, 10, 200])
    def test_a_chain_takes_its_latencies_and_independent_work_one_of_them(
        self, core: Core, length: int
    ) -> None:
        chain = run(["add x5, x5, x6"] * length, core)
        free = run([ADD] * length, core)
        assert (chain.dataflow_cycles, free.dataflow_cycles) == (length, 1)
        assert chain.ilp_limit == (length + 1) / length
        assert free.ilp_limit == length + 1
        assert chain.ipc == (length + 1) / (core.depth + 2 + length)

    @pytest.mark.parametrize("name", PREDICTORS)
    def test_branches_add_nothing(self, name: str) -> None:
        lines = ["li x5, 30", "top: addi x5, x5, -1", "bnez x0, top", "bnez x5, top"]
        assert run(lines, CLASSROOM, name).dataflow_cycles == 1 + 30 + 1

    @pytest.mark.parametrize(("latency", "forward"), [(4, 4), (4, 9), (9, 4), (1, 0)])
    def test_a_load_takes_the_lower_of_its_two_latencies_and_waits_for_its_store(
        self, latency: int, forward: int
    ) -> None:
        core = replace(WIDE, l1_latency=latency, forward_latency=forward)
        start, fastest = [".array A, i64, 8", "la x6, A"], min(latency, forward)
        chain = run([*start, *["ld x5, (x6, x5*8)"] * 9], core)
        stored = run([*start, *["sd x5, (x6)", "ld x5, (x6)"] * 9], core)
        apart = run([*start, *["sd x5, (x6)", "ld x5, 8(x6)"] * 9], core)
        assert chain.dataflow_cycles == 1 + 9 * fastest
        assert stored.dataflow_cycles == 1 + 9 * (1 + fastest)
        # The stores need the loads, but no load needs a store.
        assert apart.dataflow_cycles == 1 + fastest + 1

    def test_a_run_of_nothing_is_a_cycle_long(self) -> None:
        result = run(["nop"] * 9, CLASSROOM)
        assert (result.dataflow_cycles, result.ilp_limit) == (1, 10)


class TestSlots:
    @EACH_CORE
    def test_a_program_of_nothing_waits_for_the_front_end(self, core: Core) -> None:
        slots = run([], core).slots
        assert (slots.retiring, slots.fetch_latency) == (1, core.width * core.depth)
        assert slots.fetch_bandwidth == core.width - 1
        assert slots.total == core.width * (core.depth + 1)

    @pytest.mark.parametrize("penalty", [5, 6, 20, 40])
    def test_bad_speculation_ends_with_the_first_fetch_of_the_right_path(
        self, penalty: int
    ) -> None:
        # From the dispatch of the branch to its execution two cycles later, and on to
        # that fetch, penalty - depth later; the branch has a slot of the first cycle.
        # What it takes from there to dispatch is fetch latency, as at the start.
        core = replace(WIDE, width=4, mispredict_penalty=penalty)
        slots = run(["bnez x0, end", "end:"], core, "taken").slots
        assert slots.bad_speculation == 4 * (2 + penalty - core.depth) - 1
        assert slots.fetch_latency == 4 * core.depth + 4 * core.depth
        assert (slots.retiring, slots.fetch_bandwidth) == (2, 3)

    @pytest.mark.parametrize("latency", [4, 9, 40])
    def test_waiting_behind_a_load_is_memory_bound_and_behind_an_add_core_bound(
        self, latency: int
    ) -> None:
        # halt waits from the cycle of their dispatch on: one cycle to the issue of la, one
        # of its execution, then the load. The two have slots of the first cycle.
        core = replace(WIDE, width=4, l1_latency=latency)
        slots = run([".array A, i64, 1", "la x6, A", "ld x5, (x6)"], core).slots
        assert slots.core_bound == 4 * 2 - 2
        assert slots.memory_bound == 4 * latency
        assert (slots.retiring, slots.bad_speculation, slots.fetch_bandwidth) == (3, 0, 3)

    def test_a_cycle_that_fetched_too_little_is_bandwidth_and_one_without_fetch_latency(
        self,
    ) -> None:
        core = replace(WIDE, width=4, fetch_width=3)
        slots = run(["nop"] * 9, core).slots
        assert (slots.fetch_bandwidth, slots.fetch_latency) == (3 * 1 + 3, 4 * core.depth)


class TestRun:
    def test_marks_are_the_dispatch_cycles_of_the_marked_instruction(self) -> None:
        text = program("li x5, 3", "top: addi x5, x5, -1", "bnez x5, top", "halt")
        log: list[Stamp] = []
        result = simulate(Machine(text), CLASSROOM, mark=1, log=log)
        assert len(result.marks) == 3
        assert list(result.marks) == [stamp.dispatched for stamp in log if stamp.number == 1]

    def test_the_ledger_counts_executions_taken_and_wrong_of_each_branch(self) -> None:
        lines = ["li x5, 10", "top: addi x5, x5, -1", "bnez x0, top", "bnez x5, top"]
        first, second = run(lines, CLASSROOM, "taken").ledger
        assert (first.number, first.executed, first.taken, first.mispredicted) == (2, 10, 0, 10)
        assert (second.number, second.executed, second.taken, second.mispredicted) == (3, 10, 9, 1)
        assert (first.line, second.line) == (3, 4)

    def test_a_run_ends_at_its_limit(self) -> None:
        machine = Machine(program("top: j top"))
        with pytest.raises(LimitError, match="stopped after 1,000 instructions"):
            simulate(machine, CLASSROOM, limit=1000)

    def test_a_long_run_reports_its_progress(self) -> None:
        seen: list[int] = []
        text = program("li x5, 60000", "top: addi x5, x5, -1", "bnez x5, top", "halt")
        result = simulate(Machine(text), CLASSROOM, progress=seen.append)
        assert result.instructions == 120_002
        assert seen == sorted(set(seen))
        assert seen[0] > 0
        assert seen[-1] <= 120_002
