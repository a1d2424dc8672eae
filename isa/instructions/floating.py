"""Scalar double instructions: IEEE 754, round to nearest even, no traps."""

from __future__ import annotations

import math

from isa.spec import instruction
from isa.values import (
    SIGN64,
    bits_of,
    double_of,
    fdivide,
    fmaximum,
    fminimum,
    fmultiply_add,
    fsquare_root,
    truncate,
    wrap,
)


@instruction("fli", "fd, float", "fp.logic")
def fli(number: float) -> float:
    """Set fd to a constant."""
    return number


@instruction("fmv", "fd, fa", "fp.move")
def fmv(a: float) -> float:
    """Copy fa."""
    return a


@instruction("fadd", "fd, fa, fb", "fp.add")
def fadd(a: float, b: float) -> float:
    """fa + fb."""
    return a + b


@instruction("fsub", "fd, fa, fb", "fp.add")
def fsub(a: float, b: float) -> float:
    """fa - fb."""
    return a - b


@instruction("fmul", "fd, fa, fb", "fp.mul")
def fmul(a: float, b: float) -> float:
    """fa * fb."""
    return a * b


@instruction("ffma", "fd, fa, fb, fc", "fp.fma")
def ffma(a: float, b: float, c: float) -> float:
    """fa * fb + fc, rounded once."""
    return fmultiply_add(a, b, c)


@instruction("fdiv", "fd, fa, fb", "fp.div")
def fdiv(a: float, b: float) -> float:
    """fa / fb; x/0 is an infinity and 0/0 is NaN."""
    return fdivide(a, b)


@instruction("fsqrt", "fd, fa", "fp.sqrt")
def fsqrt(a: float) -> float:
    """Square root; NaN for a negative number."""
    return fsquare_root(a)


@instruction("fmin", "fd, fa, fb", "fp.minmax")
def fmin(a: float, b: float) -> float:
    """Minimum; a NaN loses to a number, and -0.0 is below +0.0."""
    return fminimum(a, b)


@instruction("fmax", "fd, fa, fb", "fp.minmax")
def fmax(a: float, b: float) -> float:
    """Maximum; a NaN loses to a number, and +0.0 is above -0.0."""
    return fmaximum(a, b)


@instruction("fneg", "fd, fa", "fp.logic")
def fneg(a: float) -> float:
    """Flip the sign bit, of NaN too."""
    return double_of(wrap(bits_of(a) ^ SIGN64))


@instruction("fabs", "fd, fa", "fp.logic")
def fabs(a: float) -> float:
    """Clear the sign bit, of NaN too."""
    return math.fabs(a)


@instruction("feq", "xd, fa, fb", "fp.compare")
def feq(a: float, b: float) -> int:
    """1 if fa = fb, else 0; NaN is equal to nothing."""
    return 1 if a == b else 0


@instruction("flt", "xd, fa, fb", "fp.compare")
def flt(a: float, b: float) -> int:
    """1 if fa < fb, else 0; 0 with a NaN."""
    return 1 if a < b else 0


@instruction("fle", "xd, fa, fb", "fp.compare")
def fle(a: float, b: float) -> int:
    """1 if fa <= fb, else 0; 0 with a NaN."""
    return 1 if a <= b else 0


@instruction("fcsel", "fd, fa, fb, xc", "fp.select")
def fcsel(a: float, b: float, c: int) -> float:
    """Choose fa if bit 0 of xc is set, as the set-on-compare instructions set it, else fb."""
    return a if c & 1 else b


@instruction("fcvt.d.l", "fd, xa", "fp.convert")
def int_to_double(a: int) -> float:
    """Nearest double of a signed integer, ties to even."""
    return float(a)


@instruction("fcvt.l.d", "xd, fa", "fp.convert")
def double_to_int(a: float) -> int:
    """Signed integer toward zero; saturates, and NaN gives 0."""
    return truncate(a)


@instruction("fmv.x.d", "xd, fa", "move.to_int")
def bits_to_int(a: float) -> int:
    """Copy the bits of a double to an integer register."""
    return bits_of(a)


@instruction("fmv.d.x", "fd, xa", "move.to_fp")
def bits_to_double(a: int) -> float:
    """Copy the bits of an integer register to a double."""
    return double_of(a)
