"""The search for bins against every partition."""

from math import inf, pi

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from polytomy.index import INDICES
from polytomy.kernels import TRENDS, BinRules, best_bins
from tests.naive import binning as naive


@st.composite
def problems(draw, classes=2):
    n = draw(st.integers(1, 8))
    count = st.integers(0, draw(st.sampled_from([2, 6, 40])))
    items = draw(st.lists(st.tuples(*[count] * classes), min_size=n, max_size=n))
    items = [item if sum(item) else (1, *item[1:]) for item in items]
    total = sum(map(sum, items))
    rules = BinRules(
        max_bins=draw(st.integers(1, 6)),
        min_rows=draw(st.sampled_from([1, 1, 2, 5])),
        min_weight=draw(st.sampled_from([0, 0, total // 10, total // 5])),
        # No difference of rates of such counts equals this exactly.
        min_difference=draw(st.sampled_from([0.0, 0.0, pi / 60, pi / 12])),
        rate_class=0 if classes > 2 else draw(st.sampled_from([0, 1])),
    )
    rows = (
        [draw(st.integers(1, 4)) for _ in items] if draw(st.booleans()) else list(map(sum, items))
    )
    return items, rows, rules


def found(items, rows, objective, rules, trends):
    """Return the best bins of one column."""
    arrays = np.array(items, dtype=np.int64), np.array(rows, dtype=np.int64)
    start = np.array([0, len(items)], dtype=np.int64)
    return best_bins(arrays, start, objective, rules, trends, 1)[0]


def checked(got, want, items, value):
    """Check the cost and that the bins have it; ties may have other cuts."""
    best, ends = want
    if best == -inf:
        assert got.cost == inf
        assert got.ends.tolist() == [len(items)]
        return
    np.testing.assert_allclose(-got.cost, best, rtol=1e-9, atol=1e-9)
    parts = np.split(np.array(items), got.ends[:-1])
    total = sum(value(tuple(part.sum(axis=0).tolist())) for part in parts)
    np.testing.assert_allclose(total, best, rtol=1e-9, atol=1e-9)
    assert len(got.ends) == len(ends)


@given(problems(), st.sampled_from(TRENDS), st.sampled_from([0.0, 0.5]))
def test_best_bins_have_the_largest_information_value_of_all_partitions(problem, trend, smoothing):
    items, rows, rules = problem
    totals = tuple(max(sum(item[c] for item in items), 1) + c for c in (0, 1))

    def value(counts):
        return naive.information_value(*counts, totals, smoothing)

    got = found(items, rows, (*map(float, totals), smoothing), rules, [TRENDS.index(trend)])
    checked(got, naive.best_bins(items, rows, value, rules, trend), items, value)


@given(st.one_of(problems(), problems(classes=3)), st.sampled_from(["gini", "entropy"]))
def test_best_bins_have_the_least_impurity_of_all_partitions(problem, name):
    items, rows, rules = problem

    def value(counts):
        return -float(INDICES[name].value(np.array(counts, dtype=np.float64)))

    for trend in TRENDS:
        got = found(items, rows, INDICES[name].number, rules, [TRENDS.index(trend)])
        checked(got, naive.best_bins(items, rows, value, rules, trend), items, value)


@given(problems())
def test_best_of_several_trends_is_the_better_one(problem):
    items, rows, rules = problem
    number = INDICES["gini"].number
    single = [found(items, rows, number, rules, [trend]) for trend in (1, 2)]
    both = found(items, rows, number, rules, [1, 2])
    assert both.cost == min(bins.cost for bins in single)
    assert both.trend == (2 if single[1].cost < single[0].cost else 1)


def test_columns_are_independent_of_each_other_and_of_threads():
    rng = np.random.default_rng(0)
    sizes = [0, 1, 30, 7, 12]
    counts = rng.integers(1, 20, (sum(sizes), 2))
    start = np.concatenate(([0], np.cumsum(sizes)))
    items = counts, counts.sum(axis=1)
    rules = BinRules(4, 1, 20, 0.0, 1)
    for threads in (1, 3):
        got = best_bins(items, start, (500.0, 500.0, 0.5), rules, [1, 2], threads)
        assert len(got) == len(sizes)
        assert got[0].ends.tolist() == []
        for j, bins in enumerate(got[1:], 1):
            part = slice(start[j], start[j + 1])
            alone = found(counts[part], items[1][part], (500.0, 500.0, 0.5), rules, [1, 2])
            assert bins.ends.tolist() == alone.ends.tolist()
            assert bins.cost == alone.cost
