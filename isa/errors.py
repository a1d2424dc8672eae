"""The errors a user can cause, one class for each exit code.

Every other exception is a defect of Lanewise itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class LanewiseError(Exception):
    """Base of all errors that are reported as a message, never as a traceback."""

    exit_code = 2


class CheckError(LanewiseError):
    """A check failed: a wrong result, or two programs that are not equivalent."""

    exit_code = 1


class InputError(LanewiseError):
    """Bad usage or bad input: a file, a name, a value."""

    exit_code = 2


class LimitError(LanewiseError):
    """A limit on instructions, memory or time was reached."""

    exit_code = 3


def printable(text: str) -> str:
    """Return a text that a terminal can show: control characters become escapes.

    Names of files and in files may hold anything; line ends stay.
    """
    return "".join(
        character if character.isprintable() or character == "\n" else ascii(character)[1:-1]
        for character in text
    )


def nearest(given: str, known: Iterable[str]) -> str:
    """Return the phrase that helps a mistyped name: the nearest one, else all of them.

    ``known`` should be short enough to print; the phrase starts with a separator so
    that it can follow any message.
    """
    names = sorted(known)
    close = get_close_matches(given, names, n=1, cutoff=0.6)
    if not close:
        lowered = {name.lower(): name for name in names}
        close = [
            lowered[match] for match in get_close_matches(given.lower(), lowered, n=1, cutoff=0.6)
        ]
    if close:
        return f"; did you mean '{close[0]}'?"
    if 0 < len(names) <= 12:
        return f"; known: {', '.join(names)}"
    return ""
