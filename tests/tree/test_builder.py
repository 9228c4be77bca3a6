"""The builder writes trees and rejects invalid splits; the checker finds tampered trees."""

import pickle
from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest

from polytomy import TreeError
from polytomy.tree import CategorySplit, IntervalSplit, Tree, TreeBuilder, check_tree


def three_way():
    builder = TreeBuilder(np.array([4.0, 4.0]), 8)
    cuts = IntervalSplit(1, np.array([0.5]), 2, 0)
    builder.split(0, cuts, np.array([[3.0, 1], [0, 2], [1, 1]]), [4, 2, 2])
    groups = CategorySplit(0, np.array([0, -1, 1, 0], dtype=np.int32), -1, 1)
    builder.split(1, groups, np.array([[1.0, 1], [2, 0]]), [2, 2])
    return builder


def test_builder_writes_the_arrays():
    tree = three_way().finish()
    check_tree(tree)
    assert (tree.n_nodes, tree.n_leaves, tree.n_classes) == (6, 4, 2)
    assert tree.children(0).tolist() == [1, 2, 3]
    assert tree.depth.tolist() == [0, 1, 1, 1, 2, 2]
    assert tree.leaves().tolist() == [2, 3, 4, 5]
    split = tree.split(0)
    assert split.arity == 3
    assert split.range_of(0) == (-np.inf, 0.5)
    assert split.range_of(1) == (0.5, np.inf)
    assert split.range_of(2) is None  # missing cells only
    assert tree.split(1).code_to_branch.tolist() == [0, -1, 1, 0]
    assert tree.split(5) is None


def test_tree_is_frozen_and_compared_bit_for_bit():
    tree = three_way().finish()
    with pytest.raises(ValueError, match="read-only"):
        tree.counts[0, 0] = 1
    with pytest.raises(AttributeError):
        tree.counts = None
    for copy in (pickle.loads(pickle.dumps(tree)), deepcopy(tree)):
        assert copy == tree
        assert not copy.counts.flags.writeable
    assert tree == three_way().finish()
    assert tree != replace(tree, threshold=np.nextafter(tree.threshold, 1))
    assert tree != "a tree"


def test_builder_rejects_invalid_splits():
    builder = three_way()
    leaf = np.array([[1.0, 1], [1, 0]])
    split = IntervalSplit(0, np.array([1.0]), -1, 0)
    with pytest.raises(TreeError, match="node 0 is already split"):
        builder.split(0, split, leaf, [1, 1])
    with pytest.raises(TreeError, match="node 9 does not exist"):
        builder.split(9, split, leaf, [1, 1])
    with pytest.raises(TreeError, match="2-way split needs 2 children, got 1"):
        builder.split(2, split, leaf[:1], [1])


def changed(name, at, value):
    def tamper(tree):
        array = getattr(tree, name).copy()
        array[at] = value
        return replace(tree, **{name: array})

    return tamper


TAMPERED = {
    "two parents": changed("child", 1, 1),
    "child before parent": changed("child", 0, 0),
    "parent disagrees": changed("parent", 4, 2),
    "no root": changed("parent", 0, 3),
    "leaf with children": changed("kind", 0, 0),
    "split without children": changed("kind", 2, 1),
    "unknown kind": changed("kind", 2, 9),
    "offsets": changed("child_start", 1, 7),
    "offsets fall": changed("threshold_start", 0, 1),
    "nan threshold": changed("threshold", 0, np.nan),
    "infinite threshold": changed("threshold", 0, np.inf),
    "no column": changed("feature", 0, -1),
    "default out of range": changed("default_branch", 0, 3),
    "default unset": changed("default_branch", 0, -1),
    "missing out of range": changed("missing_branch", 0, 3),
    "unreachable child": changed("missing_branch", 0, -1),
    "category out of range": changed("code_to_branch", 0, -2),
    "category makes a branch": changed("code_to_branch", 0, 2),
    "negative count": changed("counts", (5, 0), -2.0),
    "nan count": changed("counts", (5, 0), np.nan),
    "children do not add up": changed("counts", (2, 1), 3.0),
    "rows do not add up": changed("rows", 2, 3),
    "no rows": changed("rows", 2, 0),
    "short array": lambda tree: replace(tree, rows=tree.rows[:-1]),
}


@pytest.mark.parametrize("how", TAMPERED)
def test_check_tree_finds_tampering(how):
    tree = three_way().finish()
    with pytest.raises(TreeError, match="not a tree"):
        check_tree(TAMPERED[how](tree))


def test_check_tree_requires_ascending_thresholds():
    builder = TreeBuilder(np.array([2.0, 1.0]), 3)
    builder.split(0, IntervalSplit(0, np.array([2.0, 1.0]), -1, 0), np.eye(3, 2) + 0, [1, 1, 1])
    with pytest.raises(TreeError, match="do not ascend"):
        check_tree(builder.finish())


def test_check_tree_rejects_an_empty_tree():
    tree = TreeBuilder(np.array([1.0]), 1).finish()
    check_tree(tree)
    empty = {name: array[:0] for name, array in tree._parts().items()}
    with pytest.raises(TreeError, match="it has no nodes"):
        check_tree(Tree(**empty))
