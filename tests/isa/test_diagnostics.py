"""Every error of the assembler: its place, its words, its suggestion.

A case in ``diagnostic_cases.txt`` is a block of text in which the errors are marked under
the lines that hold them.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

import pytest

from isa import arguments, assembler, diagnostics, directives, draft, expressions, lexer
from isa.assembler import assemble
from isa.diagnostics import AssemblyError, Diagnostic
from isa.errors import InputError

Mark = tuple[int, int, int, str]
"""Line, column and width of an error, and its message."""

CASES = Path(__file__).with_name("diagnostic_cases.txt").read_text(encoding="utf-8")


def blocks() -> Iterator[tuple[str, list[Mark]]]:
    """Split the cases into texts and the errors marked in them."""
    for block in re.split(r"\n\s*\n", CASES.strip()):
        code: list[str] = []
        marks: list[Mark] = []
        for line in block.splitlines():
            mark = re.fullmatch(r"( *)(\^+) (.*)", line)
            if mark:
                marks.append((len(code), len(mark[1]) + 1, len(mark[2]), mark[3]))
            else:
                code.append(line)
        if marks:
            yield "\n".join([*code, "halt"]), marks


def errors(text: str) -> list[Diagnostic]:
    with pytest.raises(AssemblyError) as caught:
        assemble(text, name="case.s")
    return caught.value.diagnostics


def marks_of(text: str) -> list[Mark]:
    return [(error.line, error.column, error.width, error.message) for error in errors(text)]


@pytest.mark.parametrize(("text", "marks"), list(blocks()), ids=lambda value: str(value)[:24])
def test_an_error_has_its_place_and_says_what_to_do(text: str, marks: list[Mark]) -> None:
    assert marks_of(text) == marks


def test_all_errors_of_a_text_are_reported_in_one_go() -> None:
    lines: list[str] = []
    places = []
    for text, marks in blocks():
        # Names differ from block to block, so that no error follows from another block.
        places += [(line + len(lines), column, width) for line, column, width, _ in marks]
        lines += text.splitlines()
    assert [mark[:3] for mark in marks_of("\n".join(lines))] == places


AT_THE_END = {
    "": [(1, 1, 1, "the text holds no instruction")],
    "\n  # nothing\n": [(1, 1, 1, "the text holds no instruction")],
    ".array a, i64, 4": [(1, 1, 1, "the text holds no instruction")],
    "halt\n  add x1, x2, x3  # last\n\n": [
        (2, 3, 14, "the program runs past its last instruction; end it with 'halt'")
    ],
    "loop: bnez x1, loop": [
        (1, 1, 19, "the program runs past its last instruction; end it with 'halt'")
    ],
    "f: call f": [(1, 1, 9, "the program runs past its last instruction; end it with 'halt'")],
    "j end\nend:": [(1, 3, 3, "label 'end' has no instruction after it")],
    "j end\nend: hatl": [(2, 6, 4, "unknown instruction 'hatl'; did you mean 'halt'?")],
    "j end\nend: $": [(2, 6, 1, "unexpected character '$'")],
    "nop\n/* j nowhere\nhalt": [(2, 1, 2, "this comment is never closed with '*/'")],
    "halt\n.repeat i, 4\nnop": [
        (2, 1, 7, "'.repeat' without '.endrepeat'"),
        (3, 1, 3, "the program runs past its last instruction; end it with 'halt'"),
    ],
}


@pytest.mark.parametrize("text", AT_THE_END)
def test_an_error_about_the_end_of_a_text_says_so(text: str) -> None:
    assert marks_of(text) == AT_THE_END[text]


@pytest.mark.parametrize("end", ["halt", "j start", "jr x5", "ret"])
def test_a_program_may_end_with_whatever_does_not_go_on(end: str) -> None:
    assert len(assemble(f"start: nop\n{end}").instructions) == 2


def nested(depth: int, count: int, inner: str) -> str:
    opened = [f".repeat i{level}, {count}" for level in range(depth)]
    return "\n".join([*opened, inner, *[".endrepeat"] * depth, "halt"])


def test_blocks_nest_eight_deep_and_no_deeper() -> None:
    assert len(assemble(nested(8, 2, "nop")).instructions) == 2**8 + 1
    assert [mark[3] for mark in marks_of(nested(9, 1, "nop"))] == [
        "more than 8 '.repeat' within each other"
    ]


@pytest.mark.parametrize("inner", ["nop", "# nothing"])
def test_blocks_that_would_repeat_for_ever_are_refused(
    inner: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(assembler, "MOST_INSTRUCTIONS", 10_000)
    (mark,) = marks_of(nested(8, 4096, inner))
    assert mark[3] == "the program has more than 1,000,000 lines once its blocks are repeated"


def test_a_program_longer_than_the_limit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assembler, "MOST_INSTRUCTIONS", 3)
    assert len(assemble("nop\nnop\nhalt").instructions) == 3
    assert [mark[:2] for mark in marks_of("nop\nnop\nhalt\nhalt")] == [(4, 1)]


@pytest.mark.parametrize("sign", ["(", "-", "~", "+"])
def test_an_expression_nested_too_deeply_is_refused(sign: str) -> None:
    close = ")" * 1000 if sign == "(" else ""
    (mark,) = marks_of(f"li x1, {sign * 1000}1{close}\nhalt")
    assert mark[3].startswith("the expression is nested too deeply")


def test_an_expression_may_nest_as_deep_as_anyone_writes() -> None:
    assert len(assemble(f"li x1, {'(' * 25}1{')' * 25}\nhalt").instructions) == 2


@pytest.mark.parametrize("digits", ["9" * 5000, "0x" + "f" * 5000, "0b" + "1" * 5000])
def test_a_number_of_thousands_of_digits_is_refused(digits: str) -> None:
    (mark,) = marks_of(f"li x1, {digits}\nhalt")
    assert mark == (1, 8, len(digits), f"'{digits}' does not fit 64 bits")


def test_the_wrong_number_of_lanes_is_refused() -> None:
    with pytest.raises(InputError, match="lanes is one of 2, 4, 8, 16, not 3"):
        assemble("halt", lanes=3)


def test_a_message_shows_file_line_column_text_and_caret() -> None:
    with pytest.raises(AssemblyError) as caught:
        assemble("halt\n\tslli x1, x2, 64 # no\nhatl\n", name="dir/file.s")
    assert str(caught.value).splitlines() == [
        "dir/file.s:2:15: 'slli' takes a shift from 0 to 63, and this is 64",
        "     slli x1, x2, 64 # no",
        "                  ^~",
        "dir/file.s:3:1: unknown instruction 'hatl'; did you mean 'halt'?",
        "    hatl",
        "    ^~~~",
        "2 errors in dir/file.s",
    ]


def test_a_single_error_is_counted_in_the_singular() -> None:
    with pytest.raises(AssemblyError, match=r"\n1 error in <text>$"):
        assemble("hatl\nhalt")


def test_hundreds_of_errors_are_shown_in_part_and_counted() -> None:
    with pytest.raises(AssemblyError) as caught:
        assemble("hatl\n" * 200 + "halt")
    assert len(caught.value.diagnostics) == 200
    assert str(caught.value).count("did you mean") == 50
    assert str(caught.value).endswith("... and 150 more errors\n200 errors in <text>")


# No error without a case

SOURCES = [assembler, arguments, directives, draft, expressions, lexer]


def places_of_errors(module: ModuleType) -> set[int]:
    """Return the lines of all statements of a module that raise or report a fault."""
    found = set()
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        text = ast.unparse(node) if isinstance(node, ast.Raise | ast.Expr) else ""
        if isinstance(node, ast.Raise | ast.Expr) and re.search(r"\b(fault|Fault|span)\(", text):
            found.add(node.lineno)
    return found


def lines_run(action: Callable[[], None]) -> set[tuple[str, int]]:
    """Return file and line of everything executed in the assembler."""
    files = {module.__file__ for module in SOURCES}
    seen: set[tuple[str, int]] = set()

    def trace(frame: FrameType, _event: str, _argument: Any) -> Any:
        if frame.f_code.co_filename not in files:
            return None
        seen.add((frame.f_code.co_filename, frame.f_lineno))
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        action()
    finally:
        sys.settrace(before)
    return seen


def test_every_error_that_the_assembler_can_make_has_a_case_here(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(assembler, "MOST_INSTRUCTIONS", 30)
    monkeypatch.setattr(diagnostics, "_MOST", 5)
    texts = [text for text, _ in blocks()] + list(AT_THE_END)
    texts += [nested(9, 1, "nop"), nested(2, 6, "nop"), "nop\n" * 31, f"li x1, {'-' * 300}1"]

    def assemble_all() -> None:
        for text in texts:
            errors(text)

    run = lines_run(assemble_all)
    for module in SOURCES:
        missed = [n for n in places_of_errors(module) if (module.__file__, n) not in run]
        assert not missed, f"{module.__name__}: no case for the errors in lines {sorted(missed)}"
