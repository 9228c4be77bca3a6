"""Styles of classes and the legend."""

import numpy as np

from polytomy import TreeClassifier
from polytomy.plot.tree.styles import ClassStyles
from tests.plot.drawn_tree import assert_tidy, words


def test_class_styles_are_distinct_and_then_grey():
    ten = ClassStyles.of(np.ones(10))
    assert len({(ten.bar(i).colour, ten.bar(i).hatch) for i in range(10)}) == 10
    counts = np.arange(30.0)
    many = ClassStyles.of(counts)
    assert [i for i in range(30) if many.nth[i] >= 0] == list(range(19, 30))
    assert len({(many.bar(i).colour, many.bar(i).hatch) for i in range(19, 30)}) == 11
    assert many.bar(0).colour == many.bar(18).colour
    rng = np.random.default_rng(3)
    X = rng.random((900, 3))
    ax = TreeClassifier(20).fit(X, (X[:, 0] * 30).astype(int)).plot()
    assert "19 other classes, named in their nodes" in words(ax)
    assert_tidy(ax)
