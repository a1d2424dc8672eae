"""The table is consistent, and the reference page is what it generates."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from isa.assembler import assemble
from isa.interpreter import Machine
from isa.opclasses import CLASSES
from isa.operands import SINK
from isa.printer import print_program
from isa.reference import main, render
from isa.spec import Spec, instruction
from isa.table import TABLE, Kind
from isa.values import Ints, Lanes, Mask, blend, wrap

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "reference" / "instructions.md"


@pytest.mark.parametrize("spec", TABLE.values(), ids=TABLE)
def test_an_entry_is_complete(spec: Spec) -> None:
    assert spec.opclass in CLASSES
    assert re.fullmatch(r"[A-Z0-9a-z].*[.)]", " ".join(spec.doc.split()))
    assert (spec.access is not None) == (spec.kind in {Kind.LOAD, Kind.STORE})
    names = [operand.name for operand in spec.operands]
    assert len(set(names)) == len(names)
    if spec.access is not None:
        assert spec.access.masked == ("pg" in names)
        assert spec.access.indexed == ("vmem" in names)
        assert spec.access.size == (4 if spec.access.element in {"i32", "u32"} else 8)


def test_every_operation_class_has_an_instruction() -> None:
    assert {spec.opclass for spec in TABLE.values()} == set(CLASSES)


def test_an_instruction_cannot_be_declared_twice() -> None:
    before = dict(TABLE)
    with pytest.raises(ValueError, match="instruction 'add' is declared twice"):
        instruction("add", "xd, xa, xb", "int.alu")(lambda a, b: a + b)
    assert before == TABLE


@pytest.fixture
def triple() -> Iterator[Spec]:
    """An instruction of our own, in the table for the length of a test."""

    @instruction("triple", "vd!, pg, va", "vec.int.mul")
    def triple(old: Ints, g: Mask, a: Ints) -> Lanes:
        """Three times va where pg is active, else keep vd."""
        return blend(g, tuple([wrap(3 * lane) for lane in a]), old)

    yield TABLE["triple"]
    del TABLE["triple"]


def test_a_new_instruction_is_one_entry_and_nothing_else(triple: Spec) -> None:
    program = assemble("li x1, 5\npmv.p.x p1, x1\ntriple v1, p1, v2\nhalt")
    machine = Machine(program)
    machine.registers[64 + 1] = (-1, -2, -3, -4)
    machine.registers[64 + 2] = (1, 2, 2**62, 4)
    machine.run()
    assert machine.registers[64 + 1] == (3, -2, -(2**62), -4)
    assert program.dataflow[2].reads == (64 + 1, 96 + 1, 64 + 2)
    assert program.dataflow[2].writes == (64 + 1,)
    assert assemble(print_program(program)) == program
    assert f"| `triple vd, pg, va` | vd, pg, va | vd | `vec.int.mul` | {triple.doc} |" in render()


@pytest.mark.parametrize(
    ("text", "reads", "address", "writes"),
    [
        ("add x5, x6, x7", (6, 7), (), (5,)),
        ("add x0, x6, x0", (6, 0), (), (SINK,)),
        ("sd x5, 8(x6, x7*8)", (5,), (6, 7), ()),
        ("ld x5, (x6)", (), (6,), (5,)),
        ("vgather v1, p2, (x6, v3*8)", (65, 98), (6, 67), (65,)),
        ("vscatter v1, p2, (x6, v3*8)", (65, 98), (6, 67), ()),
        ("vldz v1, p2, (x6)", (98,), (6,), (65,)),
        ("vldm v1, p2, (x6)", (65, 98), (6,), (65,)),
        ("vbuild v1, x5", (5, 6, 7, 8), (), (65,)),
        ("vintersect p1, p2, v3, v4", (67, 68), (), (97, 98)),
        ("call here", (), (), (1,)),
        ("ret", (1,), (), ()),
        ("jr x5", (5,), (), ()),
        ("bltu x5, x6, here", (5, 6), (), ()),
        ("halt", (), (), ()),
    ],
)
def test_dataflow_names_the_registers_read_and_written(
    text: str, reads: tuple[int, ...], address: tuple[int, ...], writes: tuple[int, ...]
) -> None:
    flow = assemble(f"here: {text}\nhalt").dataflow[0]
    assert (flow.reads, flow.address, flow.writes) == (reads, address, writes)


def test_the_committed_page_is_the_generated_one() -> None:
    assert PAGE.read_text(encoding="utf-8") == render(), (
        "regenerate it: python -m isa.reference --write docs/reference/instructions.md"
    )


def test_the_page_has_every_instruction_and_every_class_once() -> None:
    page = render()
    instructions, classes = page.split("\n## ")[-2:]
    first_cell = re.compile(r"^\| `([a-z0-9._]+)[ `]", re.MULTILINE)
    assert first_cell.findall(instructions) == list(TABLE)
    assert first_cell.findall(classes) == list(CLASSES)
    for spec in TABLE.values():
        assert " ".join(spec.doc.split()) in page


def test_the_page_is_printed_or_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main([])
    assert capsys.readouterr().out == render()
    main(["--write", str(tmp_path / "page.md")])
    assert (tmp_path / "page.md").read_text(encoding="utf-8") == render()
    assert capsys.readouterr().out == ""


def test_the_page_is_generated_by_the_command_that_it_names() -> None:
    command = [sys.executable, "-m", "isa.reference"]
    printed = subprocess.run(command, check=True, capture_output=True, cwd=ROOT)
    assert printed.stdout.decode() == render()
