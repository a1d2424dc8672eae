"""Operands: register names, memory operands, and the notation that declares them.

All registers stand in one flat numbering, so that a program's state and a core's
ready times are plain lists: x0..x31 are 0..31, f0..f31 are 32..63, v0..v31 are
64..95 and p0..p7 are 96..103. Slot 104 takes what is written to x0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

FILES = {"x": (0, 32), "f": (32, 32), "v": (64, 32), "p": (96, 8)}
"""Register file letter: first flat index and number of registers."""

REGISTERS = 104
SINK = REGISTERS
"""Where a write to x0 goes: never read."""

RETURN_ADDRESS = 1
"""``call`` writes x1, ``ret`` reads it."""

LANE_COUNTS = (2, 4, 8, 16)


def register_name(flat: int) -> str:
    """Return the name of a register from its flat index."""
    for letter, (first, count) in FILES.items():
        if first <= flat < first + count:
            return f"{letter}{flat - first}"
    raise ValueError(flat)


REGISTER_NUMBERS = {register_name(flat): flat for flat in range(REGISTERS)}


@dataclass(frozen=True, slots=True)
class Address:
    """A memory operand: ``displacement(base, index*scale)``; registers are flat indices."""

    base: int
    index: int | None = None
    scale: int = 1
    displacement: int = 0


Argument: TypeAlias = int | float | str | Address
"""What a program holds for an operand: a flat register, a number, a name, an address."""


@dataclass(frozen=True, slots=True)
class Operand:
    """One declared operand of an instruction.

    ``kind`` is a register file letter, or ``imm``, ``shift``, ``lane``, ``float``,
    ``label``, ``array``, ``mem`` (base and index in x registers) or ``vmem`` (index in a
    vector register). ``written`` and ``read`` say what happens to a register; ``group``
    marks W consecutive registers that start at the one named.
    """

    name: str
    kind: str
    read: bool
    written: bool
    group: bool = False

    @property
    def is_register(self) -> bool:
        """Whether the operand names a register."""
        return self.kind in FILES


def parse_signature(signature: str) -> tuple[Operand, ...]:
    """Read the notation of an instruction entry, such as ``"vd!, pg, va, vb"``.

    A register operand is its file letter and a letter: ``d`` and ``e`` are written, any
    other is read. ``!`` after a written one says that its old value is read too, and
    ``*`` after a read one that W consecutive registers are read.
    """
    return tuple(_parse_operand(text.strip()) for text in signature.split(",") if text.strip())


def _parse_operand(text: str) -> Operand:
    if text in {"imm", "shift", "lane", "float", "label", "array", "mem", "vmem"}:
        return Operand(name=text, kind=text, read=False, written=False)
    name = text.rstrip("!*")
    written = name[1] in "de"
    return Operand(
        name=name,
        kind=name[0],
        read=not written or text.endswith("!"),
        written=written,
        group=text.endswith("*"),
    )
