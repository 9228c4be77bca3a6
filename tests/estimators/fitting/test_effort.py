"""Effort, search and polishing: what they change, what they cost, and what they refuse."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer

from polytomy import (
    ForestClassifier,
    ModelFormatError,
    ParameterError,
    Teacher,
    TreeClassifier,
    TreeRegressor,
    load,
    verify,
)
from polytomy.certify import overgrown
from polytomy.encode import Target, encode
from polytomy.estimators.fitting import refining
from polytomy.estimators.fitting.effort import EFFORTS, means_of, price_at
from polytomy.estimators.fitting.plan import plan_growth
from polytomy.grow import GrowParams
from polytomy.model import priced_name
from polytomy.priced import Sample, search_priced
from polytomy.table import Table
from polytomy.theory import questions, tree_cost
from polytomy.tree import contract
from tests.estimators.fitting.test_teacher import COUNTS, FRAME, LABELS, NUMBERS, PROCEDURES, SMALL
from tests.grow.test_own_family import Signs, xor


def exclusive_or(n_rows=200):
    """Return rows whose class no single split of the root helps to find."""
    X = np.random.default_rng(0).integers(0, 4, (n_rows, 3)).astype(float)
    return X, (X[:, 0] >= 2) != (X[:, 1] >= 2)


def fitted(X, y, cls=TreeClassifier, **params):
    """Fit a small tree and verify it."""
    tree = cls(**{"max_leaves": 6, "random_state": 0, **params}).fit(X, y)
    report = verify(tree, X, y)
    assert report.ok, report.findings
    return tree


# ---- the default: searched and polished, at a price that depends on the budget


@pytest.mark.parametrize(
    ("max_leaves", "price"), [(2, 0.1425), (8, 0.1425), (16, 0.08625), (32, 0.058125), ("cv", 0.08)]
)
def test_the_price_of_a_question_depends_on_the_budget(max_leaves, price):
    assert means_of(TreeClassifier(max_leaves)).question_price == pytest.approx(price)
    assert means_of(TreeClassifier(max_leaves, question_price=0.08)).question_price == 0.08
    assert means_of(TreeRegressor(max_leaves)).question_price == 0.08


def three_columns(n_rows=600):
    """Return rows for which the first split is better at another threshold once others follow."""
    rng = np.random.default_rng(5)
    X = rng.integers(0, 12, (n_rows, 3)).astype(float)
    y = np.where(X[:, 0] > 5, X[:, 1] > 3, X[:, 2] > 7) ^ (rng.random(n_rows) < 0.05)
    return X, y


def test_the_default_tree_is_refined_and_keeps_its_certificate(tmp_path):
    found = set()
    for seed in range(8):
        X, y = three_columns(300 + 40 * seed)
        tree = TreeClassifier(8).fit(X, y)
        pruning, certificate = tree._model.pruning, tree.certificate_
        assert certificate.training_error <= certificate.kept_error_bound
        assert tree.origin_ is None
        report = verify(tree, X, y)
        assert report.ok, report.findings
        tree.save(tmp_path / "tree.json")
        assert load(tmp_path / "tree.json").to_text() == tree.to_text()
        order = np.random.default_rng(seed).permutation(len(y))
        other = TreeClassifier(8, honest=False).fit(X[order], y[order])
        assert other.tree_ == tree.tree_  # the order of the rows does not matter
        if pruning.is_refined:
            found.add(pruning.by)
            how = "small forest had softened" if pruning.is_taught else "then found a cheaper one"
            assert how in " ".join(str(certificate).split())
    assert found


def test_the_default_tree_finds_what_greedy_growth_misses():
    rng = np.random.default_rng(3)
    X = rng.integers(0, 2, (600, 4)).astype(float)
    y = (X[:, 0] != X[:, 1]).astype(int)
    X[:, 2] = np.where(rng.random(600) < 0.4, y, X[:, 2])  # tempts the first split
    found, greedy = TreeClassifier(4).fit(X, y), TreeClassifier(4, search=0).fit(X, y)
    assert found.score(X, y) == 1.0
    assert set(found.tree_.feature.tolist()) == {-1, 0, 1}
    assert greedy.tree_.feature[0] == 2
    assert found._model.pruning.by == "two prices, taught and searched"
    assert found._model.grown == greedy._model.grown
    assert verify(found, X, y).ok


@pytest.mark.parametrize(
    "params",
    [
        {"monotonic_cst": [1, 0, 0]},
        {"column_cost": {"x0": 0.01}},
        {"min_child_share": 0.02},
        {"families": ("intervals",)},
        {"min_samples_split": 10},
        {"min_gain": 0.001},
        {"max_leaves": "cv"},
    ],
)
def test_trees_with_rules_that_polishing_does_not_know_are_not_refined(params):
    X, y = three_columns()
    frame = pd.DataFrame(X, columns=["x0", "x1", "x2"])
    tree = TreeClassifier(**{"max_leaves": 8, **params}).fit(frame, y)
    assert not tree._model.pruning.is_refined


def test_large_tables_and_numbers_are_not_refined(monkeypatch):
    X, y = three_columns()
    monkeypatch.setattr(refining, "MOST_REFINED", 599)
    assert not TreeClassifier(8).fit(X, y)._model.pruning.is_refined
    assert not TreeRegressor(8).fit(X, y.astype(float))._model.pruning.is_refined


def test_small_tables_are_refined_if_they_have_six_columns(monkeypatch):
    asked = []

    def searched(*args, **keywords):
        asked.append(args[0].target.n_rows)
        return search_priced(*args, **keywords)

    monkeypatch.setattr(refining, "search_priced", searched)
    X, y = three_columns(200)
    clf = TreeClassifier(8, teacher=False)
    clf.fit(X, y)
    clf.fit(X[:199], y[:199])
    assert asked == [200]
    wide = np.column_stack([X, X[:, ::-1]])
    clf.fit(wide[:199], y[:199])
    clf.fit(wide[:3], y[:3])
    clf.fit(wide[:199, :5], y[:199])
    assert asked == [200, 199, 3]


def checkered(seed, n_rows=300):
    """Return rows whose class no single split helps to find, with a column that knows a little."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, rng.choice([2, 4, 8]), (n_rows, 4)).astype(float)
    y = (X[:, 0] > X[:, 0].mean()) ^ (X[:, 1] > X[:, 1].mean())
    X[:, 2] = np.where(rng.random(n_rows) < 0.35, y, X[:, 2])
    return X, y


