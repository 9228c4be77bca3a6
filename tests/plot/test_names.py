"""Names are wrapped at blanks and dashes, and are never empty."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polytomy import TreeClassifier
from polytomy._text import distinct_names
from polytomy.plot import plot_importances
from polytomy.plot.names import shown_names, wrapped
from tests.plot.drawn_tree import words


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("od280/od315_of_diluted_wines?", ["od280/od315_of_", "diluted_wines?"]),
        ("hours-per-week-of-all-persons?", ["hours-per-week-", "of-all-persons?"]),
        ("mean concave points of nuclei?", ["mean concave", "points of nuclei?"]),
        ("HouseholdIncomeBeforeTaxes2?", ["HouseholdIncome", "BeforeTaxes2?"]),
        ("n" * 24 + "?", ["n" * 24 + "?"]),
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


@given(st.lists(st.text("abcd_A", max_size=40), max_size=8), st.integers(5, 20))
def test_distinct_names_are_short_and_tell_names_apart(names, width):
    short = distinct_names(names, width)
    assert all(len(text) <= max(width, len("a…#0")) for text in short)
    assert all(text == name for text, name in zip(short, names, strict=True) if len(name) <= width)
    pairs = list(zip(short, names, strict=True))
    assert all((a == b) == (x == y) for a, x in pairs for b, y in pairs)
    lines = [tuple(wrapped(f"{name}?", 14, 2)) for name in shown_names(names, 14, 2)]
    wanted = [name.strip() or "(no name)" for name in names]
    assert all(
        x == y or a != b
        for a, x in zip(lines, wanted, strict=True)
        for b, y in zip(lines, wanted, strict=True)
    )


def test_shown_replaces_an_empty_name():
    X = pd.DataFrame({"": np.arange(40.0), " ": np.arange(40.0) % 4})
    clf = TreeClassifier(2).fit(X[[""]], np.arange(40) // 20)
    assert "(no name)?" in words(clf.plot())
    (tick,) = clf.plot_importances().get_yticklabels()
    assert tick.get_text() == "(no name)"
    (tick,) = plot_importances([" "], [1.0]).get_yticklabels()
    assert tick.get_text() == "(no name)"
