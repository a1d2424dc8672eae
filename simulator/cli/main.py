"""Entry point of the ``lanewise`` command: dispatch, exit codes, and nothing else.

Exit codes: 0 done, 1 a check failed, 2 bad usage or input, 3 a limit was reached, 130
interrupted. Results go to standard output, everything else to standard error.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module

from isa.errors import LanewiseError, printable

INTERRUPTED = 130
CANNOT_WRITE = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        # What a stream's encoding does not have is shown as an escape, not as an error.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        return _dispatch(sys.argv[1:] if arguments is None else arguments)
    except LanewiseError as error:
        _complain(str(error))
        return error.exit_code
    except KeyboardInterrupt:
        _complain("interrupted")
        return INTERRUPTED
    except MemoryError:
        _complain("out of memory; take smaller data or a smaller sample")
        return 3
    except BrokenPipeError:
        # The reader of our output has gone; nothing more can be said there.
        _drop_output()
        return 0
    except OSError as error:
        _complain(f"cannot write: {error.strerror or error}")
        _drop_output()
        return CANNOT_WRITE


def _complain(message: str) -> None:
    if sys.stderr is not None:
        print(f"lanewise: {printable(message)}", file=sys.stderr)


def _drop_output() -> None:
    """Send what is still buffered nowhere, so that the interpreter's own exit is quiet."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _dispatch(arguments: Sequence[str]) -> int:
    # A command's modules are imported only when it runs, so that help and lists are quick;
    # and within the handlers above, so that an interrupt during an import is one like any.
    parser_module = import_module("simulator.cli.parser")
    parser = parser_module.build_parser()
    options = parser.parse_args(arguments)
    if sys.stdout is None:
        raise OSError("standard output is closed")
    if options.version:
        from importlib.metadata import version  # noqa: PLC0415  # costs more than --help

        print(f"lanewise {version('lanewise')}")
        return 0
    if options.command is None:
        parser.print_help()
        return 0
    command = import_module(f"simulator.cli.{options.command}_command")
    code: int = command.execute(options)
    sys.stdout.flush()
    return code


if __name__ == "__main__":
    sys.exit(main())
