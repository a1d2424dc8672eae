"""Lines of indices and a value: the part that Matrix Market and FROSTT have in common.

Every entry of a file is read here, once, by one regular expression for its line, and not by
``scipy.io.mmread``. That reader ignores surplus words on a line, reads 1e310 as infinity, takes
values in pattern files, and reports the line of a fault in few cases; checks in front of it would
have to parse every word anyway, and two parsers can disagree about what a file says.
"""

from __future__ import annotations

import re
from array import array
from math import isinf
from operator import le
from typing import TYPE_CHECKING

from isa.errors import InputError
from programs.data.operand import BYTES_PER_ENTRY, counted
from programs.data.text import show

if TYPE_CHECKING:
    from isa.errors import LanewiseError
    from programs.data.text import TextFile

MAX_INDEX = 2**63 - 1

# Leading zeros are set aside, so that what is left is short enough to convert in little time.
_SIZE = rb"\+?0*([0-9]{1,19})"
_INDEX = rb"\+?0*([1-9][0-9]{0,18})"
_VALUES = {
    "real": rb"[-+]?(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[-+]?[0-9]+)?|inf(?:inity)?|nan)",
    "integer": rb"[-+]?[0-9]+",
    "unsigned-integer": rb"\+?[0-9]+",
}
_WANTED = {
    "real": "a number",
    "integer": "an integer, as the field 'integer' says",
    "unsigned-integer": "an integer of at least 0, as the field 'unsigned-integer' says",
}


class Entries:
    """Entries as read.

    Attributes
    ----------
    indices : array of int
        1-based, those of one entry after those of the other.
    values : array of float
        1.0 in a pattern.
    lines : array of int
        The line of each entry.
    """

    def __init__(self) -> None:
        self.indices = array("q")
        self.values = array("d")
        self.lines = array("q")


class Grammar:
    """The form of one line: indices within limits, then a value.

    Parameters
    ----------
    limits : tuple of int
        Largest index of each dimension; empty where a line is a value only.
    field : str
        ``real``, ``integer``, ``unsigned-integer``, or ``pattern``, which has no value (1.0).
    comment : bytes
        What a line that is only a comment begins with.
    """

    def __init__(self, limits: tuple[int, ...], field: str, comment: bytes) -> None:
        self.limits = limits
        self.field = field
        self.names = _index_names(len(limits)) + (() if field == "pattern" else ("value",))
        self._comment = comment
        # Words are separated by at least one blank, so that a match takes linear time.
        words = [_INDEX] * len(limits)
        end = rb"()\s*"
        if field != "pattern":
            words.append(rb"(" + _VALUES[field] + rb")")
            end = rb"\s*"
        form = rb"\s*" + rb"\s+".join(words) + end
        self._match = re.compile(form, re.IGNORECASE).fullmatch

    def parse(self, line: bytes) -> tuple[tuple[int, ...], float] | None:
        """Return indices (1-based) and value of a line, or None if it is not of this form."""
        match = self._match(line)
        if match is None:
            return None
        *words, last = match.groups()
        indices = tuple(map(int, words))
        if not all(map(le, indices, self.limits)):
            return None
        value = float(last) if last else 1.0
        if isinf(value) and b"i" not in last.lower():
            return None  # written as a number, and beyond the largest double
        return indices, value

    def skips(self, line: bytes) -> bool:
        """Whether the line is blank or a comment."""
        return is_skipped(line, self._comment)

    def fault(self, text: TextFile) -> InputError:
        """Return the error that says why ``parse`` does not take the current line."""
        words = text.words()
        width = len(self.names)
        if len(words) != width:
            return text.fault(
                f"expected {counted(width, 'number', 'numbers')} ({', '.join(self.names)}), "
                f"found {len(words)}",
                words[width][0] if len(words) > width else None,
            )
        for (column, word), name, limit in zip(words, self.names, self.limits, strict=False):
            message = _index_fault(word, name, limit)
            if message is not None:
                return text.fault(message, column)
        column, word = words[-1]
        if re.fullmatch(_VALUES[self.field], word, re.IGNORECASE):
            return text.fault(f"the value {show(word)} is too large for a double", column)
        return text.fault(f"{show(word)} is not {_WANTED[self.field]}", column)


