"""Cost-complexity pruning against all prunings, and against scikit-learn's path."""

from fractions import Fraction
from math import lcm

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

from polytomy import ParameterError, TreeClassifier
from polytomy.encode import Target, encode
from polytomy.grow import GrowParams, grow
from polytomy.index import INDICES
from polytomy.predict import apply
from polytomy.prune import CostComplexity, CostPath, Evidence, node_counts
from polytomy.table import Table
from polytomy.tree import pruned
from tests.naive.pruning import all_prunings, cost_path, cut_of
from tests.strategies import grown_trees, tree_of


def held_errors(grown):
    label = grown.tree.counts.argmax(axis=1)
    return (grown.held.sum(axis=1) - grown.held[range(len(label)), label]).tolist()


def exact_costs(grown, cost):
    """Return the cost of each node as a leaf in integers, and the unit as a fraction."""
    costs = []
    for c in grown.units.tolist():
        n = sum(c)
        gini = Fraction(n) - Fraction(sum(x * x for x in c), n)  # half of our F, as in scikit-learn
        costs.append(gini if cost == "index" else Fraction(n - max(c)))
    common = lcm(*(c.denominator for c in costs))
    return [int(c * common) for c in costs], 1 / (common * int(grown.units[0].sum()))


@settings(max_examples=300)
@given(grown_trees(max_inner=12), st.sampled_from(["index", "error"]))
def test_cost_path_has_the_smallest_best_pruning_at_each_alpha(grown, cost):
    tree, held = grown.tree, held_errors(grown)
    costs, share = exact_costs(grown, cost)
    want = cost_path(all_prunings(tree), costs)
    path = CostPath(tree, INDICES["gini"] if cost == "index" else None, grown.held)
    assert path.sizes.tolist() == [p.size for _, p in want]
    np.testing.assert_allclose(path.alphas, [float(a) * share for a, _ in want], rtol=1e-12)
    np.testing.assert_allclose(path.costs, [p.total(costs) * share for _, p in want], atol=1e-12)
    assert path.validation_errors.tolist() == [p.total(held) for _, p in want]
    for i, (alpha, p) in enumerate(want):
        assert path.nodes_at(float(alpha) * share).tolist() == cut_of(tree, p)
        assert path.nodes_at(path.alphas[i]).tolist() == cut_of(tree, p)
        if alpha > 0:  # just below it, the previous pruning
            before = cut_of(tree, want[i - 1][1])
            assert path.nodes_at(path.alphas[i] * (1 - 1e-9)).tolist() == before


@pytest.mark.parametrize("index", ["entropy", "gini", "sqrt"])
def test_cost_path_removes_useless_splits_at_alpha_0(index):
    """Children with their parent's class shares: a gain that is only rounding is 0."""
    for a, b, n, m in [(1, 2, 3, 7), (3, 4, 5, 11), (7, 3, 13, 29), (5, 9, 17, 1), (2, 11, 23, 6)]:
        units = np.array([[a * (n + m), b * (n + m)], [a * n, b * n], [a * m, b * m]])
        tree = tree_of([[1, 2], [], []], units)
        path = CostPath(tree, INDICES[index])
        assert (path.alphas.tolist(), path.sizes.tolist()) == ([0.0], [1])
        assert path.nodes_at(0).tolist() == [0]


@given(grown_trees(max_inner=12), st.sampled_from(["index", "error"]))
def test_select_alpha_takes_the_smaller_tree_on_a_tie(grown, cost):
    evidence = Evidence(index=INDICES["gini"], held=grown.held)
    pruner = CostComplexity(cost=cost)
    path = pruner.path(grown.tree, evidence)
    errors = path.validation_errors.tolist()
    last = max(i for i, e in enumerate(errors) if e == min(errors))
    small, _ = pruner.prune(grown.tree, evidence)
    assert small.n_leaves == path.sizes[last]
    fixed = CostComplexity(alpha=path.alphas[last], cost=cost)
    assert fixed.cut(grown.tree, evidence).tolist() == pruner.cut(grown.tree, evidence).tolist()


