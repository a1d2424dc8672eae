"""What the model leaves out (docs/deviations.md): the model's side of each row, shown."""

from __future__ import annotations

from dataclasses import replace

import pytest
from timing_harness import CLASSROOM, SHIPPED, WIDE, alone, alus, cycles, program, run

from isa.interpreter import Machine
from simulator.run import simulate


@pytest.mark.parametrize("elements", [8, 1 << 20])
def test_every_load_takes_the_l1_latency(elements: int) -> None:
    # Each load depends on the one before and touches another line, of one kilobyte or
    # eight megabytes: on a real core the second would miss every cache on the way.
    stride = 8 * elements // 8
    chain = [f"ld x6, {turn * stride}(x5, x6)" for turn in range(8)]
    lines = [f".array a, i64, {elements}", "la x5, a", *chain]
    assert alone(lines, WIDE) - alone(lines[:2], WIDE) == 8 * WIDE.l1_latency


def test_the_wrong_path_changes_no_result() -> None:
    # The skipped store would be executed for a while on a real core; here it never is.
    lines = [
        ".data a, i64, 7",
        "la x5, a",
        "li x6, 1",
        "bnez x6, over",
        "sd x0, (x5)",
        "over: ld x7, (x5)",
        "halt",
    ]
    for predictor in ("taken", "not-taken"):
        machine = Machine(program(*lines))
        result = simulate(machine, CLASSROOM, predictor)
        assert machine.registers[7] == 7
        assert result.instructions == 5
        assert result.uops == 5


def test_a_predictor_learns_before_the_next_branch() -> None:
    # Two executions of one branch in flight at once: on a real core the first has not
    # retired, so its outcome is not learnt, when the second is predicted.
    lines = ["li x5, 2", "again: addi x5, x5, -1", "bnez x5, again"]
    result = run(lines, WIDE, "bimodal")
    # Weakly not taken: the first is wrong and teaches taken, so the second is wrong too.
    assert result.mispredictions == 2


@pytest.mark.parametrize("jumps", [1, 50, 400])
def test_a_taken_branch_costs_the_bubble_and_no_more(jumps: int) -> None:
    # However many branches there are: their targets are always known.
    core = replace(WIDE, taken_bubble=3)
    lines = [line for n in range(jumps) for line in (f"j l{n}", f"l{n}: nop")]
    assert cycles(lines, core) - cycles(["nop"], core) == jumps * (1 + 3)


def test_a_load_to_another_address_does_not_wait() -> None:
    # The store's address is known late; the load goes ahead of it and is never replayed.
    slow = ["li x7, 8", "div x6, x7, x7", "div x6, x6, x6"]
    store = ["sd x0, 8(x5, x6*8)"]
    load = ["ld x8, (x5)", "add x9, x8, x8"]
    head = [".array a, i64, 4", "la x5, a"]
    assert cycles([*head, *slow, *store, *load], WIDE) == cycles([*head, *slow, *store], WIDE)


def test_partial_overlap_forwards_like_full_overlap() -> None:
    core = replace(WIDE, forward_latency=9)
    head = [".array a, i64, 4", "la x5, a", "sd x5, (x5)"]
    full = cycles([*head, "ld x6, (x5)"], core)
    assert cycles([*head, "lw x6, 4(x5)"], core) == full
    assert cycles([*head, "ld x6, 4(x5)"], core) == full


@pytest.mark.parametrize("vectors", [8, 64, 512])
def test_a_window_is_limited_by_the_rob_alone(vectors: int) -> None:
    # More results in flight than a real core has registers, and no wait for one.
    core = replace(alus(64), rob=2 * vectors)
    lines = [f"vadd v{1 + n % 31}, v0, v0" for n in range(vectors)]
    unlimited = replace(core, rob=100_000)
    assert cycles(lines, core) == cycles(lines, unlimited)


def test_units_are_taken_in_the_order_of_the_group() -> None:
    # Alone in its cycle, an integer operation takes the unit that the fewest others want.
    result = run(["add x5, x5, x6"] * 20, SHIPPED["golden-cove"])
    assert result.unit_busy["alu10"] == 20
    assert sum(busy for unit, busy in result.unit_busy.items() if unit != "alu10") == 0
