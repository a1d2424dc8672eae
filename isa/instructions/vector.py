"""Lane-wise vector arithmetic, compares and selects.

A name ends in ``z`` where a predicate governs and inactive lanes of the result are zero,
and in ``m`` where they keep the old value of the destination. Inactive lanes compute
nothing: they raise nothing and leak nothing.
"""

from __future__ import annotations

from isa.spec import instruction
from isa.values import (
    MASK64,
    Floats,
    Ints,
    Lanes,
    Mask,
    blend,
    fdivide,
    fmaximum,
    fminimum,
    fmultiply_add,
    mask_of,
    truncate,
    wrap,
)


@instruction("vmv", "vd, va", "vec.move")
def vmv(a: Lanes) -> Lanes:
    """Copy va."""
    return a


@instruction("vadd", "vd, va, vb", "vec.int.alu")
def vadd(a: Ints, b: Ints) -> Ints:
    """Add integer lanes."""
    return tuple([wrap(x + y) for x, y in zip(a, b, strict=True)])


@instruction("vaddm", "vd!, pg, va, vb", "vec.int.alu")
def vaddm(old: Ints, g: Mask, a: Ints, b: Ints) -> Lanes:
    """Add integer lanes where pg is active, else keep vd."""
    return blend(g, vadd(a, b), old)


@instruction("vsub", "vd, va, vb", "vec.int.alu")
def vsub(a: Ints, b: Ints) -> Ints:
    """Subtract integer lanes."""
    return tuple([wrap(x - y) for x, y in zip(a, b, strict=True)])


@instruction("vand", "vd, va, vb", "vec.int.alu")
def vand(a: Ints, b: Ints) -> Ints:
    """Bitwise and of lanes."""
    return tuple([x & y for x, y in zip(a, b, strict=True)])


@instruction("vor", "vd, va, vb", "vec.int.alu")
def vor(a: Ints, b: Ints) -> Ints:
    """Bitwise or of lanes."""
    return tuple([x | y for x, y in zip(a, b, strict=True)])


@instruction("vxor", "vd, va, vb", "vec.int.alu")
def vxor(a: Ints, b: Ints) -> Ints:
    """Bitwise exclusive or of lanes."""
    return tuple([x ^ y for x, y in zip(a, b, strict=True)])


@instruction("vsll", "vd, va, shift", "vec.int.shift")
def vsll(a: Ints, shift: int) -> Ints:
    """Shift lanes left by a constant."""
    return tuple([wrap(x << shift) for x in a])


@instruction("vsrl", "vd, va, shift", "vec.int.shift")
def vsrl(a: Ints, shift: int) -> Ints:
    """Shift lanes right by a constant, zeros coming in."""
    return tuple([wrap((x & MASK64) >> shift) for x in a])


@instruction("vmul", "vd, va, vb", "vec.int.mul")
def vmul(a: Ints, b: Ints) -> Ints:
    """Low 64 bits of the products of lanes."""
    return tuple([wrap(x * y) for x, y in zip(a, b, strict=True)])


@instruction("vminu", "vd, va, vb", "vec.int.minmax")
def vminu(a: Ints, b: Ints) -> Ints:
    """Unsigned minimum of lanes."""
    return tuple([x if x & MASK64 < y & MASK64 else y for x, y in zip(a, b, strict=True)])


@instruction("vmaxu", "vd, va, vb", "vec.int.minmax")
def vmaxu(a: Ints, b: Ints) -> Ints:
    """Unsigned maximum of lanes."""
    return tuple([x if x & MASK64 > y & MASK64 else y for x, y in zip(a, b, strict=True)])


@instruction("vmin", "vd, va, vb", "vec.int.minmax")
def vmin(a: Ints, b: Ints) -> Ints:
    """Signed minimum of lanes."""
    return tuple([x if x < y else y for x, y in zip(a, b, strict=True)])


@instruction("vmax", "vd, va, vb", "vec.int.minmax")
def vmax(a: Ints, b: Ints) -> Ints:
    """Signed maximum of lanes."""
    return tuple([x if x > y else y for x, y in zip(a, b, strict=True)])


@instruction("vfadd", "vd, va, vb", "vec.fp.add")
def vfadd(a: Floats, b: Floats) -> Floats:
    """Add double lanes."""
    return tuple([x + y for x, y in zip(a, b, strict=True)])


@instruction("vfaddm", "vd!, pg, va, vb", "vec.fp.add")
def vfaddm(old: Floats, g: Mask, a: Floats, b: Floats) -> Lanes:
    """Add double lanes where pg is active, else keep vd."""
    return blend(g, vfadd(a, b), old)


@instruction("vfaddz", "vd, pg, va, vb", "vec.fp.add")
def vfaddz(g: Mask, a: Floats, b: Floats) -> Lanes:
    """Add double lanes where pg is active, else 0.0."""
    return blend(g, vfadd(a, b), (0.0,) * len(a))


@instruction("vfsub", "vd, va, vb", "vec.fp.add")
def vfsub(a: Floats, b: Floats) -> Floats:
    """Subtract double lanes."""
    return tuple([x - y for x, y in zip(a, b, strict=True)])


@instruction("vfmul", "vd, va, vb", "vec.fp.mul")
def vfmul(a: Floats, b: Floats) -> Floats:
    """Multiply double lanes."""
    return tuple([x * y for x, y in zip(a, b, strict=True)])


@instruction("vfmulm", "vd!, pg, va, vb", "vec.fp.mul")
def vfmulm(old: Floats, g: Mask, a: Floats, b: Floats) -> Lanes:
    """Multiply double lanes where pg is active, else keep vd."""
    return blend(g, vfmul(a, b), old)


