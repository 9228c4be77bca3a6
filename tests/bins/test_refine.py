"""Cuts at single values: those of a greedy tree, and never worse than that tree or prebins."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from polytomy import binning
from polytomy.bins.refine import _Values, row_components
from polytomy.encode import NumericTarget, Target
from polytomy.kernels import greedy_cuts
from polytomy.table import Ordered
from polytomy.table.arrays import column_of_array


def column(n=600, seed=0):
    """Return a column of distinct numbers and events that become more frequent in steps."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    y = rng.random(n) < 0.2 + 0.15 * (x > -0.4) + 0.3 * (x > 0.7)
    return x, y.astype(int)


def values_of(x, target):
    return _Values.of(Ordered("x", x), row_components(target))


@pytest.mark.parametrize("seed", range(5))
def test_greedy_cuts_are_those_of_a_tree(seed):
    x, y = column(seed=seed)
    values = values_of(x, Target.of(y))
    cuts = np.sort(greedy_cuts(values.first, values.second, 20, 30))
    tree = DecisionTreeClassifier(max_leaf_nodes=20, min_samples_leaf=30, random_state=0)
    thresholds = np.sort(tree.fit(x[:, None], y).tree_.threshold[tree.tree_.feature >= 0])
    np.testing.assert_array_equal(cuts, np.searchsorted(values.values, thresholds))


def test_greedy_cuts_of_pure_and_constant_columns():
    for x, y in ((np.ones(9), [0, 1] * 4 + [0]), (np.arange(9.0), [0] * 9)):
        values = values_of(x, Target.of(y, 2))
        assert len(greedy_cuts(values.first, values.second, 20, 1)) == 0
    values = values_of(np.arange(9.0), Target.of([0] * 4 + [1] * 5))
    assert greedy_cuts(values.first, values.second, 20, 0).tolist() == [4]


def test_items_add_up_the_cells_of_repeated_and_missing_values():
    x = np.array([3.0, 1.0, np.nan, 1.0, 2.0, 3.0])
    values = values_of(x, Target.of([0, 1, 1, 0, 1, 1], weights=[1, 2, 3, 4, 5, 6]))
    assert values.values.tolist() == [1.0, 2.0, 3.0]
    counts, rows = values.items(np.array([1, 3]))
    assert counts.tolist() == [[4, 2], [1, 11]]
    assert rows.tolist() == [2, 3]
    assert values.near(np.array([-5, 0, 1, 2, 2.5, 5, 9])).tolist() == [1, 1, 1, 1, 2, 3, 3]


@pytest.mark.parametrize("dtype", ["f4", "f8", "i1", "u4", "i8", "M8[us]"])
def test_values_of_every_type_are_counted(dtype):
    rng = np.random.default_rng(2)
    cells = rng.integers(-60, 60, 1000) if dtype != "u4" else rng.integers(0, 2**32, 1000)
    x = cells.astype(dtype)
    weights, labels = rng.integers(1, 9, 1000), rng.integers(0, 2, 1000)
    values = _Values.of(
        column_of_array("x", x), row_components(Target.of(labels, 2, weights.astype(float)))
    )
    distinct, of_cell = np.unique(cells, return_inverse=True)
    np.testing.assert_array_equal(values.values, distinct)
    np.testing.assert_array_equal(np.diff(values.rows), np.bincount(of_cell))
    np.testing.assert_array_equal(
        np.diff(values.first), np.bincount(of_cell, weights * (labels == 0))
    )
    np.testing.assert_array_equal(np.diff(values.second), np.bincount(of_cell, weights * labels))


def test_components_of_a_numeric_target_are_its_layers():
    target = NumericTarget.of_numbers([0.0, 1.0, 4.0], [1.0, 2.0, 1.0])
    np.testing.assert_array_equal(row_components(target).sum(axis=1), target.total())


@pytest.mark.parametrize("monotonic", ["auto", "descending", "peak", None])
def test_refined_bins_are_never_worse_than_prebins_or_a_greedy_tree(monotonic):
    for seed in range(10):
        x, y = column(seed=seed)
        values = values_of(x, Target.of(y))
        cuts = np.sort(greedy_cuts(values.first, values.second, 20, 30))
        edges = np.quantile(x, np.linspace(0, 1, 31)[1:-1], method="inverted_cdf")
        options = {"max_bins": 4, "monotonic": monotonic, "smoothing": 0}
        exact, refined, coarse, greedy = (
            binning(cells[:, None], y, prebins=prebins, **options).summary()["iv"][0]
            for cells, prebins in (
                (x, 600),
                (x, 30),
                (np.searchsorted(edges, x), "auto"),
                (np.searchsorted(values.values[cuts], x, side="right"), "auto"),
            )
        )
        assert max(coarse, greedy) <= refined * (1 + 1e-12) + 1e-12
        assert refined <= exact * (1 + 1e-12) + 1e-12
        assert refined >= 0.97 * exact - 1e-12


def test_refined_means_have_thresholds_between_neighbouring_values():
    rng = np.random.default_rng(1)
    x = rng.normal(size=3000)
    y = np.where(x > 0.3217, 1.5, 0.25) + rng.normal(0, 0.01, 3000)
    table = binning(x[:, None], y, 2).table(0)
    below, above = x[x <= 0.3217].max(), x[x > 0.3217].min()
    assert below <= float(table["bin"][0].removeprefix("<= ")) < above
    assert table["count"].tolist() == [(x <= 0.3217).sum(), (x > 0.3217).sum()]
