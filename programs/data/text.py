"""Physical lines of a text file, plain or gzip, with positions for messages."""

from __future__ import annotations

import gzip
import re
import zlib
from contextlib import contextmanager, nullcontext
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from isa.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import BufferedReader

_BLOCK_BYTES = 1 << 16
_MAX_LINE_BYTES = 1 << 16
_GZIP_MAGIC = b"\x1f\x8b"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_WORD = re.compile(rb"\S+")


class _Readable(Protocol):
    """The part of a binary stream that is used here."""

    def read(self, size: int, /) -> bytes: ...


class TextFile:
    """An iterator over the physical lines of a file that knows where it is.

    A line ends with LF, CRLF or CR (files of old Macs), which it keeps. Loops over one
    ``TextFile`` continue where the one before stopped.

    Attributes
    ----------
    path : str
        As the user wrote it.
    number : int
        1-based number of the current line; 0 before the first.
    line : bytes
        The current line.
    """

    def __init__(self, path: str, stream: _Readable, *, max_bytes: int, compressed: bool) -> None:
        self.path = path
        self.number = 0
        self.line = b""
        self._stream = stream
        self._max_bytes = max_bytes
        self._compressed = compressed
        self._lines: Iterator[bytes] = self._split()

    def __iter__(self) -> Iterator[bytes]:
        for line in self._lines:
            self.number += 1
            self.line = line
            yield line

    def first(self) -> bytes:
        """Advance to the first line that is not blank; an empty file is an InputError."""
        for line in self:
            self.line = line.removeprefix(_BYTE_ORDER_MARK)
            if self.line.strip():
                return self.line
        raise self.fault(
            "the file holds nothing but blanks" if self.number else "the file is empty"
        )

    def unread(self) -> None:
        """Make the current line the next one again."""
        self._lines = chain([self.line], self._lines)
        self.number -= 1

    def words(self) -> list[tuple[int, bytes]]:
        """Return the words of the current line, each with its 1-based column."""
        return [(match.start() + 1, match[0]) for match in _WORD.finditer(self.line)]

    @property
    def where(self) -> str:
        """Path and number of the current line, as messages begin."""
        return f"{self.path}:{max(self.number, 1)}"

    def fault(self, message: str, column: int | None = None) -> InputError:
        """Return the error that names the current line and, where given, a column of it."""
        place = self.where if column is None else f"{self.where}:{column}"
        return InputError(f"{place}: {message}")

    def _split(self) -> Iterator[bytes]:
        rest = b""
        total = 0
        while block := self._read():
            total += len(block)
            if total > self._max_bytes:
                raise InputError(
                    f"{self.where}: the text is longer than the limit of {self._max_bytes:,} bytes"
                )
            # An unfinished line, or one that ends in a CR whose LF may follow, waits in rest.
            lines = (rest + block).splitlines(keepends=True)
            rest = b"" if lines[-1].endswith(b"\n") else lines.pop()
            yield from self._checked(lines)
            if len(rest) > _MAX_LINE_BYTES:
                self.number += 1
                raise self.fault(f"the line is longer than {_MAX_LINE_BYTES:,} bytes")
        yield from self._checked(rest.splitlines(keepends=True))

    def _checked(self, lines: list[bytes]) -> Iterator[bytes]:
        for line in lines:
            if b"\0" in line:
                self.number += 1
                raise self.fault("expected text, found a NUL byte (binary data, or UTF-16)")
            yield line

    def _read(self) -> bytes:
        try:
            return self._stream.read(_BLOCK_BYTES)
        except (OSError, EOFError, zlib.error) as error:
            what = "the gzip data are damaged" if self._compressed else "the file cannot be read"
            raise self.fault(f"{what} ({reason(error)})") from error


@contextmanager
def open_text(path: str, *, max_bytes: int) -> Iterator[TextFile]:
    """Open a text file, decompressing it if it holds gzip data, whatever its name.

    Parameters
    ----------
    path : str
        The file.
    max_bytes : int
        Limit in bytes on the decompressed text, which is read in small blocks.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    InputError
        If it is a directory, cannot be opened, or ends in ``.gz`` and is not compressed.
    """
    shown = path if path.isprintable() else repr(path)
    with _open(path, shown) as file:
        compressed = _is_gzip(shown, file)
        if not compressed and path.lower().endswith(".gz"):
            raise InputError(f"{shown}:1: the name ends in .gz, but the file is not gzip data")
        with gzip.GzipFile(fileobj=file) if compressed else nullcontext(file) as stream:
            yield TextFile(shown, stream, max_bytes=max_bytes, compressed=compressed)


def _open(path: str, shown: str) -> BufferedReader:
    try:
        return Path(path).open("rb")
    except FileNotFoundError:
        raise
    except IsADirectoryError:
        raise InputError(f"{shown}: is a directory; expected a file") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{shown}: cannot be opened ({reason(error)})") from error


def _is_gzip(shown: str, file: BufferedReader) -> bool:
    try:
        return file.peek(len(_GZIP_MAGIC)).startswith(_GZIP_MAGIC)
    except OSError as error:
        raise InputError(f"{shown}:1: the file cannot be read ({reason(error)})") from error


def show(word: bytes) -> str:
    """Return a word of a file in quotes, shortened, with unprintable characters escaped."""
    shown = word[:40].decode("utf-8", "backslashreplace")
    return repr(shown if len(word) <= 40 else shown + "...")


def reason(error: Exception) -> str:
    """Return what an error says, without the number and path that OSError adds."""
    text = error.strerror if isinstance(error, OSError) else None
    return text or str(error) or type(error).__name__
