"""The kernels, one entry each. Nothing here needs numpy or scipy."""

from __future__ import annotations

from dataclasses import dataclass

from isa.errors import InputError, nearest


@dataclass(frozen=True, slots=True)
class OperandSpec:
    """One operand in an expression: its name, storage formats by dimension, and order."""

    name: str
    format: str
    order: int


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel: what it computes, from what, in which loops.

    Attributes
    ----------
    name, expression : str
        As users know it.
    operands : tuple of OperandSpec
        In the order of the expression.
    loops : str
        Loop order; the last index is the one co-iterated.
    unit : str
        What the executions of the instruction at label ``unit`` work on, in the plural;
        sampling draws among these.
    default_data : tuple of str
        Sources used when none are given.
    """

    name: str
    expression: str
    operands: tuple[OperandSpec, ...]
    loops: str
    unit: str
    default_data: tuple[str, ...]


KERNELS: dict[str, Kernel] = {
    kernel.name: kernel
    for kernel in (
        Kernel(
            name="spdot",
            expression="y = sum_j b(j) * c(j)",
            operands=(OperandSpec("b", "compressed", 1), OperandSpec("c", "compressed", 1)),
            loops="j",
            unit="dot products",
            default_data=("random:20000:0.05",),
        ),
        Kernel(
            name="spgemm",
            expression="A(i,k) = sum_j B(i,j) * C(j,k)",
            operands=(OperandSpec("B", "csr", 2), OperandSpec("C", "csc", 2)),
            loops="i k j",
            unit="rows of B",
            default_data=("mycielskian6",),
        ),
    )
}
"""Every kernel, by name."""


def find_kernel(name: str) -> Kernel:
    """Return a kernel by name.

    Raises
    ------
    InputError
        If there is none, with the nearest name.
    """
    if name not in KERNELS:
        raise InputError(f"no kernel is named '{name}'{nearest(name, KERNELS)}")
    return KERNELS[name]
