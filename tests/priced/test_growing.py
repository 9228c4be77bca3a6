"""Growing at two prices: budgets, prices, awkward tables, and the leaves of cross-fitting."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from polytomy import TreeClassifier, verify
from polytomy.encode import Target, encode
from polytomy.estimators.fitting import cross_fitting
from polytomy.estimators.fitting.cross_fitting import CrossFit, cross_fit
from polytomy.grow import GrowParams
from polytomy.honesty import Honesty
from polytomy.index import resolve
from polytomy.priced import (
    Sample,
    TwoPrices,
    cheaper_run,
    grow_priced,
    leaves_to_grow,
    run_candidate,
    without_columns,
)
from polytomy.table import Table
from polytomy.theory import Prices, questions, tree_cost
from polytomy.tree import check_tree
from tests.grow.test_own_family import Signs, xor

TABLES = {
    "iris": load_iris,
    "wine": load_wine,
    "breast cancer": load_breast_cancer,
    "digits": load_digits,
}
every_table = pytest.mark.parametrize("name", TABLES)
PARAMS = GrowParams(procedure="priced")
MANY = TwoPrices(12, leaves_to_grow(12), 0.08, 2.0, contract=True)
PRICES = Prices(1.0, 0.02)


def data(name):
    return TABLES[name](return_X_y=True)


def sample_of(X, y, weights=None):
    table = Table.of(X)
    target = Target.of(np.asarray(y), int(np.max(y)) + 1, weights)
    return Sample(encode(table, target.units), target, table)


def shops(n_rows, n_shops):
    """Return two numbers that decide together, and a shop that has nothing to do with the class."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(n_rows, 2)), columns=["x", "z"])
    frame["shop"] = [f"shop {i}" for i in rng.integers(0, n_shops, n_rows)]
    y = ((frame.x > 0) != (frame.z > 0)).to_numpy().astype(int)
    return frame, np.where(rng.random(n_rows) < 0.3, 1 - y, y)


def towns(n_rows=300, n_towns=6, seed=0):
    """Return a frame of a town and two numbers with missing cells, and classes."""
    rng = np.random.default_rng(seed)
    town = rng.integers(0, n_towns, n_rows)
    frame = pd.DataFrame(
        {
            "town": [f"t{v}" for v in town],
            "x": rng.integers(0, 20, n_rows).astype(float),
            "z": rng.normal(size=n_rows).round(1),
        }
    )
    labels = (town % 3 + (frame["x"] > 9)).to_numpy() % 3
    labels = np.where(rng.random(n_rows) < 0.1, rng.integers(0, 3, n_rows), labels)
    frame.loc[rng.random(n_rows) < 0.1, "x"] = np.nan
    frame.loc[rng.random(n_rows) < 0.1, "town"] = None
    return frame, labels


# ---- the budget and the prices


@every_table
@pytest.mark.parametrize("budget", [1, 2, 3, 8, 20])
def test_max_leaves_is_a_limit(name, budget):
    X, y = data(name)
    clf = TreeClassifier(budget, honest=False).fit(X, y)
    assert clf.n_leaves_ <= budget
    assert verify(clf, X, y)


@every_table
def test_larger_question_price_never_asks_more_questions(name):
    sample = sample_of(*data(name))
    asked = [
        questions(grow_priced(sample, PARAMS, replace(MANY, question=price)).tree)
        for price in (0.0, 0.005, 0.02, 0.08, 0.3, 2.0)
    ]
    assert all(b <= a * (1 + 1e-9) for a, b in pairwise(asked)), asked
    assert asked[-1] == 0.0 < asked[0]


@every_table
def test_free_questions_give_the_lowest_loss_and_leaf_cost(name):
    sample = sample_of(*data(name))
    index = resolve("gini", sample.target.n_classes)
    found = [
        grow_priced(sample, PARAMS, replace(MANY, question=q)) for q in (0.0, 0.005, 0.02, 0.1)
    ]
    free = Prices(found[0].prices.leaf, 0.0)
    costs = [tree_cost(one.tree, index, free) for one in found]
    assert min(costs) == pytest.approx(costs[0])


@every_table
def test_kept_tree_is_the_cheaper_of_both_runs(name):
    sample = sample_of(*data(name))
    index = resolve("gini", sample.target.n_classes)
    best = cheaper_run(sample, PARAMS, index, MANY)
    params = replace(PARAMS, max_leaves=MANY.grown)
    narrow = run_candidate(sample, params, index, MANY)
    question = narrow.path.prices
    expansions = narrow.grower.record().expansions
    in_budget = [e for e in expansions if e.leaves_before + e.arity - 1 <= MANY.max_leaves]
    least = min(e.gain / (e.arity - 1) for e in in_budget)
    price = MANY.branch * least / float(sample.target.n_rows)
    wide = run_candidate(sample, replace(params, branch_price=price), index, MANY, question)
    assert best.cost == pytest.approx(min(narrow.cost, wide.cost))
    found = grow_priced(sample, PARAMS, MANY)
    assert tree_cost(found.tree, index, found.prices) == pytest.approx(best.cost)


