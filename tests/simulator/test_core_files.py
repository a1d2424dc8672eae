"""Core files: every figure with a source, every fault named, nothing else ever raised."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from timing_strategies import every_instruction

from isa.assembler import assemble
from isa.errors import InputError
from isa.interpreter import Machine
from isa.opclasses import CLASSES
from isa.operands import LANE_COUNTS
from isa.table import TABLE
from simulator.core.corefile import core_names, load_core
from simulator.core.figures import FIGURES
from simulator.core.spec import Core
from simulator.model.templates import build_templates
from simulator.run import simulate

TEXTS = {
    name: (files("simulator") / "cores" / f"{name}.toml").read_text(encoding="utf-8")
    for name in core_names()
}
CLASSROOM = TEXTS["classroom"]
each_core = pytest.mark.parametrize("name", sorted(TEXTS))

Change = tuple[str, str]


def entries(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield everything in a core file that must have a source."""
    for section in ("figures", "groups", "ops"):
        for key, entry in document[section].items():
            yield f"{section}.{key}", entry
    for key, entry in document["schedulers"].items():
        yield f"schedulers.{key}", entry["entries"]


def broken(*changes: Change, text: str = CLASSROOM) -> str:
    """Replace parts of a core file's text, each of which must stand in it."""
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    return text


def field_line(text: str, field: str) -> int:
    """Return the number of the line in which a field stands, or 0 if it has none."""
    section, _, key = field.partition(".")
    starts = {"schedulers": f"[{field}]", "ops": f'"{key}" ='}
    start = starts.get(section, f"{key or section} =")
    matches = [n for n, line in enumerate(text.splitlines(), 1) if line.startswith(start)]
    if section == "figure":
        return 1 + text.splitlines().index("[figure]")
    return matches[0] if matches else 0


def complaint(folder: Path, text: str | bytes, *overrides: str) -> list[str]:
    """Load a core file that is not right; return the lines of the message."""
    path = folder / "my.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InputError) as caught:
        load_core(str(path), overrides)
    lines = str(caught.value).splitlines()
    assert all(line.startswith(str(path)) or "--set" in line for line in lines)
    return [line.removeprefix(f"{folder}/") for line in lines]


@each_core
class TestShippedFiles:
    def test_every_figure_has_a_listed_source_and_every_source_is_used(self, name: str) -> None:
        document = tomllib.loads(TEXTS[name])
        used = {where: entry.get("source") for where, entry in entries(document)}
        assert {where: s for where, s in used.items() if s not in document["sources"]} == {}
        assert set(used.values()) == set(document["sources"])
        assert all(isinstance(text, str) and text for text in document["sources"].values())

    def test_what_is_assumed_has_a_note_that_says_what(self, name: str) -> None:
        for where, entry in entries(tomllib.loads(TEXTS[name])):
            if entry["source"] == "assumed":
                assert entry.get("note"), where

    def test_the_core_has_the_figures_of_its_file(self, name: str) -> None:
        document, core = tomllib.loads(TEXTS[name]), load_core(name)
        assert set(document["figures"]) == set(FIGURES)
        for key, entry in document["figures"].items():
            assert getattr(core, key.replace(".", "_")) == entry["value"], key
        assert core.name == document["name"] == name
        assert core.title == document["title"]

    def test_the_core_has_the_schedulers_and_units_of_its_file(self, name: str) -> None:
        schedulers = tomllib.loads(TEXTS[name])["schedulers"].values()
        core = load_core(name)
        assert core.schedulers == tuple(entry["entries"]["value"] for entry in schedulers)
        assert core.units == tuple(unit for entry in schedulers for unit in entry["units"])

    def test_every_operation_class_has_a_cost_at_every_number_of_lanes(self, name: str) -> None:
        document, core = tomllib.loads(TEXTS[name]), load_core(name)
        assert set(document["ops"]) == set(core.costs) == set(CLASSES)
        for opclass, by_lanes in core.costs.items():
            assert tuple(by_lanes) == LANE_COUNTS, opclass
            for cost in by_lanes.values():
                assert cost.slots >= 1
                assert all(micro.units for micro in cost.micros)

    def test_every_class_belongs_to_some_instruction(self, name: str) -> None:
        assert set(load_core(name).costs) == {spec.opclass for spec in TABLE.values()}

    def test_units_of_a_micro_operation_are_fed_by_its_scheduler(self, name: str) -> None:
        document, core = tomllib.loads(TEXTS[name]), load_core(name)
        fed = [set(entry["units"]) for entry in document["schedulers"].values()]
        for by_lanes in core.costs.values():
            for cost in by_lanes.values():
                for micro in cost.micros:
                    assert {core.units[unit] for unit in micro.units} <= fed[micro.scheduler]

    def test_no_operation_occupies_its_unit_for_longer_than_it_takes(self, name: str) -> None:
        core = load_core(name)
        for opclass, by_lanes in core.costs.items():
            for cost in by_lanes.values():
                for micro in cost.micros:
                    latency = micro.latency + (core.l1_latency if micro.loads else 0)
                    assert micro.busy <= max(1, latency), opclass

    @pytest.mark.parametrize("lanes", LANE_COUNTS)
    def test_every_instruction_has_the_operands_that_its_cost_names(
        self, name: str, lanes: int
    ) -> None:
        program = every_instruction(lanes)
        templates = build_templates(program, load_core(name))
        assert len(templates) == len(program.instructions)

    def test_loading_by_path_gives_the_same_core(self, name: str, tmp_path: Path) -> None:
        path = tmp_path / "copy.toml"
        path.write_text(TEXTS[name], encoding="utf-8")
        assert load_core(str(path)) == load_core(name)


