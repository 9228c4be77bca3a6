"""The task that a target asks for: classification or regression."""

import numpy as np
import pytest

from polytomy.io import DataFileError, MissingLabelsError, NotClassesError, TimeTargetError
from polytomy.io.tasks import TASK_RULE, read_target
from polytomy.table import Table


def read(values, task="auto"):
    return read_target(Table.of({"y": np.asarray(values)}), "y", task)


def refuse(values, task="auto", kind=DataFileError):
    with pytest.raises(kind) as error:
        read(values, task)
    return str(error.value)


def cycle(n, rows):
    return np.arange(rows) % n


@pytest.mark.parametrize(
    ("values", "task"),
    [
        (["a", "b"], "classification"),
        ([True, False], "classification"),
        (np.array([True, False], dtype=object), "classification"),
        ([0.0, 1.0], "classification"),
        ([7, 9], "classification"),
        (cycle(3, 100), "classification"),
        (cycle(11, 100), "classification"),
        (cycle(20, 100), "classification"),
        (cycle(20, 99), "regression"),
        (cycle(30, 100), "regression"),
        (cycle(3, 10_000), "classification"),
        (cycle(11, 10_000), "classification"),
        (cycle(20, 10_000).astype(float), "classification"),
        (cycle(21, 10_000), "regression"),
        (cycle(30, 10_000), "regression"),
        (cycle(3, 14), "regression"),
        (cycle(3, 15), "classification"),
        (cycle(2, 10_000) / 2, "regression"),
        ([0.1, 0.9], "regression"),
        (np.array([3e15, 1.0, 2.0]), "regression"),
        (-cycle(4, 40), "classification"),
    ],
)
def test_task_follows_from_the_distinct_values(values, task):
    labels, found = read(values)
    assert found == task
    assert labels.tolist() == np.asarray(values).tolist()
    assert (labels.dtype == np.float64) == (task == "regression")


def test_task_can_be_given():
    assert read(cycle(3, 100), "regression")[0].dtype == np.float64
    assert read(cycle(30, 100), "classification")[1] == "classification"


def test_rule_states_the_limits():
    assert "at most 20 distinct" in TASK_RULE
    assert "at least 5 rows" in TASK_RULE


DATES = np.array(["2026-01-31", "2026-02-01"], "M8[D]")


@pytest.mark.parametrize(
    ("values", "task", "message"),
    [
        ([np.nan, np.nan], "auto", "target 'y' is missing in all 2 rows"),
        ([np.nan, np.nan], "regression", "target 'y' is missing in all 2 rows"),
        (DATES, "auto", "target 'y' holds dates or times; predict a number instead, such as days"),
        (DATES, "regression", "target 'y' holds dates or times; predict a number instead"),
        (DATES - DATES[0], "auto", "target 'y' holds dates or times"),
        (["a", "b"], "regression", "target 'y' holds text, but regression needs numbers"),
        ([True, False], "regression", "target 'y' holds true and false, but regression needs"),
        ([1.5, np.inf], "auto", "target 'y' is inf in row 2; numbers must be finite"),
        ([2.5, 2.5], "auto", "target 'y' is 2.5 in all 2 rows; there is nothing to predict"),
        ([2, 2], "regression", "target 'y' is 2 in all 2 rows; there is nothing to predict"),
        ([2, 2], "auto", "target 'y' is 2 in all 2 rows; at least two classes are needed"),
        (np.arange(30), "classification", "30 distinct values in 30 rows, too many for classes"),
        (["a"], "auto", "target 'y' is 'a' in all 1 rows"),
        ([f"{i}x" for i in range(30)], "auto", "too many for classes"),
    ],
)
def test_target_that_does_not_fit_is_refused(values, task, message):
    assert message in refuse(values, task)


def test_errors_tell_what_else_the_target_could_be():
    refuse(DATES, kind=TimeTargetError)
    refuse(np.arange(30), "classification", NotClassesError)
    refuse([0.5, 1.0], "classification", NotClassesError)
    refuse([1.5, np.nan], "regression", MissingLabelsError)
    with pytest.raises(DataFileError) as error:
        read([f"{i}x" for i in range(30)])
    assert not isinstance(error.value, NotClassesError)


def test_dates_can_be_classes():
    assert read(DATES, "classification")[0].tolist() == ["2026-01-31", "2026-02-01"]
