"""Trees with the fewest training errors, or nearly: STreeD, ConTree and LicketySPLIT.

Each has TIME_LIMIT seconds for a search and then returns the best tree so far; LicketySPLIT, which
has no limit of its own, finishes the step it is at. Libraries are loaded
inside the functions, so that each is needed only if it is used.
"""

import warnings
from math import log2, sqrt
from time import perf_counter
from typing import Any

import numpy as np
from tables import Data

from quality.learners.binary_tree import (
    BinaryTree,
    Split,
    binarised,
    complete_columns,
    promising_cuts,
)
from quality.learners.tree import Learner

TIME_LIMIT = 2.0
MOST_CUTS = 100  # yes-or-no columns; the time grows with their number to the power of the depth
LEAST_ROWS = 5  # in a leaf
LARGEST_PRICE = 0.1  # of a leaf, in LicketySPLIT: as a fraction of the rows
STEPS = 7  # of the search for a price


def depth_of(max_leaves: int) -> int:
    """Return the largest depth at which a full tree has at most this many leaves."""
    return int(log2(max_leaves))


# ---- STreeD ------------------------------------------------------------------------------------


def grow_streed(data: Data, max_leaves: int) -> BinaryTree:
    """Grow the optimal tree of STreeD on yes-or-no columns.

    Up to four leaves the depth is not a limit: three splits reach at most three levels.
    """
    from pystreed import STreeDClassifier  # noqa: PLC0415

    cells, cuts, y = yes_or_no(data)
    depth = max_leaves - 1 if max_leaves <= 4 else (max_leaves - 1).bit_length()
    model = STreeDClassifier(
        max_depth=depth,
        max_num_nodes=max_leaves - 1,
        min_leaf_node_size=min(LEAST_ROWS, len(y)),
        time_limit=TIME_LIMIT,
    )
    model.fit(binarised(cells, cuts).astype(np.intc), y)
    return BinaryTree(streed_split(model.tree_, cuts), data)


def streed_split(node: Any, cuts: list[tuple[int, float]]) -> Split | None:
    """Return a node of STreeD; its left child has the rows whose answer is no."""
    if node.is_leaf_node():
        return None
    column, threshold = cuts[node.feature]
    low, high = streed_split(node.left_child, cuts), streed_split(node.right_child, cuts)
    return Split(column, threshold, low, high)


def yes_or_no(data: Data) -> tuple[np.ndarray, list[tuple[int, float]], np.ndarray]:
    """Return complete columns, the cuts of the yes-or-no columns, and classes without gaps."""
    cells = complete_columns(data.x)
    y = np.unique(data.y, return_inverse=True)[1]
    return cells, promising_cuts(cells, y, MOST_CUTS), y


# ---- ConTree -----------------------------------------------------------------------------------


def grow_contree(data: Data, max_leaves: int) -> BinaryTree:
    """Grow the optimal tree of ConTree, which searches all thresholds of the columns."""
    from pycontree import ConTree  # noqa: PLC0415

    y = np.unique(data.y, return_inverse=True)[1]
    model = ConTree(max_depth=depth_of(max_leaves), time_limit=TIME_LIMIT)
    with warnings.catch_warnings():  # it says so when its time is over
        warnings.simplefilter("ignore", UserWarning)
        model.fit(complete_columns(data.x), y)
    return BinaryTree(contree_split(model.tree_), data)


def contree_split(node: Any) -> Split | None:
    """Return a node of ConTree."""
    if node.is_leaf_node():
        return None
    low, high = contree_split(node.get_left()), contree_split(node.get_right())
    return Split(node.get_split_feature(), node.get_split_threshold(), low, high)


# ---- LicketySPLIT ------------------------------------------------------------------------------


def grow_lickety(data: Data, max_leaves: int) -> BinaryTree:
    """Grow the tree of LicketySPLIT with the smallest price of a leaf that keeps to the budget."""
    from licketysplit import LicketySPLITClassifier  # noqa: PLC0415

    cells, cuts, y = yes_or_no(data)
    bits = binarised(cells, cuts).astype(np.uint8)
    low, high = 0.5 / len(y), LARGEST_PRICE
    best: list[list[int]] = [[]]  # the root alone
    start = perf_counter()
    for _ in range(STEPS):
        price = sqrt(low * high)
        model = LicketySPLITClassifier(lambda_leaf=price, depth_budget=depth_of(max_leaves) + 1)
        paths = model.fit(bits, y).get_tree_paths()[0]
        if len(paths) <= max_leaves:
            best, high = paths, price
        else:
            low = price
        if perf_counter() - start > TIME_LIMIT:
            break
    return BinaryTree(paths_split(best, cuts), data)


def paths_split(paths: list[list[int]], cuts: list[tuple[int, float]]) -> Split | None:
    """Return a tree from its paths: ``j + 1`` for a yes to question j, ``-j - 1`` for a no."""
    if not paths[0]:
        return None
    question = abs(paths[0][0])
    column, threshold = cuts[question - 1]
    no, yes = ([p[1:] for p in paths if p[0] == sign * question] for sign in (-1, 1))
    return Split(column, threshold, paths_split(no, cuts), paths_split(yes, cuts))


WORDS = f"at most {TIME_LIMIT:g} s"
STREED = Learner(
    f"STreeDClassifier(max_num_nodes=s-1, max_depth=log2(s), min_leaf_node_size={LEAST_ROWS}), "
    f"{MOST_CUTS} yes-or-no columns chosen by a forest, {WORDS}",
    grow_streed,
)
CONTREE = Learner(f"ConTree(max_depth=log2(s)) on one-hot columns, {WORDS}", grow_contree)
LICKETY = Learner(
    "LicketySPLITClassifier(depth_budget=log2(s)+1), the smallest lambda_leaf for s leaves, "
    f"{MOST_CUTS} yes-or-no columns chosen by a forest, {WORDS}",
    grow_lickety,
)
