"""Trees fill the axes they are given, and unreadable text is left out."""

import warnings

import numpy as np
import pytest
from matplotlib import pyplot as plt
from sklearn.datasets import load_breast_cancer, load_wine

from polytomy import TreeClassifier
from polytomy.plot.text import BranchLabelBoxes, DrawnText
from tests.plot.drawn_tree import assert_tidy, boxes, cards_of, ends


def wine(n=5):
    return TreeClassifier(n).fit(*load_wine(return_X_y=True, as_frame=True))


def large():
    return TreeClassifier(40).fit(
        load_breast_cancer().data, np.random.default_rng(3).integers(0, 2, 569)
    )


def label_boxes_of(ax):
    return next(c for c in ax.collections if isinstance(c, BranchLabelBoxes))


@pytest.mark.parametrize("orientation", ["auto", "down", "right"])
@pytest.mark.parametrize("legend", [True, False])
def test_layout_fills_a_subplot_with_readable_text(orientation, legend):
    axes = plt.subplots(2, 2, figsize=(12, 8), dpi=80)[1]
    ax = wine().plot(axes[1, 0], orientation=orientation, legend=legend)
    slot = ax.get_position()
    assert_tidy(ax)  # a warning would be an error
    assert ax.get_position().bounds == pytest.approx(slot.bounds)  # no strip is left empty
    cards, texts = map(ends, boxes(ax))
    frame = ax.get_window_extent()
    both = np.concatenate((cards, texts))
    wide, high = both[:, 2].max() - both[:, 0].min(), both[:, 3].max() - both[:, 1].min()
    assert wide > 0.9 * frame.width
    assert high > 0.9 * frame.height
    assert min(text.get_fontsize() for text in ax.texts) * 80 / 72 >= 5


@pytest.mark.parametrize("shape", [(3, 9), (9, 3), (6.4, 4.8), (20, 16)])
@pytest.mark.parametrize("orientation", ["auto", "down", "right"])
def test_layout_fills_axes_of_any_shape(shape, orientation):
    ax = wine(8).plot(plt.subplots(figsize=shape, dpi=150)[1], orientation=orientation)
    assert_tidy(ax)
    cards = ends(boxes(ax)[0])
    frame = ax.get_window_extent()
    assert cards[:, 2].max() - cards[:, 0].min() > 0.9 * frame.width
    assert max(text.get_fontsize() for text in ax.texts) <= 1.6 * 9 + 0.1


def test_layout_auto_orientation_gives_the_larger_text():
    def size(orientation, shape):
        ax = wine(8).plot(plt.subplots(figsize=shape, dpi=200)[1], orientation=orientation)
        ax.figure.canvas.draw()
        return max(text.get_fontsize() for text in ax.texts)

    for shape in ((3, 9), (9, 3)):
        both = size("down", shape), size("right", shape)
        assert size("auto", shape) >= 0.9 * min(max(both), 9.0)


def test_layout_fits_single_leaves_insets_and_subfigures():
    figure = plt.figure(figsize=(10, 6))
    left, right = figure.subfigures(1, 2)
    inset = left.subplots().inset_axes([0.1, 0.1, 0.8, 0.8])
    assert_tidy(wine(3).plot(inset))
    assert_tidy(wine(1).plot(right.subplots()))


def test_unreadable_text_is_left_out_with_one_warning():
    ax = large().plot(plt.subplots(figsize=(4, 3), dpi=80)[1])
    with pytest.warns(UserWarning, match="larger figure.*max_depth") as warned:
        ax.figure.canvas.draw()
    assert len(warned) == 1
    without = np.asarray(ax.figure.canvas.buffer_rgba()).copy()
    ax.figure.canvas.draw()  # no second warning
    label_boxes_of(ax).remove()
    for text in [text for text in ax.texts if isinstance(text, DrawnText)]:
        text.remove()
    ax.figure.canvas.draw()
    np.testing.assert_array_equal(np.asarray(ax.figure.canvas.buffer_rgba()), without)


def test_readable_text_gives_no_warning(tmp_path):
    ax = large().plot(plt.subplots(figsize=(4, 3), dpi=80)[1])
    ax.figure.savefig(tmp_path / "tree.png", dpi=800)
    ax.figure.savefig(tmp_path / "tree.svg")


def test_many_leaves_give_a_warning_unless_hidden():
    rng = np.random.default_rng(3)
    clf = TreeClassifier(400).fit(rng.random((3000, 5)), rng.integers(0, 3, 3000))
    with pytest.warns(UserWarning, match=r"400 leaves takes long.*max_depth="):
        clf.plot()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ax = clf.plot(max_depth=3)
    assert len(cards_of(ax).get_paths()) < 300
