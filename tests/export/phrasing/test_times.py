"""Times in words."""

import numpy as np
import pandas as pd
import pytest

from polytomy import TreeClassifier


def text_of(X, y, **params):
    return TreeClassifier(**{"max_leaves": 2, **params}).fit(X, y).to_text()


def test_times_are_shown_in_their_time_zone():
    t = pd.Series(pd.date_range("2024-07-01", periods=24, freq="h", tz="Europe/Berlin"))
    clf = TreeClassifier(max_leaves=2).fit(pd.DataFrame({"t": t}), t.dt.hour >= 12)
    assert "t <= 2024-07-01 11:00 Europe/Berlin" in clf.to_text()
    assert "t is 2024-07-01 00:00 Europe/Berlin" in str(clf.explain(pd.DataFrame({"t": t[:1]})))


def test_times_show_clock_times_and_durations():
    gaps = pd.to_timedelta(np.arange(24) * 30, unit="m")
    assert "t <= 5:00:00" in text_of(pd.DataFrame({"t": gaps}), np.arange(24) > 10)
    moments = pd.Series(pd.date_range("2020-01-14 07:00", periods=8, freq="12h"))
    text = text_of(pd.DataFrame({"t": moments}), np.arange(8) > 2)
    assert "t <= 2020-01-15 13:00" in text


def test_times_of_whole_days_are_shown_as_days():
    days = pd.Series(pd.date_range("2024-01-01", periods=20)).astype("datetime64[s]")
    clf = TreeClassifier(max_leaves=2).fit(pd.DataFrame({"d": days}), np.arange(20) > 9)
    assert "d <= 2024-01-10" in clf.to_text()
    for unit in ("s", "ns"):
        one = pd.DataFrame({"d": days[:1].astype(f"datetime64[{unit}]")})
        assert str(clf.explain(one)).startswith("1. d is 2024-01-01, so d <= 2024-01-10")


@pytest.mark.parametrize(
    ("times", "shown"),
    [
        (np.arange(20).astype("M8[ns]"), "<= 1970-01-01 00:00:00.000000009"),
        (np.arange(20).astype("M8[fs]"), "<= 1970-01-01 00:00:00.000000000000009"),
        (np.arange(20).astype("m8[as]"), "<= 9 attoseconds"),
        ((np.arange(20) * 800_000 - 3_000_000).astype("M8[D]"), "<= 14564-05-16"),
        (np.datetime64("0001-01-01T12:00:00", "s") + np.arange(20), "<= 0001-01-01 12:00:09"),
    ],
)
def test_times_that_python_cannot_hold_are_shown(times, shown):
    assert shown in text_of(times[:, None], np.arange(20) > 9)
