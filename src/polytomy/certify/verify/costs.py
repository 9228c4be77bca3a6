"""Check what a tree makes of the costs of mistakes: the weights of classes, and the labels."""

from collections.abc import Mapping
from math import fsum

from polytomy._types import FloatArray
from polytomy.tree import Tree

from .report import TOLERANCE, Ledger


def check_costs(
    ledger: Ledger, matrix: FloatArray, factors: FloatArray, tree: Tree, given: Mapping[int, int]
) -> None:
    """Check that every leaf predicts the class of least cost.

    Parameters
    ----------
    ledger : Ledger
        Collects the comparisons of the current check.
    matrix : ndarray of shape (classes, classes)
        The cost of a row of each class (rows) for each predicted class (columns).
    factors : ndarray of shape (classes,)
        The weight that costs gave to a row of each class.
    tree : Tree
        The tree that predicts; its counts were compared with the rows.
    given : mapping of int
        The classes that leaves were given by hand.
    """
    classes = range(len(matrix))
    excess = [[float(matrix[i, j] - matrix[i, i]) for j in classes] for i in classes]
    worst = [max(row) for row in excess]
    ratio = [float(f) / w if w > 0 else 0.0 for f, w in zip(factors, worst, strict=True)]
    for i in classes:
        ledger.close(ratio[i], ratio[0], f"class {i}", "the weight per unit of its worst cost")
    for leaf in tree.leaves().tolist():
        rows = [float(c) / float(f) for c, f in zip(tree.counts[leaf], factors, strict=True)]
        cost = [fsum(rows[i] * excess[i][j] for i in classes) for j in classes]
        slack = TOLERANCE * fsum(rows[i] * worst[i] for i in classes)
        label = int(tree.label[leaf])
        ledger.holds(
            leaf in given or cost[label] <= min(cost) + slack,
            f"leaf {leaf}",
            f"class {label} costs {cost[label]:.6g}, but another class {min(cost):.6g}",
        )
