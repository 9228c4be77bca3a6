"""Index functions against the textbook formulas, the kernels and the lecture's examples."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polytomy import kernels, reference
from polytomy.index import INDICES, LAYERED, resolve

STRICT = ("sqrt", "gini", "entropy")
counts = st.lists(st.integers(0, 10**6), min_size=2, max_size=6).filter(any)


@pytest.fixture(autouse=True)
def _quiet(recwarn):
    """Record the warnings of the error index, which have their own test."""


@pytest.mark.parametrize("name", INDICES)
@given(counts)
def test_index_equals_the_textbook_formula(name, c):
    expected = float(reference.INDICES[name](c))
    vector = np.array([c], dtype=np.float64)
    index = INDICES[name]
    # the textbook forms cancel; they are good to n * 1e-15 only
    slack = 1e-12 * sum(c)
    assert index.value(vector)[0] == pytest.approx(expected, abs=slack)
    assert kernels.index_values(index.number, vector)[0] == pytest.approx(
        float(index.value(vector)[0]), rel=1e-13, abs=1e-300
    )


@pytest.mark.parametrize("name", INDICES)
@given(counts, st.integers(0, 5))
def test_index_of_a_pure_node_is_exactly_zero(name, c, at):
    pure = np.zeros((1, len(c)))
    pure[0, at % len(c)] = sum(c)
    assert INDICES[name].value(pure)[0] == 0
    assert kernels.index_values(INDICES[name].number, pure)[0] == 0


@pytest.mark.parametrize("name", INDICES)
@given(st.integers(2, 5), st.integers(0, 2**32 - 1))
def test_index_is_homogeneous_superadditive_and_bounds_the_error(name, n_classes, seed):
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 50, size=(2, 20, n_classes)).astype(float)
    f = INDICES[name].value
    scale = (a + b).sum(axis=-1) + 1
    assert (f(a) >= 0).all()
    np.testing.assert_allclose(f(7.5 * a), 7.5 * f(a), rtol=1e-12)
    assert (f(a + b) - f(a) - f(b) >= -1e-12 * scale).all()
    assert (f(a) - INDICES["error"].value(a) >= -1e-12 * scale).all()


def test_index_is_precise_for_a_nearly_pure_node():
    c = np.array([[3e9, 1.0]])
    n = 3e9 + 1
    exact = {"gini": 4 * 3e9 / n, "sqrt": 2 * np.sqrt(3e9), "error": 2.0}
    exact["entropy"] = np.log2(n) + 3e9 * np.log1p(1 / 3e9) / np.log(2)
    for name, value in exact.items():
        assert INDICES[name].value(c)[0] == pytest.approx(value, rel=1e-14)
        assert kernels.index_values(INDICES[name].number, c)[0] == pytest.approx(value, rel=1e-14)


@given(st.floats(0, 1))
def test_indices_are_ordered_as_in_figure_8_5(q):
    c = np.array([q, 1 - q])
    values = [float(INDICES[n].value(c)) for n in ("error", "gini", "entropy", "sqrt")]
    assert all(a <= b + 1e-12 for a, b in pairwise(values))


@pytest.mark.parametrize("name", INDICES)
def test_index_of_two_equal_classes_is_one(name):
    assert float(INDICES[name].value(np.array([0.5, 0.5]))) == pytest.approx(1, rel=1e-15)


def gain(name, parent, *children):
    f = INDICES[name].value
    return float(f(np.array(parent)) - sum(f(np.array(child)) for child in children))


def test_error_index_has_no_gain_in_figure_8_4_unlike_gini():
    split = [0.8, 0.2], [0.3, 0.2], [0.5, 0.0]
    assert gain("error", *split) == pytest.approx(0, abs=1e-15)
    assert gain("gini", *split) == pytest.approx(0.16, abs=1e-15)  # the lecture's 0.08, times two


def test_entropy_gains_match_the_lecture_example():
    x1 = gain("entropy", [3, 5], [0, 4], [3, 1]) / 8
    x2 = gain("entropy", [3, 5], [1, 3], [2, 2]) / 8
    assert (round(x1, 4), round(x2, 4)) == (0.5488, 0.0488)


def test_error_index_warns_that_it_is_for_teaching():
    with pytest.warns(UserWarning, match="not strictly concave"):
        resolve("error")


@pytest.mark.parametrize("name", STRICT)
def test_other_indices_do_not_warn(name):
    assert resolve(name) is INDICES[name]


@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 10**6)), min_size=1, max_size=5))
def test_pairs_is_the_sum_of_sqrt_over_pairs(pairs):
    expected = sum(float(reference.sqrt(pair)) for pair in pairs)
    vector = np.array([pairs], dtype=np.float64).reshape(1, -1)
    index = LAYERED["pairs"]
    assert index.value(vector)[0] == pytest.approx(expected, abs=1e-12 * vector.sum())
    by_kernel = kernels.index_values(index.number, vector)[0]
    assert by_kernel == pytest.approx(float(index.value(vector)[0]), rel=1e-13)


@given(st.integers(1, 20), st.integers(0, 2**32 - 1))
def test_squares_gain_is_that_of_the_weighted_sum_of_squares(n, seed):
    rng = np.random.default_rng(seed)
    z, w = rng.uniform(-4, 4, n), rng.uniform(0, 2, n)
    counts = np.array([(w * (1 + z / 4) / 2).sum(), (w * (1 - z / 4) / 2).sum()])
    about_mean = (w * (z - np.average(z, weights=w)) ** 2).sum()
    constant = (w * (16 - z**2)).sum()
    assert 16 * LAYERED["squares"].value(counts) == pytest.approx(about_mean + constant, rel=1e-9)


def test_resolve_refuses_the_layered_indices():
    for name in LAYERED:
        with pytest.raises(ValueError, match="index must be one of"):
            resolve(name)
