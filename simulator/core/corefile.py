"""Reading core files: TOML with a source beside every figure, checked in full.

A file that is not right is refused with all that is wrong in it: the field, the value
found, and what is allowed. Nothing in a core file is executed.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from isa.errors import InputError, nearest
from isa.opclasses import CLASSES
from isa.operands import LANE_COUNTS
from simulator.core.figures import FIGURES, HUGE, Figure
from simulator.core.micro import NotationError, parse_micros
from simulator.core.spec import Core, Cost, Micro

_SECTIONS = {"name", "title", "description", "sources", "figures", "schedulers", "groups", "ops"}
_WIDTH_KEYS = {f"w{lanes}": lanes for lanes in LANE_COUNTS}
_MOST_BYTES = 1 << 20
MOST_UNITS = 64


def core_names() -> list[str]:
    """Return the names of the cores that come with the package."""
    folder = files("simulator") / "cores"
    return sorted(
        p.name.removesuffix(".toml") for p in folder.iterdir() if p.name.endswith(".toml")
    )


def load_core(name: str, overrides: Sequence[str] = ()) -> Core:
    """Load a core by name or from a file.

    Parameters
    ----------
    name : str
        Name of a core that comes with the package, or the path of a TOML file.
    overrides : sequence of str
        ``FIELD=VALUE`` pairs that replace figures: a name of `FIGURES`, or
        ``schedulers.NAME`` for its entries.

    Raises
    ------
    InputError
        If there is no such core, or the file or an override is not right.
    """
    label, text = _read(name)
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{label}: not valid TOML: {error}") from None
    reader = _Reader(label, text, document)
    for pair in overrides:
        reader.override(pair)
    return reader.core()


def _read(name: str) -> tuple[str, str]:
    """Return a core file's label for messages and its text."""
    if name in core_names():
        resource = files("simulator") / "cores" / f"{name}.toml"
        return f"{name}.toml", resource.read_text(encoding="utf-8")
    path = Path(name)
    try:
        if not (path.suffix or "/" in name or path.exists()):
            raise InputError(f"no core is named '{name}'{nearest(name, core_names())}")
        if path.is_dir():
            raise InputError(f"{name}: is a directory, and a core is a TOML file")
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
        if len(content) > _MOST_BYTES:
            raise InputError(f"{name}: larger than {_MOST_BYTES} bytes, which no core file is")
        return name, content.decode("utf-8")
    except OSError as error:
        raise InputError(f"{name}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise InputError(f"{name}: not a text file (a core is a TOML file in UTF-8)") from None
    except ValueError as error:
        raise InputError(f"{name!r} is no file name: {error}") from None


@dataclass
class _Reader:
    """One core file being read; gathers what is wrong with it."""

    label: str
    text: str
    document: dict[str, Any]
    problems: list[str] = field(default_factory=list)

    def problem(self, where: str, message: str) -> None:
        """Record a fault of a field."""
        line = _line_of(self.text, where)
        place = f"{self.label}:{line}" if line else self.label
        self.problems.append(f"{place}: {where}: {message}")

    def override(self, pair: str) -> None:
        """Replace one figure by a value given outside the file."""
        key, equals, value = pair.partition("=")
        key = key.strip()
        schedulers = [f"schedulers.{name}" for name in self.table("schedulers")]
        if not equals:
            raise InputError(f"--set takes FIELD=VALUE, as in rob=64; found '{pair}'")
        if key not in {*FIGURES, *schedulers}:
            hint = nearest(key, [*FIGURES, *schedulers])
            raise InputError(
                f"--set {pair}: there is no figure '{key}'{hint or '; see lanewise list figures'}"
            )
        try:
            number = int(value)
        except ValueError:
            number = None
        low, high = (FIGURES[key].low, FIGURES[key].high) if key in FIGURES else (1, 1_000_000)
        if number is None or not low <= number <= high:
            raise InputError(
                f"--set {key}={value}: '{value}' is not a whole number from {low} to {high}"
            )
        if key in FIGURES:
            self.table("figures")[key] = {"value": number, "source": None}
        else:
            scheduler = self.table("schedulers")[key.partition(".")[2]]
            if isinstance(scheduler, dict):
                scheduler["entries"] = {"value": number, "source": None}

    def table(self, name: str) -> dict[str, Any]:
        """Return a section, or an empty one where it is missing or no table."""
        section = self.document.get(name, {})
        return section if isinstance(section, dict) else {}

    def core(self) -> Core:
        """Check everything and build the core."""
        for key in self.document:
            if key not in _SECTIONS:
                self.problem(key, f"unknown section{nearest(key, _SECTIONS)}")
        for name in ("sources", "figures", "schedulers", "groups", "ops"):
            if not isinstance(self.document.get(name), dict):
                self.problem(name, "this table is missing")
        figures = self.figures()
        units, entries, scheduler_of = self.schedulers()
        groups = self.groups(units, scheduler_of)
        costs = self.costs(groups, scheduler_of, figures.get("vector_bits", 512))
        for key in ("name", "title"):
            if not isinstance(self.document.get(key), str):
                self.problem(key, "a text is needed here")
        if figures.get("mispredict_penalty", HUGE) < figures.get("depth", 1):
            self.problem(
                "figures.mispredict_penalty",
                f"{figures['mispredict_penalty']} is less than depth, {figures['depth']}: the "
                "right path cannot be dispatched before it has passed the front end",
            )
        if self.problems:
            raise InputError("\n".join(self.problems))
        values = {key.replace(".", "_"): value for key, value in figures.items()}
        return Core(
            name=str(self.document["name"]),
            title=str(self.document["title"]),
            units=units,
            schedulers=entries,
            costs=costs,
            **values,
        )

    def sourced(self, where: str, entry: object) -> Any:
        """Return the value of ``{value = ..., source = ...}``, whose source must be listed."""
        if not isinstance(entry, dict) or "value" not in entry:
            self.problem(
                where, f"{_shown(entry)} is not of the form {{ value = ..., source = '...' }}"
            )
            return None
        self.source(where, entry)
        self.known(where, entry, {"value", "source", "note"})
        return entry["value"]

    def source(self, where: str, entry: Mapping[str, Any]) -> None:
        """Check that an entry names a source listed under [sources]."""
        if "source" not in entry:
            self.problem(where, "has no source; name a key of [sources]")
            return
        source, listed = entry["source"], list(self.table("sources"))
        if source is not None and source not in listed:
            given = _shown(source)
            hint = nearest(given.strip("'"), listed)
            self.problem(where, f"source {given} is not listed in [sources]{hint}")

    def known(self, where: str, entry: Mapping[str, Any], keys: set[str]) -> None:
        """Check that an entry has no keys but these."""
        for key in entry:
            if key not in keys:
                self.problem(where, f"unknown key '{key}'{nearest(key, keys)}")

    def whole(self, where: str, value: object, figure: Figure) -> int | None:
        """Check that a value is a whole number in its range."""
        if isinstance(value, bool) or not isinstance(value, int):
            self.problem(
                where,
                f"{_shown(value)} is not a whole number from {figure.low} to {figure.high} "
                f"({figure.meaning}, in {figure.unit})",
            )
            return None
        if not figure.low <= value <= figure.high:
            self.problem(
                where,
                f"{_shown(value)} is outside {figure.low} to {figure.high} "
                f"({figure.meaning}, in {figure.unit})",
            )
            return None
        return value

    def figures(self) -> dict[str, int]:
        """Check the scalar figures."""
        given = self.table("figures")
        values: dict[str, int] = {}
        for key in given:
            if key not in FIGURES:
                self.problem(f"figures.{key}", f"unknown figure{nearest(key, FIGURES)}")
        for key, figure in FIGURES.items():
            where = f"figures.{key}"
            if key not in given:
                self.problem(where, f"missing ({figure.meaning}, in {figure.unit})")
                continue
            value = self.sourced(where, given[key])
            number = None if value is None else self.whole(where, value, figure)
            if number is not None:
                values[key] = number
        return values

    def schedulers(self) -> tuple[tuple[str, ...], tuple[int, ...], dict[int, int]]:
        """Check schedulers and the units they feed; number both."""
        units: list[str] = []
        entries: list[int] = []
        scheduler_of: dict[int, int] = {}
        figure = Figure("micro-operations waiting in it", "entries", 1)
        for name, entry in self.table("schedulers").items():
            where = f"schedulers.{name}"
            if not isinstance(entry, dict) or not _texts(entry.get("units")):
                self.problem(where, "needs entries and a list of units")
                continue
            self.known(where, entry, {"entries", "units"})
            count = self.sourced(where, entry.get("entries"))
            number = None if count is None else self.whole(where, count, figure)
            for unit in entry["units"]:
                if unit in units:
                    self.problem(where, f"unit '{unit}' is fed by two schedulers")
                scheduler_of[len(units)] = len(entries)
                units.append(unit)
            entries.append(number or 1)
        if not units and not self.problems:
            self.problem("schedulers", "there is no unit")
        if len(units) > MOST_UNITS:
            self.problem("schedulers", f"{len(units)} units; at most {MOST_UNITS} are modelled")
        return tuple(units), tuple(entries), scheduler_of

    def groups(
        self, units: Sequence[str], scheduler_of: Mapping[int, int]
    ) -> dict[str, tuple[int, ...]]:
        """Check the groups of units that operations name."""
        groups: dict[str, tuple[int, ...]] = {}
        for name, entry in self.table("groups").items():
            where = f"groups.{name}"
            if not isinstance(entry, dict) or not _texts(entry.get("units")):
                self.problem(where, "needs a list of units and a source")
                continue
            self.known(where, entry, {"units", "source", "note"})
            self.source(where, entry)
            unknown = [unit for unit in entry["units"] if unit not in units]
            for unit in unknown:
                self.problem(where, f"no unit is named '{unit}'{nearest(unit, units)}")
            numbers = tuple(units.index(unit) for unit in entry["units"] if unit in units)
            if len({scheduler_of[number] for number in numbers}) > 1:
                self.problem(where, "its units are fed by more than one scheduler")
            if numbers and not unknown:
                groups[name] = numbers
        return groups

    def costs(
        self,
        groups: Mapping[str, tuple[int, ...]],
        scheduler_of: Mapping[int, int],
        vector_bits: int,
    ) -> dict[str, dict[int, Cost]]:
        """Check that every operation class has a cost, at every number of lanes."""
        given = self.table("ops")
        for key in given:
            if key not in CLASSES:
                self.problem(f"ops.{key}", f"unknown operation class{nearest(key, CLASSES)}")
        costs: dict[str, dict[int, Cost]] = {}
        for opclass, meaning in CLASSES.items():
            where = f"ops.{opclass}"
            entry = given.get(opclass)
            if not isinstance(entry, dict) or not _texts(entry.get("uops"), empty=True):
                self.problem(where, f"needs uops = [...] and a source ({meaning})")
                continue
            self.known(where, entry, {"uops", "slots", "source", "note", *_WIDTH_KEYS})
            self.source(where, entry)
            slots = entry.get("slots")
            if slots is not None:
                slots = self.whole(where, slots, Figure("issue slots taken", "slots", 1, 400))
            parsed = self._parse_widths(where, entry, groups, scheduler_of)
            costs[opclass] = _by_lanes(opclass, parsed, slots, vector_bits)
        return costs

    def _parse_widths(
        self,
        where: str,
        entry: Mapping[str, Any],
        groups: Mapping[str, tuple[int, ...]],
        scheduler_of: Mapping[int, int],
    ) -> dict[int, tuple[Micro, ...]]:
        """Parse the lists of an operation; key 0 is the one for all widths."""
        parsed: dict[int, tuple[Micro, ...]] = {}
        for key, lanes in {"uops": 0, **_WIDTH_KEYS}.items():
            texts = entry.get(key)
            if texts is None:
                continue
            if not _texts(texts, empty=True):
                self.problem(where, f"{key} is not a list of texts")
                continue
            try:
                parsed[lanes] = parse_micros(texts, groups, scheduler_of)
            except NotationError as error:
                self.problem(where, str(error))
        return parsed


def _shown(value: object) -> str:
    """Return a value as a message quotes it."""
    try:
        text = repr(value)
    except ValueError:
        text = "a number of thousands of digits"
    return text if len(text) <= 80 else f"{text[:77]}..."


def _texts(value: object, *, empty: bool = False) -> bool:
    """Whether a value is a list of texts."""
    return (
        isinstance(value, list)
        and (empty or bool(value))
        and all(isinstance(v, str) for v in value)
    )


def _by_lanes(
    opclass: str, parsed: Mapping[int, tuple[Micro, ...]], slots: int | None, vector_bits: int
) -> dict[int, Cost]:
    """Give the cost at every number of lanes.

    A width without a list of its own takes that of the nearest smaller width. Where the
    vector is wider than the core handles at once and the class works lane by lane, the
    list is repeated for each piece, the pieces being independent of each other.
    """
    costs = {}
    for lanes in LANE_COUNTS:
        widths = [width for width in parsed if width <= lanes]
        if not widths:
            continue
        width = max(widths)
        micros = parsed[width]
        pieces = 1
        if opclass.startswith(LANEWISE) and (width == 0 or width < lanes):
            pieces = max(1, -(-64 * lanes // vector_bits) // max(1, -(-64 * width // vector_bits)))
        repeated = tuple(
            _shifted(micro, piece * len(micros)) for piece in range(pieces) for micro in micros
        )
        count = max(1, len(micros)) if slots is None else slots
        costs[lanes] = Cost(repeated, count * pieces, pieces)
    return costs


LANEWISE = (
    "vec.int.",
    "vec.fp.",
    "vec.convert",
    "vec.select",
    "vec.move",
    "vec.splat.",
    "load.vec",
    "load.splat",
    "store.vec",
)
"""Prefixes of the classes that work lane by lane, so that wide vectors come in pieces."""


def _shifted(micro: Micro, by: int) -> Micro:
    """Return a micro-operation of a later piece: it refers to its own piece's results."""
    if by == 0:
        return micro
    return Micro(
        micro.units,
        micro.scheduler,
        micro.latency,
        micro.loads,
        micro.busy,
        micro.operands,
        tuple(position + by for position in micro.after),
    )


def _line_of(text: str, where: str) -> int:
    """Return the line of a field, or 0 where it cannot be found."""
    section, _, key = where.partition(".")
    current = ""
    for number, line in enumerate(text.splitlines(), 1):
        header = re.match(r"\s*\[([^\]]+)\]", line)
        if header:
            current = header[1].strip()
            if current in {where, section} and (not key or current == where):
                return number
            continue
        found = re.match(r'\s*"?([\w.\-]+)"?\s*=', line)
        if found and (
            (current == section and found[1] == key) or (not current and found[1] == where)
        ):
            return number
    return 0


def core_title(name: str) -> str:
    """Return the title of a core that comes with the package."""
    return str(tomllib.loads(_read(name)[1])["title"])
