"""What holds a form back, in words, each statement with its number from the run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from simulator.result import Result

_NEAR = 0.85
"""A bound that explains this much of the run's cycles is what holds it back."""

_MOST = 0.4
"""Share of slots from which a loss counts as the main one."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A form's name, its result, and the merge steps that the result covers."""

    name: str
    result: Result
    steps: int


def explain(forms: Sequence[Measured], baseline: str) -> list[str]:
    """Say for each form which bound holds it back, and why the fastest one wins."""
    sentences = [f"{form.name}: {_sentence(form)}" for form in forms if form.steps]
    conclusion = _conclusion(forms, baseline)
    return [*sentences, conclusion] if conclusion else sentences


def _sentence(form: Measured) -> str:
    result, steps = form.result, form.steps
    per_step = result.cycles / steps
    width_bound = result.uops / result.width / steps
    unit, busy = max(result.unit_busy.items(), key=lambda item: item[1])
    share = busy / result.cycles
    topdown = result.topdown
    recovery = topdown["bad_speculation"] + topdown["frontend_bound"]
    waiting = topdown["memory_bound"] + topdown["core_bound"]
    bounds = (
        f"width alone would need {width_bound:.1f}, the busiest unit ({unit}) {busy / steps:.1f}"
    )
    if width_bound >= _NEAR * per_step:
        return (
            f"width holds it back: {topdown['retiring']:.0%} of all issue slots retire work, "
            f"{result.uops / steps:.1f} micro-operations a step."
        )
    if share >= _NEAR:
        return (
            f"a unit holds it back: {unit} is busy in {share:.0%} of the cycles, while "
            f"{topdown['retiring']:.0%} of the slots retire work."
        )
    if recovery >= _MOST and result.mispredictions:
        cost = recovery * result.cycles / result.mispredictions
        return (
            f"mispredictions hold it back: {result.mispredictions / steps:.2f} a step cost about "
            f"{cost:.0f} cycles each, on wrong paths ({topdown['bad_speculation']:.0%} of the "
            f"slots) and refilling the front end ({topdown['frontend_bound']:.0%})."
        )
    if waiting >= _MOST:
        return (
            f"latency holds it back: {per_step:.1f} cycles a step, where {bounds}; "
            f"{waiting:.0%} of the slots wait for results of dependent instructions."
        )
    return (
        f"no single bound: {per_step:.1f} cycles a step, where {bounds}; {topdown['retiring']:.0%} "
        f"of the slots retire work, {recovery:.0%} go to branches and fetch, {waiting:.0%} wait."
    )


def _conclusion(forms: Sequence[Measured], baseline: str) -> str:
    """Compare the fastest form with the baseline: what it changed."""
    named = {form.name: form for form in forms if form.steps}
    if baseline not in named or len(named) < 2:
        return ""
    base = named[baseline]
    best = min(named.values(), key=lambda form: form.result.cycles / form.steps)
    if best is base:
        return f"No other form beats {baseline} here."
    speedup = (base.result.cycles / base.steps) / (best.result.cycles / best.steps)
    uops = _change(best.result.uops / best.steps, base.result.uops / base.steps)
    wrong = _change(
        best.result.mispredictions / best.steps, base.result.mispredictions / base.steps
    )
    return (
        f"{best.name} takes {best.result.cycles / best.steps:.2f} cycles a step against "
        f"{base.result.cycles / base.steps:.2f} of {baseline}, {speedup:.2f} times as fast, with "
        f"{uops} micro-operations and {wrong} mispredictions a step."
    )


def _change(now: float, before: float) -> str:
    """Return two figures as ``16.1 (14.1)``: this form's, and the baseline's."""
    digits = 1 if max(now, before) >= 1 else 3
    return f"{now:.{digits}f} ({before:.{digits}f})"
