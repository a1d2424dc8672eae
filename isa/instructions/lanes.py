"""Instructions that move values between lanes, and between vectors and scalars."""

from __future__ import annotations

from functools import reduce

from isa.spec import instruction
from isa.values import (
    MASK64,
    Floats,
    Ints,
    Lanes,
    Mask,
    blend,
    fmaximum,
    fminimum,
    tree_sum,
    wrap,
)


@instruction("vsplat", "vd, xa", "vec.splat.int")
def vsplat(a: int, lanes: int) -> Ints:
    """Put xa into every lane."""
    return (a,) * lanes


@instruction("vfsplat", "vd, fa", "vec.splat.fp")
def vfsplat(a: float, lanes: int) -> Floats:
    """Put fa into every lane."""
    return (a,) * lanes


@instruction("vindex", "vd, xa, xb", "vec.index")
def vindex(a: int, b: int, lanes: int) -> Ints:
    """Put xa + i * xb into lane i."""
    return tuple([wrap(a + i * b) for i in range(lanes)])


@instruction("vext", "xd, va, lane", "vec.extract.int")
def vext(a: Ints, lane: int) -> int:
    """Copy one integer lane."""
    return a[lane]


@instruction("vextx", "xd, va, xb", "vec.extract.int")
def vextx(a: Ints, b: int) -> int:
    """Copy the integer lane whose number is xb modulo W."""
    return a[b % len(a)]


@instruction("vfext", "fd, va, lane", "vec.extract.fp")
def vfext(a: Floats, lane: int) -> float:
    """Copy one double lane."""
    return a[lane]


@instruction("vins", "vd!, xa, lane", "vec.insert.int")
def vins(old: Ints, a: int, lane: int) -> Ints:
    """Replace one lane of vd by xa."""
    return (*old[:lane], a, *old[lane + 1 :])


@instruction("vfins", "vd!, fa, lane", "vec.insert.fp")
def vfins(old: Floats, a: float, lane: int) -> Floats:
    """Replace one lane of vd by fa."""
    return (*old[:lane], a, *old[lane + 1 :])


@instruction("vbuild", "vd, xa*", "vec.build.int")
def vbuild(*values: int) -> Ints:
    """Put W integer registers, xa and those after it, into the lanes."""
    return values


@instruction("vfbuild", "vd, fa*", "vec.build.fp")
def vfbuild(*values: float) -> Floats:
    """Put W double registers, fa and those after it, into the lanes."""
    return values


@instruction("vperm", "vd, va, vb", "vec.permute")
def vperm(a: Lanes, b: Ints) -> Lanes:
    """Lane i of vd is the lane of va whose number is lane i of vb modulo W."""
    return tuple([a[i % len(a)] for i in b])


@instruction("vrot", "vd, va, lane", "vec.rotate")
def vrot(a: Lanes, lane: int) -> Lanes:
    """Rotate toward lane 0: lane i of vd is lane (i + n) modulo W of va."""
    return (*a[lane:], *a[:lane])


@instruction("vcompress", "vd, pg, va", "vec.compress")
def vcompress(g: Mask, a: Lanes) -> Lanes:
    """Move the active lanes of va together from lane 0 up; the rest is zero."""
    kept = [x for i, x in enumerate(a) if g >> i & 1]
    zero = type(a[0])(0)
    return tuple(kept + [zero] * (len(a) - len(kept)))


@instruction("vsum", "xd, va", "vec.reduce.int")
def vsum(a: Ints) -> int:
    """Sum of integer lanes."""
    return wrap(sum(a))


@instruction("vredminu", "xd, va", "vec.reduce.int")
def vredminu(a: Ints) -> int:
    """Unsigned minimum of integer lanes."""
    return wrap(min(x & MASK64 for x in a))


@instruction("vredmaxu", "xd, va", "vec.reduce.int")
def vredmaxu(a: Ints) -> int:
    """Unsigned maximum of integer lanes."""
    return wrap(max(x & MASK64 for x in a))


@instruction("vfsum", "fd, va", "vec.reduce.fp.tree")
def vfsum(a: Floats) -> float:
    """Sum of double lanes, pairwise: upper half onto lower half, log2 W times."""
    return tree_sum(a)


@instruction("vfsumo", "fd, va", "vec.reduce.fp.ordered")
def vfsumo(a: Floats) -> float:
    """Sum of double lanes from lane 0 up, one after another: ((a0 + a1) + a2) + ..."""
    return reduce(lambda total, lane: total + lane, a)


@instruction("vfredmin", "fd, va", "vec.reduce.fp.tree")
def vfredmin(a: Floats) -> float:
    """Minimum of double lanes, as fmin."""
    return reduce(fminimum, a)


@instruction("vfredmax", "fd, va", "vec.reduce.fp.tree")
def vfredmax(a: Floats) -> float:
    """Maximum of double lanes, as fmax."""
    return reduce(fmaximum, a)


@instruction("vfsumz", "fd, pg, va", "vec.reduce.fp.tree")
def vfsumz(g: Mask, a: Floats) -> float:
    """Pairwise sum of the active double lanes, inactive ones counting as 0.0."""
    active = blend(g, a, (0.0,) * len(a))
    return tree_sum(tuple([float(x) for x in active]))
