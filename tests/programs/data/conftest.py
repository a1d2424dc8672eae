"""Files for the tests of data sources: written anew, or from ../shared where it exists."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

SHARED = Path(__file__).parents[4] / "shared"


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str | bytes], str]:
    """Write a file, gzip if its name ends in .gz; return its path."""

    def writer(name: str, content: str | bytes) -> str:
        data = content.encode() if isinstance(content, str) else content
        path = tmp_path / name
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return str(path)

    return writer


@pytest.fixture
def shared() -> Path:
    if not SHARED.is_dir():
        pytest.skip("no folder ../shared with real and awkward matrices next to the repository")
    return SHARED
