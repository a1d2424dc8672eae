"""Set operations that real instruction sets have for co-iteration."""

from __future__ import annotations

from isa.spec import instruction
from isa.values import Ints, Mask, mask_of


@instruction("vmatch", "pd, pg, va, vb", "set.match")
def vmatch(g: Mask, a: Ints, b: Ints) -> Mask:
    """Active lanes of va whose value occurs in any lane of vb (SVE2 MATCH, at 64 bits)."""
    present = set(b)
    return g & mask_of([x in present for x in a])


@instruction("vintersect", "pd, pe, va, vb", "set.intersect")
def vintersect(a: Ints, b: Ints) -> tuple[Mask, Mask]:
    """Which lanes of va occur in vb, and which lanes of vb occur in va (AVX-512 VP2INTERSECT).

    If pd and pe are one register, it gets the second.
    """
    in_a, in_b = set(a), set(b)
    return mask_of([x in in_b for x in a]), mask_of([x in in_a for x in b])
