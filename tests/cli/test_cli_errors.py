"""Wrong usage: one clear message on standard error, the documented code, never a traceback."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from simulator.cli.main import main

ROOT = Path(__file__).resolve().parent.parent.parent

CASES = [
    (["comapre"], 2, "unknown COMMAND 'comapre'; did you mean 'compare'?"),
    (["compare"], 2, "required: KERNEL"),
    (["compare", "spgem"], 2, "no kernel is named 'spgem'; did you mean 'spgemm'?"),
    (["compare", "spgemm", "--sampel", "3"], 2, "unrecognized arguments"),
    (["compare", "spgemm", "--core", "golden"], 2, "no core is named 'golden'"),
    (["compare", "spgemm", "--core", "golden-cov"], 2, "did you mean 'golden-cove'?"),
    (["compare", "spgemm", "--core", "missing.toml"], 2, "missing.toml: No such file"),
    (["compare", "spgemm", "--predictor", "gshar"], 2, "did you mean 'gshare'?"),
    (["compare", "spgemm", "--variants", "selct"], 2, "did you mean 'select'?"),
    (["compare", "spgemm", "--variants", "select,select"], 2, "named twice"),
    (["compare", "spgemm", "--lanes", "3"], 2, "--lanes takes 2, 4, 8 or 16, not '3'"),
    (["compare", "spgemm", "--lanes", "four"], 2, "--lanes takes 2, 4, 8 or 16, not 'four'"),
    (["compare", "spgemm", "--set", "rob"], 2, "--set takes FIELD=VALUE"),
    (["compare", "spgemm", "--set", "rbo=3"], 2, "did you mean 'rob'?"),
    (["compare", "spgemm", "--set", "rob=0"], 2, "not a whole number from 1"),
    (["compare", "spgemm", "--sample", "few"], 2, "'auto', 'all' or a number"),
    (["compare", "spgemm", "--seed", "-1"], 2, "--seed takes a whole number from 0"),
    (["compare", "spgemm", "--max-instructions", "x"], 2, "whole number from 1"),
    (["compare", "spgemm", "--data", "nowhere.mtx"], 2, "nowhere.mtx"),
    (["compare", "spgemm", "--data", "Trefethen_30"], 2, "did you mean 'Trefethen_300'?"),
    (["compare", "spgemm", "--data", str(ROOT)], 2, "is a directory"),
    (["compare", "spgemm", "--data", str(ROOT / "README.md")], 2, "README.md"),
    (["compare", "spgemm", "--data", "random:9:0.5"], 2, "takes matrices"),
    (["compare", "spgemm", "--data", "random:9x8:0.5"], 2, "as many columns in B as rows in C"),
    (["compare", "spdot", "--data", "random:9x8:0.5"], 2, "takes vectors"),
    (["compare", "spdot", "--data", "a", "b", "c"], 2, "takes 2 operands"),
    (["compare", "spgemm", "--data", "random:3x3"], 2, "random:DIMS:DENSITY"),
    (["compare", "spgemm", "--max-instructions", "10"], 3, "take smaller data or a sample"),
    (["run", "nofile.s"], 2, "nofile.s: No such file"),
    (["run", "spgemm:dual"], 2, "no variant is named 'dual'"),
    (["run", "spgemm", "--array", "a=1"], 2, "for assembly files"),
    (["list", "kernel"], 2, "did you mean 'kernels'?"),
    (["asm", str(ROOT)], 2, "is a directory"),
]


@pytest.mark.parametrize(("arguments", "code", "message"), CASES, ids=lambda v: str(v)[:50])
def test_bad_usage_gets_one_message_and_its_code(
    arguments: list[str], code: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == code
    captured = capsys.readouterr()
    assert captured.out == ""
    assert message in captured.err
    assert captured.err.startswith("lanewise: ")
    assert "Traceback" not in captured.err


FIVE_ERRORS = """\
start:
    vadd v1, x3, v2
    ad   x1, x2, x3
    ld   x1, 8(x5, x6*3)
    beq  x1, x2, strat
    slli x1, x2, 64
    halt
