"""Branches, jumps, calls and the end of a program.

An instruction's address is four times its number in the program.
"""

from __future__ import annotations

from isa.spec import Kind, instruction
from isa.values import MASK64


@instruction("beq", "xa, xb, label", "branch.cond", kind=Kind.BRANCH)
def beq(a: int, b: int) -> bool:
    """Branch if xa = xb."""
    return a == b


@instruction("bne", "xa, xb, label", "branch.cond", kind=Kind.BRANCH)
def bne(a: int, b: int) -> bool:
    """Branch if xa differs from xb."""
    return a != b


@instruction("blt", "xa, xb, label", "branch.cond", kind=Kind.BRANCH)
def blt(a: int, b: int) -> bool:
    """Branch if xa < xb (signed)."""
    return a < b


@instruction("bge", "xa, xb, label", "branch.cond", kind=Kind.BRANCH)
def bge(a: int, b: int) -> bool:
    """Branch if xa >= xb (signed)."""
    return a >= b


@instruction("bltu", "xa, xb, label", "branch.cond", kind=Kind.BRANCH)
def bltu(a: int, b: int) -> bool:
    """Branch if xa < xb (unsigned)."""
    return a & MASK64 < b & MASK64


@instruction("bgeu", "xa, xb, label", "branch.cond", kind=Kind.BRANCH)
def bgeu(a: int, b: int) -> bool:
    """Branch if xa >= xb (unsigned)."""
    return a & MASK64 >= b & MASK64


@instruction("beqz", "xa, label", "branch.cond", kind=Kind.BRANCH)
def beqz(a: int) -> bool:
    """Branch if xa = 0."""
    return a == 0


@instruction("bnez", "xa, label", "branch.cond", kind=Kind.BRANCH)
def bnez(a: int) -> bool:
    """Branch if xa is not 0."""
    return a != 0


@instruction("j", "label", "branch.jump", kind=Kind.JUMP)
def j() -> bool:
    """Jump."""
    return True


@instruction("call", "label", "branch.call", kind=Kind.CALL)
def call(link: int) -> int:
    """Jump, and put the address of the next instruction into x1."""
    return link


@instruction("ret", "", "branch.indirect", kind=Kind.INDIRECT)
def ret(link: int) -> int:
    """Jump to the address in x1."""
    return link


@instruction("jr", "xa", "branch.indirect", kind=Kind.INDIRECT)
def jr(target: int) -> int:
    """Jump to the address in xa."""
    return target


@instruction("halt", "", "nop", kind=Kind.HALT)
def halt() -> None:
    """End the program once all earlier instructions have retired."""
