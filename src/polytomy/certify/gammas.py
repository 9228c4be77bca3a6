"""The gamma of a run: what each step would allow on its own, and so the whole."""

from math import inf, log, nan

from polytomy import theory
from polytomy._types import TIE

from .course import Course
from .run import Run, Split


def step_gammas(run: Run, course: Course) -> list[float]:
    """Return, for each step, the largest gamma it would allow.

    Heaviest order: advantage over price. Steepest order: gain per leaf spent, over the mean weight
    of all leaves. ``mansour-mcallester``: the gamma whose 1 - e(k) is the advantage.
    """
    if run.rules.order == "steepest":
        return per_leaf_gammas(run, course)
    if run.rules.procedure == "mansour-mcallester":
        return [_boosting_gamma(s) for s in run.splits]
    return [s.advantage / s.price for s in run.splits]


def per_leaf_gammas(run: Run, course: Course) -> list[float]:
    """Return each step's gain per leaf spent, over the mean weight of all leaves before it."""
    means = course.totals[:-1] / course.leaves[:-1]
    return [
        s.gain / (s.arity - 1) / mean if mean > 0 else 0.0
        for s, mean in zip(run.splits, means.tolist(), strict=True)
    ]


def run_gamma(run: Run, of_step: list[float]) -> float:
    """Return the gamma of the whole run; nan where nothing was split.

    What rounding, or an index that is none, puts outside 0 to 1 is put back.
    """
    promised = run.rules.gamma
    if promised is not None and not short_steps(run):
        return promised
    return least(of_step)


def least(of_step: list[float]) -> float:
    """Return the least gamma of any step, within 0 and 1; nan where nothing was split."""
    return min(max(min(of_step), 0.0), 1.0) if of_step else nan


def short_steps(run: Run) -> list[int]:
    """Return the steps that fall short of the gamma ``mansour-mcallester`` was given."""
    gamma = run.rules.gamma
    if gamma is None:
        return []
    return [i for i, s in enumerate(run.splits) if s.advantage < _asked(s.arity, gamma) - TIE]


def weak_gamma(run: Run) -> float:
    """Return the least advantage of a best binary option; 0 where a node had none."""
    return min(
        ((s.best_binary_gain or 0.0) / s.weight if s.weight > 0 else 0.0 for s in run.splits),
        default=nan,
    )


def achieved_gamma(course: Course) -> float:
    """Return -ln(I(T)/I(root)) / ln(leaves), the exponent the run reached."""
    first, last, leaves = course.totals[0], course.totals[-1], int(course.leaves[-1])
    if leaves == 1:
        return nan
    return float(-log(last / first) / log(leaves)) if last > 0 else inf


def _asked(k: int, gamma: float) -> float:
    """Return the advantage a k-way step must have to be gamma-boosting: 1 - e(k)."""
    return gamma * theory.g(k, gamma)


def _boosting_gamma(split: Split) -> float:
    """Solve 1 - e(k) = advantage for gamma, by halving: the left side grows with gamma."""
    if split.arity == 2:
        return split.advantage
    low, high = 0.0, 1.0
    while high - low > 1e-15 and low < (middle := (low + high) / 2) < high:
        if _asked(split.arity, middle) <= split.advantage:
            low = middle
        else:
            high = middle
    return low
