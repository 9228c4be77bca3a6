"""Rules hold for the rows of their leaves."""

import datetime as dt
import re

import numpy as np
import pandas as pd
import pytest

from polytomy import TreeClassifier


def holds(conditions, row):
    """Evaluate a rule's conditions on a row, as a reader would."""
    return all(_holds(words, row) for words in conditions)


def _holds(words, row):
    found = re.fullmatch(r"(.*?)(?: \(or ([^)]*)\))?", words)
    words, more = found[1], (found[2] or "").split(" or ")
    missing = "missing" in more
    if found := re.fullmatch(r"(\w+) is missing", words):
        return pd.isna(row[found[1]])
    if found := re.fullmatch(r"(\w+) is known", words):
        return missing or not pd.isna(row[found[1]])
    if found := re.fullmatch(r"(\w+) in \{(.*)\}", words):
        return str(row[found[1]]) in found[2].split(", ")
    if found := re.fullmatch(r"(\w+) is (.*)", words):
        return str(row[found[1]]) == found[2]
    found = re.fullmatch(r"(?:(.+?) < )?(\w+)(?: (<=|>) (.+))?", words)
    low, name, sign, bound = found.groups()
    value = row[name]
    if pd.isna(value):
        return missing
    cast = pd.Timestamp if isinstance(value, dt.datetime) else float
    above = low is None or value > cast(low)
    return above and (
        sign is None or (value <= cast(bound) if sign == "<=" else value > cast(bound))
    )


def test_rules_hold_for_the_rows_of_their_leaf(fitted):
    clf, X, _ = fitted
    rules = clf.to_rules()
    leaves = clf.apply(X)
    for i in range(0, len(X), 7):
        row = X.iloc[i].to_dict()
        matching = [rule.leaf for rule in rules if holds(rule.conditions, row)]
        assert matching == [leaves[i]], clf.explain(X.iloc[[i]])


def test_rules_cover_all_rows_and_convert_to_a_frame(fitted):
    clf, X, y = fitted
    rules = clf.to_rules()
    assert len(rules) == clf.n_leaves_
    assert sum(rule.rows for rule in rules) == len(X)
    frame = rules.to_frame("polars")
    assert frame.columns == [
        *("leaf", "rule", "prediction", "share", "low", "high", "rows"),
        *("training_share", "doubtful"),
    ]
    assert len(frame) == clf.n_leaves_
    assert rules.to_frame().shape == frame.shape
    leaf = frame["leaf"][0]
    inside = y[clf.apply(X) == leaf]
    predicted = frame["prediction"][0]
    assert frame["training_share"][0] == pytest.approx((inside == predicted).mean())
    proba = clf.predict_proba(X)[clf.apply(X) == leaf][0]
    assert frame["share"][0] == proba[clf.classes_.tolist().index(predicted)]
    assert (frame["low"] <= frame["share"]).all()
    assert (frame["share"] <= frame["high"]).all()
    assert str(rules).count("\n") == clf.n_leaves_ + len(rules.origin) - 1


def test_rules_combine_several_splits_on_one_column():
    rng = np.random.default_rng(1)
    c = rng.choice(list("abcdef"), 4000, p=[0.2, 0.2, 0.2, 0.2, 0.1, 0.1])
    v = rng.random(4000)
    y = np.where(np.isin(c, list("def")), np.where(v > 0.5, np.where(c == "d", 0, 1), 2), 3)
    X = pd.DataFrame({"c": c, "v": v})
    clf = TreeClassifier(max_leaves=8, families=("groups", "intervals"), max_arity=2).fit(X, y)
    rules = clf.to_rules()
    others = [rule for rule in rules if any("unseen" in words for words in rule.conditions)]
    new = clf.apply(pd.DataFrame({"c": ["new"] * 50, "v": np.linspace(0, 1, 50)}))
    assert {rule.leaf for rule in others} == set(new.tolist())
    leaves = clf.apply(X)
    for i in range(0, 4000, 97):
        row = X.iloc[i].to_dict()
        assert [rule.leaf for rule in rules if holds(rule.conditions, row)] == [leaves[i]]
