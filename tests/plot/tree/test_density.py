"""Drawings of density trees: densities and shares in the cards, colours, bars and the legend."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from polytomy import DensityTree
from polytomy.plot.tree.styles import styles_of
from tests.plot.drawn_tree import assert_tidy, words

X = load_iris(as_frame=True).data


@pytest.fixture(scope="module")
def model():
    return DensityTree(max_leaves=6).fit(X)


@pytest.mark.parametrize("orientation", ["down", "right"])
def test_leaves_show_density_and_share(model, orientation):
    ax = model.plot_tree(orientation=orientation)
    assert_tidy(ax)
    shown = words(ax)
    for region in model.to_rules():
        assert f"density {region.density:.3g}" in shown
        assert f"{region.share:.0%} of rows" in shown
    assert "bar: share of the rows" in shown


def test_colours_ascend_with_the_density(model):
    styles = styles_of(model._model)
    densities = model._model.log_density[model.tree_.leaves()]
    order = model.tree_.leaves()[np.argsort(-densities)].tolist()
    red = [int(styles.card(leaf)[1:3], 16) for leaf in order]  # paler colours have more red
    assert red == sorted(red)
    assert len(set(red)) > 3


def test_bars_are_shares_of_the_rows(model):
    styles = styles_of(model._model)
    shares = [styles.bar(leaf)[1][1] for leaf in model.tree_.leaves().tolist()]
    assert sum(shares) == pytest.approx(1)


def test_boxes_without_density_are_drawn():
    hollow = DensityTree(max_leaves=3, smoothing=0.0).fit([[0.0], [0.1], [0.2], [9.9], [10.0]])
    assert "density 0" in words(hollow.plot_tree())


def test_one_box_is_drawn():
    assert_tidy(DensityTree(max_leaves=1).fit(X).plot_tree())
