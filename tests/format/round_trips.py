"""Compare a fitted estimator with its saved and loaded copy in everything a user can see."""

import numpy as np
from sklearn.base import clone, is_classifier

from polytomy.estimators.base.files import load_bytes, to_file_bytes


def same_value(a, b):
    """Return whether two parameters have the same type and value."""
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same_value, a, b))
    if isinstance(a, dict):
        return same_value(list(a.items()), list(b.items()))
    return bool(a == b)


def assert_same(clf, again, X=None):
    """Assert that two estimators are equal."""
    assert type(again) is type(clf)
    mine, theirs = clf.get_params(deep=False), again.get_params(deep=False)
    assert list(mine) == list(theirs)
    assert all(same_value(mine[name], theirs[name]) for name in mine), (mine, theirs)
    assert clone(again).get_params().keys() == clone(clf).get_params().keys()
    assert again.n_features_in_ == clf.n_features_in_
    assert hasattr(again, "feature_names_in_") == hasattr(clf, "feature_names_in_")
    if hasattr(clf, "feature_names_in_"):
        assert again.feature_names_in_.dtype == clf.feature_names_in_.dtype
        assert again.feature_names_in_.tolist() == clf.feature_names_in_.tolist()
    assert again.to_text() == clf.to_text()
    assert str(again.certificate_) == str(clf.certificate_)
    assert getattr(again._model, "origin", None) == getattr(clf._model, "origin", None)
    assert np.array_equal(again.feature_importances_, clf.feature_importances_)
    assert_same_schema(clf._model.schema, again._model.schema)
    if X is not None:
        assert np.array_equal(again.predict(X), clf.predict(X))
    if is_classifier(clf):
        assert_same_classes(clf, again, X)
    else:
        assert not hasattr(again, "classes_")
        assert again._model.honesty == clf._model.honesty
        if X is not None:
            assert np.array_equal(again.predict_interval(X), clf.predict_interval(X))


def assert_same_classes(clf, again, X=None):
    assert again.classes_.dtype == clf.classes_.dtype
    assert again.classes_.tolist() == clf.classes_.tolist()
    assert list(map(type, again.classes_.tolist())) == list(map(type, clf.classes_.tolist()))
    if X is not None:
        assert np.array_equal(again.predict_proba(X), clf.predict_proba(X), equal_nan=True)


def assert_same_schema(one, other):
    assert one.names == other.names
    for a, b in zip(one, other, strict=True):
        assert (a.kind, a.has_missing) == (b.kind, b.has_missing)
        if a.kind == "nominal":
            assert same_value(a.categories, b.categories)
        else:
            assert a.low.tobytes() == b.low.tobytes()
            assert a.high.tobytes() == b.high.tobytes()
            assert a.scale == b.scale
            assert same_value(getattr(a.scale, "labels", ()), getattr(b.scale, "labels", ()))


def round_trip(clf, X=None):
    """Write an estimator, read it, compare, and write again: the same bytes."""
    data = to_file_bytes(clf)
    again = load_bytes(data)
    assert_same(clf, again, X)
    assert to_file_bytes(again) == data
    return again