def continuous(seed, n_rows=250, n_columns=4, n_classes=3):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n_rows, n_columns)).astype(np.float32)
    score = x @ rng.standard_normal(n_columns) + rng.standard_normal(n_rows)
    labels = np.digitize(score, np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1]))
    # With weights no two gains are equal; integer weights keep scikit-learn's pure nodes pure.
    return x, labels, rng.integers(5_000, 20_000, n_rows)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_cost_path_of_binary_trees_equals_scikit_learns(seed, criterion):
    x, labels, weights = continuous(seed, n_classes=2 + seed % 3)
    target = Target.of(labels, weights=weights)
    coded = encode(Table.of(x), target.units, max_bins=len(x) + 1)
    params = GrowParams(procedure="per-leaf", max_arity=2, index=criterion, max_leaves=None)
    tree = grow(coded, target, params).tree
    ours = CostPath(tree, INDICES[criterion])
    peer = DecisionTreeClassifier(criterion=criterion, random_state=0)
    theirs = peer.cost_complexity_pruning_path(x, labels, weights)
    np.testing.assert_allclose(ours.alphas, theirs.ccp_alphas, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(ours.costs, theirs.impurities, rtol=1e-9, atol=1e-9)
    assert ours.sizes[0] == tree.n_leaves > 30
    assert len(ours) > 20
    for alpha in ours.alphas[:: len(ours) // 8].tolist():
        peer.set_params(ccp_alpha=alpha * (1 + 1e-9))
        same = peer.fit(x, labels, weights).get_n_leaves()
        assert pruned(tree, ours.nodes_at(alpha))[0].n_leaves == same


def test_cost_complexity_of_the_estimator_equals_scikit_learns():
    x, labels, weights = continuous(7)
    clf = TreeClassifier(max_arity=2, max_leaves=None, contract=False, max_bins=len(x) + 1)
    tree = clf.fit(x, labels, weights).tree_
    ours = CostPath(tree, INDICES["gini"])
    theirs = DecisionTreeClassifier(random_state=0).cost_complexity_pruning_path(x, labels, weights)
    np.testing.assert_allclose(ours.alphas, theirs.ccp_alphas, rtol=1e-9, atol=1e-12)


def test_cost_path_validation_errors_equal_those_of_the_pruned_trees():
    x, labels, weights = continuous(3, n_rows=500)
    half = 250
    target = Target.of(labels[:half], 3, weights[:half])
    coded = encode(Table.of(x[:half]), target.units)
    tree = grow(coded, target, GrowParams(max_leaves=None)).tree
    rest, held = Table.of(x[half:]), Target.of(labels[half:], 3, weights[half:])
    counts, _ = node_counts(tree, apply(tree, coded.schema, rest), held)
    path = CostPath(tree, INDICES["gini"], counts * held.unit)
    for alpha, errors in zip(path.alphas, path.validation_errors, strict=True):
        small, _ = pruned(tree, path.nodes_at(alpha))
        leaf = apply(small, coded.schema, rest)
        wrong = small.counts.argmax(axis=1)[leaf] != labels[half:]
        assert weights[half:][wrong].sum() == pytest.approx(errors)


@given(grown_trees(max_inner=3, unit=1.0))
def test_cost_complexity_rejects_missing_evidence(grown):
    with pytest.raises(ParameterError, match="the index of the tree"):
        CostComplexity(alpha=0.1).cut(grown.tree, Evidence())
    with pytest.raises(ParameterError, match="held-out rows, or an alpha"):
        CostComplexity(cost="error").cut(grown.tree, Evidence())
    with pytest.raises(ParameterError, match="cross-validate"):
        CostComplexity(select="cv").cut(grown.tree, Evidence())
    with pytest.raises(ParameterError, match="alpha must be a number"):
        CostPath(grown.tree).nodes_at(-1)
    with pytest.raises(ParameterError, match="a path with held-out rows"):
        CostPath(grown.tree).select_alpha()
