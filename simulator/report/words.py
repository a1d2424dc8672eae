"""What holds a form back, in words, each statement with its number from the run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from simulator.result import Result

_NEAR = 0.85
"""A bound that explains this much of the run's cycles is what holds it back."""

_SOME = 0.1
"""Share of slots below which wrong paths are not what costs."""

_MOST = 0.4
"""Share of slots from which a loss counts as the main one."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A form's name, its run, and the cycles per merge step that are reported for it."""

    name: str
    result: Result
    cycles_per_step: float

    def per_step(self, count: int) -> float:
        """Return a count of the run for each merge step, in step with the cycles reported."""
        return count / self.result.cycles * self.cycles_per_step


def explain(forms: Sequence[Measured], baseline: str) -> list[str]:
    """Say for each form which bound holds it back, and what the fastest one changed."""
    sentences = [f"{form.name}: {_sentence(form)}" for form in forms]
    conclusion = _conclusion(forms, baseline)
    return [*sentences, conclusion] if conclusion else sentences


def _sentence(form: Measured) -> str:
    """Name the first bound that explains most of a run's cycles."""
    result = form.result
    topdown = result.topdown
    fetch, wrong = topdown["frontend_bound"], topdown["bad_speculation"]
    waiting = topdown["memory_bound"] + topdown["core_bound"]
    width_bound = result.uops / result.width
    unit, busy = max(result.unit_busy.items(), key=lambda item: item[1])
    if width_bound >= _NEAR * result.cycles:
        return (
            f"width holds it back: {topdown['retiring']:.0%} of all issue slots retire work, "
            f"{form.per_step(result.uops):.1f} micro-operations a step."
        )
    if busy >= _NEAR * result.cycles:
        return (
            f"a unit holds it back: {unit} is busy in {busy / result.cycles:.0%} of the cycles, "
            f"while {topdown['retiring']:.0%} of the slots retire work."
        )
    if wrong + fetch >= _MOST and result.mispredictions and wrong >= _SOME:
        cost = (wrong + fetch) * result.cycles / result.mispredictions
        return (
            f"mispredictions hold it back: {form.per_step(result.mispredictions):.2f} a step cost "
            f"about {cost:.0f} cycles each, on wrong paths ({wrong:.0%} of the slots) and "
            f"refilling the front end ({fetch:.0%})."
        )
    if fetch >= _MOST:
        return (
            f"fetch holds it back: in {fetch:.0%} of the slots nothing was delivered, though "
            "nothing was mispredicted much: fetch ends its cycle at each taken branch."
        )
    bounds = (
        f"{form.cycles_per_step:.1f} cycles a step, where width alone would need "
        f"{form.per_step(round(width_bound)):.1f}, the busiest unit ({unit}) "
        f"{form.per_step(busy):.1f}"
    )
    if waiting >= _MOST:
        return (
            f"latency holds it back: {bounds}; {waiting:.0%} of the slots wait for results of "
            "dependent instructions."
        )
    return (
        f"no single bound: {bounds}; {topdown['retiring']:.0%} of the slots retire work, "
        f"{wrong:.0%} go to wrong paths, {fetch:.0%} get nothing from fetch, {waiting:.0%} wait."
    )


def _conclusion(forms: Sequence[Measured], baseline: str) -> str:
    """Compare the fastest form with the baseline: what it changed."""
    named = {form.name: form for form in forms}
    if baseline not in named or len(named) < 2:
        return ""
    base = named[baseline]
    best = min(named.values(), key=lambda form: form.cycles_per_step)
    if best is base:
        return f"No other form beats {baseline} here."
    speedup = base.cycles_per_step / best.cycles_per_step
    uops = _change(best.per_step(best.result.uops), base.per_step(base.result.uops))
    wrong = _change(
        best.per_step(best.result.mispredictions), base.per_step(base.result.mispredictions)
    )
    return (
        f"{best.name} takes {best.cycles_per_step:.2f} cycles a step against "
        f"{base.cycles_per_step:.2f} of {baseline}, {speedup:.2f} times as fast, with {uops} "
        f"micro-operations and {wrong} mispredictions a step ({baseline}'s in parentheses)."
    )


def _change(now: float, before: float) -> str:
    """Return two figures as ``16.1 (14.1)``: this form's, and the baseline's."""
    digits = 1 if max(now, before) >= 1 else 3
    return f"{now:.{digits}f} ({before:.{digits}f})"
