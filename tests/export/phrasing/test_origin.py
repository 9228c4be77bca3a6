"""Text, rules, JSON, notebooks and figures state the origin of trees that were found."""

from dataclasses import replace
from html import unescape
from json import loads
from math import nan

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes

from polytomy import DensityTree, TreeClassifier, TreeRegressor, verify
from polytomy.export import describe_origin, shares_note
from polytomy.model import Origin
from polytomy.prune import ErrorBudget
from tests.found_trees import BOOSTED, FOREST, with_origin

X, y = load_breast_cancer(return_X_y=True)
NUMBERS = load_diabetes(return_X_y=True)
TEACHER = "Grown with a teacher: forest of 200 trees, out-of-bag error 4.1%"


@pytest.fixture(scope="module")
def clf():
    return with_origin(TreeClassifier(8).fit(X, y))


@pytest.fixture(scope="module")
def reg():
    return with_origin(TreeRegressor(8).fit(*NUMBERS))


def words(text):
    """Return text without its line breaks."""
    return " ".join(unescape(text).split())


def test_grown_trees_have_no_origin():
    grown = TreeClassifier(4, teacher=False).fit(X, y)
    assert describe_origin(grown._model) == []
    assert describe_origin(DensityTree(4).fit(X[:, :2])._model) == []
    assert "origin" not in loads(grown.to_json())
    assert grown.to_rules().origin == ()


def test_a_tree_with_a_quick_teacher_has_no_origin_but_says_so():
    taught = TreeClassifier(4).fit(X, y)
    assert taught.origin_ is None
    (sentence,) = describe_origin(taught._model)
    assert "forest helped to choose the splits" in sentence
    assert sentence in words(taught.to_text())
    assert "forest helped to choose the splits" not in words(taught.prune(ErrorBudget(2)).to_text())


def test_expected_error_is_that_of_the_honest_shares(clf):
    model = clf._model
    leaf, total, wrong = clf.apply(X), 0.0, 0.0
    for node in np.unique(leaf).tolist():
        share = clf.predict_proba(X[leaf == node])[0].max()
        total += np.sum(leaf == node)
        wrong += np.sum(leaf == node) * (1 - share)
    assert model.expected_error == pytest.approx(wrong / total)
    assert model.training_error == pytest.approx(np.mean(clf.predict(X) != y))
    assert model.expected_error > model.training_error


def test_expected_error_does_not_weigh_classes():
    clf = TreeClassifier(8, class_weight={0: 5.0, 1: 1.0}).fit(X, y)
    assert clf._model.training_error == pytest.approx(np.mean(clf.predict(X) != y))


def test_expected_error_weighs_rows():
    weights = np.random.default_rng(0).exponential(size=len(y))
    clf = TreeClassifier(8).fit(X, y, weights)
    assert clf._model.training_error == pytest.approx(1 - clf.score(X, y, weights))


def test_expected_error_of_numbers_is_that_of_held_out_rows(reg):
    model = reg._model
    assert model.expected_error == model.honesty.observed
    plain = TreeRegressor(8, honest=False).fit(*NUMBERS)
    error = np.mean((plain.predict(NUMBERS[0]) - NUMBERS[1]) ** 2)
    assert plain._model.training_error == pytest.approx(error)
    assert plain._model.expected_error is None
    poisson = TreeRegressor(8, criterion="poisson").fit(*NUMBERS)
    assert poisson._model.expected_error is None


def test_expected_shares_were_learned_from_other_trees(clf, reg):
    for fitted in (clf, reg):
        note = shares_note(fitted._model)
        assert "5-fold cross-fitting of trees grown greedily on the labels, on" in note


def test_errors_of_tree_and_teacher_are_compared(clf, reg):
    model = clf._model
    expected, training = f"{model.expected_error:.1%}", f"{model.training_error:.1%}"
    assert describe_origin(model)[-2] == (
        f"The teacher errs on 4.1% of the rows, this tree on {expected} (expected of new rows; "
        f"{training} of the training rows)."
    )
    numbers = reg._model
    expected, training = f"{numbers.expected_error:.4g}", f"{numbers.training_error:.4g}"
    assert describe_origin(numbers)[-2] == (
        f"The mean squared error of the teacher is 3211, that of this tree {training} (of the "
        f"training rows; {expected} of held-out rows in trees grown greedily on the labels)."
    )
    unlearned = replace(model, honesty=None)
    assert describe_origin(unlearned)[-2] == (
        f"The teacher errs on 4.1% of the rows, this tree on {unlearned.training_error:.1%} (of "
        "the training rows)."
    )
    searched = replace(model, origin=Origin(search=(6, 2)))
    assert describe_origin(searched) == [
        "Found by search: 6 candidates at the root and fewer below, 2 levels deep."
    ]


def test_every_reader_states_the_origin(clf):
    told = " ".join(describe_origin(clf._model))
    assert told.startswith(TEACHER)
    assert told in words(clf.to_text())
    assert told in words(clf.to_text(max_width=40))
    assert told in words(str(clf.to_rules()))
    assert TEACHER in words(str(clf.certificate_))
    for sentence in describe_origin(clf._model):
        assert sentence in words(clf._repr_html_())


def test_text_of_training_shares_states_the_origin():
    clf = with_origin(TreeClassifier(3, honest=False).fit(X, y), Origin(polishing=1))
    lines = clf.to_text().splitlines()
    assert lines[-1] == "Polished: 1 pass changed splits of the finished tree."
    assert len(lines) == clf.tree_.n_nodes + 1


def test_rules_are_still_one_for_each_leaf(clf):
    rules = clf.to_rules()
    assert len(rules) == clf.n_leaves_ == len(rules.to_dict()["leaf"])
    assert str(rules).splitlines() == [*map(str, rules), *describe_origin(clf._model)]


@pytest.mark.parametrize("nested", [True, False])
def test_json_states_the_origin(clf, nested):
    origin = loads(clf.to_json(nested=nested))["origin"]
    assert origin["lesson"]["name"] == FOREST.name
    assert origin["lesson"]["fidelity"] == FOREST.fidelity
    assert (origin["search"], origin["polishing"]) == ([6, 2], 2)
    assert origin["expected_error"] == clf._model.expected_error
    assert origin["training_error"] == clf._model.training_error
    assert origin["text"] == describe_origin(clf._model)


def test_json_of_an_unknown_fidelity_is_null(reg):
    model = replace(reg._model, origin=Origin(replace(BOOSTED, fidelity=nan)))
    other = with_origin(reg, model.origin)
    assert loads(other.to_json())["origin"]["lesson"]["fidelity"] is None


def test_figure_of_growth_does_not_speak_of_a_procedure(clf):
    ax = clf.plot_growth()
    assert ax.get_title() == "Splits of the tree, one by one: not covered by a theorem"
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert "bound on I(T)" in labels


def test_found_trees_can_be_pruned(clf):
    pruned = clf.prune(ErrorBudget(select=4))
    assert pruned.n_leaves_ < clf.n_leaves_
    assert "pruned to 4 leaves" in str(pruned.certificate_)
    assert verify(pruned, X, y)
    assert TEACHER in words(pruned.to_text())
