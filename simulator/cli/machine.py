"""What ``run`` and ``compare`` share: options of the simulated machine, programs, progress."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from isa.assembler import assemble
from isa.errors import InputError
from isa.program import Program
from programs.catalogue import KERNELS, find_kernel
from programs.variants import BASELINE, build_program, find_variant
from simulator.cli.parser import lane_count, whole_number
from simulator.core.corefile import load_core
from simulator.core.spec import Core
from simulator.predictors import DEFAULT_PREDICTOR, make_predictor

_MOST_TEXT = 1 << 24


@dataclass(frozen=True, slots=True)
class Setup:
    """The simulated machine as asked for on the command line."""

    core: Core
    predictor: str
    lanes: int
    limit: int


def read_setup(options: argparse.Namespace) -> Setup:
    """Check and read the options that describe the machine."""
    lanes = lane_count(options.lanes)
    predictor = options.predictor or DEFAULT_PREDICTOR
    make_predictor(predictor, [0])
    limit = whole_number("--max-instructions", options.max_instructions, 1)
    return Setup(load_core(options.core, options.overrides), predictor, lanes, limit)


def split_name(name: str) -> tuple[str, str] | None:
    """Split KERNEL[:VARIANT] into its parts; None for the name of a file."""
    kernel, _, variant = name.partition(":")
    if kernel not in KERNELS and (name.endswith(".s") or "/" in name or Path(name).exists()):
        return None
    return find_kernel(kernel).name, find_variant(variant or BASELINE).name


def read_program(name: str, lanes: int) -> Program:
    """Assemble a file, or a kernel in one form."""
    parts = split_name(name)
    if parts is not None:
        return build_program(*parts, lanes)
    return assemble(_read_text(name), name, lanes)


def _read_text(name: str) -> str:
    if not name:
        raise InputError("the name of a program is empty")
    path = Path(name)
    try:
        if path.is_dir():
            raise InputError(f"{name}: is a directory, and a program is a text file")
        if path.stat().st_size > _MOST_TEXT:
            raise InputError(f"{name}: larger than {_MOST_TEXT:,} bytes, which no program is")
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"{name}: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{name}: not a text file: byte {error.start} is not UTF-8") from None


@contextmanager
def progress(title: str) -> Iterator[Callable[[str, int], None]]:
    """Show simulated instructions and the time on a terminal, and nothing elsewhere.

    Gives a function that is called with what is being simulated and how many
    instructions of it are done.
    """
    if not sys.stderr.isatty():
        yield lambda _what, _done: None
        return
    from rich.console import Console  # noqa: PLC0415  # not needed when piped
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn  # noqa: PLC0415

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title)

        def show(what: str, done: int) -> None:
            bar.update(task, description=f"{what}: {done:,} instructions")

        yield show