FIGURE = 'width = { value = 2, source = "boom" }'
MULTIPLY = '"int.mul" = { uops = ["alu0 3"], source = "chosen" }'
ALLOWED = "from 1 to 64 (issue slots: micro-operations dispatched in a cycle, in slots)"

FAULTS: dict[str, tuple[Change, list[str]]] = {
    # what is wrong: the change, and all of what the message must say
    "text for a number": (
        ("\n" + FIGURE, '\nwidth = { value = "2", source = "boom" }'),
        ["figures.width", "'2' is not a whole number", ALLOWED],
    ),
    "fraction for a number": (
        ("\n" + FIGURE, '\nwidth = { value = 2.5, source = "boom" }'),
        ["figures.width", "2.5 is not a whole number", ALLOWED],
    ),
    "truth value for a number": (
        ("\n" + FIGURE, '\nwidth = { value = true, source = "boom" }'),
        ["figures.width", "True is not a whole number", ALLOWED],
    ),
    "list for a number": (
        ("\n" + FIGURE, '\nwidth = { value = [2], source = "boom" }'),
        ["figures.width", "[2] is not a whole number", ALLOWED],
    ),
    "number too small": (
        ("\n" + FIGURE, '\nwidth = { value = 0, source = "boom" }'),
        ["figures.width", "0 is outside 1 to 64", "micro-operations dispatched in a cycle"],
    ),
    "number too large": (
        ("\n" + FIGURE, '\nwidth = { value = 65, source = "boom" }'),
        ["figures.width", "65 is outside 1 to 64"],
    ),
    "number without source": (
        ("\n" + FIGURE, "\nwidth = 2"),
        ["figures.width", "2 is not of the form { value = ..., source = '...' }"],
    ),
    "entry without source": (
        ("\n" + FIGURE, "\nwidth = { value = 2 }"),
        ["figures.width", "has no source; name a key of [sources]"],
    ),
    "entry without value": (
        ("\n" + FIGURE, '\nwidth = { source = "boom" }'),
        ["figures.width", "{'source': 'boom'} is not of the form { value = ..."],
    ),
    "unknown source": (
        ("\n" + FIGURE, '\nwidth = { value = 2, source = "bom" }'),
        ["figures.width", "source 'bom' is not listed in [sources]; did you mean 'boom'?"],
    ),
    "source that is no text": (
        ("\n" + FIGURE, '\nwidth = { value = 2, source = ["boom"] }'),
        ["figures.width", "source ['boom'] is not listed in [sources]"],
    ),
    "unknown key": (
        ("\n" + FIGURE, '\nwidth = { value = 2, source = "boom", nota = "x" }'),
        ["figures.width", "unknown key 'nota'; did you mean 'note'?"],
    ),
    "unknown figure": (
        ("\nqueue =", "\nqueu ="),
        ["figures.queu", "unknown figure; did you mean 'queue'?"],
    ),
    "unknown section": (
        ("[figures]", "[figure]"),
        ["figure: unknown section; did you mean 'figures'?"],
    ),
    "penalty below depth": (
        ("depth = { value = 5", "depth = { value = 16"),
        ["figures.mispredict_penalty", "15 is less than depth, 16"],
    ),
    "unknown unit": (
        ('alu = { units = ["alu1", "alu0"]', 'alu = { units = ["alu1", "alu2"]'),
        ["groups.alu", "no unit is named 'alu2'; did you mean 'alu1'?"],
    ),
    "group of two schedulers": (
        ('alu = { units = ["alu1", "alu0"]', 'alu = { units = ["alu1", "mem"]'),
        ["groups.alu", "its units are fed by more than one scheduler"],
    ),
    "group without units": (
        ('mem = { units = ["mem"]', "mem = { units = []"),
        ["groups.mem", "needs a list of units and a source"],
    ),
    "group without source": (
        ('alu0 = { units = ["alu0"], source = "chosen",', 'alu0 = { units = ["alu0"],'),
        ["groups.alu0", "has no source"],
    ),
    "unit fed twice": (
        ('units = ["mem"]\n', 'units = ["mem", "alu0"]\n'),
        ["schedulers.memory", "unit 'alu0' is fed by two schedulers"],
    ),
    "scheduler without units": (
        ('units = ["mem"]\n', "units = 3\n"),
        ["schedulers.memory", "needs entries and a list of units"],
    ),
    "scheduler of no entries": (
        ("entries = { value = 12", "entries = { value = 0"),
        ["schedulers.memory", "0 is outside 1 to 1000000", "micro-operations waiting in it"],
    ),
    "too many units": (
        ('units = ["mem"]\n', f"units = {[f'm{i}' for i in range(62)]}\n"),
        ["schedulers", "65 units; at most 64 are modelled"],
    ),
    "unknown operation class": (
        ('"int.mul" =', '"int.mull" ='),
        ["ops.int.mull", "unknown operation class; did you mean 'int.mul'?"],
    ),
    "operation without micro-operations": (
        (MULTIPLY, '"int.mul" = { source = "chosen" }'),
        ["ops.int.mul", "needs uops = [...] and a source (64-bit integer multiply)"],
    ),
    "operation without source": (
        (MULTIPLY, '"int.mul" = { uops = ["alu0 3"] }'),
        ["ops.int.mul", "has no source"],
    ),
    "unknown width": (
        (MULTIPLY, '"int.mul" = { uops = ["alu0 3"], w3 = ["alu0 3"], source = "chosen" }'),
        ["ops.int.mul", "unknown key 'w3'"],
    ),
    "width that is no list": (
        (MULTIPLY, '"int.mul" = { uops = ["alu0 3"], w4 = "alu0 3", source = "chosen" }'),
        ["ops.int.mul", "w4 is not a list of texts"],
    ),
    "no issue slot": (
        (MULTIPLY, '"int.mul" = { uops = ["alu0 3"], slots = 0, source = "chosen" }'),
        ["ops.int.mul", "0 is outside 1 to 400 (issue slots taken, in slots)"],
    ),
    "micro-operation without latency": (
        ('"alu0 3"', '"alu0"'),
        ["ops.int.mul", "'alu0' is not of the form 'GROUP LATENCY [busy N] [needs ...]'"],
    ),
    "micro-operation of an unknown group": (
        ('"alu0 3"', '"alu9 3"'),
        ["ops.int.mul", "'alu9 3' names no group of units; did you mean 'alu'?"],
    ),
    "micro-operation that needs a later one": (
        ('"alu0 3"', '"alu0 3 needs #1"'),
        ["ops.int.mul", "'alu0 3 needs #1': #1 is no earlier micro-operation"],
    ),
    "micro-operation that needs nothing known": (
        ('"alu0 3"', '"alu0 3 needs 7"'),
        ["ops.int.mul", "'7' is neither an operand nor '#number'"],
    ),
    "latency too long": (
        ('"alu0 3"', '"alu0 1001"'),
        [
            "ops.int.mul",
            "'alu0 1001' has a latency or occupancy that is not from 0 or 1 to 1000 cycles",
        ],
    ),
    "never occupied": (
        ('"alu0 3"', '"alu0 3 busy 0"'),
        [
            "ops.int.mul",
            "'alu0 3 busy 0' has a latency or occupancy that is not from 0 or 1 to 1000 cycles",
        ],
    ),
    "too many micro-operations": (
        ('"alu0 3"', '"401* alu0 3"'),
        ["ops.int.mul", "'401* alu0 3' makes more than 400 micro-operations"],
    ),
    "digits of another script": (
        ('"alu0 3"', '"alu0 \N{ARABIC-INDIC DIGIT THREE}"'),
        ["ops.int.mul", "is not of the form"],
    ),
    "title that is no text": (
        ('title = "Classroom', 'title = 3 # "Classroom'),
        ["title: a text is needed here"],
    ),
}


