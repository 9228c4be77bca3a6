"""The costs of mistakes: what users may state, and what follows for weights and labels."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polytomy import ParameterError
from polytomy.costs import Costs
from polytomy.index import INDICES
from polytomy.tree import errors_of_labels, least_errors, majority
from tests.naive.costs import cheapest, cost_of

AB = np.array(["a", "b"])
ABC = np.array(["a", "b", "c"])


@st.composite
def matrices(draw, n_classes=None):
    """Matrices of small costs in which every class has a mistake that costs something."""
    n = draw(st.integers(2, 4)) if n_classes is None else n_classes
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    matrix = rng.integers(0, 6, (n, n)).astype(float)
    matrix[np.arange(n), np.arange(n)] = draw(st.sampled_from([0.0, 0.0, 2.0]))
    matrix = np.maximum(matrix, np.diag(matrix)[:, None])
    worst = (matrix - np.diag(matrix)[:, None]).max(axis=1)
    matrix[np.flatnonzero(worst == 0), (np.flatnonzero(worst == 0) + 1) % n] += 1.5
    return matrix


def test_costs_of_pairs_cost_1_unless_they_are_named():
    costs = Costs.of({("a", "c"): 20, ("b", "b"): 0.5}, ABC)
    assert costs.matrix.tolist() == [[0, 1, 20], [1, 0.5, 1], [1, 1, 0]]


def test_costs_of_numbers_take_numpy_and_python_numbers():
    classes = np.array([0, 1])
    same = Costs.of({(0, 1): 5}, classes).matrix
    assert np.array_equal(
        Costs.of({(np.int64(0), np.int64(1)): np.float32(5)}, classes).matrix, same
    )
    assert np.array_equal(Costs.of([[0, 5], [1, 0]], classes).matrix, same)


@pytest.mark.parametrize(
    ("given_costs", "message"),
    [
        ({("a", "b"): -1}, "'a' predicted as 'b' must be a finite number of at least 0, got -1"),
        ({("a", "b"): np.nan}, "must be a finite number"),
        ({("a", "b"): np.inf}, "must be a finite number"),
        ({("a", "b"): "much"}, "must be a finite number"),
        ({("a", "b"): True}, "must be a finite number"),
        ({("a", "x"): 1}, "a class that y does not have: 'x'; the classes are"),
        ({"ab": 1}, "must be pairs"),
        ({("a", "b", "c"): 1}, "must be pairs"),
        ([[0, 1, 2], [1, 0, 2]], r"a shape of \(2, 2\) for 2 classes, got \(2, 3\)"),
        ([0, 1], r"got \(2,\)"),
        ([[0, -2], [1, 0]], "'a' predicted as 'b' must be a finite number"),
        ([[0, 1], [np.nan, 0]], "'b' predicted as 'a' must be a finite number"),
        ([["x", 1], [1, 0]], "must be a dict of pairs"),
        ("balanced", "must be a dict of pairs"),
        ([[0, 0], [0, 0]], "no mistake that costs anything"),
        ([[0, 1], [0, 0]], "mistakes about class 'b' cost nothing"),
        ([[3, 1], [1, 0]], "'a' costs 3 if it is predicted correctly, but only 1"),
        ([[0, 1], [1e12, 0]], "a factor of more than 1e\\+09"),
    ],
)
def test_costs_refuse_bad_matrices_with_a_reason(given_costs, message):
    with pytest.raises(ParameterError, match=message):
        Costs.of(given_costs, AB)


def test_costs_that_depend_on_the_true_class_have_no_relative_costs():
    assert Costs.of([[0, 7, 7], [2, 0, 2], [1, 1, 0]], ABC).relative is None
    assert Costs.of({("a", "b"): 20}, AB).relative is None
    assert Costs.of([[0, 7, 3], [2, 0, 2], [1, 1, 0]], ABC).relative is not None


@given(matrices(), st.data())
def test_costs_scaled_leave_the_weight_of_all_rows(matrix, data):
    n = len(matrix)
    rows = np.array(data.draw(st.lists(st.integers(1, 50), min_size=n, max_size=n)), dtype=float)
    costs = Costs.of(matrix, np.arange(n)).scaled(rows)
    assert costs.factors @ rows == pytest.approx(rows.sum())
    ratio = costs.factors / (matrix - np.diag(matrix)[:, None]).max(axis=1)
    np.testing.assert_allclose(ratio, costs.scale)


@settings(max_examples=300)
@given(matrices(), st.data())
def test_weights_and_relative_costs_choose_the_cheapest_label(matrix, data):
    n = len(matrix)
    costs = Costs.of(matrix, np.arange(n)).scaled(np.ones(n))
    cases = np.array(data.draw(st.lists(st.integers(0, 9), min_size=n, max_size=n)), dtype=float)
    weighted, relative = cases * costs.factors, costs.relative
    label = int(majority(weighted, relative))
    least = cost_of(cases, matrix, cheapest(cases, matrix))
    assert cost_of(cases, matrix, label) == pytest.approx(least)
    base = float(cases @ np.diag(matrix))
    money = errors_of_labels(weighted, relative) / costs.scale + base
    np.testing.assert_allclose(money, costs.of_labels(cases), atol=1e-9)
    assert float(least_errors(weighted, relative)) / costs.scale + base == pytest.approx(least)


@settings(max_examples=300)
@given(matrices(), st.sampled_from(["sqrt", "gini", "entropy"]), st.data())
def test_half_the_weighted_index_bounds_the_cost(matrix, name, data):
    n = len(matrix)
    costs = Costs.of(matrix, np.arange(n))
    cases = np.array(data.draw(st.lists(st.integers(0, 9), min_size=n, max_size=n)), dtype=float)
    index = INDICES[name].value(cases * costs.factors) / 2
    excess = cost_of(cases, matrix, cheapest(cases, matrix)) - float(cases @ np.diag(matrix))
    assert excess <= index + 1e-9 * (1 + index)
