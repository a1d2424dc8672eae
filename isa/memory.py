"""A flat address space of named, typed, bounds-checked arrays.

Memory is one flat, little-endian address space. Arrays start on 64-byte lines and are kept
apart by guards wider than any vector, so that an access whose first and last byte are
mapped lies inside one array. Address 0 is never mapped.

An address is computed modulo 2^64; nothing is cut to 32 bits on the way. It need not be
aligned. Memory holds bytes: an access may read part of an element, or several, whatever
the element type of the array. Every byte of an access must lie inside one array;
otherwise the program stops with an error, and nothing is stored. An inactive lane makes
no access, so its address may be anything.
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast

from isa.errors import InputError, LimitError
from isa.values import Floats, Ints, wrap

Code: TypeAlias = Literal["q", "i", "I", "d"]
Elements: TypeAlias = "memoryview[int] | memoryview[float]"

ELEMENTS: dict[str, tuple[int, Code]] = {
    "i64": (8, "q"),
    "i32": (4, "i"),
    "u32": (4, "I"),
    "f64": (8, "d"),
}
"""Element type: size in bytes and code for `struct` and `memoryview.cast`."""

_SAME_BITS = {"i64": "ql", "i32": "il", "u32": "IL", "f64": "d"}
"""Formats of a buffer whose bytes an array of that type can take as they are."""

LINE = 64
GUARD = 256
DEFAULT_LIMIT = 2**30
_FIRST = 4096
_F64 = 2
_OTHER = 1


class MemoryFault(Exception):  # noqa: N818  # the architecture calls it a fault
    """An access outside every array; the interpreter says which instruction made it."""

    def __init__(self, address: int, size: int, write: bool) -> None:
        super().__init__(address, size, write)
        self.address = address
        self.size = size
        self.write = write


@dataclass(frozen=True, slots=True)
class Array:
    """Where a named array lies: ``count`` elements of type ``element`` from ``base``."""

    name: str
    element: str
    count: int
    base: int

    @property
    def size(self) -> int:
        """Bytes."""
        return self.count * ELEMENTS[self.element][0]


class Memory:
    """The arrays of one run.

    Parameters
    ----------
    arrays : sequence of (name, element type, count)
        Laid out in this order, filled with zeros.
    limit : int
        Bytes that all arrays may take together; refused before anything is allocated.
    """

    def __init__(self, arrays: Sequence[tuple[str, str, int]], limit: int = DEFAULT_LIMIT) -> None:
        self.arrays: dict[str, Array] = {}
        end = _FIRST
        for name, element, count in arrays:
            array = Array(name, element, count, end)
            self.arrays[name] = array
            end = (end + array.size + GUARD + LINE - 1) // LINE * LINE
        needed = sum(array.size for array in self.arrays.values())
        if needed > limit:
            largest = max(self.arrays.values(), key=lambda array: array.size)
            raise LimitError(
                f"the arrays need {needed:,} bytes and the limit is {limit:,}; the largest is "
                f"'{largest.name}' with {largest.count:,} elements of type {largest.element}"
            )
        self._bytes = bytearray(end)
        self._owner = bytearray(end // 4)
        whole = memoryview(self._bytes)
        self._views = {code: whole.cast(code) for _, code in ELEMENTS.values()}
        for array in self.arrays.values():
            mark = _F64 if array.element == "f64" else _OTHER
            first, last = array.base // 4, (array.base + array.size) // 4
            self._owner[first:last] = bytes([mark]) * (last - first)
        self._bases = [array.base for array in self.arrays.values()]

    def view(self, name: str) -> memoryview:
        """Return the elements of an array as a writable typed view without copying."""
        array = self.arrays[name]
        code = ELEMENTS[array.element][1]
        elements: Any = memoryview(self._bytes)[array.base : array.base + array.size].cast(code)
        return cast("memoryview", elements)  # of int or float: readers know the array's type

    def fill(self, name: str, values: Sequence[int | float] | Elements) -> None:
        """Copy values into an array from its first element on.

        Raises
        ------
        InputError
            If there are more or fewer values than elements, or one does not fit.
        """
        array = self.arrays[name]
        if len(values) != array.count:
            raise InputError(
                f"array '{name}' has {array.count} elements, but {len(values)} values were given"
            )
        code = ELEMENTS[array.element][1]
        if (
            isinstance(values, memoryview)
            and values.format in _SAME_BITS[array.element]
            and values.nbytes == array.size
            and values.c_contiguous
        ):
            self._bytes[array.base : array.base + array.size] = values.cast("B")
            return
        try:
            packed = struct.pack(f"<{array.count}{code}", *values)
        except (struct.error, OverflowError) as error:
            raise InputError(
                f"a value does not fit array '{name}' of {array.element}: {error}"
            ) from None
        self._bytes[array.base : array.base + array.size] = packed

    def load(self, address: int, element: str) -> int | float:
        """Load one element; the address may be unaligned."""
        size, code = ELEMENTS[element]
        self._check(address, size, write=False)
        if address % size == 0:
            value: int | float = self._views[code][address // size]
            return value
        unaligned: int | float = struct.unpack_from("<" + code, self._bytes, address)[0]
        return unaligned

    def store(self, address: int, element: str, value: float) -> None:
        """Store one element; of an integer the low 32 bits where the element has 32."""
        size, code = ELEMENTS[element]
        self._check(address, size, write=True)
        if size == 4:
            struct.pack_into("<I", self._bytes, address, int(value) & 0xFFFFFFFF)
        else:
            struct.pack_into("<" + code, self._bytes, address, value)

    def load_lanes(self, address: int, element: str, lanes: int) -> Ints | Floats:
        """Load consecutive elements; with ``any``, in the type of the array's elements."""
        if element == "any":
            element = self.type_at(address)
        size, code = ELEMENTS[element]
        self._check(address, size * lanes, write=False)
        if address % size == 0:
            first = address // size
            return tuple(self._views[code][first : first + lanes])
        return struct.unpack_from(f"<{lanes}{code}", self._bytes, address)

    def store_lanes(self, address: int, values: Ints | Floats) -> None:
        """Store consecutive 64-bit lanes bit for bit."""
        self._check(address, 8 * len(values), write=True)
        code = "d" if isinstance(values[0], float) else "q"
        struct.pack_into(f"<{len(values)}{code}", self._bytes, address, *values)

    def type_at(self, address: int) -> str:
        """Return ``f64`` where an address lies in an array of doubles, else ``i64``."""
        granule = address >> 2
        return "f64" if granule < len(self._owner) and self._owner[granule] == _F64 else "i64"

    def nearest(self, address: int) -> Array | None:
        """Return the array that holds an address or, failing that, is closest to it.

        The upper half of the address space counts as negative: it lies before all arrays.
        """
        if not self._bases:
            return None
        address = wrap(address)
        position = bisect_right(self._bases, address)
        candidates = list(self.arrays.values())[max(0, position - 1) : position + 1]

        def distance(array: Array) -> int:
            if address < array.base:
                return array.base - address
            return max(0, address - (array.base + array.size) + 1)

        return min(candidates, key=distance)

    def holds(self, address: int, size: int) -> bool:
        """Whether ``size`` bytes at an address lie inside one array."""
        last = (address + size - 1) >> 2
        owner = self._owner
        return last < len(owner) and owner[address >> 2] != 0 and owner[last] != 0

    def _check(self, address: int, size: int, write: bool) -> None:
        if not self.holds(address, size):
            raise MemoryFault(address, size, write)
