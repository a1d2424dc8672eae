"""Scalar loads and stores.

An address is ``offset + base + index * scale``, computed modulo 2^64. It need not be
aligned, but every byte must lie inside one array.
"""

from __future__ import annotations

from isa.spec import Access, Kind, instruction


@instruction("ld", "xd, mem", "load.int", kind=Kind.LOAD, access=Access("i64"))
def ld(value: int) -> int:
    """Load a 64-bit integer."""
    return value


@instruction("lw", "xd, mem", "load.int", kind=Kind.LOAD, access=Access("i32"))
def lw(value: int) -> int:
    """Load a 32-bit integer and extend its sign."""
    return value


@instruction("lwu", "xd, mem", "load.int", kind=Kind.LOAD, access=Access("u32"))
def lwu(value: int) -> int:
    """Load a 32-bit integer and extend it with zeros."""
    return value


@instruction("fld", "fd, mem", "load.fp", kind=Kind.LOAD, access=Access("f64"))
def fld(value: float) -> float:
    """Load a double."""
    return value


@instruction("sd", "xa, mem", "store.int", kind=Kind.STORE, access=Access("i64"))
def sd(a: int) -> int:
    """Store a 64-bit integer."""
    return a


@instruction("sw", "xa, mem", "store.int", kind=Kind.STORE, access=Access("i32"))
def sw(a: int) -> int:
    """Store the low 32 bits of an integer."""
    return a


@instruction("fsd", "fa, mem", "store.fp", kind=Kind.STORE, access=Access("f64"))
def fsd(a: float) -> float:
    """Store a double."""
    return a
