"""Every command and output shown in the documentation is run.

In a ``console`` block, a line that starts with ``$ `` is a command from the repository's
root; what follows is its standard output, where a line ``...`` stands for anything.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from simulator.cli.main import main

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def sessions() -> list[tuple[str, str, str]]:
    found = []
    for page in PAGES:
        for block in re.findall(r"```console\n(.*?)```", page.read_text("utf-8"), re.DOTALL):
            for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                command, _, output = part.partition("\n")
                found.append((page.name, command, output))
    return found


def matches(shown: str, printed: str) -> bool:
    pattern = "".join(
        ".*" if line == "..." else re.escape(line) + r"\s*\n" for line in shown.strip().splitlines()
    )
    return re.fullmatch(pattern, printed, re.DOTALL) is not None


@pytest.mark.parametrize(("page", "command", "shown"), sessions())
def test_a_shown_command_prints_what_is_shown(
    page: str,
    command: str,
    shown: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(ROOT)
    words = shlex.split(command)
    assert words[0] == "lanewise", f"{page}: only our own command can be checked"
    assert main(words[1:]) == 0
    printed = capsys.readouterr().out
    assert matches(shown, printed), f"{page}: $ {command}\n{printed}"


def test_the_readme_shows_real_output() -> None:
    assert [c for page, c, out in sessions() if page == "README.md" and len(out) > 1000]


def test_the_program_in_the_readme_is_the_example_file() -> None:
    block = re.search(r"```asm\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    assert block is not None
    assert block[1] == (ROOT / "docs" / "examples" / "sum.s").read_text("utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)", page.read_text("utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def test_every_deviation_names_a_test_that_exists() -> None:
    tests = "\n".join(path.read_text("utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    text = (ROOT / "docs" / "deviations.md").read_text("utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| ") and "`test_" in line]
    assert len(rows) >= 5
    for name in re.findall(r"`(test_\w+)`", text):
        assert f"def {name}(" in tests, name
