"""The certificate of a run, computed from its record and its tree."""

from dataclasses import replace
from math import isnan
from typing import Any

import numpy as np

from polytomy import theory
from polytomy._types import FloatArray, IntArray
from polytomy.certify.certificate import Certificate, Step
from polytomy.certify.origin import Origin
from polytomy.certify.record import Run
from polytomy.encode import Schema
from polytomy.tree import CustomSplit, Tree

from .coverage import why_not_covered
from .curves import GrowthCurves, growth_curves
from .gammas import (
    achieved_gamma,
    per_leaf_gammas,
    run_gamma,
    smallest_gamma,
    step_gammas,
    weak_gamma,
)

THEOREMS = {
    "kearns-mansour": "Kearns and Mansour's theorem, with Hatano's sharper rate phi",
    "hatano": "Hatano's Theorems 3 and 4 (TOPDOWN-M)",
    "mansour-mcallester": "Mansour and McAllester's Theorem 4.1",
    "steepest": "the induction of Mansour and McAllester's Theorem 3.2, by gain per leaf",
    "found": "any theorem about growth",
}


def issue_certificate(
    run: Run, tree: Tree, schema: Schema, origin: Origin | None = None
) -> Certificate:
    """Return the certificate of a run.

    Parameters
    ----------
    run : Run
        The record of the run.
    tree : Tree
        The tree as grown, neither contracted nor pruned.
    schema : Schema
        The columns, for their names.
    origin : Origin or None, default=None
        How the tree was found, if no growth procedure made it.

    Returns
    -------
    Certificate
        The gammas, bounds and curves of the run, and whether a theorem covers it.
    """
    curves = growth_curves(run, tree)
    of_step = step_gammas(run, curves)
    gamma = run_gamma(run, curves, of_step)
    weight = float(tree.weight[0])
    index_curve = curves.totals / weight
    why_not = why_not_covered(run, tree, curves, origin)
    per_leaf = smallest_gamma(per_leaf_gammas(run, curves))
    return Certificate(
        run=run,
        tree=tree,
        schema=schema,
        theorem=THEOREMS[_theorem(run)],
        gamma=gamma,
        weak_gamma=weak_gamma(run),
        achieved_gamma=achieved_gamma(curves),
        **_bounds(run, curves.leaves, float(index_curve[0]), gamma),
        fallback_bound=float(index_curve[0]) * _progress(run, curves),
        per_leaf_gamma=per_leaf,
        per_leaf_bound=float(index_curve[0] * _e(curves.leaves, per_leaf)[-1]),
        covered=why_not is None,
        why_not=why_not,
        steps=_steps(run, tree, schema, curves, of_step),
        leaves_curve=curves.leaves,
        index_curve=index_curve,
        error_curve=curves.errors / weight,
        origin=origin,
    )


def with_smaller_gamma(certificate: Certificate, gamma: float) -> Certificate:
    """Return a certificate that states a smaller gamma, and the weaker bounds that follow from it.

    Parameters
    ----------
    certificate : Certificate
        The certificate of a run.
    gamma : float
        From 0 to ``certificate.gamma``.

    Returns
    -------
    Certificate
        The weaker certificate.
    """
    root = float(certificate.index_curve[0])
    bounds = _bounds(certificate.run, certificate.leaves_curve, root, gamma)
    return replace(certificate, gamma=gamma, **bounds)


def _theorem(run: Run) -> str:
    if run.found:
        return "found"
    return "steepest" if run.rules.order == "steepest" else run.rules.procedure


def _bounds(run: Run, leaves: IntArray, root: float, gamma: float) -> dict[str, Any]:
    """Return the bounds that follow from gamma, for a tree with a given index at the root."""
    curve = root * _rates(run, leaves, gamma)
    is_numeric, size = run.index.is_numeric, float(leaves[-1])
    power = 1.0 if size == 1 else size**-gamma
    return {
        "bound": float(curve[-1]),
        "error_bound": float(curve[-1]) / (1 if is_numeric else 2),
        "power_bound": power * (root if is_numeric else max(1.0, root)),
        "bound_curve": curve,
    }


def _rates(run: Run, leaves: IntArray, gamma: float) -> FloatArray:
    """Return the theorem's rate at each size: e in steepest order and for Theorem 4.1, else phi."""
    if isnan(gamma):
        return np.ones(len(leaves))
    rules = run.judged_by
    if rules.order == "heaviest" and rules.procedure != "mansour-mcallester":
        return np.array([theory.phi(int(s), gamma) for s in leaves])
    return _e(leaves, gamma)


def _e(leaves: IntArray, gamma: float) -> FloatArray:
    """Return e at each size; 1 if nothing was split."""
    factors = 1.0 - gamma / np.arange(1, leaves[-1])
    return np.concatenate(([1.0], np.cumprod(factors)))[leaves - 1]


def _progress(run: Run, curves: GrowthCurves) -> float:
    """Return the product of the fractions of the index that each step left."""
    left = 1.0
    for split, total in zip(run.splits, curves.totals.tolist(), strict=False):
        left *= max(0.0, 1.0 - split.gain / total) if total > 0 else 1.0
    return left


def _steps(
    run: Run, tree: Tree, schema: Schema, curves: GrowthCurves, of_step: list[float]
) -> tuple[Step, ...]:
    return tuple(
        Step(
            number=i + 1,
            leaf=split.leaf,
            column=_column_name(tree, schema, split.leaf),
            rows=int(tree.rows[split.leaf]),
            arity=split.arity,
            leaves_before=split.leaves_before,
            advantage=split.advantage,
            price=split.price,
            gamma=of_step[i],
            heaviest=curves.heavier[i] is None,
        )
        for i, split in enumerate(run.splits)
    )


def _column_name(tree: Tree, schema: Schema, node: int) -> str:
    """Return the column of a node's split, or the description of a custom split."""
    split = tree.split(node)
    if isinstance(split, CustomSplit):
        return split.branching.describe(schema.names)[0]
    return schema[int(tree.feature[node])].name
