"""``verify`` accepts trees that were found, and finds what was changed in them."""

from copy import copy
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from polytomy import TreeClassifier, TreeRegressor, verify
from polytomy.certify import replayed
from polytomy.certify.verify.check_tree import _is_halfway
from polytomy.encode import OrderedColumn
from polytomy.model import Origin
from polytomy.tree import TreeBuilder, contract
from tests.certify.tampering import found, mixed_table, with_entry, with_split
from tests.found_trees import FOREST, TAUGHT, with_origin


@cache
def case(name):
    """Return an estimator with an origin, and its training data."""
    frame, labels = mixed_table()
    weights = np.random.default_rng(2).exponential(size=len(labels)) if name == "weighted" else None
    if name in ("squared_error", "poisson"):
        y = labels + np.random.default_rng(3).integers(0, 50, len(labels)) / 20
        return with_origin(TreeRegressor(9, criterion=name).fit(frame, y)), frame, y, None
    balanced = "balanced" if name == "class weights" else None
    y = np.array(["no", "yes", "so", "else"])[labels]
    procedure = name if name in ("hatano", "per-leaf") else "priced"
    clf = TreeClassifier(9, procedure=procedure, class_weight=balanced, contract=name != "nested")
    return with_origin(clf.fit(frame, y, weights)), frame, y, weights


CASES = ("priced", "hatano", "nested", "weighted", "class weights", "squared_error", "poisson")
every_case = pytest.mark.parametrize("name", CASES)


def holding(fitted, **changes):
    """Return an estimator with a changed model; its certificate is issued again."""
    other = copy(fitted)
    other._model = replace(fitted._model, **changes)
    return other


@every_case
def test_verify_accepts_found_trees(name):
    report = verify(*case(name))
    assert report, str(report)
    assert any("The choice of the splits" in note for note in report.notes)
    names = [check.name for check in report.checks]
    assert not any("binary" in name or name[-5:] == "order" for name in names)


def renumbered(tree):
    """Return the same tree with the nodes numbered depth first, from the last branch."""
    builder = TreeBuilder(tree.counts[0], int(tree.rows[0]), tree.centre)
    waiting = [(0, 0)]
    while waiting:
        old, new = waiting.pop()
        if tree.is_leaf(old):
            continue
        children = tree.children(old)
        made = builder.split(new, tree.split(old), tree.counts[children], tree.rows[children])
        waiting += zip(children.tolist(), made, strict=True)
    return builder.finish()


@every_case
def test_verify_accepts_any_numbering_of_the_nodes(name):
    fitted, *rows = case(name)
    model = fitted._model
    for tree in (renumbered(model.grown), contract(model.grown)):
        run = replayed(tree, model.run.index, model.run.rules, model.run.weighting)
        assert verify(holding(fitted, grown=tree, run=run), *rows)


@every_case
def test_verify_finds_changed_counts_of_a_found_tree(name):
    fitted, *rows = case(name)
    tree = fitted._model.grown
    leaf = int(tree.leaves()[-1])
    counts = with_entry(tree.counts, (leaf, 0), tree.counts[leaf, 0] * 1.01 + 1)
    what = "moments" if tree.is_numeric else "class weights"
    found(verify(holding(fitted, grown=replace(tree, counts=counts)), *rows), f"the {what} are")


@every_case
def test_verify_finds_changed_thresholds_of_a_found_tree(name):
    fitted, *rows = case(name)
    tree = fitted._model.grown
    thresholds = tree.threshold.copy()
    at = int(np.flatnonzero(np.isfinite(thresholds))[0])
    beside = with_entry(thresholds, at, np.nextafter(thresholds[at], np.inf))
    other = holding(fitted, grown=replace(tree, threshold=beside))
    found(verify(other, *rows), "does not lie half-way between two training values")


@pytest.mark.parametrize("name", ["default_branch", "missing_branch"])
def test_verify_finds_another_branch_of_new_or_missing_values(name):
    fitted, *rows = case("priced")
    tree = fitted._model.grown
    branches = getattr(tree, name)
    node = int(np.flatnonzero(branches >= 0)[0])
    other = with_entry(branches, node, 1 - min(branches[node], 1))
    assert not verify(holding(fitted, grown=replace(tree, **{name: other})), *rows)


def test_verify_finds_leaves_of_a_found_tree_that_are_too_small():
    fitted, *rows = case("priced")
    run, tree = fitted._model.run, fitted._model.grown
    rules = replace(run.rules, min_samples_leaf=int(tree.rows[tree.leaves()].min()) + 1)
    changed = replace(run, rules=rules)
    found(verify(holding(fitted, run=changed), *rows), "a child has fewer than")
    rules = replace(run.rules, min_weight_fraction_leaf=0.49)
    changed = replace(run, rules=rules)
    found(verify(holding(fitted, run=changed), *rows), "is below min_weight_fraction_leaf")


