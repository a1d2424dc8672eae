"""Assembly text means what a person would take it to mean."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import names, programs

from isa.assembler import assemble
from isa.diagnostics import AssemblyError, Diagnostic
from isa.interpreter import Machine
from isa.operands import LANE_COUNTS, REGISTER_NUMBERS, Address
from isa.printer import print_instruction, print_program
from isa.program import Program
from isa.table import TABLE


def listing(text: str, lanes: int = 4) -> list[str]:
    """Return the instructions of a text, as the printer spells them."""
    return [print_instruction(i) for i in assemble(text, lanes=lanes).instructions]


def constant(expression: str, lanes: int = 4) -> int:
    """Return the value of an integer expression."""
    (value,) = assemble(f"li x1, {expression}\nhalt", lanes=lanes).instructions[0].arguments[1:]
    assert isinstance(value, int)
    return value


# Tokens

READ_AS_A_PERSON_WOULD = {
    # a colon, an apostrophe, other comment signs in a comment
    "nop  # note: don't stop": ["nop"],
    "nop  ; it's: 'fine'": ["nop"],
    "nop  // a:b 'c # d ; e": ["nop"],
    "nop  # /* not opened": ["nop"],
    "/* a: b's */ nop /* x */": ["nop"],
    "/* # ; // */ nop": ["nop"],
    "/* one\n two: can't\n three */ nop": ["nop"],
    "nop /* a */ # b /* c": ["nop"],
    "li x1, 8 /* bytes */ * 2": ["li x1, 16"],
    "//": [],
    "/**/nop": ["nop"],
    "/*/ still open */ nop": ["nop"],
    # characters that look like comments
    "li x1, '#'": ["li x1, 35"],
    "li x1, ';'": ["li x1, 59"],
    "li x1, '/' / 2 # half": ["li x1, 23"],
    "li x1, '\\'' # quote": ["li x1, 39"],
    "li x1, '\\\\'": ["li x1, 92"],
    "li x1, ','": ["li x1, 44"],
    "li x1, ' '": ["li x1, 32"],
    "li x1, ':'": ["li x1, 58"],
    "li x1, '\"'": ["li x1, 34"],
    # a label and something else on one line
    "a: nop": ["nop"],
    "a: b: nop # both": ["nop"],
    "a: # alone": [],
    "a:nop": ["nop"],
    "a :nop": ["nop"],
    # names that begin like numbers, registers, mnemonics or directives
    "beef: j beef": ["j @0"],
    "e1: j e1": ["j @0"],
    "x1: j x1": ["j @0"],
    "add: j add": ["j @0"],
    ".L1: j .L1": ["j @0"],
    ".repeat: j .repeat": ["j @0"],
    "_0x1f: j _0x1f": ["j @0"],
    # capitals
    "ADD X1, x2, X3": ["add x1, x2, x3"],
    "Fld F1, 8(X2)": ["fld f1, 8(x2)"],
    "FCVT.D.L f1, x2": ["fcvt.d.l f1, x2"],
    ".EQU N, 3\nli x1, N": ["li x1, 3"],
    # no operands, blanks, line ends
    "ret": ["ret"],
    "  \t nop\t ": ["nop"],
    "add\tx1 ,x2,\tx3": ["add x1, x2, x3"],
    "nop\r\nnop\r\n": ["nop", "nop"],
    "nop\rret": ["nop", "ret"],
    "nop\x0c# a form feed is a blank": ["nop"],
    "nop # a \u2028 in a comment ends no line": ["nop"],
}


@pytest.mark.parametrize("text", READ_AS_A_PERSON_WOULD)
def test_text_is_read_as_a_person_would(text: str) -> None:
    assert listing(f"{text}\nhalt") == [*READ_AS_A_PERSON_WOULD[text], "halt"]


def test_lines_are_counted_as_editors_count_them() -> None:
    program = assemble("\x0cnop # \u2028\r\nnop\rnop\n\n/* \n */ halt")
    assert [instruction.line for instruction in program.instructions] == [1, 2, 3, 6]
    assert program.source[1] == "nop"


# Constants

EXPRESSIONS = {
    "0": 0,
    "-0": 0,
    "1_000": 1000,
    "0xff": 255,
    "0XFF": 255,
    "0x_ff": 255,
    "0b1010": 10,
    "0xfff": 4095,
    "-0x8000000000000000": -(2**63),
    "2 + 3 * 4": 14,
    "(2 + 3) * 4": 20,
    "10 - 4 - 3": 3,
    "7 / 2": 3,
    "-7 / 2": -3,
    "7 / -2": -3,
    "-7 % 2": -1,
    "7 % -2": 1,
    "1 << 4 + 1": 32,
    "1 | 6 & 3": 3,
    "5 ^ 1 | 8": 12,
    "~0": -1,
    "- - 5": 5,
    "-~4": 5,
    "+3": 3,
    "-16 >> 2": -4,
    "'a' + 1": 98,
    "lanes": 4,
    "lanes * 8 - 1": 31,
    "1 << 63 >> 1": 2**62,
    "1 << 63 << 63 >> 63 >> 1": 2**62,
}


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_an_expression_has_its_value(expression: str) -> None:
    assert constant(expression) == EXPRESSIONS[expression]


def tree() -> st.SearchStrategy[str]:
    """Expressions that are the same in Python, but for division."""
    numbers = st.integers(0, 2**20)
    leaves = st.one_of(numbers.map(str), numbers.map(hex), numbers.map(bin))
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.tuples(inner, st.sampled_from(["+", "-", "&", "|", "^"]), inner).map(" ".join),
            st.tuples(st.sampled_from(["-", "~", "+"]), inner).map("".join),
            inner.map("({})".format),
            st.builds("(({}) << {})".format, inner, st.integers(0, 3)),
        ),
        max_leaves=6,
    )


@given(tree())
def test_operators_bind_as_in_c(expression: str) -> None:
    # Where Python binds as C does, Python is the oracle: all of these operators.
    assert constant(expression) == eval(expression)  # noqa: S307  # our own arithmetic


def test_all_of_0xfff_is_a_positive_constant() -> None:
    machine = Machine(assemble("addi x1, x0, 0xfff\naddi x2, x0, -1\nhalt"))
    machine.run()
    assert machine.registers[1:3] == [4095, -1]


def test_bits_of_a_negative_constant_are_refused_with_the_way_to_write_it() -> None:
    with pytest.raises(AssemblyError, match="this is 4294967295; for its bits write -1"):
        assemble("addi x1, x0, 0xffffffff\nhalt")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1.5", 1.5),
        ("-1.5", -1.5),
        ("+1.5", 1.5),
        (".5", 0.5),
        ("5.", 5.0),
        ("1e3", 1000.0),
        ("-1E-3", -0.001),
        ("2.5e+2", 250.0),
        ("7", 7.0),
        ("lanes * 2", 8.0),
        ("-0", -0.0),
        ("-0.0", -0.0),
        ("0", 0.0),
        ("inf", math.inf),
        ("-inf", -math.inf),
        ("5e-324", 5e-324),
        ("1e-400", 0.0),
        ("9007199254740993", 2.0**53),
    ],
)
def test_a_double_has_its_value(text: str, value: float) -> None:
    program = assemble(f"fli f1, {text}\n.data a, f64, {text}\nhalt")
    for found in (program.instructions[0].arguments[1], program.arrays[0].values[0]):
        assert isinstance(found, float)
        assert found == value
        assert math.copysign(1.0, found) == math.copysign(1.0, value)


@pytest.mark.parametrize(("text", "sign"), [("nan", 1.0), ("-nan", -1.0), ("+nan", 1.0)])
def test_nan_has_the_sign_that_is_written(text: str, sign: float) -> None:
    found = assemble(f"fli f1, {text}\nhalt").instructions[0].arguments[1]
    assert isinstance(found, float)
    assert math.isnan(found)
    assert math.copysign(1.0, found) == sign


# Names


def test_constants_and_aliases_are_known_from_their_line_on() -> None:
    text = ".equ N, 3\n.reg count, x9\nli count, N\n.equ M, N * N\naddi count, count, M\nhalt"
    assert listing(text) == ["li x9, 3", "addi x9, x9, 9", "halt"]
    with pytest.raises(AssemblyError, match="unknown constant 'N'"):
        assemble("li x1, N\n.equ N, 3\nhalt")


def test_labels_and_arrays_are_known_everywhere() -> None:
    text = "la x1, later\nj end\nend: halt\n.data later, i64, 1"
    assert listing(text) == ["la x1, later", "j @2", "halt"]


def test_an_alias_may_name_an_alias_or_a_computed_register() -> None:
    text = ".reg a, x9\n.reg b, a\n.equ i, 3\n.reg c, x{i + 1}\nadd a, b, c\nhalt"
    assert listing(text) == ["add x9, x9, x4", "halt"]


def test_a_label_may_have_the_name_of_an_array_a_constant_or_an_alias() -> None:
    text = ".equ n, 1\n.reg r, x5\n.array a, i64, 1\nn: r: a: la r, a\nli x6, n\nj r\nhalt"
    assert listing(text) == ["la x5, a", "li x6, 1", "j @0", "halt"]


@given(names(), st.sampled_from([".equ {}, 5\nli x1, {}", ".reg {}, x1\nli {}, 5"]))
def test_any_free_name_may_be_given(name: str, form: str) -> None:
    assert listing(form.replace("{}", name) + "\nhalt") == ["li x1, 5", "halt"]


# Operands

ADDRESSES = {
    "(x5)": Address(5),
    "0(x5)": Address(5),
    "8(x5)": Address(5, None, 1, 8),
    "-8(x5)": Address(5, None, 1, -8),
    "(4 + 4)(x5)": Address(5, None, 1, 8),
    "(1 + 1) * 4(x5)": Address(5, None, 1, 8),
    "(x5, x6)": Address(5, 6),
    "16(x5, x6*8)": Address(5, 6, 8, 16),
    "16(x5, x6 * (lanes / 2))": Address(5, 6, 2, 16),
    "(x{lanes + 1}, x{6}*4)": Address(5, 6, 4),
    "2147483647(x5)": Address(5, None, 1, 2**31 - 1),
    "-2147483648(x5)": Address(5, None, 1, -(2**31)),
}


@pytest.mark.parametrize("text", ADDRESSES)
def test_an_address_is_offset_base_and_scaled_index(text: str) -> None:
    assert assemble(f"ld x1, {text}\nhalt").instructions[0].arguments == (1, ADDRESSES[text])


def test_the_index_of_a_gather_is_a_vector() -> None:
    (first, *_) = assemble("vgather v1, p2, -8(x5, v6*8)\nhalt").instructions
    assert first.arguments == (65, 98, Address(5, 70, 8, -8))


@pytest.mark.parametrize("register", REGISTER_NUMBERS)
def test_every_register_is_known_by_its_name(register: str) -> None:
    copy = {"x": "mv", "f": "fmv", "v": "vmv", "p": "pmv"}[register[0]]
    expected = REGISTER_NUMBERS[register]
    for spelled in (register, register.upper(), f"{register[0]}{{{register[1:]}}}"):
        program = assemble(f"{copy} {spelled}, {spelled}\nhalt")
        assert program.instructions[0].arguments == (expected, expected)


@pytest.mark.parametrize("lanes", LANE_COUNTS)
def test_limits_that_depend_on_lanes_follow_them(lanes: int) -> None:
    text = "vext x1, v1, lanes - 1\nvbuild v1, x{32 - lanes}\nhalt"
    assert listing(text, lanes) == [
        f"vext x1, v1, {lanes - 1}",
        f"vbuild v1, x{32 - lanes}",
        "halt",
    ]
    for wrong in ("vext x1, v1, lanes", "vbuild v1, x{33 - lanes}"):
        with pytest.raises(AssemblyError):
            assemble(f"{wrong}\nhalt", lanes=lanes)


# Repeated blocks


def test_a_block_is_repeated_with_its_counter() -> None:
    text = ".repeat i, 3\nvins v1, x{i + 4}, i\n.endrepeat\nhalt"
    assert listing(text) == [f"vins v1, x{i + 4}, {i}" for i in range(3)] + ["halt"]


def test_blocks_nest_and_the_inner_count_may_use_the_outer_counter() -> None:
    text = ".repeat i, lanes\n.repeat k, i\nli x{i}, k\n.endrepeat\n.endrepeat\nhalt"
    assert listing(text) == [f"li x{i}, {k}" for i in range(4) for k in range(i)] + ["halt"]


def test_a_label_may_stand_before_a_block_and_its_counter_is_free_after_it() -> None:
    text = "a: .repeat i, 2\nnop\n.endrepeat\n.equ i, 7\nli x1, i\nj a\nhalt"
    assert listing(text) == ["nop", "nop", "li x1, 7", "j @0", "halt"]


def test_a_block_repeated_no_times_is_not_there() -> None:
    assert listing(".repeat i, 0\nnop\n.endrepeat\nhalt") == ["halt"]


@pytest.mark.parametrize("block", ["", "\n", "# nothing\n"])
def test_an_empty_block_is_no_error(block: str) -> None:
    assert listing(f".repeat i, 5\n{block}.endrepeat # end\nhalt") == ["halt"]


# Arrays


def test_the_four_kinds_of_arrays_are_declared() -> None:
    program = assemble(
        ".data a, i32, -1, 2 + 3, 'a'\n.array b, f64, 2 * lanes\n.input c, u32\n.output d, i64\n"
        ".data e, i64\nhalt"
    )
    found = [(a.role, a.name, a.element, a.count, a.values, a.line) for a in program.arrays]
    assert found == [
        ("data", "a", "i32", None, (-1, 5, 97), 1),
        ("array", "b", "f64", 8, (), 2),
        ("input", "c", "u32", None, (), 3),
        ("output", "d", "i64", None, (), 4),
        ("data", "e", "i64", None, (), 5),
    ]


@pytest.mark.parametrize(
    ("element", "low", "high"),
    [("i32", -(2**31), 2**31 - 1), ("u32", 0, 2**32 - 1), ("i64", -(2**63), 2**63 - 1)],
)
def test_the_extreme_values_of_an_element_are_its_limits(element: str, low: int, high: int) -> None:
    program = assemble(f".data a, {element}, {low}, {high}\nhalt")
    assert program.arrays[0].values == (low, high)
    assert Machine(program).memory.view("a").tolist() == [low, high]
    for wrong in (low - 1, high + 1):
        with pytest.raises(AssemblyError, match="does not fit"):
            assemble(f".data a, {element}, {wrong}\nhalt")


# Arbitrary text

WORDS = r"""
    .equ .reg .data .array .input .output .repeat .endrepeat i64 i32 u32 f64 lanes a b loop
    ( ) { } , : = ! + - * / % & | ^ ~ << >> # ; // /* */ ' \ @ $ " [ ] .
    0 1 -1 7 0x 0xfff 0b2 1e9 1e999 .5 1_ 99999999999999999999 'a' '\n' '\q' nan inf
