"""Predictions during a refit in another thread: every answer is that of one fitted model."""

import copy
import pickle
import threading
import time
from functools import partial

import numpy as np
import pytest

from polytomy import (
    BoostedTreeClassifier,
    DensityTree,
    ForestClassifier,
    ForestRegressor,
    TreeClassifier,
    TreeRegressor,
    load,
    verify,
)

SECONDS = 0.3  # of racing for each estimator

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(60, 3))
ROWS = X[:20]
TWO = np.where(X[:, 0] > 0, "north", "south")
FOUR = np.array(["a", "b", "c", "d"])[(X[:, 1:] > 0) @ [1, 2]]
NUMBERS, OTHERS = X[:, 0] * 10, 1e6 + X[:, 1]

READINGS = {
    "predict": lambda m: m.predict(ROWS),
    "predict_proba": lambda m: m.predict_proba(ROWS),
    "predict_log_proba": lambda m: m.predict_log_proba(ROWS),
    "predict_interval": lambda m: m.predict_interval(ROWS),
    "decision_function": lambda m: m.decision_function(ROWS),
    "staged_predict": lambda m: np.stack(list(m.staged_predict(ROWS))),
    "score_samples": lambda m: m.score_samples(ROWS),
    "apply": lambda m: m.apply(ROWS),
    "feature_importances_": lambda m: m.feature_importances_,
    "to_text": lambda m: np.array(m.to_text()),
    "explain": lambda m: np.array(str(m.explain(ROWS[0]))),
    "tree": lambda m: m[0].predict(ROWS),
    "pickle": lambda m: m.__class__.apply(pickle.loads(pickle.dumps(m)), ROWS),
    "copy": lambda m: np.array(copy.copy(m).to_text()),
}
ESTIMATORS = {
    "tree": (partial(TreeClassifier, max_leaves=6, honest=False), (TWO, FOUR)),
    "regressor": (partial(TreeRegressor, max_leaves=6, honest=False), (NUMBERS, OTHERS)),
    "forest": (partial(ForestClassifier, 3), (TWO, FOUR)),
    "regression forest": (partial(ForestRegressor, 3), (NUMBERS, OTHERS)),
    "boosted": (partial(BoostedTreeClassifier, 3), (TWO, FOUR)),
    "logitboost": (partial(BoostedTreeClassifier, 3, algorithm="logitboost"), (TWO, FOUR)),
    "density": (partial(DensityTree, max_leaves=6), (None, None)),
}


def tables(targets):
    """Return two tables to fit on in turn: they differ in their rows, and in their classes."""
    return [(X, targets[0]), (X[::-1] * 2 + 1, targets[1])]


def is_same(one, other):
    kinds = one.dtype.kind, other.dtype.kind
    if one.shape != other.shape or ("U" in kinds and kinds != ("U", "U")):
        return False
    return np.array_equal(one, other, equal_nan=kinds == ("f", "f"))


def race(model, fits, readers, seconds=SECONDS):
    """Refit in turn in one thread while others read; return the errors and the number of reads."""
    errors, reads, is_over = [], [0] * len(readers), threading.Event()

    def run(number, read):
        try:
            while not is_over.is_set():
                read(model)
                reads[number] += 1
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=pair) for pair in enumerate(readers)]
    for thread in threads:
        thread.start()
    end, n_fits = time.monotonic() + seconds, 0
    while time.monotonic() < end or n_fits < 4:
        fits[n_fits % 2](model)
        n_fits += 1
    is_over.set()
    for thread in threads:
        thread.join()
    return errors, reads


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_answer_during_refits_is_that_of_one_model(name):
    make, targets = ESTIMATORS[name]
    fits = [lambda m, t=table: m.fit(*t) for table in tables(targets)]
    models = [fit(make()) for fit in fits]
    wanted = {}
    for what, read in READINGS.items():
        known = {"tree": "__getitem__", "pickle": "apply", "copy": "to_text"}.get(what, what)
        if hasattr(models[0], known):
            wanted[what] = [read(model) for model in models]
    assert len(wanted) >= 5

    def read_all(model):
        for what, expected in wanted.items():
            found = READINGS[what](model)
            assert any(is_same(found, one) for one in expected), (what, found)

    errors, reads = race(fits[0](make()), fits, [read_all, read_all])
    assert not errors
    assert all(reads)


def test_rows_of_the_other_table_are_refused_as_by_its_model():
    pandas = pytest.importorskip("pandas")
    first = pandas.DataFrame(X, columns=["p", "q", "r"])
    second = pandas.DataFrame({"t": ["u", "v"] * 30, "q": X[:, 1]})
    fits = [lambda m: m.fit(first, TWO), lambda m: m.fit(second, FOUR)]
    rows = first[:20]
    wanted = fits[0](TreeClassifier(6)).predict_proba(rows)
    with pytest.raises(ValueError, match="feature names") as refused:
        fits[1](TreeClassifier(6)).predict_proba(rows)
    refusals = set()

    def read(model):
        try:
            assert is_same(model.predict_proba(rows), wanted)
        except ValueError as error:
            refusals.add(str(error))

    errors, _ = race(fits[0](TreeClassifier(6)), fits, [read, read])
    assert not errors
    assert refusals <= {str(refused.value)}


def test_verify_and_save_during_refits_read_one_model(tmp_path):
    fits = [lambda m, t=table: m.fit(*t) for table in tables((TWO, FOUR))]
    texts = [fit(TreeClassifier(6)).to_text() for fit in fits]

    def save(model):
        model.save(tmp_path / "model.json")
        assert load(tmp_path / "model.json").to_text() in texts

    def check(model):
        one = copy.copy(model)
        data = tables((TWO, FOUR))[texts.index(one.to_text())]
        assert verify(one, *data).ok

    errors, reads = race(fits[0](TreeClassifier(6)), fits, [save, check])
    assert not errors
    assert all(reads)


def test_fits_at_once_leave_the_model_of_one_of_them():
    named = pytest.importorskip("pandas").DataFrame(X, columns=["p", "q", "r"])
    clf = TreeClassifier(6)
    fits = [lambda: clf.fit(named, TWO), lambda: clf.fit(X, FOUR)]
    for _ in range(20):
        threads = [threading.Thread(target=fit) for fit in fits]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert hasattr(clf, "feature_names_in_") == (len(clf.classes_) == 2)
        assert len(clf._model.classes) == len(clf.classes_)


def test_parameters_set_during_a_fit_are_kept():
    clf = TreeClassifier(6)
    with clf._draft() as draft:
        clf.set_params(max_depth=9)
        draft.classes_ = TWO
        assert not hasattr(clf, "classes_")
    assert clf.max_depth == 9
    assert clf.classes_ is TWO


def test_methods_of_a_users_subclass_may_set_attributes():
    class Counting(TreeClassifier):
        calls = 0

        def predict(self, X):
            self.calls += 1
            return super().predict(X)

    clf = Counting(6).fit(X, TWO)
    clf.predict(X)
    assert clf.calls == 1