@instruction("vfmulz", "vd, pg, va, vb", "vec.fp.mul")
def vfmulz(g: Mask, a: Floats, b: Floats) -> Lanes:
    """Multiply double lanes where pg is active, else 0.0."""
    return blend(g, vfmul(a, b), (0.0,) * len(a))


@instruction("vffma", "vd!, va, vb", "vec.fp.fma")
def vffma(old: Floats, a: Floats, b: Floats) -> Floats:
    """Add va * vb to vd, rounded once for each lane."""
    return tuple([fmultiply_add(x, y, z) for x, y, z in zip(a, b, old, strict=True)])


@instruction("vffmam", "vd!, pg, va, vb", "vec.fp.fma")
def vffmam(old: Floats, g: Mask, a: Floats, b: Floats) -> Lanes:
    """Add va * vb to vd where pg is active, else keep vd."""
    return blend(g, vffma(old, a, b), old)


@instruction("vfdiv", "vd, va, vb", "vec.fp.div")
def vfdiv(a: Floats, b: Floats) -> Floats:
    """Divide double lanes."""
    return tuple([fdivide(x, y) for x, y in zip(a, b, strict=True)])


@instruction("vfdivm", "vd!, pg, va, vb", "vec.fp.div")
def vfdivm(old: Floats, g: Mask, a: Floats, b: Floats) -> Lanes:
    """Divide double lanes where pg is active, else keep vd."""
    return blend(g, vfdiv(a, b), old)


@instruction("vfmin", "vd, va, vb", "vec.fp.minmax")
def vfmin(a: Floats, b: Floats) -> Floats:
    """Minimum of double lanes, as fmin."""
    return tuple([fminimum(x, y) for x, y in zip(a, b, strict=True)])


@instruction("vfmax", "vd, va, vb", "vec.fp.minmax")
def vfmax(a: Floats, b: Floats) -> Floats:
    """Maximum of double lanes, as fmax."""
    return tuple([fmaximum(x, y) for x, y in zip(a, b, strict=True)])


@instruction("vcmpeq", "pd, va, vb", "vec.int.compare")
def vcmpeq(a: Ints, b: Ints) -> Mask:
    """Lanes in which va = vb as integers."""
    return mask_of([x == y for x, y in zip(a, b, strict=True)])


@instruction("vcmpeqm", "pd, pg, va, vb", "vec.int.compare")
def vcmpeqm(g: Mask, a: Ints, b: Ints) -> Mask:
    """Active lanes in which va = vb as integers."""
    return g & vcmpeq(a, b)


@instruction("vcmplt", "pd, va, vb", "vec.int.compare")
def vcmplt(a: Ints, b: Ints) -> Mask:
    """Lanes in which va < vb (signed)."""
    return mask_of([x < y for x, y in zip(a, b, strict=True)])


@instruction("vcmpltu", "pd, va, vb", "vec.int.compare")
def vcmpltu(a: Ints, b: Ints) -> Mask:
    """Lanes in which va < vb (unsigned)."""
    return mask_of([x & MASK64 < y & MASK64 for x, y in zip(a, b, strict=True)])


@instruction("vcmple", "pd, va, vb", "vec.int.compare")
def vcmple(a: Ints, b: Ints) -> Mask:
    """Lanes in which va <= vb (signed)."""
    return mask_of([x <= y for x, y in zip(a, b, strict=True)])


@instruction("vcmpleu", "pd, va, vb", "vec.int.compare")
def vcmpleu(a: Ints, b: Ints) -> Mask:
    """Lanes in which va <= vb (unsigned)."""
    return mask_of([x & MASK64 <= y & MASK64 for x, y in zip(a, b, strict=True)])


@instruction("vfcmpeq", "pd, va, vb", "vec.fp.compare")
def vfcmpeq(a: Floats, b: Floats) -> Mask:
    """Lanes in which va = vb as doubles; NaN is equal to nothing."""
    return mask_of([x == y for x, y in zip(a, b, strict=True)])


@instruction("vfcmplt", "pd, va, vb", "vec.fp.compare")
def vfcmplt(a: Floats, b: Floats) -> Mask:
    """Lanes in which va < vb as doubles."""
    return mask_of([x < y for x, y in zip(a, b, strict=True)])


@instruction("vfcmple", "pd, va, vb", "vec.fp.compare")
def vfcmple(a: Floats, b: Floats) -> Mask:
    """Lanes in which va <= vb as doubles."""
    return mask_of([x <= y for x, y in zip(a, b, strict=True)])


@instruction("vsel", "vd, pg, va, vb", "vec.select")
def vsel(g: Mask, a: Lanes, b: Lanes) -> Lanes:
    """Lane of va where pg is active, else of vb."""
    return blend(g, a, b)


@instruction("vselz", "vd, pg, va", "vec.select")
def vselz(g: Mask, a: Lanes) -> Lanes:
    """Lane of va where pg is active, else zero."""
    return blend(g, a, (0,) * len(a))


@instruction("vcvt.d.l", "vd, va", "vec.convert")
def vector_int_to_double(a: Ints) -> Floats:
    """Nearest doubles of signed integer lanes."""
    return tuple([float(x) for x in a])


@instruction("vcvt.l.d", "vd, va", "vec.convert")
def vector_double_to_int(a: Floats) -> Ints:
    """Signed integers toward zero of double lanes; saturates, and NaN gives 0."""
    return tuple([truncate(x) for x in a])
