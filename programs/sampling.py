"""Sampling: simulate some units of a problem and estimate the whole.

Units (rows of B) are drawn at random without replacement from a fixed seed. A unit's
cycles follow its merge steps closely, and the steps of *all* units are known from the
data without simulation, so totals are estimated by regression on steps (Cochran,
Sampling Techniques, 3rd ed., 1977, ch. 7). Confidence intervals come from the bootstrap
over the sampled units (Efron and Tibshirani, 1993), all forms resampled alike, so that
the interval of a speedup uses their common variation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from isa.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

LEAST_UNITS = 30
"""Units that a sample has at least, so that its spread says something."""

AUTO_STEPS = 60_000
"""Merge steps that ``auto`` simulates: everything up to this, else about so many."""

_RESAMPLES = 2000

_BLOCK = 2**20
"""Units drawn at a time by the bootstrap, which bounds its memory."""

_MOST_DIGITS = 18


@dataclass(frozen=True, slots=True)
class Estimate:
    """A total over all units, with a 95 % confidence interval."""

    value: float
    low: float
    high: float


def choose_units(steps: NDArray[np.int64], request: str, seed: int) -> list[int] | None:
    """Decide which units to simulate; None means all of them.

    Parameters
    ----------
    steps : (units,) array
        Merge steps of each unit.
    request : str
        ``all``, ``auto`` or a number of units.
    seed : int
        Of the random draw.

    Raises
    ------
    InputError
        If the request is none of these.
    """
    units = len(steps)
    if request == "all":
        return None
    if request == "auto":
        total = int(steps.sum())
        if total <= AUTO_STEPS:
            return None
        count = max(LEAST_UNITS, round(units * AUTO_STEPS / total))
    elif _is_number(request) and int(request) >= LEAST_UNITS:
        count = int(request)
    else:
        raise InputError(
            f"--sample takes 'auto', 'all' or a number from {LEAST_UNITS} on (fewer give no "
            f"interval to rely on), not '{request}'"
        )
    if count >= units:
        return None
    drawn = np.random.default_rng(seed).choice(units, size=count, replace=False)
    return sorted(int(unit) for unit in drawn)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS


def estimate_totals(
    costs: Sequence[NDArray[np.float64]], steps: NDArray[np.int64], chosen: Sequence[int], seed: int
) -> tuple[list[Estimate], list[Estimate]]:
    """Estimate each form's total cost, and its ratio to the first form's.

    Parameters
    ----------
    costs : sequence of (n,) arrays
        Cost of each sampled unit, one array for each form, the baseline first.
    steps : (units,) array
        Merge steps of all units.
    chosen : sequence of int
        The n sampled units.
    seed : int
        Of the bootstrap.

    Returns
    -------
    totals, ratios : lists of Estimate
        Totals over all units, and baseline total over each form's total.
    """
    count = len(chosen)
    x = steps[list(chosen)].astype(np.float64)
    everything = np.arange(count)[np.newaxis, :]
    exact = [float(_regress(cost, x, everything, steps)[0]) for cost in costs]
    generator = np.random.default_rng(seed)
    rows = max(1, _BLOCK // count)
    blocks: list[list[NDArray[np.float64]]] = []
    for start in range(0, _RESAMPLES, rows):
        draws = generator.integers(0, count, size=(min(rows, _RESAMPLES - start), count))
        blocks.append([_regress(cost, x, draws, steps) for cost in costs])
    spread = [np.concatenate(values) for values in zip(*blocks, strict=True)]
    totals = [_interval(value, values) for value, values in zip(exact, spread, strict=True)]
    ratios = [
        _interval(exact[0] / value, spread[0] / values)
        for value, values in zip(exact, spread, strict=True)
    ]
    return totals, ratios


def _regress(
    cost: NDArray[np.float64],
    x: NDArray[np.float64],
    draws: NDArray[np.int64],
    steps: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return the regression estimate of the total for each row of drawn positions."""
    xs, ys = x[draws], cost[draws]
    mean_x, mean_y = xs.mean(axis=1), ys.mean(axis=1)
    centred = xs - mean_x[:, np.newaxis]
    variance = (centred**2).sum(axis=1)
    covariance = (centred * ys).sum(axis=1)
    slope = np.divide(covariance, variance, out=np.zeros_like(variance), where=variance > 0)
    total: NDArray[np.float64] = len(steps) * (mean_y + slope * (steps.mean() - mean_x))
    return total


def _interval(value: float, values: NDArray[np.float64]) -> Estimate:
    """Return an estimate with the central 95 % of its bootstrap values."""
    low, high = np.quantile(values, [0.025, 0.975])
    return Estimate(value, min(float(low), value), max(float(high), value))
