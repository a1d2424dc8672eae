"""Reading a file of whichever known format."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from isa.errors import InputError
from programs.data.frostt import is_extended, read_frostt
from programs.data.matrix_market import is_banner, read_matrix_market
from programs.data.text import open_text, show

if TYPE_CHECKING:
    from programs.data.operand import Operand

_KNOWN = "Matrix Market (.mtx, .mtx.gz) and FROSTT (.tns, .tns.gz)"
_ARCHIVES = (".tar", ".tar.gz", ".tgz", ".zip")


def read_file(path: str, *, max_bytes: int) -> Operand:
    """Read a Matrix Market or FROSTT file, plain or gzip.

    A first line that only one format has decides; otherwise the suffix does.

    Parameters
    ----------
    path : str
        The file.
    max_bytes : int
        Limit in bytes on the decompressed text and on the arrays made of it.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    InputError
        With path and line, if it cannot be read.
    """
    with open_text(path, max_bytes=max_bytes) as text:
        if path.lower().endswith(_ARCHIVES):
            raise InputError(f"{path}: is an archive; unpack it and name the .mtx file inside")
        name, suffix = _parts(path)
        first = text.first()
        if is_banner(first) or (suffix == ".mtx" and not is_extended(first)):
            return read_matrix_market(text, name, max_bytes)
        if is_extended(first) or suffix == ".tns":
            return read_frostt(text, name, max_bytes)
        raise text.fault(
            f"the first line {show(first.strip())} is of no known format, "
            f"nor is the suffix of the name; known: {_KNOWN}"
        )


def _parts(path: str) -> tuple[str, str]:
    """Return the stem of a path, for reports, and its suffix, both without ``.gz``."""
    inner = Path(path)
    if inner.suffix.lower() == ".gz":
        inner = inner.with_suffix("")
    return inner.stem, inner.suffix.lower()
