"""Strategies for one instruction: its operands, and what registers and memory hold."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from hypothesis import strategies as st
from strategies import arguments, chosen, pools, words

from isa.memory import ELEMENTS
from isa.operands import FILES, LANE_COUNTS, SINK, Address, register_name
from isa.program import Instruction, dataflow
from isa.table import Spec

State = dict[int, tuple[int, ...]]
"""64-bit patterns by flat register: W for a vector register, predicate bits as one."""


@st.composite
def states(draw: st.DrawFn, spec: Spec) -> tuple[int, Instruction, State]:
    """A number of lanes, an instruction of an entry without labels, and its registers.

    Operands are often the same register, and often x0, which is left out of the state.
    """
    lanes = draw(st.sampled_from(LANE_COUNTS))
    drawn = []
    for operand in spec.operands:
        any_one = arguments(spec, operand, lanes, 1, [])
        drawn.append(draw(_close(operand.kind) | any_one if operand.is_register else any_one))
    instruction = Instruction(spec, tuple(drawn))
    flow = dataflow(instruction, lanes)
    used = sorted({*flow.reads, *flow.writes} - {0, SINK})
    pool = draw(pools())
    choice = draw(st.binary(min_size=lanes * len(used), max_size=lanes * len(used)))
    state = {}
    for position, register in enumerate(used):
        picked = choice[position * lanes : (position + 1) * lanes]
        file = register_name(register)[0]
        if file == "p":
            state[register] = (_mask(picked),)
        else:
            state[register] = chosen(picked if file == "v" else picked[:1], pool)
    return lanes, instruction, state


def _mask(choice: bytes) -> int:
    """Turn a byte for each lane into predicate bits: often none or all of them."""
    if choice[0] % 4 < 2:
        return choice[0] % 4 * (2 ** len(choice) - 1)
    return sum((byte >> 2 & 1) << lane for lane, byte in enumerate(choice))


@cache
def _close(file: str) -> st.SearchStrategy[int]:
    """The first registers of a file, so that operands are often the same one."""
    first = FILES[file][0]
    return st.integers(first, first + 2)


IMAGE_BYTES = 192
"""Size of the array that `accesses` is about: wider than any vector, at odd places too."""


@dataclass(frozen=True)
class AccessCase:
    """A load or store on one array, and what it must touch.

    ``places`` are the offsets of each element in the array, None for a lane that is off;
    ``address`` and ``state`` reach them through base, index, scale and displacement.
    """

    lanes: int
    element: str
    image: bytes
    address: Address
    state: State
    places: tuple[int | None, ...]
    mask: int


BASE, INDEX, VECTOR_INDEX, GOVERNOR = 5, 6, FILES["v"][0] + 6, FILES["p"][0] + 1
"""Registers of an `AccessCase`."""


@st.composite
def accesses(draw: st.DrawFn, spec: Spec, origin: int) -> AccessCase:
    """An access of a load or store entry on an array of `IMAGE_BYTES` at ``origin``.

    Lanes that would be outside the array are off; a lane that is off may be anywhere.
    """
    access = spec.access
    assert access is not None
    lanes = draw(st.sampled_from(LANE_COUNTS))
    count = lanes if access.vector else 1
    most = IMAGE_BYTES - access.size
    mask = draw(st.integers(0, 2**count - 1)) if access.masked else 2**count - 1
    scale = draw(st.sampled_from([1, 2, 4, 8]))
    displacement = draw(st.integers(-(2**31), 2**31 - 1))
    state: State = {}
    if access.indexed:
        index, places = _scattered(draw, count, mask, scale, most)
        base, state[VECTOR_INDEX] = origin - displacement, index
        address = Address(BASE, VECTOR_INDEX, scale, displacement)
    else:
        low, high = (-128, most + 128) if access.masked else (0, most - (count - 1) * access.size)
        first = draw(st.integers(low, high))
        at = [first + lane * access.size for lane in range(count)]
        on = [mask >> lane & 1 and 0 <= place <= most for lane, place in enumerate(at)]
        places = tuple(place if flag else None for place, flag in zip(at, on, strict=True))
        stride = draw(words()) if draw(st.booleans()) else None
        base = origin + first - displacement - (0 if stride is None else stride * scale)
        address = Address(BASE, None if stride is None else INDEX, scale, displacement)
        state[INDEX] = (stride or 0,)
    state[BASE] = (base % 2**64,)
    mask = sum(1 << lane for lane, place in enumerate(places) if place is not None)
    state[GOVERNOR] = (mask,)
    image = draw(st.binary(min_size=IMAGE_BYTES, max_size=IMAGE_BYTES))
    element = draw(st.sampled_from(sorted(ELEMENTS)))
    return AccessCase(lanes, element, image, address, state, places, mask)


def _scattered(
    draw: st.DrawFn, count: int, mask: int, scale: int, most: int
) -> tuple[tuple[int, ...], tuple[int | None, ...]]:
    """Index lanes, and where each points: active ones into the array, the others anywhere."""
    index, places = [], []
    for lane in range(count):
        step = draw(st.integers(0, most // scale))
        active = mask >> lane & 1
        # Multiples of 2^64 / scale vanish from the address: it is computed modulo 2^64.
        index.append(
            (step + draw(st.integers(0, scale - 1)) * (2**64 // scale)) % 2**64
            if active
            else draw(words())
        )
        places.append(step * scale if active else None)
    return tuple(index), tuple(places)
