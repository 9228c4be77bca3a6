"""Interval splits are checked all at once: with the same result as one by one."""

from dataclasses import replace

import numpy as np
import pytest

from polytomy import TreeClassifier
from polytomy._errors import TreeError
from polytomy.tree import check
from polytomy.tree.tree import INTERVALS

rng = np.random.default_rng(0)
X = rng.normal(size=(300, 3))
Y = np.digitize(X[:, 0], [-1, 0, 1]) % 2 + (X[:, 1] > 0)
X[rng.random((300, 3)) < 0.1] = np.nan
TREE = TreeClassifier(20, procedure="hatano", honest=False).fit(X, Y).tree_
FIELDS = {
    "feature": (-1, 0),
    "missing_branch": (-2, -1, 0, 1, 2, 3, 9),
    "default_branch": (-1, 0, 1, 2, 9),
    "threshold": (-np.inf, np.inf, np.nan, -9.0, 0.0, 9.0),
}


def _is_refused(tree, node):
    try:
        check._check_node(tree, node)
    except TreeError:
        return True
    return False


@pytest.mark.parametrize("name", FIELDS)
def test_plain_intervals_are_those_in_which_nothing_is_found(name):
    inner = np.flatnonzero(TREE.kind == INTERVALS).tolist()
    assert len({TREE.arity(node) for node in inner}) > 1
    found = set()
    for value in FIELDS[name]:
        for at in range(len(getattr(TREE, name))):
            array = getattr(TREE, name).copy()
            array[at] = value
            tree = replace(TREE, **{name: array})
            plain = check._plain_intervals(tree)
            assert not plain[TREE.kind != INTERVALS].any()
            for node in inner:
                assert plain[node] == (not _is_refused(tree, node))
                found.add(bool(plain[node]))
    assert found == {False, True}


def test_counts_that_do_not_add_up_are_refused_with_their_node():
    for node in range(TREE.n_nodes):
        rows = TREE.rows.copy()
        rows[node] += 1
        parent = int(TREE.parent[node]) if node else 0
        with pytest.raises(TreeError, match=f"the counts of node ({parent}|{node}) are not"):
            check.check_tree(replace(TREE, rows=rows))
