"""Weights at the nodes of a tree as whole units, so that equal errors compare equal.

A tree keeps weights as floats, whose sums depend on the order of adding: 0.1 + 0.2 is not 0.3. The
grower counted in whole units; here they are found again, and all errors are sums of integers.
"""

import warnings
from dataclasses import dataclass
from fractions import Fraction
from math import lcm, sqrt

import numpy as np

from polytomy._errors import ParameterError
from polytomy._types import AnyArray, FloatArray, IntArray
from polytomy.encode import Target
from polytomy.tree import LEAF, Tree, majority

_NOISE = 2.0**-49  # of the whole weight: what rounding to fixed point may leave in a sum
_CHANCE = 0.01  # that a random weight passes for a fraction; a tree's all do not
_SUM = 54  # a fixed-point sum is about 2^54: what was fixed point before keeps all of its bits


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """The class weights of every node as integers, and the weight of one unit."""

    counts: IntArray
    unit: float

    @property
    def errors(self) -> IntArray:
        """What each node errs as a leaf: all but its majority."""
        return np.asarray(self.counts.sum(axis=1) - self.counts.max(axis=1))

    def weights(self, units: IntArray) -> FloatArray:
        """Return units as weights."""
        return np.asarray(units * self.unit, dtype=np.float64)


def units_of(tree: Tree) -> Units:
    """Return the training weights in whole units: the rows', if all weigh the same."""
    counts, rows = tree.counts, tree.rows
    if _is_whole(counts):
        return Units(counts.astype(np.int64), 1.0)
    unit = float(counts[0].sum() / rows[0])
    units = np.rint(counts / unit).astype(np.int64)
    if (units.sum(axis=1) == rows).all() and np.allclose(units * unit, counts, rtol=1e-9, atol=0):
        return Units(units, unit)
    return _common_units(tree, counts) or _fixed_point(tree, counts)


def held_units(tree: Tree, held: AnyArray) -> Units:
    """Return the weights of held-out rows, shape (nodes, classes), in whole units."""
    held = np.asarray(held)
    if held.shape != tree.counts.shape:
        raise ParameterError(
            f"held-out counts must have shape {tree.counts.shape}, one row a node, got {held.shape}"
        )
    if not (np.isfinite(held) & (held >= 0)).all():
        raise ParameterError("held-out counts must be finite and not negative")
    if held.dtype.kind in "iu" or _is_whole(held):
        return Units(held.astype(np.int64), 1.0)
    weights = held.astype(np.float64)
    return _common_units(tree, weights) or _fixed_point(tree, weights)


def held_errors(training: AnyArray, held: IntArray) -> IntArray:
    """Return what nodes err on held-out rows as leaves: those not of their training majority."""
    label = majority(training)
    right = np.take_along_axis(held, label[:, None], axis=1)[:, 0]
    return np.asarray(held.sum(axis=1) - right)


def node_counts(tree: Tree, leaf: AnyArray, target: Target) -> tuple[IntArray, IntArray]:
    """Count rows at every node they pass.

    Parameters
    ----------
    tree : Tree
        The tree.
    leaf : int array
        The leaf each row ends in.
    target : Target
        The rows' classes and weights, of the tree's classes.

    Returns
    -------
    ndarray of shape (nodes, classes)
        The units of each class at each node.
    ndarray of shape (nodes,)
        The number of rows.
    """
    n, k = tree.n_nodes, tree.n_classes
    cell = leaf.astype(np.int64) * k + target.labels
    # a sum of units is below 2^53, so the floats of bincount are exact
    units = np.bincount(cell, weights=target.units, minlength=n * k).astype(np.int64)
    rows = np.bincount(leaf, minlength=n).astype(np.int64)
    both = sum_up(tree, np.column_stack([units.reshape(n, k), rows]))
    return np.ascontiguousarray(both[:, :k]), both[:, k].copy()


def sum_up(tree: Tree, values: IntArray) -> IntArray:
    """Add to every node what its descendants have, level by level."""
    total = values.copy()
    order = np.argsort(-tree.depth, kind="stable")
    levels = np.flatnonzero(np.diff(tree.depth[order])) + 1
    for level in np.split(order, levels)[:-1]:  # the last is the root's
        np.add.at(total, tree.parent[level], total[level])
    return total


def case_weight(tree: Tree, formula: str) -> float:
    """Return the weight of the sample, m; warn where weights cannot be case counts."""
    weight, rows = float(tree.counts[0].sum()), int(tree.rows[0])
    if weight < rows * (1 - 1e-9):
        warnings.warn(
            f"{formula} reads weights as case counts, but {rows} rows weigh only {weight:g}; "
            "scale the weights to at least 1 a row on average",
            UserWarning,
            stacklevel=3,
        )
    return weight


def _is_whole(counts: AnyArray) -> bool:
    return bool((counts == np.rint(counts)).all() and counts[0].sum() <= 2.0**53)


def _common_units(tree: Tree, counts: FloatArray) -> Units | None:
    """Return counts as multiples of one fraction, if they all are: tenths, or balanced classes.

    Fixed point leaves each within ``slack`` of what it was. A number has a fraction of denominator
    q or less within 1/q^2, so only those far finer than chance would give are believed.
    """
    total = float(counts[0].sum())
    if total <= 0:
        return None
    slack, denominator = _NOISE * total, 1
    finest = int(sqrt(_CHANCE / slack))
    for weight in np.unique(counts[tree.kind == LEAF]).tolist():
        if abs(weight * denominator - round(weight * denominator)) <= slack * denominator:
            continue
        near = Fraction(weight).limit_denominator(max(finest, 1))
        denominator = lcm(denominator, near.denominator)
        if abs(float(near) - weight) > slack or denominator > finest:
            return None
    leaves = np.where((tree.kind == LEAF)[:, None], np.rint(counts * denominator), 0.0)
    return Units(sum_up(tree, leaves.astype(np.int64)), 1.0 / denominator)


def _fixed_point(tree: Tree, counts: FloatArray) -> Units:
    """Round the leaves to multiples of a power of two; other nodes get the sum of theirs."""
    total = float(counts[0].sum())
    exponent = int(np.floor(_SUM - np.log2(total))) if total > 0 else 0
    at_leaves = np.where((tree.kind == LEAF)[:, None], counts, 0.0)
    units = np.rint(np.ldexp(at_leaves, exponent)).astype(np.int64)
    return Units(sum_up(tree, units), float(np.ldexp(1.0, -exponent)))
