"""The engine and the rules it is made from give the same run, whatever is run on whatever."""

from __future__ import annotations

import ast
import re
import struct
from dataclasses import fields

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import runnable_programs
from timing_harness import SHIPPED, program
from timing_strategies import cores, every_instruction, programs

from isa.errors import InputError, LimitError
from isa.interpreter import Machine
from isa.operands import REGISTERS
from isa.program import Program
from programs.catalogue import find_kernel
from programs.problem import load_problem
from programs.variants import VARIANTS, build_program
from simulator.core.spec import Core
from simulator.engine.engine import Engine
from simulator.engine.specialiser import Specialiser
from simulator.engine.values import Known, Unsupported
from simulator.model.dataflow import DataflowLimit
from simulator.model.pipeline import Pipeline
from simulator.predictors import PREDICTORS, make_predictor
from simulator.run import SLICE, simulate

predictors = st.sampled_from(sorted(PREDICTORS))


def bits(value: object) -> object:
    if isinstance(value, float):
        return struct.pack("<d", value)
    return tuple(map(bits, value)) if isinstance(value, tuple) else value


def outcome(machine: Machine, core: Core, predictor: str, *, readable: bool) -> dict[str, object]:
    mark = len(machine.program.instructions) // 2
    result = simulate(machine, core, predictor, mark=mark, engine_after=None if readable else 0)
    seen: dict[str, object] = {
        field.name: getattr(result, field.name)
        for field in fields(result)
        if field.name not in {"host_seconds", "slots"}
    }
    seen["slots"] = {k: v for k, v in vars(result.slots).items() if k != "unfinished"}
    seen["registers"] = [bits(value) for value in machine.registers[:REGISTERS]]
    seen["memory"] = {name: machine.memory.view(name).tobytes() for name in machine.memory.arrays}
    return seen


def assert_same(one: Program, core: Core, predictor: str) -> None:
    fast = outcome(Machine(one), core, predictor, readable=False)
    slow = outcome(Machine(one), core, predictor, readable=True)
    differing = {name: (fast[name], slow[name]) for name in slow if fast[name] != slow[name]}
    assert not differing


@settings(max_examples=settings.default.max_examples // 7)
@given(runnable_programs(), cores(), predictors)
def test_it_is_identical_on_random_programs_cores_and_predictors(
    one: Program, core: Core, predictor: str
) -> None:
    assert_same(one, core, predictor)


@settings(max_examples=settings.default.max_examples // 7)
@given(programs(), cores(), predictors)
def test_it_is_identical_on_random_loops(one: Program, core: Core, predictor: str) -> None:
    assert_same(one, core, predictor)


@pytest.mark.parametrize("lanes", [2])
@pytest.mark.parametrize("core", SHIPPED.values(), ids=list(SHIPPED))
def test_it_is_identical_on_every_instruction(core: Core, lanes: int) -> None:
    assert_same(every_instruction(lanes), core, "gshare")


@pytest.mark.parametrize("core", SHIPPED.values(), ids=list(SHIPPED))
@pytest.mark.parametrize("variant", VARIANTS)
def test_it_is_identical_on_every_shipped_form(variant: str, core: Core) -> None:
    problem = load_problem(find_kernel("spgemm"), ["random:6x200:0.1", "random:200x5:0.1"])
    one = build_program("spgemm", variant, 4)
    fast, slow = (
        outcome(Machine(one, problem.bindings()), core, "gshare", readable=readable)
        for readable in (False, True)
    )
    assert fast == slow


@pytest.mark.parametrize("predictor", PREDICTORS)
def test_it_is_identical_with_every_predictor(predictor: str) -> None:
    problem = load_problem(find_kernel("spdot"), ["random:300:0.2"])
    one = build_program("spdot", "branchy", 4)
    fast, slow = (
        outcome(Machine(one, problem.bindings()), SHIPPED["golden-cove"], predictor, readable=form)
        for form in (False, True)
    )
    assert fast == slow


def test_where_the_engine_takes_over_makes_no_difference() -> None:
    problem = load_problem(find_kernel("spdot"), ["random:300:0.2"])
    one = build_program("spdot", "select", 4)
    results = [
        simulate(Machine(one, problem.bindings()), SHIPPED["golden-cove"], engine_after=after)
        for after in (None, 0, 1, 100, 1003)
    ]
    assert len({(r.cycles, r.instructions, r.dataflow_cycles) for r in results}) == 1


def test_one_engine_serves_data_of_other_sizes() -> None:
    # Array addresses and lengths differ between the runs; nothing of the first may stick.
    one = build_program("spdot", "dual:001", 4)
    kernel = find_kernel("spdot")
    for source in ("random:300:0.2", "random:4000:0.1", "random:50:0.5"):
        problem = load_problem(kernel, [source])
        fast, slow = (
            outcome(Machine(one, problem.bindings()), SHIPPED["classroom"], "gshare", readable=form)
            for form in (False, True)
        )
        assert fast == slow


def test_a_long_run_is_the_same_across_slices() -> None:
    turns = SLICE // 2
    one = program(
        f"li x5, {turns}",
        "again: addi x6, x6, 3",
        "xor x7, x7, x6",
        "addi x5, x5, -1",
        "bnez x5, again",
        "halt",
    )
    assert_same(one, SHIPPED["golden-cove"], "bimodal")


def test_calls_and_indirect_jumps_to_anywhere_are_the_same() -> None:
    one = program(
        "call inside",
        "li x5, 32",
        "jr x5",
        "nop",
        "nop",
        "nop",
        "inside: addi x6, x6, 1",
        "ret",
        "addi x7, x7, 1",
        "addi x8, x8, 1",
        "halt",
    )
    assert_same(one, SHIPPED["classroom"], "gshare")


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 100, 1001])
def test_the_limit_stops_both_at_the_same_instruction(limit: int) -> None:
    one = program("li x5, 1", "spin: addi x6, x6, 1", "bnez x5, spin", "halt")
    messages = []
    for readable in (False, True):
        machine = Machine(one)
        with pytest.raises(LimitError) as stopped:
            simulate(
                machine, SHIPPED["classroom"], limit=limit, engine_after=None if readable else 0
            )
        messages.append((str(stopped.value), machine.registers[6]))
    assert messages[0] == messages[1]


