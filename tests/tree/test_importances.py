"""Summaries of trees against their definitions."""

import numpy as np
import pytest
from hypothesis import given

from polytomy.index import INDICES
from polytomy.reference import INDICES as REFERENCE
from polytomy.tree import column_importances, leaves_below, split_gains
from tests.export.own_split import own_model
from tests.export.random_models import random_models


def count_leaves(tree, node):
    children = tree.children(node).tolist()
    return sum(count_leaves(tree, child) for child in children) if children else 1


@given(random_models())
def test_leaves_below_counts_the_leaves_of_each_subtree(drawn):
    tree = drawn[0].tree
    expected = [count_leaves(tree, node) for node in range(tree.n_nodes)]
    assert leaves_below(tree).tolist() == expected


@pytest.mark.parametrize("name", sorted(REFERENCE))
@given(drawn=random_models())
def test_split_gains_equal_the_definition(name, drawn):
    tree = drawn[0].tree
    gains = split_gains(tree, INDICES[name])
    for node in range(tree.n_nodes):
        children = [REFERENCE[name](tree.counts[c]) for c in tree.children(node)]
        gain = REFERENCE[name](tree.counts[node]) - sum(children) if children else 0.0
        assert gains[node] == pytest.approx(max(gain, 0.0), abs=1e-9)


@given(random_models())
def test_column_importances_are_shares_of_the_gains(drawn):
    model, index = drawn[0], INDICES["gini"]
    tree, n_columns = model.tree, len(model.schema)
    gains = split_gains(tree, index)
    by_column = [gains[tree.feature == j].sum() for j in range(n_columns)]
    total = sum(by_column)
    expected = np.array(by_column) / total if total > 0 else np.zeros(n_columns)
    np.testing.assert_allclose(column_importances(tree, index, n_columns), expected, atol=1e-12)


def test_column_importances_leave_out_own_splits():
    model = own_model()
    assert column_importances(model.tree, INDICES["gini"], len(model.schema)).sum() == 0
