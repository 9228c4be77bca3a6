"""Figures are readable on any background."""

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_rgb
from sklearn.datasets import load_breast_cancer, load_wine

from polytomy import TreeClassifier
from polytomy.export.diagram import contrast as colour_contrast
from polytomy.plot import plot_margins
from polytomy.plot.background import Background
from tests.plot.drawn_tree import cards_of


def contrast(a, b):
    return colour_contrast(to_rgb(a), to_rgb(b))


def clf():
    return TreeClassifier(5).fit(*load_wine(return_X_y=True, as_frame=True))


STYLES = ["default", "dark_background", "Solarize_Light2", "grayscale", "seaborn-v0_8-darkgrid"]


def assert_readable(ax, background):
    """Check that every text contrasts with its card, or with the background outside cards."""
    cards = cards_of(ax)
    boxes = [path.get_extents() for path in cards.get_paths()]
    for text in ax.texts:
        at = text.get_position()
        under = [i for i, box in enumerate(boxes) if box.contains(*at)]
        ground = cards.get_facecolor()[under[0]][:3] if under else background
        assert contrast(text.get_color(), ground) >= 4.5, text.get_text()
    branches, boxes = (
        next(c for c in ax.collections if c.get_zorder() == order) for order in (1, 1.5)
    )
    np.testing.assert_allclose(boxes.get_facecolor()[0][:3], to_rgb(background))
    assert contrast(branches.get_facecolor()[0][:3], background) >= 1.5


@pytest.mark.parametrize("style", STYLES)
def test_background_keeps_trees_readable_in_every_style(style):
    with plt.style.context(style):
        ax = clf().plot()
        assert_readable(ax, ax.figure.get_facecolor())


@pytest.mark.parametrize("colour", ["black", "white", "navy", "khaki", "0.45", "0.55"])
def test_background_keeps_trees_readable_on_any_colour(colour):
    ax = plt.subplots(facecolor=colour)[1]
    ax.set_facecolor("red")  # not visible: the axes of a tree have no frame
    assert_readable(clf().plot(ax), colour)
    inner = plt.figure(facecolor="white").subfigures(1, 2, facecolor=colour)[0]
    assert_readable(clf().plot(inner.subplots()), colour)


@pytest.mark.parametrize(("style", "page"), [("default", "white"), ("dark_background", "black")])
def test_background_of_a_transparent_figure_follows_the_text_colour(style, page):
    with plt.style.context(style):
        ax = plt.subplots(facecolor="none", subplot_kw={"facecolor": "none"})[1]
        assert_readable(clf().plot(ax), page)


def test_background_turns_black_lines_white_on_black():
    X, y = load_breast_cancer(return_X_y=True)
    with plt.style.context("dark_background"):
        tree = TreeClassifier(8).fit(X, y)
        for ax in (
            tree.plot_growth(),
            tree.plot_pruning_path(X=X, y=y),
            plot_margins({f"after {n}": [0.1, 0.5] for n in range(7)}),
        ):
            assert all(contrast(line.get_color(), "black") > 1.5 for line in ax.get_lines())


def test_background_tint_mixes_ink_and_background():
    white = Background.of((1.0, 1.0, 1.0))
    assert white.tint(0) == white.colour
    assert white.tint(1) == white.ink == (0.0, 0.0, 0.0)
    assert (white.visible("#000000"), white.visible("#0072B2")) == (white.ink, "#0072B2")
