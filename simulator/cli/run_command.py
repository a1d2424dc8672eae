"""``lanewise run``: one program on one core."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence
from typing import Any

from isa.errors import InputError, nearest, printable
from isa.interpreter import Machine
from isa.program import Program
from simulator.cli.machine import Setup, progress, read_program, read_setup, split_name
from simulator.cli.parser import whole_number
from simulator.report.jsonout import SCHEMA, dump, result_fields
from simulator.report.tables import branch_table, emit, make_console, run_table
from simulator.result import Result
from simulator.run import engine_text, simulate

_SHOWN = 16
"""Elements of an output array that are printed."""


def execute(options: argparse.Namespace) -> int:
    """Run a program, check a kernel's result, and print what was measured."""
    setup = read_setup(options)
    program = read_program(options.program, setup.lanes)
    machine, verify = _load(options, program, setup)
    if options.show_engine:
        print(engine_text(machine, setup.core, setup.predictor), end="")
        return 0
    with progress(program.name) as show:
        result = simulate(
            machine,
            setup.core,
            setup.predictor,
            limit=setup.limit,
            progress=lambda done: show(program.name, done),
        )
    verify()
    if options.json:
        print(dump(_document(machine, setup, result)))
    else:
        _print(machine, setup, result)
    return 0


def _load(
    options: argparse.Namespace, program: Program, setup: Setup
) -> tuple[Machine, Callable[[], None]]:
    """Give a program its data; return the machine, and a check of its result."""
    parts = split_name(options.program)
    if parts is None:
        if options.data:
            raise InputError("--data is for kernels; an assembly file takes --array and --zeros")
        return Machine(program, _bindings(program, options.array, options.zeros)), lambda: None
    if options.array or options.zeros:
        raise InputError("--array and --zeros are for assembly files; a kernel takes --data")
    # numpy and scipy are needed for kernels only; an assembly file runs without them.
    from programs.catalogue import find_kernel  # noqa: PLC0415
    from programs.problem import check_feasible, load_problem  # noqa: PLC0415
    from programs.variants import find_variant  # noqa: PLC0415

    problem = load_problem(find_kernel(parts[0]), options.data)
    check_feasible(problem, int(problem.steps().sum()), setup.limit)
    machine = Machine(program, problem.bindings())
    return machine, lambda: problem.verify(machine, find_variant(parts[1]))


def _bindings(
    program: Program, contents: Sequence[str], zeros: Sequence[str]
) -> dict[str, int | list[int | float]]:
    """Read what the command line gives for a program's arrays."""
    elements = {a.name: a.element for a in program.arrays if a.role in {"input", "output"}}
    bindings: dict[str, int | list[int | float]] = {}
    for option, pairs in (("--array", contents), ("--zeros", zeros)):
        for pair in pairs:
            name, equals, value = pair.partition("=")
            if not equals:
                raise InputError(f"{option} takes NAME=..., found '{pair}'")
            if name not in elements:
                hint = nearest(name, elements) if elements else "; the program declares none"
                raise InputError(f"{option} {pair}: there is no .input or .output '{name}'{hint}")
            if name in bindings:
                raise InputError(f"array '{name}' is given twice")
            if option == "--zeros":
                bindings[name] = whole_number(f"--zeros {name}", value, 0)
            else:
                bindings[name] = _numbers(name, elements[name], value)
    return bindings


def _numbers(name: str, element: str, text: str) -> list[int | float]:
    """Read the contents of an array: numbers between commas."""
    values: list[int | float] = []
    for position, word in enumerate(text.split(",") if text else [], 1):
        try:
            values.append(float(word) if element == "f64" else int(word, 0))
        except ValueError:
            raise InputError(
                f"--array {name}: element {position}, '{word}', is no number of type {element}"
            ) from None
    return values


def _document(machine: Machine, setup: Setup, result: Result) -> dict[str, Any]:
    """Return the JSON object of a run; infinities and NaN among outputs are texts."""
    ledger = [
        {
            "line": record.line,
            "branch": record.text,
            "executed": record.executed,
            "taken": record.taken,
            "mispredicted": record.mispredicted,
        }
        for record in result.ledger
    ]
    return {
        "schema": SCHEMA,
        "program": machine.program.name,
        "core": setup.core.name,
        "predictor": setup.predictor,
        "lanes": setup.lanes,
        **result_fields(result),
        "branch_ledger": ledger,
        "outputs": {
            name: [_json_number(value) for value in values]
            for name, values in _outputs(machine).items()
        },
    }


def _print(machine: Machine, setup: Setup, result: Result) -> None:
    """Print a run for a person."""
    console = make_console()
    program = machine.program
    emit(
        console,
        f"{printable(program.name)}: core {setup.core.name}, predictor {setup.predictor}, "
        f"{setup.lanes} lanes\n",
    )
    emit(console, run_table(result))
    if result.ledger:
        emit(console, "", branch_table(result))
    outputs = _outputs(machine)
    if outputs:
        emit(console, "", *(f"{name} = {_short(values)}" for name, values in outputs.items()))


def _outputs(machine: Machine) -> dict[str, Sequence[int | float]]:
    """Return the contents of the arrays that the program declares as outputs."""
    return {
        array.name: machine.memory.view(array.name).tolist()
        for array in machine.program.arrays
        if array.role == "output"
    }


def _json_number(value: float) -> float | str:
    """Return a number as JSON can hold it: what is not finite becomes a text."""
    return value if math.isfinite(value) else str(value)


def _short(values: Sequence[int | float]) -> str:
    """Return the first elements of an array as text."""
    more = f", ... ({len(values):,} elements)" if len(values) > _SHOWN else ""
    return ", ".join(f"{value:g}" for value in values[:_SHOWN]) + more