def test_verify_says_that_figures_of_a_teacher_are_not_checked():
    notes = verify(*case("priced")).notes
    assert any("a model does not hold its teacher" in note for note in notes)


def test_verify_finds_another_column_in_a_found_tree():
    fitted, *rows = case("priced")
    tree = fitted._model.grown
    node = next(v for v in range(tree.n_nodes) if tree.kind[v] == 1)
    others = [j for j, c in enumerate(fitted._model.schema) if c.kind == "ordered"]
    feature = with_entry(tree.feature, node, next(j for j in others if j != tree.feature[node]))
    assert not verify(holding(fitted, grown=replace(tree, feature=feature)), *rows)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"gain": 1.0}, "gain is stated as 1"),
        ({"weight": 1.0}, "the leaf's impurity is stated as 1"),
        ({"price": 2.5}, "price is stated as 2.5"),
        ({"leaves_before": 7}, "leaves_before is stated as 7"),
        ({"best_binary_gain": 0.25}, "it states options of nodes [0], which are not known"),
    ],
)
@pytest.mark.parametrize("name", ["hatano", "squared_error"])
def test_verify_finds_changed_splits_of_a_found_tree(name, changes, sentence):
    fitted, *rows = case(name)
    run = with_split(fitted._model.run, 0, **changes)
    found(verify(holding(fitted, run=run), *rows), sentence)


def test_verify_finds_a_found_tree_that_is_too_large():
    fitted, *rows = case("hatano")
    run = fitted._model.run
    small = replace(run, rules=replace(run.rules, max_leaves=3))
    found(verify(holding(fitted, run=small), *rows), "leaves, but max_leaves is 3")


def test_verify_finds_a_found_tree_that_claims_to_be_grown():
    fitted, *rows = case("priced")
    run = replace(fitted._model.run, found=False)
    found(verify(holding(fitted, run=run), *rows), "it has an origin, but the record is that of a")
    found(verify(holding(fitted, run=run, origin=None), *rows), "best_binary_gain is None")


def test_verify_finds_a_missing_origin():
    fitted, *rows = case("priced")
    found(verify(holding(fitted, origin=None), *rows), "its origin is missing")


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("fidelity", 1.2, "fidelity must be a number of at most 1"),
        ("fidelity", -0.5, "fidelity must be a share from 0 to 1"),
        ("error", 1.5, "error must be a share from 0 to 1"),
        ("mix", -1.0, "mix must be a number from 0 to 1"),
    ],
)
def test_verify_finds_impossible_figures_of_a_teacher(field, value, sentence):
    fitted, *rows = case("priced")
    lesson = replace(FOREST)
    object.__setattr__(lesson, field, value)
    found(verify(holding(fitted, origin=replace(TAUGHT, lesson=lesson)), *rows), sentence)


def test_verify_finds_a_changed_certificate_of_a_found_tree():
    fitted, *rows = case("hatano")
    for changes, sentence in (
        ({"covered": True}, "covered is True, but the tree was found in another way"),
        ({"weak_gamma": 0.2}, "weak_gamma is stated as 0.2"),
        ({"bound": 0.01}, "bound is stated as 0.01"),
        ({"theorem": "Hatano's Theorem 3"}, "the theorem should be by any"),
        ({"why_not": "Just so."}, "why_not does not mention by this procedure"),
    ):
        other = holding(fitted)
        other._model.__dict__["certificate"] = replace(fitted.certificate_, **changes)
        found(verify(other, *rows), sentence)


def test_verify_finds_other_rows_than_those_of_a_found_tree():
    fitted, frame, y, _ = case("priced")
    found(verify(fitted, frame, np.roll(y, 1)), "class weights are")


def test_thresholds_lie_halfway_between_any_two_values():
    column = OrderedColumn("x", np.array([0.0, 2.0, 7.0]), np.array([1.0, 3.0, 7.0]), False)
    halfway = {column.threshold(a, b) for a in range(3) for b in range(a + 1, 3)}
    assert halfway == {1.5, 4.0, 5.0}
    grid = np.arange(-1, 9, 0.25).tolist()
    assert {cut for cut in grid if _is_halfway(column, cut)} == halfway


def test_verify_accepts_search_alone():
    fitted, *rows = case("priced")
    assert verify(holding(fitted, origin=Origin(search=(3, 1))), *rows)
