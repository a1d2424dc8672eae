"""A better core is not slower: where that is exact, where it is not, and by how much.

Every cycle of the model is a maximum of earlier cycles plus constants, or the first cycle
with room in an ordered structure; both only grow with what they are made of, and grow by
no more than it does. The one exception is the choice of units: an operation that is ready
earlier can take the unit from a younger one that the program's length depends on, as in
Graham's list-scheduling anomalies (1969). Hence two laws:

* where nothing ever waits for a unit, a better core or predictor is never slower;
* otherwise it is slower by at most the cycles that micro-operations waited for units in
  the better run, added up: without those waits it would not be slower, and each wait
  delays what comes after it by no more than its own length.

Two figures are kept out of it, each for a reason that has a test below: a load that takes
its data from a store must not be slower than one from L1, and a taken branch must cost
less when it is guessed right.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from timing_audit import Audit, replay
from timing_harness import (
    ALU,
    CLASSROOM,
    UNITS,
    WIDE,
    cost,
    cycles,
    program,
    run,
    with_costs,
    without_contention,
)
from timing_strategies import cores, programs

from isa.interpreter import Machine
from isa.program import Program
from simulator.core.spec import Core, Cost, Micro
from simulator.model.pipeline import Stamp
from simulator.predictors import PREDICTORS
from simulator.result import Result
from simulator.run import simulate

BETTER: dict[str, Callable[[Core], Core]] = {
    "fetch_width": lambda core: replace(core, fetch_width=core.fetch_width + 1),
    "taken_bubble": lambda core: replace(core, taken_bubble=0),
    "depth": lambda core: replace(core, depth=1),
    "queue": lambda core: replace(core, queue=core.queue + 1),
    "width": lambda core: replace(core, width=core.width + 1),
    "retire_width": lambda core: replace(core, retire_width=core.retire_width + 1),
    "rob": lambda core: replace(core, rob=core.rob + 1),
    "load_queue": lambda core: replace(core, load_queue=core.load_queue + 1),
    "store_queue": lambda core: replace(core, store_queue=core.store_queue + 1),
    "schedulers": lambda core: replace(
        core, schedulers=tuple(entries + 1 for entries in core.schedulers)
    ),
    "mispredict_penalty": lambda core: replace(
        core, mispredict_penalty=max(core.depth, core.taken_bubble + 1)
    ),
    "l1.latency": lambda core: replace(core, l1_latency=0, forward_latency=0),
    "operations": lambda core: with_costs(core, faster(core)),
    "predictor": lambda core: core,
}


def faster(core: Core) -> dict[str, dict[int, Cost]]:
    """Take a cycle off every latency of a core's operations."""
    return {
        opclass: {
            lanes: replace(
                one,
                micros=tuple(replace(m, latency=max(0, m.latency - 1)) for m in one.micros),
            )
            for lanes, one in by_lanes.items()
        }
        for opclass, by_lanes in core.costs.items()
    }


@dataclass(frozen=True)
class Case:
    """A program and two ways to run it, the second better in one respect."""

    program: Program
    core: Core
    predictor: str
    better: str

    def __repr__(self) -> str:
        text = "\n".join(self.program.source)
        return f"{self.better} of {replace(self.core, costs={})}, {self.predictor}:\n{text}"

    @property
    def better_predictor(self) -> str:
        return "perfect" if self.better == "predictor" else self.predictor


def monotone(core: Core) -> Core:
    """Take out of a core the two figures for which a delay can be a gain."""
    return replace(
        core,
        forward_latency=core.l1_latency,
        taken_bubble=min(core.taken_bubble, core.mispredict_penalty - 1),
    )


CASES = st.builds(
    Case,
    programs(),
    cores().map(monotone),
    st.sampled_from(sorted(PREDICTORS)),
    st.sampled_from(sorted(BETTER)),
)


def timed(program: Program, core: Core, predictor: str, log: list[Stamp] | None = None) -> Result:
    """Run by the readable rules, as all runs with a log."""
    return simulate(Machine(program), core, predictor, log=[] if log is None else log)


