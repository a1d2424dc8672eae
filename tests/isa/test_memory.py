"""Memory: every byte of an access lies in one array, or the program stops and says why."""

from __future__ import annotations

import struct
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isa.assembler import assemble
from isa.errors import InputError, LimitError
from isa.interpreter import Machine, ProgramFault
from isa.memory import ELEMENTS, GUARD, LINE, Memory, MemoryFault
from isa.operands import LANE_COUNTS

ACCESSES = {
    "ld x7, ({})": 8,
    "lw x7, ({})": 4,
    "lwu x7, ({})": 4,
    "fld f7, ({})": 8,
    "sd x7, ({})": 8,
    "sw x7, ({})": 4,
    "fsd f7, ({})": 8,
    "vld v7, ({})": 32,
    "vldw v7, ({})": 16,
    "vldwu v7, ({})": 16,
    "vst v7, ({})": 32,
    "vldsplat v7, ({})": 8,
    "vldwusplat v7, ({})": 4,
    "vfldsplat v7, ({})": 8,
}
"""Bytes of each contiguous access at four lanes."""


def run_at(access: str, offset: int) -> int:
    """Access array a at an offset; return how many instructions were executed."""
    text = f".array a, i32, 10\n.array b, i32, 10\nla x5, a\n{access.format('x5')}\nhalt"
    return Machine(assemble(text.replace("(x5)", f"{offset}(x5)"))).run()


@pytest.mark.parametrize("access", ACCESSES)
def test_an_access_may_start_and_end_with_the_array(access: str) -> None:
    size = ACCESSES[access]
    for offset in (0, 1, 40 - size):
        assert run_at(access, offset) == 3


@pytest.mark.parametrize("access", ACCESSES)
@pytest.mark.parametrize("beyond", ["before", "behind"])
def test_an_access_one_byte_outside_an_array_faults(access: str, beyond: str) -> None:
    offset = -1 if beyond == "before" else 40 - ACCESSES[access] + 1
    with pytest.raises(ProgramFault, match="outside every array; nearest is 'a'"):
        run_at(access, offset)


@pytest.mark.parametrize("access", ACCESSES)
@pytest.mark.parametrize("address", [-1, -8, -(2**63), 2**63 - 1, 2**31, 4095, 1])
def test_a_wild_address_faults(access: str, address: int) -> None:
    text = f".array a, i32, 10\nli x5, {address}\n{access.format('x5')}\nhalt"
    with pytest.raises(ProgramFault, match=f" at {address % 2**64:#x}, outside every array"):
        Machine(assemble(text)).run()


def test_an_access_that_wraps_around_the_end_of_the_address_space_faults() -> None:
    with pytest.raises(ProgramFault, match="at 0xfffffffffffffffc"):
        Machine(assemble(".array a, i64, 1\nld x7, -4(x0)\nhalt")).run()


def test_an_address_computed_modulo_2_to_the_64_reaches_its_array() -> None:
    machine = Machine(
        assemble(
            """
            .data a, i64, 1, 2, 3
                la  x5, a
                li  x6, 1 << 62          # times 8 this is 0 modulo 2^64
                ld  x7, 8(x5, x6*8)
                li  x6, -1
                ld  x8, 24(x5, x6*8)
                halt
            """
        )
    )
    machine.run()
    assert machine.registers[7:9] == [2, 3]


def test_the_message_names_instruction_line_address_and_nearest_array() -> None:
    machine = Machine(
        assemble(
            ".data a, i64, 1, 2\n.data b, f64, 1.0, 2.0, 3.0\nla x5, b\n"
            "loop: fld f1, 24(x5)   # one too far\nhalt",
            name="sum.s",
        )
    )
    base = machine.memory.arrays["b"].base
    with pytest.raises(ProgramFault) as caught:
        machine.run()
    assert str(caught.value) == (
        f"sum.s:4: 'loop: fld f1, 24(x5)   # one too far' loads 8 bytes at {base + 24:#x}, "
        f"outside every array; nearest is 'b' (3 x f64, 24 bytes from {base:#x})"
    )


