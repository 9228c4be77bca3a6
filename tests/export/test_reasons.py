"""Explanations and reason codes of boosted models, forests and trees."""

import numpy as np
import pandas as pd
import pytest

from polytomy import (
    BoostedTreeClassifier,
    ForestClassifier,
    ForestRegressor,
    TreeClassifier,
    TreeRegressor,
)
from polytomy._errors import ParameterError, TableError
from tests.export.ensembles import KINDS, fitted_ensemble


@pytest.mark.parametrize("kind", KINDS)
def test_explanation_adds_up_to_the_prediction(kind):
    clf, frame = fitted_ensemble(kind)
    for i in range(5):
        row = frame.iloc[[i]]
        told = clf.explain(row)
        predicted = clf.predict(row)[0]
        if kind == "numbers":
            expected = predicted
        else:
            number = clf.classes_.tolist().index(predicted)
            scores = clf.predict_proba(row) if kind == "forest" else clf.decision_function(row)
            expected = np.ravel(scores)[number if scores.size > 1 else 0]
        assert told.total == pytest.approx(expected, rel=1e-9, abs=1e-9)
        amounts = [abs(c.amount) for c in told.contributions]
        assert amounts == sorted(amounts, reverse=True)
        lines = str(told).splitlines()
        assert len(lines) == len(amounts) + 3
        assert lines[-1].startswith("=> ")
        if kind != "numbers":
            assert lines[-1].startswith(f"=> {predicted} ")


def test_explanation_of_stumps_states_the_scores_of_the_table():
    clf = BoostedTreeClassifier(20, max_leaves=2).fit(*_table())
    told = clf.explain({"a": 0.5, "b": -2.0})
    assert told.exact
    rules = clf.to_rules()
    scores = {round(rule.scores[0], 9) for rule in rules}
    assert {round(c.amount, 9) for c in told.contributions} <= scores
    with pytest.raises(TableError, match="one row"):
        clf.explain(_table()[0].head(2))


def _table(n=300, classes=("no", "yes")):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(n, 2)), columns=["a", "b"])
    total = frame["a"] - 2 * frame["b"] + rng.normal(size=n) / 4
    return frame, np.array(classes)[(total > 0).astype(int)]


@pytest.mark.parametrize("toward", ["no", "yes"])
@pytest.mark.parametrize("reference", ["rows", "best", None])
def test_reason_codes_of_stumps_are_differences_of_scores(toward, reference):
    frame, labels = _table()
    clf = BoostedTreeClassifier(20, max_leaves=2).fit(frame, labels)
    merged = clf.ensemble_.additive
    sign = 1 if toward == "yes" else -1
    scores = {}
    for f in merged.functions:
        cells = frame.iloc[:, f.feature].to_numpy()
        scores[f.feature] = sign * f.scores[np.searchsorted(f.thresholds, cells), 0]
    found = clf.reason_codes(
        frame,
        toward=toward,
        reference=frame.head(50) if reference == "rows" else reference,
    )
    least = {f.feature: (sign * f.scores[:, 0]).min() for f in merged.functions}
    for i, reasons in enumerate(found):
        expected = {}
        for j, s in scores.items():
            against = least[j] if reference == "best" else s[:50].mean()
            expected[frame.columns[j]] = s[i] - (s.mean() if reference is None else against)
        told = {r.column: r.contribution for r in reasons}
        kept = {c: x for c, x in expected.items() if x > 1e-12}
        assert told == pytest.approx(kept)
        assert list(told) == sorted(kept, key=kept.__getitem__, reverse=True)


def test_reason_codes_use_the_wording():
    frame, labels = _table()
    clf = BoostedTreeClassifier(20, max_leaves=2).fit(frame, labels)
    wording = {"a": "A of {value} {b}", "b": lambda value: f"<{value}>"}
    found = clf.reason_codes(frame, n=1, wording=wording)
    table = found.to_frame("pandas")
    assert list(table.columns) == ["row", "rank", "column", "value", "contribution", "reason"]
    assert set(table["rank"]) == {1}
    for reason, value, column in zip(table["reason"], table["value"], table["column"], strict=True):
        assert reason == (f"A of {value} {{b}}" if column == "a" else f"<{value}>")
    assert str(found).splitlines()[0] == "row 1:"
    assert len(found) == len(frame)
    assert str(found[0][0]) == found[0][0].text


