"""The weak-learning lemma: edges by hand, and the advantage of random splits."""

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polytomy import theory
from polytomy._errors import ParameterError
from polytomy.index import INDICES

COUNTS = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=6)
SQRT = INDICES["sqrt"]


def advantage(children):
    whole = float(SQRT.value(np.sum(children, axis=0)))
    return 1 - float(SQRT.value(np.array(children)).sum()) / whole if whole > 0 else 0.0


def best_error(children):
    """The least error of any labelling of the children, with the classes weighted equally."""
    shares = np.array(children) / np.sum(children, axis=0)
    labellings = np.ndindex(*[2] * len(children))
    return min(sum(shares[i, 1 - c] / 2 for i, c in enumerate(labels)) for labels in labellings)


def test_edge_and_advantage_equal_values_computed_by_hand():
    assert theory.balanced_edge([[30, 10], [10, 70]]) == pytest.approx((3 / 4 - 1 / 8) / 2)
    assert theory.edge_to_advantage(0.3) == pytest.approx(0.2)  # 1 - sqrt(0.64)
    assert theory.edge_to_advantage(0.5) == 1  # the split separates the classes
    assert theory.edge_to_advantage(0) == 0
    assert theory.edge_to_advantage(1e-9) == pytest.approx(2e-18, rel=1e-12)


@given(COUNTS)
def test_edge_is_that_of_the_best_labelling_and_implies_the_advantage(children):
    edge = theory.balanced_edge(children)
    if np.sum(children, axis=0).all():
        assert edge == pytest.approx(0.5 - best_error(children))
    assert advantage(children) >= theory.edge_to_advantage(edge) - 1e-12


@given(st.just(0.0) | st.floats(1e-100, 0.5), st.floats(0.01, 0.99))
def test_advantage_of_a_symmetric_split_is_the_predicted_one(delta, share):
    a, b = 1000 * share, 1000 * (1 - share)
    children = [[a * (0.5 + delta), b * (0.5 - delta)], [a * (0.5 - delta), b * (0.5 + delta)]]
    assert theory.balanced_edge(children) == pytest.approx(delta, abs=1e-12)
    predicted = theory.edge_to_advantage(delta)
    assert advantage(children) == pytest.approx(predicted, abs=1e-12)
    assert 2 * delta**2 <= predicted * (1 + 1e-12)
    assert 32 * theory.weak_to_growth(delta) <= predicted * (1 + 1e-12)
    assert predicted == pytest.approx(1 - sqrt(1 - 4 * delta**2), abs=1e-7)


def test_edge_of_extreme_weights_is_finite():
    assert theory.balanced_edge([[1e308, 0], [1e308, 1e-300]]) == pytest.approx(0.25)
    assert theory.balanced_edge([[5, 0], [7, 0]]) == 0  # a class is absent
    assert theory.balanced_edge([[5, 3]]) == 0  # no split


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: theory.edge_to_advantage(0.51), "delta must be from 0 to 1/2, got 0.51"),
        (lambda: theory.edge_to_advantage(float("nan")), "delta must be from 0 to 1/2"),
        (lambda: theory.balanced_edge([1, 2]), r"must have the shape \(k, 2\), got \(2,\)"),
        (lambda: theory.balanced_edge(np.ones((2, 3))), r"must have the shape"),
        (lambda: theory.balanced_edge(np.ones((0, 2))), r"must have the shape"),
        (lambda: theory.balanced_edge([[1, -1], [1, 2]]), "finite and at least 0"),
        (lambda: theory.balanced_edge([[1, np.inf], [1, 2]]), "finite and at least 0"),
    ],
)
def test_invalid_edges_are_refused(call, message):
    with pytest.raises(ParameterError, match=message):
        call()
