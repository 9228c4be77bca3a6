"""Checks of a certificate's numbers: gammas, bounds and curves, worked out from the recount."""

from dataclasses import dataclass
from math import inf, isnan, log, nan, prod

import numpy as np

from polytomy import theory
from polytomy._types import TIE, FloatArray

from .binary import Range
from .certificate import Certificate
from .replay import Replay
from .report import TOLERANCE, Ledger
from .run import Rules, Run

_HERE = "certificate"


@dataclass(frozen=True, slots=True)
class Gammas:
    """The gammas of a run: of each step, of the whole, of its binary options, and achieved."""

    of_step: list[float]
    whole: float
    weak: float
    achieved: float
    short: list[int]  # steps below the gamma that mansour-mcallester was given


def gammas_of(run: Run, played: Replay, ranges: list[Range]) -> Gammas:
    """Work out the gammas of a run."""
    steps, promised = range(len(played.nodes)), run.rules.gamma
    of_step = [_step_gamma(run.rules, played, step) for step in steps]
    short: list[int] = []
    if promised is not None:
        short = [
            step
            for step in steps
            if played.advantage(step) < _asked(played.arity(step), promised) - TIE
        ]
    whole = min(of_step, default=nan) if promised is None or short else promised
    return Gammas(of_step, whole, _weak_gamma(run, played, ranges), _achieved(played), short)


def check_gammas(ledger: Ledger, certificate: Certificate, own: Gammas) -> None:
    """Check the three gammas."""
    ledger.begin("certificate: gamma, weak gamma, achieved gamma")
    ledger.close(certificate.gamma, own.whole, _HERE, "gamma", 1.0)
    ledger.close(certificate.weak_gamma, own.weak, _HERE, "weak_gamma", 1.0)
    ledger.close(certificate.achieved_gamma, own.achieved, _HERE, "achieved_gamma", 1.0)


def check_bounds(
    ledger: Ledger, rules: Rules, certificate: Certificate, played: Replay, gamma: float
) -> None:
    """Check the bounds, and that a covered run keeps them."""
    ledger.begin("certificate: bounds, and that they are kept")
    index, size = played.totals / played.weight, int(played.leaves[-1])
    first, last = float(index[0]), float(index[-1])
    bound = first * float(_rates(rules, played, gamma)[-1])
    power = max(1.0, first) * (1.0 if size == 1 else float(size) ** -gamma)
    fallback = first * prod(_left(played))
    scale = max(1.0, first)
    ledger.close(certificate.bound, bound, _HERE, "bound", scale)
    ledger.close(certificate.error_bound, bound / 2, _HERE, "error_bound", scale)
    ledger.close(certificate.power_bound, power, _HERE, "power_bound", scale)
    ledger.close(certificate.fallback_bound, fallback, _HERE, "fallback_bound", scale)
    per_leaf = _per_leaf(played)
    most = first * (1.0 if isnan(per_leaf) else theory.e(size, min(per_leaf, 1.0)))
    ledger.close(certificate.per_leaf_gamma, per_leaf, _HERE, "per_leaf_gamma", 1.0)
    ledger.close(certificate.per_leaf_bound, most, _HERE, "per_leaf_bound", scale)
    if not certificate.covered:
        return
    errs, slack = float(played.errors[-1]) / played.weight, TOLERANCE * scale
    ledger.holds(last <= bound + slack, _HERE, f"I(T) is {last:.10g}, the bound {bound:.10g}")
    ledger.holds(
        errs <= bound / 2 + slack, _HERE, f"the error is {errs:.10g}, its bound {bound / 2:.10g}"
    )


def check_curves(
    ledger: Ledger, rules: Rules, certificate: Certificate, played: Replay, gamma: float
) -> None:
    """Check the four curves, point by point."""
    ledger.begin("certificate: curves")
    index = played.totals / played.weight
    curves: dict[str, FloatArray] = {
        "leaves_curve": played.leaves.astype(np.float64),
        "index_curve": index,
        "error_curve": played.errors / played.weight,
        "bound_curve": index[0] * _rates(rules, played, gamma),
    }
    for name, own in curves.items():
        stated = np.asarray(getattr(certificate, name))
        if not ledger.same(stated.shape, own.shape, _HERE, f"the shape of {name}"):
            continue
        for at, (told, found) in enumerate(zip(stated.tolist(), own.tolist(), strict=True)):
            ledger.close(told, found, f"{_HERE}, {name}[{at}]", "the value", max(1.0, index[0]))


def _per_leaf(played: Replay) -> float:
    """Return the least gain per leaf spent, over the mean weight of a leaf."""
    steps = range(len(played.nodes))
    return min((_gain_per_leaf(played, step) for step in steps), default=nan)


def _gain_per_leaf(played: Replay, step: int) -> float:
    mean = float(played.totals[step]) / int(played.leaves[step])
    return float(played.gains[step]) / (played.arity(step) - 1) / mean if mean > 0 else 0.0


def _step_gamma(rules: Rules, played: Replay, step: int) -> float:
    """Return the largest gamma a step would allow on its own."""
    k, advantage = played.arity(step), played.advantage(step)
    if rules.order == "steepest":
        return _gain_per_leaf(played, step)
    if rules.procedure == "mansour-mcallester":
        return _solved(k, advantage)
    return advantage / theory.price(rules.procedure, k)


def _asked(k: int, gamma: float) -> float:
    """Return the advantage a k-way step must have to be gamma-boosting."""
    return 1.0 - theory.e(k, gamma)


def _solved(k: int, advantage: float) -> float:
    """Return the largest gamma in 0..1 with 1 - e(k) <= advantage, by bisection."""
    if k == 2:
        return advantage
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _asked(k, middle) <= advantage else (low, middle)
    return low


def _weak_gamma(run: Run, played: Replay, ranges: list[Range]) -> float:
    """Return the least advantage of a best binary option; where it is only bounded, as stated."""
    found = []
    for step, own in enumerate(ranges):
        gain = own.lower
        if not own.exact and step < len(run.splits):
            gain = run.splits[step].best_binary_gain
        weight = float(played.values[played.nodes[step]])
        found.append((gain or 0.0) / weight if weight > 0 else 0.0)
    return min(found, default=nan)


def _achieved(played: Replay) -> float:
    """Return the exponent reached."""
    first, last, size = float(played.totals[0]), float(played.totals[-1]), int(played.leaves[-1])
    if size == 1:
        return nan
    return -log(last / first) / log(size) if last > 0 and first > 0 else inf


def _left(played: Replay) -> list[float]:
    """Return the share of the index every step left."""
    pairs = zip(played.gains.tolist(), played.totals[:-1].tolist(), strict=True)
    return [1.0 - gain / total if total > 0 else 1.0 for gain, total in pairs]


def _rates(rules: Rules, played: Replay, gamma: float) -> FloatArray:
    """Return what the theorem's rate leaves of I(root), at every size."""
    if isnan(gamma):
        return np.ones(len(played.leaves))
    gamma = min(max(gamma, 0.0), 1.0)  # beyond, there is no rate; what is wrong is told elsewhere
    if rules.order == "heaviest" and rules.procedure != "mansour-mcallester":
        return np.array([theory.phi(int(size), gamma) for size in played.leaves])
    factors = 1.0 - gamma / np.arange(1, int(played.leaves[-1]))
    return np.concatenate(([1.0], np.cumprod(factors)))[played.leaves - 1]
