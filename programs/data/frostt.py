"""The FROSTT tensor format, plain and extended, for vectors and matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from programs.data.operand import check_size, order_refusal
from programs.data.records import MAX_INDEX, Grammar, is_skipped, read_entries, read_sizes
from programs.data.text import show
from programs.data.triplets import duplicates, from_entries, operand

if TYPE_CHECKING:
    from programs.data.operand import Operand
    from programs.data.text import TextFile

_COMMENT = b"#"
_TENSOR_TOOLBOX = (b"tensor", b"sptensor", b"matrix", b"ktensor")


def is_extended(line: bytes) -> bool:
    """Whether a line is the first of an extended FROSTT file, although it is a comment."""
    return line.lower().lstrip(b"# \t").startswith(b"extended frostt") and line.lstrip()[:1] == b"#"


def read_frostt(text: TextFile, name: str, max_bytes: int) -> Operand:
    """Read a FROSTT file: plain, or extended if its first line says so.

    Parameters
    ----------
    text : TextFile
        At its first line.
    name : str
        Of the operand.
    max_bytes : int
        Limit in bytes on the row pointers and on the entries.

    Raises
    ------
    InputError
        With path and line of whatever is not of the format, and for orders above 2.
    InputError
        If the sizes are beyond the limit.
    """
    if text.words()[0][1].lower() in _TENSOR_TOOLBOX:
        raise text.fault(
            f"{show(text.line.strip())} begins a file in the Tensor Toolbox (pyttb) dialect, which "
            "is not read; expected lines of 1-based indices and a value"
        )
    if is_extended(text.line):
        return _read_extended(text, name, max_bytes)
    return _read_plain(text, name, max_bytes)


def _read_extended(text: TextFile, name: str, max_bytes: int) -> Operand:
    order, count = read_sizes(text, ("dimensions", "entries"), _COMMENT)
    if order not in (1, 2):
        raise text.fault(order_refusal(order))
    shape = read_sizes(text, ("elements",) if order == 1 else ("rows", "columns"), _COMMENT)
    rows = shape[0] if order == 2 else 1
    check_size(text.where, rows=rows, entries=count, max_bytes=max_bytes)
    grammar = Grammar(shape, "real", _COMMENT)
    entries = read_entries(text, grammar, count=count, max_bytes=max_bytes)
    listed = from_entries(entries, order)
    stored = listed.summed()
    return operand(name, shape, stored, duplicates(listed, stored))


def _read_plain(text: TextFile, name: str, max_bytes: int) -> Operand:
    text.unread()
    order = _plain_order(text)
    text.unread()
    grammar = Grammar((MAX_INDEX,) * order, "real", _COMMENT)
    entries = read_entries(text, grammar, count=None, max_bytes=max_bytes)
    shape = tuple(max(entries.indices[k::order]) for k in range(order))
    if order == 2:
        text.number = entries.lines[entries.indices[::2].index(shape[0])]
        check_size(text.where, rows=shape[0], entries=0, max_bytes=max_bytes)
    listed = from_entries(entries, order)
    stored = listed.summed()
    note = f"took the size {' x '.join(map(str, shape))} from the largest indices"
    return operand(name, shape, stored, (note, *duplicates(listed, stored)))


def _plain_order(text: TextFile) -> int:
    """Advance to the first entry; return its number of indices."""
    for line in text:
        if not is_skipped(line, _COMMENT):
            break
    else:
        raise text.fault("expected entries, found comments only; the order is unknown")
    order = len(text.words()) - 1
    if order == 0:
        raise text.fault("expected indices and a value, found 1 word")
    grammar = Grammar((MAX_INDEX,) * order, "real", _COMMENT)
    if grammar.parse(line) is None:
        raise grammar.fault(text)
    if order > 2:
        raise text.fault(order_refusal(order))
    return order
