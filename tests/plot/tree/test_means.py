"""Drawn trees of a numeric target."""

import numpy as np
import pytest
from matplotlib.colors import to_hex

from polytomy.export import mean_colour, node_colours, target_format
from polytomy.plot.tree.styles import styles_of
from tests.export.number_trees import NAMES, case
from tests.plot.drawn_tree import assert_tidy, cards_of, words


@pytest.mark.parametrize("orientation", ["down", "right"])
@pytest.mark.parametrize("name", [n for n in NAMES if n != "noise"])
def test_figure_shows_every_leaf(name, orientation):
    reg, _ = case(name)
    ax = reg.plot(orientation=orientation)
    assert_tidy(ax)
    shown = words(ax)
    for rule in reg.to_rules():
        mean = rule.prediction
        assert f"{mean.format(mean.mean)}{mean.mark}" in shown
        rows = f"{rule.rows} row{'s' if rule.rows > 1 else ''}"
        trained = f"({mean.format(mean.training)} in {rows})"
        assert (trained if name != "training means" else rows) in shown
    colours = {to_hex(c) for c in cards_of(ax).get_facecolors()}
    assert colours == set(node_colours(reg._model))


def test_legend_shows_the_scale_of_means():
    reg, _ = case("squared error")
    shown, number = words(reg.plot()), target_format(reg._model)
    means = reg._model.node_means
    leaves = reg.tree_.leaves()
    low, high = means.expected[leaves].min(), means.expected[leaves].max()
    assert f"mean {number(low)}" in shown
    assert number(high) in shown
    assert number((low + high) / 2) in shown
    ends = number(means.low[leaves].min()), number(means.high[leaves].max())
    assert f"bar: 95% interval of the mean, from {ends[0]} to {ends[1]}" in shown
    assert "leaf: expected mean of new rows (mean of training rows)" in shown
    assert not any("bar:" in text for text in words(reg.plot(legend=False)))
    (only,) = styles_of(case("constant")[0]._model).meanings()
    assert only[0] == "mean 3.25"
    assert only[1].colour == mean_colour(0.0)


@pytest.mark.parametrize("name", NAMES)
def test_bars_contain_the_interval_and_the_mean(name):
    model = case(name)[0]._model
    styles, means = styles_of(model), model.node_means
    leaves = model.tree.leaves()
    low, high = means.low[leaves].min(), means.high[leaves].max()
    for node in leaves.tolist():
        track, interval, tick = styles.bar(node)
        assert track[:2] == (0.0, 1.0)
        assert 0 <= interval[0] <= interval[1] <= 1
        assert 0 <= tick[0] < tick[1] <= 1
        if high > low:
            wanted = (means.low[node] - low) / (high - low), (means.high[node] - low) / (high - low)
            np.testing.assert_allclose(interval[:2], wanted)


def test_figure_of_limited_depth_counts_hidden_leaves():
    reg, _ = case("noise")
    ax = reg.plot(max_depth=2)
    assert_tidy(ax)
    assert any(text.startswith("… (") for text in words(ax))
