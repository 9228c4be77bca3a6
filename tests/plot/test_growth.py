"""Figures show the numbers they are about."""

import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from polytomy import TreeClassifier

mpl.use("Agg")
from matplotlib import pyplot as plt

X, y = load_breast_cancer(return_X_y=True)


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


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
        drawn["bound on I(T), guaranteed at the end"].get_ydata(), certificate.bound_curve
    )
    assert any(label.startswith("leaves$^{-") for label in drawn)
    assert ax.get_title() == "Growth by hatano: covered"


def test_growth_draws_on_axes_given_and_one_leaf_has_no_bound():
    own = plt.subplots()[1]
    clf = TreeClassifier(1).fit(X, y)
    assert clf.plot_growth(own) is own
    assert len(own.get_lines()) == 2


def test_without_matplotlib_the_error_says_what_to_install():
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import polytomy\n"
        "clf = polytomy.TreeClassifier(2).fit([[0.], [1.]], [0, 1])\n"
        "try: clf.plot_growth()\n"
        "except polytomy.MissingPackageError as e: print(e)\n"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 'pip install "polytomy[plot]"' in out.stdout
