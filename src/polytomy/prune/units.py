"""Class weights of nodes as integer multiples of a unit, so that equal errors compare equal.

A tree stores weights as floats, whose sums depend on the order of addition: 0.1 + 0.2 is not 0.3.
The grower counted in integer units. They are recovered here, and all errors are sums of integers.
"""

import warnings
from dataclasses import dataclass
from fractions import Fraction
from math import lcm, sqrt
from typing import NamedTuple

import numpy as np

from polytomy._errors import ParameterError
from polytomy._types import AnyArray, FloatArray, IntArray
from polytomy.encode import Target
from polytomy.index import index_of_moments
from polytomy.tree import LEAF, Tree, errors_of_labels, majority, subtree_sums

_NOISE = 2.0**-49  # as a fraction of the total weight: the rounding error of a fixed-point sum
_CHANCE = 0.01  # probability that a random weight looks like a fraction; not all of a tree's do
_LEAST_MEAN = 1e-9  # as a fraction of the largest: a Poisson mean of 0 would forbid any count
_SUM = 54  # log2 of a fixed-point sum, so that weights that were fixed point keep all their bits


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """The class weights of every node as integers, and the weight of one unit.

    For a numeric target, ``counts`` are components, see ``polytomy.encode.NumericTarget``.
    """

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
    if tree.is_numeric:
        return _component_units(tree)
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


class NodeErrors(NamedTuple):
    """The errors of every node as a leaf, as integers, and the error of one unit."""

    units: IntArray
    unit: float

    def errors(self, units: IntArray) -> FloatArray:
        """Convert units to errors."""
        return np.asarray(units * self.unit, dtype=np.float64)


def training_errors(tree: Tree) -> NodeErrors:
    """Return the training errors of each node as a leaf.

    Those of a numeric target are squared errors, or half Poisson deviances.
    """
    if tree.is_numeric:
        return _rounded(tree.errors)
    if tree.costs is not None:
        wrong, unit = _costs_of_labels(tree, tree.counts, tree.costs)
        return NodeErrors(wrong.min(axis=1), unit)
    units = training_units(tree)
    return NodeErrors(units.errors, units.unit)


def validation_errors(tree: Tree, held: AnyArray) -> NodeErrors:
    """Return the errors of held-out rows at each node as a leaf.

    Parameters
    ----------
    tree : Tree
        The tree; its training counts give the labels or means.
    held : ndarray of shape (nodes, classes)
        The weight of held-out rows of each class at each node; for a numeric target their moments.

    Returns
    -------
    NodeErrors
        The errors.
    """
    if not tree.is_numeric:
        units = held_units(tree, held)
        if tree.costs is not None:
            wrong, unit = _costs_of_labels(tree, units.weights(units.counts), tree.costs)
            return NodeErrors(wrong[np.arange(tree.n_nodes), tree.label], unit)
        return NodeErrors(held_errors(tree.counts, units.counts), units.unit)
    if held.shape != tree.counts.shape or not np.isfinite(held).all():
        raise ParameterError(f"held-out moments must be finite, of shape {tree.counts.shape}")
    return _rounded(held_losses(tree.counts, held))


def held_losses(moments: FloatArray, held: FloatArray) -> FloatArray:
    """Return the squared errors, or half Poisson deviances, of held-out rows about training means.

    Parameters
    ----------
    moments : ndarray of shape (nodes, 3) or (nodes, 4)
        The moments of the training rows of each node.
    held : ndarray of the same shape
        Those of the held-out rows, about the same number.

    Returns
    -------
    ndarray of shape (nodes,)
        The losses.
    """
    n, s, q = held[:, 0], held[:, 1], held[:, 2]
    mean = moments[:, 1] / moments[:, 0]
    if index_of_moments(moments).name == "squared_error":
        return np.maximum(q - 2 * mean * s + mean * mean * n, 0.0)
    least = _LEAST_MEAN * max(float(mean.max()), np.finfo(float).tiny)
    mean = np.maximum(mean, least)
    return np.maximum(held[:, 3] - s * np.log(mean) - s + n * mean, 0.0)


def _rounded(errors: FloatArray, most: float | None = None) -> NodeErrors:
    """Round errors to multiples of a power of two, so that sums of up to ``most`` are exact."""
    most = float(errors.max()) if most is None else most
    exponent = int(np.floor(_SUM - 4 - np.log2(most))) if most > 0 else 0
    units = np.rint(np.ldexp(errors, exponent)).astype(np.int64)
    return NodeErrors(units, float(np.ldexp(1.0, -exponent)))


def _costs_of_labels(tree: Tree, counts: FloatArray, costs: FloatArray) -> tuple[IntArray, float]:
    """Return the cost of each label at each node in units, and the cost of one unit.

    Those of the leaves are rounded, and those of other nodes are sums: a split whose children have
    the label of their parent saves exactly nothing.
    """
    is_leaf = (tree.kind == LEAF)[:, None]
    at_leaves = _rounded(np.where(is_leaf, counts @ costs, 0.0), float(counts[0].sum()))
    return subtree_sums(tree, at_leaves.units), at_leaves.unit


def held_errors(training: AnyArray, held: AnyArray, costs: FloatArray | None = None) -> AnyArray:
    """Return the held-out errors, or costs, of each node as a leaf with its training label."""
    label = majority(training, costs)
    wrong = errors_of_labels(held, costs)
    return np.asarray(np.take_along_axis(wrong, label[:, None], axis=1)[:, 0])


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
    weight, rows = float(tree.weight[0]), int(tree.rows[0])
    if weight < rows * (1 - 1e-9):
        warnings.warn(
            f"{formula} reads weights as case counts, but the weights of {rows} rows sum to only "
            f"{weight:g}; scale the weights to a mean of at least 1",
            UserWarning,
            stacklevel=3,
        )
    return weight


def _component_units(tree: Tree) -> Units:
    """Return the components of the nodes of a numeric target: weights above and below.

    The range that means are scaled by is that of the means of the tree's leaves.
    """
    leaf = tree.kind == LEAF
    low, high = float(tree.mean[leaf].min()), float(tree.mean[leaf].max())
    if index_of_moments(tree.counts).name == "poisson":
        low = 0.0
    share = (tree.mean - low) / (high - low) if high > low else np.zeros(tree.n_nodes)
    above = np.clip(share, 0.0, 1.0) * tree.weight
    return _fixed_point(tree, np.column_stack([above, tree.weight - above]))


def component_scale(tree: Tree) -> float:
    """Return the impurity that one unit of weight of ``training_units`` stands for."""
    if not tree.is_numeric:
        return 1.0
    leaf = tree.kind == LEAF
    low, high = float(tree.mean[leaf].min()), float(tree.mean[leaf].max())
    if index_of_moments(tree.counts).name == "poisson":
        return high or 1.0
    return (high - low) ** 2 / 4 or 1.0


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
