"""Issuing: from the record of a run and its tree to the certificate."""

from math import isnan

import numpy as np

from polytomy import theory
from polytomy._types import FloatArray, IntArray
from polytomy.encode import Schema
from polytomy.tree import OwnQuestion, Tree

from .certificate import Certificate, Step
from .course import Course, course_of
from .coverage import why_not_covered
from .gammas import achieved_gamma, least, per_leaf_gammas, run_gamma, step_gammas, weak_gamma
from .run import Run

THEOREMS = {
    "kearns-mansour": "Kearns and Mansour's theorem, with Hatano's sharper rate phi",
    "hatano": "Hatano's Theorems 3 and 4 (TOPDOWN-M)",
    "mansour-mcallester": "Mansour and McAllester's Theorem 4.1",
    "steepest": "the induction of Mansour and McAllester's Theorem 3.2, by gain per leaf",
}


def issue(run: Run, tree: Tree, schema: Schema) -> Certificate:
    """Return the certificate of a run.

    Parameters
    ----------
    run : Run
        The record: every split in order.
    tree : Tree
        The tree the run ended with, as grown: not contracted, not pruned.
    schema : Schema
        The columns, for their names.
    """
    course = course_of(run, tree)
    of_step = step_gammas(run, course)
    gamma = run_gamma(run, of_step)
    weight = float(tree.counts[0].sum())
    index_curve = course.totals / weight
    bound_curve = index_curve[0] * _rates(run, course.leaves, gamma)
    why_not = why_not_covered(run, tree, course)
    per_leaf = least(per_leaf_gammas(run, course))
    size = float(course.leaves[-1])
    power = 1.0 if size == 1 else size**-gamma
    return Certificate(
        run=run,
        tree=tree,
        schema=schema,
        theorem=THEOREMS["steepest" if run.rules.order == "steepest" else run.rules.procedure],
        gamma=gamma,
        weak_gamma=weak_gamma(run),
        achieved_gamma=achieved_gamma(course),
        bound=float(bound_curve[-1]),
        error_bound=float(bound_curve[-1]) / 2,
        power_bound=max(1.0, float(index_curve[0])) * power,
        fallback_bound=float(index_curve[0]) * _progress(run, course),
        per_leaf_gamma=per_leaf,
        per_leaf_bound=float(index_curve[0] * _e(course.leaves, per_leaf)[-1]),
        covered=why_not is None,
        why_not=why_not,
        steps=_steps(run, tree, schema, course, of_step),
        leaves_curve=course.leaves,
        index_curve=index_curve,
        error_curve=course.errors / weight,
        bound_curve=bound_curve,
    )


def _rates(run: Run, leaves: IntArray, gamma: float) -> FloatArray:
    """Return phi or e at each size: e for steepest order and Theorem 4.1."""
    if isnan(gamma):
        return np.ones(len(leaves))
    if run.rules.order == "heaviest" and run.rules.procedure != "mansour-mcallester":
        return np.array([theory.phi(int(s), gamma) for s in leaves])
    return _e(leaves, gamma)


def _e(leaves: IntArray, gamma: float) -> FloatArray:
    """Return e at each size, by one product; 1 where nothing was split."""
    factors = 1.0 - gamma / np.arange(1, leaves[-1])
    return np.concatenate(([1.0], np.cumprod(factors)))[leaves - 1]


def _progress(run: Run, course: Course) -> float:
    """Multiply out what each step left: I(T)/I(root) by another way."""
    left = 1.0
    for split, total in zip(run.splits, course.totals.tolist(), strict=False):
        left *= max(0.0, 1.0 - split.gain / total) if total > 0 else 1.0
    return left


def _steps(
    run: Run, tree: Tree, schema: Schema, course: Course, of_step: list[float]
) -> tuple[Step, ...]:
    return tuple(
        Step(
            number=i + 1,
            leaf=split.leaf,
            column=_asked(tree, schema, split.leaf),
            rows=int(tree.rows[split.leaf]),
            arity=split.arity,
            leaves_before=split.leaves_before,
            advantage=split.advantage,
            price=split.price,
            gamma=of_step[i],
            heaviest=course.heavier[i] is None,
        )
        for i, split in enumerate(run.splits)
    )


def _asked(tree: Tree, schema: Schema, node: int) -> str:
    """Return the column a node asks about, or a user's own question in its words."""
    question = tree.question(node)
    if isinstance(question, OwnQuestion):
        return question.branching.describe(schema.names)[0]
    return schema[int(tree.feature[node])].name
