"""Tables for the terminal: forms as columns, metrics with their units as rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table
from rich.text import Text

from simulator.result import TOPDOWN, Result

WIDTH = 100
BAR = 10
"""Characters of a bar: four forms side by side fit 80 columns."""

ABREAST = 5
"""Forms that fit side by side; more get a table of their own below."""

LEAST_WIDTH = 80
"""Narrower terminals break lines themselves: a figure that is cut is no figure."""

_COLOURS = {
    "retiring": "green",
    "bad_speculation": "red",
    "frontend_bound": "yellow",
    "memory_bound": "magenta",
    "core_bound": "blue",
}
_LETTERS = {
    "retiring": "R",
    "bad_speculation": "S",
    "frontend_bound": "F",
    "memory_bound": "M",
    "core_bound": "C",
}
_NAMES = {
    "retiring": "retiring",
    "bad_speculation": "bad speculation",
    "frontend_bound": "front-end bound",
    "memory_bound": "memory bound",
    "core_bound": "core bound",
}


@dataclass(frozen=True, slots=True)
class Column:
    """One form of a comparison: totals (estimates when sampled) and the run behind them.

    ``cycles_ci95`` and ``speedup_ci95`` are None where every unit was simulated;
    ``speedup`` is None where it cannot be given; ``verified`` says whether the result
    equals SciPy's.
    """

    name: str
    result: Result
    cycles: int
    cycles_per_step: float | None
    speedup: float | None
    verified: bool
    cycles_ci95: tuple[float, float] | None = None
    speedup_ci95: tuple[float, float] | None = None


def make_console() -> Console:
    """Return a console on standard output: colours on a terminal only, 100 columns at most."""
    console = Console(highlight=False, soft_wrap=False)
    if not console.is_terminal:
        return Console(highlight=False, width=WIDTH, no_color=True)
    return Console(highlight=False, width=max(LEAST_WIDTH, min(WIDTH, console.width)))


def emit(console: Console, *parts: Table | str) -> None:
    """Print tables and lines; where nobody looks at a screen, without trailing blanks."""
    with console.capture() as captured:
        for part in parts:
            console.print(part, markup=False)
    text = captured.get()
    if not console.is_terminal:
        text = "".join(f"{line.rstrip()}\n" for line in text.splitlines())
    console.file.write(text)


def comparison_table(columns: Sequence[Column], baseline: str, console: Console) -> Table:
    """Lay out a comparison; speedups are over the form named ``baseline``."""
    table = Table(box=None, pad_edge=False, show_edge=False, padding=(0, 2, 0, 0))
    table.add_column("", no_wrap=True)
    for column in columns:
        table.add_column(column.name, justify="right", no_wrap=True)
    sampled = any(column.cycles_ci95 for column in columns)
    for label, cell in _metrics(baseline, sampled=sampled):
        table.add_row(label, *(cell(column) for column in columns))
    table.add_row("")
    table.add_row("issue slots, by fate", *(topdown_bar(c.result, BAR, console) for c in columns))
    for name in TOPDOWN:
        title = Text(f"  {_LETTERS[name]} {_NAMES[name]}, %", style=_COLOURS[name])
        table.add_row(title, *(f"{100 * c.result.topdown[name]:.1f}" for c in columns))
    table.add_row("")
    table.add_row("units, % of cycles busy")
    for unit in columns[0].result.unit_busy:
        shares = [column.result.units[unit] for column in columns]
        if any(shares):
            table.add_row(f"  {unit}", *(unit_bar(share, console) for share in shares))
    return table


def _metrics(baseline: str, *, sampled: bool) -> list[tuple[str, Callable[[Column], str]]]:
    """Return the rows of numbers: label with unit, and how a column shows it."""
    rows: list[tuple[str, Callable[[Column], str]]] = [
        ("cycles, estimated" if sampled else "cycles", lambda c: _wrong(c) or f"{c.cycles:,}"),
    ]
    if sampled:
        rows.append(("  95 % interval, +/- %", lambda c: _half_width(c.cycles_ci95, c.cycles)))
    rows += [
        ("cycles per step", lambda c: _number(c.cycles_per_step, 2)),
        (f"speedup over {baseline}", lambda c: _times(c.speedup)),
    ]
    if sampled:
        rows.append(("  95 % interval", lambda c: _span(c.speedup_ci95)))
    return [
        *rows,
        ("instructions per cycle (IPC)", lambda c: f"{c.result.ipc:.2f}"),
        ("  dataflow limit (ILP)", lambda c: f"{c.result.ilp_limit:.1f}"),
        ("mispredictions per 1000 (MPKI)", lambda c: f"{c.result.mpki:.2f}"),
        ("equal to SciPy's", lambda c: "yes" if c.verified else "NO"),
    ]


def _wrong(column: Column) -> str:
    return "" if column.verified else "incorrect"


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:,.{digits}f}"


def _times(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}x"


def _half_width(interval: tuple[float, float] | None, value: float) -> str:
    if interval is None or not value:
        return "-"
    return f"{50 * (interval[1] - interval[0]) / value:.1f}"


def _span(interval: tuple[float, float] | None) -> str:
    return "-" if interval is None else f"{interval[0]:.2f}-{interval[1]:.2f}"


def topdown_bar(result: Result, width: int, console: Console) -> Text:
    """Return issue slots by fate as a bar: letters, coloured on a terminal."""
    bar = Text()
    fractions = result.topdown
    edges = 0.0
    drawn = 0
    for name in TOPDOWN:
        edges += fractions[name]
        count = round(edges * width) - drawn
        drawn += count
        style = f"black on {_COLOURS[name]}" if console.is_terminal else ""
        bar.append(_LETTERS[name] * count, style=style)
    return bar


def unit_bar(share: float, console: Console) -> Text:
    """Return a share of cycles as a bar with its percentage."""
    full = "#" if console.encoding.lower().replace("-", "") not in {"utf8", "utf_8"} else "\u2588"
    length = BAR - 4
    return Text(f"{full * round(length * share):<{length}}{100 * share:4.0f}")


def branch_table(result: Result) -> Table:
    """Lay out the record of every conditional branch of a run."""
    table = Table(box=None, pad_edge=False, show_edge=False, padding=(0, 1))
    for title in ("line", "branch", "executed", "taken, %", "mispredicted", "rate, %"):
        table.add_column(title, justify="left" if title == "branch" else "right", no_wrap=True)
    for record in result.ledger:
        table.add_row(
            str(record.line),
            Text(record.text),
            f"{record.executed:,}",
            f"{100 * record.taken / record.executed:.1f}",
            f"{record.mispredicted:,}",
            f"{100 * record.mispredicted / record.executed:.2f}",
        )
    return table


def run_table(result: Result) -> Table:
    """Lay out the figures of one run, each with its unit."""
    table = Table(box=None, pad_edge=False, show_edge=False, show_header=False, padding=(0, 1))
    table.add_column(no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column()
    rows = [
        ("cycles", f"{result.cycles:,}", ""),
        ("instructions", f"{result.instructions:,}", f"{result.ipc:.2f} per cycle (IPC)"),
        (
            "micro-operations",
            f"{result.uops:,}",
            f"of {result.width * result.cycles:,} issue slots",
        ),
        (
            "dataflow limit",
            f"{result.dataflow_cycles:,}",
            f"cycles; {result.ilp_limit:.1f} instructions per cycle (ILP)",
        ),
        ("conditional branches", f"{result.branches:,}", ""),
        ("mispredictions", f"{result.mispredictions:,}", f"{result.mpki:.2f} per 1000 (MPKI)"),
    ]
    for row in rows:
        table.add_row(*row)
    for name, fraction in result.topdown.items():
        table.add_row(_NAMES[name], f"{100 * fraction:.1f}", f"% of issue slots: {TOPDOWN[name]}")
    for unit, share in result.units.items():
        if share:
            table.add_row(f"unit {unit}", f"{100 * share:.1f}", "% of cycles busy")
    return table
