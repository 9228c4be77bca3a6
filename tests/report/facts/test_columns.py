"""The columns of a report."""

import numpy as np
import pytest

from polytomy import BoostedTreeClassifier, TreeClassifier
from tests.report.tree_cases import case, facts_of, mixed


def test_column_of_many_categories_lists_those_of_the_splits():
    facts = facts_of("700 categories")
    column = facts["columns"][0]
    assert len(column["categories"]) + column["more"] == case("700 categories").X["code"].nunique()
    named = {
        code for node in facts["nodes"] for codes in node.get("categories", []) for code in codes
    }
    assert named == set(range(len(column["categories"])))


def test_range_of_a_column_ignores_infinite_values():
    x = np.array([-np.inf, 1.0, 2.0, 3.0, np.inf, np.nan])
    clf = TreeClassifier(procedure="per-leaf").fit(x[:, None], [0, 1, 0, 1, 0, 1])
    (column,) = clf.report_facts()["columns"]
    assert (column["kind"], column["low"], column["high"]) == ("numbers", 1, 3)
    assert column["low"] <= column["middle"] <= column["high"]


@pytest.mark.parametrize("estimator", [TreeClassifier, BoostedTreeClassifier])
def test_columns_of_trees_and_ensembles_have_the_same_facts(estimator):
    X, y = mixed()
    columns = estimator().fit(X, y).report_facts()["columns"]
    size, town, grade, day = columns
    assert (size["low"], size["high"]) == (X["size"].min(), X["size"].max())
    assert town["categories"] == sorted(X["town"].dropna().unique())
    assert grade["labels"] == ["low", "mid", "high", "top"]
    assert (day["low_text"], day["high_text"]) == ("2024-01-01", "2024-03-30")
    assert [column["has_missing"] for column in columns] == [True, True, True, False]
