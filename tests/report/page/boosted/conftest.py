"""Fitted models, and the pages of their reports."""

import numpy as np
import pytest

from polytomy import BoostedTreeClassifier
from tests.report.boosted_cases import cars_of_every_kind, tumours_of_two_classes


@pytest.fixture(scope="session")
def cars():
    """Return stumps of three classes, and their table."""
    X, y = cars_of_every_kind()
    clf = BoostedTreeClassifier(40, max_leaves=3, max_depth=1, learning_rate=0.7)
    return clf.fit(X[::2], y[::2]), X, y


@pytest.fixture(scope="session")
def tumours():
    """Return stumps of two classes, and their table."""
    X, y = tumours_of_two_classes()
    return BoostedTreeClassifier(60, algorithm="adaboost").fit(X[:400], y[:400]), X, y


@pytest.fixture(scope="session")
def pages(cars, tumours, tmp_path_factory):
    """Write the pages; return their paths by name."""
    folder = tmp_path_factory.mktemp("boosted")
    clf, X, y = cars
    clf.report(folder / "cars.html", X[::2], y[::2], X[1::2], y[1::2])
    deep = BoostedTreeClassifier(12, max_leaves=5).fit(X, y)
    deep.report(folder / "deep.html", X, y)
    clf, X, y = tumours
    clf.report(folder / "tumours.html", X[:400], y[:400], X[400:], y[400:])
    clf.report(folder / "bare.html")
    with pytest.warns(UserWarning, match="nothing to boost"):
        none = BoostedTreeClassifier(5, max_leaves=2).fit(np.ones((8, 2)), np.arange(8) % 2)
    none.report(folder / "none.html", np.ones((8, 2)), np.arange(8) % 2)
    return {path.stem: path for path in folder.iterdir()}


@pytest.fixture
def show(open_page, pages):
    """Open a page by its name."""
    return lambda name, **how: open_page(pages[name], **how)
