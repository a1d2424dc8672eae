"""Tokens of assembly text, with their columns, and a cursor over them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from isa.diagnostics import Fault

_TOKEN = re.compile(
    r"""
    (?P<space>\s+)
  | (?P<float>(\d+\.\d*([eE][-+]?\d+)?|\d+[eE][-+]?\d+|\.\d+([eE][-+]?\d+)?)(?![\w.]))
  | (?P<number>(0[xX][0-9a-fA-F_]+|0[bB][01_]+|\d[\d_]*)(?![\w.]))
  | (?P<char>'(\\.|[^\\'])')
  | (?P<name>[A-Za-z_.][\w.]*)
  | (?P<symbol><<|>>|[-+*/%&|^~(){},:=!])
    """,
    re.VERBOSE,
)
_WORD = re.compile(r"[\w.]+|.")
_ESCAPES = {"n": 10, "t": 9, "r": 13, "0": 0, "\\": 92, "'": 39, '"': 34}
COMMENTS = ("#", ";", "//")


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of text: kind, spelling, and 1-based column."""

    kind: str
    text: str
    column: int

    @property
    def value(self) -> int:
        """The integer that a number or character token spells."""
        if self.kind == "char":
            body = self.text[1:-1]
            if not body.startswith("\\"):
                return ord(body)
            if body[1] not in _ESCAPES:
                raise Fault(self.column, len(self.text), f"unknown escape {body}")
            return _ESCAPES[body[1]]
        try:
            return int(self.text, 0)
        except ValueError:
            raise Fault(
                self.column, len(self.text), f"'{self.text[:40]}' is not a number"
            ) from None


def tokenize(text: str, column: int = 1) -> list[Token]:
    """Split a line without comment into tokens; the first character is at ``column``."""
    tokens: list[Token] = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise _unreadable(text, position, column)
        if match.lastgroup != "space":
            kind = next(k for k, v in match.groupdict().items() if v is not None)
            tokens.append(Token(kind, match.group(), column + position))
        position = match.end()
    return tokens


def _unreadable(text: str, position: int, column: int) -> Fault:
    word = _WORD.match(text, position)
    spelled = word.group() if word else text[position]
    if spelled[0].isdigit():
        message = (
            f"'{spelled[:40]}' is neither a number nor a name (names do not start with a digit)"
        )
    elif spelled == "'":
        message = "a character literal is one character in single quotes, as 'a'"
    elif spelled == "@":
        message = "unexpected '@'"
    else:
        message = f"unexpected character {spelled!r}"
    return Fault(column + position, len(spelled), message)


def strip_comment(text: str) -> str:
    """Cut a line at its comment; a comment sign within a character literal is none."""
    position = 0
    while position < len(text):
        if text[position] == "'" and re.match(r"'(\\.|[^\\'])'", text[position:]):
            position += 4 if text[position + 1] == "\\" else 3
            continue
        if text.startswith(COMMENTS, position):
            return text[:position]
        position += 1
    return text


class Cursor:
    """A position in a list of tokens; ``end`` is the column just after the last one."""

    def __init__(self, tokens: list[Token], end: int) -> None:
        self.tokens = tokens
        self.end = end
        self.position = 0

    @property
    def current(self) -> Token | None:
        """The next token, or None at the end."""
        return self.tokens[self.position] if self.position < len(self.tokens) else None

    def accept(self, text: str) -> bool:
        """Move past the next token if it is spelled so."""
        token = self.current
        if token is not None and token.text == text and token.kind != "char":
            self.position += 1
            return True
        return False

    def expect(self, text: str, purpose: str) -> None:
        """Move past the next token, which must be spelled so."""
        if not self.accept(text):
            raise self.fault(f"expected '{text}' {purpose}")

    def take(self) -> Token:
        """Move past the next token and return it; there must be one."""
        token = self.current
        if token is None:
            raise self.fault("the line ends too early")
        self.position += 1
        return token

    def finish(self) -> None:
        """Check that nothing is left."""
        if self.current is not None:
            raise self.fault(f"unexpected '{self.current.text}'")

    def fault(self, message: str) -> Fault:
        """Make an error at the next token, or at the end of the line."""
        token = self.current
        if token is None:
            return Fault(self.end, 1, message)
        found = "" if f"'{token.text}'" in message else f", found '{token.text}'"
        return Fault(token.column, len(token.text), message + found)
