"""The values that registers hold, and the total arithmetic on them.

=========  =====================================================================
register   Python value
=========  =====================================================================
``x``      ``int`` in [-2^63, 2^63): 64 bits, read as two's complement
``f``      ``float``: an IEEE 754 double
``v``      tuple of W lanes, all ``int`` or all ``float``; 64 bits each
``p``      ``int`` in [0, 2^W): bit i is lane i
=========  =====================================================================

A vector register holds bits. Which of the two Python types its lanes have is only a
matter of speed: an instruction that wants the other view converts bit for bit.

Arithmetic is total: nothing traps, and every operand has a defined result.

- Integers wrap modulo 2^64. A shift by a register takes its low six bits.
- Integer division truncates toward zero. By zero the quotient has all bits set (-1) and
  the remainder is the dividend; -2^63 / -1 wraps to -2^63, with remainder 0.
- Doubles follow IEEE 754, rounding to nearest, ties to even, with subnormals. x/0 is an
  infinity with the sign of the quotient, 0/0 and the root of a negative number are NaN.
  A fused multiply-add rounds once.
- Which NaN an arithmetic instruction returns is not defined; copies, selects, moves, sign
  changes, loads and stores keep every bit.
- Minimum and maximum of doubles prefer a number to a NaN and order -0.0 below +0.0.
- A double becomes an integer by truncation; what is out of range saturates, NaN gives 0.
- Lane numbers from registers count modulo W. Inactive lanes compute nothing.
"""

from __future__ import annotations

import math
import struct
from typing import TypeAlias

Ints: TypeAlias = tuple[int, ...]
"""Vector lanes seen as 64-bit integers."""

Floats: TypeAlias = tuple[float, ...]
"""Vector lanes seen as doubles."""

Lanes: TypeAlias = tuple[int, ...] | tuple[float, ...]
"""Vector lanes in either view: the instruction moves bits and does not look at them."""

Mask: TypeAlias = int
"""Predicate bits, lane 0 in bit 0."""

Value: TypeAlias = int | float | tuple[int, ...] | tuple[float, ...]

MASK64 = (1 << 64) - 1
SIGN64 = 1 << 63
INT_MIN = -SIGN64
INT_MAX = SIGN64 - 1

_DOUBLE = struct.Struct("<d")
_INT64 = struct.Struct("<q")


def wrap(value: int) -> int:
    """Reduce an integer modulo 2^64 to the two's complement range."""
    return value if INT_MIN <= value <= INT_MAX else ((value + SIGN64) & MASK64) - SIGN64


def unsigned(value: int) -> int:
    """Read a 64-bit integer as unsigned: a value in [0, 2^64)."""
    return value & MASK64


def bits_of(value: float) -> int:
    """Return the bits of a double as a signed 64-bit integer."""
    result: int = _INT64.unpack(_DOUBLE.pack(value))[0]
    return result


def double_of(bits: int) -> float:
    """Return the double whose bits are a signed 64-bit integer."""
    result: float = _DOUBLE.unpack(_INT64.pack(bits))[0]
    return result


def as_ints(lanes: Lanes) -> Ints:
    """View vector lanes as 64-bit integers, bit for bit."""
    if isinstance(lanes[0], int):
        return lanes  # type: ignore[return-value]  # lanes are of one type throughout
    return tuple(bits_of(lane) for lane in lanes)


def as_floats(lanes: Lanes) -> Floats:
    """View vector lanes as doubles, bit for bit."""
    if isinstance(lanes[0], float):
        return lanes
    return tuple(double_of(lane) for lane in lanes)  # type: ignore[arg-type]  # as above


def quotient(dividend: int, divisor: int) -> int:
    """Signed division that truncates toward zero; by zero it gives -1 (as RISC-V's div)."""
    if divisor == 0:
        return -1
    magnitude = abs(dividend) // abs(divisor)
    return wrap(-magnitude if (dividend < 0) != (divisor < 0) else magnitude)


def remainder(dividend: int, divisor: int) -> int:
    """Signed remainder with the dividend's sign; by zero it gives the dividend."""
    if divisor == 0:
        return dividend
    magnitude = abs(dividend) % abs(divisor)
    return -magnitude if dividend < 0 else magnitude


