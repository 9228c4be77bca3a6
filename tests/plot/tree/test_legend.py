"""The legend, and what the caller of a drawing may choose."""

import numpy as np
import pytest

from polytomy import ParameterError, TreeClassifier, TreeRegressor
from polytomy.export import class_colour
from polytomy.plot.tree.look import Look
from polytomy.plot.tree.styles import styles_of
from tests.plot.drawn_tree import assert_tidy, words


def test_each_class_has_its_colour_and_those_after_the_sixth_a_hatch():
    rng = np.random.default_rng(3)
    X = rng.random((900, 3))
    clf = TreeClassifier(20).fit(X, (X[:, 0] * 30).astype(int))
    styles = [style for name, style in styles_of(clf._model).meanings()]
    assert len(styles) == 11
    assert len({(style.colour, style.hatch) for style in styles}) == 11
    heaviest = np.sort(np.argsort(-clf._model.case_counts[0], kind="stable")[:11]).tolist()
    assert [style.colour for style in styles] == [class_colour(c) for c in heaviest]
    assert [bool(style.hatch) for style in styles] == [c >= 6 for c in heaviest]
    ax = clf.plot()
    assert "19 other classes, named in their nodes" in words(ax)
    assert_tidy(ax)


X = np.arange(40.0).reshape(-1, 1)
CLF = TreeClassifier(max_leaves=2).fit(X, np.arange(40) // 20)


def test_numeric_classes_read_as_classes():
    shown = " | ".join(words(CLF.plot()))
    assert "class 0: " in shown
    assert "class 1: " in shown


def test_names_colours_intervals_and_title_can_be_chosen():
    ax = CLF.plot(
        title="Who\nstays", class_names={1: "stays"}, colors=["red", "#00ff00"], intervals=True
    )
    shown = " | ".join(words(ax))
    assert ax.get_title() == "Who\\nstays"
    assert "stays 8" in shown
    assert "class 0: 8" in shown
    share = CLF.to_rules()[0].prediction
    assert f"[{100 * share.low:.0f}-{100 * share.high:.0f}]" in shown
    look = Look.of(CLF._model, colors={0: "blue"})
    assert look.colours == ("#0000ff", class_colour(1))
    assert_tidy(ax)


def test_choices_that_do_not_fit_are_errors():
    for wrong in ({"class_names": ["a"]}, {"colors": "red"}, {"colors": {2: "red"}}):
        with pytest.raises(ParameterError, match="class"):
            CLF.plot(**wrong)
    with pytest.raises(ParameterError, match="unknown colour"):
        CLF.plot(colors=["red", "no such colour"])
    reg = TreeRegressor(max_leaves=2).fit(X, X[:, 0])
    with pytest.raises(ParameterError, match="class_names"):
        reg.plot(class_names=["a", "b"])
    assert reg.plot(colors="green", intervals=True, title="Prices").get_title() == "Prices"
