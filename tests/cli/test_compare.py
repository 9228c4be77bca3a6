"""``polytomy compare``."""

import re

import numpy as np
import pytest
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.tree import DecisionTreeClassifier

from polytomy import TreeClassifier
from polytomy.cli import cross_validation
from polytomy.cli.cross_validation import code_matrix, folds_of, one_hot_matrix
from polytomy.data import load_cars
from polytomy.io import read_table

ROW = r"^ *(\S.*?) {2,}(\d+|cv) +(\S+)% +(\S+)% +(\S+) +(\S+) +(\S+) *$"


def rows_in(out):
    found = re.findall(ROW, out, re.M)
    return {(name.strip(), budget): rest for name, budget, *rest in found}


def errors(fit, seed=0):
    columns, origin = load_cars()
    columns.pop("name")
    X = np.column_stack(list(columns.values()))
    folds = folds_of(origin, 5, seed)
    wrong = []
    for fold in folds:
        rest = np.delete(np.arange(len(origin)), fold)
        wrong.append(np.mean(fit().fit(X[rest], origin[rest]).predict(X[fold]) != origin[fold]))
    return [f"{100 * np.mean(wrong):.1f}", f"{100 * np.std(wrong, ddof=1):.1f}"]


def test_compare_prints_the_errors_of_the_folds(run, cars):
    pytest.importorskip("lightgbm")
    code, out, err = run("compare", cars, "--target", "origin", "--leaves", 8)
    assert (code, err) == (0, "")
    rows = rows_in(out)
    names = [f"polytomy {p}" for p in ("priced", "per-leaf", "hatano", "kearns-mansour")]
    expected = [(n, "8") for n in (*names, "scikit-learn", "LightGBM")] + [(names[0], "cv")]
    assert list(rows) == expected
    assert rows[names[0], "8"][:2] == errors(lambda: TreeClassifier(max_leaves=8))
    peer = errors(lambda: DecisionTreeClassifier(max_leaf_nodes=8, random_state=0))
    assert rows["scikit-learn", "8"][:2] == peer
    assert "left out column name" in out
    assert max(map(len, out.splitlines())) <= 80


def test_compare_depends_on_the_seed_and_the_leaves(run, cars, monkeypatch):
    monkeypatch.setattr(cross_validation, "find_spec", lambda name: None)
    args = ["compare", cars, "--target", "origin", "--leaves", 4, "--leaves", 6, "--folds", 3]
    first = {k: v[:4] for k, v in rows_in(run(*args)[1]).items()}  # all but the seconds
    assert first == {k: v[:4] for k, v in rows_in(run(*args)[1]).items()}
    assert first != {k: v[:4] for k, v in rows_in(run(*args, "--seed", 1)[1]).items()}
    assert {budget for _, budget in first} == {"4", "6", "cv"}
    assert not any(name == "LightGBM" for name, _ in first)
    more = rows_in(run(*args, "--gamma", 0.3)[1])
    assert ("polytomy mansour-mcallester", "4") in more


def test_folds_are_stratified():
    labels = np.array(["a"] * 50 + ["b"] * 23 + ["c"])
    folds = folds_of(labels, 5, 0)
    assert sorted(np.concatenate(folds).tolist()) == list(range(74))
    for fold in folds:
        assert (labels[fold] == "a").sum() == 10
        assert (labels[fold] == "b").sum() in (4, 5)


@pytest.fixture
def mixed(data_file):
    """A file with text, booleans, dates, numbers and missing cells; the town decides the class."""
    lines = []
    for i in range(120):
        town = ("Ulm", "Rom", "", "Bonn")[i % 4]
        day = "" if i % 11 == 0 else f"2026-01-{i % 28 + 1:02}"
        number = "" if i % 7 == 0 else i % 10
        flag = ("true", "false", "")[i % 3]
        lines.append(f"{town},{day},{number},{flag},{'yn'[i % 4 > 1]}\n")
    return data_file("town,day,n,flag,y\n" + "".join(lines))


def test_compare_handles_text_dates_and_missing_cells(run, mixed):
    pytest.importorskip("lightgbm")
    out = run("compare", mixed, "--target", "y", "--leaves", 8, "--folds", 3)[1]
    assert {row[0] for row in rows_in(out).values()} == {"0.0"}


def test_matrices_have_indicators_or_codes_of_categories(mixed):
    table = read_table(mixed, drop=["y"])
    hot = one_hot_matrix(table, {"town": ["Ulm", "Rom"]})
    assert hot.shape == (120, 5)
    assert hot[:4, :2].tolist() == [[1, 0], [0, 1], [0, 0], [0, 0]]
    assert np.isnan(hot[0, 2:4]).all()
    coded = code_matrix(table, {"town": ["Bonn", "Ulm"]})
    assert np.isnan(coded[1:3, 0]).all()
    assert coded[[0, 3], 0].tolist() == [1, 0]


@pytest.mark.parametrize("more", [["--folds", 1], ["--folds", 393], ["--leaves", 1]])
def test_compare_refuses_bad_options(refuse, cars, more):
    assert "must be" in refuse("compare", cars, "--target", "origin", *more)


@pytest.mark.parametrize("scoring", ["log_loss", "roc_auc"])
def test_compare_scores_the_shares(run, cars, monkeypatch, scoring):
    monkeypatch.setattr(cross_validation, "find_spec", lambda name: None)
    args = ["compare", cars, "--target", "origin", "--leaves", 6, "--scoring", scoring]
    code, out, err = run(*args)
    assert (code, err) == (0, "")
    assert ("log loss" if scoring == "log_loss" else "AUC") in out
    columns, origin = load_cars()
    columns.pop("name")
    X = np.column_stack(list(columns.values()))
    scores = []
    for fold in folds_of(origin, 5, 0):
        rest = np.delete(np.arange(len(origin)), fold)
        peer = DecisionTreeClassifier(max_leaf_nodes=6, random_state=0).fit(X[rest], origin[rest])
        shares = peer.predict_proba(X[fold])
        if scoring == "log_loss":
            shares = np.maximum(shares, 1e-3)
            shares /= shares.sum(axis=1, keepdims=True)
            scores.append(log_loss(origin[fold], shares, labels=peer.classes_))
        else:
            scores.append(roc_auc_score(origin[fold], shares, multi_class="ovr"))
    mean = np.mean(scores)
    shown = f"{mean:.3f}" if scoring == "log_loss" else f"{mean:.1%}"
    assert re.search(rf"scikit-learn +6 +{re.escape(shown)} ", out)


def test_compare_refuses_an_unknown_scoring(run, cars):
    code, _, err = run("compare", cars, "--target", "origin", "--scoring", "f2")
    assert code == 2
    assert "must be one of error, log_loss, roc_auc, squared_error" in " ".join(err.split())


@pytest.mark.usefixtures("few_trees")
def test_compare_adds_trees_of_an_effort(run, refuse, cars, monkeypatch):
    monkeypatch.setattr(cross_validation, "find_spec", lambda name: None)
    args = ["compare", cars, "--target", "origin", "--leaves", 4, "--folds", 2]
    plain = rows_in(run(*args)[1])
    rows = rows_in(run(*args, "--effort", "balanced", "--effort", "thorough")[1])
    added = {("polytomy balanced", "4"), ("polytomy thorough", "4")}
    assert set(rows) - set(plain) == added
    assert "must be balanced or thorough, got 'fast'" in refuse(*args, "--effort", "fast")