"""


def test_an_assembly_file_with_five_errors_gets_five_messages(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "five.s"
    path.write_text(FIVE_ERRORS)
    assert main(["run", str(path)]) == 2
    err = capsys.readouterr().err
    for place in ("2:14", "3:5", "4:23", "5:18", "6:18"):
        assert f"five.s:{place}: " in err
    assert "5 errors in" in err
    assert err.count("^") == 5


def test_a_core_file_with_a_wrong_type_names_field_value_and_what_is_allowed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shipped = (ROOT / "simulator" / "cores" / "classroom.toml").read_text()
    broken = tmp_path / "broken.toml"
    broken.write_text(shipped.replace("rob = { value = 64", 'rob = { value = "many"'))
    assert main(["compare", "spgemm", "--core", str(broken)]) == 2
    err = capsys.readouterr().err
    assert "broken.toml:" in err
    assert "figures.rob: 'many' is not a whole number from 1 to 1000000" in err


def test_a_runaway_program_says_where_it_was_looping(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "loop.s"
    path.write_text("    li x1, 1\nspin:\n    addi x2, x2, 1\n    bnez x1, spin\n    halt\n")
    assert main(["run", str(path), "--max-instructions", "1000"]) == 3
    err = capsys.readouterr().err
    assert "1,000 instructions" in err
    assert "lines 3 to 4" in err
    assert "'spin'" in err


def test_a_stray_access_names_instruction_line_address_and_array(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "stray.s"
    path.write_text(".data a, i64, 1, 2\n    la x1, a\n    ld x2, 16(x1)\n    halt\n")
    assert main(["run", str(path)]) == 2
    err = capsys.readouterr().err
    assert "stray.s:3: 'ld x2, 16(x1)' loads 8 bytes at 0x" in err
    assert "nearest is 'a'" in err


def test_nothing_that_a_user_types_is_executed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    marker = tmp_path / "executed"
    code = f"__import__('pathlib').Path({str(marker)!r}).touch()"
    for arguments in (
        ["compare", code],
        ["compare", "spgemm", "--data", code],
        ["compare", "spgemm", "--set", f"rob={code}"],
        ["compare", "spgemm", "--core", code],
        ["run", f"{code}.s"],
    ):
        assert main(arguments) == 2
    text = tmp_path / "inert.s"
    text.write_text(f"    li x1, {code}\n    halt\n")
    assert main(["run", str(text)]) == 2
    capsys.readouterr()
    assert not marker.exists()


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "simulator.cli.main", *arguments]


def test_a_reader_that_goes_away_is_no_error() -> None:
    process = subprocess.Popen(
        command("list", "instructions"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT
    )
    assert process.stdout is not None
    process.stdout.close()
    _, err = process.communicate(timeout=60)
    assert err == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_output_that_cannot_be_written_is_one_message_and_code_2() -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            command("list", "instructions"),
            stdout=full,
            stderr=subprocess.PIPE,
            cwd=ROOT,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr == b"lanewise: cannot write: No space left on device\n"


def test_closed_output_is_one_message_and_code_2() -> None:
    done = subprocess.run(
        ["sh", "-c", f"{shlex.join(command('list'))} >&-"],
        stderr=subprocess.PIPE,
        cwd=ROOT,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr == b"lanewise: cannot write: standard output is closed\n"


def test_an_encoding_without_a_character_shows_an_escape() -> None:
    done = subprocess.run(
        command("run", "d\u00e9j\u00e0.s"),
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        stderr=subprocess.PIPE,
        cwd=ROOT,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr == b"lanewise: d\\xe9j\\xe0.s: No such file or directory\n"


def test_control_characters_do_not_reach_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "bad\x1b[31mname.s"]) == 2
    assert "bad\\x1b[31mname.s" in capsys.readouterr().err


def test_an_interrupt_ends_a_run_with_a_message_and_code_130(tmp_path: Path) -> None:
    path = tmp_path / "long.s"
    path.write_text("    li x1, 1\nspin:\n    bnez x1, spin\n    halt\n")
    process = subprocess.Popen(
        command("run", str(path)), stderr=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT
    )
    time.sleep(2)
    os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out == b""
    assert err == b"lanewise: interrupted\n"
