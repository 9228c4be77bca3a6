"""Rows with class numbers."""

import numpy as np
import pytest

from polytomy.encode import Target
from polytomy.estimators.base.rows import LabelledRows, read_labels
from polytomy.table import Nominal, Table


@pytest.mark.parametrize(
    "y",
    [
        np.array([0, 1, 1], dtype=np.uint16),
        np.array([5, -70_000, 5]),
        np.array([True, False, True]),
        np.array([0.0, 1.0, 1.0]),
        np.array(["a", "b", "a"]),
        Nominal("y", np.array([1, 0, 1], dtype=np.int32), ("a", "b")),
    ],
)
def test_labels_are_held_once_and_apart_from_y(y):
    classes, labels = read_labels(y, 3)
    rows = LabelledRows(Table.of({"x": np.arange(3.0)}), labels, None, len(classes))
    assert np.shares_memory(rows.target.labels, rows.labels)
    assert not np.shares_memory(rows.labels, y.codes if isinstance(y, Nominal) else y)


def test_target_copies_labels_unless_told_otherwise():
    labels = np.array([0, 1, 1], dtype=np.uint16)
    assert not np.shares_memory(Target.of(labels).labels, labels)
    assert np.shares_memory(Target.of(labels, copy=False).labels, labels)
