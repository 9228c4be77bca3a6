"""Check a certificate: gammas, bounds, curves, steps, coverage and VW-tree, from the recount."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from math import inf, isnan, log, nan, prod
from re import search

import numpy as np

from polytomy import theory
from polytomy._errors import PolytomyError
from polytomy._types import FloatArray
from polytomy.certify.certificate import Certificate, Step
from polytomy.certify.record import Rules, Run
from polytomy.encode import Schema
from polytomy.theory import VWTree
from polytomy.tree import CustomSplit, Tree

from .binary_gain import GainRange
from .check_run import is_heavier, place
from .recount import Recount
from .replay import Replay, largest_leaves
from .report import TOLERANCE, Ledger

_HERE = "certificate"
_VW = "VW-tree"
_NUMBERS = ("advantage", "price", "gamma")
_AUTHORS = {
    "kearns-mansour": "Kearns and Mansour",
    "hatano": "Hatano",
    "mansour-mcallester": "Mansour and McAllester",
}


@dataclass(frozen=True, slots=True)
class Gammas:
    """The gammas of a run: of each step, of the whole run, of its binary options, and achieved."""

    of_step: list[float]
    whole: float
    weak: float
    achieved: float
    doubts: tuple[float, float, float]  # the rounding of these, in units of the tolerance
    unsafe: list[int]  # wide steps of mansour-mcallester that are unsafe for every gamma

    @property
    def doubt(self) -> float:
        """The rounding of ``whole``."""
        return self.doubts[0]


def gammas_of(run: Run, played: Replay, ranges: list[GainRange] | None) -> Gammas:
    """Compute the gammas of a run; without the ranges of binary gains, the weak one is nan."""
    steps, rules = range(len(played.nodes)), run.judged_by
    of_step = [_step_gamma(rules, played, step) for step in steps]
    limits = [(gamma, played.doubt(step)) for step, gamma in enumerate(of_step)]
    unsafe: list[int] = []
    if rules.procedure == "mansour-mcallester":
        leaf = _heaviest_leaf(played)
        widest = [_safest_gamma(played, step, leaf) for step in steps]
        unsafe = [step for step in steps if played.arity(step) > 2 and widest[step] is None]
        limits += [limit for limit in widest if limit is not None]
    whole, doubt = min(limits, default=(nan, 1.0))
    weak, weak_doubt = (nan, 1.0) if ranges is None else _weak_gamma(run, played, ranges)
    achieved, achieved_doubt = _achieved(played)
    doubts = doubt, weak_doubt, achieved_doubt
    return Gammas(of_step, whole, weak, achieved, doubts, unsafe)


def check_gammas(ledger: Ledger, certificate: Certificate, found: Gammas) -> None:
    """Check the three gammas."""
    ledger.begin("certificate: gamma, weak gamma, achieved gamma")
    whole, weak, achieved = found.doubts
    ledger.close(certificate.gamma, found.whole, _HERE, "gamma", whole)
    ledger.close(certificate.weak_gamma, found.weak, _HERE, "weak_gamma", weak)
    ledger.close(certificate.achieved_gamma, found.achieved, _HERE, "achieved_gamma", achieved)


def check_bounds(
    ledger: Ledger, rules: Rules, certificate: Certificate, played: Replay, gammas: Gammas
) -> None:
    """Check the bounds, and that a covered run satisfies them."""
    ledger.begin("certificate: bounds, and that they hold")
    gamma, index, size = gammas.whole, played.totals / played.weight, int(played.leaves[-1])
    first, last = float(index[0]), float(index[-1])
    bound = first * float(_rates(rules, played, gamma)[-1])
    is_numeric = certificate.tree.is_numeric
    unit = _unit(certificate, first)
    scale = _scale(certificate, played, gammas)
    power = unit * (1.0 if size == 1 else float(size) ** -gamma)
    fallback = first * prod(_remaining(played))
    half = bound if is_numeric else bound / 2
    ledger.close(certificate.bound, bound, _HERE, "bound", scale)
    ledger.close(certificate.error_bound, half, _HERE, "error_bound", scale)
    ledger.close(certificate.power_bound, power, _HERE, "power_bound", scale)
    ledger.close(certificate.fallback_bound, fallback, _HERE, "fallback_bound", scale)
    per_leaf = _per_leaf_gamma(played)
    most = first * (1.0 if isnan(per_leaf) else theory.e(size, min(per_leaf, 1.0)))
    ledger.close(certificate.per_leaf_gamma, per_leaf, _HERE, "per_leaf_gamma", gammas.doubt)
    ledger.close(certificate.per_leaf_bound, most, _HERE, "per_leaf_bound", scale)
    holds_for_any = certificate.run.found and certificate.run.index.number is not None
    if not certificate.covered and not holds_for_any:
        return
    error, slack = float(played.errors[-1]) / played.weight, TOLERANCE * scale
    ledger.holds(last <= bound + slack, _HERE, f"I(T) is {last:.10g}, the bound {bound:.10g}")
    ledger.holds(
        error <= half + slack,
        _HERE,
        f"the training error is {error:.10g}, its bound {half:.10g}",
    )


def check_curves(
    ledger: Ledger, rules: Rules, certificate: Certificate, played: Replay, gammas: Gammas
) -> None:
    """Check the four curves, point by point."""
    ledger.begin("certificate: curves")
    index = played.totals / played.weight
    curves: dict[str, FloatArray] = {
        "leaves_curve": played.leaves.astype(np.float64),
        "index_curve": index,
        "error_curve": played.errors / played.weight,
        "bound_curve": index[0] * _rates(rules, played, gammas.whole),
    }
    scale = _scale(certificate, played, gammas)
    for name, curve in curves.items():
        stated = np.asarray(getattr(certificate, name))
        if not ledger.same(stated.shape, curve.shape, _HERE, f"the shape of {name}"):
            continue
        for at, (value, found) in enumerate(zip(stated.tolist(), curve.tolist(), strict=True)):
            ledger.close(value, found, f"{_HERE}, {name}[{at}]", "the value", scale)


def check_steps(
    ledger: Ledger, certificate: Certificate, steps: Sequence[Step], played: Replay
) -> None:
    """Check the certificate's list of steps, field by field."""
    ledger.begin("certificate: list of steps")
    ledger.same(len(certificate.steps), len(steps), _HERE, "the number of steps")
    for at, (stated, found) in enumerate(zip(certificate.steps, steps, strict=False)):
        where = f"{_HERE}, {place(at, played)}"
        for field in fields(Step):
            value, true = getattr(stated, field.name), getattr(found, field.name)
            if field.name in _NUMBERS:
                scale = played.doubt(at) * max(1.0, abs(true))
                ledger.close(value, true, where, field.name, scale)
            else:
                ledger.same(value, true, where, field.name)


