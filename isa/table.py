"""The instruction table, complete: import it from here."""

from __future__ import annotations

from isa.instructions import (  # noqa: F401  # imported for the entries they make
    control,
    floating,
    integer,
    lanes,
    memory,
    predicate,
    sets,
    vector,
    vectormemory,
)
from isa.opclasses import CLASSES
from isa.spec import TABLE, Access, Kind, Spec

__all__ = ["CLASSES", "TABLE", "Access", "Kind", "Spec"]
