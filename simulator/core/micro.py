"""The notation for micro-operations in core files.

Each string is one micro-operation: a group of units, a latency, and what differs from
the usual::

    alu 1                     one cycle on any unit of group alu
    load l1                   a load with the L1 latency; l1+3 is three cycles more
    div 14 busy 4             occupies its unit for four cycles
    shuffle 1 needs va        needs operand va only
    fadd 2 needs #1, #2       needs the results of the first two micro-operations
    4* load l1 needs address  four of these

Without ``needs``, the first one needs all operands of its instruction and every other
one the result of the one before it. ``all``, ``address``, ``data`` and operand names as
in the instruction's signature may stand in ``needs``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from isa.errors import nearest
from simulator.core.spec import ALL, Micro

_FORM = re.compile(
    r"(?:(?P<times>\d+)\s*\*\s*)?(?P<group>\w+)\s+(?P<latency>\d+|l1(?:\s*\+\s*\d+)?)"
    r"(?:\s+busy\s+(?P<busy>\d+))?(?:\s+needs\s+(?P<needs>.+))?",
    re.ASCII,
)
_MOST = 400
_LONGEST = 1000


class NotationError(ValueError):
    """A string that is no micro-operation; the core file's reader says where it stands."""


def parse_micros(
    texts: Sequence[str], groups: Mapping[str, tuple[int, ...]], scheduler_of: Mapping[int, int]
) -> tuple[Micro, ...]:
    """Read a list of micro-operations.

    Parameters
    ----------
    texts : sequence of str
        One for each, or for several alike.
    groups : mapping of str to tuple of int
        Units of each group, in order of preference.
    scheduler_of : mapping of int to int
        Scheduler that feeds each unit.

    Raises
    ------
    NotationError
        With the text at fault and what is allowed.
    """
    micros: list[Micro] = []
    for text in texts:
        match = _FORM.fullmatch(text.strip())
        if match is None:
            raise NotationError(f"'{text}' is not of the form 'GROUP LATENCY [busy N] [needs ...]'")
        times = _count(match["times"], 1)
        if not 1 <= times <= _MOST or len(micros) + times > _MOST:
            raise NotationError(f"'{text}' makes more than {_MOST} micro-operations")
        for _ in range(times):
            micros.append(_parse(match, text, groups, scheduler_of, len(micros)))
    return tuple(micros)


def _parse(
    match: re.Match[str],
    text: str,
    groups: Mapping[str, tuple[int, ...]],
    scheduler_of: Mapping[int, int],
    position: int,
) -> Micro:
    group = match["group"]
    if group not in groups:
        raise NotationError(f"'{text}' names no group of units{nearest(group, groups)}")
    loads = match["latency"].startswith("l1")
    latency = _count(match["latency"].removeprefix("l1").strip(" \t+"), 0)
    busy = _count(match["busy"], 1)
    if latency > _LONGEST or not 1 <= busy <= _LONGEST:
        raise NotationError(
            f"'{text}' has a latency or occupancy that is not from 0 or 1 to {_LONGEST} cycles"
        )
    operands, after = _needs(match["needs"], text, position)
    units = groups[group]
    return Micro(units, scheduler_of[units[0]], latency, loads, busy, operands, after)


def _count(digits: str | None, default: int) -> int:
    """Return the number that digits stand for; one too long to be meant is just too large."""
    if not digits:
        return default
    return int(digits) if len(digits) <= 9 else 10**9


def _needs(needs: str | None, text: str, position: int) -> tuple[tuple[str, ...], tuple[int, ...]]:
    if needs is None:
        return ((ALL,), ()) if position == 0 else ((), (position - 1,))
    operands, after = [], []
    for word in (word.strip() for word in needs.split(",")):
        if word.startswith("#"):
            earlier = _count(word[1:], 0) if re.fullmatch("#[0-9]+", word) else 0
            if not 1 <= earlier <= position:
                raise NotationError(f"'{text}': {word} is no earlier micro-operation")
            after.append(earlier - 1)
        elif re.fullmatch(r"[a-z]\w*", word):
            operands.append(word)
        else:
            raise NotationError(f"'{text}': '{word}' is neither an operand nor '#number'")
    return tuple(operands), tuple(after)
