"""The gammas of a run: of each step, of the whole run, of its binary options, and achieved."""

from math import inf, log, nan

from polytomy import theory
from polytomy.certify.record import Run, Split

from .curves import GrowthCurves, is_heavier


def step_gammas(run: Run, curves: GrowthCurves) -> list[float]:
    """Return, for each step, the largest gamma that the step alone allows.

    Heaviest order: advantage / price. Steepest order: gain per added leaf, divided by the mean
    impurity of all leaves. ``mansour-mcallester``: the gamma for which 1 - e(k) is the advantage.
    """
    rules = run.judged_by
    if rules.order == "steepest":
        return per_leaf_gammas(run, curves)
    if rules.procedure == "mansour-mcallester":
        return [_largest_gamma(s.arity, s.advantage) for s in run.splits]
    return [s.advantage / s.price for s in run.splits]


def per_leaf_gammas(run: Run, curves: GrowthCurves) -> list[float]:
    """Return each step's gain per added leaf, divided by the mean impurity of the leaves before."""
    means = curves.totals[:-1] / curves.leaves[:-1]
    return [
        s.gain / (s.arity - 1) / mean if mean > 0 else 0.0
        for s, mean in zip(run.splits, means.tolist(), strict=True)
    ]


def run_gamma(run: Run, curves: GrowthCurves, of_step: list[float]) -> float:
    """Return the gamma of the whole run; nan if nothing was split.

    It is the smallest of any step. For ``mansour-mcallester`` it is at most the largest gamma for
    which the visited weighted tree is safe; if there is none, the run is not covered.
    """
    gamma = smallest_gamma(of_step)
    if run.judged_by.procedure != "mansour-mcallester":
        return gamma
    return min([gamma, *(safe for safe in safe_gammas(run, curves) if safe is not None)])


def safe_gammas(run: Run, curves: GrowthCurves) -> list[float | None]:
    """Return, for each step, the largest gamma for which the final tree is safe; None without one.

    Lemma 5.2 of Mansour and McAllester: no leaf of the final tree may be heavier than
    e(k - 1) w / (k - 1) for a k-way split of a node of weight w. The condition is easier for a
    smaller gamma, and 1 is the largest one.
    """
    return [_safe_gamma(curves, split) for split in run.splits]


def _safe_gamma(curves: GrowthCurves, split: Split) -> float | None:
    heaviest, own = curves.heaviest, float(curves.impurity[split.leaf])
    visits = split.arity - 1
    if is_heavier(heaviest, own / visits, float(curves.impurity[0])):
        return None
    return _largest_gamma(visits, max(1.0 - visits * heaviest / own, 0.0) if own > 0 else 1.0)


def smallest_gamma(of_step: list[float]) -> float:
    """Return the smallest gamma of any step, clipped to 0 to 1; nan if nothing was split."""
    return min(max(min(of_step), 0.0), 1.0) if of_step else nan


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


def _largest_gamma(n: int, loss: float) -> float:
    """Return the largest gamma from 0 to 1 with 1 - e(n) <= loss; the left side increases."""
    if n <= 2:
        return 1.0 if n == 1 else loss
    low, high = 0.0, 1.0
    while high - low > 1e-15 and low < (middle := (low + high) / 2) < high:
        if middle * theory.g(n, middle) <= loss:
            low = middle
        else:
            high = middle
    return low
