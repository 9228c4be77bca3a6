"""Labels of nodes and branches."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris

from polytomy import TreeClassifier
from polytomy.plot.text import DrawnText
from tests.plot.drawn_tree import assert_tidy, cards_of, words

ROOT = Path(__file__).parents[3]
RNG_SEED = 3
DASH = " \N{EN DASH} "


def cancer():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    flip = np.random.default_rng(RNG_SEED).random(len(y)) < 0.15
    return X, np.array(["malignant", "benign"])[np.where(flip, 1 - y, y)]


def test_labels_describe_nodes_and_leaves():
    X, y = load_iris(return_X_y=True, as_frame=True)
    clf = TreeClassifier(max_leaves=4, procedure="per-leaf", honest=False)
    clf.fit(X, np.array(["setosa", "versicolor", "virginica"])[y])
    shown = words(clf.plot())
    tree = clf.tree_
    assert "petal length (cm)?" in shown
    assert "<= 2.45" in shown
    assert "setosa 100%" in shown
    assert sum(text.endswith(" rows") for text in shown) >= tree.n_leaves
    assert shown[-4:] == [
        "setosa",
        "versicolor",
        "virginica",
        "width of a branch: its share of the rows",
    ]
    assert len(cards_of(clf.plot()).get_paths()) == tree.n_nodes
    assert words(clf.plot(legend=False)) == shown[:-4]


def test_labels_show_expected_and_training_shares():
    rng = np.random.default_rng(RNG_SEED)
    X = rng.random((120, 8))
    clf = TreeClassifier(max_leaves=12, procedure="per-leaf", class_weight="balanced")
    clf.fit(X, np.array(["no", "yes"])[(rng.random(120) < 0.3).astype(int)])
    ax = clf.plot()
    assert_tidy(ax)
    shown = words(ax)
    for rule in clf.to_rules():
        share = rule.prediction
        mark = " !" if share.is_doubtful else ""
        at = [i for i, text in enumerate(shown) if text == f"{share.name} {share.share:.0%}{mark}"]
        rows = f"{rule.rows} {'row' if rule.rows == 1 else 'rows'}"
        assert f"({share.training:.0%} of {rows})" in [shown[i + 1] for i in at]
    assert any(rule.prediction.is_doubtful for rule in clf.to_rules())
    assert shown[-2:] == [
        "leaf: expected share of new rows (share of training rows)",
        "!: these disagree",
    ]


NAMES = [
    "$\\frac{",
    "a_b^c $x$",
    "two\nlines\tand a tab",
    "größe Ελλ Привет שלום",
    "n" * 300,
    "",
    "{\\%#&~",
]


@pytest.mark.parametrize("orientation", ["down", "right"])
def test_labels_show_any_name_unchanged(orientation):
    rng = np.random.default_rng(RNG_SEED)
    X = pd.DataFrame({name: rng.choice(np.array(NAMES, dtype=object), 700) for name in NAMES})
    y = np.array(NAMES, dtype=object)[
        (pd.factorize(X[NAMES[0]])[0] + pd.factorize(X[NAMES[1]])[0] * 2) % 7
    ]
    clf = TreeClassifier(max_leaves=24).fit(X, y)
    ax = clf.plot(orientation=orientation)
    assert_tidy(ax)
    assert all(isinstance(text, DrawnText) and not text.get_parse_math() for text in ax.texts)
    assert max(map(len, words(ax))) < 60
    assert "$\\frac{" in words(ax)


def test_labels_shorten_dates_ordered_labels_and_missing_cells():
    n = 400
    day = pd.date_range("2020-01-01", periods=n)
    size = pd.Categorical(
        np.array(["S", "M", "L", "XL"])[np.arange(n) % 4], ["S", "M", "L", "XL"], ordered=True
    )
    part = np.arange(n) // 100
    X = pd.DataFrame({"day": day, "size": size, "x": np.where(np.arange(n) % 5, part, np.nan)})
    shown = words(
        TreeClassifier(4, procedure="per-leaf", max_arity=4).fit(X[["day"]], part % 2).plot()
    )
    assert any(text.startswith("<= 2020-04-0") for text in shown)
    assert any(f"{DASH}07-" in text for text in shown)  # in the same year
    shown = words(TreeClassifier(2).fit(X[["size"]], np.arange(n) % 4 > 1).plot())
    assert {f"S{DASH}M", f"L{DASH}XL"} <= set(shown)
    shown = words(
        TreeClassifier(8, max_arity=8).fit(X[["x"]], np.where(np.arange(n) % 5, part % 2, 1)).plot()
    )
    assert any("missing" in text for text in shown)


def test_labels_shorten_thresholds_but_separate_the_values():
    x = np.array([1 / 3, 1 / 3 + 1e-7, 123456.75, 123457.5, -2.0, -1.0])
    clf = TreeClassifier(6, max_arity=6).fit(
        np.repeat(x, 9).reshape(-1, 1), np.repeat([0, 1, 0, 1, 0, 1], 9)
    )
    shown = words(clf.plot())
    assert "<= -1.5" in shown
    assert any(text.startswith("0.3333334") for text in shown)
    assert any(text.endswith("123457") or text.startswith("> 123457") for text in shown)


def test_labels_name_categories_or_others():
    towns = np.array([f"town number {i}" for i in range(30)])
    X = pd.DataFrame({"town": np.tile(towns, 20), "x": 0.0})
    few = np.isin(X["town"], ["town number 3", "town number 4"])
    shown = words(TreeClassifier(2).fit(X, few).plot())
    assert "others" in shown
    assert "{town number 3, town number 4}" in shown


def hyperplanes():
    """The module of the example with a user-defined family."""
    spec = importlib.util.spec_from_file_location(
        "hyperplanes", ROOT / "examples" / "hyperplanes.py"
    )
    module = importlib.util.module_from_spec(spec)
    sys.modules["hyperplanes"] = module
    spec.loader.exec_module(module)
    return module


def test_labels_show_the_words_of_own_splits():
    rng = np.random.default_rng(7)
    X = rng.uniform(-1, 1, size=(1000, 2))
    y = (np.floor((X[:, 0] + 0.7 * X[:, 1]) / 0.55) % 2 == 0).astype(int)
    X = pd.DataFrame(X, columns=["east", "north"])
    clf = TreeClassifier(6, families=("intervals", hyperplanes().Slopes())).fit(X, y)
    assert clf.tree_.own
    ax = clf.plot()
    assert any(text.startswith("z = ") for text in words(ax))
    assert any("z <= " in text for text in words(ax))
    assert_tidy(ax)


@pytest.mark.parametrize("zone", [None, "Europe/Berlin"])
@pytest.mark.parametrize("orientation", ["down", "right"])
def test_labels_shorten_times(zone, orientation):
    n = 600
    when = pd.Series(pd.date_range("2019-11-03 10:30", periods=n, freq="7h", tz="UTC"))
    X = pd.DataFrame({"when": when.dt.tz_convert(zone) if zone else when.dt.tz_localize(None)})
    clf = TreeClassifier(6, max_arity=6).fit(X, np.arange(n) // 100 % 2)
    ax = clf.plot(orientation=orientation)
    shown = words(ax)
    assert ("when (Europe/Berlin)?" if zone else "when?") in shown
    assert sum("Europe/Berlin" in text for text in shown) == bool(zone)
    times = [text for text in shown if "2019-" in text or "2020-" in text]
    assert any(text.endswith(DASH.rstrip()) for text in times)  # goes on in the next line
    assert max(map(len, times)) <= 22
    assert_tidy(ax)


def test_labels_omit_a_shared_year_or_day():
    day = pd.DataFrame({"day": pd.date_range("2020-01-01", periods=300)})
    shown = words(TreeClassifier(3, max_arity=3).fit(day, np.arange(300) // 100 % 2).plot())
    assert f"2020-04-09{DASH}07-18" in shown
    hour = pd.DataFrame({"t": pd.date_range("2020-01-01 08:00", periods=300, freq="2min")})
    shown = words(TreeClassifier(3, max_arity=3).fit(hour, np.arange(300) // 100 % 2).plot())
    assert any(text.startswith("2020-01-01 11:") for text in shown)
    assert any(text.startswith("14:") or f"{DASH}14:" in text for text in shown)
