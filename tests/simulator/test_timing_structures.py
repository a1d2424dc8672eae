"""Branches, the front end and the window, in micro-programs: one figure swept, exact cycles."""

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
    cost,
    cycles,
    integers,
    run,
    with_costs,
)

from simulator.core.spec import Core, Micro
from simulator.predictors import PREDICTORS, Entry, Perfect

EACH_CORE = pytest.mark.parametrize("core", SHIPPED.values(), ids=SHIPPED.keys())


class TestMisprediction:
    """A wrong guess costs ``mispredict_penalty`` cycles from the execution of the branch.

    A branch dispatched at cycle d on an idle core issues at d + 1 and has executed at
    d + 2. ``halt`` after it is dispatched at d + 2 if the guess was right, since it waits
    for the branch to retire, and at d + 2 + mispredict_penalty if it was wrong.
    """

    PENALTIES = pytest.mark.parametrize("penalty", [5, 6, 20, 40])

    @PENALTIES
    def test_a_wrong_guess_costs_exactly_the_penalty(self, penalty: int) -> None:
        core = replace(WIDE, mispredict_penalty=penalty)
        branch = ["bnez x0, end", "end:"]
        assert cycles(branch, core, "taken") - cycles(branch, core, "not-taken") == penalty

    @PENALTIES
    @EACH_CORE
    def test_it_does_so_on_the_shipped_cores(self, core: Core, penalty: int) -> None:
        core = replace(core, mispredict_penalty=core.depth + penalty)
        branch = ["bnez x0, end", "end:"]
        cost_of_it = cycles(branch, core, "taken") - cycles(branch, core, "not-taken")
        assert cost_of_it == core.depth + penalty

    @PENALTIES
    @pytest.mark.parametrize("bubble", [0, 1])
    def test_a_wrong_guess_of_a_taken_branch_costs_it_too(self, bubble: int, penalty: int) -> None:
        core = replace(WIDE, mispredict_penalty=penalty, taken_bubble=bubble)
        branch = ["beqz x0, end", "nop", "nop", "end:"]
        assert cycles(branch, core, "not-taken") - cycles(branch, core, "taken") == penalty

    @PENALTIES
    @pytest.mark.parametrize("count", [0, 1, 2, 9])
    def test_each_of_several_wrong_guesses_costs_penalty_and_execution(
        self, count: int, penalty: int
    ) -> None:
        # The next branch is dispatched ``penalty`` after this one's execution, which is
        # two cycles after its dispatch.
        core = replace(WIDE, mispredict_penalty=penalty)
        branches = [*["bnez x0, end"] * count, "end:"]
        assert cycles(branches, core, "taken") == core.depth + 1 + count * (penalty + 2)

    @PENALTIES
    @pytest.mark.parametrize("chain", [1, 5, 30])
    def test_the_penalty_counts_from_the_execution_of_a_branch_that_waits(
        self, chain: int, penalty: int
    ) -> None:
        core = replace(WIDE, mispredict_penalty=penalty)
        lines = [*["add x5, x5, x0"] * chain, "bnez x5, end", "end:"]
        assert cycles(lines, core, "taken") - cycles(lines, core, "not-taken") == penalty
        assert cycles(lines, core, "taken") == core.depth + 2 + chain + 1 + penalty

    @PENALTIES
    def test_the_penalty_counts_from_the_last_micro_operation_of_a_branch(
        self, penalty: int
    ) -> None:
        # Three slots, the last two of them empty and so complete at dispatch.
        core = integers(replace(WIDE, mispredict_penalty=penalty), 9, slots=3)
        branch = ["bnez x0, end", "end:"]
        assert cycles(branch, core, "taken") == core.depth + 1 + 9 + penalty + 1

    @PENALTIES
    def test_a_penalty_in_the_shadow_of_older_work_costs_only_what_sticks_out(
        self, penalty: int
    ) -> None:
        # The divide runs 19 cycles longer than the branch.
        core = replace(WIDE, mispredict_penalty=penalty)
        lines = ["div x5, x6, x7", "bnez x0, end", "end:"]
        difference = cycles(lines, core, "taken") - cycles(lines, core, "not-taken")
        assert difference == max(0, penalty - 19)

    def test_a_branch_never_taken_and_never_guessed_taken_costs_no_slot(self) -> None:
        # T29
        result = run([*["bnez x0, end"] * 20, "end:"], CLASSROOM, "not-taken")
        assert result.mispredictions == 0
        assert result.slots.bad_speculation == 0

    def test_a_program_without_branches_has_no_mispredictions_to_divide_by(self) -> None:
        # T30
        result = run(["nop"], CLASSROOM)
        assert (result.branches, result.mispredictions, result.mpki) == (0, 0, 0)
        assert result.ledger == ()

    def test_guessing_wrong_on_purpose_is_slower_than_guessing_and_that_than_knowing(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        # T35: 64 branches on bits without a pattern.
        bits = f"{0x9E3779B97F4A7C15:064b}"
        lines = [
            f".data bits, i64, {', '.join(bits)}",
            "la x5, bits",
            "li x6, 0",
            "li x7, 64",
            "next: ld x8, (x5, x6*8)",
            "beqz x8, even",
            "addi x9, x9, 1",
            "even: addi x6, x6, 1",
            "bne x6, x7, next",
        ]

        class Wrong(Perfect):
            def predict(self, pc: int) -> bool:
                return not super().predict(pc)

        monkeypatch.setitem(PREDICTORS, "wrong", Entry(lambda _: Wrong(), "", ""))
        perfect, real, wrong = (run(lines, WIDE, name) for name in ("perfect", "gshare", "wrong"))
        assert perfect.cycles < real.cycles < wrong.cycles
        assert perfect.mispredictions == 0 < real.mispredictions < wrong.mispredictions
        assert wrong.mispredictions == wrong.branches == 128


class TestFrontEnd:
    @pytest.mark.parametrize("count", [2, 3, 10])
    @pytest.mark.parametrize("bubble", [0, 1, 2, 7, 100])
    def test_a_taken_jump_ends_the_cycle_and_costs_the_bubble(
        self, bubble: int, count: int
    ) -> None:
        # Jump i is fetched at i (1 + bubble). halt is fetched behind the last one, or waits
        # for it to execute, two cycles after its dispatch.
        core = replace(WIDE, taken_bubble=bubble)
        jumps = [f"at{i}: j at{i + 1}" for i in range(count)] + [f"at{count}:"]
        last = (count - 1) * (1 + bubble)
        assert cycles(jumps, core) == core.depth + last + max(1 + bubble, 2) + 1

    @pytest.mark.parametrize("bubble", [0, 1, 2, 7])
    def test_so_does_a_branch_guessed_taken_and_one_not_taken_does_not(self, bubble: int) -> None:
        core = replace(WIDE, taken_bubble=bubble)
        taken = [line for i in range(9) for line in (f"beqz x0, at{i}", "nop", f"at{i}:")]
        untaken = [line for i in range(9) for line in (f"bnez x0, at{i}", "nop", f"at{i}:")]
        longer = cycles(taken, core) - cycles(taken[: 3 * 4], core)
        assert longer == 5 * (1 + bubble)
        assert cycles(untaken, core) == cycles(untaken[: 3 * 4], core)

    @pytest.mark.parametrize("fetch", [1, 2, 3, 4])
    def test_a_loop_fetches_each_turn_in_cycles_of_its_own(self, fetch: int) -> None:
        # Five instructions and a taken branch: six fetched in ceil(6 / fetch) cycles.
        core = replace(WIDE, fetch_width=fetch)

        def turns(count: int) -> int:
            body = ["nop"] * 4
            return cycles(
                [f"li x5, {count}", "j top", "top:", *body, "addi x5, x5, -1", "bnez x5, top"],
                core,
            )

        assert turns(30) - turns(20) == 10 * -(-6 // fetch)

    @pytest.mark.parametrize("depth", [1, 2, 10, 40])
    def test_a_deeper_front_end_delays_the_start_and_nothing_else(self, depth: int) -> None:
        core = replace(WIDE, depth=depth, mispredict_penalty=40)
        lines = ["add x5, x5, x6", "bnez x0, end", "fadd f1, f1, f2", "end:"]
        expected = depth + 1 + 1 + (40 + 1 + 4) + 1
        assert cycles(lines, core, "taken") == expected

    @pytest.mark.parametrize("count", [1, 2, 7, 63])
    @pytest.mark.parametrize("entries", [1, 2, 3, 7, 16])
    def test_a_full_queue_lets_in_what_was_dispatched_the_cycle_before(
        self, entries: int, count: int
    ) -> None:
        core = replace(WIDE, queue=entries)
        assert cycles(["nop"] * count, core) == core.depth + count // entries + 1

    @pytest.mark.parametrize("bubble", [0, 1, 3])
    @pytest.mark.parametrize("entries", [2, 4, 8, 16])
    def test_the_queue_hides_the_bubbles_of_as_many_jumps_as_it_holds(
        self, entries: int, bubble: int
    ) -> None:
        # A scheduler of one entry is held by an add that waits for a divide of 100 cycles.
        # The next add is dispatched 102 cycles after the divide, and behind it wait as many
        # jumps as the queue has further entries; each of the others costs its bubble.
        core = replace(WIDE, queue=entries, taken_bubble=bubble, schedulers=(1, 16, 16))
        core = with_costs(
            core, {"int.div": cost(Micro(ANY, ALU, 100)), "branch.jump": cost(slots=1)}
        )
        jumps = [line for i in range(20) for line in (f"j at{i}", f"at{i}:")]
        lines = ["div x5, x6, x7", "add x5, x5, x5", ADD, *jumps]
        exposed = 20 - (entries - 1)
        assert cycles(lines, core) == core.depth + 102 + 1 + exposed * (1 + bubble) + 1


class TestWindow:
    """A structure of n entries lets n more in when the older n have left it.

    With nothing else in the way, n operations are dispatched in one cycle t, issue at
    t + 1, complete and retire at t + 1 + latency; the next n follow a cycle after that.
    """

    @pytest.mark.parametrize("latency", [1, 5, 20])
    @pytest.mark.parametrize("entries", [1, 2, 3, 8, 31])
    def test_a_reorder_buffer_of_n_runs_n_operations_in_latency_plus_two(
        self, entries: int, latency: int
    ) -> None:
        core = integers(replace(WIDE, rob=entries), latency)
        lengths = [cycles([ADD] * (turns * entries), core) for turns in (1, 2, 4)]
        assert lengths[1] - lengths[0] == latency + 2
        assert lengths[2] - lengths[1] == 2 * (latency + 2)

    @pytest.mark.parametrize("latency", [1, 5, 20])
    @pytest.mark.parametrize("entries", [1, 2, 3, 8, 31])
    def test_a_scheduler_of_n_runs_n_operations_in_two_cycles_whatever_their_latency(
        self, entries: int, latency: int
    ) -> None:
        core = integers(replace(WIDE, schedulers=(entries, 16, 16)), latency)
        lengths = [cycles([ADD] * (turns * entries), core) for turns in (1, 2, 4)]
        assert lengths[1] - lengths[0] == 2
        assert lengths[2] - lengths[1] == 4

    @pytest.mark.parametrize("latency", [1, 4, 20])
    @pytest.mark.parametrize("entries", [1, 2, 3, 8, 31])
    def test_a_load_queue_of_n_runs_n_loads_in_latency_plus_two(
        self, entries: int, latency: int
    ) -> None:
        core = replace(WIDE, load_queue=entries, l1_latency=latency)
        start = [".array A, i64, 1", "la x6, A", *["nop"] * 62]
        lengths = [
            cycles([*start, *["ld x5, (x6)"] * (turns * entries)], core) for turns in (1, 2, 4)
        ]
        assert lengths[1] - lengths[0] == latency + 2
        assert lengths[2] - lengths[1] == 2 * (latency + 2)

    @pytest.mark.parametrize("latency", [1, 4, 20])
    @pytest.mark.parametrize("entries", [1, 2, 3, 8, 31])
    def test_a_store_queue_of_n_runs_n_stores_in_latency_plus_two(
        self, entries: int, latency: int
    ) -> None:
        core = with_costs(
            replace(WIDE, store_queue=entries), {"store.int": cost(Micro(ANY, MEM, latency))}
        )
        start = [".array A, i64, 1", "la x6, A", *["nop"] * 62]
        lengths = [
            cycles([*start, *["sd x5, (x6)"] * (turns * entries)], core) for turns in (1, 2, 4)
        ]
        assert lengths[1] - lengths[0] == latency + 2
        assert lengths[2] - lengths[1] == 2 * (latency + 2)

    @pytest.mark.parametrize("figure", ["load_queue", "store_queue"])
    def test_a_queue_of_one_does_not_hold_back_other_instructions(self, figure: str) -> None:
        core = replace(WIDE, **{figure: 1})
        other = {"load_queue": "sd x5, (x6)", "store_queue": "ld x5, (x6)"}[figure]
        lines = [".array A, i64, 1", "la x6, A", *[ADD, other, "nop"] * 15]
        assert cycles(lines, core) == cycles(lines, WIDE)

    def test_a_load_keeps_its_queue_entry_to_retirement_and_its_scheduler_entry_to_issue(
        self,
    ) -> None:
        # The second load enters a queue of one after the first has retired, behind a divide
        # of 20 cycles; it enters a scheduler of one after the first has issued.
        lines = [".array A, i64, 1", "la x6, A", "div x5, x7, x8", *["ld x9, (x6)"] * 2]
        latency = WIDE.l1_latency
        assert alone(lines, WIDE) == 20
        assert alone(lines, replace(WIDE, load_queue=1)) == 20 + 2 + latency
        assert alone(lines, replace(WIDE, schedulers=(64, 1, 64))) == 20

    @pytest.mark.parametrize("entries", [1, 2, 3, 1_000_000])
    def test_every_size_at_one_and_two_and_three_and_very_large_comes_to_an_end(
        self, entries: int
    ) -> None:
        # T38, with a gather and a scatter of 16 micro-operations each.
        small = min(entries, 64)
        core = replace(
            CLASSROOM,
            fetch_width=small,
            width=small,
            retire_width=small,
            queue=entries,
            rob=entries,
            load_queue=entries,
            store_queue=entries,
            schedulers=(entries,) * 3,
        )
        lines = [
            ".array A, i64, 16",
            "la x5, A",
            "ptrue p1",
            "li x6, 7",
            "top: vgather v1, p1, (x5, v2*8)",
            "vscatter v1, p1, (x5, v2*8)",
            "addi x6, x6, -1",
            "bnez x6, top",
        ]
        result = run(lines, core, "gshare", lanes=16)
        assert result.instructions == 3 + 4 * 7 + 1
        assert result.uops == 3 + 7 * (16 + 16 + 2) + 1
        assert result.slots.total == result.width * result.cycles
