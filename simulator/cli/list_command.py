"""``lanewise list``: what there is, without loading any of it."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator

from isa.table import TABLE
from programs.catalogue import KERNELS
from programs.data import bundled
from programs.variants import VARIANTS
from simulator.core.corefile import core_names, core_title
from simulator.core.figures import FIGURES
from simulator.predictors import PREDICTORS

Rows = Iterator[tuple[str, str]]


def _kernels() -> Rows:
    for kernel in KERNELS.values():
        formats = ", ".join(f"{o.name} {o.format}" for o in kernel.operands)
        default = " ".join(kernel.default_data)
        yield (
            kernel.name,
            f"{kernel.expression}; {formats}; loops {kernel.loops}; default data {default}",
        )


def _variants() -> Rows:
    for variant in VARIANTS.values():
        yield variant.name, variant.summary


def _cores() -> Rows:
    for name in core_names():
        yield name, core_title(name)


def _figures() -> Rows:
    for name, figure in FIGURES.items():
        yield name, f"{figure.meaning}; {figure.unit}, {figure.low} to {figure.high}"


def _predictors() -> Rows:
    for name, entry in PREDICTORS.items():
        yield name, f"{entry.summary} ({entry.source})"


def _data() -> Rows:
    for name, matrix in bundled().items():
        shape = "x".join(map(str, matrix.shape))
        yield name, f"{shape}, {matrix.nnz} entries; {matrix.description}"


def _instructions() -> Rows:
    for spec in TABLE.values():
        meaning = spec.doc.splitlines()[0]
        yield f"{spec.mnemonic} {spec.signature}".strip(), f"{meaning} [{spec.opclass}]"


_TOPICS: dict[str, Callable[[], Rows]] = {
    "kernels": _kernels,
    "variants": _variants,
    "cores": _cores,
    "figures": _figures,
    "predictors": _predictors,
    "data": _data,
    "instructions": _instructions,
}


def execute(options: argparse.Namespace) -> int:
    """Print one list, or all but the long one."""
    topics = [options.topic] if options.topic else [t for t in _TOPICS if t != "instructions"]
    for number, topic in enumerate(topics):
        if len(topics) > 1:
            print(f"{chr(10) if number else ''}{topic}:")
        rows = list(_TOPICS[topic]())
        width = max(len(name) for name, _ in rows)
        for name, text in rows:
            first, *more = _wrapped(text, 96 - width)
            print(f"  {name:<{width}}  {first}")
            for line in more:
                print(f"  {'':<{width}}  {line}")
    if not options.topic:
        print(f"\ninstructions: {len(TABLE)}; see 'lanewise list instructions'")
    return 0


def _wrapped(text: str, width: int) -> list[str]:
    """Break a text into lines at spaces."""
    lines = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else word
    return lines
