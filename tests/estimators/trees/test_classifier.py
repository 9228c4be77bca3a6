"""TreeClassifier: predictions, pipelines, searches, weights, pickles, data frames."""

import pickle
import subprocess
import sys

import numpy as np
import polars as pl
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import BaggingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.impute import SimpleImputer
from sklearn.inspection import permutation_importance
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import polytomy
from polytomy import TreeClassifier
from polytomy.tree import check_tree
from tests.table.conftest import as_pandas, as_polars

LABELS = np.array(["no", "yes", "yes", "no", "yes", "no", "yes", "no"])


def test_fitted_attributes_are_consistent():
    X, y = load_breast_cancer(return_X_y=True)
    clf = TreeClassifier(max_leaves=12, procedure="per-leaf").fit(X, y)
    check_tree(clf.tree_)
    leaves = clf.apply(X)
    assert clf.n_leaves_ == 12 == len(np.unique(leaves))
    assert clf.n_questions_ == pytest.approx(clf.tree_.depth[leaves].mean())
    assert clf.depth_ == clf.get_depth() == clf.tree_.depth.max()
    assert clf.get_n_leaves() == clf.n_leaves_
    assert clf.feature_importances_.sum() == pytest.approx(1)
    path = clf.decision_path(X)
    assert path.shape == (len(X), clf.tree_.n_nodes)
    np.testing.assert_array_equal(np.asarray(path.sum(axis=1)).ravel(), clf.tree_.depth[leaves] + 1)
    assert (path[np.arange(len(X)), leaves] == 1).all()
    np.testing.assert_allclose(clf.predict_proba(X).sum(axis=1), 1)
    np.testing.assert_array_equal(
        np.exp(clf.predict_log_proba(X)).argmax(axis=1), clf.predict_proba(X).argmax(axis=1)
    )


def test_contraction_changes_the_tree_but_not_the_predictions():
    X, y = load_breast_cancer(return_X_y=True)
    options = {"max_leaves": 20, "procedure": "per-leaf", "honest": False, "max_bins": 255}
    short = TreeClassifier(**options).fit(X, y)
    plain = TreeClassifier(**options, contract=False).fit(X, y)
    np.testing.assert_array_equal(short.predict_proba(X), plain.predict_proba(X))
    assert short.n_questions_ < plain.n_questions_
    assert plain.tree_ == plain._model.grown == short._model.grown


def test_max_arity_limits_splits_but_not_contracted_nodes():
    X = np.random.default_rng(0).normal(size=(500, 1))
    y = np.sin(5 * X[:, 0]) > 0
    clf = TreeClassifier(12, max_arity=2, teacher=False)
    grown = clone(clf).set_params(contract=False).fit(X, y).tree_
    merged = clf.fit(X, y).tree_
    assert max(len(grown.children(node)) for node in range(grown.n_nodes)) == 2
    assert len(merged.children(0)) == merged.n_leaves == grown.n_leaves > 2


def test_smoothing_is_added_to_every_class():
    X, y = load_iris(return_X_y=True)
    clf = TreeClassifier(max_leaves=3, honest=False, smoothing=1.0).fit(X, y)
    assert clf.predict_proba(X).max() == pytest.approx(51 / 53)


def test_smoothing_does_not_change_honest_shares():
    X, y = load_iris(return_X_y=True)
    plain, smoothed = (TreeClassifier(max_leaves=3, smoothing=s).fit(X, y) for s in (0, 1.0))
    np.testing.assert_array_equal(plain.predict_proba(X), smoothed.predict_proba(X))


@pytest.mark.parametrize("make", [as_pandas, as_polars])
def test_fit_accepts_frames_with_every_type_of_column(make):
    X = make()
    clf = TreeClassifier(max_leaves=None).fit(X, LABELS)
    assert clf.predict(X).tolist() == LABELS.tolist()
    assert clf.feature_names_in_.tolist() == list(X.columns)
    assert set(clf.classes_) == {"no", "yes"}


def test_tree_is_the_same_from_pandas_and_polars():
    trees = [TreeClassifier(max_leaves=None).fit(f(), LABELS).tree_ for f in (as_pandas, as_polars)]
    assert trees[0] == trees[1]


def test_classifier_works_in_scikit_learns_meta_estimators():
    X, y = load_iris(return_X_y=True, as_frame=True)
    assert cross_val_score(TreeClassifier(max_leaves=4), X, y).mean() > 0.9
    search = GridSearchCV(TreeClassifier(), {"max_leaves": [2, 4], "index": ["gini", "sqrt"]}).fit(
        X, y
    )
    assert search.best_params_["max_leaves"] == 4
    assert (
        BaggingClassifier(TreeClassifier(), n_estimators=5, random_state=0).fit(X, y).score(X, y)
        > 0.9
    )
    assert CalibratedClassifierCV(TreeClassifier(max_leaves=4)).fit(X, y).score(X, y) > 0.9
    columns = make_column_transformer((StandardScaler(), X.columns[:2]), remainder="passthrough")
    pipe = make_pipeline(columns, SimpleImputer(), TreeClassifier(max_leaves=4)).fit(X, y)
    assert pipe.score(X, y) > 0.9
    clf = TreeClassifier(max_leaves=4).fit(X, y)
    found = permutation_importance(clf, X, y, n_repeats=2, random_state=0)
    assert found.importances_mean.argmax() == clf.feature_importances_.argmax()
    frame = pl.DataFrame({name: X[name].to_numpy() for name in X.columns})
    assert cross_val_score(TreeClassifier(max_leaves=4), frame, y).mean() > 0.9


