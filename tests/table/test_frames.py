"""Every kind of frame gives the same columns, and so the same tree."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from polytomy import TableError, TreeClassifier
from polytomy.encode import Target, encode
from polytomy.grow import GrowParams, grow
from polytomy.predict import apply
from polytomy.table import Nominal, Ordered, Ranks, Table, Times
from tests.table.conftest import CELLS, SIZES, as_arrow, as_pandas, as_polars

LABELS = [0, 1, 1, 0, 1, 0, 1, 0]
FRAMES = ["pandas", "pandas-nullable", "pandas-arrow", "polars", "arrow"]


def tree_of(table):
    coded = encode(table)
    return grow(coded, Target.of(LABELS), GrowParams(max_leaves=None)).tree, coded.schema


def test_cells_come_out_as_they_went_in(made, kind_of_table):
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
def test_ordered_labels_keep_their_order(made):
    size = Table.of(made).columns[4]
    assert isinstance(size, Ordered)
    assert size.scale == Ranks(tuple(SIZES))
    assert size.values.tolist() == [-1 if s is None else SIZES.index(s) for s in CELLS["size"]]


@pytest.mark.parametrize("kind_of_table", FRAMES, indirect=True)
def test_the_same_tree_from_every_frame(made):
    names = [n for n in CELLS if n != "size"]  # arrow knows dictionaries, not their order
    expected, schema = tree_of(Table.of(as_pandas()[names]))
    part = (
        made.select(names) if hasattr(made, "select") and not hasattr(made, "iloc") else made[names]
    )
    tree, own = tree_of(Table.of(part))
    assert tree == expected
    assert [s.n_values for s in own] == [s.n_values for s in schema]


def test_any_frame_is_routed_by_a_tree_grown_on_another():
    table = Table.of(as_pandas())
    tree, schema = tree_of(table)
    expected = apply(tree, schema, table)
    assert apply(tree, schema, Table.of(as_polars())).tolist() == expected.tolist()
    assert apply(tree, schema, Table.of(as_pandas(nullable=True))).tolist() == expected.tolist()
    nanoseconds = as_pandas()
    nanoseconds["day"] = nanoseconds["day"].astype("datetime64[ns]")
    assert apply(tree, schema, Table.of(nanoseconds)).tolist() == expected.tolist()


def test_labels_go_by_what_they_are_not_by_their_place():
    table = Table.of(as_pandas()[["size", "colour"]])
    tree, schema = tree_of(table)
    other = as_pandas()[["size", "colour"]]
    other["size"] = other["size"].cat.set_categories(["huge", "large", "medium", "small"])
    other["colour"] = other["colour"].astype(object)
    expected = apply(tree, schema, table)
    assert apply(tree, schema, Table.of(other)).tolist() == expected.tolist()


def test_a_label_not_known_takes_the_default_branch():
    sizes = pd.Categorical(["small"] * 5 + ["large"] * 3 + [None] * 2, SIZES, ordered=True)
    labels = [0] * 5 + [1] * 3 + [1] * 2
    coded = encode(Table.of(pd.DataFrame({"size": sizes})))
    tree = grow(coded, Target.of(labels), GrowParams(max_leaves=2)).tree
    huge = pd.DataFrame(
        {"size": pd.Categorical(["huge", None, "small"], ["huge", "small"], ordered=True)}
    )
    leaves = apply(tree, coded.schema, Table.of(huge))
    assert tree.counts[leaves].argmax(axis=1).tolist() == [int(tree.default_branch[0]), 1, 0]


MISMATCHED = [
    ({"x": [1.0, 2]}, {"x": ["a", "b"]}, "held numbers when the tree was grown, now text"),
    ({"x": [1.0, 2]}, {"x": [dt.datetime(2024, 1, 1)] * 2}, "held numbers .* now times"),
    ({"x": [dt.datetime(2024, 1, d) for d in (1, 2)]}, {"x": [1, 2]}, "held times .* now numbers"),
    (
        {"x": [dt.datetime(2024, 1, d) for d in (1, 2)]},
        {"x": pd.to_datetime(["2024-01-01"] * 2, utc=True)},
        r"datetime64\[\w+\] \(no time zone\).* now .* \(UTC\)",
    ),
    (
        {"x": pd.Categorical(["lo", "hi"], ["lo", "hi"], ordered=True)},
        {"x": [1.0, 2]},
        "held labels .* now numbers",
    ),
]


@pytest.mark.parametrize(("grown", "given", "sentence"), MISMATCHED)
def test_another_kind_of_column_gets_one_sentence(grown, given, sentence):
    coded = encode(Table.of(pd.DataFrame(grown)))
    tree = grow(coded, Target.of([0, 1])).tree
    with pytest.raises(TableError, match=sentence):
        apply(tree, coded.schema, Table.of(pd.DataFrame(given)))


def test_numbers_may_be_named_nominal_in_frames_too():
    for frame in (pd.DataFrame({"n": [3, 1, 3]}), pl.DataFrame({"n": [3, 1, 3]})):
        column = Table.of(frame, nominal=["n"]).columns[0]
        assert column.values.tolist() == [3, 1, 3]


def test_float_columns_of_pandas_and_polars_are_not_copied():
    x = np.arange(6.0).reshape(3, 2)
    frame = pd.DataFrame(np.asfortranarray(x), copy=False)
    frame.columns = ["a", "b"]
    assert np.shares_memory(Table.of(frame).column("a"), frame["a"].to_numpy())
    series = pl.DataFrame({"a": [1.0, 2, 3]})
    assert np.shares_memory(Table.of(series).column("a"), series["a"].to_numpy())


def test_odd_columns():
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


def test_bad_frames_get_one_sentence():
    with pytest.raises(TableError, match="column 'x' holds List"):
        Table.of(pl.DataFrame({"x": [[1], [2]]}))
    with pytest.raises(TableError, match="0 rows and 1 columns"):
        Table.of(pd.DataFrame({"x": []}))
    with pytest.raises(TableError, match="2 rows and 0 columns"):
        Table.of(pd.DataFrame(index=[0, 1]))
    with pytest.raises(TableError, match=r"must differ, as text; given more than once: \['1'\]"):
        Table.of(pd.DataFrame([[1, 2]], columns=[1, "1"]))
    with pytest.raises(TableError, match="brings its own"):
        Table.of(pd.DataFrame({"x": [1]}), names=["y"])
    twice = pa.table([pa.array([1]), pa.array([2])], names=["a", "a"])
    with pytest.raises(TableError, match=r"more than once: \['a'\]"):
        Table.of(twice)
    cells = pd.DataFrame({"x": [[1], [2]]})
    with pytest.raises(TableError, match="cannot be categories"):
        Table.of(cells)


def test_arrow_null_in_a_dictionary_is_missing():
    assert Table.of(as_arrow()).column("colour").tolist() == CELLS["colour"]


def test_names_that_are_no_text_become_text():
    assert Table.of(pd.DataFrame([[1, 2]])).names == ("0", "1")
    assert Table.of(pd.DataFrame([[1, "a"]]), nominal=["0"]).columns[0].kind == "nominal"


def test_objects_that_are_all_numbers_are_numbers():
    cells = np.array([1, 2.5, None, np.float32(3), float("nan")], dtype=object)
    for table in (Table.of({"x": cells}), Table.of(pd.DataFrame({"x": cells}, dtype=object))):
        np.testing.assert_array_equal(table.column("x"), [1, 2.5, np.nan, 3, np.nan])
    mixed = np.array([1, "a", True], dtype=object)
    assert Table.of({"x": mixed}).columns[0].kind == "nominal"


def hours(zone):
    return pd.Series(pd.date_range("2024-07-01", periods=24, freq="h", tz=zone))


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "Etc/GMT-3", "UTC"])
def test_every_zone_is_a_time_in_every_library(zone):
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


def test_the_time_of_day_is_one_thing_in_every_library():
    cells = [dt.time(i % 24, 30) for i in range(48)]
    frames = [pl.DataFrame({"d": cells}), pa.table({"d": cells})]
    labels = [i % 24 > 12 for i in range(48)]
    coded = encode(Table.of(frames[0]))
    tree = grow(coded, Target.of(np.array(labels, dtype=int)), GrowParams(max_leaves=2)).tree
    leaves = [apply(tree, coded.schema, Table.of(f)).tolist() for f in frames]
    assert leaves[0] == leaves[1]


def test_objects_that_are_all_dates_or_booleans_are_those():
    days = [dt.date(2024, 1, d) for d in (1, 2, 3)] + [None]
    column = Table.of(pd.DataFrame({"d": pd.Series(days, dtype=object)})).columns[0]
    assert isinstance(column.scale, Times)
    arrow = pa.table({"d": days}).to_pandas(types_mapper=pd.ArrowDtype)
    assert isinstance(Table.of(arrow).columns[0].scale, Times)
    flags = Table.of(pd.DataFrame({"f": pd.Series([True, None, False], dtype=object)})).columns[0]
    assert flags.scale == Ranks((False, True))
    assert flags.values.tolist() == [1, -1, 0]
    assert Table.of({"x": np.array([10**400, 1], dtype=object)}).columns[0].kind == "nominal"


def test_dates_beyond_the_finer_unit_stay_at_their_end():
    days = pd.date_range("2020-01-01", periods=50).astype("datetime64[ns]")
    coded = encode(Table.of(pd.DataFrame({"d": days})))
    tree = grow(coded, Target.of((np.arange(50) > 20).astype(int)), GrowParams(max_leaves=2)).tree
    far = np.array(["9999-12-31", "1500-01-01", "NaT"], dtype="datetime64[s]")
    leaves = apply(tree, coded.schema, Table.of({"d": far}))
    assert tree.counts[leaves[:2]].argmax(axis=1).tolist() == [1, 0]


def test_a_column_all_of_whose_cells_are_missing_fits_any_other():
    X = pd.DataFrame(
        {"a": [1.0, 2], "t": hours(None)[:2], "s": pd.Categorical(["x", "y"], ordered=True)}
    )
    coded = encode(Table.of(X))
    tree = grow(coded, Target.of([0, 1])).tree
    nothing = pd.DataFrame({"a": [None], "t": [None], "s": [None]})
    assert len(apply(tree, coded.schema, Table.of(nothing))) == 1


def test_categories_of_another_type_get_one_sentence():
    for grown, given, types in (
        (pd.Series([False, True]), ["True", "False"], "bool .* now str"),
        (pd.Series(pd.Categorical([1, 2])), ["1", "2"], "int .* now str"),
    ):
        coded = encode(Table.of(pd.DataFrame({"f": grown})))
        tree = grow(coded, Target.of([0, 1])).tree
        with pytest.raises(TableError, match=f"held categories of type {types}"):
            apply(tree, coded.schema, Table.of(pd.DataFrame({"f": given})))


def test_a_lazy_frame_is_told_to_collect():
    with pytest.raises(TableError, match=r"call \.collect\(\) first"):
        Table.of(pl.DataFrame({"x": [1]}).lazy())


@pytest.mark.parametrize("grown", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("asked", ["s", "ms", "us", "ns"])
def test_times_of_any_unit_go_where_they_went_in_the_trees_own(grown, asked):
    rng = np.random.default_rng(0)
    times = np.datetime64("2020-01-01", "s") + rng.integers(0, 10**7, 200).astype("m8[s]")
    labels = (times.astype("M8[W]").astype(int) % 2).astype(int)
    clf = TreeClassifier(None).fit(pd.DataFrame({"t": times.astype(f"M8[{grown}]")}), labels)
    said = clf.predict(pd.DataFrame({"t": times.astype(f"M8[{asked}]")}))
    np.testing.assert_array_equal(said, labels)
