"""Python values keep their types through a document."""

import datetime as dt
from decimal import Decimal
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pytest

from polytomy import prune
from polytomy.format import Node
from polytomy.format.values import from_plain, to_plain
from polytomy.table.arrays import is_category_type
from tests.format.round_trips import same_value

VALUES = [
    *(None, True, 0, -(10**29), 10**31, 0.1, -0.0, np.inf, "", "ä\ud800", b"", b"\x00\xff"),
    *([], (), {}, [1, (2.0, "x")], {1: "a", "b": [2], (1, 2): None, None: 0}),
    *(np.int8(-3), np.float32(0.1), np.bool_(True), np.str_("x"), np.datetime64("2020-01-01", "D")),
    *(np.array([1, 2], dtype="u2"), np.array(["a", "bcd"]), np.array([None, 1], dtype=object)),
    *(Decimal("1.10"), dt.date(2020, 2, 29), dt.time(1, 2, 3, 4), dt.timedelta(-1, 2, 3)),
    dt.datetime(2020, 1, 2, 3, 4, 5, 6),
    dt.datetime(2020, 10, 25, 2, 30, fold=1, tzinfo=ZoneInfo("Europe/Berlin")),
    dt.datetime(2020, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=-3, seconds=1))),
    dt.datetime(2020, 1, 1, tzinfo=dt.UTC),
    pd.Timestamp("2020-01-01 01:02:03.004"),
    pd.Timestamp("2020-01-01", tz="Asia/Tokyo"),
    pd.Timedelta("3h"),
    pd.Interval(0.5, 1, closed="left"),
    prune.Conservative(delta=0.1),
]


def test_single_values_that_files_store_can_be_categories():
    others = (type(None), list, tuple, dict, np.ndarray, prune.Conservative)
    for kind in map(type, VALUES):
        assert is_category_type(kind) == (kind not in others), kind
    numbers = [kind(1) for kind in np.sctypeDict.values() if issubclass(kind, np.number | np.bool_)]
    for value in (Path("a"), np.bytes_(b"x"), *numbers):
        if not is_category_type(type(value)):
            assert isinstance(value, np.longdouble | np.complexfloating)
            continue
        assert from_plain(Node(to_plain(value, "", {}), ""), {}) == value


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_value_keeps_its_type(value):
    known = dict(prune.PRUNERS)
    assert same_value(from_plain(Node(to_plain(value, "", known), ""), known), value)
    assert same_value(from_plain(Node(to_plain([value], "", known), ""), known), [value])


def test_nan_is_kept():
    assert np.isnan(from_plain(Node(to_plain(np.nan, "", {}), ""), {}))
