"""A certificate on one screen, in words."""

from __future__ import annotations

from math import isinf, isnan
from textwrap import fill
from typing import TYPE_CHECKING

from polytomy._text import one_line

if TYPE_CHECKING:
    from .certificate import Certificate, Pruned, Step

_WIDTH = 96
_ORDERS = {"heaviest": "heaviest leaf", "steepest": "steepest step"}


def in_words(certificate: Certificate) -> str:
    """Return the certificate as text."""
    parts = [
        _heading(certificate),
        _gammas(certificate),
        _bounds(certificate),
        _weakest(certificate),
        fill(meaning(certificate), _WIDTH),
    ]
    return "\n\n".join(part for part in parts if part)


def _heading(c: Certificate) -> str:
    covered = "covered by" if c.covered else "NOT covered by"
    rules, size, steps = c.run.rules, c.leaves, len(c.steps)
    lines = [
        f"Certificate: {covered} {c.theorem}",
        f"{rules.procedure}, {_ORDERS[rules.order]} first, index {c.run.index.name}: "
        f"{size} {_plural('leaf', size)} in {steps} {_plural('step', steps)}",
    ]
    if c.run.weighting != "none":
        what = "Classes" if c.run.weighting == "classes" else "Rows"
        lines.append(f"{what} are weighted: errors are shares of the weight, not of the rows.")
    if c.run.stopped == "callback":
        lines.append("A callback stopped the run before it was done.")
    if c.pruned is not None:
        lines.append(fill(_of_pruned(c.pruned, size), _WIDTH))
    if c.why_not is not None:
        lines.append(fill(f"Why not: {c.why_not}", _WIDTH))
    return "\n".join(lines)


def _of_pruned(pruned: Pruned, size: int) -> str:
    kept = f"{pruned.leaves} {_plural('leaf', pruned.leaves)}"
    errs = f"which errs on {pruned.training_error:.1%} of the training rows"
    if pruned.keeps_error_bound:
        return (
            f"Grown on to {pruned.grown_leaves} leaves and pruned back to the best tree of {kept}, "
            f"{errs}. What follows is about the run as far as {size} "
            f"{_plural('leaf', size)}; the tree that is kept errs no more than that one, so the "
            "bound on the error (not that on the index) is its too."
        )
    return f"Grown tree; this one was pruned to {kept} by {pruned.by}, {errs}."


def gamma_figures(c: Certificate) -> list[tuple[str, str, str]]:
    """Return the gammas of a run: a name, the figure, and what it is."""
    needed = {
        "per-leaf": "what each leaf spent removed, in mean leaf weights: the least of any step",
        "hatano": "share of its leaf's weight a step removed, over ceil(log2 k): the least",
        "mansour-mcallester": "every k-way step must remove 1 - e(k) of its leaf's weight",
        "kearns-mansour": "share of its leaf's weight a step removed: the least of any step",
    }
    procedure = c.run.rules.procedure
    key = "per-leaf" if c.run.rules.order == "steepest" else procedure
    rows = [
        ("gamma", c.gamma, needed[key]),
        (
            "weak gamma",
            c.weak_gamma,
            "the same of the best question with two answers: the least of any node",
        ),
        (
            "achieved gamma",
            c.achieved_gamma,
            "what the whole run reached: I(T)/I(root) = leaves^-achieved",
        ),
    ]
    return [(name, _number(value), what) for name, value, what in rows]


def bound_figures(c: Certificate) -> list[tuple[str, str, str]]:
    """Return what was measured of a tree, beside what is promised: a name and the two figures."""
    return [
        ("index I(T)", f"{c.index:.4f}", f"{c.bound:.4f}"),
        ("training error", f"{c.training_error:.4f}", f"{c.error_bound:.4f}"),
    ]


def _gammas(c: Certificate) -> str:
    return "\n".join(f"  {name:<15}{text:>9}   {what}" for name, text, what in gamma_figures(c))


def _bounds(c: Certificate) -> str:
    promised = "promised" if c.covered else "(not promised)"
    power = "leaves^-gamma" if c.index_curve[0] <= 1 else "I(root) leaves^-gamma"
    lines = [
        f"  {name:<15}{measured:>9}   {bound:>14}" for name, measured, bound in bound_figures(c)
    ]
    lines[0] += f"   {c.power_bound:.4f}"
    return "\n".join([f"  {'':<15}{'measured':>9}   {promised:>14}   {power}", *lines])


def _weakest(c: Certificate) -> str:
    if not c.steps:
        return ""
    weakest = sorted(c.steps, key=lambda step: (step.gamma, step.number))[:3]
    return "Weakest steps\n" + "\n".join(f"  {_told(step)}" for step in weakest)


def _told(step: Step) -> str:
    ways = "" if step.arity == 2 else f" {step.arity} ways"
    column = one_line(step.column)
    column = column if len(column) <= 40 else column[:39] + "…"
    rows = f"{step.rows} {_plural('row', step.rows)}"
    return (
        f"step {step.number} split {rows}{ways} on `{column}` "
        f"for an advantage of {_number(step.advantage)} (gamma {_number(step.gamma)})"
    )


def meaning(c: Certificate) -> str:
    """Return what the reader may conclude, in one sentence."""
    kept = c.training_error if c.pruned is None else c.pruned.training_error
    errs, may = f"{kept:.1%}", f"{c.error_bound:.1%}"
    if c.pruned is not None and not c.pruned.keeps_error_bound:
        return (
            "In short: what is promised is about the tree as it was grown; the training error of "
            f"the pruned one, {errs}, is as measured. For new rows see "
            "certificate.generalization()."
        )
    if not c.steps:
        return f"In short: nothing was split; guessing the largest class errs on {errs}."
    if not c.covered:
        return _uncovered(c, errs)
    if c.gamma <= 0:
        return (
            "In short: covered, but vacuously: a step gained nothing, so gamma is 0 and the "
            f"bound is the root's; the training error is {errs} as measured."
        )
    if c.error_bound >= c.error_curve[0]:
        return (
            f"In short: covered, but the promise, {may} errors on the training rows, is no better "
            f"than guessing ({c.error_curve[0]:.1%}); the training error is {errs} as measured."
        )
    return (
        f"In short: by the size and gamma of this run alone, its training error cannot be above "
        f"{may}; it is {errs}. For new rows see certificate.generalization()."
    )


def _uncovered(c: Certificate, errs: str) -> str:
    if c.index == 0:
        return "In short: every leaf is pure, so there was nothing left to promise."
    return (
        f"In short: the training error is {errs} as measured, but the theorem does not promise "
        f"it. What gain per leaf promises of any run is less: an index of at most "
        f"{c.per_leaf_bound:.4f} (gamma {_number(c.per_leaf_gamma)})."
    )


def _number(value: float) -> str:
    if isnan(value):
        return "none"
    if isinf(value):
        return "inf"
    return f"{value:.4f}" if value >= 0.001 or value == 0 else f"{value:.1e}"


def _plural(noun: str, count: int) -> str:
    if count == 1:
        return noun
    return {"leaf": "leaves"}.get(noun, noun + "s")
