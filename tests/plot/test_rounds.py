"""Rounds and margins are drawn as they are."""

from types import SimpleNamespace

import matplotlib as mpl
import numpy as np
import pytest

from polytomy.plot import plot_margins, plot_rounds

mpl.use("Agg")
from matplotlib import pyplot as plt


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def rounds_of(n, **given):
    none = {"bound": None, "exponential_bound": None, "validation_error": None}
    return [
        SimpleNamespace(
            **none | {"training_error": 0.5 / (t + 1)} | {k: v[t] for k, v in given.items()}
        )
        for t in range(n)
    ]


def curves(ax):
    return {line.get_label(): line.get_ydata() for line in ax.get_lines()}


def test_every_curve_there_is_is_drawn_against_the_rounds():
    bound, held = [0.9, 0.8, 0.7], [0.4, None, 0.3]
    rounds = rounds_of(3, bound=bound, exponential_bound=[1.0, 0.95, 0.9], validation_error=held)
    ax = plot_rounds(rounds, best=2)
    drawn = curves(ax)
    assert list(drawn)[1:4] == ["bound", "training error", "held-out error"]
    np.testing.assert_array_equal(drawn["bound"], bound)
    np.testing.assert_array_equal(drawn["held-out error"], [0.4, np.nan, 0.3])
    np.testing.assert_allclose(drawn["training error"], [0.5, 0.25, 0.5 / 3])
    assert "best round, 2" in drawn
    assert ax.get_lines()[0].get_xdata().tolist() == [1, 2, 3]
    assert ax.get_xscale() == "log"
    assert ax.get_ylim()[1] == pytest.approx(1.02)


def test_what_there_is_not_is_not_drawn():
    own = plt.subplots()[1]
    assert plot_rounds(rounds_of(4), own) is own
    assert list(curves(own)) == ["training error"]
    assert own.get_ylim()[1] == pytest.approx(0.525)


@pytest.mark.parametrize("n", [0, 1])
def test_no_round_and_one_round(n):
    plot_rounds(rounds_of(n)).figure.canvas.draw()


def test_a_bound_above_one_does_not_squeeze_the_errors():
    assert plot_rounds(rounds_of(2, bound=[40.0, 20.0])).get_ylim()[1] == pytest.approx(1.02)


def test_margins_are_a_distribution():
    ax = plot_margins([0.5, -0.25, 0.5, 1.0])
    (line, _zero) = ax.get_lines()
    assert line.get_xdata().tolist() == [-1.0, -0.25, 0.5, 0.5, 1.0, 1.0]
    assert line.get_ydata().tolist() == [0.0, 0.25, 0.5, 0.75, 1.0, 1.0]
    assert ax.get_legend() is None


def test_several_sets_of_margins_are_told_apart():
    own = plt.subplots()[1]
    sets = {f"after {n} rounds": np.linspace(-1, 1, n) for n in range(2, 12)}
    assert plot_margins(sets, own) is own
    assert [text.get_text() for text in own.get_legend().get_texts()] == list(sets)
    own.figure.canvas.draw()
