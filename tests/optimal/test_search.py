"""Bounds on the errors of the best tree of a size, against trying all trees."""

import signal
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polytomy import ParameterError
from polytomy.encode import Target, encode
from polytomy.optimal import MAX_LEAVES, DistinctRows, SearchLimits, bound_errors
from polytomy.table import Table
from tests.naive.optimal import least_errors
from tests.strategies import cases

ANY = ("ordered", "nominal")


def bounds(case, leaves, seconds=inf, max_depth=None, known=None):
    rows = DistinctRows.of(case.coded, case.target, ANY)
    return bound_errors(rows, SearchLimits(leaves, seconds, max_depth), known)


@settings(max_examples=150, deadline=None)
@given(cases(max_rows=9, max_columns=3, max_classes=4), st.integers(1, 5))
def test_search_finds_the_errors_of_the_best_tree_of_any_arity(case, leaves):
    found = bounds(case, leaves)
    least = least_errors(list(case.columns.values()), case.labels, case.units, leaves)
    assert (found.lower, found.upper) == (least, least)


@settings(max_examples=100, deadline=None)
@given(cases(max_rows=10, max_columns=2, max_classes=3), st.integers(1, 6), st.integers(0, 3))
def test_search_respects_a_maximum_depth(case, leaves, depth):
    found = bounds(case, leaves, max_depth=depth)
    least = least_errors(list(case.columns.values()), case.labels, case.units, leaves, depth)
    assert (found.lower, found.upper) == (least, least)


@settings(max_examples=100, deadline=None)
@given(cases(max_rows=12, max_columns=3, max_classes=3), st.integers(0, 20))
def test_search_with_a_known_tree_ends_at_its_errors(case, beyond):
    least = bounds(case, 3).lower
    found = bounds(case, 3, known=least + beyond)
    assert found.lower <= least <= found.upper <= least + beyond
    assert found.lower == found.upper


def random_rows(n_rows, n_columns, n_values, seed, categories=0):
    random = np.random.default_rng(seed)
    columns = {
        f"x{j}": random.integers(0, n_values, n_rows).astype(float) for j in range(n_columns)
    }
    if categories:
        columns["c"] = np.array([f"v{i}" for i in random.integers(0, categories, n_rows)], object)
    coded = encode(Table.of(columns))
    return DistinctRows.of(coded, Target.of(random.integers(0, 2, n_rows)), ANY)


def test_search_bounds_fall_with_the_number_of_leaves():
    rows = random_rows(40, 3, 6, seed=1, categories=4)
    found = [bound_errors(rows, SearchLimits(k, inf)) for k in range(1, 5)]
    assert all(b.lower == b.upper for b in found)
    errors = [b.lower for b in found]
    assert errors == sorted(errors, reverse=True)


def test_search_stops_in_time_with_bounds_that_hold():
    rows = random_rows(400, 5, 40, seed=2, categories=30)
    found = bound_errors(rows, SearchLimits(8, 0.3))
    assert rows.unavoidable <= found.lower < found.upper
    more = bound_errors(rows, SearchLimits(4, 0.3))
    assert found.lower <= more.upper


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs interval timers")
def test_search_ends_at_a_signal():
    class AlarmError(Exception):
        pass

    def ring(number, frame):
        raise AlarmError

    rows = random_rows(400, 8, 40, seed=6)
    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(AlarmError):
            bound_errors(rows, SearchLimits(8, 60.0))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_search_without_time_counts_unavoidable_errors():
    rows = random_rows(60, 1, 5, seed=3)
    found = bound_errors(rows, SearchLimits(4, 0.0))
    assert found.lower == rows.unavoidable < found.upper


def test_search_for_many_leaves_counts_unavoidable_errors_only():
    rows = random_rows(300, 4, 20, seed=4)
    found = bound_errors(rows, SearchLimits(MAX_LEAVES + 1, inf), known=17)
    assert (found.lower, found.upper) == (rows.unavoidable, 17)


def test_search_handles_columns_of_many_categories():
    rows = random_rows(600, 1, 3, seed=5, categories=400)
    exact = bound_errors(rows, SearchLimits(2, inf))
    assert exact.lower == exact.upper
    found = bound_errors(rows, SearchLimits(3, 0.5))
    assert found.lower <= found.upper <= exact.upper


def test_search_refuses_a_tree_without_leaves():
    with pytest.raises(ParameterError, match="at least one leaf"):
        SearchLimits(0, 1.0)
