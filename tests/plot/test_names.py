"""Names are wrapped at blanks and dashes, and are never empty."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polytomy import TreeClassifier
from polytomy.plot import plot_importances
from polytomy.plot.names import wrapped
from tests.plot.drawn_tree import words


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("od280/od315_of_diluted_wines?", ["od280/od315_of_", "diluted_wines?"]),
        ("hours-per-week-of-all-persons?", ["hours-per-week-", "of-all-persons?"]),
        ("mean concave points of nuclei?", ["mean concave", "points of nuclei?"]),
        ("n" * 30, ["n" * 24, "n" * 6]),
        ("short", ["short"]),
    ],
)
def test_wrapped_breaks_after_blanks_and_dashes(text, lines):
    assert wrapped(text, 24, 2) == lines


@given(st.text("ab _/-", max_size=60), st.integers(4, 30), st.integers(1, 4))
def test_wrapped_keeps_width_number_of_lines_and_letters(text, width, most):
    lines = wrapped(text, width, most)
    assert 1 <= len(lines) <= most
    assert all(len(line) <= width for line in lines)
    if "…" not in lines[-1]:
        assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_shown_replaces_an_empty_name():
    X = pd.DataFrame({"": np.arange(40.0), " ": np.arange(40.0) % 4})
    clf = TreeClassifier(2).fit(X[[""]], np.arange(40) // 20)
    assert "(no name)?" in words(clf.plot())
    (tick,) = clf.plot_importances().get_yticklabels()
    assert tick.get_text() == "(no name)"
    (tick,) = plot_importances([" "], [1.0]).get_yticklabels()
    assert tick.get_text() == "(no name)"
