"""New rows are matched to the training columns by value, for every data frame library."""

import datetime as dt

import numpy as np
import pandas as pd
import pytest

from polytomy import TableError, TreeClassifier
from polytomy.encode import Target, encode
from polytomy.encode.align import look_up
from polytomy.grow import GrowParams, grow
from polytomy.predict import apply
from polytomy.table import Table
from tests.table.conftest import SIZES, as_pandas, as_polars

LABELS = [0, 1, 1, 0, 1, 0, 1, 0]


def tree_of(table):
    coded = encode(table)
    return grow(coded, Target.of(LABELS), GrowParams(max_leaves=None)).tree, coded.schema


def hours(zone):
    return pd.Series(pd.date_range("2024-07-01", periods=24, freq="h", tz=zone))


def test_look_up_codes_new_categories_as_unknown():
    cells = np.array(["a", "z", None, float("nan")], dtype=object)
    codes = look_up(Table.of({"x": cells}).columns[0], ("a", "b"))
    assert codes.tolist() == [0, -2, -1, -1]


def test_tree_routes_frames_of_every_library():
    table = Table.of(as_pandas())
    tree, schema = tree_of(table)
    expected = apply(tree, schema, table)
    assert apply(tree, schema, Table.of(as_polars())).tolist() == expected.tolist()
    assert apply(tree, schema, Table.of(as_pandas(nullable=True))).tolist() == expected.tolist()
    nanoseconds = as_pandas()
    nanoseconds["day"] = nanoseconds["day"].astype("datetime64[ns]")
    assert apply(tree, schema, Table.of(nanoseconds)).tolist() == expected.tolist()


def test_labels_are_matched_by_value_not_by_code():
    table = Table.of(as_pandas()[["size", "colour"]])
    tree, schema = tree_of(table)
    other = as_pandas()[["size", "colour"]]
    other["size"] = other["size"].cat.set_categories(["huge", "large", "medium", "small"])
    other["colour"] = other["colour"].astype(object)
    expected = apply(tree, schema, table)
    assert apply(tree, schema, Table.of(other)).tolist() == expected.tolist()


def test_unknown_label_takes_the_default_branch():
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
    ({"x": [1.0, 2]}, {"x": ["a", "b"]}, "contained numbers in training, but now contains text"),
    (
        {"x": [1.0, 2]},
        {"x": [dt.datetime(2024, 1, 1)] * 2},
        "contained numbers .* now contains times",
    ),
    (
        {"x": [dt.datetime(2024, 1, d) for d in (1, 2)]},
        {"x": [1, 2]},
        "contained times .* now contains numbers",
    ),
    (
        {"x": [dt.datetime(2024, 1, d) for d in (1, 2)]},
        {"x": pd.to_datetime(["2024-01-01"] * 2, utc=True)},
        r"datetime64\[\w+\] \(no time zone\).* now .* \(UTC\)",
    ),
    (
        {"x": pd.Categorical(["lo", "hi"], ["lo", "hi"], ordered=True)},
        {"x": [1.0, 2]},
        "contained labels .* now contains numbers",
    ),
]


@pytest.mark.parametrize(("grown", "given", "sentence"), MISMATCHED)
def test_column_of_another_kind_is_refused(grown, given, sentence):
    coded = encode(Table.of(pd.DataFrame(grown)))
    tree = grow(coded, Target.of([0, 1])).tree
    with pytest.raises(TableError, match=sentence):
        apply(tree, coded.schema, Table.of(pd.DataFrame(given)))


def test_dates_outside_a_finer_unit_are_clipped():
    days = pd.date_range("2020-01-01", periods=50).astype("datetime64[ns]")
    coded = encode(Table.of(pd.DataFrame({"d": days})))
    tree = grow(coded, Target.of((np.arange(50) > 20).astype(int)), GrowParams(max_leaves=2)).tree
    far = np.array(["9999-12-31", "1500-01-01", "NaT"], dtype="datetime64[s]")
    leaves = apply(tree, coded.schema, Table.of({"d": far}))
    assert tree.counts[leaves[:2]].argmax(axis=1).tolist() == [1, 0]


def test_column_of_missing_cells_fits_every_scale():
    X = pd.DataFrame(
        {"a": [1.0, 2], "t": hours(None)[:2], "s": pd.Categorical(["x", "y"], ordered=True)}
    )
    coded = encode(Table.of(X))
    tree = grow(coded, Target.of([0, 1])).tree
    nothing = pd.DataFrame({"a": [None], "t": [None], "s": [None]})
    assert len(apply(tree, coded.schema, Table.of(nothing))) == 1


def test_categories_of_another_type_are_refused():
    for grown, given, types in (
        (pd.Series([False, True]), ["True", "False"], "bool .* now contains str"),
        (pd.Series(pd.Categorical([1, 2])), ["1", "2"], "int .* now contains str"),
    ):
        coded = encode(Table.of(pd.DataFrame({"f": grown})))
        tree = grow(coded, Target.of([0, 1])).tree
        with pytest.raises(TableError, match=f"contained categories of type {types}"):
            apply(tree, coded.schema, Table.of(pd.DataFrame({"f": given})))


@pytest.mark.parametrize("grown", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("asked", ["s", "ms", "us", "ns"])
def test_times_of_other_units_are_routed_equally(grown, asked):
    rng = np.random.default_rng(0)
    times = np.datetime64("2020-01-01", "s") + rng.integers(0, 10**7, 200).astype("m8[s]")
    labels = (times.astype("M8[W]").astype(int) % 2).astype(int)
    clf = TreeClassifier(None).fit(pd.DataFrame({"t": times.astype(f"M8[{grown}]")}), labels)
    predicted = clf.predict(pd.DataFrame({"t": times.astype(f"M8[{asked}]")}))
    np.testing.assert_array_equal(predicted, labels)