def test_a_searched_tree_with_more_leaves_than_the_run_is_saved_and_loaded(tmp_path):
    larger = 0
    for seed in range(8):
        X, y = checkered(seed)
        tree = TreeClassifier(8, max_depth=2).fit(X, y)
        tree.save(tmp_path / "tree.json")
        again = load(tmp_path / "tree.json")
        assert again.to_text() == tree.to_text()
        larger += tree._model.kept.n_leaves > tree._model.grown.n_leaves
    assert larger


def test_a_file_cannot_have_more_leaves_than_the_budget(tmp_path):
    X, y = checkered(1)
    tree = TreeClassifier(8, max_depth=2).fit(X, y)
    kept = replace(tree._model.pruning, overgrown=tree.n_leaves_ - 1)
    tree._model = replace(tree._model, pruning=kept)
    tree.save(tmp_path / "tree.json")
    with pytest.raises(ModelFormatError, match="more than"):
        load(tmp_path / "tree.json")


def test_verify_finds_another_way_in_which_a_tree_was_found():
    X, y = checkered(1)
    tree = TreeClassifier(8, max_depth=2).fit(X, y)
    pruning = tree._model.pruning
    assert pruning.by == priced_name(is_taught=True, is_searched=True)
    renamed = replace(pruning, by=priced_name(is_polished=True))
    tree._model = replace(tree._model, pruning=renamed)
    report = verify(tree, X, y)
    assert [finding.where for finding in report.findings] == ["pruning"]


def test_the_time_limit_ends_the_search_of_the_default():
    X, y = checkered(1)
    limited, free = (TreeClassifier(8, time_limit=t).fit(X, y)._model.pruning for t in (0, None))
    assert "searched" in free.by
    assert "searched" not in limited.by


def test_only_the_default_effort_has_a_quick_search():
    X, y = checkered(1)
    tree = TreeClassifier(8, effort="balanced", teacher=False).fit(X, y)
    assert tree.origin_ is not None or "searched" not in tree._model.pruning.by