def unsigned_quotient(dividend: int, divisor: int) -> int:
    """Unsigned division; by zero it gives all ones (as RISC-V's divu)."""
    return -1 if divisor == 0 else wrap(unsigned(dividend) // unsigned(divisor))


def unsigned_remainder(dividend: int, divisor: int) -> int:
    """Unsigned remainder; by zero it gives the dividend."""
    return dividend if divisor == 0 else wrap(unsigned(dividend) % unsigned(divisor))


def fdivide(dividend: float, divisor: float) -> float:
    """IEEE 754 division: x/0 is an infinity, 0/0 is NaN, and nothing is raised."""
    if divisor != 0.0:
        return dividend / divisor
    if dividend == 0.0 or math.isnan(dividend):
        return math.nan
    return math.copysign(math.inf, dividend) * math.copysign(1.0, divisor)


def fmultiply_add(a: float, b: float, c: float) -> float:
    """Return a * b + c with one rounding, as IEEE 754 ``fusedMultiplyAdd`` asks.

    Finite operands are added as ratios of integers, whose quotient Python rounds
    correctly; ``math.fma`` exists from Python 3.13 only.
    """
    if not (math.isfinite(a) and math.isfinite(b)):
        return a * b + c
    if not math.isfinite(c):
        return c
    (an, ad), (bn, bd), (cn, cd) = (v.as_integer_ratio() for v in (a, b, c))
    numerator, denominator = an * bn * cd + cn * ad * bd, ad * bd * cd
    if numerator == 0:
        return a * b + c if an * bn == 0 else 0.0
    try:
        return numerator / denominator
    except OverflowError:
        return math.inf if numerator > 0 else -math.inf


def fminimum(a: float, b: float) -> float:
    """IEEE 754-2019 ``minimumNumber``: a NaN loses to a number, and -0.0 is below +0.0."""
    if math.isnan(a):
        return b
    if math.isnan(b):
        return a
    if a == b:
        return a if math.copysign(1.0, a) < 0 else b
    return min(a, b)


def fmaximum(a: float, b: float) -> float:
    """IEEE 754-2019 ``maximumNumber``: a NaN loses to a number, and +0.0 is above -0.0."""
    if math.isnan(a):
        return b
    if math.isnan(b):
        return a
    if a == b:
        return a if math.copysign(1.0, a) > 0 else b
    return max(a, b)


def fsquare_root(value: float) -> float:
    """Square root; of a negative number it is NaN, of -0.0 it is -0.0."""
    return math.sqrt(value) if value >= 0.0 else math.nan


def truncate(value: float) -> int:
    """Convert a double to a 64-bit integer toward zero; saturates, and NaN gives 0."""
    if math.isnan(value):
        return 0
    if value >= 2.0**63:
        return INT_MAX
    if value < -(2.0**63):
        return INT_MIN
    return int(value)


def blend(mask: Mask, active: Lanes, inactive: Lanes) -> Lanes:
    """Take lane i of ``active`` where bit i of ``mask`` is set, else of ``inactive``.

    The result has the view of ``active``.
    """
    if isinstance(active[0], int):
        return tuple(
            lane if mask >> i & 1 else other
            for i, (lane, other) in enumerate(zip(active, as_ints(inactive), strict=True))
        )
    return tuple(
        lane if mask >> i & 1 else other
        for i, (lane, other) in enumerate(zip(active, as_floats(inactive), strict=True))
    )


def mask_of(flags: list[bool]) -> Mask:
    """Pack one truth value for each lane into predicate bits."""
    bits = 0
    for lane, flag in enumerate(flags):
        if flag:
            bits |= 1 << lane
    return bits


def tree_sum(lanes: Floats) -> float:
    """Sum lanes pairwise, upper half onto lower half: (a0 + a2) + (a1 + a3) for four lanes."""
    while len(lanes) > 1:
        half = len(lanes) // 2
        lanes = tuple(lanes[i] + lanes[i + half] for i in range(half))
    return lanes[0]
