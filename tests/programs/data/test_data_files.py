"""Files as such: compression, limits, and things that are not text."""

from __future__ import annotations

import gzip
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from isa.errors import InputError
from programs.data import load

Write = Callable[[str, str | bytes], str]

TEXT = "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 2\n"


def test_gzip_is_known_by_its_content(write: Write) -> None:
    assert load(write("a.mtx", gzip.compress(TEXT.encode()))).nnz == 2


def test_gzip_of_several_members(write: Write) -> None:
    members = gzip.compress(TEXT[:60].encode()) + gzip.compress(TEXT[60:].encode())
    assert load(write("a.mtx", members)).nnz == 2


def test_gz_that_is_plain_text(tmp_path: Path) -> None:
    path = tmp_path / "a.mtx.gz"
    path.write_text(TEXT)
    with pytest.raises(InputError, match=r"a\.mtx\.gz:1: .* is not gzip data"):
        load(str(path))


@pytest.mark.parametrize("damage", ["cut", "checksum", "tail", "stream"])
def test_damaged_gzip(tmp_path: Path, damage: str) -> None:
    good = gzip.compress(TEXT.encode())
    bad = {
        "cut": good[:-12],
        "checksum": good[:-8] + bytes(4) + good[-4:],
        "tail": good + b"junk",
        "stream": good[:10] + b"\xff" + good[11:],
    }
    path = tmp_path / "a.mtx.gz"
    path.write_bytes(bad[damage])
    with pytest.raises(InputError, match=r"a\.mtx\.gz:\d+: the gzip data are damaged"):
        load(str(path))


@pytest.mark.parametrize("filler", [b" ", b"\n", b"%\n"])
def test_a_gzip_bomb_stops_at_the_limit(write: Write, filler: bytes) -> None:
    head = TEXT.encode()
    path = write("a.mtx.gz", head + filler * 20_000_000)
    assert Path(path).stat().st_size < 100_000
    begin = time.perf_counter()
    with pytest.raises(InputError, match="longer than"):
        load(path, max_bytes=200_000)
    assert time.perf_counter() - begin < 2.0


def test_the_limit_is_on_the_text(write: Write) -> None:
    path = write("a.mtx", TEXT)
    assert load(path, max_bytes=len(TEXT)).nnz == 2
    with pytest.raises(InputError, match=r"longer than the limit of 63 bytes"):
        load(path, max_bytes=63)


def test_directory(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a directory; expected a file"):
        load(str(tmp_path))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_unreadable(write: Write) -> None:
    path = write("a.mtx", TEXT)
    Path(path).chmod(0)
    with pytest.raises(InputError, match=r"cannot be opened \(Permission denied\)"):
        load(path)


def test_a_file_that_cannot_be_opened(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    path = write("a.mtx", TEXT)
    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(InputError, match=r"cannot be opened \(Permission denied\)"):
        load(path)


def test_a_file_below_a_file(write: Write) -> None:
    path = write("a.mtx", TEXT)
    with pytest.raises(InputError, match="cannot be opened"):
        load(path + "/b.mtx")


def test_a_path_that_no_system_takes() -> None:
    with pytest.raises(InputError, match=r"^'a\\x00.mtx': cannot be opened"):
        load("a\0.mtx")


@pytest.mark.parametrize("name", ["a.mtx", "a.bin", "a.tns"])
def test_binary(write: Write, name: str) -> None:
    with pytest.raises(InputError, match=r":1: expected text, found a NUL byte"):
        load(write(name, b"\x7fELF\x02\x01\x01\0\0\0"))


def test_unknown_kind(write: Write) -> None:
    with pytest.raises(
        InputError, match=r":2: the first line 'a,b' is of no known format.*known: M"
    ):
        load(write("a.csv", "\na,b\n1,2\n"))


@pytest.mark.parametrize("name", ["a.tar.gz", "a.tgz", "a.zip"])
def test_archives(write: Write, name: str) -> None:
    with pytest.raises(InputError, match="is an archive; unpack it"):
        load(write(name, b"PK"))