def steps_of(
    rules: Rules, tree: Tree, schema: Schema, counted: Recount, played: Replay, gammas: Gammas
) -> list[Step]:
    """Return the list of steps from recounted numbers."""
    return [
        Step(
            number=step + 1,
            leaf=node,
            column=_column_name(tree, schema, node),
            rows=int(counted.rows[node]),
            arity=played.arity(step),
            leaves_before=int(played.leaves[step]),
            advantage=played.advantage(step),
            price=theory.price(rules.procedure, played.arity(step), rules.gamma),
            gamma=gammas.of_step[step],
            heaviest=leaf is None or not _outweighs(played, leaf, node),
        )
        for step, (node, leaf) in enumerate(
            zip(played.nodes, largest_leaves(played, played.values), strict=True)
        )
    ]


def check_covered(
    ledger: Ledger,
    run: Run,
    certificate: Certificate,
    counted: Recount,
    played: Replay,
    gammas: Gammas,
) -> None:
    """Check the theorem, whether it covers the run, and the steps that the reason names."""
    ledger.begin("certificate: theorem, covered, why_not")
    authors = _AUTHORS.get(run.rules.procedure, "")
    if run.rules.order == "steepest":
        authors = "Theorem 3.2"
    if run.found:
        authors = "any"
    named = authors in certificate.theorem
    ledger.holds(named, _HERE, f"the theorem should be by {authors}, not {certificate.theorem!r}")
    objections = _index_objections(run, counted, played)
    if run.found:
        objections += [("by this procedure", "the tree was found in another way")]
    elif run.rules.order == "heaviest":
        objections += _heaviest_objections(run.rules, played, gammas)
    covered = not objections
    reasons = "; ".join(sentence for _, sentence in objections) or "every condition holds"
    ledger.holds(
        certificate.covered == covered, _HERE, f"covered is {certificate.covered}, but {reasons}"
    )
    why_not = certificate.why_not
    ledger.holds((why_not is not None) != covered, _HERE, f"why_not is {why_not!r}, but {reasons}")
    for name, sentence in objections:
        mentioned = search(rf"(?i)\b{name}\b", why_not or "") is not None
        ledger.holds(mentioned, _HERE, f"why_not does not mention {name}: {sentence}")


