"""A program under construction: what the assembler knows between two lines."""

from __future__ import annotations

from dataclasses import dataclass, field

from isa.arguments import Names, Reference
from isa.diagnostics import Diagnostic, Fault
from isa.lexer import Cursor
from isa.operands import REGISTER_NUMBERS, Argument
from isa.program import Declaration
from isa.source import Line
from isa.spec import Spec


@dataclass(slots=True)
class DraftInstruction:
    """An instruction whose labels and arrays are not resolved yet.

    One that could not be read keeps its place, so that what follows is numbered right:
    without ``spec`` if it is unknown, with fewer arguments than operands if one is wrong.
    """

    line: Line
    spec: Spec | None = None
    arguments: list[Argument | Reference] = field(default_factory=list)


@dataclass
class Draft:
    """Everything read so far.

    Attributes
    ----------
    lanes : int
        The W that the text is assembled for.
    constants, aliases, arrays, labels : dict
        What has been defined, by name.
    instructions : list of DraftInstruction
        In the order of the program.
    diagnostics : list of Diagnostic
        Errors found.
    repeating : int
        How many repeated blocks are open.
    repeated : int
        Lines read in repeated blocks, which `isa.assembler` limits.
    """

    lanes: int
    constants: dict[str, int]
    aliases: dict[str, int] = field(default_factory=dict)
    arrays: dict[str, Declaration] = field(default_factory=dict)
    labels: dict[str, int] = field(default_factory=dict)
    instructions: list[DraftInstruction] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    repeating: int = 0
    repeated: int = 0

    def report(self, line: Line, fault: Fault) -> None:
        """Record an error at a place in a line."""
        self.diagnostics.append(
            Diagnostic(line.number, fault.column, fault.width, fault.message, line.text)
        )

    @property
    def names(self) -> Names:
        """The names as operands see them."""
        return Names(self.constants, self.aliases, self.arrays.keys(), self.lanes)

    def new_name(self, cursor: Cursor) -> str:
        """Read a name that is about to be defined."""
        token = cursor.current
        if token is None or token.kind != "name":
            raise cursor.fault("expected a name")
        cursor.take()
        cursor.finish()
        name = token.text
        if name in self.constants:
            raise token.fault(f"'{name}' is already a constant")
        if name in self.aliases:
            raise token.fault(f"'{name}' is already a register alias")
        if name in self.arrays:
            raise token.fault(f"'{name}' is already an array")
        if name.lower() in REGISTER_NUMBERS:
            raise token.fault(f"'{name}' is already a register")
        return name
