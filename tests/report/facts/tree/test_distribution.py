"""The distribution of rows over a column in a few bins."""

import numpy as np
import pytest

from polytomy._types import UNSEEN
from polytomy.encode import NominalColumn, OrderedColumn, encode
from polytomy.report.facts.tree.distribution import distribution_facts
from polytomy.table import Ranks, Table
from polytomy.tree import CategorySplit


def ordered(values, **options):
    return encode(Table.of({"x": np.asarray(values)}), **options)


def spread(values, column=None, **options):
    coded = ordered(values, **options)
    spec = coded.schema[0] if column is None else column
    here = np.zeros((spec.n_values + coded.schema[0].has_missing, 2))
    np.add.at(here, (coded.columns[0], np.arange(len(values)) % 2), 1.0)
    return distribution_facts(spec, here, None)


def test_distribution_of_few_values_has_a_bin_for_each():
    shown = spread([3.0, 1.0, np.nan, 1.0, 2.5])
    assert shown["labels"] == ["1", "2.5", "3", "missing"]
    assert shown["here"] == [2, 1, 1, 1]
    assert shown["by_class"] == [[0, 1, 1, 1], [2, 0, 0, 0]]


def test_bins_have_values_or_ends_to_draw_thresholds_between():
    assert spread([3.0, 1.0, 2.5])["values"] == [1, 2.5, 3]
    many = spread(np.linspace(0.0, 10.0, 1000))
    assert many["ends"] == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    spec = NominalColumn("c", tuple("abcd"), has_missing=False)
    split = CategorySplit(0, np.array([1, 0, 1, UNSEEN], dtype=np.int32), UNSEEN, 0)
    shown = distribution_facts(spec, np.array([[4.0], [1.0], [3.0], [9.0]]), None, split)
    assert (shown["labels"], shown["cuts"]) == (["b", "a", "c", "d"], [1, 3])
    assert shown["here"] == [1, 4, 3, 9]


def test_labels_of_similar_values_get_more_digits():
    shown = spread(1e9 + np.array([0.0, 1.0, 2.0]))
    assert shown["labels"] == ["1000000000", "1000000001", "1000000002"]


def test_bins_of_many_numbers_end_at_round_numbers():
    shown = spread(np.linspace(0.0, 10.0, 1000))
    assert shown["labels"][:2] == ["up to 1", "1 to 2"]
    assert shown["labels"][-1] == "above 9"
    assert len(shown["labels"]) == 10
    assert all(80 <= held <= 120 for held in shown["here"])


@pytest.mark.parametrize("scale", [1e-300, 1e-12, 1.0, 1e12, 1e300])
def test_bins_exist_for_numbers_of_any_size(scale):
    values = np.random.default_rng(0).normal(size=3000) * scale
    values[:3] = -np.inf, np.inf, np.nan
    shown = spread(values)
    assert 4 <= len(shown["labels"]) <= 16
    assert len(set(shown["labels"])) == len(shown["labels"])
    assert sum(shown["here"]) == 3000


def test_bins_are_robust_to_outliers():
    values = np.append(np.random.default_rng(1).random(5000), [1e9, -1e9])
    shown = spread(values)
    assert len(shown["labels"]) >= 8


def test_labels_of_times_are_times():
    days = np.datetime64("2024-01-01") + np.arange(300).astype("timedelta64[D]")
    shown = spread(days.astype("datetime64[us]"))
    assert shown["labels"][0].startswith("up to 2024-01-")
    assert 8 <= len(shown["labels"]) <= 14
    few = spread(days[:3].astype("datetime64[us]"))
    assert few["labels"] == ["2024-01-01", "2024-01-02", "2024-01-03"]


def test_bins_join_many_ordered_labels():
    labels = Ranks(tuple(f"g{i}" for i in range(40)))
    values = np.arange(40.0)
    column = OrderedColumn("x", values, values, has_missing=False, scale=labels)
    shown = spread(values, column)
    assert shown["labels"][0] == "g0 … g2"
    assert sum(shown["here"]) == 40
    assert len(shown["labels"]) <= 14


def test_bins_join_rare_categories():
    column = NominalColumn("c", tuple(f"c{i}" for i in range(30)), has_missing=True)
    here = np.zeros((31, 5))
    here[:, 1] = np.arange(31)
    parent = here.sum(axis=1) + 1
    shown = distribution_facts(column, here, parent)
    assert shown["labels"][0] == "c29"
    assert shown["labels"][-2:] == ["other", "missing"]
    assert len(shown["labels"]) == 15
    assert sum(shown["here"]) == here.sum()
    assert sum(shown["parent"]) == parent.sum()
    assert "by_class" not in shown
