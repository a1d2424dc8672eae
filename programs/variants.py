"""The forms of a co-iteration, and how kernel text and form make a program.

A kernel's text (``programs/kernels``) holds the outer loops and a line ``.coiterate``;
a form's text (``programs/forms``) is the loop that goes there. So each form exists once,
for every kernel and every number of lanes.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files

from isa.assembler import assemble
from isa.errors import InputError, nearest
from isa.program import Program

_MARK = ".coiterate"


@dataclass(frozen=True, slots=True)
class Variant:
    """A form: its name, the texts that make it up, and what it is.

    ``exact`` says whether it adds products in the order of the coordinates, so that its
    result is the scalar loop's bit for bit.
    """

    name: str
    texts: tuple[str, ...]
    summary: str
    exact: bool


def _dual(*, compute: int, advance: int) -> Variant:
    """Put a fast lane together: phases 2 and 3 scalar (0) or vector (1), phase 1 vector."""
    shape = ("scalar", "vector")
    return Variant(
        name=f"dual:{advance}{compute}1",
        texts=(
            "window-match-vector",
            f"window-compute-{shape[compute]}",
            f"window-advance-{shape[advance]}",
            "select",
        ),
        summary=f"fast lane of W elements: match vector, compute {shape[compute]}, advance "
        f"{shape[advance]}; select for the rest",
        exact=False,
    )


VARIANTS: dict[str, Variant] = {
    variant.name: variant
    for variant in (
        Variant("branchy", ("branchy",), "two-finger merge with a three-way compare", exact=True),
        Variant(
            "select", ("select",), "the sparsifier's merge: one branch left, on a match", exact=True
        ),
        Variant(
            "predicated", ("predicated",), "select without the match branch: scalar", exact=True
        ),
        *(_dual(compute=compute, advance=advance) for advance in (0, 1) for compute in (0, 1)),
    )
}
"""Every form, by name."""

BASELINE = "select"
"""Speedups are against this form, the compiler's own loop."""

DEFAULT_VARIANTS = ("branchy", "select", "predicated", "dual:001")


def find_variant(name: str) -> Variant:
    """Return a form by name.

    Raises
    ------
    InputError
        If there is none, with the nearest name.
    """
    if name not in VARIANTS:
        raise InputError(f"no variant is named '{name}'{nearest(name, VARIANTS)}")
    return VARIANTS[name]


def program_text(kernel: str, variant: str) -> str:
    """Return the assembly text of a kernel in one form."""
    outer = _read("kernels", kernel).splitlines()
    inner = [
        line for text in find_variant(variant).texts for line in _read("forms", text).splitlines()
    ]
    body: list[str] = []
    for line in outer:
        body += inner if line.strip() == _MARK else [line]
    return "\n".join([*_read("forms", "registers").splitlines(), "", *body]) + "\n"


def build_program(kernel: str, variant: str, lanes: int) -> Program:
    """Assemble a kernel in one form for W lanes."""
    return assemble(program_text(kernel, variant), f"{kernel}:{variant}", lanes)


def _read(folder: str, name: str) -> str:
    return (files("programs") / folder / f"{name}.s").read_text(encoding="utf-8")
