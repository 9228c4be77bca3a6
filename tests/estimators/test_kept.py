"""What can be fitted can be kept: a model is the same wherever it has been.

Every estimator, as it was fitted, unpickled, copied, returned by another process and loaded from a
file, is saved, verified, pruned, reported and exported.
"""

import copy
import pickle
from functools import cache, partial

import numpy as np
import pytest
from joblib.externals.loky import ProcessPoolExecutor

import polytomy
from polytomy import (
    BoostedTreeClassifier,
    DensityTree,
    ForestClassifier,
    ForestRegressor,
    TreeClassifier,
    TreeRegressor,
)

RANDOM = np.random.default_rng(3)
NUMBERS = RANDOM.normal(size=60).round(2)
WORDS = RANDOM.choice(["red", "green", "blue"], size=60)
X = np.array([[n, w] for n, w in zip(NUMBERS.tolist(), WORDS.tolist(), strict=True)], dtype=object)
TWO = np.where(NUMBERS + (WORDS == "red") > 0.3, "yes", "no")
THREE = np.where(WORDS == "blue", "other", TWO)
COSTS = NUMBERS * 3 + (WORDS == "red")

ESTIMATORS = {
    "tree": (partial(TreeClassifier, max_leaves=6), THREE),
    "entropy tree": (partial(TreeClassifier, max_leaves=6, index="entropy", honest=False), TWO),
    "regressor": (partial(TreeRegressor, max_leaves=6), COSTS),
    "forest": (partial(ForestClassifier, 3), THREE),
    "regression forest": (partial(ForestRegressor, 3), COSTS),
    "adaboost": (partial(BoostedTreeClassifier, 4, max_leaves=3), TWO),
    "logitboost": (partial(BoostedTreeClassifier, 4, algorithm="logitboost"), THREE),
    "density": (partial(DensityTree, max_leaves=6), None),
}
TREES = [name for name, (make, _) in ESTIMATORS.items() if hasattr(make.func, "prune")]
TEXTS = ("to_text", "to_python", "to_sql", "to_c", "to_javascript", "to_json", "to_dot")


def fit(name):
    make, y = ESTIMATORS[name]
    return make().fit(X, y)


fitted = cache(fit)


@pytest.fixture(scope="module")
def returned():
    """Every estimator as another process fits and returns it."""
    with ProcessPoolExecutor(max_workers=1) as pool:
        return dict(zip(ESTIMATORS, pool.map(fit, ESTIMATORS), strict=True))


@pytest.fixture(params=["fit", "pickle", "deepcopy", "process", "load"])
def kept(request, tmp_path):
    """A function that returns an estimator, wherever it has been."""

    def of(name):
        model, by = fitted(name), request.param
        if by == "pickle":
            return pickle.loads(pickle.dumps(model))
        if by == "deepcopy":
            return copy.deepcopy(model)
        if by == "process":
            return request.getfixturevalue("returned")[name]
        if by == "load":
            model.save(tmp_path / "kept.json")
            return polytomy.load(tmp_path / "kept.json")
        return model

    return of


@pytest.fixture(params=ESTIMATORS)
def pair(request, kept):
    """A fitted estimator and the same one, wherever it has been, with its target."""
    name = request.param
    return fitted(name), kept(name), ESTIMATORS[name][1]


def test_saved_file_is_the_same(pair, tmp_path):
    model, other, _ = pair
    model.save(tmp_path / "one.json")
    other.save(tmp_path / "two.json")
    assert (tmp_path / "two.json").read_bytes() == (tmp_path / "one.json").read_bytes()
    assert type(polytomy.load(tmp_path / "two.json")) is type(model)


def test_model_is_verified(pair):
    _, other, y = pair
    report = polytomy.verify(other, X, y)
    assert report.ok, report
    assert not polytomy.verify(other, X[1:], None if y is None else y[1:]).ok


@pytest.mark.parametrize("name", TREES)
def test_pruned_tree_is_the_same_and_can_be_kept(name, kept, tmp_path):
    model, other, y = fitted(name), kept(name), ESTIMATORS[name][1]
    pruner = polytomy.prune.ErrorBudget(select=3)
    if y is not None:
        pruner = "pessimistic" if y.dtype.kind == "U" else polytomy.prune.CostComplexity(0.05)
    smaller = other.prune(pruner)
    assert smaller.to_text() == model.prune(pruner).to_text()
    smaller.save(tmp_path / "pruned.json")
    assert polytomy.load(tmp_path / "pruned.json").to_text() == smaller.to_text()
    assert polytomy.verify(pickle.loads(pickle.dumps(smaller)), X, y).ok


def test_report_is_the_same(pair, tmp_path):
    model, other, y = pair
    model.report(tmp_path / "one.html", X, y)
    other.report(tmp_path / "two.html", X, y)
    assert (tmp_path / "two.html").read_text() == (tmp_path / "one.html").read_text()


def test_exports_and_predictions_are_the_same(pair):
    model, other, y = pair
    methods = [name for name in TEXTS if hasattr(model, name)]
    assert len(methods) >= 5
    for name in methods:
        assert getattr(other, name)() == getattr(model, name)()
    predict = "score_samples" if y is None else "predict"
    assert np.array_equal(getattr(other, predict)(X), getattr(model, predict)(X))
