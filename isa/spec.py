"""How an instruction is declared: one decorated function for each entry of the table.

The decorator gives mnemonic, operands and operation class; the function's body is the
meaning, its docstring the explanation, and its annotations the view it takes of vector
lanes. Everything else reads these entries: assembler, printer, interpreter, core files
and the reference page.

The meaning receives, in order, every register read as the operands name them (the old
value of a ``!`` destination where it stands), then immediates; a parameter named
``lanes`` receives W. A load's meaning receives the loaded value last.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, TypeVar

from isa.operands import Operand, parse_signature

Meaning = Callable[..., Any]
_Function = TypeVar("_Function", bound=Meaning)


class Kind(Enum):
    """What an instruction does besides computing registers from registers."""

    COMPUTE = auto()
    LOAD = auto()
    STORE = auto()
    BRANCH = auto()
    JUMP = auto()
    CALL = auto()
    INDIRECT = auto()
    HALT = auto()


@dataclass(frozen=True, slots=True)
class Access:
    """The shape of a memory access.

    Attributes
    ----------
    element : str
        Element type in memory: ``i64``, ``i32``, ``u32``, ``f64``, or ``any`` for 64-bit
        lanes in the type that the array has.
    vector : bool
        Whether W elements move, else one.
    masked : bool
        Whether a predicate governs which elements move.
    indexed : bool
        Whether each lane has an address of its own (gather and scatter).
    """

    element: str
    vector: bool = False
    masked: bool = False
    indexed: bool = False

    @property
    def size(self) -> int:
        """Bytes of one element in memory."""
        return 4 if self.element in {"i32", "u32"} else 8


@dataclass(frozen=True, slots=True)
class Spec:
    """One entry of the instruction table."""

    mnemonic: str
    signature: str
    operands: tuple[Operand, ...]
    opclass: str
    kind: Kind
    meaning: Meaning
    views: tuple[str, ...]
    doc: str
    access: Access | None = None

    @property
    def wants_lanes(self) -> bool:
        """Whether the meaning takes the number of lanes."""
        return "lanes" in self.views

    def __repr__(self) -> str:
        return f"Spec({self.mnemonic})"


TABLE: dict[str, Spec] = {}
"""Every instruction by mnemonic; filled when ``isa.table`` imports the families."""


def instruction(
    mnemonic: str,
    signature: str,
    opclass: str,
    *,
    kind: Kind = Kind.COMPUTE,
    access: Access | None = None,
) -> Callable[[_Function], _Function]:
    """Enter the decorated function into the instruction table.

    Parameters
    ----------
    mnemonic : str
        Name in assembly text.
    signature : str
        Operands, in the notation of `isa.operands.parse_signature`.
    opclass : str
        Operation class, a key of `isa.opclasses.CLASSES`; a core file gives its cost.
    kind : Kind
        What it does besides computing.
    access : Access, optional
        The memory access of a load or store.
    """

    def enter(meaning: _Function) -> _Function:
        if mnemonic in TABLE:
            raise ValueError(f"instruction '{mnemonic}' is declared twice")
        operands, doc = parse_signature(signature), inspect.getdoc(meaning) or ""
        TABLE[mnemonic] = Spec(
            mnemonic, signature, operands, opclass, kind, meaning, _views(meaning), doc, access
        )
        return meaning

    return enter


def _views(meaning: Meaning) -> tuple[str, ...]:
    """Return the annotation of each parameter, and ``lanes`` for the number of lanes."""
    return tuple(
        name if name == "lanes" else str(parameter.annotation)
        for name, parameter in inspect.signature(meaning).parameters.items()
    )
