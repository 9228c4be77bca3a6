"""Input of both classifiers: what is accepted, what is rejected with a clear message."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from polytomy import BoostedTreeClassifier, ParameterError, TableError, TreeClassifier

rng = np.random.default_rng(0)
X20 = rng.standard_normal((20, 3))
Y20 = (X20[:, 0] > 0).astype(int)


def fit(X, y=Y20, **params):
    weights = params.pop("sample_weight", None)
    return TreeClassifier(**params).fit(X, y, sample_weight=weights)


REJECTED = {
    "no rows": (lambda: fit(np.empty((0, 3)), []), "0 sample"),
    "no columns": (lambda: fit(np.empty((20, 0))), "0 feature"),
    "frame without columns": (lambda: fit(pd.DataFrame(index=range(20))), "0 columns|0 feature"),
    "one dimension": (lambda: fit(X20[:, 0]), "Expected 2D array|2-D"),
    "duplicate names": (
        lambda: fit(pd.DataFrame(X20, columns=["a", "b", "a"])),
        r"given more than once: \['a'\]",
    ),
    "names alike as text": (
        lambda: fit(pd.DataFrame(X20[:, :2], columns=[1, "1"])),
        "must be distinct as text|string names",
    ),
    "complex": (lambda: fit(X20 + 1j), "[Cc]omplex"),
    "column of lists": (
        lambda: fit(pd.DataFrame({"x": [[1]] * 20})),
        "column 'x' contains values that cannot be categories",
    ),
    "negative weight": (lambda: fit(X20, sample_weight=[-1] + [1] * 19), "row 0 has -1"),
    "zero weights": (lambda: fit(X20, sample_weight=np.zeros(20)), "all weights are zero|zero"),
    "nan weight": (lambda: fit(X20, sample_weight=[np.nan] + [1] * 19), "NaN"),
    "missing labels": (
        lambda: fit(X20, np.where(Y20 == 1, 1.0, np.nan)),
        r"contains NaN: \d+ of 20 labels are missing",
    ),
    "missing text labels": (
        lambda: fit(X20, np.array(["a", None] * 10, dtype=object)),
        "10 of 20 labels are missing",
    ),
    "continuous labels": (lambda: fit(X20, X20[:, 0]), "Unknown label type: continuous"),
    "too few labels": (lambda: fit(X20, Y20[:-1]), "X has 20 rows but y has 19"),
    "no labels": (lambda: fit(X20, None), "y"),
    "smoothing": (lambda: fit(X20, smoothing=-1), "smoothing must be a number of at least 0"),
    "pruner": (lambda: fit(X20, pruner="hedge"), "pruner must be one of"),
    "overgrow": (lambda: fit(X20, overgrow=-2), "overgrow must be a number of at least 1"),
    "max_leaves": (lambda: fit(X20, max_leaves=0), "max_leaves must be an integer"),
    "text budget": (lambda: fit(X20, max_leaves="8"), "max_leaves must be an integer"),
    "max_bins": (lambda: fit(X20, max_bins=1), "max_bins must be an integer of at least 2"),
    "text bins": (lambda: fit(X20, max_bins="all"), "at least 2 or 'auto', got 'all'"),
}


@pytest.mark.parametrize("what", REJECTED)
def test_bad_input_is_rejected_with_a_message(what):
    call, sentence = REJECTED[what]
    with pytest.raises(ValueError, match=sentence):
        call()


@pytest.mark.parametrize("name", ["data/*.parquet", Path("rows.csv")])
def test_the_name_of_a_file_is_rejected_with_advice(name):
    with pytest.raises(TableError, match=f"got '{re.escape(str(name))}'.* polytomy.scan"):
        TreeClassifier().fit(name, "y")
    with pytest.raises(TableError, match=r"polytomy\.read"):
        TreeClassifier().fit([[0], [1]], [0, 1]).predict(name)


def test_labels_of_mixed_types_are_rejected():
    with pytest.raises(TypeError, match=r"y mixes int and str; labels must be all text"):
        fit(X20, np.array([1, "a"] * 10, dtype=object))


def test_fit_accepts_one_row_of_one_class():
    clf = fit(X20[:1], ["only"])
    assert clf.predict(X20).tolist() == ["only"] * 20
    assert clf.predict_proba(X20).tolist() == [[1.0]] * 20
    assert clf.n_leaves_ == 1
    assert clf.depth_ == 0
    assert clf.n_questions_ == 0
    assert clf.feature_importances_.tolist() == [0, 0, 0]
    assert "1 row: only 100%" in clf.to_text()
    assert str(clf.to_rules()).startswith("always: only 100%")


def test_fit_never_splits_on_constant_or_all_missing_columns():
    X = pd.DataFrame({"c": [7] * 20, "m": [np.nan] * 20, "n": [None] * 20, "x": X20[:, 0]})
    clf = fit(X)
    assert clf.feature_importances_.tolist() == [0, 0, 0, 1]
    assert clf.score(X, Y20) == 1


def test_fit_accepts_infinite_numbers():
    X = np.where(X20 > 1, np.inf, np.where(X20 < -1, -np.inf, X20))
    clf = fit(X, max_leaves=None)
    assert clf.score(X, Y20) == 1
    assert np.isfinite(clf.tree_.threshold).all() or (clf.tree_.threshold[0] == -np.inf)


def test_fit_accepts_all_memory_layouts_and_read_only_arrays():
    expected = fit(X20).tree_
    wide = np.zeros((40, 6))
    wide[::2, ::2] = X20
    frozen = X20.copy()
    frozen.setflags(write=False)
    for X in (wide[::2, ::2], np.asfortranarray(X20), frozen, X20.astype(">f8"), X20.tolist()):
        assert fit(X).tree_ == expected


def test_fit_accepts_ten_thousand_columns():
    X = rng.standard_normal((30, 10_000)).astype(np.float32)
    clf = fit(X, (X[:, 7] > 0).astype(int))
    assert clf.feature_importances_.argmax() == 7


def test_fit_accepts_a_hundred_thousand_categories():
    names = np.array([f"u{i}" for i in range(100_000)], dtype=object)
    X = pd.DataFrame({"who": names})
    clf = fit(X, np.arange(100_000) % 2, max_leaves=4, categorical_features=["who"])
    assert clf.score(X, np.arange(100_000) % 2) == 1
    assert len(clf.to_text().splitlines()[1]) <= 100


def test_predict_sends_new_categories_to_the_heaviest_child():
    X = pd.DataFrame({"c": ["a"] * 5 + ["b"] * 15})
    clf = fit(X, [0] * 5 + [1] * 15)
    assert clf.predict(pd.DataFrame({"c": ["zebra", None, "a"]})).tolist() == [1, 1, 0]


def test_fit_reads_a_column_of_mixed_types_as_categories():
    X = pd.DataFrame({"c": [1, "1", 2.5, None] * 5})
    clf = fit(X, [0, 1, 0, 1] * 5)
    assert clf.score(X, [0, 1, 0, 1] * 5) == 1


def test_predict_rejects_other_columns_than_those_of_fit():
    frame = pd.DataFrame(X20, columns=["a", "b", "c"])
    clf = fit(frame)
    with pytest.raises(ValueError, match=r"X = X\[list\(model.feature_names_in_\)\]"):
        clf.predict(frame[["c", "b", "a"]])
    with pytest.raises(ValueError, match="Feature names seen at fit time, yet now missing:\n- c"):
        clf.predict(frame[["a", "b"]])
    with pytest.raises(ValueError, match="Feature names unseen at fit time:\n- d"):
        clf.predict(frame.rename(columns={"c": "d"}))
    with pytest.raises(ValueError, match="expecting 3 features"):
        fit(X20).predict(X20[:, :2])
    with pytest.raises(
        ValueError, match="column 'a' contained numbers in training, but now contains text"
    ):
        clf.predict(frame.astype({"a": str}))


def test_explain_rejects_more_than_one_row():
    clf = fit(X20)
    with pytest.raises(ValueError, match="explain takes one row, got 2"):
        clf.explain(X20[:2])


def test_fit_keeps_the_types_of_rows_given_as_lists():
    rows = [["a", 1], ["b", 2], ["a", 3], ["b", 4]]
    clf = fit(rows, [0, 0, 1, 1])
    assert [spec.kind for spec in clf._model.schema] == ["nominal", "ordered"]
    assert clf.predict([["a", 10], ["b", 0]]).tolist() == [1, 0]


def test_missing_times_in_y_are_counted():
    y = np.array(["2020-01-01", "NaT"] * 10, dtype="datetime64[D]")
    with pytest.raises(ValueError, match="10 of 20 labels are missing"):
        fit(X20, y)


def test_predict_reads_arrays_with_the_categorical_columns_of_fit():
    clf = fit(np.array([["u"], ["v"]] * 10, dtype=object), [0, 1] * 10, categorical_features=[0])
    assert clf.predict(np.array([["v"]], dtype=object)).tolist() == [1]


def test_failed_fit_leaves_the_classifier_unchanged():
    clf = TreeClassifier(4).fit(X20, Y20)
    predicted, before = clf.predict(X20), dict(vars(clf))
    wider = np.hstack((X20, X20))
    with pytest.raises(ValueError, match="row 0 has -1"):
        clf.fit(wider, np.array(["a", "b"])[Y20], sample_weight=[-1] + [1] * 19)
    assert vars(clf).keys() == before.keys()
    assert clf.n_features_in_ == 3
    np.testing.assert_array_equal(clf.predict(X20), predicted)
    never = TreeClassifier(4)
    with pytest.raises(ValueError, match="row 0 has -1"):
        never.fit(X20, Y20, sample_weight=[-1] + [1] * 19)
    assert not hasattr(never, "classes_")


@pytest.mark.parametrize("kind", [TreeClassifier, BoostedTreeClassifier])
def test_fit_rejects_more_classes_than_supported(kind):
    y = np.arange(70_000) * 10
    with pytest.raises(ValueError, match="y has 70,000 classes"):
        kind().fit(y.reshape(-1, 1).astype(float), y)


def test_weights_with_overflowing_squares_are_rejected():
    for top in (1e145, 1e-150):
        with pytest.raises(ValueError, match="scale them to a sum nearer 1"):
            fit(X20, sample_weight=np.full(20, top) * rng.choice([1, 2], 20))


def test_categorical_features_accept_masks_positions_and_names():
    X = pd.DataFrame({"a": [0, 1, 2, 0, 1, 2], "b": [5.0, 6, 7, 8, 9, 1]})
    y = [0, 1, 0, 0, 1, 0]
    for chosen in ([True, False], [0], ["a"]):
        clf = TreeClassifier(categorical_features=chosen).fit(X, y)
        assert clf._model.schema[0].kind == "nominal"
        assert clf._model.schema[1].kind == "ordered"
    with pytest.raises(ParameterError, match="mask of 3 for 2 columns"):
        TreeClassifier(categorical_features=[True, False, True]).fit(X, y)
    with pytest.raises(ParameterError, match="must be 'from_dtype', a mask"):
        TreeClassifier(categorical_features=[0.5]).fit(X, y)
    with pytest.raises(ValueError, match=r"does not have: \['z'\]"):
        TreeClassifier(categorical_features=["z"]).fit(X, y)


@pytest.mark.parametrize("dtype", ["i1", "i8", "u1", "u8", "f8", "?", "U3", "O"])
def test_classes_of_every_dtype_equal_those_of_numpy(dtype):
    raw = np.array([100, 3, 3, 100, 7, 1, 100, 7])
    y = (
        (raw > 5)
        if dtype == "?"
        else raw.astype(str).astype(dtype)
        if dtype in "U3O"
        else raw.astype(dtype)
    )
    X = np.arange(8.0)[:, None]
    clf = TreeClassifier(max_leaves=None).fit(X, y)
    np.testing.assert_array_equal(clf.classes_, np.unique(y))
    assert clf.classes_.dtype == np.unique(y).dtype
    np.testing.assert_array_equal(clf.predict(X), y)


@pytest.mark.parametrize("dtype", ["i1", "i2", "i8", "u1", "u8"])
def test_integer_classes_may_be_the_limits_of_their_dtype(dtype):
    ends = np.iinfo(dtype)
    y = np.array([ends.max, ends.min, ends.max, ends.max - 3], dtype=dtype)
    X = np.arange(4.0)[:, None]
    np.testing.assert_array_equal(TreeClassifier(procedure="per-leaf").fit(X, y).predict(X), y)
    np.testing.assert_array_equal(TreeClassifier().fit(X[2:], y[2:]).classes_, np.unique(y[2:]))


def test_integer_classes_may_be_far_apart():
    X, y = np.arange(4.0)[:, None], np.array([-(2**40), 2**62, 5, 5])
    assert TreeClassifier(procedure="per-leaf").fit(X, y).predict(X).tolist() == y.tolist()
