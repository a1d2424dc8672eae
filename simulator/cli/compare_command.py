"""``lanewise compare``: a kernel in several forms on one core."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from isa.errors import CheckError, InputError, printable
from isa.interpreter import Machine
from programs.catalogue import Kernel, find_kernel
from programs.data.operand import counted
from programs.problem import Problem, check_feasible, load_problem
from programs.sampling import Estimate, choose_units, estimate_totals
from programs.variants import BASELINE, DEFAULT_VARIANTS, build_program, find_variant
from simulator.cli.machine import Setup, progress, read_setup
from simulator.cli.parser import whole_number
from simulator.report.jsonout import SCHEMA, dump, variant_object
from simulator.report.tables import ABREAST, Column, comparison_table, emit, make_console
from simulator.report.words import Measured, explain
from simulator.result import Result
from simulator.run import simulate


@dataclass(frozen=True, slots=True)
class Plan:
    """What a comparison simulates: all of a problem, or a sample of its units."""

    problem: Problem
    chosen: list[int] | None
    steps: Any
    seed: int

    @property
    def simulated(self) -> Problem:
        """The problem that is run."""
        return self.problem if self.chosen is None else self.problem.rows(self.chosen)

    @property
    def simulated_steps(self) -> int:
        """Merge steps of what is run."""
        return int(self.steps.sum() if self.chosen is None else self.steps[self.chosen].sum())


def execute(options: argparse.Namespace) -> int:
    """Compare the forms, print the table or the JSON; 1 if a result was wrong."""
    kernel = find_kernel(options.kernel)
    names = _variant_names(options.variants)
    setup = read_setup(options)
    plan = _plan(kernel, options, setup)
    with progress(kernel.name) as show:
        outcomes = [_simulate(plan, kernel, name, setup, show) for name in names]
    for outcome in outcomes:
        if outcome.problem:
            print(f"lanewise: {outcome.problem}", file=sys.stderr)
    columns = _columns(outcomes, plan)
    if options.json:
        print(dump(_document(kernel, setup, plan, columns)))
    else:
        _print(kernel, setup, plan, columns)
    return 0 if all(column.verified for column in columns) else CheckError.exit_code


def _variant_names(given: str | None) -> list[str]:
    names = list(DEFAULT_VARIANTS) if given is None else [n.strip() for n in given.split(",")]
    for name in names:
        find_variant(name)
        if names.count(name) > 1:
            raise InputError(f"variant '{name}' is named twice in --variants")
    return names


def _plan(kernel: Kernel, options: argparse.Namespace, setup: Setup) -> Plan:
    """Load the data, choose what to simulate, and refuse what would not end."""
    seed = whole_number("--seed", options.seed, 0)
    problem = load_problem(kernel, options.data)
    for operand in dict.fromkeys(problem.operands):
        for note in operand.notes:
            print(f"lanewise: {operand.name}: {note}", file=sys.stderr)
    steps = problem.steps()
    plan = Plan(problem, choose_units(steps, options.sample, seed), steps, seed)
    check_feasible(plan.simulated, plan.simulated_steps, setup.limit)
    return plan


@dataclass(frozen=True, slots=True)
class _Outcome:
    """A form's run, and what was wrong with its result."""

    name: str
    result: Result
    problem: str


def _simulate(
    plan: Plan, kernel: Kernel, name: str, setup: Setup, show: Callable[[str, int], None]
) -> _Outcome:
    """Run one form and check its result."""
    program = build_program(kernel.name, name, setup.lanes)
    machine = Machine(program, plan.simulated.bindings())
    result = simulate(
        machine,
        setup.core,
        setup.predictor,
        limit=setup.limit,
        mark=program.label_numbers["unit"],
        progress=lambda done: show(name, done),
    )
    try:
        plan.simulated.verify(machine, find_variant(name))
    except CheckError as error:
        return _Outcome(name, result, str(error))
    return _Outcome(name, result, "")


