"""What each computing instruction must give, worked out with NumPy on 64-bit patterns.

An oracle sees the operands under the names that the table gives them (``o.xa``, ``o.vb``,
``o.pg``, ``o.imm``): integer and double registers as one pattern in a ``uint64`` array,
vectors as W of them, predicates as W truth values; ``o.vd`` is the old destination and
``o.lanes`` is W. Nothing here uses the arithmetic of `isa.values`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

Bits = NDArray[np.uint64]
Flags = NDArray[np.bool_]
Operands = SimpleNamespace


@dataclass(frozen=True)
class Expected:
    """Patterns that must come out; where ``loose``, any NaN will do."""

    bits: Bits
    loose: Flags

    def accepts(self, found: Bits) -> bool:
        """Whether a result is right."""
        same = (found == self.bits) | (self.loose & is_nan(found))
        return bool(same.all()) and found.shape == self.bits.shape


def is_nan(bits: Bits) -> Flags:
    """Tell NaN by its pattern: all exponent bits and some of the fraction."""
    return (bits & np.uint64(2**63 - 1)) > np.uint64(0x7FF0000000000000)


def patterns(values: Any) -> Bits:
    """Reduce Python integers to 64-bit patterns."""
    return np.array([int(value) % 2**64 for value in values], dtype=np.uint64)


def signed(bits: Bits) -> NDArray[np.int64]:
    """Read patterns as signed integers."""
    return bits.view(np.int64)


def double(bits: Bits) -> NDArray[np.float64]:
    """Read patterns as doubles."""
    return bits.view(np.float64)


def exact(bits: Bits) -> Expected:
    """Expect these very patterns."""
    return Expected(bits, np.zeros(bits.shape, dtype=bool))


def arithmetic(values: NDArray[np.float64]) -> Expected:
    """Expect these doubles, of which a NaN is any NaN."""
    bits = np.atleast_1d(values).view(np.uint64)
    return Expected(bits, is_nan(bits))


def merged(active: Flags, new: Expected, old: Bits) -> Expected:
    """Expect the new value in active lanes and the old pattern in the others."""
    return Expected(np.where(active, new.bits, old), new.loose & active)


def by_python(function: Callable[[int, int], int]) -> Callable[[Bits, Bits], Bits]:
    """Lift a function of two signed integers to patterns."""
    return lambda a, b: patterns(map(function, signed(a).tolist(), signed(b).tolist()))


def unsigned_by_python(function: Callable[[int, int], int]) -> Callable[[Bits, Bits], Bits]:
    """Lift a function of two unsigned integers to patterns."""
    return lambda a, b: patterns(map(function, a.tolist(), b.tolist()))


# Integers

quotient = by_python(lambda a, b: math.trunc(Fraction(a, b)) if b else -1)
remainder = by_python(lambda a, b: a - b * math.trunc(Fraction(a, b)) if b else a)
unsigned_quotient = unsigned_by_python(lambda a, b: a // b if b else 2**64 - 1)
unsigned_remainder = unsigned_by_python(lambda a, b: a % b if b else a)


def binary_digits(bits: Bits) -> str:
    """Write a single pattern as 64 digits."""
    return f"{int(bits[0]):064b}"


def flag(values: Any) -> Bits:
    """Return 1 for true and 0 for false."""
    return np.atleast_1d(values).astype(np.uint64)


def shift_amount(bits: Bits) -> Bits:
    """Take the low six bits."""
    return bits % np.uint64(64)


# Doubles


def rounded(value: Fraction) -> float:
    """Round an exact value that is not 0 to the nearest double, ties to even, by hand."""
    size = abs(value)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    if size < Fraction(2) ** exponent:
        exponent -= 1
    power = max(exponent - 52, -1074)  # of two: what the last bit is worth
    count, rest = divmod(size / Fraction(2) ** power, 1)
    if rest > Fraction(1, 2) or (rest == Fraction(1, 2) and count % 2):
        count += 1
    sign = -1.0 if value < 0 else 1.0
    if count * Fraction(2) ** power >= Fraction(2) ** 1024:
        return sign * math.inf
    return sign * math.ldexp(float(count), power)


def fused(a: float, b: float, c: float) -> float:
    """Return a * b + c rounded once, NaN and infinities by the rules of IEEE 754."""
    if not (math.isfinite(a) and math.isfinite(b)):
        return a * b + c  # nothing is rounded
    if not math.isfinite(c):
        return c
    total = Fraction(a) * Fraction(b) + Fraction(c)
    if total:
        return rounded(total)
    product_sign = math.copysign(1.0, a) * math.copysign(1.0, b)
    if (a == 0 or b == 0) and c == 0 and product_sign == math.copysign(1.0, c):
        return c
    return 0.0


def fma(a: Bits, b: Bits, c: Bits) -> Expected:
    """Expect a * b + c, rounded once."""
    rows = zip(double(a).tolist(), double(b).tolist(), double(c).tolist(), strict=True)
    return arithmetic(np.array([fused(*row) for row in rows]))


def order_key(pattern: int) -> int:
    """Place a double that is no NaN in the order in which -0.0 is below +0.0."""
    magnitude = pattern % 2**63
    return -1 - magnitude if pattern >> 63 else magnitude


def extreme(choose: Callable[..., int], *operands: Bits) -> Expected:
    """Expect the minimum or maximum of each lane of the operands, NaN only if all are NaN."""
    lanes = []
    for candidates in zip(*operands, strict=True):
        numbers = [int(p) for p in candidates if not is_nan(p)]
        lanes.append(choose(numbers, key=order_key) if numbers else 2**63 - 1)
    bits = patterns(lanes)
    return Expected(bits, is_nan(bits))


def to_integer(bits: Bits) -> Bits:
    """Truncate doubles, saturating; NaN gives 0."""
    values = []
    for value in double(bits).tolist():
        if math.isnan(value):
            values.append(0)
        elif math.isinf(value):
            values.append(2**63 - 1 if value > 0 else -(2**63))
        else:
            values.append(max(-(2**63), min(2**63 - 1, math.trunc(Fraction(value)))))
    return patterns(values)


def halves_sum(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Add the upper half onto the lower one until one value is left."""
    while len(values) > 1:
        values = values[: len(values) // 2] + values[len(values) // 2 :]
    return values


# Predicates


def first_active(flags: Flags) -> int:
    """Return the number of the first active lane, or -1."""
    return int(np.argmax(flags)) if flags.any() else -1


def lanes_below(start: int, end: int, lanes: int) -> Flags:
    """Tell for each lane i whether start + i < end, in exact integers."""
    return np.array([start + lane < end for lane in range(lanes)])


def bits_as_flags(bits: Bits, lanes: int) -> Flags:
    """Read the low W bits of a single pattern as truth values."""
    return np.array([int(bits[0]) >> lane & 1 == 1 for lane in range(lanes)])


def repeated(bits: Bits, lanes: int) -> Bits:
    """Return a single pattern in every lane."""
    return np.repeat(bits, lanes)


def replaced(vector: Bits, lane: int, bits: Bits) -> Bits:
    """Return a vector with one lane replaced."""
    result = vector.copy()
    result[lane] = bits[0]
    return result


def compressed(vector: Bits, active: Flags) -> Bits:
    """Return active lanes first, then zeros."""
    result = np.zeros_like(vector)
    result[: active.sum()] = vector[active]
    return result


ZERO = np.uint64(0)

INTEGER: dict[str, Callable[[Operands], Any]] = {
    "li": lambda o: o.imm,
    "lanes": lambda o: patterns([o.lanes]),
    "mv": lambda o: o.xa,
    "add": lambda o: o.xa + o.xb,
    "addi": lambda o: o.xa + o.imm,
    "sub": lambda o: o.xa - o.xb,
    "and": lambda o: o.xa & o.xb,
    "andi": lambda o: o.xa & o.imm,
    "or": lambda o: o.xa | o.xb,
    "ori": lambda o: o.xa | o.imm,
    "xor": lambda o: o.xa ^ o.xb,
    "xori": lambda o: o.xa ^ o.imm,
    "sll": lambda o: o.xa << shift_amount(o.xb),
    "slli": lambda o: o.xa << o.shift,
    "srl": lambda o: o.xa >> shift_amount(o.xb),
    "srli": lambda o: o.xa >> o.shift,
    "sra": lambda o: signed(o.xa) >> signed(shift_amount(o.xb)),
    "srai": lambda o: signed(o.xa) >> signed(o.shift),
    "mul": lambda o: o.xa * o.xb,
    "div": lambda o: quotient(o.xa, o.xb),
    "divu": lambda o: unsigned_quotient(o.xa, o.xb),
    "rem": lambda o: remainder(o.xa, o.xb),
    "remu": lambda o: unsigned_remainder(o.xa, o.xb),
    "min": lambda o: np.minimum(signed(o.xa), signed(o.xb)),
    "max": lambda o: np.maximum(signed(o.xa), signed(o.xb)),
    "minu": lambda o: np.minimum(o.xa, o.xb),
    "maxu": lambda o: np.maximum(o.xa, o.xb),
    "seq": lambda o: flag(o.xa == o.xb),
    "sne": lambda o: flag(o.xa != o.xb),
    "slt": lambda o: flag(signed(o.xa) < signed(o.xb)),
    "sle": lambda o: flag(signed(o.xa) <= signed(o.xb)),
    "sltu": lambda o: flag(o.xa < o.xb),
    "sleu": lambda o: flag(o.xa <= o.xb),
    "slti": lambda o: flag(signed(o.xa) < signed(o.imm)),
    "csel": lambda o: np.where(o.xc != 0, o.xa, o.xb),
    "popcnt": lambda o: patterns([binary_digits(o.xa).count("1")]),
    "ctz": lambda o: patterns([64 - len(binary_digits(o.xa).rstrip("0"))]),
    "clz": lambda o: patterns([64 - len(binary_digits(o.xa).lstrip("0"))]),
}

FLOATING: dict[str, Callable[[Operands], Any]] = {
    "fli": lambda o: o.float,
    "fmv": lambda o: o.fa,
    "fadd": lambda o: arithmetic(double(o.fa) + double(o.fb)),
    "fsub": lambda o: arithmetic(double(o.fa) - double(o.fb)),
    "fmul": lambda o: arithmetic(double(o.fa) * double(o.fb)),
    "ffma": lambda o: fma(o.fa, o.fb, o.fc),
    "fdiv": lambda o: arithmetic(double(o.fa) / double(o.fb)),
    "fsqrt": lambda o: arithmetic(np.sqrt(double(o.fa))),
    "fmin": lambda o: extreme(min, o.fa, o.fb),
    "fmax": lambda o: extreme(max, o.fa, o.fb),
    "fneg": lambda o: o.fa ^ np.uint64(2**63),
    "fabs": lambda o: o.fa & np.uint64(2**63 - 1),
    "feq": lambda o: flag(double(o.fa) == double(o.fb)),
    "flt": lambda o: flag(double(o.fa) < double(o.fb)),
    "fle": lambda o: flag(double(o.fa) <= double(o.fb)),
    "fcsel": lambda o: np.where(o.xc % 2 == 1, o.fa, o.fb),
    "fcvt.d.l": lambda o: signed(o.xa).astype(np.float64).view(np.uint64),
    "fcvt.l.d": lambda o: to_integer(o.fa),
    "fmv.x.d": lambda o: o.fa,
    "fmv.d.x": lambda o: o.xa,
}

VECTOR: dict[str, Callable[[Operands], Any]] = {
    "vmv": lambda o: o.va,
    "vadd": lambda o: o.va + o.vb,
    "vaddm": lambda o: np.where(o.pg, o.va + o.vb, o.vd),
    "vsub": lambda o: o.va - o.vb,
    "vand": lambda o: o.va & o.vb,
    "vor": lambda o: o.va | o.vb,
    "vxor": lambda o: o.va ^ o.vb,
    "vsll": lambda o: o.va << o.shift,
    "vsrl": lambda o: o.va >> o.shift,
    "vmul": lambda o: o.va * o.vb,
    "vminu": lambda o: np.minimum(o.va, o.vb),
    "vmaxu": lambda o: np.maximum(o.va, o.vb),
    "vmin": lambda o: np.minimum(signed(o.va), signed(o.vb)),
    "vmax": lambda o: np.maximum(signed(o.va), signed(o.vb)),
    "vfadd": lambda o: arithmetic(double(o.va) + double(o.vb)),
    "vfaddm": lambda o: merged(o.pg, arithmetic(double(o.va) + double(o.vb)), o.vd),
    "vfaddz": lambda o: merged(o.pg, arithmetic(double(o.va) + double(o.vb)), o.va * ZERO),
    "vfsub": lambda o: arithmetic(double(o.va) - double(o.vb)),
    "vfmul": lambda o: arithmetic(double(o.va) * double(o.vb)),
    "vfmulm": lambda o: merged(o.pg, arithmetic(double(o.va) * double(o.vb)), o.vd),
    "vfmulz": lambda o: merged(o.pg, arithmetic(double(o.va) * double(o.vb)), o.va * ZERO),
    "vffma": lambda o: fma(o.va, o.vb, o.vd),
    "vffmam": lambda o: merged(o.pg, fma(o.va, o.vb, o.vd), o.vd),
    "vfdiv": lambda o: arithmetic(double(o.va) / double(o.vb)),
    "vfdivm": lambda o: merged(o.pg, arithmetic(double(o.va) / double(o.vb)), o.vd),
    "vfmin": lambda o: extreme(min, o.va, o.vb),
    "vfmax": lambda o: extreme(max, o.va, o.vb),
    "vcmpeq": lambda o: o.va == o.vb,
    "vcmpeqm": lambda o: o.pg & (o.va == o.vb),
    "vcmplt": lambda o: signed(o.va) < signed(o.vb),
    "vcmpltu": lambda o: o.va < o.vb,
    "vcmple": lambda o: signed(o.va) <= signed(o.vb),
    "vcmpleu": lambda o: o.va <= o.vb,
    "vfcmpeq": lambda o: double(o.va) == double(o.vb),
    "vfcmplt": lambda o: double(o.va) < double(o.vb),
    "vfcmple": lambda o: double(o.va) <= double(o.vb),
    "vsel": lambda o: np.where(o.pg, o.va, o.vb),
    "vselz": lambda o: np.where(o.pg, o.va, ZERO),
    "vcvt.d.l": lambda o: signed(o.va).astype(np.float64).view(np.uint64),
    "vcvt.l.d": lambda o: to_integer(o.va),
}

LANES: dict[str, Callable[[Operands], Any]] = {
    "vsplat": lambda o: repeated(o.xa, o.lanes),
    "vfsplat": lambda o: repeated(o.fa, o.lanes),
    "vindex": lambda o: o.xa + np.arange(o.lanes, dtype=np.uint64) * o.xb,
    "vext": lambda o: o.va[[o.lane]],
    "vextx": lambda o: o.va[[int(o.xb[0]) % o.lanes]],
    "vfext": lambda o: o.va[[o.lane]],
    "vins": lambda o: replaced(o.vd, o.lane, o.xa),
    "vfins": lambda o: replaced(o.vd, o.lane, o.fa),
    "vbuild": lambda o: o.xa,
    "vfbuild": lambda o: o.fa,
    "vperm": lambda o: o.va[(o.vb % np.uint64(o.lanes)).astype(int)],
    "vrot": lambda o: np.roll(o.va, -o.lane),
    "vcompress": lambda o: compressed(o.va, o.pg),
    "vsum": lambda o: patterns([sum(o.va.tolist())]),
    "vredminu": lambda o: np.atleast_1d(o.va.min()),
    "vredmaxu": lambda o: np.atleast_1d(o.va.max()),
    "vfsum": lambda o: arithmetic(halves_sum(double(o.va))),
    "vfsumo": lambda o: arithmetic(np.add.accumulate(double(o.va))[-1]),
    "vfredmin": lambda o: extreme(min, *o.va[:, None]),
    "vfredmax": lambda o: extreme(max, *o.va[:, None]),
    "vfsumz": lambda o: arithmetic(halves_sum(double(np.where(o.pg, o.va, ZERO)))),
    "vmatch": lambda o: o.pg & np.isin(o.va, o.vb),
    "vintersect": lambda o: (np.isin(o.va, o.vb), np.isin(o.vb, o.va)),
}

PREDICATE: dict[str, Callable[[Operands], Any]] = {
    "ptrue": lambda o: np.ones(o.lanes, dtype=bool),
    "pfalse": lambda o: np.zeros(o.lanes, dtype=bool),
    "pwhilelt": lambda o: lanes_below(int(signed(o.xa)[0]), int(signed(o.xb)[0]), o.lanes),
    "pwhileltu": lambda o: lanes_below(int(o.xa[0]), int(o.xb[0]), o.lanes),
    "pmv": lambda o: o.pa,
    "pand": lambda o: o.pa & o.pb,
    "por": lambda o: o.pa | o.pb,
    "pxor": lambda o: o.pa ^ o.pb,
    "pandn": lambda o: o.pa & ~o.pb,
    "pnot": lambda o: ~o.pa,
    "pcnt": lambda o: patterns([np.count_nonzero(o.pa)]),
    "pfirst": lambda o: patterns([first_active(o.pa)]),
    "pany": lambda o: flag(o.pa.any()),
    "pall": lambda o: flag(o.pa.all()),
    "pbefore": lambda o: np.cumsum(o.pa) == 0,
    "pupto": lambda o: np.cumsum(o.pa) - o.pa == 0,
    "pmv.x.p": lambda o: patterns([int("".join("01"[int(p)] for p in o.pa[::-1]), 2)]),
    "pmv.p.x": lambda o: bits_as_flags(o.xa, o.lanes),
}

COMPUTE = INTEGER | FLOATING | VECTOR | LANES | PREDICATE
"""By mnemonic: an `Expected`, patterns, truth values, or a pair for two destinations."""

BRANCH: dict[str, Callable[[Operands], Any]] = {
    "beq": lambda o: o.xa == o.xb,
    "bne": lambda o: o.xa != o.xb,
    "blt": lambda o: signed(o.xa) < signed(o.xb),
    "bge": lambda o: signed(o.xa) >= signed(o.xb),
    "bltu": lambda o: o.xa < o.xb,
    "bgeu": lambda o: o.xa >= o.xb,
    "beqz": lambda o: o.xa == 0,
    "bnez": lambda o: o.xa != 0,
}
"""By mnemonic: whether the branch is taken."""


@dataclass(frozen=True)
class Movement:
    """What a load or store moves: memory type, and where it goes in the register.

    ``spread`` says that one element goes into every lane, ``merge`` that lanes that are off
    keep the old destination instead of becoming zero.
    """

    element: str
    spread: bool = False
    merge: bool = False


LOAD = {
    "ld": Movement("<i8"),
    "lw": Movement("<i4"),
    "lwu": Movement("<u4"),
    "fld": Movement("<i8"),
    "vld": Movement("<i8"),
    "vldw": Movement("<i4"),
    "vldwu": Movement("<u4"),
    "vldz": Movement("<i8"),
    "vldwuz": Movement("<u4"),
    "vldm": Movement("<i8", merge=True),
    "vldsplat": Movement("<i8", spread=True),
    "vldwusplat": Movement("<u4", spread=True),
    "vfldsplat": Movement("<i8", spread=True),
    "vgather": Movement("<i8", merge=True),
}
STORE = {
    "sd": Movement("<u8"),
    "sw": Movement("<u4"),
    "fsd": Movement("<u8"),
    "vst": Movement("<u8"),
    "vstm": Movement("<u8"),
    "vscatter": Movement("<u8"),
}
