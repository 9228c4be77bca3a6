"""The gammas of a run: of each step, of the whole run, of its binary options, and achieved."""

from math import inf, log, nan

from polytomy import theory
from polytomy._types import TIE
from polytomy.certify.record import Run, Split

from .curves import GrowthCurves


def step_gammas(run: Run, curves: GrowthCurves) -> list[float]:
    """Return, for each step, the largest gamma that the step alone allows.

    Heaviest order: advantage / price. Steepest order: gain per added leaf, divided by the mean
    impurity of all leaves. ``mansour-mcallester``: the gamma for which 1 - e(k) is the advantage.
    """
    rules = run.judged_by
    if rules.order == "steepest":
        return per_leaf_gammas(run, curves)
    if rules.procedure == "mansour-mcallester":
        return [_boosting_gamma(s) for s in run.splits]
    return [s.advantage / s.price for s in run.splits]


def per_leaf_gammas(run: Run, curves: GrowthCurves) -> list[float]:
    """Return each step's gain per added leaf, divided by the mean impurity of the leaves before."""
    means = curves.totals[:-1] / curves.leaves[:-1]
    return [
        s.gain / (s.arity - 1) / mean if mean > 0 else 0.0
        for s, mean in zip(run.splits, means.tolist(), strict=True)
    ]


def run_gamma(run: Run, of_step: list[float]) -> float:
    """Return the gamma of the whole run; nan if nothing was split.

    It is clipped to the range from 0 to 1, which rounding or an invalid index may leave.
    """
    assumed = run.judged_by.gamma
    if assumed is not None and not short_steps(run):
        return assumed
    return smallest_gamma(of_step)


def smallest_gamma(of_step: list[float]) -> float:
    """Return the smallest gamma of any step, clipped to 0 to 1; nan if nothing was split."""
    return min(max(min(of_step), 0.0), 1.0) if of_step else nan


def short_steps(run: Run) -> list[int]:
    """Return the steps that fall short of the gamma given to ``mansour-mcallester``."""
    gamma = run.judged_by.gamma
    if gamma is None:
        return []
    return [
        i for i, s in enumerate(run.splits) if s.advantage < _needed_advantage(s.arity, gamma) - TIE
    ]


def weak_gamma(run: Run) -> float:
    """Return the smallest advantage of a best binary option; 0 if a node had none.

    It is nan if the binary options are not known, because the tree was found.
    """
    if run.found:
        return nan
    return min(
        ((s.best_binary_gain or 0.0) / s.weight if s.weight > 0 else 0.0 for s in run.splits),
        default=nan,
    )


def achieved_gamma(curves: GrowthCurves) -> float:
    """Return -ln(I(T)/I(root)) / ln(leaves), the exponent that the run reached."""
    first, last, leaves = curves.totals[0], curves.totals[-1], int(curves.leaves[-1])
    if leaves == 1:
        return nan
    return float(-log(last / first) / log(leaves)) if last > 0 else inf


def _needed_advantage(k: int, gamma: float) -> float:
    """Return the advantage that makes a k-way step gamma-boosting: 1 - e(k)."""
    return gamma * theory.g(k, gamma)


def _boosting_gamma(split: Split) -> float:
    """Solve 1 - e(k) = advantage for gamma by bisection; the left side increases with gamma."""
    if split.arity == 2:
        return split.advantage
    low, high = 0.0, 1.0
    while high - low > 1e-15 and low < (middle := (low + high) / 2) < high:
        if _needed_advantage(split.arity, middle) <= split.advantage:
            low = middle
        else:
            high = middle
    return low
