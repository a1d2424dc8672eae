"""Arguments of the commands. Importing this needs the standard library only."""

from __future__ import annotations

import argparse
from typing import Any, NoReturn

from isa.errors import InputError, nearest
from isa.interpreter import DEFAULT_INSTRUCTIONS

COMMANDS = {
    "compare": "a kernel in several forms on one core: cycles, top-down, speedup",
    "run": "one program on one core: statistics, branches, results",
    "list": "kernels, variants, cores, figures, predictors, bundled data and instructions",
    "asm": "assemble a program, report every error, print its canonical text",
}

_DATA_HELP = (
    "a Matrix Market or FROSTT file (also gzipped), a bundled matrix, or "
    "random:DIMS:DENSITY[:SEED]; one for each operand, or one for all "
    "(default: see 'lanewise list kernels')"
)


class Parser(argparse.ArgumentParser):
    """A parser that reports bad usage as `InputError`, with the nearest spelling."""

    def error(self, message: str) -> NoReturn:
        """Raise instead of printing the whole usage."""
        raise InputError(f"{message} (see '{self.prog} --help')")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        choices = action.choices
        if choices is not None and value not in choices:
            names = [str(choice) for choice in choices]
            what = action.metavar or action.dest
            raise InputError(f"unknown {what} '{value}'{nearest(str(value), names)}")


def build_parser() -> Parser:
    """Return the parser of the whole command line."""
    parser = Parser(
        prog="lanewise",
        description="Run sparse co-iteration loops on a simulated superscalar core and see why "
        "predication helps.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=Parser)
    added = {
        name: commands.add_parser(
            name, help=text, description=text.capitalize(), allow_abbrev=False
        )
        for name, text in COMMANDS.items()
    }
    _compare(added["compare"])
    _run(added["run"])
    _list(added["list"])
    _asm(added["asm"])
    return parser


def _compare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("kernel", metavar="KERNEL", help="see 'lanewise list kernels'")
    parser.add_argument("--data", metavar="SRC", nargs="+", default=[], help=_DATA_HELP)
    parser.add_argument(
        "--variants", metavar="V,V", help="forms to compare, see 'lanewise list variants'"
    )
    _machine_options(parser)
    parser.add_argument(
        "--sample",
        metavar="auto|N|all",
        default="auto",
        help="units of work to simulate: all, N drawn at random, or as many as keep it short",
    )
    parser.add_argument("--seed", metavar="N", default="0", help="seed of the sample (0)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def _run(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "program", metavar="PROGRAM", help="an assembly file (.s), or KERNEL[:VARIANT]"
    )
    parser.add_argument("--data", metavar="SRC", nargs="+", default=[], help=_DATA_HELP)
    parser.add_argument(
        "--array",
        metavar="NAME=V,V",
        action="append",
        default=[],
        help="contents of an .input or .output array of an assembly file",
    )
    parser.add_argument(
        "--zeros",
        metavar="NAME=N",
        action="append",
        default=[],
        help="length of an .input or .output array that starts as zeros",
    )
    _machine_options(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--show-engine",
        action="store_true",
        help="print the code that the fast engine would run, and run nothing",
    )


def _machine_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--core", metavar="NAME|FILE", default="golden-cove", help="core (golden-cove)"
    )
    parser.add_argument("--predictor", metavar="NAME", help="branch predictor (gshare)")
    parser.add_argument("--lanes", metavar="W", default="4", help="2, 4, 8 or 16 lanes (4)")
    parser.add_argument(
        "--set",
        metavar="K=V",
        action="append",
        default=[],
        dest="overrides",
        help="replace a figure of the core, as rob=64 or l1.latency=4",
    )
    parser.add_argument(
        "--max-instructions",
        metavar="N",
        default=str(DEFAULT_INSTRUCTIONS),
        help="give up after so many instructions of one program (1000000000)",
    )


def _list(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "topic",
        metavar="TOPIC",
        nargs="?",
        choices=["kernels", "variants", "cores", "figures", "predictors", "data", "instructions"],
        help="kernels, variants, cores, figures (of cores, for --set), predictors, data or "
        "instructions; all but instructions when left out",
    )


def _asm(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "program", metavar="PROGRAM", help="an assembly file (.s), or KERNEL[:VARIANT]"
    )
    parser.add_argument("--lanes", metavar="W", default="4", help="2, 4, 8 or 16 lanes (4)")
    parser.add_argument(
        "--check", action="store_true", help="report errors only; print nothing when right"
    )
    parser.add_argument(
        "--source",
        action="store_true",
        help="print the text as it was read, with the line numbers that reports refer to",
    )


def whole_number(option: str, text: str, low: int) -> int:
    """Read a whole number given for an option.

    Raises
    ------
    InputError
        If it is none, or less than ``low``.
    """
    try:
        value = int(text)
    except ValueError:
        value = low - 1
    if value < low:
        raise InputError(f"{option} takes a whole number from {low} on, not '{text}'")
    return value


def lane_count(text: str) -> int:
    """Read the number of lanes."""
    if text not in {"2", "4", "8", "16"}:
        raise InputError(f"--lanes takes 2, 4, 8 or 16, not '{text}'")
    return int(text)
