"""``lanewise asm``: assemble, report, print."""

from __future__ import annotations

import argparse

from isa.printer import print_program
from simulator.cli.machine import read_program
from simulator.cli.parser import lane_count


def execute(options: argparse.Namespace) -> int:
    """Assemble a program and print its canonical text."""
    program = read_program(options.program, lane_count(options.lanes))
    if options.source:
        for number, line in enumerate(program.source, 1):
            print(f"{number:5}  {line}".rstrip())
    elif not options.check:
        print(print_program(program), end="")
    return 0