@pytest.mark.parametrize("honest", [True, False])
def test_verify_finds_changed_splits_of_a_refined_tree(tmp_path, honest):
    found = 0
    for n_rows in (300, 420, 540):
        X, y = three_columns(n_rows)
        tree = TreeClassifier(8, honest=honest).fit(X, y)
        pruning = tree._model.pruning
        if not pruning.is_refined:
            continue
        found += 1
        moved = replace(pruning.tree, threshold=pruning.tree.threshold + 0.45)  # no row moves
        tree._model = replace(tree._model, pruning=replace(pruning, tree=moved))
        tree.save(tmp_path / "tree.json")
        report = verify(load(tmp_path / "tree.json"), X, y)
        assert [finding.where for finding in report.findings] == ["tree"]
    assert found


def test_a_file_cannot_call_a_tree_refined_that_has_no_prices():
    X, y = three_columns()
    pruning = TreeClassifier(8).fit(X, y)._model.pruning
    refined = priced_name(is_polished=True)
    assert not replace(pruning, by=refined, prices=None).is_refined


# ---- the quick teacher of the default


def noisy_sum(n_rows=400, seed=0):
    """Return rows whose class depends on the sum of several columns, and on chance."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 8))
    return X, X[:, :5].sum(axis=1) + rng.normal(size=n_rows) > 0


def test_a_quick_teacher_lowers_the_error_where_labels_are_noisy():
    X, y = noisy_sum(3000)
    errors = {None: [], False: []}
    for part in range(6):
        rows = slice(400 * part, 400 * part + 400)
        for teacher, found in errors.items():
            tree = TreeClassifier(16, teacher=teacher, honest=False).fit(X[rows], y[rows])
            assert tree._model.pruning.is_taught == (teacher is None)
            found.append(1 - tree.score(X[2400:], y[2400:]))
    assert np.mean(errors[None]) < np.mean(errors[False]) - 0.01


def test_a_taught_tree_has_a_certificate_and_says_so(tmp_path):
    costlier = 0
    for seed in range(6):
        X, y = noisy_sum(300, seed)
        tree = TreeClassifier(16).fit(X, y)
        certificate, model = tree.certificate_, tree._model
        assert model.pruning.is_taught
        assert certificate.training_error <= certificate.kept_error_bound
        report = verify(tree, X, y)
        assert report.ok, report.findings
        assert "A small forest helped to choose the splits" in " ".join(tree.to_text().split())
        tree.save(tmp_path / "tree.json")
        assert load(tmp_path / "tree.json").to_text() == tree.to_text()
        pruned, index, prices = certificate.pruned, certificate.run.index, model.pruning.prices
        own = contract(overgrown(model.run, model.grown, 16)[1])
        costs = [tree_cost(t, index, prices) for t in (model.kept, own)]
        losses = [c - price_paid(t, prices) for c, t in zip(costs, (model.kept, own), strict=True)]
        least = losses[0] - losses[1]
        if costs[0] > costs[1]:
            costlier += 1
            assert pruned.allowance * 300 == pytest.approx(least)
        else:
            assert pruned.allowance * 300 > least
    assert 0 < costlier < 6


def price_paid(tree, prices):
    """Return what the leaves and questions of a tree cost."""
    return prices.leaf * tree.n_leaves + prices.question * questions(tree)


def test_verify_finds_a_wrong_allowance():
    X, y = noisy_sum()
    tree = TreeClassifier(16).fit(X, y)
    certificate = tree.certificate_
    allowance = certificate.pruned.allowance
    for wrong in (allowance - 0.01, allowance + 0.01):
        tree._model.__dict__["certificate"] = replace(
            certificate, pruned=replace(certificate.pruned, allowance=wrong)
        )
        assert "certificate" in {finding.where for finding in verify(tree, X, y).findings}


@pytest.mark.parametrize(
    "params",
    [
        {"teacher": False},
        {"search": 1},
        {"never_ask": ["x7"]},
        {"effort": "balanced", "teacher": False},
    ],
)
def test_there_is_no_quick_teacher_if_another_choice_excludes_it(params):
    X, y = noisy_sum()
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(8)])
    pruning = TreeClassifier(8, **params).fit(frame, y)._model.pruning
    assert pruning is None or not pruning.is_taught


def test_there_is_no_quick_teacher_if_mistakes_have_costs():
    X, _ = noisy_sum()
    y = np.digitize(X[:, 0] + X[:, 1], [-1, 1])
    costs = [[0, 1, 5], [1, 0, 1], [5, 2, 0]]
    assert TreeClassifier(8).fit(X, y)._model.pruning.is_taught
    assert not TreeClassifier(8, cost_matrix=costs).fit(X, y)._model.pruning.is_taught


def test_a_forest_that_knows_no_more_than_a_tree_does_not_teach():
    X = np.random.default_rng(0).integers(0, 4, (400, 3)).astype(float)
    tree = TreeClassifier(8).fit(X, X[:, 0] > 1)
    assert not tree._model.pruning.is_taught
    assert tree.score(X, X[:, 0] > 1) == 1.0


def test_a_taught_tree_does_not_depend_on_row_order_seed_threads_or_repeated_rows():
    X, y = noisy_sum(300)
    X = np.round(X, 1)
    times = np.random.default_rng(1).integers(1, 4, 300)
    tree = TreeClassifier(8, n_jobs=1, honest=False).fit(X, y, times)
    assert tree._model.pruning.is_taught
    rows = np.random.default_rng(2).permutation(np.repeat(np.arange(300), times))
    other = TreeClassifier(8, n_jobs=2, random_state=5, honest=False).fit(X[rows], y[rows])
    np.testing.assert_array_equal(other.tree_.counts, tree.tree_.counts)
    np.testing.assert_array_equal(other.tree_.threshold, tree.tree_.threshold)


@pytest.mark.parametrize("weight", [3.0, 1e17, 2.0**62, 1e19])
def test_large_equal_weights_do_not_overflow(weight):
    X, y = noisy_sum(300)
    weighted = TreeClassifier(8, honest=False).fit(X, y, np.full(300, weight))
    assert weighted.n_leaves_ > 1
    assert verify(weighted, X, y, np.full(300, weight)).ok
    assert ForestClassifier(3).fit(X, y, np.full(300, weight)).score(X, y) > 0.6


def test_a_tree_of_one_leaf_has_no_quick_teacher():
    X, y = noisy_sum()
    tree = TreeClassifier(1).fit(X, y)
    assert not tree._model.pruning.is_refined
    assert "forest" not in tree.to_text()


def test_a_callback_that_stops_the_run_leaves_the_teacher_out():
    X, y = noisy_sum()
    table, plan = Table.of(X), plan_growth(TreeClassifier(8))
    sample, params = (
        Sample(encode(table), Target.of(y.astype(int)), table),
        GrowParams(procedure="priced"),
    )
    growth, pruning = refining.refined(sample, params, plan, 1, lambda step: True)
    assert growth.stopped
    assert not pruning.is_refined
    growth, pruning = refining.refined(sample, params, plan, 1)
    assert pruning.is_taught


# ---- what effort sets


def test_every_effort_sets_teacher_search_polishing_and_price():
    for name, effort in EFFORTS.items():
        means = means_of(TreeClassifier(effort=name))
        assert means.polish == effort.polish
        assert means.search == effort.search
        assert (means.teacher is None) == (effort.teacher is None)
        price = price_at(32) if name == "fast" else effort.question_price
        assert means.question_price == pytest.approx(price)
        assert means.is_plain == (name == "fast")
        assert means_of(TreeClassifier(effort=name, question_price=0.3)).question_price == 0.3


@pytest.mark.parametrize(
    ("params", "plain", "searched"),
    [
        ({}, 2.0, 1.0),
        ({"search": 0}, 2.0, 2.0),
        ({"effort": "thorough"}, 2.0, 2.0),
        ({"branch_price": 3}, 3.0, 3.0),
        ({"max_leaves": 9, "branch_price": 0}, 0.0, 0.0),
    ],
)
def test_a_branch_costs_half_as_much_where_the_default_searches(params, plain, searched):
    plan = plan_growth(TreeClassifier(**params))
    assert (plan.two_prices.branch, plan.searched_prices.branch) == (plain, searched)


def test_parameters_overrule_effort():
    means = means_of(TreeClassifier(effort="thorough", teacher=False, search=0))
    assert (means.teacher, means.search.widths, means.polish) == (None, (), True)
    means = means_of(TreeClassifier(teacher="forest", search=(4, 1)))
    assert (means.teacher, means.search.widths, means.polish) == (Teacher(), (4,), True)


@pytest.mark.parametrize("cls", [TreeClassifier, TreeRegressor])
@pytest.mark.parametrize("effort", ["fast", "balanced", "thorough"])
def test_every_effort_keeps_the_budget_and_verifies(cls, effort):
    y = LABELS if cls is TreeClassifier else COUNTS
    teacher = None if effort == "fast" else SMALL
    tree = fitted(FRAME, y, cls, effort=effort, teacher=teacher)
    assert 1 < tree.n_leaves_ <= 6
    assert (tree.origin_ is None) == (effort == "fast")


def test_fast_is_the_plain_tree():
    plain = TreeClassifier(max_leaves=6, random_state=0).fit(FRAME, LABELS)
    assert (
        fitted(FRAME, LABELS, effort="fast", teacher=False, search=0).to_text() == plain.to_text()
    )
    assert plain.origin_ is None


def test_polishing_that_changes_nothing_leaves_the_grown_tree_with_its_certificate():
    X, y = NUMBERS, NUMBERS[:, 0] > 0
    plain, polished = (fitted(X, y, effort=e, teacher=False) for e in ("fast", "balanced"))
    assert polished.origin_ is None
    assert polished.certificate_.bound == plain.certificate_.bound
    assert polished.certificate_.why_not is None
    assert polished.to_text() == plain.to_text()


def test_effort_without_prices_has_only_its_teacher():
    for params in ({"procedure": "hatano"}, {"pruner": "pessimistic"}):
        clf = fitted(FRAME, LABELS, effort="thorough", teacher=SMALL, **params)
        assert clf.origin_.lesson is not None
        assert (clf.origin_.search, clf.origin_.polishing) == (None, 0)


def test_effort_without_prices_and_teacher_is_plain():
    clf = fitted(FRAME, LABELS, effort="thorough", teacher=False, procedure="hatano")
    assert clf.to_text() == fitted(FRAME, LABELS, procedure="hatano").to_text()
    assert clf.origin_ is None


def test_effort_finds_better_trees_of_the_same_size():
    X, y = load_breast_cancer(return_X_y=True)
    errors = {}
    for effort in ("fast", "thorough"):
        teacher = Teacher(n_estimators=40, synthetic_rows=2000) if effort == "thorough" else None
        clf = fitted(X[::2], y[::2], max_leaves=4, effort=effort, teacher=teacher, honest=False)
        errors[effort] = 1 - clf.score(X[1::2], y[1::2])
    assert errors["thorough"] < errors["fast"]


# ---- search


@pytest.mark.parametrize("search", [1, 2, (3, 2), (2, 3)])
@pytest.mark.parametrize("cls", [TreeClassifier, TreeRegressor])
def test_search_states_its_origin(cls, search):
    X, y = exclusive_or()
    tree = fitted(X, y.astype(int), cls, search=search, max_leaves=4)
    expected = {1: (6, 1), 2: (6, 2)}
    assert tree.origin_.search == expected.get(search, search)
    assert "chosen by search" in tree.certificate_.why_not


def test_a_searched_tree_that_saves_too_little_is_not_kept():
    plain, searched = (fitted(FRAME, LABELS, search=s, max_leaves=3) for s in (0, 2))
    assert searched.origin_ is None
    assert searched.to_text() == plain.to_text()


def test_search_finds_an_exclusive_or_with_fewer_leaves():
    X, y = exclusive_or()
    params = {"max_leaves": 4, "question_price": 0.0, "honest": False, "max_arity": 2}
    greedy, found = (fitted(X, y, search=s, **params) for s in (0, 2))
    assert found.score(X, y) == 1.0
    assert found.score(X, y) >= greedy.score(X, y)
    assert found.n_leaves_ == 4


@pytest.mark.parametrize("max_leaves", [1, 2, "cv"])
def test_search_of_small_and_chosen_sizes(max_leaves):
    clf = fitted(FRAME, LABELS, search=1, max_leaves=max_leaves)
    assert clf.n_leaves_ <= (max_leaves if isinstance(max_leaves, int) else 60)


@pytest.mark.parametrize(
    "params",
    [{"pruner": "pessimistic"}, {"max_leaves": None}, *PROCEDURES[1:]],
    ids=str,
)
def test_search_needs_two_prices(params):
    with pytest.raises(ParameterError, match="needs procedure='priced'"):
        TreeClassifier(**{"search": 1, **params}).fit(FRAME, LABELS)


@pytest.mark.parametrize("search", [3, -1, 1.5, True, "2", (0, 1), (2,), (2, 0), (1, 2, 3)])
def test_wrong_searches_are_refused(search):
    with pytest.raises(ParameterError, match=r"search|beam|depth"):
        TreeClassifier(search=search).fit(FRAME, LABELS)


@pytest.mark.parametrize("time_limit", [-1, "1 s", True, float("nan")])
def test_wrong_time_limits_are_refused(time_limit):
    with pytest.raises(ParameterError, match="time_limit must be a number of at least 0"):
        TreeClassifier(time_limit=time_limit).fit(FRAME, LABELS)


def test_a_search_without_time_still_gives_a_tree(tmp_path):
    clf = fitted(FRAME, LABELS, search=2, time_limit=0)
    assert 1 < clf.n_leaves_ <= 6
    clf.save(tmp_path / "model.json")
    assert load(tmp_path / "model.json").time_limit == 0


@pytest.mark.parametrize("effort", ["slow", None, 1, True, ("fast",)])
def test_wrong_efforts_are_refused(effort):
    with pytest.raises(ParameterError, match="effort must be one of 'fast', 'balanced'"):
        TreeClassifier(effort=effort).fit(FRAME, LABELS)


@pytest.mark.parametrize("params", [{"effort": "balanced"}, {"teacher": SMALL}, {"search": 1}])
def test_families_of_your_own_are_refused(params):
    X, y = xor()
    with pytest.raises(ParameterError, match="need built-in families"):
        TreeClassifier(families=("intervals", Signs()), **params).fit(X, y)
    TreeClassifier(families=("intervals", Signs())).fit(X, y)


def test_overgrowing_needs_prices():
    fitted(FRAME, LABELS, effort="balanced", teacher=SMALL, overgrow=4.0)
    with pytest.raises(ParameterError, match="needs procedure='priced'"):
        TreeClassifier(effort="balanced", procedure="per-leaf", overgrow=4.0).fit(FRAME, LABELS)


# ---- what is printed, and copies


def test_verbose_says_what_the_fit_will_cost(capsys):
    fitted(FRAME, LABELS, effort="thorough", teacher=SMALL, verbose=1)
    before, *middle, after = capsys.readouterr().out.splitlines()
    trees, teacher = middle[:4], middle[4]
    assert [line.split(":")[0] for line in trees] == [f"tree {n} of 10" for n in (1, 2, 5, 10)]
    candidates, search = middle[5:-1], middle[-1]
    assert all(line.startswith("candidate ") and "cost " in line for line in candidates)
    assert before.startswith("fitting with a forest of 10 trees as a teacher, a search of up to ")
    assert before.endswith(" s")
    assert teacher.startswith("teacher: forest of 10 trees, out-of-bag error 0.")
    assert search.startswith("search: ")
    assert "leaves" in after


@pytest.mark.parametrize("is_fitted", [True, False])
def test_verbose_says_how_often_a_teacher_is_fitted(is_fitted, capsys):
    model = TreeClassifier(3, honest=False)
    model = model.fit(FRAME, LABELS) if is_fitted else model
    fitted(FRAME, LABELS, teacher=Teacher(model, folds=4, synthetic_rows=9), verbose=1)
    expected = "that is fitted already" if is_fitted else "fitted 4 times"
    assert f"fitting with a teacher {expected}: about" in capsys.readouterr().out


def test_nothing_is_printed_by_default(capsys):
    fitted(FRAME, LABELS, effort="thorough", teacher=SMALL)
    assert capsys.readouterr().out == ""


def test_clones_have_the_same_parameters_and_no_tree():
    clf = fitted(FRAME, LABELS, effort="balanced", teacher=SMALL, search=(2, 1))
    copy = clone(clf)
    assert not hasattr(copy, "_model")
    for name in ("effort", "teacher", "search"):
        assert getattr(copy, name) == getattr(clf, name)
    assert copy.fit(FRAME, LABELS).to_text() == clf.to_text()


def test_text_and_page_say_where_the_tree_comes_from(tmp_path):
    X, y = exclusive_or()
    for params, sentence in (
        ({"teacher": SMALL}, "forest of 10 trees"),
        ({"search": 2, "max_leaves": 4}, "Found by search"),
    ):
        clf = fitted(X, y, **params)
        clf.report(tmp_path / "page.html", X, y)
        for text in (clf.to_text(), (tmp_path / "page.html").read_text(encoding="utf-8")):
            assert sentence in text
