"""What the assembler says about a faulty text: all errors in one go, each with a caret."""

from __future__ import annotations

from dataclasses import dataclass

from isa.errors import InputError

_MOST = 50


@dataclass(frozen=True, slots=True, order=True)
class Diagnostic:
    """One error: place, what is wrong, and the line it stands in."""

    line: int
    column: int
    width: int
    message: str
    text: str

    def render(self, name: str) -> str:
        """Return the message, the source line, and a caret under the fault."""
        place = f"{name}:{self.line}:{self.column}: {self.message}"
        shown = self.text.rstrip().expandtabs(1)
        marker = " " * (self.column - 1) + "^" + "~" * (self.width - 1)
        return f"{place}\n    {shown}\n    {marker}"


class AssemblyError(InputError):
    """A text that is no program; holds every diagnostic in the order of the text."""

    def __init__(self, name: str, diagnostics: list[Diagnostic]) -> None:
        self.name = name
        self.diagnostics = sorted(set(diagnostics))
        shown = [diagnostic.render(name) for diagnostic in self.diagnostics[:_MOST]]
        if len(self.diagnostics) > _MOST:
            shown.append(f"... and {len(self.diagnostics) - _MOST} more errors")
        count = len(self.diagnostics)
        shown.append(f"{count} error{'s' if count != 1 else ''} in {name}")
        super().__init__("\n".join(shown))


class Fault(Exception):  # noqa: N818  # a signal within the assembler, never shown
    """An error at a token; the assembler turns it into a `Diagnostic`."""

    def __init__(self, column: int, width: int, message: str) -> None:
        super().__init__(message)
        self.column = column
        self.width = max(1, width)
        self.message = message