def check_origin(ledger: Ledger, run: Run, certificate: Certificate) -> None:
    """Check that exactly the trees that were found have an origin, with figures in their ranges."""
    origin = certificate.origin
    if origin is None and not run.found:
        return
    ledger.begin("certificate: origin")
    if origin is None:
        ledger.holds(False, _HERE, "the tree was found in another way, but its origin is missing")
        return
    ledger.holds(run.found, _HERE, "it has an origin, but the record is that of a run")
    try:
        replace(origin)  # checks the fields again
        if origin.lesson is not None:
            ledger.note(
                "The error of the teacher and the fidelity of the tree to it are not checked: a "
                "model does not hold its teacher."
            )
            lesson = replace(origin.lesson)
            if not certificate.tree.is_numeric:
                lesson.check_classes()
        ledger.count(1)
    except PolytomyError as broken:
        ledger.holds(False, f"{_HERE}, origin", str(broken))


def check_vw_tree(
    ledger: Ledger, certificate: Certificate, tree: Tree, played: Replay, gamma: float
) -> None:
    """Check the certificate's VW-tree: the weights, and both conditions at every node."""
    ledger.begin("VW-tree: weights, well formed, safe")
    try:
        with np.errstate(all="ignore"):  # forged counts may be invalid
            stated = certificate.vw_tree()
    except (PolytomyError, TypeError) as refused:  # a forged gamma may not be a number
        ledger.holds(False, _VW, str(refused))
        return
    w = played.values / played.weight
    if not ledger.same(stated.w.shape, w.shape, _VW, "the number of nodes"):
        return
    visits = np.maximum(np.diff(tree.child_start), 1)
    for node in range(len(w)):
        where = f"{_VW}, node {node}"
        scale = max(TOLERANCE * w[0], played.slack[node] / (TOLERANCE * played.weight))
        ledger.close(float(stated.w[node]), float(w[node]), where, "w", scale)
        ledger.same(int(stated.v[node]), int(visits[node]), where, "v")
        ledger.same(int(stated.parent[node]), int(tree.parent[node]), where, "the parent")
    if played.nodes and not isnan(gamma):
        _check_vw_conditions(ledger, stated, played, w, min(max(gamma, 0.0), 1.0))


def _check_vw_conditions(
    ledger: Ledger, stated: VWTree, played: Replay, w: FloatArray, gamma: float
) -> None:
    """Compare the nodes that violate a condition; nodes within rounding of it are accepted."""
    e = _e_values(max(map(len, played.children)), gamma)
    inside = np.zeros(len(w), dtype=bool)
    inside[played.nodes] = True
    heaviest = float(w[~inside].max())
    unformed, unsafe = set(stated.unformed.tolist()), set(stated.unsafe.tolist())
    for node, children in zip(played.nodes, played.children, strict=True):
        k = len(children)
        where = f"{_VW}, node {node}"
        over = float(w[children].sum()) - e[k] * w[node]
        slack = 2 * float(played.slack[node]) / played.weight
        ledger.holds(
            abs(over) <= slack or (over > 0) == (node in unformed),
            where,
            f"the weight of its children exceeds e({k}) w by {over:.3g}, but it is stated to be "
            f"{'not ' if node in unformed else ''}well formed",
        )
        over = heaviest - e[k - 1] * float(w[node]) / (k - 1)
        ledger.holds(
            abs(over) <= slack or (over > 0) == (node in unsafe),
            where,
            f"the weight of the heaviest leaf exceeds e({k - 1}) w / {k - 1} by {over:.3g}, but it "
            f"is stated to be {'not ' if node in unsafe else ''}safe",
        )
    ledger.same(stated.locally_well_formed, not unformed, _VW, "locally_well_formed")
    ledger.same(stated.globally_safe, not unsafe, _VW, "globally_safe")