def test_only_users_families_keep_the_raw_columns():
    sample = sample_of(*data("wine"))
    own = replace(PARAMS, families=(*PARAMS.families, Signs()))
    assert without_columns(sample, own) is sample
    fewer = without_columns(sample, PARAMS)
    assert fewer.table is None
    found, bare = (grow_priced(s, PARAMS, MANY) for s in (sample, fewer))
    assert found.tree.counts.tolist() == bare.tree.counts.tolist()
    assert found.prices == bare.prices


def test_binary_trees_need_only_one_run():
    sample = sample_of(*data("wine"))
    steps = []
    grow_priced(sample, replace(PARAMS, max_arity=2), MANY, on_step=lambda s: steps.append(s.leaf))
    assert len(set(steps)) == len(steps)


def test_fit_is_deterministic_and_does_not_depend_on_threads():
    frame, y = towns(2000, 30)
    one = TreeClassifier(12, n_jobs=1).fit(frame, y)
    for again in (TreeClassifier(12, n_jobs=1), TreeClassifier(12, n_jobs=2)):
        again.fit(frame, y)
        assert again.tree_ == one.tree_
        assert again._model.honesty == one._model.honesty


# ---- weights


@pytest.mark.parametrize("factor", [0.25, 3.0])
def test_tree_does_not_depend_on_the_scale_of_the_weights(factor):
    frame, y = towns()
    weights = np.random.default_rng(1).integers(1, 5, len(y)).astype(float)
    clf = TreeClassifier(8, teacher=False)  # a quick teacher draws cases, of which there are more
    one = clone(clf).fit(frame, y, weights)
    other = clf.fit(frame, y, weights * factor)
    assert (one.predict(frame) == other.predict(frame)).all()
    np.testing.assert_allclose(other.tree_.counts, one.tree_.counts * factor)


def test_rows_of_weight_0_are_as_if_they_were_not_there():
    frame, y = towns()
    weights = (np.arange(len(y)) % 3 > 0).astype(float)
    one = TreeClassifier(8).fit(frame, y, weights)
    other = TreeClassifier(8).fit(frame[weights > 0], y[weights > 0])
    assert one.tree_ == other.tree_


def test_weights_equal_repeated_rows_but_for_the_number_of_rows():
    # Prices and charges count rows, not weights: only a run without them is the same.
    frame, y = towns(120)
    weights = np.random.default_rng(2).integers(1, 4, len(y))
    free = {"question_price": 0.0, "families": ("intervals", "values"), "max_arity": 2}
    one = TreeClassifier(6, honest=False, **free).fit(frame, y, weights)
    many = TreeClassifier(6, honest=False, **free).fit(
        frame.loc[frame.index.repeat(weights)], np.repeat(y, weights)
    )
    assert (one.predict(frame) == many.predict(frame)).all()
    np.testing.assert_allclose(one.tree_.counts, many.tree_.counts)


def test_class_weight_equals_the_same_row_weights():
    frame, y = towns()
    factors = {0: 1.0, 1: 4.0, 2: 0.5}
    one = TreeClassifier(8, class_weight=factors).fit(frame, y)
    other = TreeClassifier(8).fit(frame, y, np.array([factors[label] for label in y]))
    assert one.tree_ == other.tree_
    assert verify(one, frame, y)


# ---- awkward tables


def fitted(X, y, **params):
    clf = TreeClassifier(8, **params).fit(X, y)
    check_tree(clf.tree_)
    assert verify(clf, X, y), str(verify(clf, X, y))
    assert np.isfinite(clf.predict_proba(X)).all()
    return clf


def test_one_class_gives_one_leaf():
    clf = fitted([[1.0], [2.0], [3.0]], ["a", "a", "a"])
    assert (clf.n_leaves_, clf.predict([[9.0]]).tolist()) == (1, ["a"])


def test_two_rows_are_fitted():
    assert fitted([[1.0], [2.0]], [0, 1]).n_leaves_ in (1, 2)


def test_constant_columns_and_columns_without_cells_are_never_asked():
    rng = np.random.default_rng(0)
    x = rng.integers(0, 5, 60).astype(float)
    X = np.column_stack([np.full(60, np.nan), np.full(60, 7.0), x])
    clf = fitted(X, (x > 2).astype(int))
    assert set(clf.tree_.feature.tolist()) <= {-1, 2}
    assert fitted(X[:, :2], (x > 2).astype(int)).n_leaves_ == 1


@pytest.mark.parametrize(("n_classes", "most"), [(2, 0.05), (3, 0.3)])
def test_thousand_meaningless_categories_matter_little(n_classes, most):
    rng = np.random.default_rng(3)
    names = np.array([f"id{i}" for i in range(1000)])
    frame = pd.DataFrame({"id": rng.choice(names, 3000), "x": rng.normal(size=3000)})
    y = (frame["x"] > 0).to_numpy().astype(int) * (n_classes - 1)
    y = np.where(rng.random(3000) < 0.2, rng.integers(0, n_classes, 3000), y)
    clf = fitted(frame, y)
    assert clf.tree_.feature[0] == 1
    assert clf.feature_importances_[0] < most


