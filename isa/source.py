"""Lines of assembly text, with comments blanked out and columns kept."""

from __future__ import annotations

import re
from dataclasses import dataclass

from isa.diagnostics import Fault

_NEWLINE = re.compile(r"\r\n|\r|\n")
_LITERAL_OR_COMMENT = re.compile(r"'(?:\\.|[^\\'])'|(?P<block>/\*)|(?P<rest>#|;|//)")


@dataclass(frozen=True, slots=True)
class Line:
    """A line: its number from 1, its text without comments, and its whole text."""

    number: int
    code: str
    text: str

    @property
    def end(self) -> int:
        """The column just after the last character that is not blank."""
        return len(self.code.rstrip()) + 1


def split_lines(text: str) -> list[str]:
    """Split a text as an editor does; other separators, as form feeds, are blanks."""
    lines = _NEWLINE.split(text)
    return lines[:-1] if lines[-1] == "" else lines


def code_lines(source: list[str]) -> tuple[list[Line], tuple[Line, Fault] | None]:
    """Blank out comments; also return the block comment that is never closed, if any."""
    lines = []
    opened: tuple[int, int] | None = None
    for number, raw in enumerate(source):
        code, position = "", 0
        while position < len(raw):
            if opened is None:
                visible = _strip_comment(raw[position:])
                start = visible.find("/*")
                if start < 0:
                    code += visible
                    break
                opened = number, position + start + 1
                code += visible[:start] + "  "
                position += start + 2
            end = raw.find("*/", position)
            stop = len(raw) if end < 0 else end + 2
            opened = opened if end < 0 else None
            code += " " * (stop - position)
            position = stop
        lines.append(Line(number + 1, code, raw))
    if opened is None:
        return lines, None
    return lines, (lines[opened[0]], Fault(opened[1], 2, "this comment is never closed with '*/'"))


def _strip_comment(text: str) -> str:
    """Cut a line at its comment; a comment sign within a character literal is none."""
    for found in _LITERAL_OR_COMMENT.finditer(text):
        if found.lastgroup == "block":
            return text
        if found.lastgroup == "rest":
            return text[: found.start()]
    return text