class TestFaults:
    @pytest.mark.parametrize(("change", "expected"), FAULTS.values(), ids=FAULTS.keys())
    def test_the_message_names_file_line_field_value_and_what_is_allowed(
        self, change: Change, expected: list[str], tmp_path: Path
    ) -> None:
        text = broken(change)
        lines = complaint(tmp_path, text)
        (fault, *_) = [line for line in lines if expected[0] in line]
        for part in expected:
            assert part in fault
        field = expected[0].partition(":")[0]
        line = field_line(text, field)
        assert fault.startswith(f"my.toml:{line}: {field}: " if line else f"my.toml: {field}: ")

    @pytest.mark.parametrize("key", FIGURES)
    def test_a_missing_figure_is_named_with_its_meaning_and_unit(
        self, key: str, tmp_path: Path
    ) -> None:
        text = re.sub(rf'(?m)^"?{re.escape(key)}"? = .*\n', "", CLASSROOM)
        figure = FIGURES[key]
        assert complaint(tmp_path, text) == [
            f"my.toml: figures.{key}: missing ({figure.meaning}, in {figure.unit})"
        ]

    @pytest.mark.parametrize("opclass", CLASSES)
    def test_an_operation_class_without_a_cost_is_named_with_its_meaning(
        self, opclass: str, tmp_path: Path
    ) -> None:
        text = re.sub(rf'(?m)^"{re.escape(opclass)}" = .*\n', "", CLASSROOM)
        assert complaint(tmp_path, text) == [
            f"my.toml: ops.{opclass}: needs uops = [...] and a source ({CLASSES[opclass]})"
        ]

    @pytest.mark.parametrize("section", ["sources", "figures", "schedulers", "groups", "ops"])
    def test_a_missing_table_is_named(self, section: str, tmp_path: Path) -> None:
        text = re.sub(rf"(?m)^\[{section}(\..*)?\]\n([^\[\n].*\n|\n)*", "", CLASSROOM)
        assert f"my.toml: {section}: this table is missing" in complaint(tmp_path, text)

    def test_a_core_without_units_is_refused(self, tmp_path: Path) -> None:
        text = re.sub(r"(?m)^\[schedulers\..*\]\n([^\[\n].*\n|\n)*", "", CLASSROOM)
        lines = complaint(tmp_path, f"{text}\n[schedulers]\n")
        assert any(line.endswith("schedulers: there is no unit") for line in lines)

    def test_all_faults_are_named_in_one_go(self, tmp_path: Path) -> None:
        changes = [
            FAULTS[name][0]
            for name in (
                "number too large",
                "unknown figure",
                "unknown unit",
                "unit fed twice",
                "unknown operation class",
                "title that is no text",
            )
        ]
        lines = complaint(tmp_path, broken(*changes))
        fields = {re.sub(r"^my\.toml(:\d+)?: ", "", line).split(":")[0] for line in lines}
        assert fields >= {
            "figures.width",
            "figures.queu",
            "figures.queue",
            "groups.alu",
            "schedulers.memory",
            "ops.int.mull",
            "ops.int.mul",
            "title",
        }

    @pytest.mark.parametrize("digits", [5000, 100_000])
    def test_a_number_of_thousands_of_digits_is_refused_in_few_words(
        self, digits: int, tmp_path: Path
    ) -> None:
        for number in ("9" * digits, f"0x{'f' * digits}"):
            lines = complaint(
                tmp_path, broken(("width = { value = 4", f"width = {{ value = {number}"))
            )
            assert len(lines[0]) < 300
        for text in ("alu0 {}", "alu0 l1+{}", "{}* alu0 1", "alu0 1 busy {}", "alu0 1 needs #{}"):
            lines = complaint(tmp_path, broken(('"alu0 3"', f'"{text.format("9" * digits)}"')))
            assert lines[0].startswith("my.toml:51: ops.int.mul: ")

    def test_a_cost_with_an_operand_that_the_instruction_lacks_is_refused_when_it_is_used(
        self, tmp_path: Path
    ) -> None:
        path = tmp_path / "my.toml"
        path.write_text(broken(('"alu0 3"', '"alu0 3 needs xq"')), encoding="utf-8")
        core = load_core(str(path))
        machine = Machine(assemble("mul x5, x6, x7\nhalt"))
        message = r"int\.mul needs an operand 'xq', which 'mul' \(xd, xa, xb\) does not have"
        with pytest.raises(InputError, match=message):
            simulate(machine, core)


