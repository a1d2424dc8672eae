"""From the text of a data source to an operand."""

from __future__ import annotations

from pathlib import PurePath

from isa.errors import InputError, nearest
from programs.data.catalogue import bundled
from programs.data.operand import Operand

RANDOM_PREFIX = "random:"


def load(source: str, *, max_bytes: int = 2**30) -> Operand:
    """Load an operand.

    Parameters
    ----------
    source : str
        ``random:DIMS:DENSITY[:SEED]``, the name of a bundled matrix, or the path of a Matrix
        Market or FROSTT file, plain or gzip; tried in this order. A file of the same name as a
        bundled matrix is therefore written with a directory, as in ``./mycielskian4``.
    max_bytes : int
        Limit in bytes, on each of: the text of a file, the row pointers, the entries.

    Returns
    -------
    Operand
        With a canonical matrix in compressed rows; 1 x n for a vector.

    Raises
    ------
    InputError
        If there is no such source, or what it holds cannot be read.
    InputError
        If it is beyond the limit.
    """
    # Deferred, because this package must be importable without numpy and scipy.
    from programs.data import bernoulli, files  # noqa: PLC0415 - see above

    known = bundled()
    if source.startswith(RANDOM_PREFIX):
        return bernoulli.draw(source, max_bytes=max_bytes)
    if source in known:
        return Operand(name=source, matrix=known[source].build(), shape=known[source].shape)
    if not source.strip():
        raise InputError(
            "the data source is empty; expected a file, a bundled matrix or random:..."
        )
    try:
        return files.read_file(source, max_bytes=max_bytes)
    except FileNotFoundError:
        raise InputError(f"no such file or bundled matrix {source!r}{_help(source)}") from None


def _help(source: str) -> str:
    if ":" in source:
        return "; random data are written random:DIMS:DENSITY[:SEED]"
    phrase = nearest(PurePath(source).stem, bundled())
    return phrase or "; 'lanewise list data' shows the bundled ones"