@pytest.mark.parametrize(
    ("address", "nearest"),
    [(0, "a"), (-1, "a"), (-(2**63), "a"), (2**63 - 1, "b"), (2**40, "b")],
)
def test_the_nearest_array_is_the_closest_with_the_upper_half_below_zero(
    address: int, nearest: str
) -> None:
    memory = Memory([("a", "i64", 1), ("b", "i64", 1)])
    array = memory.nearest(address % 2**64)
    assert array is not None
    assert array.name == nearest


def test_between_two_arrays_the_nearer_one_is_named() -> None:
    memory = Memory([("a", "i64", 2), ("b", "i64", 2)])
    a, b = memory.arrays["a"], memory.arrays["b"]
    middle = (a.base + a.size + b.base) // 2
    for address, name in ((a.base + a.size, "a"), (middle - 8, "a"), (middle + 8, "b")):
        array = memory.nearest(address)
        assert array is not None
        assert array.name == name


@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("count", [0, 1, 3, 100])
def test_exactly_the_bytes_of_an_array_are_mapped(element: str, count: int) -> None:
    memory = Memory([("before", "u32", 1), ("a", element, count), ("behind", "f64", 1)])
    array = memory.arrays["a"]
    around = range(array.base - GUARD, array.base + array.size + GUARD)
    held = {at for at in around if memory.holds(at, 1)}
    assert held == set(range(array.base, array.base + array.size))


@given(st.lists(st.tuples(st.sampled_from(sorted(ELEMENTS)), st.integers(0, 40)), max_size=5))
def test_arrays_are_aligned_and_too_far_apart_for_one_access(
    shapes: list[tuple[str, int]],
) -> None:
    memory = Memory([(f"a{i}", element, count) for i, (element, count) in enumerate(shapes)])
    arrays = list(memory.arrays.values())
    widest = 8 * max(LANE_COUNTS)
    assert all(array.base % LINE == 0 and array.base > widest for array in arrays)
    for first, second in pairwise(arrays):
        assert second.base - (first.base + first.size) >= widest


def test_a_huge_array_is_refused_before_anything_is_allocated() -> None:
    program = assemble(".array small, i64, 4\n.array huge, f64, 1 << 60\nhalt")
    with pytest.raises(LimitError) as caught:
        Machine(program)
    assert caught.value.exit_code == 3
    assert "the largest is 'huge' with 1,152,921,504,606,846,976 elements of type f64" in str(
        caught.value
    )


def test_the_memory_limit_counts_all_arrays_to_the_byte() -> None:
    program = assemble(".array a, i64, 4\n.array b, u32, 4\nhalt")
    Machine(program, memory_limit=48)
    with pytest.raises(LimitError, match="need 48 bytes and the limit is 47"):
        Machine(program, memory_limit=47)


@given(st.binary(min_size=24, max_size=24), st.integers(0, 16), st.sampled_from(sorted(ELEMENTS)))
def test_an_unaligned_load_reads_the_bytes_there(image: bytes, offset: int, element: str) -> None:
    memory = Memory([("a", "i64", 3)])
    memory.view("a").cast("B")[:] = image
    code = ELEMENTS[element][1]
    (expected,) = struct.unpack_from("<" + code, image, offset)
    found = memory.load(memory.arrays["a"].base + offset, element)
    assert struct.pack("<" + code, found) == struct.pack("<" + code, expected)
    assert type(found) is type(expected)


