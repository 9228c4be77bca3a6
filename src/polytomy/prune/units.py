"""Class weights of nodes as integer multiples of a unit, so that equal errors compare equal.

A tree stores weights as floats, whose sums depend on the order of addition: 0.1 + 0.2 is not 0.3.
The grower counted in integer units. They are recovered here, and all errors are sums of integers.
"""

import warnings
from dataclasses import dataclass
from fractions import Fraction
from math import lcm, sqrt

import numpy as np

from polytomy._errors import ParameterError
from polytomy._types import AnyArray, FloatArray, IntArray
from polytomy.encode import Target
from polytomy.tree import LEAF, Tree, majority, subtree_sums

_NOISE = 2.0**-49  # as a fraction of the total weight: the rounding error of a fixed-point sum
_CHANCE = 0.01  # probability that a random weight looks like a fraction; not all of a tree's do
_SUM = 54  # log2 of a fixed-point sum, so that weights that were fixed point keep all their bits


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """The class weights of every node as integers, and the weight of one unit."""

    counts: IntArray
    unit: float

    @property
    def errors(self) -> IntArray:
        """The errors of each node as a leaf: the units outside its majority class."""
        return np.asarray(self.counts.sum(axis=1) - self.counts.max(axis=1))

    def weights(self, units: IntArray) -> FloatArray:
        """Convert units to weights."""
        return np.asarray(units * self.unit, dtype=np.float64)


def training_units(tree: Tree) -> Units:
    """Return the training weights in units; the unit is one row if all weights are equal."""
    counts, rows = tree.counts, tree.rows
    if _is_whole(counts):
        return Units(counts.astype(np.int64), 1.0)
    unit = float(counts[0].sum() / rows[0])
    units = np.rint(counts / unit).astype(np.int64)
    if (units.sum(axis=1) == rows).all() and np.allclose(units * unit, counts, rtol=1e-9, atol=0):
        return Units(units, unit)
    return _common_units(tree, counts) or _fixed_point(tree, counts)


def held_units(tree: Tree, held: AnyArray) -> Units:
    """Return the weights of held-out rows, of shape (nodes, classes), in units."""
    held = np.asarray(held)
    if held.shape != tree.counts.shape:
        raise ParameterError(
            f"held-out counts must have shape {tree.counts.shape}, one row for each node, "
            f"got {held.shape}"
        )
    if not (np.isfinite(held) & (held >= 0)).all():
        raise ParameterError("held-out counts must be finite and not negative")
    if held.dtype.kind in "iu" or _is_whole(held):
        return Units(held.astype(np.int64), 1.0)
    weights = held.astype(np.float64)
    return _common_units(tree, weights) or _fixed_point(tree, weights)


def held_errors(training: AnyArray, held: IntArray) -> IntArray:
    """Return the held-out errors of each node as a leaf with its training majority as label."""
    label = majority(training)
    right = np.take_along_axis(held, label[:, None], axis=1)[:, 0]
    return np.asarray(held.sum(axis=1) - right)


def node_counts(tree: Tree, leaf: AnyArray, target: Target) -> tuple[IntArray, IntArray]:
    """Count the rows at every node they pass.

    Parameters
    ----------
    tree : Tree
        The tree.
    leaf : int array
        The leaf that each row reaches.
    target : Target
        The classes and weights of the rows, with the classes of the tree.

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
    both = subtree_sums(tree, np.column_stack([units.reshape(n, k), rows]))
    return np.ascontiguousarray(both[:, :k]), both[:, k].copy()


def case_weight(tree: Tree, formula: str) -> float:
    """Return the weight m of the sample; warn if weights cannot be case counts."""
    weight, rows = float(tree.counts[0].sum()), int(tree.rows[0])
    if weight < rows * (1 - 1e-9):
        warnings.warn(
            f"{formula} reads weights as case counts, but the weights of {rows} rows sum to only "
            f"{weight:g}; scale the weights to a mean of at least 1",
            UserWarning,
            stacklevel=3,
        )
    return weight


def _is_whole(counts: AnyArray) -> bool:
    return bool((counts == np.rint(counts)).all() and counts[0].sum() <= 2.0**53)


def _common_units(tree: Tree, counts: FloatArray) -> Units | None:
    """Return counts as multiples of one fraction, such as 1/10, or None.

    Balanced class weights are such multiples. Fixed point moves each weight by at most ``slack``.
    Any number has a fraction of denominator q or less within 1/q^2, so only matches far closer
    than chance would give are accepted.
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
    return Units(subtree_sums(tree, leaves.astype(np.int64)), 1.0 / denominator)


def _fixed_point(tree: Tree, counts: FloatArray) -> Units:
    """Round the leaves to multiples of a power of two; inner nodes get the sum of their leaves."""
    total = float(counts[0].sum())
    exponent = int(np.floor(_SUM - np.log2(total))) if total > 0 else 0
    at_leaves = np.where((tree.kind == LEAF)[:, None], counts, 0.0)
    units = np.rint(np.ldexp(at_leaves, exponent)).astype(np.int64)
    return Units(subtree_sums(tree, units), float(np.ldexp(1.0, -exponent)))
