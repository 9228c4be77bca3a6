"""Agreement with scikit-learn where the two libraries do the same thing."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.tree import DecisionTreeClassifier

from polytomy.encode import Target, encode
from polytomy.grow import GrowParams, grow
from polytomy.table import Table


def continuous(seed, n_rows=300, n_columns=5, n_classes=3):
    """Continuous columns and noisy classes: no two splits gain the same."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n_rows, n_columns)).astype(np.float32)
    score = x @ rng.standard_normal(n_columns) + rng.standard_normal(n_rows)
    return x, np.digitize(score, np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1]))


def our_impurities(x, labels, index, sizes, weights=None):
    """Total impurity of the tree at every size on the way, in scikit-learn's units (per row)."""
    target = Target.of(labels, weights=weights)
    coded = encode(Table.of(x), target.units, max_bins=len(x) + 1)
    params = GrowParams(
        procedure="kearns-mansour", leaf_order="steepest", index=index, max_leaves=max(sizes)
    )
    growth = grow(coded, target, params)
    left = growth.root_impurity - np.cumsum([0.0] + [e.gain for e in growth.expansions])
    halves = 2 if index == "gini" else 1  # our gini is twice theirs; entropy is the same
    return {k: left[k - 1] / growth.weight / halves for k in sizes if k <= len(left)}


def their_impurity(x, labels, criterion, k, weights=None):
    tree = DecisionTreeClassifier(criterion=criterion, max_leaf_nodes=k, random_state=0)
    t = tree.fit(x, labels, weights).tree_
    leaf = t.children_left == -1
    held = t.weighted_n_node_samples
    return (t.impurity[leaf] * held[leaf]).sum() / held[0]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_best_first_trees_have_the_same_impurity_at_every_size(seed, criterion):
    """Until pure. Continuous weights, because scikit-learn breaks ties of gains at random."""
    x, labels = continuous(seed, n_rows=200, n_classes=2 + seed % 3)
    weights = np.random.default_rng(seed).uniform(0.5, 2, len(x))
    ours = our_impurities(x, labels, criterion, range(2, 200), weights)
    assert ours[max(ours)] == pytest.approx(0, abs=1e-9)
    for k, impurity in ours.items():
        theirs = their_impurity(x, labels, criterion, k, weights)
        assert impurity == pytest.approx(theirs, abs=1e-9), f"at {k} leaves"


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_without_weights_too_while_nodes_are_large(criterion):
    x, labels = continuous(1, n_rows=5000)
    for k, impurity in our_impurities(x, labels, criterion, range(2, 30)).items():
        assert impurity == pytest.approx(their_impurity(x, labels, criterion, k), abs=1e-9)


def test_the_first_split_of_iris_is_the_known_one():
    data = load_iris()
    coded = encode(Table.of(data.data))
    growth = grow(coded, Target.of(data.target), GrowParams(max_leaves=2))
    assert growth.tree.n_leaves == 2
    assert growth.expansions[0].counts.tolist() == [50, 50, 50]
    assert sorted(growth.tree.counts[1:].max(axis=1).tolist()) == [50, 50]


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_multi_way_trees_of_the_same_size_fit_as_well_as_binary_ones(load):
    """The default grows trees at least as good as scikit-learn's in Gini impurity, here."""
    x, labels = load(return_X_y=True)
    coded = encode(Table.of(x), max_bins=len(x) + 1)
    for k in (4, 8, 16):
        growth = grow(coded, Target.of(labels), GrowParams(max_leaves=k))
        left = growth.root_impurity - sum(e.gain for e in growth.expansions)
        assert left / len(x) / 2 <= their_impurity(x, labels, "gini", k) + 1e-9
