"""Score functions are drawn as curves, bars or markers, with missing cells beside them."""

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_hex

from polytomy import BoostedTreeClassifier, ParameterError
from polytomy._types import UNSEEN
from polytomy.encode import encode
from polytomy.ensemble import Ensemble, Member
from polytomy.export import class_colour
from polytomy.plot import plot_scores
from polytomy.table import Nominal, Ordered, Table, Times
from polytomy.tree import CategorySplit, IntervalSplit, TreeBuilder
from tests.ensemble.random_ensembles import random_ensemble


def stump(split, *scores):
    builder = TreeBuilder(np.ones(2), 2)
    k = split.arity
    builder.split(0, split, np.ones((k, 2)), [1] * k)
    return Member(builder.finish(), np.concatenate(([[0.0]], np.reshape(scores, (k, 1)))))


def ensemble_of(table, *members):
    return Ensemble(encode(table).schema, np.array(["no", "yes"]), members, np.zeros(1), "adaboost")


def curve_of(ax):
    """Return the steps of a curve: (edges, values)."""
    data = ax.patches[2].get_data()
    return np.asarray(data.edges), np.asarray(data.values)


def test_scores_curve_has_the_thresholds_and_scores_of_its_function():
    table = Table.of({"x": np.array([0.0, 1.0, 2.0, 9.0])})
    ensemble = ensemble_of(
        table, stump(IntervalSplit(0, np.array([0.5, 1.5]), UNSEEN, 0), 1, 2, -3)
    )
    (ax,) = plot_scores(ensemble)
    edges, values = curve_of(ax)
    np.testing.assert_allclose(edges, [0.35, 0.5, 1.5, 1.65])
    assert values.tolist() == [1.0, 2.0, -3.0]
    assert ax.get_title(loc="left") == "x"
    assert ax.figure.get_supylabel() == "votes: above 0 for yes, below for no"


def test_scores_mark_missing_cells_beside_the_curve():
    table = Table.of({"x": np.array([0.0, 1.0, np.nan])})
    ensemble = ensemble_of(table, stump(IntervalSplit(0, np.array([0.5]), 2, 0), 1, -1, 0.25))
    (ax,) = plot_scores(ensemble)
    marked = [line for line in ax.get_lines() if line.get_marker() == "o"]
    assert [line.get_ydata()[0] for line in marked] == [0.25]
    assert marked[0].get_xdata()[0] > curve_of(ax)[0][-1]
    assert [text.get_text() for text in ax.texts] == ["missing"]


def test_scores_leave_infinite_ranges_out_of_a_curve():
    x = np.array([-np.inf, 0.0, 1.0, np.inf])
    cuts = np.array([-np.inf, 0.5, np.finfo(float).max])
    ensemble = ensemble_of(
        Table.of({"x": x}), stump(IntervalSplit(0, cuts, UNSEEN, 0), 9, 1, -1, 9)
    )
    (ax,) = plot_scores(ensemble)
    edges, values = curve_of(ax)
    assert np.isfinite(edges).all()
    assert values.tolist() == [1.0, -1.0]


@pytest.mark.parametrize("dtype", ["datetime64[D]", "datetime64[ns]", "timedelta64[s]"])
def test_scores_draw_times(dtype):
    day = {"D": 1, "ns": 86400 * 10**9, "s": 86400}[dtype[dtype.index("[") + 1 : -1]]
    ticks = np.arange(0, 400, 40) * day
    ticks[3] = np.iinfo(np.int64).min
    table = Table((Ordered("t", ticks, Times(dtype)),), len(ticks))
    cuts = np.array([100.0, 260.0]) * day
    ensemble = ensemble_of(table, stump(IntervalSplit(0, cuts, 0, 0), 1, 2, 3))
    (ax,) = plot_scores(ensemble)
    ax.figure.canvas.draw()
    edges, _ = curve_of(ax)
    assert edges[1] == 100.0  # days since 1970, matplotlib's unit of dates
    assert ax.get_xlabel() == ("days" if dtype.startswith("timedelta") else "")


def test_scores_draw_categories_as_descending_bars():
    names = tuple(f"category {i:02}" for i in range(20))
    table = Table((Nominal("c", np.arange(-1, 20, dtype=np.int32), names),), 21)
    branches = np.arange(20, dtype=np.int32)
    scores = [float(i - 10) for i in range(20)]
    ensemble = ensemble_of(table, stump(CategorySplit(0, branches, 3, 10), *scores))
    (ax,) = plot_scores(ensemble)
    ticks = [label.get_text() for label in ax.get_xticklabels()]
    top, bottom = (names[i] for i in (19, 0))
    assert (ticks[0], ticks[5], ticks[-3:]) == (top, "(+10 more)", [bottom, "missing", "unseen"])
    heights = [bar.get_height() for bar in ax.containers[0]]
    assert heights[:5] == [9.0, 8.0, 7.0, 6.0, 5.0]
    assert heights[-3:] == [-10.0, -7.0, 0.0]


@pytest.mark.parametrize("n_outputs", [1, 2, 5, 12])
def test_scores_draw_random_ensembles(n_outputs):
    for seed in range(3):
        ensemble = random_ensemble(np.random.default_rng(seed), 80, n_outputs=n_outputs, own=True)
        axes = plot_scores(ensemble, most=4)
        assert len(axes) == 4
        assert len({ax.get_ylim() for ax in axes}) == 1  # one scale
        figure = axes[0].figure
        figure.canvas.draw()
        assert "(4 of 5 columns)" in figure.get_suptitle()
        names = [ax.get_title(loc="left") for ax in axes]
        widest = ensemble.additive.by_spread()[:4]
        assert names == [ensemble.schema[f.feature].name for f in widest]
        if n_outputs > 1:
            (legend,) = figure.legends
            assert len(legend.get_texts()) == min(n_outputs, 7)
        plt.close("all")


def test_scores_refuse_deeper_trees_and_empty_figures():
    rng = np.random.default_rng(0)
    with pytest.raises(ParameterError, match="boost with max_depth=1"):
        plot_scores(random_ensemble(rng, 20, splits=4))
    with pytest.raises(ParameterError, match="nothing to draw"):
        plot_scores(random_ensemble(rng, 0))
    with pytest.raises(ParameterError, match="at least 1"):
        plot_scores(random_ensemble(rng, 5), most=0)


def test_scores_curve_of_one_threshold_spans_the_training_values():
    table = Table.of({"x": np.array([5.0, 6.0, 500.0])})
    ensemble = ensemble_of(table, stump(IntervalSplit(0, np.array([250.0]), UNSEEN, 0), -1, 1))
    (ax,) = plot_scores(ensemble)
    assert ax.get_xlim() == (5.0, 500.0)


def test_scores_of_two_classes_have_the_colours_of_the_classes():
    X = pd.DataFrame({"x": np.arange(60.0), "town": np.resize(list("abc"), 60)})
    y = np.where((X["x"] > 30) ^ (X["town"] == "a"), "yes", "no")
    drawn = set()
    for ax in BoostedTreeClassifier(20, max_leaves=2).fit(X, y).plot_scores():
        for patch in ax.patches:
            if patch.get_fill() and patch.get_facecolor()[3] > 0:
                drawn.add(to_hex(patch.get_facecolor()))
    assert drawn == {to_hex(class_colour(0)), to_hex(class_colour(1))}