def test_classifier_can_be_cloned_and_pickled():
    X, y = load_iris(return_X_y=True)
    clf = TreeClassifier(max_leaves=5, procedure="hatano").fit(X, y)
    back = pickle.loads(pickle.dumps(clf))
    assert back.tree_ == clf.tree_
    np.testing.assert_array_equal(back.predict_proba(X), clf.predict_proba(X))
    assert clone(clf).get_params() == clf.get_params()
    with pytest.raises(NotFittedError):
        clone(clf).predict(X)


def test_weights_equal_repeated_rows_and_balance_classes():
    X, y = load_breast_cancer(return_X_y=True)
    weights = np.random.default_rng(0).integers(0, 3, len(y))
    # the folds of repeated rows are others, so honest shares differ
    options = {"max_leaves": 8, "procedure": "per-leaf", "honest": False}
    weighted = TreeClassifier(**options).fit(X, y, sample_weight=weights)
    repeated = TreeClassifier(**options).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_array_equal(weighted.predict_proba(X), repeated.predict_proba(X))
    balanced = TreeClassifier(max_leaves=1, class_weight="balanced", honest=False).fit(X, y)
    np.testing.assert_allclose(balanced.tree_.counts, [[len(y) / 2, len(y) / 2]])
    np.testing.assert_allclose(balanced.predict_proba(X[:1])[0, 1], y.mean())


def test_tree_does_not_depend_on_threads():
    X, y = load_breast_cancer(return_X_y=True)
    assert TreeClassifier(n_jobs=1).fit(X, y).tree_ == TreeClassifier(n_jobs=4).fit(X, y).tree_


def test_verbose_prints_every_split_and_a_summary(capsys):
    X, y = load_iris(return_X_y=True)
    TreeClassifier(max_leaves=3, procedure="per-leaf", verbose=2).fit(X, y)
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == 3
    assert printed[-1].startswith("3 leaves")


def test_import_does_not_load_other_libraries():
    code = (
        "import sys, polytomy; heavy = {'sklearn', 'scipy', 'pandas', 'polars', 'dask', "
        "'matplotlib', 'narwhals'} & set(sys.modules); print(sorted(heavy)); "
        "polytomy.TreeClassifier; print('sklearn' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == ["[]", "True"]
    assert "TreeClassifier" in dir(polytomy)
    with pytest.raises(AttributeError, match="no attribute 'Forest'"):
        polytomy.Forest  # noqa: B018


def test_weights_are_routed_through_a_grid_search():
    X, y = load_iris(return_X_y=True)
    weights = np.where(y == 2, 0.0, 1.0)
    with config_context(enable_metadata_routing=True):
        clf = TreeClassifier(max_leaves=4).set_fit_request(sample_weight=True)
        clf.set_score_request(sample_weight=True)
        search = GridSearchCV(clf, {"max_leaves": [2, 3]}, cv=3).fit(X, y, sample_weight=weights)
    assert 2 not in search.best_estimator_.predict(X)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_with_text_work_in_scikit_learns_meta_estimators(library):
    X, y = load_iris(return_X_y=True, as_frame=True)
    X["town"] = np.random.default_rng(0).choice(list("abc"), 150)
    numbers = list(X.columns[:2])
    if library == "polars":
        X = pl.DataFrame({name: X[name].to_numpy() for name in X.columns})
    search = GridSearchCV(TreeClassifier(), {"max_leaves": [2, 4]}).fit(X, y)
    assert search.best_params_ == {"max_leaves": 4}
    assert cross_val_score(TreeClassifier(), X, y).mean() > 0.9
    assert BaggingClassifier(TreeClassifier(), 3, random_state=0).fit(X, y).score(X, y) > 0.9
    assert CalibratedClassifierCV(TreeClassifier(max_leaves=4)).fit(X, y).score(X, y) > 0.9
    scale = make_column_transformer((StandardScaler(), numbers), remainder="passthrough")
    pipe = make_pipeline(scale.set_output(transform=library), TreeClassifier()).fit(X, y)
    assert pipe.score(X, y) > 0.9
    assert pipe[-1].feature_names_in_[-1] == "remainder__town"


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_unlimited_leaves_fit_random_labels_of_4000_numbers_without_error(n_classes, weighted):
    rng = np.random.default_rng(1)
    X = rng.permutation(4000).astype(float)[:, None]
    X[7] = np.nan
    y = rng.integers(0, n_classes, 4000)
    weights = rng.integers(1, 5, 4000) if weighted else None
    clf = TreeClassifier(max_leaves=None).fit(X, y, weights)
    assert clf.score(X, y) == 1
    assert TreeClassifier(max_leaves=None, max_bins=255).fit(X, y).score(X, y) < 0.7
    assert polytomy.verify(clf, X, y, weights).ok
