"""Columns from arrays and from cells."""

from datetime import datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from pathlib import PurePosixPath

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from polytomy import TableError
from polytomy.encode import encode
from polytomy.table import Table, Times


def test_field_of_a_structured_array_is_read():
    packed = np.zeros(5, dtype=np.dtype([("flag", "u1"), ("x", "<f8")]))
    packed["x"] = np.arange(5)
    assert Table.of({"x": packed["x"]}).column("x").tolist() == [0, 1, 2, 3, 4]


def test_masked_cells_are_missing():
    mask = [False, True, False]
    numbers = np.ma.array([1, 2, 3], mask=mask)
    np.testing.assert_array_equal(Table.of({"x": numbers}).column("x"), [1, np.nan, 3])
    np.testing.assert_array_equal(
        Table.of(np.ma.array([[1.0], [2], [3]], mask=[[0], [1], [0]])).column(0), [1, np.nan, 3]
    )
    text = np.ma.array(["a", "b", "c"], mask=mask)
    assert Table.of({"x": text}).column("x").tolist() == ["a", None, "c"]
    days = np.ma.array(np.arange("2024-01-01", "2024-01-04", dtype="M8[D]"), mask=mask)
    assert Table.of({"x": days}).column("x").tolist()[1] == np.iinfo(np.int64).min


def test_unhashable_cells_are_refused():
    cells = np.empty(2, dtype=object)
    cells[:] = [[1, 2], [3]]
    with pytest.raises(TableError, match=r"column 'x' contains values that cannot be categories"):
        encode(Table.of({"x": cells}))


def test_any_float_nan_among_text_is_missing():
    cells = np.array(["a", np.float32("nan"), np.float64("nan"), np.float16("nan")], dtype=object)
    assert Table.of({"x": cells}).column("x").tolist() == ["a", None, None, None]


class Plain(Enum):
    A = 1


class Text(str, Enum):  # noqa: UP042
    A = "a"


NOT_CATEGORIES = [
    *(pd.Series([1]), pd.DataFrame({"a": [1]}), np.void(b"ab"), np.zeros(1, dtype="i4,i4")[0]),
    *(pd.Period("2024-01"), pd.offsets.Day(1), Plain.A, Text.A, Fraction(1, 2), np.longdouble(1)),
    *((1,), frozenset(), {}, 1j, np.complex64(1), PurePosixPath("a"), int, object()),
]


@pytest.mark.parametrize("cell", NOT_CATEGORIES, ids=lambda cell: type(cell).__name__)
@pytest.mark.parametrize("library", ["numpy", "pandas", "polars"])
def test_cells_that_model_files_cannot_store_are_refused(cell, library):
    cells = np.empty(2, dtype=object)
    cells[0], cells[1] = cell, "other"
    if library == "polars":
        if isinstance(cell, str | pd.Series | pd.DataFrame):
            pytest.skip("polars does not keep such a cell as it is")
        polars = pytest.importorskip("polars")
        made = polars.DataFrame({"x": polars.Series(cells, dtype=polars.Object)})
    else:
        made = (
            {"x": cells}
            if library == "numpy"
            else pd.DataFrame({"x": pd.Series(cells, dtype=object)})
        )
    with pytest.raises(TableError, match=f"cannot be categories, of type {type(cell).__name__};"):
        Table.of(made)


@pytest.mark.parametrize("nan", ["NaN", "-NaN", "sNaN"])
def test_decimal_nan_is_missing(nan):
    cells = np.array(["a", Decimal(nan), Decimal(1)], dtype=object)
    for made in (cells, pd.Series(cells)):
        found = encode(Table.of({"x": made})).schema[0]
        assert (found.categories, found.has_missing) == ((Decimal(1), "a"), True)
    np.testing.assert_array_equal(Table.of({"x": cells[1:]}).column("x"), [np.nan, 1])


def test_aware_times_may_lie_before_the_year_1_in_utc():
    far = timezone(timedelta(hours=14))
    cells = np.array([datetime(1, 1, 1, tzinfo=far), None], dtype=object)
    ticks = Table.of({"x": cells}).column("x")
    assert ticks.view("M8[us]").tolist()[1] is None
    assert str(ticks.view("M8[us]")[0]) == "0000-12-31T10:00:00.000000"


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_whole_numbers_that_floats_cannot_tell_apart_are_refused(dtype):
    far = 2**53 + np.arange(4, dtype=dtype)
    with pytest.raises(TableError, match=r"column 'x' has whole numbers beyond 2\^53"):
        encode(Table.of({"x": far}))
    assert encode(Table.of({"x": far[0] + 2 * (far - far[0])})).schema[0].n_values == 4


FAR = [2**60, 2**60 + 1]
LARGE = {
    "objects": lambda cells: np.array(cells, dtype=object),
    "objects, some missing": lambda cells: np.array([*cells, None], dtype=object),
    "decimals": lambda cells: np.array([Decimal(c) for c in cells], dtype=object),
    "masked": lambda cells: np.ma.masked_equal(np.array([*cells, 7]), 7),
    "pandas": lambda cells: pd.Series(cells, dtype=object),
    "polars, 128 bits": lambda cells: pl.Series(cells, dtype=pl.Int128),
    "polars, decimals": lambda cells: pl.Series(cells, dtype=pl.Decimal(38, 0)),
    "Arrow, decimals": lambda cells: pa.array([Decimal(c) for c in cells], pa.decimal128(38)),
}


def _frame(kind, cells):
    made = LARGE[kind](cells)
    if "polars" in kind:
        return pl.DataFrame({"x": made})
    return pa.table({"x": made}) if "Arrow" in kind else {"x": made}


@pytest.mark.parametrize("kind", LARGE)
def test_large_whole_numbers_of_any_type_are_kept_apart_or_refused(kind):
    with pytest.raises(TableError, match=r"column 'x' has whole numbers beyond 2\^53"):
        encode(Table.of(_frame(kind, FAR)))
    assert encode(Table.of(_frame(kind, [2**60, 2**61]))).schema[0].n_values == 2
    Table.of(_frame(kind, FAR))  # new rows may have such numbers
    with pytest.raises(TableError, match=r"whole numbers beyond 2\^53"):
        encode(Table.of(_frame(kind, FAR)).take(np.array([0, 1])))


def test_ticks_beyond_all_times_are_the_first_and_the_last_time():
    times = Times("datetime64[us]")
    assert times.at(1e300) == times.at(2.0**63) == np.datetime64(2**63 - 1, "us")
    assert times.at(-1e300) == np.datetime64(1 - 2**63, "us")
    assert np.isnat(times.at(-(2.0**63)))