class TestFiles:
    def test_text_that_is_not_toml_is_refused_with_its_line(self, tmp_path: Path) -> None:
        (line,) = complaint(tmp_path, broken(("[figures]", "[figures")))
        assert line.startswith("my.toml: not valid TOML: ")
        assert f"line {CLASSROOM.splitlines().index('[figures]') + 1}" in line

    def test_a_key_that_stands_twice_is_refused(self, tmp_path: Path) -> None:
        (line,) = complaint(tmp_path, broken(("\n" + FIGURE, f"\n{FIGURE}\n{FIGURE}")))
        assert "not valid TOML" in line

    def test_deep_nesting_is_refused(self, tmp_path: Path) -> None:
        (line,) = complaint(tmp_path, "name = " + "[" * 100_000)
        assert line.startswith("my.toml: not valid TOML: ")

    @pytest.mark.parametrize(
        "content", [b"\xff\xfe\x00\x01", b"\x7fELF\x02\x01\x01" + bytes([200])]
    )
    def test_a_binary_file_is_refused(self, content: bytes, tmp_path: Path) -> None:
        assert complaint(tmp_path, content) == [
            "my.toml: not a text file (a core is a TOML file in UTF-8)"
        ]

    def test_an_empty_file_is_refused_for_all_that_it_lacks(self, tmp_path: Path) -> None:
        lines = complaint(tmp_path, "")
        assert len(lines) >= 5 + len(FIGURES) + len(CLASSES) + 2

    def test_a_file_beyond_any_core_is_refused_unread(self, tmp_path: Path) -> None:
        assert complaint(tmp_path, "#" * ((1 << 20) + 1)) == [
            "my.toml: larger than 1048576 bytes, which no core file is"
        ]

    def test_an_endless_file_is_refused(self) -> None:
        with pytest.raises(InputError, match="larger than 1048576 bytes"):
            load_core("/dev/zero")

    def test_a_directory_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="is a directory, and a core is a TOML file"):
            load_core(str(tmp_path))

    def test_a_missing_file_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match=r"none\.toml: No such file or directory"):
            load_core(str(tmp_path / "none.toml"))

    @pytest.mark.parametrize("name", ["none.toml", "none.text", "no/core", "./classroom"])
    def test_a_name_with_a_suffix_or_a_slash_is_a_path(self, name: str) -> None:
        with pytest.raises(InputError, match=f"^{name}: No such file or directory$"):
            load_core(name)

    def test_an_unknown_name_is_refused_with_the_nearest(self) -> None:
        message = "no core is named 'clasroom'; did you mean 'classroom'?"
        with pytest.raises(InputError, match=re.escape(message)):
            load_core("clasroom")

    @pytest.mark.parametrize(
        "name", ["", ".", "/", "x" * 5000, "a/" + "x" * 5000, "a\0b", "a\0.toml"]
    )
    def test_a_name_that_is_no_file_is_refused(self, name: str) -> None:
        with pytest.raises(InputError):
            load_core(name)


