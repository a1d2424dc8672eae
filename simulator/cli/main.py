"""Entry point of the ``lanewise`` command: dispatch, exit codes, and nothing else.

Exit codes: 0 done, 1 a check failed, 2 bad usage or input, 3 a limit was reached, 130
interrupted. Results go to standard output, everything else to standard error.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module

from isa.errors import LanewiseError
from simulator.cli.parser import build_parser

INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return its exit code."""
    try:
        return _dispatch(sys.argv[1:] if arguments is None else arguments)
    except LanewiseError as error:
        print(f"lanewise: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("lanewise: interrupted", file=sys.stderr)
        return INTERRUPTED
    except MemoryError:
        print("lanewise: out of memory; take smaller data or a smaller sample", file=sys.stderr)
        return 3
    except BrokenPipeError:
        # The reader of our output has gone; nothing more can be said there.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _dispatch(arguments: Sequence[str]) -> int:
    parser = build_parser()
    options = parser.parse_args(arguments)
    if options.version:
        from importlib.metadata import version  # noqa: PLC0415  # costs more than --help

        print(f"lanewise {version('lanewise')}")
        return 0
    if options.command is None:
        parser.print_help()
        return 0
    # A command's module is imported only when it runs, so that help and lists are quick.
    command = import_module(f"simulator.cli.{options.command}_command")
    code: int = command.execute(options)
    sys.stdout.flush()
    return code


if __name__ == "__main__":
    sys.exit(main())
