"""The structure of the code: imports point one way, pieces stay small."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("isa", "simulator", "programs")
MODULES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
MAY_IMPORT = {"isa": set(), "simulator": {"isa"}, "programs": {"isa"}}
LIBRARIES = {"isa": set(), "simulator": set(), "programs": {"numpy", "scipy"}}


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield node.module or ""


def allowed(path: Path) -> set[str]:
    relative = path.relative_to(ROOT)
    package = relative.parts[0]
    names = {package} | MAY_IMPORT[package] | LIBRARIES[package]
    if relative.parts[:2] == ("simulator", "report"):
        names |= {"rich"}
    if relative.parts[:2] == ("simulator", "cli"):
        names |= {"programs", "numpy", "rich"}
    return names


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_imports_only_what_its_package_may(path: Path) -> None:
    outside = {
        name.split(".")[0]
        for name in imports(path)
        if name.split(".")[0] not in sys.stdlib_module_names
    }
    assert outside <= allowed(path)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_only_the_command_line_imports_the_command_line(path: Path) -> None:
    if path.relative_to(ROOT).parts[:2] != ("simulator", "cli"):
        assert not [name for name in imports(path) if name.startswith("simulator.cli")]


def graph() -> dict[str, set[str]]:
    names = {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in MODULES}
    names = {name.removesuffix(".__init__"): path for name, path in names.items()}
    edges: dict[str, set[str]] = {}
    for name, path in names.items():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        found: set[str] = set()
        for node in tree.body:  # imports at the top of a module are what can form a cycle
            if isinstance(node, ast.ImportFrom) and node.module:
                found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
            elif isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
        edges[name] = found & set(names)
    return edges


def test_modules_form_no_import_cycle() -> None:
    edges = graph()
    finished: set[str] = set()

    def visit(name: str, trail: tuple[str, ...]) -> None:
        assert name not in trail, f"cycle: {' -> '.join((*trail, name))}"
        if name not in finished:
            for following in sorted(edges[name]):
                visit(following, (*trail, name))
            finished.add(name)

    for name in edges:
        visit(name, ())


@pytest.mark.parametrize("module", ["isa.assembler", "isa.interpreter", "simulator.run"])
def test_the_core_model_runs_without_numpy(module: str) -> None:
    code = f"import {module}, sys; sys.exit('numpy' in sys.modules or 'rich' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False, cwd=ROOT).returncode == 0


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_stay_under_five_hundred_lines(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 500


def test_functions_fit_a_screen() -> None:
    long = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name} ({node.end_lineno - node.lineno + 1})"
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and node.end_lineno - node.lineno + 1 > 60
    ]
    assert long == []


def test_public_functions_have_docstrings() -> None:
    bare = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
        for path in MODULES
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        and not node.name.startswith("_")
        and not ast.get_docstring(node)
    ]
    assert bare == []
