"""The verifier of density trees: honest models pass, and every change of one has a finding."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polytomy import DensityTree, verify
from polytomy.encode import Schema

N = 240


def table(n=N):
    rng = np.random.default_rng(3)
    far = np.where(rng.random(n) < 0.5, rng.normal(0, 1, n).round(1), rng.normal(40, 1, n).round(1))
    town = rng.choice(["Rom", "Ulm", "Wien"], n, p=[0.6, 0.3, 0.1]).astype(object)
    town[::13], far[::9] = None, np.nan
    size = pd.Categorical(rng.choice(["S", "M", "L"], n), ["S", "M", "L", "XL"], ordered=True)
    return pd.DataFrame({"far": far, "town": town, "count": rng.poisson(2, n), "size": size})


@pytest.fixture(scope="module")
def fitted():
    rows = table()
    return DensityTree(14).fit(rows), rows


def with_model(model, **changes):
    other = DensityTree(**model.get_params()).fit(table()[:2])
    other._model, other._input = replace(model._model, **changes), model._input
    return other


def findings(model, rows, **changes):
    return [str(f) for f in verify(with_model(model, **changes), rows).findings]


@pytest.mark.parametrize("weights", [None, "whole", "small"])
@pytest.mark.parametrize(
    "parameters",
    [
        {"max_leaves": 12},
        {"max_leaves": "cv"},
        {"max_leaves": None, "smoothing": 0.0},
        {"max_leaves": 9, "loss": "squared", "max_arity": 2, "max_bins": 8},
        {"max_leaves": 20, "min_samples_leaf": 6, "max_depth": 2},
    ],
)
def test_what_fit_states_is_verified(parameters, weights):
    rows, rng = table(), np.random.default_rng(0)
    given = {"whole": rng.integers(0, 4, N), "small": rng.random(N) / 100}.get(weights)
    report = verify(DensityTree(**parameters).fit(rows, sample_weight=given), rows, None, given)
    assert report.ok, str(report)
    assert ("cross-validation" in str(report)) == (parameters["max_leaves"] == "cv")


@pytest.mark.parametrize(
    "X",
    [
        [[1.0]],
        [[2.0], [2.0]],
        [[np.nan], [np.nan], [1.0]],
        [[np.nan], [np.nan]],
        [[1e308], [-1e308], [0.0], [1.0]],
        [[5e-324], [0.0], [1e-310]],
        [[0.0], [1.0], [2.0], [3.0], [50.0]],
    ],
)
def test_odd_tables_are_verified(X):
    assert verify(DensityTree(None).fit(X), X).ok


columns = st.lists(
    st.sampled_from([0.0, 0.5, 1.0, 3.0, 3.25, 10.0, 80.0, np.nan]), min_size=2, max_size=25
)


@settings(max_examples=30)
@given(columns, st.sampled_from([None, 2, 5, "cv"]), st.sampled_from([0.0, 3.0]))
def test_random_columns_are_verified(x, max_leaves, smoothing):
    X = np.array(x)[:, np.newaxis]
    assert verify(DensityTree(max_leaves, smoothing=smoothing).fit(X), X).ok


def test_other_rows_are_found(fitted):
    model, rows = fitted
    assert "the number of rows is stated as 240, found 239" in str(verify(model, rows[1:]))
    other = rows.copy()
    other.loc[3, "count"] = 99
    assert not verify(model, other).ok
    assert not verify(model, rows, sample_weight=np.r_[2.0, np.ones(N - 1)]).ok


def test_the_order_of_rows_does_not_matter(fitted):
    model, rows = fitted
    assert verify(model, rows[::-1]).ok


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        ("counts", lambda a: np.where(a == a[-1], a + 1, a), "the weights are stated as"),
        ("rows", lambda a: np.r_[a[:-1], a[-1] + 1], "the number of rows is stated as"),
        ("threshold", lambda a: np.r_[a[0] + 1e-6, a[1:]], "a threshold is stated as"),
        ("default_branch", lambda a: np.where(a >= 0, (a + 1) % 2, a), "is not the grown tree's"),
    ],
)
def test_a_changed_tree_is_found(fitted, name, change, words):
    model, rows = fitted
    tree = replace(model.tree_, **{name: change(getattr(model.tree_, name))})
    assert any(words in finding for finding in findings(model, rows, tree=tree))


def test_changed_odds_are_found(fitted):
    model, rows = fitted
    odds = model._model.missing_odds
    found = findings(model, rows, missing_odds=(odds[0] * 1.01, *odds[1:]))
    assert found[0].startswith("column 'far': the odds of missing cells is stated as")


def test_changed_smoothing_is_found(fitted):
    model, rows = fitted
    assert findings(model, rows, prior=2.0) == ["model: smoothing is stated as 2.0, found 3.0"]


def test_changed_bins_are_found():
    rows = table()
    model = DensityTree(1).fit(rows)
    spec = model._model.schema[0]
    gap = next(i for i in range(spec.n_values) if spec.high[i] - spec.low[i] > 20)
    high, closed = spec.high.copy(), np.delete(np.arange(spec.n_values), gap)
    high[gap] -= 1.0
    others = (
        replace(spec, high=high),
        replace(spec, low=spec.low[closed], high=spec.high[closed]),
    )
    for other in others:
        schema = Schema((other, *tuple(model._model.schema)[1:]))
        words = "column 'far': its bins without rows are not the wide gaps between its values"
        assert words in findings(model, rows, schema=schema)


def test_densities_are_computed_again(fitted):
    model, rows = fitted
    other = with_model(model)
    leaves = model.tree_.leaves()
    stated = other._model.log_density
    stated[leaves[np.argmax(model.tree_.rows[leaves])]] += 1e-6  # a cached array
    found = [str(f) for f in verify(other, rows).findings]
    assert any("the log-density of its box is stated as" in line for line in found)
    assert any("densities: the integral is stated as 1, found" in line for line in found)
    assert any("training rows have another log-density" in line for line in found)


def test_columns_stated_as_whole_numbers_are_checked():
    rows = np.array([[0.5], [1.0], [2.5], [4.0]])
    model = DensityTree(2).fit(rows)
    model._input = replace(model._input, whole=(True,))
    words = "column 'x0': it has numbers that are not whole"
    assert [str(f) for f in verify(model, rows).findings] == [words]