def _step_gamma(rules: Rules, played: Replay, step: int) -> float:
    """Return the largest gamma that a step alone allows."""
    k, advantage = played.arity(step), played.advantage(step)
    if rules.order == "steepest":
        return _gain_per_leaf(played, step)
    if rules.procedure == "mansour-mcallester":
        return _solved_gamma(k, advantage)
    return advantage / theory.price(rules.procedure, k)


def _per_leaf_gamma(played: Replay) -> float:
    """Return the smallest gain per added leaf, divided by the mean impurity of a leaf."""
    steps = range(len(played.nodes))
    return min((_gain_per_leaf(played, step) for step in steps), default=nan)


def _gain_per_leaf(played: Replay, step: int) -> float:
    mean = float(played.totals[step]) / int(played.leaves[step])
    return float(played.gains[step]) / (played.arity(step) - 1) / mean if mean > 0 else 0.0


def _needed_advantage(k: int, gamma: float) -> float:
    """Return the advantage that makes a k-way step gamma-boosting."""
    return 1.0 - theory.e(k, gamma)


def _solved_gamma(k: int, advantage: float) -> float:
    """Return the largest gamma from 0 to 1 with 1 - e(k) <= advantage, by bisection."""
    if k <= 2:
        return advantage if k == 2 else 1.0
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _needed_advantage(k, middle) <= advantage else (low, middle)
    return low


def _heaviest_leaf(played: Replay) -> int:
    """Return the leaf of the final tree with the largest impurity."""
    values = played.values.copy()
    values[played.nodes] = -inf
    return int(values.argmax())


def _safest_gamma(played: Replay, step: int, leaf: int) -> tuple[float, float] | None:
    """Return the largest gamma for which a step leaves the VW-tree safe, and its rounding.

    While the node of a k-way step waits for its last visit, its key is e(k - 1) w / (k - 1), and no
    leaf may have a larger one. None if the heaviest is too heavy even for gamma 0.
    """
    node, visits = played.nodes[step], played.arity(step) - 1
    top, weight = float(played.values[leaf]), float(played.values[node])
    if is_heavier(top, weight / visits, float(played.values[0])):
        return None
    if weight <= 0:
        return 1.0, 1.0
    rounding = float(played.rounding[leaf] + played.rounding[node]) / weight
    doubt = max(1.0, visits * visits * rounding / TOLERANCE)  # e falls by at least 1 / visits
    return _solved_gamma(visits, max(1.0 - visits * top / weight, 0.0)), doubt


def _weak_gamma(run: Run, played: Replay, ranges: list[GainRange]) -> tuple[float, float]:
    """Return the smallest advantage of a best binary option, and its rounding.

    It is the stated one if only bounds of it are known.
    """
    advantages = []
    for step, found in enumerate(ranges):
        gain = found.lower
        if not found.exact and step < len(run.splits):
            gain = run.splits[step].best_binary_gain
        node = played.nodes[step]
        impurity, rounding = float(played.values[node]), float(played.rounding[node])
        advantage = (gain or 0.0) / impurity if impurity > 0 else 0.0
        doubt = 2 * rounding / (impurity * TOLERANCE) if impurity > 0 else 1.0
        advantages.append((advantage, max(1.0, doubt)))
    return min(advantages, default=(nan, 1.0))


def _achieved(played: Replay) -> tuple[float, float]:
    """Return the exponent that the run reached, and its rounding."""
    first, last, size = float(played.totals[0]), float(played.totals[-1]), int(played.leaves[-1])
    if size == 1:
        return nan, 1.0
    if last <= 0 or first <= 0:
        return inf, 1.0
    doubt = float(played.rounding[0]) * (1 / first + 1 / last) / TOLERANCE
    return -log(last / first) / log(size), max(1.0, doubt)