@pytest.mark.parametrize(
    "access", ["ld x7, 64(x5)", "sd x7, 64(x5)", "vld v1, 8(x5)", "vst v1, 8(x5)"]
)
def test_a_fault_names_the_instruction_that_made_it(access: str) -> None:
    one = program(
        ".data a, i64, 1, 2",
        "la x5, a",
        "add x6, x5, x5",
        "ld x7, 8(x5)",
        access,
        "halt",
    )
    messages = []
    for readable in (False, True):
        with pytest.raises(InputError) as fault:
            simulate(Machine(one), SHIPPED["classroom"], engine_after=None if readable else 0)
        messages.append(str(fault.value))
    assert messages[0] == messages[1]
    assert "test.s:5:" in messages[0]


def text_of(one: Program, core: Core) -> str:
    machine = Machine(one)
    pipeline = Pipeline(one, core, make_predictor("gshare"))
    return Engine(machine, pipeline, DataflowLimit(core), None).text()


def test_nothing_that_a_user_named_is_in_the_generated_code() -> None:
    one = program(
        ".equ evil_constant, 5",
        ".data evil_array, i64, 1",
        "evil_label: la x5, evil_array",
        "ld x6, (x5)",
        "addi x6, x6, evil_constant",
        "halt",
    )
    code = text_of(one, SHIPPED["classroom"])
    assert "evil" not in code
    names = {node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)}
    own = {"objects", "state", "block", "number", "executed", "budget"}
    assert all(name in own or re.fullmatch(r"[ks]\d+|[a-z_]+_\d+", name) for name in names)
    texts = {
        node.value
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    assert texts <= {"i64", "f64", "i32", "u32", "any", "<q", "<d", "<i", "<I"}


def test_figures_are_folded_into_the_code() -> None:
    one = program("add x5, x5, x6", "halt")
    assert text_of(one, SHIPPED["classroom"]) != text_of(one, SHIPPED["golden-cove"])


def outside_the_language(values: list[int]) -> int:
    for value in values:
        if value:
            return value
    return 0


def test_a_rule_that_it_does_not_understand_is_an_error_when_it_is_built() -> None:
    with pytest.raises(Unsupported, match="return in a loop"):
        Specialiser(frozenset()).inline(outside_the_language, {"values": Known((1, 2))})
