"""Two prices: losses, questions and costs from their definitions, and the prices of a sample."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polytomy.index import resolve
from polytomy.theory import Prices, questions, tree_cost
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


def test_leaf_costs_one_row_of_mean_weight():
    assert Prices.of(np.array([30.0, 30.0]), 120, 0.02, GINI).leaf == 0.5


@given(st.integers(1, 50), st.integers(1, 50), st.floats(0.01, 100))
def test_prices_scale_with_the_weights(a, b, factor):
    counts = np.array([a, b], dtype=float)
    one, other = (Prices.of(c, a + b, 0.02, GINI) for c in (counts, counts * factor))
    assert other.leaf == pytest.approx(one.leaf * factor)
    assert other.question == pytest.approx(one.question)


@given(st.integers(1, 500))
def test_question_price_falls_with_the_share_of_a_rare_class(rare):
    counts = np.array([1000.0 - rare, rare])
    price = Prices.of(counts, 1000, 0.02, GINI).question
    loss = float(losses(counts[np.newaxis], GINI)[0])
    assert price == pytest.approx(0.02 * min(1.0, 2 * loss / 1000))
    assert 0 < price <= 0.02


def test_questions_are_free_if_there_is_only_one_class():
    assert Prices.of(np.array([7.0, 0.0]), 7, 0.02, GINI).question == 0.0


def test_many_classes_do_not_raise_the_price():
    assert Prices.of(np.full(10, 10.0), 100, 0.02, resolve("gini", 10)).question == 0.02
