"""Labels and weights taken from the columns of a table."""

from datetime import UTC, datetime

import numpy as np
import pytest

from polytomy.io import DataFileError, LabelledTable, MissingLabelsError
from polytomy.io.labelled import (
    categories_in,
    check_classes,
    column_cells,
    drop_unlabelled_rows,
    labels_from,
    weights_from,
)
from polytomy.table import Nominal, Ordered, Ranks, Table

ZONED = np.array([datetime(2026, 1, 31, 12, tzinfo=UTC), None], dtype=object)


def labels_of(values):
    return labels_from(Table.of({"y": np.asarray(values)}), "y")


@pytest.mark.parametrize(
    ("values", "labels", "dtype_kind"),
    [
        (["a", "b"], ["a", "b"], "U"),
        ([1, 2], [1, 2], "i"),
        ([1.0, 2.0], [1, 2], "i"),
        ([1.5, 2.0], [1.5, 2.0], "f"),
        ([True, False], [True, False], "b"),
        (np.array([True, False], dtype=object), [True, False], "b"),
        (np.array(["2026-01-31", "2026-02-01"], "M8[D]"), ["2026-01-31", "2026-02-01"], "U"),
        (np.array(["2026-01-31T12:00"], "M8[ns]"), ["2026-01-31 12:00:00"], "U"),
        (ZONED[:1], ["2026-01-31 12:00:00+00:00"], "U"),
    ],
)
def test_labels_are_text_booleans_or_numbers(values, labels, dtype_kind):
    found = labels_of(values)
    assert found.tolist() == labels
    assert found.dtype.kind == dtype_kind


def test_labels_of_ordered_categories_are_their_names():
    column = Ordered("y", np.array([1, 0, 1], dtype=np.int32), Ranks(("low", "high")))
    assert labels_from(Table((column,), 3), "y").tolist() == ["high", "low", "high"]


def test_cells_of_zoned_times_are_datetimes():
    assert column_cells(Table.of({"t": ZONED}), "t").tolist() == ZONED.tolist()


def test_missing_labels_are_refused():
    with pytest.raises(MissingLabelsError) as error:
        labels_of(np.array(["a", None, "b", None], dtype=object))
    assert str(error.value) == (
        "target 'y' is missing in 2 of 4 rows, first in row 2; fill in these cells"
    )
    with pytest.raises(DataFileError, match="target 'y' is missing in all 2 rows"):
        labels_of([np.nan, np.nan])


def test_unlabelled_rows_can_be_dropped():
    table = Table.of({"x": np.arange(3), "y": np.array([1.0, np.nan, 2.0])})
    assert drop_unlabelled_rows(table, "y").column("x").tolist() == [0, 2]
    assert drop_unlabelled_rows(table, "x") is table


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (np.array(["a", "a"]), "is 'a' in all 2 rows; at least two classes are needed"),
        (
            np.array([1.5, 2.0]),
            "contains numbers with decimals, such as 1.5, which are not classes",
        ),
        (np.arange(30), "has 30 distinct values in 30 rows, too many for classes"),
    ],
)
def test_labels_that_are_not_classes_are_refused(labels, message):
    with pytest.raises(DataFileError, match=message):
        check_classes(labels, "y")


def test_few_rows_may_all_have_different_labels():
    check_classes(np.arange(20), "y")


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, -2], "weights must be finite and not negative; 'w' is -2 in row 2"),
        ([1, np.nan], "weights must be finite and not negative; 'w' is missing in row 2"),
        ([1, np.inf], "'w' is inf in row 2"),
        (["1", "x"], "column 'w' cannot be used as weights: it is not numeric"),
        ([0, 0], "weights 'w' are 0 in all 2 rows"),
    ],
)
def test_bad_weights_are_refused(weights, message):
    with pytest.raises(DataFileError, match=message):
        weights_from(Table.of({"w": np.array(weights)}), "w")


def test_weights_are_floats_or_none():
    table = Table.of({"w": np.array([0, 2])})
    assert weights_from(table, "w").dtype == np.float64
    assert weights_from(table, None) is None


def test_rows_are_taken_with_labels_and_weights():
    table = Table.of({"x": np.arange(3)})
    rows = LabelledTable(table, np.array(list("abc")), np.array([1.0, 2.0, 3.0]), "y")
    taken = rows.take(np.array([2, 0]))
    assert taken.table.column("x").tolist() == [2, 0]
    assert taken.labels.tolist() == ["c", "a"]
    assert taken.weights.tolist() == [3, 1]
    assert (len(rows), len(taken), taken.target) == (3, 2, "y")


def test_strata_are_the_classes_or_one_for_numbers():
    table = Table.of({"x": np.arange(3)})
    labels = np.array([5.0, 2.0, 5.0])
    assert LabelledTable(table, labels, None, "y").strata.tolist() == [1, 0, 1]
    numbers = LabelledTable(table, labels, None, "y", "regression")
    assert numbers.take(np.array([2, 0])).strata.tolist() == [0, 0]


@pytest.mark.parametrize(
    ("n_rows", "n_categories"), [(0, 3), (50, 9), (40_000, 7), (40_000, 60_000)]
)
def test_categories_in_lists_those_that_occur(n_rows, n_categories):
    codes = np.random.default_rng(n_rows).integers(-1, n_categories, n_rows).astype(np.int32)
    column = Nominal("a", codes, tuple(range(n_categories)))
    assert categories_in(column) == (sorted({*codes.tolist()} - {-1}), codes.tolist().count(-1))
