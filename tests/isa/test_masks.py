"""Inactive lanes touch nothing, compute nothing, and keep or clear their result."""

from __future__ import annotations

import math

import pytest

from isa.assembler import assemble
from isa.interpreter import Machine, ProgramFault
from isa.operands import LANE_COUNTS

V, P = 64, 96
"""Flat numbers of v0 and p0."""

GATHER = "vgather v1, p0, (x5, v2*8)"
SCATTER = "vscatter v1, p0, (x5, v2*8)"
MASKED = ["vldz v1, p0, (x5)", "vldm v1, p0, (x5)", "vldwuz v1, p0, (x5)", "vstm v1, p0, (x5)"]
UNMASKED = ["vld v1, (x5)", "vldw v1, (x5)", "vldwu v1, (x5)", "vst v1, (x5)"]


def machine(text: str, lanes: int = 4) -> Machine:
    return Machine(assemble(text, lanes=lanes))


def run(text: str, lanes: int = 4) -> Machine:
    loaded = machine(text, lanes)
    loaded.run()
    return loaded


@pytest.mark.parametrize("lanes", [4, 8, 16])
def test_a_masked_load_at_the_end_of_an_array_reads_the_elements_that_are_there(lanes: int) -> None:
    ran = run(
        """
        .data list, i64, 7, 8, 9
            la x5, list
            li x6, 3
            pwhilelt p0, x0, x6
            vldz v1, p0, (x5)
            halt
        """,
        lanes,
    )
    assert ran.registers[V + 1] == (7, 8, 9) + (0,) * (lanes - 3)
    base = ran.memory.arrays["list"].base
    assert set(ran.touched) == {base // 8, base // 8 + 1, base // 8 + 2}


@pytest.mark.parametrize("lanes", [4, 8, 16])
def test_a_masked_store_at_the_end_of_an_array_leaves_what_is_beyond(lanes: int) -> None:
    ran = run(
        """
        .array list, i64, 3
        .data poison, i64, -1
            la x5, list
            li x6, 3
            li x7, 5
            pwhilelt p0, x0, x6
            vsplat v1, x7
            vstm v1, p0, (x5)
            halt
        """,
        lanes,
    )
    assert ran.memory.view("list").tolist() == [5, 5, 5]
    assert ran.memory.view("poison").tolist() == [-1]


@pytest.mark.parametrize("lanes", LANE_COUNTS)
@pytest.mark.parametrize("access", [*MASKED, GATHER, SCATTER])
def test_an_all_false_mask_makes_a_null_base_harmless(access: str, lanes: int) -> None:
    ran = run(f"pfalse p0\n{access}\nhalt", lanes)
    assert list(ran.touched) == []
    assert ran.registers[V + 1] == (0,) * lanes


@pytest.mark.parametrize("access", UNMASKED)
def test_an_access_without_mask_faults_at_a_null_base(access: str) -> None:
    with pytest.raises(ProgramFault, match=r"(loads|stores) \d+ bytes at 0x0"):
        run(f"{access}\nhalt")


@pytest.mark.parametrize("access", [*MASKED, GATHER, SCATTER])
def test_one_active_lane_at_a_null_base_faults(access: str) -> None:
    with pytest.raises(ProgramFault, match="at 0x0, but the program has no arrays"):
        run(f"li x6, 1\npmv.p.x p0, x6\n{access}\nhalt")


@pytest.mark.parametrize("access", UNMASKED)
def test_an_access_without_mask_faults_where_its_last_lanes_are_outside(access: str) -> None:
    text = f".array list, i64, 3\nla x5, list\n{{}}\n{access}\nhalt"
    size = 16 if "w" in access else 32
    with pytest.raises(ProgramFault, match="outside every array; nearest is 'list'"):
        run(text.format(f"addi x5, x5, {24 - size + 4}"))
    if size <= 24:
        run(text.format(f"addi x5, x5, {24 - size}"))


WILD = (2**63 - 1, -(2**63), 12345678901, -1)


def test_a_gather_reads_no_address_of_an_inactive_lane() -> None:
    loaded = machine(f".data a, i64, 10, 11, 12\nla x5, a\n{GATHER}\nhalt")
    loaded.registers[V + 1] = (1, 2, 3, 4)
    loaded.registers[V + 2] = (WILD[0], 2, WILD[1], 0)
    loaded.registers[P] = 0b1010
    loaded.run()
    assert loaded.registers[V + 1] == (1, 12, 3, 10)


def test_a_scatter_writes_no_address_of_an_inactive_lane() -> None:
    loaded = machine(f".data a, i64, 10, 11, 12\nla x5, a\n{SCATTER}\nhalt")
    loaded.registers[V + 1] = (1, 2, 3, 4)
    loaded.registers[V + 2] = (WILD[2], 2, WILD[3], 0)
    loaded.registers[P] = 0b1010
    loaded.run()
    assert loaded.memory.view("a").tolist() == [4, 11, 2]


def test_a_scatter_with_one_wild_active_lane_stores_nothing_at_all() -> None:
    loaded = machine(f".data a, i64, 10, 11\nla x5, a\n{SCATTER}\nhalt")
    loaded.registers[V + 1] = (1, 2, 3, 4)
    loaded.registers[V + 2] = (0, 1, 2, 0)
    loaded.registers[P] = 0b1111
    with pytest.raises(ProgramFault, match="stores 8 bytes"):
        loaded.run()
    assert loaded.memory.view("a").tolist() == [10, 11]


def test_the_last_active_lane_wins_where_a_scatter_meets_itself() -> None:
    loaded = machine(f".array a, i64, 1\nla x5, a\n{SCATTER}\nhalt")
    loaded.registers[V + 1] = (1, 2, 3, 4)
    loaded.registers[P] = 0b0111
    loaded.run()
    assert loaded.memory.view("a").tolist() == [3]


@pytest.mark.parametrize("access", ["vgather v1, p0, (x5, v2*4)", "vscatter v1, p0, (x5, v2*4)"])
@pytest.mark.parametrize("index", [2**31, 2**31 + 1, 2**32 - 1])
def test_an_offset_from_2_to_the_31_on_is_not_sign_extended(access: str, index: int) -> None:
    # Extended with its sign, the largest index would point four bytes back into the array,
    # and the others would be named with a smaller address.
    loaded = machine(f".array a, u32, 64\nla x5, a\naddi x5, x5, 32\n{access}\nhalt")
    loaded.registers[V + 2] = (index, 0, 0, 0)
    loaded.registers[P] = 1
    address = loaded.memory.arrays["a"].base + 32 + 4 * index
    with pytest.raises(ProgramFault, match=f"bytes at {address:#x}, outside every array"):
        loaded.run()


def test_a_32_bit_coordinate_from_2_to_the_31_on_is_loaded_unsigned() -> None:
    ran = run(".data a, u32, 0x80000000, 1\nla x5, a\nlwu x6, (x5)\nvldwu v1, (x5)\nhalt", lanes=2)
    assert ran.registers[6] == 2**31
    assert ran.registers[V + 1] == (2**31, 1)


def divided(mask: int) -> Machine:
    loaded = machine("vfdivm v3, p0, v1, v2\nhalt")
    loaded.registers[V + 1] = (1.0, 1.0, 0.0, -1.0)
    loaded.registers[V + 2] = (2.0, 0.0, 0.0, 0.0)
    loaded.registers[V + 3] = (9.0, 9.0, 9.0, 9.0)
    loaded.registers[P] = mask
    loaded.run()
    return loaded


def test_an_inactive_lane_that_divides_by_zero_keeps_its_old_value() -> None:
    assert divided(0b0001).registers[V + 3] == (0.5, 9.0, 9.0, 9.0)


def test_an_active_lane_that_divides_by_zero_gets_an_infinity_or_nan() -> None:
    lanes = divided(0b1111).registers[V + 3]
    assert isinstance(lanes, tuple)
    assert lanes[:2] == (0.5, math.inf)
    assert math.isnan(lanes[2])
    assert lanes[3] == -math.inf


@pytest.mark.parametrize("mnemonic", ["vfaddz", "vfmulz"])
def test_an_inactive_lane_of_a_zeroing_form_is_zero_whatever_it_would_compute(
    mnemonic: str,
) -> None:
    loaded = machine(f"{mnemonic} v3, p0, v1, v1\nhalt")
    loaded.registers[V + 1] = (2.0, math.inf, math.nan, 1e308)
    loaded.registers[P] = 0b0001
    loaded.run()
    assert loaded.registers[V + 3] == (4.0, 0.0, 0.0, 0.0)


@pytest.mark.parametrize("mnemonic", ["vaddm", "vfaddm", "vfmulm", "vffmam", "vfdivm"])
def test_a_merging_form_without_active_lanes_changes_nothing(mnemonic: str) -> None:
    old = (1, -2, 3, -(2**63))
    loaded = machine(f".array a, i64, 4\nla x5, a\n{mnemonic} v3, p0, v1, v1\nvst v3, (x5)\nhalt")
    loaded.registers[V + 3] = old
    loaded.run()
    assert tuple(loaded.memory.view("a").tolist()) == old


def test_first_and_count_of_no_active_lane_are_minus_one_and_zero() -> None:
    ran = run("pfirst x5, p0\npcnt x6, p0\npany x7, p0\nhalt")
    assert ran.registers[5:8] == [-1, 0, 0]


def test_no_active_lane_reduces_to_zero() -> None:
    loaded = machine("vfsumz f1, p0, v1\nvcompress v2, p0, v1\nhalt")
    loaded.registers[V + 1] = (math.nan, math.inf, 1.0, 2.0)
    loaded.run()
    assert loaded.registers[32 + 1] == 0.0
    assert loaded.registers[V + 2] == (0.0, 0.0, 0.0, 0.0)