def _columns(outcomes: Sequence[_Outcome], plan: Plan) -> list[Column]:
    """Turn runs into totals: as they are, or estimated from the sample."""
    named = {outcome.name: outcome for outcome in outcomes}
    base = named.get(BASELINE, outcomes[0])
    totals: dict[str, Estimate | None] = dict.fromkeys(named)
    ratios: dict[str, Estimate | None] = dict.fromkeys(named)
    if plan.chosen is not None:
        order = [base, *(outcome for outcome in outcomes if outcome is not base)]
        costs = [_unit_costs(outcome.result) for outcome in order]
        estimates = estimate_totals(costs, plan.steps, plan.chosen, plan.seed)
        for outcome, total, ratio in zip(order, *estimates, strict=True):
            totals[outcome.name], ratios[outcome.name] = total, ratio
    return [_column(o, base, plan, totals[o.name], ratios[o.name]) for o in outcomes]


def _unit_costs(result: Result) -> Any:
    """Return the cycles from each unit's first instruction to the next unit's."""
    return np.diff(np.array([*result.marks, result.cycles], dtype=np.float64))


def _column(
    outcome: _Outcome, base: _Outcome, plan: Plan, total: Estimate | None, ratio: Estimate | None
) -> Column:
    result = outcome.result
    cycles = result.cycles if total is None else round(total.value)
    speedup = base.result.cycles / result.cycles if ratio is None else ratio.value
    steps = int(plan.steps.sum())
    known = not outcome.problem and not base.problem
    return Column(
        name=outcome.name,
        result=result,
        cycles=cycles,
        cycles_per_step=cycles / steps if steps else None,
        speedup=speedup if known else None,
        verified=not outcome.problem,
        cycles_ci95=None if total is None else (total.low, total.high),
        speedup_ci95=None if ratio is None else (ratio.low, ratio.high),
    )


def _document(
    kernel: Kernel, setup: Setup, plan: Plan, columns: Sequence[Column]
) -> dict[str, Any]:
    """Return the JSON object of a comparison."""
    return {
        "schema": SCHEMA,
        "kernel": kernel.name,
        "core": setup.core.name,
        "predictor": setup.predictor,
        "lanes": setup.lanes,
        "data": [
            {"name": o.name, "shape": list(o.shape), "nnz": o.nnz} for o in plan.problem.operands
        ],
        "variants": [
            variant_object(column, int(plan.steps.sum()), _sample(column, plan))
            for column in columns
        ],
    }


def _sample(column: Column, plan: Plan) -> dict[str, Any] | None:
    if plan.chosen is None or column.cycles_ci95 is None or column.speedup_ci95 is None:
        return None
    return {
        "units": len(plan.chosen),
        "of": plan.problem.units,
        "cycles_ci95": list(column.cycles_ci95),
        "speedup_ci95": list(column.speedup_ci95),
    }


def _print(kernel: Kernel, setup: Setup, plan: Plan, columns: Sequence[Column]) -> None:
    """Print the comparison for a person."""
    console = make_console()
    names = [column.name for column in columns]
    base = BASELINE if BASELINE in names else names[0]
    steps = int(plan.steps.sum())
    heading = [f"{kernel.name}: {kernel.expression}"]
    for spec, operand in zip(kernel.operands, plan.problem.operands, strict=True):
        shape = "x".join(map(str, operand.shape))
        heading.append(
            f"  {spec.name} = {printable(operand.name)}: {shape}, "
            f"{counted(operand.nnz, 'entry', 'entries')}"
        )
    heading.append(
        f"  core {setup.core.name}, predictor {setup.predictor}, {setup.lanes} lanes; "
        f"{counted(steps, 'merge step', 'merge steps')}"
    )
    if plan.chosen is not None:
        heading.append(
            f"  estimated from {len(plan.chosen)} of {plan.problem.units} {kernel.unit}, "
            f"{plan.simulated_steps:,} steps; seed {plan.seed}"
        )
    emit(console, *heading)
    for first in range(0, len(columns), ABREAST):
        shown = columns[first : first + ABREAST]
        emit(console, "", comparison_table(shown, base, console))
    measured = [
        Measured(column.name, column.result, column.cycles_per_step)
        for column in columns
        if column.verified and column.cycles_per_step is not None
    ]
    sentences = explain(measured, BASELINE)
    if sentences:
        emit(console, "", *sentences)
