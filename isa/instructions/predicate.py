"""Predicates: logic, counting, and their way to and from integer registers."""

from __future__ import annotations

from isa.spec import instruction
from isa.values import MASK64, Mask, wrap


@instruction("ptrue", "pd", "pred.set")
def ptrue(lanes: int) -> Mask:
    """All lanes active."""
    return (1 << lanes) - 1


@instruction("pfalse", "pd", "pred.set")
def pfalse() -> Mask:
    """No lane active."""
    return 0


@instruction("pwhilelt", "pd, xa, xb", "pred.while")
def pwhilelt(a: int, b: int, lanes: int) -> Mask:
    """Lane i is active while xa + i < xb (signed, no wrap): the first max(0, xb - xa) lanes."""
    return (1 << max(0, min(lanes, b - a))) - 1


@instruction("pwhileltu", "pd, xa, xb", "pred.while")
def pwhileltu(a: int, b: int, lanes: int) -> Mask:
    """Lane i is active while xa + i < xb (unsigned, no wrap)."""
    return (1 << max(0, min(lanes, (b & MASK64) - (a & MASK64)))) - 1


@instruction("pmv", "pd, pa", "pred.logic")
def pmv(a: Mask) -> Mask:
    """Copy pa."""
    return a


@instruction("pand", "pd, pa, pb", "pred.logic")
def pand(a: Mask, b: Mask) -> Mask:
    """Lanes active in both."""
    return a & b


@instruction("por", "pd, pa, pb", "pred.logic")
def por(a: Mask, b: Mask) -> Mask:
    """Lanes active in either."""
    return a | b


@instruction("pxor", "pd, pa, pb", "pred.logic")
def pxor(a: Mask, b: Mask) -> Mask:
    """Lanes active in one but not both."""
    return a ^ b


@instruction("pandn", "pd, pa, pb", "pred.logic")
def pandn(a: Mask, b: Mask) -> Mask:
    """Lanes active in pa and not in pb."""
    return a & ~b


@instruction("pnot", "pd, pa", "pred.logic")
def pnot(a: Mask, lanes: int) -> Mask:
    """Lanes not active in pa."""
    return a ^ ((1 << lanes) - 1)


@instruction("pcnt", "xd, pa", "pred.count")
def pcnt(a: Mask) -> int:
    """Number of active lanes."""
    return a.bit_count()


@instruction("pfirst", "xd, pa", "pred.first")
def pfirst(a: Mask) -> int:
    """Number of the first active lane; -1 if there is none."""
    return (a & -a).bit_length() - 1


@instruction("pany", "xd, pa", "pred.test")
def pany(a: Mask) -> int:
    """1 if any lane is active, else 0."""
    return 1 if a else 0


@instruction("pall", "xd, pa", "pred.test")
def pall(a: Mask, lanes: int) -> int:
    """1 if every lane is active, else 0."""
    return 1 if a == (1 << lanes) - 1 else 0


@instruction("pbefore", "pd, pa", "pred.break")
def pbefore(a: Mask, lanes: int) -> Mask:
    """Lanes before the first active one; all lanes if there is none."""
    return ((a & -a) - 1) & ((1 << lanes) - 1)


@instruction("pupto", "pd, pa", "pred.break")
def pupto(a: Mask, lanes: int) -> Mask:
    """Lanes up to and including the first active one; all lanes if there is none."""
    return (a ^ (a - 1)) & ((1 << lanes) - 1)


@instruction("pmv.x.p", "xd, pa", "pred.to_int")
def predicate_to_int(a: Mask) -> int:
    """Copy predicate bits to an integer register, lane 0 in bit 0."""
    return wrap(a)


@instruction("pmv.p.x", "pd, xa", "pred.from_int")
def predicate_from_int(a: int, lanes: int) -> Mask:
    """Copy the low W bits of an integer register to a predicate."""
    return a & ((1 << lanes) - 1)