def is_skipped(line: bytes, comment: bytes) -> bool:
    """Whether a line is blank or a comment, which begins with one byte."""
    return line.lstrip()[:1] in (b"", comment)


def _index_names(order: int) -> tuple[str, ...]:
    if order == 2:
        return ("row index", "column index")
    return ("index",) if order == 1 else tuple(f"index {k + 1}" for k in range(order))


def _index_fault(word: bytes, name: str, limit: int) -> str | None:
    """Return what is wrong with an index, or None."""
    match = re.fullmatch(rb"([-+]?)(0*)([1-9][0-9]*)?", word)
    if match is None or not (match[2] or match[3]):
        return f"the {name} {show(word)} is not an integer"
    sign, _, digits = match.groups()
    if digits is None:
        return f"the {name} is 0; indices start at 1 (is the file 0-based?)"
    if sign == b"-" or len(digits) > 19 or int(digits) > limit:
        return f"the {name} {show(word)} is outside 1 to {limit}"
    return None


def read_entries(text: TextFile, grammar: Grammar, *, count: int | None, max_bytes: int) -> Entries:
    """Read entries up to the end of a file.

    Parameters
    ----------
    text : TextFile
        Positioned before the first entry.
    grammar : Grammar
        The form of their lines.
    count : int or None
        How many the file says there are, if it says so.
    max_bytes : int
        Limit in bytes on what the entries of a file that does not say so may take.

    Raises
    ------
    InputError
        With the line at fault: not of the form, one entry too many, or the end too early.
    InputError
        If the limit is reached.
    """
    entries = Entries()
    indices, values, lines = entries.indices, entries.values, entries.lines
    capacity = max_bytes // BYTES_PER_ENTRY if count is None else count
    for line in text:
        record = grammar.parse(line)
        if record is None:
            if grammar.skips(line):
                continue
            raise grammar.fault(text)
        if len(values) == capacity:
            raise _surplus(text, count, max_bytes)
        indices.extend(record[0])
        values.append(record[1])
        lines.append(text.number)
    if count is not None and len(values) < count:
        wanted = counted(count, "entry", "entries")
        raise text.fault(f"expected {wanted}, found {len(values)} before the end of the file")
    return entries


def _surplus(text: TextFile, count: int | None, max_bytes: int) -> LanewiseError:
    if count is None:
        return InputError(
            f"{text.where}: the entries need more than {max_bytes:,} bytes, the limit"
        )
    return text.fault(f"expected {counted(count, 'entry', 'entries')}, found one more")


def read_sizes(text: TextFile, names: tuple[str, ...], comment: bytes) -> tuple[int, ...]:
    """Read the next line that is neither blank nor a comment: non-negative integers, by name.

    Raises
    ------
    InputError
        If there is no such line, or it has other words than one integer for each name, from
        0 to 2^63 - 1.
    """
    expected = f"{counted(len(names), 'size', 'sizes')} ({', '.join(names)})"
    for line in text:
        if not is_skipped(line, comment):
            break
    else:
        raise text.fault(f"expected a line with {expected}, found the end of the file")
    words = text.words()
    if len(words) != len(names):
        found = counted(len(words), "word", "words")
        raise text.fault(f"expected a line with {expected}, found {found}")
    sizes = []
    for (column, word), name in zip(words, names, strict=True):
        match = re.fullmatch(_SIZE, word)
        if match is None or int(match[1]) > MAX_INDEX:
            raise text.fault(
                f"the number of {name} is {show(word)}; expected an integer from 0 to 2^63 - 1",
                column,
            )
        sizes.append(int(match[1]))
    return tuple(sizes)
