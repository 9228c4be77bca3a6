"""Bars of importances: the largest on top, small ones joined, zeros left out."""

from itertools import pairwise

import numpy as np
import pytest
from matplotlib import pyplot as plt
from sklearn.datasets import load_breast_cancer

from polytomy import BoostedTreeClassifier, ParameterError, TreeClassifier
from polytomy.plot import plot_importances


def bars(ax):
    """Return (name, length) of each bar, from the top down."""
    names = [tick.get_text().replace("\n", " ") for tick in ax.get_yticklabels()]
    top_down = sorted(
        zip(ax.patches, names, strict=True),
        key=lambda b: ax.transData.transform((0, b[0].get_y()))[1],
        reverse=True,
    )
    return [(name, bar.get_width()) for bar, name in top_down]


def test_importances_are_sorted_and_complete():
    ax = plot_importances(["a", "b", "c", "d"], [0.2, 0.5, 0.0, 0.3])
    assert bars(ax) == [("b", 0.5), ("d", 0.3), ("a", 0.2)]
    assert [text.get_text() for text in ax.texts] == ["0.500", "0.300", "0.200"]


def test_importances_sum_the_rest_in_one_bar():
    shares = np.array([1, 2, 3, 4, 0, 10]) / 20
    ax = plot_importances(list("abcdef"), shares, most=3)
    assert [name for name, _ in bars(ax)] == ["f", "d", "3 others"]
    np.testing.assert_allclose([width for _, width in bars(ax)], [0.5, 0.2, 0.3])
    assert [name for name, _ in bars(plot_importances(list("abcdef"), shares, most=5))] == list(
        "fdcba"
    )
    (one,) = bars(plot_importances(list("abcdef"), shares, most=1))
    assert one == ("5 others", pytest.approx(1.0))


def test_importances_break_ties_by_column():
    assert [name for name, _ in bars(plot_importances(list("xyz"), [0.3, 0.4, 0.3]))] == [
        "y",
        "x",
        "z",
    ]


def test_importances_do_not_parse_names_as_mathematics():
    names = ["$a_b$ $", "_x\ny", "é日本", "n" * 200]
    ax = plot_importances(names, [4, 3, 0, 1])
    assert [name for name, _ in bars(ax)][:2] == ["$a_b$ $", "_x\\ny"]
    assert len(bars(ax)[2][0]) == 40
    ax.figure.canvas.draw()
    assert not any(tick.get_parse_math() for tick in ax.get_yticklabels())


def test_importances_of_a_single_leaf_have_no_bars():
    ax = plot_importances(["a", "b"], [0, 0])
    assert not ax.patches
    ax.figure.canvas.draw()


def test_importances_keep_numbers_inside_the_axes():
    ax = plot_importances([f"n{i}" for i in range(30)], np.arange(30.0))
    ax.figure.canvas.draw()
    box = ax.get_window_extent()
    assert all(text.get_window_extent().x1 <= box.x1 for text in ax.texts)
    assert len(ax.patches) == 20


@pytest.mark.parametrize("wrong", [[1.0], [1.0, np.nan], [1.0, -0.1], [[1.0, 0.0]]])
def test_importances_must_match_the_names(wrong):
    with pytest.raises(ParameterError, match="one for each name"):
        plot_importances(["a", "b"], wrong)


def test_importances_refuse_fewer_than_one_bar():
    with pytest.raises(ParameterError, match="most"):
        plot_importances(["a"], [1.0], most=0)


@pytest.mark.parametrize("kind", [TreeClassifier, BoostedTreeClassifier])
def test_importances_are_drawn_by_classifiers(kind):
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    own = plt.subplots()[1]
    clf = kind().fit(X, y)
    assert clf.plot_importances(own, most=4) is own
    best = int(np.argmax(clf.feature_importances_))
    assert bars(own)[0] == (X.columns[best], pytest.approx(clf.feature_importances_[best]))


LONG = ["od280/od315_of_diluted_wines", "alcalinity of the ash", "n" * 60, "proline", "", "a-b"]


@pytest.mark.parametrize("grid", [(2, 2), (1, 4), (3, 3)])
@pytest.mark.parametrize("n", [3, 20])
def test_importances_fit_names_beside_a_subplot(grid, n):
    figure, axes = plt.subplots(*grid, figsize=(12, 8), dpi=80)
    for ax in axes.ravel():
        plot_importances((LONG * 4)[:n], np.linspace(1, 0.1, n) / n, ax)
    figure.canvas.draw()
    for ax in axes.ravel():
        left = max(
            [other.bbox.x1 for other in axes.ravel() if other.bbox.x1 < ax.bbox.x0], default=0
        )
        labels = [tick.get_window_extent() for tick in ax.get_yticklabels()]
        assert min(label.x0 for label in labels) >= left
        assert max(text.get_window_extent().x1 for text in ax.texts) <= ax.bbox.x1 + 1
        if n == 3:
            assert all(a.y0 >= b.y1 - 1 for a, b in pairwise(labels))
            assert "od280" in ax.get_yticklabels()[0].get_text()


def test_importances_keep_whole_names_in_a_layout():
    ax = plt.subplots(1, 2, layout="constrained")[1][1]
    plot_importances(LONG[:2], [0.6, 0.4], ax)
    assert [name for name, _ in bars(ax)] == LONG[:2]