"""
FRAGMENTS = [*TABLE, *REGISTER_NUMBERS, *re.findall(r"\S+", WORDS), "' '", "\t", "\n"]


def diagnosed(text: str) -> tuple[Program | None, list[Diagnostic]]:
    """Assemble a text; anything raised but the one error is a defect."""
    try:
        return assemble(text), []
    except AssemblyError as error:
        return None, error.diagnostics


def check_that_it_is_a_program_or_explained(text: str) -> None:
    """Check that errors lie within the text, and that a program survives printing."""
    program, diagnostics = diagnosed(text)
    if program is not None:
        printed = assemble(print_program(program))
        assert printed.instructions == program.instructions
        assert printed.arrays == program.arrays
        return
    assert diagnostics
    lines = re.split("\r\n|\r|\n", text)
    for found in diagnostics:
        assert 1 <= found.line <= len(lines)
        assert found.text == lines[found.line - 1]
        assert 1 <= found.column <= len(found.text) + 1
        assert found.column + found.width <= len(found.text) + 2
        assert found.message.strip() == found.message != ""


@given(st.text(max_size=60))
def test_arbitrary_text_is_a_program_or_explained(text: str) -> None:
    check_that_it_is_a_program_or_explained(text)


@given(st.lists(st.lists(st.sampled_from(FRAGMENTS), max_size=7).map(" ".join), max_size=5))
def test_arbitrary_words_are_a_program_or_explained(lines: list[str]) -> None:
    check_that_it_is_a_program_or_explained("\n".join([*lines, "halt"]))


@given(st.sampled_from(list(TABLE)), st.lists(st.sampled_from(FRAGMENTS), max_size=8))
def test_arbitrary_operands_are_good_or_explained(mnemonic: str, words: list[str]) -> None:
    check_that_it_is_a_program_or_explained(f"{mnemonic} {' '.join(words)}\nhalt")


@given(programs(), st.data())
def test_a_program_with_a_slip_of_the_pen_is_a_program_or_explained(
    program: Program, data: st.DataObject
) -> None:
    text = print_program(program)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text)))
        cut = data.draw(st.integers(0, 3))
        put = data.draw(st.one_of(st.text(max_size=2), st.sampled_from(FRAGMENTS)))
        text = text[:at] + put + text[at + cut :]
    check_that_it_is_a_program_or_explained(text)
