"""Curves show the numbers they are drawn from."""

import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib import pyplot as plt
from sklearn.datasets import load_breast_cancer

from polytomy import TreeClassifier
from polytomy.plot import plot_margins, plot_rounds
from tests.export.number_trees import NAMES, case

X, y = load_breast_cancer(return_X_y=True)


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


def test_rounds_draw_every_curve():
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


def test_rounds_leave_out_absent_curves():
    own = plt.subplots()[1]
    assert plot_rounds(rounds_of(4), own) is own
    assert list(curves(own)) == ["training error"]
    assert own.get_ylim()[1] == pytest.approx(0.525)


@pytest.mark.parametrize("n", [0, 1])
def test_rounds_draw_zero_and_one_round(n):
    plot_rounds(rounds_of(n)).figure.canvas.draw()


def test_rounds_limit_the_axis_if_a_bound_exceeds_one():
    assert plot_rounds(rounds_of(2, bound=[40.0, 20.0])).get_ylim()[1] == pytest.approx(1.02)


def test_margins_draw_a_distribution():
    ax = plot_margins([0.5, -0.25, 0.5, 1.0])
    (line, _zero) = ax.get_lines()
    assert line.get_xdata().tolist() == [-1.0, -0.25, 0.5, 0.5, 1.0, 1.0]
    assert line.get_ydata().tolist() == [0.0, 0.25, 0.5, 0.75, 1.0, 1.0]
    assert ax.get_legend() is None


def test_margins_label_several_sets():
    own = plt.subplots()[1]
    sets = {f"after {n} rounds": np.linspace(-1, 1, n) for n in range(2, 12)}
    assert plot_margins(sets, own) is own
    assert [text.get_text() for text in own.get_legend().get_texts()] == list(sets)
    own.figure.canvas.draw()


def test_growth_shows_the_curves_of_the_certificate():
    clf = TreeClassifier(8, procedure="hatano").fit(X, y)
    ax = clf.plot_growth()
    drawn = {line.get_label(): line for line in ax.get_lines()}
    certificate = clf.certificate_
    measured = drawn["I(T), measured"]
    np.testing.assert_array_equal(measured.get_xdata(), certificate.leaves_curve)
    np.testing.assert_array_equal(measured.get_ydata(), certificate.index_curve)
    np.testing.assert_array_equal(drawn["training error"].get_ydata(), certificate.error_curve)
    np.testing.assert_array_equal(
        drawn["bound on I(T), guaranteed for the final tree"].get_ydata(), certificate.bound_curve
    )
    assert any(label.startswith("leaves$^{-") for label in drawn)
    assert ax.get_title() == "Growth by hatano: covered by a theorem"


def test_growth_draws_on_given_axes_without_a_bound_for_one_leaf():
    own = plt.subplots()[1]
    clf = TreeClassifier(1).fit(X, y)
    assert clf.plot_growth(own) is own
    assert len(own.get_lines()) == 2


def test_growth_without_matplotlib_explains_the_installation():
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import polytomy\n"
        "clf = polytomy.TreeClassifier(2).fit([[0.], [1.]], [0, 1])\n"
        "try: clf.plot_growth()\n"
        "except polytomy.MissingPackageError as e: print(e)\n"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 'pip install "polytomy[plot]"' in out.stdout


def test_priced_path_is_drawn_with_its_questions():
    clf = TreeClassifier(max_leaves=None, honest=False).fit(X, y)
    ax = clf.plot_pruning_path(X, y, merge=True, question_price=0.05)
    path = clf.pruning_path(X, y, merge=True, question_price=0.05)
    right = ax.figure.axes[-1]
    assert right.get_ylabel() == "questions per row"
    np.testing.assert_allclose(right.lines[0].get_ydata(), path.questions)
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert f"cost: {path.select('cost').n_leaves_} leaves" in names
    assert "questions per row" in names


@pytest.mark.parametrize("name", NAMES)
def test_growth_of_a_numeric_target_draws_the_index(name):
    reg, _ = case(name)
    drawn = curves(reg.plot_growth())
    certificate = reg.certificate_
    np.testing.assert_array_equal(drawn["I(T), measured"], certificate.index_curve)
    assert "training error" not in drawn
    if len(certificate.steps):
        (power,) = [values for label, values in drawn.items() if label.startswith("I(root)")]
        assert power[0] == pytest.approx(certificate.index_curve[0])
        assert power[-1] == pytest.approx(certificate.power_bound)
