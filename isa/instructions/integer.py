"""Scalar integer instructions. Results wrap modulo 2^64."""

from __future__ import annotations

from isa.memory import Array
from isa.spec import instruction
from isa.values import (
    MASK64,
    quotient,
    remainder,
    unsigned,
    unsigned_quotient,
    unsigned_remainder,
    wrap,
)


@instruction("nop", "", "nop")
def nop() -> None:
    """Do nothing."""


@instruction("li", "xd, imm", "int.alu")
def li(imm: int) -> int:
    """Set xd to a 64-bit constant."""
    return imm


@instruction("la", "xd, array", "int.alu")
def la(array: Array) -> int:
    """Set xd to the address of an array's first element."""
    return array.base


@instruction("len", "xd, array", "int.alu")
def length(array: Array) -> int:
    """Set xd to the number of elements of an array."""
    return array.count


@instruction("lanes", "xd", "int.alu")
def lanes_of(lanes: int) -> int:
    """Set xd to W, the number of lanes."""
    return lanes


@instruction("mv", "xd, xa", "int.move")
def mv(a: int) -> int:
    """Copy xa."""
    return a


@instruction("add", "xd, xa, xb", "int.alu")
def add(a: int, b: int) -> int:
    """xa + xb."""
    return wrap(a + b)


@instruction("addi", "xd, xa, imm", "int.alu")
def addi(a: int, imm: int) -> int:
    """xa + imm."""
    return wrap(a + imm)


@instruction("sub", "xd, xa, xb", "int.alu")
def sub(a: int, b: int) -> int:
    """xa - xb."""
    return wrap(a - b)


@instruction("and", "xd, xa, xb", "int.alu")
def and_(a: int, b: int) -> int:
    """Bitwise and."""
    return a & b


@instruction("andi", "xd, xa, imm", "int.alu")
def andi(a: int, imm: int) -> int:
    """Bitwise and with a constant."""
    return a & imm


@instruction("or", "xd, xa, xb", "int.alu")
def or_(a: int, b: int) -> int:
    """Bitwise or."""
    return a | b


@instruction("ori", "xd, xa, imm", "int.alu")
def ori(a: int, imm: int) -> int:
    """Bitwise or with a constant."""
    return a | imm


@instruction("xor", "xd, xa, xb", "int.alu")
def xor(a: int, b: int) -> int:
    """Bitwise exclusive or."""
    return a ^ b


@instruction("xori", "xd, xa, imm", "int.alu")
def xori(a: int, imm: int) -> int:
    """Bitwise exclusive or with a constant."""
    return a ^ imm


@instruction("sll", "xd, xa, xb", "int.shift")
def sll(a: int, b: int) -> int:
    """Shift left by the low six bits of xb."""
    return wrap(a << (b & 63))


@instruction("slli", "xd, xa, shift", "int.shift")
def slli(a: int, shift: int) -> int:
    """Shift left by a constant from 0 to 63."""
    return wrap(a << shift)


@instruction("srl", "xd, xa, xb", "int.shift")
def srl(a: int, b: int) -> int:
    """Shift right by the low six bits of xb, zeros coming in."""
    return wrap(unsigned(a) >> (b & 63))


@instruction("srli", "xd, xa, shift", "int.shift")
def srli(a: int, shift: int) -> int:
    """Shift right by a constant from 0 to 63, zeros coming in."""
    return wrap(unsigned(a) >> shift)


@instruction("sra", "xd, xa, xb", "int.shift")
def sra(a: int, b: int) -> int:
    """Shift right by the low six bits of xb, the sign coming in."""
    return a >> (b & 63)


@instruction("srai", "xd, xa, shift", "int.shift")
def srai(a: int, shift: int) -> int:
    """Shift right by a constant from 0 to 63, the sign coming in."""
    return a >> shift


@instruction("mul", "xd, xa, xb", "int.mul")
def mul(a: int, b: int) -> int:
    """Low 64 bits of the product."""
    return wrap(a * b)


@instruction("div", "xd, xa, xb", "int.div")
def div(a: int, b: int) -> int:
    """Signed quotient toward zero; by zero it is -1, and the overflow -2^63 / -1 wraps."""
    return quotient(a, b)


@instruction("divu", "xd, xa, xb", "int.div")
def divu(a: int, b: int) -> int:
    """Unsigned quotient; by zero all bits are set."""
    return unsigned_quotient(a, b)


@instruction("rem", "xd, xa, xb", "int.div")
def rem(a: int, b: int) -> int:
    """Signed remainder with the sign of xa; by zero it is xa."""
    return remainder(a, b)


@instruction("remu", "xd, xa, xb", "int.div")
def remu(a: int, b: int) -> int:
    """Unsigned remainder; by zero it is xa."""
    return unsigned_remainder(a, b)


@instruction("min", "xd, xa, xb", "int.minmax")
def min_(a: int, b: int) -> int:
    """Signed minimum."""
    return a if a < b else b


@instruction("max", "xd, xa, xb", "int.minmax")
def max_(a: int, b: int) -> int:
    """Signed maximum."""
    return a if a > b else b


@instruction("minu", "xd, xa, xb", "int.minmax")
def minu(a: int, b: int) -> int:
    """Unsigned minimum."""
    return a if a & MASK64 < b & MASK64 else b


@instruction("maxu", "xd, xa, xb", "int.minmax")
def maxu(a: int, b: int) -> int:
    """Unsigned maximum."""
    return a if a & MASK64 > b & MASK64 else b


@instruction("seq", "xd, xa, xb", "int.set")
def seq(a: int, b: int) -> int:
    """1 if xa = xb, else 0."""
    return 1 if a == b else 0


@instruction("sne", "xd, xa, xb", "int.set")
def sne(a: int, b: int) -> int:
    """1 if xa differs from xb, else 0."""
    return 1 if a != b else 0


@instruction("slt", "xd, xa, xb", "int.set")
def slt(a: int, b: int) -> int:
    """1 if xa < xb (signed), else 0."""
    return 1 if a < b else 0


@instruction("sle", "xd, xa, xb", "int.set")
def sle(a: int, b: int) -> int:
    """1 if xa <= xb (signed), else 0."""
    return 1 if a <= b else 0


@instruction("sltu", "xd, xa, xb", "int.set")
def sltu(a: int, b: int) -> int:
    """1 if xa < xb (unsigned), else 0."""
    return 1 if a & MASK64 < b & MASK64 else 0


@instruction("sleu", "xd, xa, xb", "int.set")
def sleu(a: int, b: int) -> int:
    """1 if xa <= xb (unsigned), else 0."""
    return 1 if a & MASK64 <= b & MASK64 else 0


@instruction("slti", "xd, xa, imm", "int.set")
def slti(a: int, imm: int) -> int:
    """1 if xa < imm (signed), else 0."""
    return 1 if a < imm else 0


@instruction("csel", "xd, xa, xb, xc", "int.select")
def csel(a: int, b: int, c: int) -> int:
    """xa if xc is not zero, else xb."""
    return a if c else b


@instruction("popcnt", "xd, xa", "int.bits")
def popcnt(a: int) -> int:
    """Number of bits set."""
    return unsigned(a).bit_count()


@instruction("ctz", "xd, xa", "int.bits")
def ctz(a: int) -> int:
    """Number of zero bits below the lowest one; 64 for zero."""
    return (a & -a).bit_length() - 1 if a else 64


@instruction("clz", "xd, xa", "int.bits")
def clz(a: int) -> int:
    """Number of zero bits above the highest one; 64 for zero."""
    return 64 - unsigned(a).bit_length()