@pytest.mark.parametrize("offset", range(-3, 8))
def test_a_load_gets_the_right_bytes_of_a_store_that_it_overlaps_in_part(offset: int) -> None:
    stored = 0x0807060504030201
    machine = Machine(
        assemble(
            f"""
            .array a, i64, 4
                la  x5, a
                li  x6, {stored}
                sd  x6, 8(x5)
                lwu x7, {8 + offset}(x5)
                ld  x8, {8 + offset}(x5)
                halt
            """
        )
    )
    machine.run()
    image = bytes(8) + stored.to_bytes(8, "little") + bytes(16)
    at = 8 + offset
    assert machine.registers[7] == int.from_bytes(image[at : at + 4], "little")
    assert machine.registers[8] == int.from_bytes(image[at : at + 8], "little")


def test_the_two_partial_overlaps_of_8_bytes_stored_are_right() -> None:
    machine = Machine(
        assemble(
            """
            .data a, i64, 0x1111111122222222, 0
                la  x5, a
                li  x6, 0x3333333344444444
                sd  x6, 8(x5)
                lwu x7, 12(x5)           # upper half of what was stored
                ld  x8, 4(x5)            # half old, half new
                halt
            """
        )
    )
    machine.run()
    assert machine.registers[7:9] == [0x33333333, 0x4444444411111111]


@pytest.mark.parametrize(
    ("element", "given_value", "kept"),
    [("i32", 2**31, -(2**31)), ("i32", -1, -1), ("u32", -1, 2**32 - 1), ("u32", 2**32 + 5, 5)],
)
def test_a_store_of_32_bits_keeps_the_low_ones(element: str, given_value: int, kept: int) -> None:
    memory = Memory([("a", element, 2)])
    memory.store(memory.arrays["a"].base, element, given_value)
    assert memory.view("a").tolist() == [kept, 0]


def test_a_stray_store_changes_nothing() -> None:
    memory = Memory([("a", "i64", 2)])
    base = memory.arrays["a"].base
    with pytest.raises(MemoryFault):
        memory.store_lanes(base + 8, (1, 2))
    with pytest.raises(MemoryFault):
        memory.store(base + 12, "i64", -1)
    assert memory.view("a").tolist() == [0, 0]


# Contents from outside

NUMPY_TYPES = {"i64": "int64", "i32": "int32", "u32": "uint32", "f64": "float64"}


@pytest.mark.parametrize("element", ELEMENTS)
def test_an_array_takes_a_buffer_of_its_own_type(element: str) -> None:
    memory = Memory([("a", element, 3)])
    memory.fill("a", memoryview(np.array([1, 2, 3], NUMPY_TYPES[element])))
    assert memory.view("a").tolist() == [1, 2, 3]


@pytest.mark.parametrize("given_type", ["int64", "int32", "uint32", "uint64", "int16"])
@pytest.mark.parametrize("element", ELEMENTS)
def test_a_buffer_of_another_integer_type_is_converted_not_reinterpreted(
    element: str, given_type: str
) -> None:
    memory = Memory([("a", element, 3)])
    memory.fill("a", memoryview(np.array([1, 2, 3], given_type)))
    assert memory.view("a").tolist() == [1, 2, 3]


@pytest.mark.parametrize("element", ["i64", "i32", "u32"])
def test_a_buffer_of_doubles_is_refused_for_integers(element: str) -> None:
    memory = Memory([("a", element, 1)])
    with pytest.raises(InputError, match="does not fit array 'a'"):
        memory.fill("a", memoryview(np.array([1.0])))


@pytest.mark.parametrize(
    ("element", "value"), [("u32", -1), ("i32", 2**31), ("i64", 2**63), ("f64", 10**400)]
)
def test_a_value_that_does_not_fit_its_element_is_refused(element: str, value: int) -> None:
    with pytest.raises(InputError, match=f"does not fit array 'a' of {element}"):
        Machine(assemble(f".input a, {element}\nhalt"), {"a": [value]})


def test_too_many_or_too_few_values_are_refused() -> None:
    memory = Memory([("a", "i64", 2)])
    with pytest.raises(InputError, match="has 2 elements, but 3 values were given"):
        memory.fill("a", [1, 2, 3])
