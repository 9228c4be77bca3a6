"""Names break where a reader would break them, and are never empty."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polytomy import TreeClassifier
from polytomy.plot import plot_importances
from polytomy.plot.names import wrapped
from tests.plot.drawn import assert_tidy, words

mpl.use("Agg")
from matplotlib import pyplot as plt

DASH = "\N{EN DASH}"


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


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
def test_names_break_after_joints(text, lines):
    assert wrapped(text, 24, 2) == lines


@given(st.text("ab _/-", max_size=60), st.integers(4, 30), st.integers(1, 4))
def test_lines_are_few_and_short_and_lose_nothing_but_blanks(text, width, most):
    lines = wrapped(text, width, most)
    assert 1 <= len(lines) <= most
    assert all(len(line) <= width for line in lines)
    if "…" not in lines[-1]:
        assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_a_column_without_a_name_says_so():
    X = pd.DataFrame({"": np.arange(40.0), " ": np.arange(40.0) % 4})
    clf = TreeClassifier(2).fit(X[[""]], np.arange(40) // 20)
    assert "(no name)?" in words(clf.plot())
    (tick,) = clf.plot_importances().get_yticklabels()
    assert tick.get_text() == "(no name)"
    (tick,) = plot_importances([" "], [1.0]).get_yticklabels()
    assert tick.get_text() == "(no name)"


@pytest.mark.parametrize("zone", [None, "Europe/Berlin"])
@pytest.mark.parametrize("orientation", ["down", "right"])
def test_times_are_short(zone, orientation):
    n = 600
    when = pd.Series(pd.date_range("2019-11-03 10:30", periods=n, freq="7h", tz="UTC"))
    X = pd.DataFrame({"when": when.dt.tz_convert(zone) if zone else when.dt.tz_localize(None)})
    clf = TreeClassifier(6, max_arity=6).fit(X, np.arange(n) // 100 % 2)
    ax = clf.plot(orientation=orientation)
    said = words(ax)
    assert ("when (Europe/Berlin)?" if zone else "when?") in said
    assert sum("Europe/Berlin" in text for text in said) == bool(zone)
    times = [text for text in said if "2019-" in text or "2020-" in text]
    assert any(text.endswith(f" {DASH}") for text in times)  # goes on in the next line
    assert max(map(len, times)) <= 22
    assert_tidy(ax)


def test_a_year_or_a_day_is_said_once():
    day = pd.DataFrame({"day": pd.date_range("2020-01-01", periods=300)})
    said = words(TreeClassifier(3, max_arity=3).fit(day, np.arange(300) // 100 % 2).plot())
    assert f"2020-04-09 {DASH} 07-18" in said
    hour = pd.DataFrame({"t": pd.date_range("2020-01-01 08:00", periods=300, freq="2min")})
    said = words(TreeClassifier(3, max_arity=3).fit(hour, np.arange(300) // 100 % 2).plot())
    assert any(text.startswith("2020-01-01 11:") for text in said)
    assert any(text.startswith("14:") or f"{DASH} 14:" in text for text in said)
