"""Text drawings of trees."""

import re

import numpy as np
import pandas as pd
import pytest

from polytomy import TreeClassifier


def test_text_has_a_line_for_every_node(fitted):
    clf, _, _ = fitted
    lines = clf.to_text().splitlines()
    legend = " ".join(lines[clf.tree_.n_nodes :])
    assert legend.startswith("A small forest helped to choose the splits; ")
    assert " Leaves: class, expected share of new rows [95% interval]" in legend
    assert lines[0].startswith("400 rows: ")
    leaf = r"\d+% \[[\d.]+-[\d.]+\] \(\d+% of (\d+)\)( !)?$"
    leaves = [re.search(leaf, line) for line in lines]
    assert sum(found is not None for found in leaves) == clf.n_leaves_
    assert sum(int(found[1]) for found in leaves if found) == 400


def test_text_of_training_shares_has_no_legend():
    clf = TreeClassifier(honest=False).fit(np.arange(20)[:, None], np.arange(20) > 9)
    assert clf.to_text().splitlines() == [
        "20 rows: False 50%, True 50%",
        "├─ x0 <= 9.5  False 100% [72-100] of 10",
        "└─ x0 > 9.5   True 100% [72-100] of 10",
    ]


def test_text_words_every_kind_of_column(fitted):
    clf, _, _ = fitted
    text = clf.to_text(max_width=200)
    assert re.search(r"sold (<=|>) 2024-\d\d-\d\d", text)
    assert re.search(r"size (is|in) ", text)
    assert re.search(r"new is (True|False)", text)
    assert re.search(r"town in \{", text)
    assert "(or missing)" in text


@pytest.mark.parametrize("width", [40, 60, 100])
def test_text_is_no_wider_than_max_width(fitted, width):
    clf, _, _ = fitted
    assert max(map(len, clf.to_text(max_width=width).splitlines())) <= width


def test_text_counts_the_leaves_below_max_depth(fitted):
    clf, _, _ = fitted
    text = clf.to_text(max_depth=1)
    below = [int(n) for n in re.findall(r"\.\.\. (\d+) leaves", text)]
    assert sum(below) + len(re.findall(r"% \[", text)) == clf.n_leaves_


def test_html_of_an_estimator_shows_the_tree(fitted):
    clf, _, _ = fitted
    html = clf._repr_html_()
    assert "400 rows" in html
    assert "&lt;=" in html
    assert "400 rows" not in TreeClassifier()._repr_html_()


def text_of(X, y, **params):
    return TreeClassifier(**{"max_leaves": 2, **params}).fit(X, y).to_text()


def test_text_never_truncates_the_branch_of_missing_cells():
    names = np.array([f"category {i:02d}" for i in range(40)] * 5, dtype=object)
    y = np.arange(200) % 40 < 20
    names[(np.arange(200) % 40 == 3)] = None
    text = text_of(pd.DataFrame({"c": names}), y, procedure="per-leaf", honest=False)
    assert re.search(r"more, category \d\d\} \(or missing", text)


def test_text_keeps_names_with_line_breaks_on_one_line():
    X = pd.DataFrame({"a\nb": ["p", "q\r\nz"] * 10})
    clf = TreeClassifier(honest=False).fit(X, ["c\nd", "e"] * 10)
    assert len(clf.to_text().splitlines()) == clf.tree_.n_nodes == 3
    assert len(str(clf.to_rules()).splitlines()) == 2
    assert "a\\nb is p" in clf.to_text()
    assert len(str(clf.explain(X[:1])).splitlines()) == 2
    assert clf.predict(X[:1]).tolist() == ["c\nd"]


@pytest.mark.parametrize(
    ("size", "message"),
    [
        ({"max_width": 0}, "a width of at least 20, got 0"),
        ({"max_width": 19}, "a width of at least 20, got 19"),
        ({"max_depth": 0}, "a depth of at least 1, got 0"),
    ],
)
def test_text_refuses_too_small_sizes(fitted, size, message):
    with pytest.raises(ValueError, match=message):
        fitted[0].to_text(**size)
