"""The shipped texts: their looks, and which registers a form may use."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest
from kernel_runs import FORMS, LANES, build

from isa.operands import REGISTER_NUMBERS
from isa.program import Dataflow
from programs.catalogue import KERNELS
from programs.variants import VARIANTS, program_text

TEXTS = {
    f"{folder}/{path.name}": path.read_text(encoding="utf-8")
    for folder in ("kernels", "forms")
    for path in (files("programs") / folder).iterdir()
    if path.name.endswith(".s")
}
FORM_FILES = sorted({text for variant in VARIANTS.values() for text in variant.texts})
REGISTERS = TEXTS["forms/registers.s"]
ALIASES = dict(re.findall(r"^\.reg (\w+), +(\w+)", REGISTERS, re.MULTILINE))
TEMPORARY = set(re.findall(r"^\.reg (\w+), .*# temporary", REGISTERS, re.MULTILINE))
GIVEN = {"b_crd", "b_val", "c_crd", "c_val", "p", "p_end", "q", "q_end", "acc", "zero"}
RESULTS = {"p", "q", "acc"}
ANY_FORM_MAY_WRITE = {
    REGISTER_NUMBERS[name]
    for name in (
        *(f"f{number}" for number in range(8, 32)),
        *(f"v{number}" for number in range(32)),
        *(f"p{number}" for number in range(8)),
    )
}


def numbers(aliases: set[str]) -> set[int]:
    return {REGISTER_NUMBERS[ALIASES[alias]] for alias in aliases}


def split(kernel: str, form: str, lanes: int) -> tuple[list[Dataflow], list[Dataflow]]:
    """Return what the instructions of the form and those of the kernel read and write."""
    lines = program_text(kernel, form).splitlines()
    inner = [
        line for text in VARIANTS[form].texts for line in TEXTS[f"forms/{text}.s"].splitlines()
    ]
    first = next(at for at in range(len(lines)) if lines[at : at + len(inner)] == inner) + 1
    program = build(kernel, form, lanes)
    inside: list[Dataflow] = []
    outside: list[Dataflow] = []
    for instruction, flow in zip(program.instructions, program.dataflow, strict=True):
        within = first <= instruction.line < first + len(inner)
        (inside if within else outside).append(flow)
    return inside, outside


def reads(flows: list[Dataflow]) -> set[int]:
    return {register for flow in flows for register in (*flow.reads, *flow.address)}


def writes(flows: list[Dataflow]) -> set[int]:
    return {register for flow in flows for register in flow.writes}


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_says_what_it_is_and_fits_the_page(name: str) -> None:
    text = TEXTS[name]
    header = text.split("\n", 1)[0]
    stem = name.split("/")[1].removesuffix(".s").replace("dual-", "dual:")
    assert header.startswith("# ")
    assert name == "forms/registers.s" or header.startswith(f"# {stem}: ")
    assert max(map(len, text.splitlines())) <= 100
    assert text.isascii()
    assert text.endswith("\n")
    assert "\t" not in text
    assert not re.search(r" $", text, re.MULTILINE)


def test_every_text_is_used() -> None:
    assert set(TEXTS) == {
        "forms/registers.s",
        *(f"kernels/{kernel}.s" for kernel in KERNELS),
        *(f"forms/{form}.s" for form in FORM_FILES),
    }


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("form", FORMS)
def test_a_program_is_its_kernel_with_the_form_in_it(kernel: str, form: str) -> None:
    before, after = TEXTS[f"kernels/{kernel}.s"].split("    .coiterate\n")
    inner = "".join(TEXTS[f"forms/{text}.s"] for text in VARIANTS[form].texts)
    assert program_text(kernel, form) == f"{REGISTERS}\n{before}{inner}{after}"


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("lanes", LANES)
def test_every_program_is_assembled_at_every_width(kernel: str, form: str, lanes: int) -> None:
    program = build(kernel, form, lanes)
    assert program.name == f"{kernel}:{form}"
    assert program.lanes == lanes
    assert {"unit", "step", "done"} <= set(program.label_numbers)
    assert [array.name for array in program.arrays if array.role == "input"] == [
        f"{spec.name.upper()}_{part}"
        for spec in KERNELS[kernel].operands
        for part in (("crd", "val") if spec.order == 1 else ("pos", "crd", "val"))
    ]


def test_every_register_is_given_or_temporary() -> None:
    assert set(ALIASES) == GIVEN | TEMPORARY
    assert not GIVEN & TEMPORARY
    assert len(set(ALIASES.values())) == len(ALIASES)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("lanes", LANES)
def test_a_form_writes_its_temporaries_and_results_only(kernel: str, form: str, lanes: int) -> None:
    inside, outside = split(kernel, form, lanes)
    assert numbers(RESULTS) <= writes(inside)
    assert writes(inside) <= numbers(TEMPORARY | RESULTS) | ANY_FORM_MAY_WRITE
    assert writes(inside) & (reads(outside) | writes(outside)) <= numbers(RESULTS)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("lanes", LANES)
def test_a_form_reads_what_it_is_given_or_has_written(kernel: str, form: str, lanes: int) -> None:
    inside, outside = split(kernel, form, lanes)
    written: set[int] = set()
    for flow in inside:  # in the order of the text, in which nothing is written behind its use
        assert reads([flow]) <= numbers(GIVEN) | written
        written |= set(flow.writes)
    assert numbers(GIVEN) <= writes(outside)