class TestABetterCoreIsNotSlower:
    @given(case=CASES)
    def test_where_nothing_waits_for_a_unit(self, case: Case) -> None:
        core = without_contention(case.core)
        better = BETTER[case.better](core)
        before = timed(case.program, core, case.predictor)
        after = timed(case.program, better, case.better_predictor)
        assert after.cycles <= before.cycles

    @given(case=CASES)
    def test_by_more_than_it_waits_for_units(self, case: Case) -> None:
        better = BETTER[case.better](case.core)
        before = timed(case.program, case.core, case.predictor)
        log: list[Stamp] = []
        after = timed(case.program, better, case.better_predictor, log)
        if after.cycles > before.cycles:
            steps = replay(case.program, case.better_predictor)
            waits = Audit(case.program, better, log, after.cycles, steps).waits
            assert after.cycles - before.cycles <= waits

    @settings(max_examples=settings.default.max_examples // 2)
    @given(case=CASES)
    def test_when_it_gets_a_unit_for_everything(self, case: Case) -> None:
        before = timed(case.program, case.core, case.predictor)
        after = timed(case.program, without_contention(case.core), case.predictor)
        assert after.cycles <= before.cycles


def waits(lines: list[str], core: Core, predictor: str = "perfect") -> int:
    """Add up the cycles that micro-operations of lines wait for units."""
    log: list[Stamp] = []
    total = run(lines, core, predictor, log=log).cycles
    text = program(*lines, "halt")
    return Audit(text, core, log, total, replay(text, predictor)).waits


ONE = (UNITS - 1,)
"""A unit that nothing else chooses: it is the last in every other group."""


class TestAnomalies:
    """The smallest cases found in which a better core is slower; real cores have them too."""

    def test_a_lower_latency_can_cost_a_cycle(self) -> None:
        # The minimum needs the multiply, the divide the shift, and both the one unit. With
        # a multiply of one cycle they are ready together and the older one goes first.
        lines = ["mul x5, x6, x7", "slli x8, x9, 1", "min x5, x5, x5", "div x8, x8, x8"]

        def core(multiply: int) -> Core:
            return with_costs(
                WIDE,
                {
                    "int.mul": cost(Micro((0,), ALU, multiply)),
                    "int.minmax": cost(Micro(ONE, ALU, 1)),
                    "int.div": cost(Micro(ONE, ALU, 20)),
                },
            )

        assert cycles(lines, core(1)) == cycles(lines, core(2)) + 1
        assert waits(lines, core(1)) == 1  # so the bound is reached
        assert waits(lines, core(2)) == 0

    def test_an_oracle_can_be_slower_than_a_wrong_guess(self) -> None:
        # On the classroom core; d is the cycle in which la and ld are dispatched, and the
        # load is done at d + 6. Guessed right, the divide starts at d + 4, holds alu0 for
        # 20 cycles, and the multiply starts at d + 24. Guessed wrong, divide and multiply
        # are dispatched at d + 19; the multiply starts at d + 20, the divide behind its
        # two adds at d + 21. The chain behind the multiply decides.
        lines = [".array A, i64, 1", "la x6, A", "ld x8, (x6)", "bnez x0, end"]
        lines += ["add x5, x7, x7", "add x5, x5, x5", "div x5, x5, x5", "mul x9, x8, x8"]
        lines += [*["fcvt.d.l f1, x9", "fcvt.l.d x9, f1"] * 9, "end:"]
        assert cycles(lines, CLASSROOM) == cycles(lines, CLASSROOM, "taken") + 4
        assert waits(lines, CLASSROOM) >= 4

    def test_a_larger_reorder_buffer_can_be_slower(self) -> None:
        # The count is done at d + 6. In a large buffer the divide starts at d + 3 behind
        # its multiply and holds the one unit for 20 cycles: the minimum starts at d + 23.
        # A buffer of three is full until d + 6; then the minimum starts at d + 8.
        lines = ["popcnt x8, x9", "nop", "nop"]
        lines += ["mul x5, x6, x7", "div x5, x5, x5", "min x8, x8, x8"]
        core = with_costs(
            WIDE,
            {
                "int.bits": cost(Micro((0,), ALU, 5)),
                "int.mul": cost(Micro((1,), ALU, 2)),
                "int.div": cost(Micro(ONE, ALU, 20, busy=20)),
                "int.minmax": cost(Micro(ONE, ALU, 30)),
            },
        )
        small, large = replace(core, rob=3), replace(core, rob=6)
        assert cycles(lines, large) == core.depth + 23 + 30 + 1
        assert cycles(lines, small) == core.depth + 8 + 30 + 1
        assert waits(lines, large) == 23 - 6

    @pytest.mark.parametrize("late", [0, 1])
    def test_a_load_that_comes_too_late_to_be_forwarded_can_be_done_earlier(
        self, late: int
    ) -> None:
        # A cycle after its issue the store's data is ready, and the store retires. A load
        # that issues with it has the data 30 cycles after that; a load that issues a cycle
        # later finds them in the cache, 4 cycles away.
        core = replace(WIDE, forward_latency=30, l1_latency=4)
        lines = [".array A, i64, 1", "la x6, A", "sd x0, (x6)", *["addi x6, x6, 0"] * late]
        length = cycles([*lines, "ld x5, (x6)"], core)
        assert length == core.depth + 2 + 1 + (1 + 30 if not late else 1 + 4)

    def test_a_bubble_longer_than_the_penalty_makes_a_wrong_guess_the_faster_one(self) -> None:
        # A branch that was guessed wrong restarts fetch without the bubble.
        core = replace(WIDE, taken_bubble=100, mispredict_penalty=15)
        lines = ["beqz x0, end", "nop", "end:"]
        assert cycles(lines, core, "not-taken") == core.depth + 2 + 15 + 1
        assert cycles(lines, core, "taken") == core.depth + 101 + 1
