"""Vector loads and stores.

An inactive lane makes no access at all: its address may be anything. A load's meaning
receives the lanes in memory order, with zero in the place of inactive ones.
"""

from __future__ import annotations

from isa.spec import Access, Kind, instruction
from isa.values import Floats, Ints, Lanes, Mask, blend


@instruction("vld", "vd, mem", "load.vec", kind=Kind.LOAD, access=Access("any", vector=True))
def vld(value: Lanes) -> Lanes:
    """Load W consecutive 64-bit lanes."""
    return value


@instruction("vldw", "vd, mem", "load.vec", kind=Kind.LOAD, access=Access("i32", vector=True))
def vldw(value: Ints) -> Ints:
    """Load W consecutive 32-bit integers and extend their signs."""
    return value


@instruction("vldwu", "vd, mem", "load.vec", kind=Kind.LOAD, access=Access("u32", vector=True))
def vldwu(value: Ints) -> Ints:
    """Load W consecutive 32-bit integers and extend them with zeros."""
    return value


@instruction(
    "vldz",
    "vd, pg, mem",
    "load.vec.masked",
    kind=Kind.LOAD,
    access=Access("any", vector=True, masked=True),
)
def vldz(_g: Mask, value: Lanes) -> Lanes:
    """Load the active ones of W consecutive lanes; inactive lanes are zero."""
    return value


@instruction(
    "vldwuz",
    "vd, pg, mem",
    "load.vec.masked",
    kind=Kind.LOAD,
    access=Access("u32", vector=True, masked=True),
)
def vldwuz(_g: Mask, value: Ints) -> Ints:
    """Load the active ones of W consecutive 32-bit integers, extended with zeros."""
    return value


@instruction(
    "vldm",
    "vd!, pg, mem",
    "load.vec.masked",
    kind=Kind.LOAD,
    access=Access("any", vector=True, masked=True),
)
def vldm(old: Lanes, g: Mask, value: Lanes) -> Lanes:
    """Load the active ones of W consecutive lanes; inactive lanes keep vd."""
    return blend(g, value, old)


@instruction("vldsplat", "vd, mem", "load.splat", kind=Kind.LOAD, access=Access("i64"))
def vldsplat(value: int, lanes: int) -> Ints:
    """Load one 64-bit integer into every lane."""
    return (value,) * lanes


@instruction("vldwusplat", "vd, mem", "load.splat", kind=Kind.LOAD, access=Access("u32"))
def vldwusplat(value: int, lanes: int) -> Ints:
    """Load one 32-bit integer, extended with zeros, into every lane."""
    return (value,) * lanes


@instruction("vfldsplat", "vd, mem", "load.splat", kind=Kind.LOAD, access=Access("f64"))
def vfldsplat(value: float, lanes: int) -> Floats:
    """Load one double into every lane."""
    return (value,) * lanes


@instruction(
    "vgather",
    "vd!, pg, vmem",
    "load.gather",
    kind=Kind.LOAD,
    access=Access("any", vector=True, masked=True, indexed=True),
)
def vgather(old: Lanes, g: Mask, value: Lanes) -> Lanes:
    """Load each active lane from its own address; inactive lanes keep vd."""
    return blend(g, value, old)


@instruction("vst", "va, mem", "store.vec", kind=Kind.STORE, access=Access("any", vector=True))
def vst(a: Lanes) -> Lanes:
    """Store W consecutive 64-bit lanes."""
    return a


@instruction(
    "vstm",
    "va, pg, mem",
    "store.vec.masked",
    kind=Kind.STORE,
    access=Access("any", vector=True, masked=True),
)
def vstm(a: Lanes, _g: Mask) -> Lanes:
    """Store the active ones of W consecutive lanes; memory under the others is untouched."""
    return a


@instruction(
    "vscatter",
    "va, pg, vmem",
    "store.scatter",
    kind=Kind.STORE,
    access=Access("any", vector=True, masked=True, indexed=True),
)
def vscatter(a: Lanes, _g: Mask) -> Lanes:
    """Store each active lane to its own address, lane 0 first: at one address the last wins."""
    return a
