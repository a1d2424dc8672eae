"""Fuzzed core files: loading one gives a core or an `InputError`, and so does running on it."""

from __future__ import annotations

import copy
import re
import tomllib
from collections.abc import Callable, Iterator
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from isa.assembler import assemble
from isa.errors import InputError
from isa.interpreter import Machine
from simulator.core.corefile import _Reader, core_names, load_core
from simulator.core.spec import Core
from simulator.run import simulate

TEXTS = {
    name: (files("simulator") / "cores" / f"{name}.toml").read_text(encoding="utf-8")
    for name in core_names()
}
CLASSROOM = TEXTS["classroom"]
each_core = pytest.mark.parametrize("name", sorted(TEXTS))

# Fuzzing. Whatever stands in a file, loading it gives a core or an InputError, and running
# on that core gives a result or an InputError.
PROGRAM = assemble(
    ".array A, i64, 16\nla x5, A\nld x6, (x5)\nsd x6, 8(x5)\nmul x6, x6, x6\n"
    "vld v1, (x5)\nvfaddm v1, p1, v2, v3\nbnez x6, end\nvst v1, (x5)\nend: halt"
)
FRAGMENTS = st.one_of(
    st.sampled_from(
        [
            "",
            "0",
            "-1",
            "1e9",
            "true",
            "[]",
            "{}",
            "[[",
            "]",
            '"',
            "'''",
            "=",
            "\n",
            "nan",
            "1" * 5000,
        ]
    ),
    st.sampled_from(
        ["0x" + "f" * 5000, "2001-01-01", "1979-05-27T07:32:00Z", "\\uD800", "\0", "\r"]
    ),
    st.sampled_from(["needs #1", "l1", "400* alu 1", "busy 1000", "#2", "\u0664", "alu", "mem 1"]),
    st.text(max_size=8),
)


@st.composite
def mangled(draw: st.DrawFn) -> str:
    """Draw a core file's text with a few spans replaced."""
    text = draw(st.sampled_from(sorted(TEXTS.values())))
    for _ in range(draw(st.integers(1, 3))):
        lines = text.splitlines(keepends=True)
        number = draw(st.integers(0, len(lines) - 1))
        line = lines[number]
        numbers = [match.span() for match in re.finditer("[0-9]+", line)]
        if numbers and draw(st.booleans()):
            first, last = draw(st.sampled_from(numbers))
            fragment = str(draw(st.integers(0, 70)))
        else:
            first = draw(st.integers(0, len(line)))
            last = draw(st.integers(first, min(len(line), first + 30)))
            fragment = draw(FRAGMENTS)
        lines[number] = line[:first] + fragment + line[last:]
        text = "".join(lines)
    return text


VALUES = st.recursive(
    st.one_of(
        st.booleans(),
        st.integers(-5, 10**7),
        st.integers(20_000, 20_001).map(lambda bits: 1 << bits),
        st.floats(),
        st.text(max_size=5),
        st.sampled_from(["alu 1", "mem l1", "4* vec 2 needs all", "alu", "chosen", "boom", "mem"]),
    ),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["value", "source", "units", "uops", "x"]), inner)
    ),
    max_leaves=5,
)


NOTATION = st.builds(
    "{}{} {}{}{}".format,
    st.sampled_from(["", "", "2* ", "9* "]),
    st.sampled_from(["alu", "mem", "vec", "shift", "load", "shuffle"]),
    st.sampled_from(["0", "1", "l1", "l1+3", "40"]),
    st.sampled_from(["", "", " busy 1", " busy 50"]),
    st.sampled_from(["", "", " needs all", " needs address, data", " needs #1", " needs xa"]),
)
LIKELY: dict[Any, st.SearchStrategy[Any]] = {
    "value": st.integers(0, 70),
    "slots": st.integers(0, 5),
    "source": st.sampled_from(["boom", "chosen", "osaca", "llvm"]),
    **dict.fromkeys(["uops", "w4", "w8", "w16"], st.lists(NOTATION, max_size=4)),
}


def places(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every value in a document, lists as a whole."""
    if path:
        yield path
    if isinstance(node, dict):
        for key, child in node.items():
            yield from places(child, (*path, key))


DOCUMENTS = [tomllib.loads(text) for text in TEXTS.values()]
PLACES = [[*places(document)] for document in DOCUMENTS]


@st.composite
def distorted(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a core file's document with a few values replaced, removed or added."""
    which = draw(st.integers(0, len(DOCUMENTS) - 1))
    document: dict[str, Any] = copy.deepcopy(DOCUMENTS[which])
    for _ in range(draw(st.integers(1, 3))):
        *way, key = draw(st.sampled_from(PLACES[which]))
        node: Any = document
        for step in way:
            node = node[step] if isinstance(node, dict) and step in node else None
        if isinstance(node, dict):
            change = draw(st.sampled_from(["replace", "remove", "add"]))
            if change == "remove":
                node.pop(key, None)
            else:
                likely = LIKELY.get(key, VALUES) if change == "replace" else VALUES
                name = key if change == "replace" else draw(st.text(max_size=4))
                node[name] = draw(st.one_of(likely, VALUES))
    return document


def outcome(load: Callable[[], Core]) -> str:
    """Load a core and run on it; return what came out."""
    try:
        result = simulate(Machine(PROGRAM), load(), log=[])
    except InputError:
        return "refused"
    assert result.slots.total == result.width * result.cycles
    return "accepted"


class TestFuzz:
    @given(text=mangled())
    @example(CLASSROOM.replace("mispredict_penalty", "penalty"))
    @example(CLASSROOM.replace("alu0 3", "alu0 3 needs #\u00b2"))
    def test_a_mangled_text_is_a_core_or_an_input_error(self, text: str) -> None:
        def load() -> Core:
            try:
                document = tomllib.loads(text)
            except (ValueError, RecursionError):
                raise InputError("as load_core says") from None
            return _Reader("my.toml", text, document).core()

        assert outcome(load) in {"accepted", "refused"}

    @given(text=mangled())
    def test_a_mangled_file_is_a_core_or_an_input_error(
        self, text: str, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        path = tmp_path_factory.getbasetemp() / "mangled.toml"
        path.write_text(text, encoding="utf-8", errors="surrogatepass", newline="")
        assert outcome(lambda: load_core(str(path), ["schedulers.int=4"])) in {
            "accepted",
            "refused",
        }

    @given(document=distorted())
    def test_a_distorted_document_is_a_core_or_an_input_error(
        self, document: dict[str, Any]
    ) -> None:
        def load() -> Core:
            reader = _Reader("my.toml", CLASSROOM, document)
            reader.override("rob=9")
            reader.override("schedulers.vector=4")
            return reader.core()

        assert outcome(load) in {"accepted", "refused"}

    @given(name=st.text(max_size=20), pair=st.text(max_size=20))
    def test_any_name_and_any_override_is_a_core_or_an_input_error(
        self, name: str, pair: str
    ) -> None:
        assert outcome(lambda: load_core(name)) == "refused"
        assert outcome(lambda: load_core("classroom", [pair])) == "refused"
