"""All kinds of data frames give the same columns, and so the same tree."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from polytomy import TableError
from polytomy.encode import Target, encode
from polytomy.grow import GrowParams, grow
from polytomy.predict import apply
from polytomy.table import Nominal, Ordered, Ranks, Table, Times
from tests.table.conftest import CELLS, SIZES, as_arrow, as_pandas

LABELS = [0, 1, 1, 0, 1, 0, 1, 0]


FRAMES = ["pandas", "pandas-nullable", "pandas-arrow", "polars", "arrow"]


def tree_of(table):
    coded = encode(table)
    return grow(coded, Target.of(LABELS), GrowParams(max_leaves=None)).tree, coded.schema


def test_table_keeps_the_cells_of_every_frame(made, kind_of_table):
    table = Table.of(made)
    assert table.names == tuple(CELLS)
    assert table.n_rows == 8
    for name in ("town", "colour"):
        column = table.columns[table.names.index(name)]
        assert isinstance(column, Nominal)
        assert column.values.tolist() == CELLS[name]
    count = table.column("count").astype(float)
    np.testing.assert_array_equal(count, [np.nan if c is None else c for c in CELLS["count"]])
    day = table.columns[table.names.index("day")]
    assert isinstance(day.scale, Times)
    shown = [None if np.isnat(day.scale.at(t)) else day.scale.at(t) for t in day.values.tolist()]
    assert shown == [None if d is None else np.datetime64(d) for d in CELLS["day"]]
    sure = table.columns[table.names.index("sure")]
    assert sure.scale == Ranks((False, True))
    assert sure.values.astype(bool).tolist() == CELLS["sure"]


@pytest.mark.parametrize("kind_of_table", ["pandas", "pandas-nullable", "polars"], indirect=True)
def test_ordered_categories_keep_their_order(made):
    size = Table.of(made).columns[4]
    assert isinstance(size, Ordered)
    assert size.scale == Ranks(tuple(SIZES))
    assert size.values.tolist() == [-1 if s is None else SIZES.index(s) for s in CELLS["size"]]


@pytest.mark.parametrize("kind_of_table", FRAMES, indirect=True)
def test_tree_does_not_depend_on_the_frame_library(made):
    names = [n for n in CELLS if n != "size"]  # arrow knows dictionaries, not their order
    expected, schema = tree_of(Table.of(as_pandas()[names]))
    part = (
        made.select(names) if hasattr(made, "select") and not hasattr(made, "iloc") else made[names]
    )
    tree, own = tree_of(Table.of(part))
    assert tree == expected
    assert [s.n_values for s in own] == [s.n_values for s in schema]


def test_numbers_in_frames_can_be_treated_as_nominal():
    for frame in (pd.DataFrame({"n": [3, 1, 3]}), pl.DataFrame({"n": [3, 1, 3]})):
        column = Table.of(frame, nominal=["n"]).columns[0]
        assert column.values.tolist() == [3, 1, 3]


def test_float_columns_of_pandas_and_polars_are_views():
    x = np.arange(6.0).reshape(3, 2)
    frame = pd.DataFrame(np.asfortranarray(x), copy=False)
    frame.columns = ["a", "b"]
    assert np.shares_memory(Table.of(frame).column("a"), frame["a"].to_numpy())
    series = pl.DataFrame({"a": [1.0, 2, 3]})
    assert np.shares_memory(Table.of(series).column("a"), series["a"].to_numpy())


def test_unusual_polars_types_are_read():
    frame = pl.DataFrame(
        {
            "decimal": pl.Series([1, 2], dtype=pl.Decimal(10, 2)),
            "time": [dt.time(1), dt.time(2)],
            "gap": [dt.timedelta(days=1), None],
            "none": pl.Series([None, None], dtype=pl.Null),
            "empty": pl.Series([None, None], dtype=pl.String),
        }
    )
    table = Table.of(frame)
    assert table.column("decimal").tolist() == [1.0, 2.0]
    assert table.columns[1].kind == table.columns[2].kind == "ordered"
    assert table.columns[4].values.tolist() == [None, None]
    assert encode(table).n_rows == 2


def test_invalid_frame_is_refused():
    with pytest.raises(TableError, match="column 'x' contains List"):
        Table.of(pl.DataFrame({"x": [[1], [2]]}))
    with pytest.raises(TableError, match="0 rows and 1 columns"):
        Table.of(pd.DataFrame({"x": []}))
    with pytest.raises(TableError, match="2 rows and 0 columns"):
        Table.of(pd.DataFrame(index=[0, 1]))
    with pytest.raises(
        TableError, match=r"must be distinct as text; given more than once: \['1'\]"
    ):
        Table.of(pd.DataFrame([[1, 2]], columns=[1, "1"]))
    with pytest.raises(TableError, match="has its own names"):
        Table.of(pd.DataFrame({"x": [1]}), names=["y"])
    twice = pa.table([pa.array([1]), pa.array([2])], names=["a", "a"])
    with pytest.raises(TableError, match=r"more than once: \['a'\]"):
        Table.of(twice)
    cells = pd.DataFrame({"x": [[1], [2]]})
    with pytest.raises(TableError, match="cannot be categories"):
        Table.of(cells)


def test_null_in_an_arrow_dictionary_is_missing():
    assert Table.of(as_arrow()).column("colour").tolist() == CELLS["colour"]


def test_indices_of_an_arrow_dictionary_may_be_unsigned():
    indices = pa.array([1, None, 0], type=pa.uint8())
    table = pa.table({"c": pa.DictionaryArray.from_arrays(indices, ["a", "b"])})
    assert Table.of(table).column("c").tolist() == ["b", None, "a"]


def test_column_names_of_frames_become_text():
    assert Table.of(pd.DataFrame([[1, 2]])).names == ("0", "1")
    assert Table.of(pd.DataFrame([[1, "a"]]), nominal=["0"]).columns[0].kind == "nominal"


def test_object_column_of_numbers_is_numeric():
    cells = np.array([1, 2.5, None, np.float32(3), float("nan")], dtype=object)
    for table in (Table.of({"x": cells}), Table.of(pd.DataFrame({"x": cells}, dtype=object))):
        np.testing.assert_array_equal(table.column("x"), [1, 2.5, np.nan, 3, np.nan])
    mixed = np.array([1, "a", True], dtype=object)
    assert Table.of({"x": mixed}).columns[0].kind == "nominal"


def hours(zone):
    return pd.Series(pd.date_range("2024-07-01", periods=24, freq="h", tz=zone))


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "Etc/GMT-3", "UTC"])
def test_times_with_zones_are_read_from_every_library(zone):
    for frame in (
        pd.DataFrame({"t": hours(zone)}),
        pl.DataFrame({"t": hours("UTC").to_list()}).with_columns(
            pl.col("t").dt.convert_time_zone(zone)
        ),
        pa.table({"t": pa.array(hours(zone), pa.timestamp("us", zone))}),
    ):
        column = Table.of(frame).columns[0]
        assert isinstance(column.scale, Times)
        assert column.scale.zone == zone


def test_times_of_day_are_equal_in_every_library():
    cells = [dt.time(i % 24, 30) for i in range(48)]
    frames = [pl.DataFrame({"d": cells}), pa.table({"d": cells})]
    labels = [i % 24 > 12 for i in range(48)]
    coded = encode(Table.of(frames[0]))
    tree = grow(coded, Target.of(np.array(labels, dtype=int)), GrowParams(max_leaves=2)).tree
    leaves = [apply(tree, coded.schema, Table.of(f)).tolist() for f in frames]
    assert leaves[0] == leaves[1]


def test_object_columns_of_dates_and_booleans_keep_their_type():
    days = [dt.date(2024, 1, d) for d in (1, 2, 3)] + [None]
    column = Table.of(pd.DataFrame({"d": pd.Series(days, dtype=object)})).columns[0]
    assert isinstance(column.scale, Times)
    arrow = pa.table({"d": days}).to_pandas(types_mapper=pd.ArrowDtype)
    assert isinstance(Table.of(arrow).columns[0].scale, Times)
    flags = Table.of(pd.DataFrame({"f": pd.Series([True, None, False], dtype=object)})).columns[0]
    assert flags.scale == Ranks((False, True))
    assert flags.values.tolist() == [1, -1, 0]
    assert Table.of({"x": np.array([10**400, 1], dtype=object)}).columns[0].kind == "nominal"


def test_lazy_frame_is_refused():
    with pytest.raises(TableError, match=r"call \.collect\(\) first"):
        Table.of(pl.DataFrame({"x": [1]}).lazy())


class _Own:
    pass


@pytest.mark.parametrize(
    "cells",
    [
        ["b", None, "a", "b"],
        [2, None, 1.5, float("nan")],
        ["b", 1, None, 2.5],
        [True, None, False, True],
        [b"b", None, b"a", b"b"],
        [dt.date(2024, 5, 1), None, dt.date(1, 1, 1), dt.date(2024, 5, 1)],
        [dt.time(12), None, dt.time(3, 4), dt.time(12)],
    ],
)
@pytest.mark.parametrize("nominal", [(), ("x",)])
def test_object_columns_are_read_alike_by_all_libraries(cells, nominal):
    array = np.array(cells, dtype=object)
    ours = Table.of({"x": array}, nominal=nominal)
    for frame in (
        pd.DataFrame({"x": pd.Series(array, dtype=object)}),
        pl.DataFrame({"x": pl.Series("x", cells, dtype=pl.Object)}),
    ):
        found = Table.of(frame, nominal=nominal)
        assert type(found.columns[0]) is type(ours.columns[0])
        np.testing.assert_array_equal(found.column("x"), ours.column("x"))


@pytest.mark.parametrize("cell", [[1], {"a": 1}, (1, 2), frozenset([1]), 1j, _Own(), object])
def test_objects_that_are_not_single_values_are_refused_by_all_libraries(cell):
    array = np.empty(3, dtype=object)
    array[:] = ["a", None, None]
    array[2] = cell
    message = f"column 'x' contains values that cannot be categories, of type {type(cell).__name__}"
    for table in (
        {"x": array},
        pd.DataFrame({"x": pd.Series(array, dtype=object)}),
        pl.DataFrame({"x": pl.Series("x", list(array), dtype=pl.Object)}),
    ):
        with pytest.raises(TableError, match=message):
            Table.of(table)
