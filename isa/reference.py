"""The reference page of the instruction set, generated from the table.

``python -m isa.reference`` prints it, ``--write PATH`` writes it to a file. The page is
Markdown; the explanations are the docstrings of the table's entries and of the modules
that carry out what they explain.
"""

from __future__ import annotations

import argparse
import inspect
import re
import sys
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from types import ModuleType

from isa import arguments, assembler, expressions, lexer, memory, values
from isa.opclasses import CLASSES
from isa.operands import RETURN_ADDRESS
from isa.spec import TABLE, Kind, Spec

_INTRODUCTION = """\
# Instruction reference

*Generated from the instruction table by `python -m isa.reference`; do not edit.*

The machine has 32 integer registers `x0` to `x31` (`x0` is always 0), 32 double registers
`f0` to `f31`, 32 vector registers `v0` to `v31` of W lanes, and 8 predicate registers `p0`
to `p7` of W bits. W is 2, 4, 8 or 16 and the same for the whole program. All registers are
0 when a program starts.
"""


def render() -> str:
    """Return the whole page."""
    families = [
        (_module_text(name), list(specs))
        for name, specs in groupby(TABLE.values(), key=lambda spec: spec.meaning.__module__)
    ]
    sections = [
        _INTRODUCTION,
        "## Values\n",
        _prose(values),
        "## Memory\n",
        _prose(memory),
        "## Assembly text\n",
        "### Statements\n",
        _prose(assembler),
        "### Names and constants\n",
        _prose(lexer),
        "### Constant expressions\n",
        _prose(expressions),
        "### Operands\n",
        _prose(arguments),
        "## Instructions\n",
        *(_family(text, specs) for text, specs in families),
        "## Operation classes\n",
        _classes(),
    ]
    return "\n".join(sections)


def _module_text(name: str) -> str:
    return inspect.getdoc(sys.modules[name]) or ""


def _prose(module: ModuleType) -> str:
    """Return a module's explanation; its first line says what the module does, not what is so."""
    _, _, explanation = _module_text(module.__name__).partition("\n")
    return to_markdown(explanation.strip())


def _family(text: str, specs: list[Spec]) -> str:
    """Return the section of one family: the first line of its module is the title."""
    title, _, rest = text.partition("\n")
    rows = [("Instruction", "Reads", "Writes", "Class", "Meaning")]
    rows += [
        (f"`{_syntax(spec)}`", _reads(spec), _writes(spec), f"`{spec.opclass}`", _meaning(spec))
        for spec in specs
    ]
    explanation = to_markdown(rest.strip()) + "\n" if rest.strip() else ""
    return f"### {title.rstrip('.')}\n\n{explanation}{_table(rows)}"


def _syntax(spec: Spec) -> str:
    return f"{spec.mnemonic} {arguments.shown_signature(spec)}".rstrip()


def _meaning(spec: Spec) -> str:
    return " ".join(spec.doc.split())


def _reads(spec: Spec) -> str:
    """Name the registers read, those of an address included."""
    names = [operand.name + "*" * operand.group for operand in spec.operands if operand.read]
    for operand in spec.operands:
        if operand.kind == "mem":
            names += ["base", "index"]
        elif operand.kind == "vmem":
            names += ["base", "vindex"]
    if spec.kind is Kind.INDIRECT and not names:
        names.append(f"x{RETURN_ADDRESS}")
    return ", ".join(names)


def _writes(spec: Spec) -> str:
    names = [operand.name for operand in spec.operands if operand.written]
    if spec.kind is Kind.CALL:
        names.append(f"x{RETURN_ADDRESS}")
    return ", ".join(names)


def _classes() -> str:
    """Return the table of operation classes with the instructions in each."""
    members: dict[str, list[str]] = {name: [] for name in CLASSES}
    for spec in TABLE.values():
        members[spec.opclass].append(f"`{spec.mnemonic}`")
    rows = [("Class", "What it is", "Instructions")]
    rows += [(f"`{name}`", text, ", ".join(members[name])) for name, text in CLASSES.items()]
    return "A core file gives each class its cost.\n\n" + _table(rows)


def _table(rows: Iterable[tuple[str, ...]]) -> str:
    """Return rows as a Markdown table; the first one is the head."""
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    columns = lines[0].count(" | ") + 1
    lines.insert(1, "|" + " --- |" * columns)
    return "\n".join(lines) + "\n"


def to_markdown(text: str) -> str:
    """Turn the reStructuredText that the docstrings use into Markdown.

    That is: inline literals, literal blocks after ``::``, simple tables, and paragraphs
    and lists, which are the same in both.
    """
    return "\n".join(_blocks(text.splitlines())) + "\n"


def _blocks(lines: list[str]) -> Iterator[str]:
    """Yield Markdown, one line or block at a time."""
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if line.startswith("==="):
            end = max(i for i, other in enumerate(lines) if other.startswith("==="))
            yield _simple_table(lines[at - 1 : end])
            at = end + 1
        elif line.endswith("::"):
            end = next((i for i in range(at + 1, len(lines)) if lines[i][:1].strip()), len(lines))
            block = inspect.cleandoc("\n" + "\n".join(lines[at:end]))
            yield f"{_inline(line[:-1])}\n\n```text\n{block}\n```\n"
            at = end
        else:
            yield _inline(line)


def _simple_table(lines: list[str]) -> str:
    """Turn a simple table, without its last rule, into a Markdown table."""
    starts = [match.start() for match in re.finditer("=+", lines[0])]
    rows: list[list[str]] = []
    for line in lines[1:]:
        if line.startswith("==="):
            continue
        cells = [
            line[first:last].strip()
            for first, last in zip(starts, [*starts[1:], None], strict=True)
        ]
        if cells[0]:
            rows.append(cells)
        else:  # the row goes on
            rows[-1] = [f"{old} {new}".strip() for old, new in zip(rows[-1], cells, strict=True)]
    return _table(tuple(_inline(cell) for cell in row) for row in rows).rstrip()


def _inline(text: str) -> str:
    return text.replace("``", "`")


def main(given: list[str] | None = None) -> None:
    """Print the page or write it to a file."""
    parser = argparse.ArgumentParser(prog="python -m isa.reference", description=__doc__)
    parser.add_argument("--write", metavar="PATH", type=Path, help="write to a file instead")
    path = parser.parse_args(given).write
    if path is None:
        sys.stdout.write(render())
    else:
        path.write_text(render(), encoding="utf-8")


if __name__ == "__main__":
    main()
