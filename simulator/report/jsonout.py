"""The JSON that ``--json`` prints; its fields are a contract."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from simulator.report.tables import Column
from simulator.result import Result

SCHEMA = 1


def result_fields(result: Result) -> dict[str, Any]:
    """Return the fields of a variant that come from its run alone.

    Cycles and counts are whole numbers, ``ipc`` and ``ilp_limit`` instructions per cycle,
    ``mpki`` per thousand instructions, ``topdown`` fractions of issue slots, ``units``
    shares of cycles, ``host_seconds`` seconds.
    """
    return {
        "cycles": result.cycles,
        "instructions": result.instructions,
        "uops": result.uops,
        "ipc": result.ipc,
        "ilp_limit": result.ilp_limit,
        "branches": result.branches,
        "mispredictions": result.mispredictions,
        "mpki": result.mpki,
        "topdown": result.topdown,
        "units": result.units,
        "host_seconds": result.host_seconds,
    }


def variant_object(column: Column, steps: int, sample: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return one entry of ``variants``.

    With sampling, counts are scaled like cycles, so that they are estimates for the whole
    data and ratios between them are those of the sample.
    """
    fields = result_fields(column.result)
    if sample is not None:
        scale = column.cycles / column.result.cycles
        for name in ("instructions", "uops", "branches", "mispredictions"):
            fields[name] = round(fields[name] * scale)
        fields["cycles"] = column.cycles
    return {
        "variant": column.name,
        "cycles": fields.pop("cycles"),
        "instructions": fields.pop("instructions"),
        "uops": fields.pop("uops"),
        "steps": steps,
        "ipc": fields.pop("ipc"),
        "ilp_limit": fields.pop("ilp_limit"),
        "cycles_per_step": column.cycles_per_step,
        "branches": fields.pop("branches"),
        "mispredictions": fields.pop("mispredictions"),
        "mpki": fields.pop("mpki"),
        "topdown": fields.pop("topdown"),
        "units": fields.pop("units"),
        "speedup": column.speedup,
        "verified": column.verified,
        "sample": sample,
        "host_seconds": fields.pop("host_seconds"),
    }


def dump(document: Mapping[str, Any]) -> str:
    """Return a document as JSON text; NaN and infinities are refused."""
    return json.dumps(document, indent=2, allow_nan=False)
