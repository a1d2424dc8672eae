r"""Tokens of assembly text, with their columns, and a cursor over them.

Numbers are decimal (``42``, ``1_000``), hexadecimal (``0x2a``) or binary (``0b101``);
``'a'`` is the code of a character, with the escapes ``\n \t \r \0 \\ \' \"``.
Doubles are decimal with a point or an exponent (``0.5``, ``1e-9``). A name starts with a
letter, ``_`` or ``.`` and goes on with these and digits. Mnemonics, directives and
register names may be written in capitals; labels, constants, aliases and arrays are what
they are spelled.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from isa.diagnostics import Fault

_TOKEN = re.compile(
    r"""
    (?P<space>\s+)
  | (?P<float>(?:[0-9]+\.[0-9]*(?:[eE][-+]?[0-9]+)?|[0-9]+[eE][-+]?[0-9]+
              |\.[0-9]+(?:[eE][-+]?[0-9]+)?)(?![\w.]))
  | (?P<number>(?:0[xX][0-9a-fA-F_]+|0[bB][01_]+|[0-9][0-9_]*)(?![\w.]))
  | (?P<char>'(?:\\.|[^\\'])')
  | (?P<name>[A-Za-z_.][A-Za-z0-9_.]*(?![\w.]))
  | (?P<symbol><<|>>|[-+*/%&|^~(){},:=!])
    """,
    re.VERBOSE,
)
_WORD = re.compile(r"[\w.]+|.", re.DOTALL)
_ESCAPES = {"n": 10, "t": 9, "r": 13, "0": 0, "\\": 92, "'": 39, '"': 34}
_DECIMAL = re.compile(r"0+[0-9_]+")
LARGEST = 1 << 128
"""Integers of this size and above are refused before anything is computed with them."""


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of text: kind, spelling, and 1-based column."""

    kind: str
    text: str
    column: int

    def fault(self, message: str) -> Fault:
        """Make an error at this token."""
        return Fault(self.column, len(self.text), message)

    @property
    def value(self) -> int:
        """The integer that a number or character token spells."""
        if self.kind == "char":
            body = self.text[1:-1]
            if not body.startswith("\\"):
                return ord(body)
            if body[1] not in _ESCAPES:
                raise self.fault(f"unknown escape {body}")
            return _ESCAPES[body[1]]
        try:
            value = int(self.text, 0)
        except ValueError:
            raise self.fault(self._why_no_number()) from None
        if value >= LARGEST:
            raise self.fault(f"'{self.text}' does not fit 64 bits")
        return value

    def _why_no_number(self) -> str:
        """Say what is wrong with digits that Python refuses."""
        if len(self.text) > 1000:
            return f"'{self.text}' does not fit 64 bits"
        if _DECIMAL.fullmatch(self.text):
            return f"'{self.text}' is not a number; a decimal has no leading zeros"
        return f"'{self.text}' is not a number; '_' stands between two digits"


def tokenize(text: str) -> tuple[list[Token], Fault | None]:
    """Split a line without comment into tokens, up to the first thing that is none."""
    tokens: list[Token] = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            return tokens, _unreadable(text, position)
        kind = match.lastgroup
        if kind is not None and kind != "space":
            tokens.append(Token(kind, match.group(), 1 + position))
        position = match.end()
    return tokens, None


def _unreadable(text: str, position: int) -> Fault:
    word = _WORD.match(text, position)
    spelled = word.group() if word else text[position]
    if spelled[0].isdigit():
        message = f"'{spelled}' is neither a number nor a name (names do not start with a digit)"
    elif spelled == "'":
        message = "a character literal is one character in single quotes, as 'a'"
    elif len(spelled) > 1:
        message = f"'{spelled}' is no name; names are of letters a to z, digits, '_' and '.'"
    else:
        message = f"unexpected character {spelled!r}"
    return Fault(1 + position, len(spelled), message)


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

    def span(self, first: int, message: str) -> Fault:
        """Make an error at the tokens from number ``first`` up to the cursor."""
        start, last = self.tokens[first], self.tokens[max(first, self.position - 1)]
        return Fault(start.column, last.column + len(last.text) - start.column, message)

    def fault(self, message: str) -> Fault:
        """Make an error at the next token, or at the end of the line."""
        token = self.current
        if token is None:
            return Fault(self.end, 1, message)
        found = "" if f"'{token.text}'" in message else f", found '{token.text}'"
        return token.fault(message + found)