class TestOverrides:
    @pytest.mark.parametrize("key", FIGURES)
    @each_core
    def test_each_figure_can_be_replaced_and_nothing_else_changes(
        self, name: str, key: str
    ) -> None:
        value = {"depth": 7}.get(key, 77 if FIGURES[key].high > 64 else 33)
        core, plain = load_core(name, [f"{key}={value}"]), load_core(name)
        field = key.replace(".", "_")
        changed = {
            field for field in Core.__slots__ if getattr(core, field) != getattr(plain, field)
        }
        assert getattr(core, field) == value
        # Vector units narrower than those of the file crack wide vectors.
        assert changed == ({field, "costs"} if key == "vector_bits" else {field})

    def test_each_scheduler_can_be_replaced(self) -> None:
        assert load_core("classroom", ["schedulers.memory=3"]).schedulers == (20, 3, 16)
        assert load_core("golden-cove", ["schedulers.store=1"]).schedulers == (97, 70, 1)

    def test_several_hold_together_and_the_last_of_one_field_holds(self) -> None:
        core = load_core("classroom", ["rob=8", "l1.latency=9", " rob = 7 "])
        assert (core.rob, core.l1_latency, core.width) == (7, 9, 2)

    def test_an_override_mends_what_is_wrong_in_the_file(self, tmp_path: Path) -> None:
        path = tmp_path / "my.toml"
        path.write_text(broken(FAULTS["number too large"][0]), encoding="utf-8")
        assert load_core(str(path), ["width=3"]).width == 3

    @pytest.mark.parametrize(
        ("pair", "message"),
        [
            ("robb=64", "there is no figure 'robb'; did you mean 'rob'?"),
            ("ROB=64", "there is no figure 'ROB'; did you mean 'rob'?"),
            ("schedulers.mem=64", "there is no figure 'schedulers.mem'; did you mean 'schedulers."),
            ("rob", "--set takes FIELD=VALUE, as in rob=64; found 'rob'"),
            ("=5", "there is no figure ''"),
            ("", "--set takes FIELD=VALUE, as in rob=64; found ''"),
            ("rob=0", "--set rob=0: '0' is not a whole number from 1 to 1000000"),
            ("rob=1000001", "'1000001' is not a whole number from 1 to 1000000"),
            ("width=65", "'65' is not a whole number from 1 to 64"),
            ("rob=many", "--set rob=many: 'many' is not a whole number from 1 to 1000000"),
            ("rob=", "'' is not a whole number"),
            ("rob=2.5", "'2.5' is not a whole number"),
            ("rob=1e3", "'1e3' is not a whole number"),
            ("rob=-3", "'-3' is not a whole number"),
            ("rob=" + "9" * 5000, "is not a whole number"),
            ("schedulers.memory=0", "'0' is not a whole number from 1 to 1000000"),
        ],
    )
    def test_a_bad_one_is_refused_with_what_is_allowed(self, pair: str, message: str) -> None:
        with pytest.raises(InputError, match=re.escape(message)):
            load_core("classroom", [pair])

    def test_one_that_does_not_fit_another_figure_is_refused(self) -> None:
        with pytest.raises(InputError, match="15 is less than depth, 16"):
            load_core("classroom", ["depth=16"])

    def test_one_for_a_scheduler_that_is_no_table_leaves_the_files_own_fault(
        self, tmp_path: Path
    ) -> None:
        text = broken(("[schedulers.vector]", "[schedulers]\nvector = 5\n[other]"))
        lines = complaint(tmp_path, text, "schedulers.vector=3")
        assert any("schedulers.vector: needs entries and a list of units" in line for line in lines)


def test_the_order_of_a_group_is_the_order_of_preference() -> None:
    core = load_core("classroom")
    (micro,) = core.costs["int.alu"][4].micros
    assert [core.units[unit] for unit in micro.units] == ["alu1", "alu0"]


def test_a_width_without_a_list_takes_that_of_the_next_smaller_one() -> None:
    costs = load_core("golden-cove").costs["pred.while"]
    assert costs[2] == costs[4] == costs[8] == costs[16]
    costs = load_core("golden-cove").costs["vec.permute"]
    assert [len(costs[lanes].micros) for lanes in LANE_COUNTS] == [1, 1, 1, 2]
    assert [costs[lanes].micros[0].latency for lanes in LANE_COUNTS] == [1, 3, 3, 3]


def test_pieces_of_a_wide_vector_depend_on_their_own_results_only() -> None:
    # golden-cove multiplies in three dependent steps, 16 lanes in two pieces of 512 bits.
    cost = load_core("golden-cove").costs["vec.int.mul"][16]
    assert (cost.pieces, cost.slots) == (2, 6)
    assert [micro.after for micro in cost.micros] == [(), (0,), (1,), (), (3,), (4,)]
