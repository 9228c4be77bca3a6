"""Two prices: losses, questions and costs from their definitions, and the prices of a sample."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polytomy.index import resolve
from polytomy.theory import Prices, cases_per_weight, questions, tree_cost
from polytomy.theory.prices import losses
from tests.strategies import INDEX_NAMES, grown_trees

GINI = resolve("gini", 2)


@pytest.mark.filterwarnings("ignore:the 'error' index")
@given(st.lists(st.integers(0, 9), min_size=2, max_size=4), st.sampled_from(INDEX_NAMES))
def test_loss_is_half_the_errors_and_a_quarter_of_the_index(counts, name):
    index = resolve(name, len(counts))
    vector = np.array([counts], dtype=float)
    value = float(index.value(vector)[0])
    expected = (sum(counts) - max(counts)) / 2 + value / 4
    assert losses(vector, index)[0] == pytest.approx(expected)


def test_loss_rewards_leaves_of_one_class_with_different_shares():
    mixed, apart = np.array([[8.0, 2.0]]), np.array([[5.0, 0.0], [3.0, 2.0]])
    assert losses(apart, GINI).sum() < losses(mixed, GINI).sum()
    errors = [float((c.sum(axis=1) - c.max(axis=1)).sum()) for c in (mixed, apart)]
    assert errors[0] == errors[1]


@settings(max_examples=60, deadline=None)
@given(grown_trees())
def test_questions_are_the_splits_on_the_path_of_each_row(case):
    tree = case.tree
    on_paths = sum(float(tree.counts[v].sum()) * (len(tree.path(v)) - 1) for v in tree.leaves())
    assert questions(tree) == pytest.approx(on_paths)


@settings(max_examples=60, deadline=None)
@given(grown_trees(), st.floats(0, 3), st.floats(0, 1))
def test_tree_cost_adds_losses_leaves_and_questions(case, leaf, question):
    tree = case.tree
    index = resolve("gini", tree.n_classes)
    expected = sum(losses(tree.counts[[v]], index)[0] + leaf for v in tree.leaves())
    expected += question * questions(tree)
    assert tree_cost(tree, index, Prices(leaf, question)) == pytest.approx(expected)


def test_leaf_costs_one_case():
    assert Prices.of(300.0, 120, 0.1, 100.0).leaf == 1.0  # case counts
    assert Prices.of(60.0, 120, 0.1, 100.0).leaf == 0.5  # no case counts: a row of mean weight
    assert Prices.of(20.0, 20, 0.1, 10.0).leaf == pytest.approx(0.2)  # few rows


@given(st.integers(1, 500), st.integers(1, 20))
def test_leaf_price_of_weighted_rows_is_that_of_repeated_rows(rows, times):
    weighted = Prices.of(float(rows * times), rows, 0.1, rows / 2 * times)
    assert weighted == Prices.of(float(rows * times), rows * times, 0.1, rows / 2 * times)


def test_question_costs_a_fraction_of_half_the_impurity_removed():
    assert Prices.of(200.0, 200, 0.1, 100.0).question == pytest.approx(0.1 * 50 / 200)
    assert Prices.of(200.0, 200, 0.1, 0.0).question == 0.0


@given(st.integers(1, 1000), st.floats(1e-6, 1e6))
def test_cases_are_weights_unless_they_are_too_small(rows, weight):
    cases = weight * cases_per_weight(rows, weight)
    assert cases == pytest.approx(max(rows, weight))
