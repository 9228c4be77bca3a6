"""The reference's AdaBoost: the facts of the lecture."""

from itertools import islice

import numpy as np
import pytest

from polytomy.reference import adaboost


def sample(seed, n_rows=80):
    rng = np.random.default_rng(seed)
    columns = {"a": rng.integers(0, 8, n_rows), "b": rng.integers(0, 8, n_rows)}
    score = columns["a"] - 4 + (columns["b"] - 3.5) ** 2 / 4 + rng.standard_normal(n_rows)
    return columns, np.where(score > 1, 1, -1)


@pytest.mark.parametrize("seed", range(3))
def test_training_error_is_at_most_the_product_of_z(seed):
    columns, y = sample(seed)
    rows = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
    votes, product = np.zeros(len(y)), 1.0
    for one in islice(adaboost(columns, y), 15):
        votes += one.alpha * np.array(one.run.predict(rows))
        product *= one.z
        assert np.mean(votes * y <= 0) <= product + 1e-12


@pytest.mark.parametrize("seed", range(3))
def test_z_is_the_sqrt_index_of_the_error(seed):
    columns, y = sample(seed)
    for one in islice(adaboost(columns, y), 10):
        assert one.z == pytest.approx(2 * np.sqrt(one.epsilon * (1 - one.epsilon)))
        assert one.distribution.sum() == pytest.approx(1)


def test_tree_has_error_a_half_on_the_next_distribution():
    columns, y = sample(0)
    rows = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
    first, second = islice(adaboost(columns, y), 2)
    wrong = np.array(first.run.predict(rows)) != y
    assert second.distribution[wrong].sum() == pytest.approx(0.5)


def test_rounds_end_when_a_tree_makes_no_error():
    assert list(adaboost({"x": [1, 2]}, [-1, 1])) == []
