"""Prunings that are chosen by floors on their sensitivity and specificity."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from polytomy import ModelFormatError, ParameterError, TreeClassifier, TreeRegressor, load
from polytomy.estimators.base.files import load_bytes, to_file_bytes
from polytomy.estimators.trees.sensitivity import selection_from_plain, selection_to_plain
from polytomy.format import Node
from polytomy.honesty import wilson


@pytest.fixture(scope="module")
def rows():
    X, y = load_breast_cancer(return_X_y=True)
    y = np.array(["sick", "well"])[y]
    return train_test_split(X, y, random_state=3, test_size=0.4, stratify=y)


def naive_choice(path, trees, X, y, floors):
    """Return the smallest tree with two labels that keeps the floors, by predicting every row."""
    for tree in trees:
        said = tree.predict(X) == "sick"
        rates = {
            "sensitivity": said[y == "sick"].mean(),
            "specificity": 1 - said[y != "sick"].mean(),
        }
        labels = {tree.tree_.label[v] for v in tree.tree_.leaves()}
        if len(labels) > 1 and all(rates[k] >= floor for k, floor in floors.items()):
            return tree, rates
    return None, None


@pytest.mark.parametrize("merge", [False, True])
@pytest.mark.parametrize(
    "floors",
    [
        {"sensitivity": 0.85},
        {"sensitivity": 0.9},
        {"specificity": 0.95},
        {"sensitivity": 0.8, "specificity": 0.9},
    ],
    ids=str,
)
@pytest.mark.parametrize("cost", [1, 3])
def test_select_takes_the_smallest_tree_that_keeps_the_floors(rows, merge, floors, cost):
    X, X_val, y, y_val = rows
    clf = TreeClassifier(None, procedure="per-leaf", cost_matrix={("sick", "well"): cost})
    path = clf.fit(X, y).pruning_path(X_val, y_val, merge=merge)
    trees = [path._exactly(i) if merge else path.at(k) for i, k in enumerate(path.sizes.tolist())]
    want, rates = naive_choice(path, trees, X_val, y_val, floors)
    if want is None:
        with pytest.raises(ParameterError, match="no tree on the path"):
            path.select(of="sick", **floors)
        return
    found = path.select(of="sick", **floors)
    assert found.tree_ == want.tree_
    assert str(path.select(of=np.str_("sick"), **floors).selection_).startswith("'sick': ")
    for rate in found.selection_.rates:
        assert rate.value == pytest.approx(rates[rate.name])
        cases = np.sum((y_val == "sick") == (rate.name == "sensitivity"))
        assert (rate.cases, rate.floor) == (cases, floors[rate.name])
        assert (rate.low, rate.high) == pytest.approx(wilson(rate.value, cases))
    assert "chosen on these rows" in str(found.selection_)


def test_select_counts_cases_whatever_the_weights_of_classes(rows):
    X, X_val, y, y_val = rows
    clf = TreeClassifier(None, procedure="per-leaf", class_weight={"sick": 3, "well": 0.5})
    found = clf.fit(X, y).pruning_path(X_val, y_val).select(sensitivity=0.8, of="sick")
    rate = found.selection_.rates[0]
    said = found.predict(X_val) == "sick"
    assert rate.cases == np.sum(y_val == "sick")
    assert rate.value == pytest.approx(said[y_val == "sick"].mean())


def test_select_says_what_the_best_tree_reaches(rows):
    X, X_val, y, y_val = rows
    path = TreeClassifier(4).fit(X, y).pruning_path(X_val, y_val)
    with pytest.raises(
        ParameterError, match=r"at least 0.999 for 'sick' .* has a sensitivity of 0"
    ):
        path.select(sensitivity=0.999, of="sick")


def test_select_warns_of_a_tree_with_one_label(rows):
    X, X_val, y, y_val = rows
    path = (
        TreeClassifier(4, cost_matrix={("sick", "well"): 50}).fit(X, y).pruning_path(X_val, y_val)
    )
    with pytest.warns(UserWarning, match="predicts one class for all rows .* of the others, the"):
        found = path.select(sensitivity=1.0, of="sick")
    assert (found.predict(X_val) == "sick").all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"sensitivity": 0.9}, "of must name the class"),
        ({"sensitivity": 0.9, "of": "ill"}, "of must be one of the classes"),
        ({"sensitivity": 0, "of": "sick"}, "above 0 and at most 1, got 0"),
        ({"sensitivity": 98, "of": "sick"}, "above 0 and at most 1, got 98"),
        ({"sensitivity": np.nan, "of": "sick"}, "above 0 and at most 1"),
        ({"specificity": True, "of": "sick"}, "specificity must be a number"),
        ({"how": "holdout", "sensitivity": 0.9, "of": "sick"}, "not both"),
        ({"how": "holdout", "of": "sick"}, "of is for a floor"),
        ({}, "or a floor such as sensitivity=0.98"),
    ],
)
@pytest.mark.parametrize("merge", [False, True])
def test_select_refuses_bad_floors(rows, merge, arguments, message):
    X, X_val, y, y_val = rows
    path = TreeClassifier(4).fit(X, y).pruning_path(X_val, y_val, merge=merge)
    with pytest.raises(ParameterError, match=message):
        path.select(**arguments)


def test_select_needs_held_out_rows_of_the_class(rows):
    X, X_val, y, y_val = rows
    clf = TreeClassifier(4).fit(X, y)
    with pytest.raises(ParameterError, match="needs a path with held-out rows"):
        clf.pruning_path().select(sensitivity=0.9, of="sick")
    well = y_val == "well"
    with pytest.raises(ParameterError, match="no row of class 'sick'"):
        clf.pruning_path(X_val[well], y_val[well]).select(sensitivity=0.9, of="sick")
    with pytest.raises(ParameterError, match="only rows of class 'well'"):
        clf.pruning_path(X_val[well], y_val[well]).select(specificity=0.9, of="well")
    numbers = TreeRegressor(4).fit(X[:, 1:], X[:, 0]).pruning_path(X_val[:, 1:], X_val[:, 0])
    with pytest.raises(ParameterError, match="needs a class target"):
        numbers.select(sensitivity=0.9, of="sick")


def test_selection_is_that_of_the_pruned_tree_only(rows):
    X, X_val, y, y_val = rows
    clf = TreeClassifier(4).fit(X, y)
    found = clf.pruning_path(X_val, y_val).select(sensitivity=0.5, of="sick")
    assert not hasattr(clf, "selection_")
    assert not hasattr(found.prune("chi-square"), "selection_")
    assert not hasattr(found.fit(X, y), "selection_")


def test_selection_is_kept_in_the_model_file(rows, tmp_path):
    X, X_val, y, y_val = rows
    path = TreeClassifier(6).fit(X, y).pruning_path(X_val, y_val)
    found = path.select(sensitivity=0.8, specificity=0.5, of="sick")
    found.save(tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert again.selection_ == found.selection_
    assert to_file_bytes(again) == to_file_bytes(found)
    assert not hasattr(load_bytes(to_file_bytes(TreeClassifier(6).fit(X, y))), "selection_")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"of": 2}, "selection.of: must be an integer from 0 to 1"),
        ({"rates": []}, "selection.rates: must have a rate"),
        ({"value": 0.7}, "value: must be at least the floor"),
        ({"floor": 0}, "floor: must be above 0"),
        ({"cases": -1}, "cases: must be above 0"),
        ({"name": "precision"}, "name: must be one of"),
    ],
    ids=str,
)
def test_load_refuses_a_selection_that_cannot_be(rows, change, message):
    X, X_val, y, y_val = rows
    found = (
        TreeClassifier(6).fit(X, y).pruning_path(X_val, y_val).select(sensitivity=0.8, of="sick")
    )
    plain = selection_to_plain(found.selection_, found.classes_)
    place = plain if change.keys() & plain.keys() else plain["rates"][0]
    place.update(change)
    with pytest.raises(ModelFormatError, match=message):
        selection_from_plain(Node(plain, "fitted.selection"), found.classes_, 6)