def test_reason_codes_name_missing_cells():
    frame, labels = _table()
    frame.loc[::3, "b"] = np.nan
    clf = BoostedTreeClassifier(20, max_leaves=2).fit(frame, labels)
    found = clf.reason_codes(frame.head(1), n=2, reference="best")
    assert "b is missing" in [r.text for r in found[0]]


@pytest.mark.parametrize(
    "estimator",
    [
        TreeClassifier(),
        ForestClassifier(5, max_leaves=8),
        BoostedTreeClassifier(5, max_leaves=5),
    ],
)
def test_reason_codes_are_shapley_values_of_other_models(estimator):
    frame, labels = _table()
    clf = estimator.fit(frame, labels)
    values = clf.shap_values(frame)
    single = values.shape[2] == 1
    for k, toward in enumerate(clf.classes_):
        towards = values[:, :, 0] * (1 if k else -1) if single else values[:, :, k]
        for i, reasons in enumerate(clf.reason_codes(frame.head(20), toward=toward)):
            told = {r.column: r.contribution for r in reasons}
            expected = dict(zip(frame.columns, towards[i].tolist(), strict=True))
            assert told == pytest.approx({c: x for c, x in expected.items() if x > 1e-12})


@pytest.mark.parametrize("estimator", [TreeRegressor(), ForestRegressor(5, max_leaves=8)])
def test_reason_codes_of_regressors_have_a_direction(estimator):
    frame, _ = _table()
    reg = estimator.fit(frame, frame["a"] - frame["b"])
    higher = reg.reason_codes(frame.head(9), toward="higher")
    lower = reg.reason_codes(frame.head(9), toward="lower", reference=frame)
    for up, down in zip(higher, lower, strict=True):
        assert not {r.column for r in up} & {r.column for r in down}
    with pytest.raises(ParameterError, match='"higher" or "lower"'):
        reg.reason_codes(frame)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n": 0}, "n must be an integer of at least 1"),
        ({"toward": "maybe"}, "toward must be one of"),
        ({"wording": {"aa": "?"}}, "wording names the column 'aa'"),
        ({"reference": "worst"}, 'reference must be rows, "best" or None'),
    ],
)
def test_reason_codes_refuse_bad_parameters(options, message):
    frame, labels = _table(60)
    clf = BoostedTreeClassifier(3, max_leaves=2).fit(frame, labels)
    with pytest.raises(ParameterError, match=message):
        clf.reason_codes(frame, **options)
    with pytest.raises(TableError, match="the table is empty"):
        clf.reason_codes(frame, reference=frame.head(0))
    deep = BoostedTreeClassifier(3, max_leaves=4).fit(frame, labels)
    with pytest.raises(ParameterError, match="split on one column each"):
        deep.reason_codes(frame, reference="best")


@pytest.mark.parametrize("kind", KINDS)
def test_rules_are_those_of_columns_or_leaves(kind):
    clf, _ = fitted_ensemble(kind)
    rules = clf.to_rules()
    table = rules.to_dict()
    assert len(table["rule"]) == len(rules)
    assert len(str(rules).splitlines()) == len(rules) + 1
    model = clf.ensemble_
    if kind in ("forest", "numbers", "trees", "samme"):
        leaves = sum(m.tree.n_leaves for m in model.members)
        assert len(rules) in (leaves, leaves + 1)
        assert {r.tree for r in rules} - {None} == set(range(len(model)))
    else:
        assert {r.tree for r in rules} == {None}
    if kind == "forest":
        assert all(sum(r.scores) == pytest.approx(1) for r in rules)
