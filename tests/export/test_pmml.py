"""PMML has the structure of its schema, and predicts like the model."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

from polytomy import BoostedTreeClassifier, ForestClassifier, TreeClassifier
from polytomy._errors import ParameterError, TreeError
from polytomy.export import to_pmml
from tests.export.awkward_tables import (
    TARGETS,
    chain,
    fitted_to,
    nasty_frame,
    plain_rows,
    random_labels,
    with_new_values,
)
from tests.export.ensembles import KINDS
from tests.export.own_split import own_model
from tests.export.pmml4s import evaluate, needs_pmml4s
from tests.export.random_models import predictions, random_models
from tests.naive.pmml import Document


def timeless(n=150, seed=3):
    return nasty_frame(n, seed).drop(columns=["day", "zoned"])


def results(model, rows):
    document = Document(to_pmml(model))
    return [document.evaluate(row) for row in rows]


@pytest.mark.parametrize("target", TARGETS)
def test_pmml_predicts_from_every_kind_of_column(target):
    frame = timeless()
    clf = fitted_to(target, frame, max_leaves=80)
    for rows in (frame, with_new_values(frame, clf)):
        found = results(clf._model, plain_rows(rows))
        assert [x for x, _ in found] == clf.predict(rows).tolist()
        if target == "classes":
            shares = [[s[c] for c in clf.classes_] for _, s in found]
            assert shares == clf.predict_proba(rows).tolist()


@settings(max_examples=12)
@given(random_models(or_numbers=True))
def test_pmml_predicts_like_random_trees(drawn):
    model, table, rows = drawn
    assert [x for x, _ in results(model, rows)] == predictions(model, table)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "mh"])
def test_pmml_predicts_like_the_ensemble(kind):
    estimator, classes, params = KINDS[kind]
    frame = timeless()
    y = np.arange(150.0) % 17 if classes is None else random_labels(150, classes)
    clf = estimator(**params).fit(frame, y)
    found = results(clf._model, plain_rows(frame))
    if classes is None:
        np.testing.assert_allclose([x for x, _ in found], clf.predict(frame), rtol=1e-12)
        return
    assert [x for x, _ in found] == clf.predict(frame).tolist()
    shares = [[s[c] for c in clf.classes_] for _, s in found]
    np.testing.assert_allclose(shares, clf.predict_proba(frame), rtol=1e-9)


def test_pmml_scorecard_gives_the_points_and_the_reasons():
    frame = timeless()
    clf = BoostedTreeClassifier(40, max_leaves=4, max_depth=1)
    clf.fit(frame, random_labels(150, ("no", "yes")))
    card = clf.scorecard(points_to_double_odds=200)
    document = Document(card.to_pmml())
    found = [document.evaluate(row) for row in plain_rows(frame)]
    assert [x for x, _ in found] == card.points(frame).tolist()
    assert all(loss >= 0 for _, losses in found for loss in losses.values())
    assert set(found[0][1]) == set(card.columns)


@needs_pmml4s
def test_pmml_predicts_in_another_engine():
    frame, expected, documents = timeless(), [], []
    fits = [fitted_to(target, frame, max_leaves=80) for target in TARGETS]
    tables = [with_new_values(frame, clf) for clf in fits]
    for estimator, classes, params in (KINDS[kind] for kind in KINDS if kind != "mh"):
        y = np.arange(150.0) % 17 if classes is None else random_labels(150, classes)
        fits.append(estimator(**params).fit(frame, y))
        tables.append(frame)
    for clf, rows in zip(fits, (table[::7] for table in tables), strict=True):
        documents.append((clf.to_pmml(), plain_rows(rows)))
        named = {"predicted_prediction": clf.predict(rows).tolist()}
        if hasattr(clf, "classes_"):
            shares = clf.predict_proba(rows).T.tolist()
            named |= {f"probability({c})": s for c, s in zip(clf.classes_, shares, strict=True)}
        expected.append(pd.DataFrame(named))
    card = BoostedTreeClassifier(40, max_leaves=4, max_depth=1)
    card = card.fit(frame, random_labels(150, ("no", "yes"))).scorecard(points_to_double_odds=200)
    documents.append((card.to_pmml(), plain_rows(frame[::7])))
    expected.append(pd.DataFrame({"score": card.points(frame[::7])}))
    for found, wanted in zip(evaluate(documents), expected, strict=True):
        same = pd.DataFrame(found)[wanted.columns]
        pd.testing.assert_frame_equal(same, wanted, check_dtype=False, rtol=1e-12)


@pytest.mark.parametrize("estimator", [BoostedTreeClassifier, ForestClassifier])
def test_pmml_of_an_ensemble_without_splits(estimator):
    X = pd.DataFrame({"day": pd.date_range("2026-01-01", periods=9), "x": 1.0, "y": 2.0})
    y = ["a", "b", "b"] * 3
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the first round is no better than guessing
        clf = estimator(3).fit(X[["x", "y"]].join(X[["day"]].assign(day=X["day"][0])), y)
    document = Document(clf.to_pmml())
    assert set(document.types) == {"x", "prediction"}
    assert document.evaluate({"x": 1.0})[0] == "b"


def test_pmml_result_has_a_name_of_its_own():
    frame = pd.DataFrame({"predicted_prediction": [1.0, 2.0] * 5})
    clf = TreeClassifier(procedure="per-leaf").fit(frame, ["a", "b"] * 5)
    assert '<OutputField name="predicted_prediction_"' in clf.to_pmml()


def test_pmml_nodes_have_as_many_children_as_the_tree():
    X = np.arange(40.0)[:, None]
    clf = TreeClassifier(procedure="per-leaf", max_leaves=8).fit(X, np.arange(40) // 5 % 4)
    document = Document(clf.to_pmml())
    root = next(c for c in document.model if c.tag.endswith("Node"))
    assert sum(c.tag.endswith("Node") for c in root) == clf.tree_.arity(0) > 2


@pytest.mark.parametrize("labels", [[0, 1, -7], [True, False], [0.0, 2.0]])
def test_pmml_classes_keep_their_type(labels):
    frame = timeless(60)
    clf = TreeClassifier().fit(frame, random_labels(60, np.array(labels)))
    document = Document(clf.to_pmml("answer"))
    kind = {int: "integer", bool: "boolean", float: "double"}[type(labels[0])]
    assert document.types["answer"] == kind
    found = [document.read("answer", document.evaluate(r)[0]) for r in plain_rows(frame)]
    assert found == clf.predict(frame).tolist()


def test_pmml_refuses_what_it_cannot_express():
    with pytest.raises(TreeError, match="user-defined split"):
        to_pmml(own_model())
    frame = nasty_frame(60)[["day"]]
    with pytest.raises(TreeError, match="holds times"):
        to_pmml(fitted_to("classes", frame)._model)
    with pytest.raises(TreeError, match="5000 deep"):
        to_pmml(chain(5000)[1])
    clf = TreeClassifier(procedure="per-leaf").fit(pd.DataFrame({"x": [1.0, 2.0]}), [0, 1])
    with pytest.raises(ParameterError, match="name of the column 'x'"):
        clf.to_pmml("x")
    for cells, message in ((["a", "b\1"], "XML cannot hold"), (["a", 1], "int and str values")):
        frame = pd.DataFrame({"c": pd.Series(cells * 3, dtype=object)})
        clf = TreeClassifier(procedure="per-leaf", categorical_features=[0]).fit(frame, [0, 1] * 3)
        with pytest.raises(TreeError, match=message):
            clf.to_pmml()
    three = BoostedTreeClassifier(3, algorithm="adaboost-mh").fit([[1], [2], [3]], [0, 1, 2])
    with pytest.raises(TreeError, match="adaboost-mh"):
        three.to_pmml()


def test_pmml_holds_hostile_names_and_classes():
    names = ["select", "<a>&'\"", "two\nlines\ttab", "é日🌳", "", " blank ", "x" * 300, "]]>"]
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(rng.integers(0, 2, (200, len(names))).astype(float), columns=names)
    clf = TreeClassifier(procedure="per-leaf", max_leaves=120)
    clf.fit(frame, random_labels(200, np.array(names)))
    found = results(clf._model, frame.to_dict("records"))
    assert [x for x, _ in found] == clf.predict(frame).tolist()