def test_own_families_are_grown_and_cross_fitted():
    X, y = xor()
    clf = TreeClassifier(6, families=("intervals", Signs())).fit(X, y)
    assert clf.tree_.own
    assert clf.score(X, y) > 0.85
    assert clf._model.honesty != Honesty()


def test_callback_that_stops_keeps_a_pruning_of_the_steps_so_far():
    sample = sample_of(*data("digits"))
    steps = []

    def stop(expansion):
        steps.append(expansion)
        return len(steps) == 3

    found = grow_priced(sample, PARAMS, MANY, on_step=stop)
    assert len(steps) == len(found.growth.expansions) == 3
    assert found.growth.stopped
    assert found.tree.n_leaves <= 1 + sum(e.arity - 1 for e in found.growth.expansions)


# ---- cross-fitting


def records(found):
    """Return, for each leaf, the counts on its path and the weights of its held-out rows."""
    listed = []
    for leaf, held in zip(found.leaves.tolist(), found.held_out.tolist(), strict=True):
        path, node = [], leaf
        while node >= 0:
            path.append(tuple(found.counts[node].round(9).tolist()))
            node = int(found.parent[node])
        listed.append((path, held))
    return sorted(listed)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", [*TABLES, "towns"])
def test_fold_leaves_of_both_ways_are_equal(name, weighted):
    # Few distinct values, so that a bin is a value: a threshold inside a bin divides its rows.
    X, y = towns() if name == "towns" else data(name)
    X = X if name == "towns" else np.round(X / X.std(axis=0).clip(1e-9), 1)
    rng = np.random.default_rng(4)
    weights = rng.integers(1, 4, len(y)).astype(float) if weighted else np.ones(len(y))
    sample = sample_of(X, y, weights)
    how = CrossFit(replace(PARAMS, max_leaves=40, branch_price=0.001), MANY, PRICES, None, True, 1)
    fold = (rng.permutation(len(y)) % 5).astype(np.int32)
    both = (cross_fitting.priced_leaves, cross_fitting.tree_leaves)
    for f, (fast, slow) in enumerate(zip(*(way(how, sample, fold) for way in both), strict=True)):
        assert fast.held_out.sum() == pytest.approx(weights[fold == f].sum())
        for (path, held), (other_path, other_held) in zip(
            records(fast), records(slow), strict=True
        ):
            np.testing.assert_allclose(path, other_path)
            np.testing.assert_allclose(held, other_held)


def test_cross_fit_returns_the_prior_for_few_rows_or_one_class():
    how = CrossFit(PARAMS, MANY, PRICES, None, True, 1)
    few = sample_of(np.arange(99.0)[:, np.newaxis], np.arange(99) % 2)
    assert cross_fit(how, few, None, 0) == Honesty()
    pure = sample_of(np.arange(140.0)[:, np.newaxis], np.zeros(140, dtype=int))
    assert cross_fit(how, pure, None, 0) == Honesty()


def test_cross_fit_depends_on_its_seed_alone():
    sample = sample_of(*towns())
    how = CrossFit(replace(PARAMS, max_leaves=40), MANY, PRICES, None, True, 1)
    found = [cross_fit(how, sample, None, seed) for seed in (None, None, 1, 1)]
    assert found[0] == found[1] != found[2] == found[3]


def test_cross_fit_of_many_rows_uses_a_sample(monkeypatch):
    sizes = []
    fitted_rows = cross_fitting.priced_leaves

    def counted(how, sample, fold):
        sizes.append(len(fold))
        return fitted_rows(how, sample, fold)

    monkeypatch.setattr(cross_fitting, "priced_leaves", counted)
    monkeypatch.setattr(cross_fitting, "MOST_ROWS", 100)
    sample = sample_of(*towns())
    cross_fit(
        CrossFit(replace(PARAMS, max_leaves=40), MANY, PRICES, None, True, 1), sample, None, 0
    )
    assert sizes == [100]


@pytest.mark.parametrize("honest", [True, False])
@pytest.mark.parametrize("class_weight", [None, "balanced"])
@pytest.mark.parametrize("scale", [1e-6, 1 / 569])
def test_weights_that_cannot_be_case_counts_are_relative(honest, class_weight, scale):
    X, y = load_breast_cancer(return_X_y=True)
    X = X[:, :20]  # so that no share is half-way between two percentages
    clf = TreeClassifier(8, honest=honest, class_weight=class_weight)
    plain = clone(clf).fit(X, y)
    scaled = clone(clf).fit(X, y, sample_weight=np.full(len(y), scale))
    assert scaled.to_text() == plain.to_text()
    np.testing.assert_allclose(scaled.predict_proba(X), plain.predict_proba(X), atol=1e-12)


def test_a_tree_of_limited_depth_is_wide():
    # With one question for a row, the budget of leaves is not what limits the tree.
    X, y = load_iris(return_X_y=True)
    stump = TreeClassifier(max_depth=1).fit(X, y)
    assert (stump.n_leaves_, stump.depth_) == (3, 1)
    assert stump.score(X, y) == 0.96
