"""``run``, ``list``, ``asm``, and how quickly the command line answers."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from isa.assembler import assemble
from isa.printer import print_program
from isa.table import TABLE
from programs.catalogue import KERNELS
from programs.variants import VARIANTS, build_program
from simulator.cli.main import main
from simulator.core.figures import FIGURES
from simulator.predictors import PREDICTORS

ROOT = Path(__file__).resolve().parent.parent.parent

SUM = """\
.input a, i64
.output s, i64
    la   x1, a
    len  x2, a
    la   x5, s
loop:
    ld   x6, (x1, x3*8)
    add  x4, x4, x6
    addi x3, x3, 1
    bltu x3, x2, loop
    sd   x4, (x5)
    halt
"""


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "sum.s"
    path.write_text(SUM)
    return str(path)


def test_run_prints_statistics_branches_and_outputs(
    program: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", program, "--array", "a=1,2,0x10", "--zeros", "s=1"]) == 0
    out = capsys.readouterr().out
    assert "s = 19" in out
    assert "bltu x3, x2, loop" in out
    assert "per cycle (IPC)" in out
    assert max(map(len, out.splitlines())) <= 100


def test_run_gives_json_with_a_branch_ledger(
    program: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", program, "--array", "a=1,2,3,4", "--zeros", "s=1", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["instructions"] == 3 + 4 * 4 + 2
    ledger = document["branch_ledger"]
    assert [(b["line"], b["executed"], b["taken"]) for b in ledger] == [(10, 4, 3)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "needs data for its arrays: a, s"),
        (["--array", "b=1"], "no .input or .output 'b'"),
        (["--array", "a=1,x"], "element 2, 'x', is no number of type i64"),
        (["--array", "a=1", "--zeros", "a=1"], "given twice"),
        (["--array", "a=99999999999999999999", "--zeros", "s=1"], "does not fit"),
        (["--data", "mycielskian4"], "--data is for kernels"),
    ],
)
def test_arrays_given_wrongly_are_refused(
    program: str, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", program, *arguments]) == 2
    assert message in capsys.readouterr().err


def test_run_of_a_kernel_checks_its_result(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "spgemm:dual:111", "--data", "mycielskian3", "--lanes", "2"]) == 0
    assert "spgemm:dual:111: core golden-cove" in capsys.readouterr().out


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("kernel", KERNELS)
def test_asm_prints_text_that_assembles_to_the_same_program(
    kernel: str, variant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["asm", f"{kernel}:{variant}", "--lanes", "8"]) == 0
    text = capsys.readouterr().out
    assert print_program(assemble(text, lanes=8)) == text
    assert print_program(build_program(kernel, variant, 8)) == text


def test_asm_check_is_silent_when_all_is_right(
    program: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["asm", program, "--check"]) == 0
    captured = capsys.readouterr()
    assert captured.out == captured.err == ""


def test_list_names_everything_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list"]) == 0
    out = capsys.readouterr().out
    for name in (*KERNELS, *VARIANTS, *PREDICTORS, "golden-cove", "classroom", "Trefethen_300"):
        assert name in out
    assert main(["list", "instructions"]) == 0
    out = capsys.readouterr().out
    for name in TABLE:
        assert f"  {name}" in out
    assert max(map(len, out.splitlines())) <= 100


@pytest.mark.parametrize("arguments", [["--help"], ["compare", "--help"]])
def test_help_explains_and_ends_well(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 0
    assert "usage: lanewise" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["--help"], ["list"], ["asm", "spgemm:select"]])
def test_light_commands_load_no_heavy_library(arguments: list[str]) -> None:
    code = (
        "import sys\nfrom simulator.cli.main import main\n"
        "try:\n    main(sys.argv[1:])\nexcept SystemExit:\n    pass\n"
        "heavy = {'numpy', 'scipy', 'rich', 'hypothesis'} & set(sys.modules)\n"
        "sys.exit(str(heavy) if heavy else 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=ROOT, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_colour_is_for_terminals_only() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "simulator.cli.main", "compare", "spgemm", "--data", "mycielskian3"],
        cwd=ROOT, capture_output=True, check=True,
    )  # fmt: skip
    assert b"\x1b" not in done.stdout
    assert done.stderr == b""


def test_the_version_is_the_distribution_s(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("lanewise 0.")


def test_the_engine_s_code_can_be_read(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["run", program, "--array", "a=1", "--zeros", "s=1", "--show-engine"]
    assert main(arguments) == 0
    code = capsys.readouterr().out
    assert code.startswith("def engine(objects, state, block, executed, budget):")
    compile(code, "shown", "exec")


def test_the_source_is_shown_with_the_line_numbers_of_reports(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["asm", "spdot:dual:001", "--source"]) == 0
    lines = capsys.readouterr().out.splitlines()
    source = build_program("spdot", "dual:001", 4).source
    assert [line[7:] for line in lines] == [line.rstrip() for line in source]
    assert [int(line[:5]) for line in lines] == list(range(1, len(source) + 1))


def test_outputs_are_in_the_json(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", program, "--array", "a=1,2", "--zeros", "s=1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["outputs"] == {"s": [3]}


def test_list_figures_names_every_figure(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "figures"]) == 0
    out = capsys.readouterr().out
    assert all(f"  {name} " in out for name in FIGURES)
