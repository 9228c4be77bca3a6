"""Training data from a file: predictors, labels, weights and identifier columns."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from polytomy import BoostedTreeClassifier, TreeClassifier
from polytomy.data import cars_csv
from polytomy.io import ColumnRoles, DataFileError, read_training_data
from polytomy.table import Nominal


def read(path, target="y", *, drop_unlabelled=False, **roles):
    return read_training_data(path, ColumnRoles(target, **roles), drop_unlabelled=drop_unlabelled)


def refuse(path, *args, **options):
    with pytest.raises(DataFileError) as error:
        read(path, *args, **options)
    return str(error.value)


def test_columns_have_their_roles(data_file):
    path = data_file("a,b,c,w,y\n1,2,3,1,p\n2,3,4,2,q\n3,4,5,1,p\n")
    rows, identifiers = read(path, weights="w", categorical=["b"], numeric=["c"], drop=["a"])
    assert rows.table.names == ("b", "c")
    assert isinstance(rows.table.columns[0], Nominal)
    assert rows.table.columns[0].categories == ("2", "3", "4")
    assert rows.table.column("c").dtype == np.float64
    assert rows.labels.tolist() == ["p", "q", "p"]
    assert rows.weights.tolist() == [1, 2, 1]
    assert rows.target == "y"
    assert identifiers == []


def test_unlabelled_rows_are_dropped_on_request(data_file):
    path = data_file("x,y\n1,1\n2,\n3,2\n4,2\n")
    assert "target 'y' is missing in 1 of 4 rows, first in row 2" in refuse(path)
    rows, _ = read(path, drop_unlabelled=True)
    assert rows.table.column("x").tolist() == [1, 3, 4]
    assert rows.labels.tolist() == [1, 2, 2]


def test_identifier_columns_are_left_out_unless_given_a_role(data_file):
    lines = [f"{i},k{i},{i % 5},{'ab'[i % 5 > 2]}\n" for i in range(30)]
    path = data_file("number,name,x,y\n" + "".join(lines))
    rows, identifiers = read(path)
    assert rows.table.names == ("x",)
    assert [(c.name, c.reason, c.keep_as) for c in identifiers] == [
        ("number", "row number", "numeric"),
        ("name", "30 distinct values in 30 rows", "categorical"),
    ]
    rows, identifiers = read(path, categorical=["name"], numeric=["number"])
    assert rows.table.names == ("number", "name", "x")
    assert identifiers == []


def test_columns_of_a_small_table_are_never_identifiers(data_file):
    path = data_file("name,y\n" + "".join(f"k{i},{i % 2}\n" for i in range(20)))
    assert read(path)[1] == []


def test_unknown_columns_are_refused(data_file):
    path = data_file("mpg,origin\n1,a\n2,b\n")
    assert refuse(path, "orgin").endswith("has no column 'orgin'; did you mean 'origin'?")
    assert "did you mean 'mpg'?" in refuse(path, "origin", drop=["MPG"])
    assert "has no column 'qqq'" in refuse(path, "origin", weights="qqq")


def test_table_without_predictors_is_refused(data_file):
    path = data_file("x,y\n1,a\n2,b\n")
    assert refuse(path, drop=["x"]).endswith("has no columns left to predict from")
    path = data_file("x,y\n" + "".join(f"{i},{'ab'[i % 2]}\n" for i in range(1, 61)))
    assert "to predict from (column x identifies rows: " in refuse(path)


def test_too_many_categories_are_refused(data_file):
    path = data_file("id,y\n" + "".join(f"k{i},{i % 2}\n" for i in range(1_000_000)))
    message = refuse(path, categorical=["id"])
    assert message.startswith("column 'id' has 1,000,000 categories in 1,000,000 rows")
    assert message.endswith("drop this column")


def test_estimators_accept_the_table(data_file):
    path = data_file(cars_csv())
    rows, _ = read(path, "origin")
    frame = pd.read_csv(path)
    for clf in (TreeClassifier(max_leaves=8), BoostedTreeClassifier(3)):
        own = clone(clf).fit(frame[list(rows.table.names)], frame["origin"])
        clf.fit(rows.table, rows.labels)
        assert clf.to_text() == own.to_text()
        assert (clf.predict(rows.table) == own.predict(frame[list(rows.table.names)])).all()
