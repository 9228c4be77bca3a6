"""The p-values of splits as text."""

import re

import numpy as np
import pytest
from scipy.stats import f_oneway

from polytomy import TreeRegressor
from polytomy.export.phrasing.p_values import anova_p_chance
from tests.export.number_trees import NAMES, case, table


@pytest.mark.parametrize("criterion", ["squared_error", "poisson"])
def test_plain_p_value_is_that_of_the_analysis_of_variance(criterion):
    X, y = table()
    y = y + np.random.default_rng(1).exponential(30, len(y))  # so that no p-value is tiny
    reg = TreeRegressor(12, criterion=criterion, honest=False).fit(X, y)
    tree, leaf = reg.tree_, reg.apply(X)
    found = anova_p_chance(reg._model)
    reached = np.array([[v in tree.path(at) for v in range(tree.n_nodes)] for at in leaf])
    for node in range(tree.n_nodes):
        if tree.is_leaf(node):
            assert np.isnan(found.p[node])
            continue
        branches = [y[reached[:, child]] for child in tree.children(node)]
        assert found.few[node] == (min(map(len, branches)) < 5)
        assert found.plain[node] == pytest.approx(f_oneway(*branches).pvalue, rel=1e-6)
        assert found.plain[node] < found.p[node] <= 1


def test_weights_count_as_cases():
    X, y = table()
    doubled = TreeRegressor(3, honest=False).fit(X, y, sample_weight=np.full(len(y), 2.0))
    twice = TreeRegressor(3, honest=False).fit(
        X.loc[np.repeat(X.index, 2)].reset_index(drop=True), np.repeat(y, 2)
    )
    np.testing.assert_allclose(
        anova_p_chance(doubled._model).plain, anova_p_chance(twice._model).plain, rtol=1e-6
    )


def test_adjusted_p_value_of_noise_is_seldom_small():
    rng = np.random.default_rng(2)
    small = 0
    for _ in range(60):
        X, y = rng.random((60, 4)), rng.normal(size=60)
        reg = TreeRegressor(2, procedure="per-leaf", honest=False).fit(X, y)
        small += anova_p_chance(reg._model).p[0] < 0.1
    assert small <= 10


@pytest.mark.parametrize("name", NAMES)
def test_text_shows_the_p_value_of_every_split(name):
    reg, _ = case(name)
    shown = re.findall(r"\(p_chance (?:< )?\d\.\d{4}", reg.to_text(p_chance=True, max_width=200))
    assert len(shown) == reg.tree_.n_nodes - reg.n_leaves_