def _remaining(played: Replay) -> list[float]:
    """Return the fraction of the index that each step left."""
    pairs = zip(played.gains.tolist(), played.totals[:-1].tolist(), strict=True)
    return [1.0 - gain / total if total > 0 else 1.0 for gain, total in pairs]


def _rates(rules: Rules, played: Replay, gamma: float) -> FloatArray:
    """Return the theorem's rate at every size."""
    if isnan(gamma):
        return np.ones(len(played.leaves))
    gamma = min(max(gamma, 0.0), 1.0)  # other gammas are reported by another check
    if rules.order == "heaviest" and rules.procedure != "mansour-mcallester":
        return np.array([theory.phi(int(size), gamma) for size in played.leaves])
    factors = 1.0 - gamma / np.arange(1, int(played.leaves[-1]))
    return np.concatenate(([1.0], np.cumprod(factors)))[played.leaves - 1]


def _unit(certificate: Certificate, first: float) -> float:
    """Return the scale of indices: the root's index or, for classes, 1 if that is larger."""
    return first if certificate.tree.is_numeric else max(1.0, first)


def _scale(certificate: Certificate, played: Replay, gammas: Gammas) -> float:
    """Return the scale of the rounding errors of indices and of bounds, which gamma is a part of.

    A bound changes with gamma at most by the logarithm of the number of leaves.
    """
    unit = _unit(certificate, float(played.totals[0]) / played.weight)
    if not certificate.tree.is_numeric:
        return unit
    rounding = float(played.rounding[0]) / (TOLERANCE * played.weight)
    return unit * gammas.doubt * (1 + float(np.log(played.leaves[-1]))) + rounding


def _e_values(most: int, gamma: float) -> list[float]:
    """Return e(0), e(1), ..., e(most); e(0) is not used."""
    rates = [1.0, 1.0]
    for i in range(1, most):
        rates.append(rates[-1] * (1.0 - gamma / i))
    return rates


def _index_objections(run: Run, counted: Recount, played: Replay) -> list[tuple[str, str]]:
    """Return the first node or step at which the index is not an index function, and why."""
    if run.index.is_numeric:
        slack = played.slack
        low = high = np.zeros(len(slack), dtype=bool)
    else:
        slack = TOLERANCE * counted.weight
        low = played.values < 2 * played.misses - slack
        high = (played.outside == 0) & (played.values > slack)
    if (low | high).any():
        node = int((low | high).argmax())
        return [(f"node {node}", f"{run.index.name} is not an index function at node {node}")]
    for step, node in enumerate(played.nodes):
        if played.gains[step] < -slack[node]:
            return [(f"step {step + 1}", f"{run.index.name} increased at step {step + 1}")]
    return []


def _heaviest_objections(rules: Rules, played: Replay, gammas: Gammas) -> list[tuple[str, str]]:
    """Return the first step that violates each condition of the theorems, and why."""
    size = int(played.leaves[-1])
    steps = range(len(played.nodes))
    tops = largest_leaves(played, played.values)
    lighter = [
        step
        for step in steps
        if (leaf := tops[step]) is not None and _outweighs(played, leaf, played.nodes[step])
    ]
    wide, width = gammas.unsafe, "had more branches than the heaviest leaf allows"
    if rules.procedure != "mansour-mcallester":
        width = f"had more branches than a tree of {size} leaves allows"
        wide = [
            step
            for step in steps
            if (k := played.arity(step)) > 2
            and not theory.acceptable(rules.procedure, k, int(played.leaves[step]), size)
        ]
    kinds = ((lighter, "did not split the heaviest leaf"), (wide, width))
    return [
        (f"step {found[0] + 1}", f"step {found[0] + 1} {what}") for found, what in kinds if found
    ]


def _outweighs(played: Replay, leaf: int, node: int) -> bool:
    values = played.values
    return is_heavier(float(values[leaf]), float(values[node]), float(values[0]))


def _column_name(tree: Tree, schema: Schema, node: int) -> str:
    split = tree.split(node)
    if isinstance(split, CustomSplit):
        return str(split.branching.describe(schema.names)[0])
    return schema[int(tree.feature[node])].name
