"""BoostedTreeClassifier: predictions, stages, margins, warm starts, parameters."""

import pickle
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib import pyplot as plt
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB

from polytomy import BoostedTreeClassifier, TreeClassifier

TWO = ("adaboost", "adaboost-real", "adaboost-mh", "samme", "logitboost")
MANY = ("adaboost-mh", "samme", "logitboost")
CANCER = load_breast_cancer(return_X_y=True)
IRIS = load_iris(return_X_y=True)


def frame(n=200, seed=0):
    rng = np.random.default_rng(seed)
    data = pd.DataFrame({"age": rng.integers(18, 80, n).astype(float)})
    data["town"] = rng.choice(["Bonn", "Kiel", "Ulm"], n)
    data.loc[rng.random(n) < 0.1, "age"] = np.nan
    data.loc[rng.random(n) < 0.1, "town"] = None
    score = data["age"].fillna(40) / 20 + (data["town"] == "Ulm") * 2 + rng.standard_normal(n)
    return data, np.where(score > score.median(), "yes", "no")


@pytest.mark.parametrize("algorithm", TWO)
def test_fit_accepts_text_categories_and_missing_cells(algorithm):
    x, y = frame()
    clf = BoostedTreeClassifier(25, algorithm=algorithm).fit(x, y)
    assert clf.score(x, y) > 0.8
    assert clf.classes_.tolist() == ["no", "yes"]
    assert clf.decision_function(x).shape == (200,)
    shares = clf.predict_proba(x)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert ((shares[:, 1] > 0.5) == (clf.predict(x) == "yes")).all()
    assert clf.predict(pd.DataFrame({"age": [np.nan], "town": ["Mars"]})).shape == (1,)


@pytest.mark.parametrize("algorithm", MANY)
def test_fit_accepts_three_classes(algorithm):
    x, y = IRIS
    clf = BoostedTreeClassifier(20, algorithm=algorithm).fit(x, y)
    assert clf.score(x, y) > 0.95
    assert clf.decision_function(x).shape == (150, 3)
    assert (clf.predict_proba(x).argmax(axis=1) == clf.predict(x)).all()


@pytest.mark.parametrize("data", [CANCER, IRIS])
def test_default_is_logitboost_with_small_steps_and_stumps(data):
    auto = 0.5 / len(data[1])
    for shape, rate in (
        ({}, 0.3),
        ({"max_leaves": 8, "max_depth": 1}, 0.3),
        ({"max_leaves": 8}, 0.1),
    ):
        clf = BoostedTreeClassifier(2, **shape).fit(*data)
        named = {"algorithm": "logitboost", "learning_rate": rate, "smoothing": auto}
        named |= {"max_leaves": 2} | shape
        assert clf.ensemble_.algorithm == "logitboost"
        assert clf.ensemble_ == BoostedTreeClassifier(2, **named).fit(*data).ensemble_


@pytest.mark.parametrize(
    ("data", "params", "algorithm"),
    [
        (CANCER, {"index": "gini"}, "adaboost-real"),
        (CANCER, {"estimator": GaussianNB()}, "adaboost-real"),
        (IRIS, {"estimator": GaussianNB()}, "adaboost-mh"),
    ],
)
def test_auto_is_adaboost_if_trees_cannot_be_grown_on_responses(data, params, algorithm):
    clf = BoostedTreeClassifier(2, **params).fit(*data)
    assert clf.ensemble_.algorithm == algorithm
    assert clf.rounds_.alpha[0] == 1


@pytest.mark.parametrize("algorithm", ["adaboost", "adaboost-real", "adaboost-mh", "samme"])
def test_adaboost_has_stumps_and_full_steps_by_default(algorithm):
    clf = BoostedTreeClassifier(3, algorithm=algorithm).fit(*CANCER)
    named = {"algorithm": algorithm, "learning_rate": 1.0, "max_leaves": 2}
    assert clf.ensemble_ == BoostedTreeClassifier(3, **named).fit(*CANCER).ensemble_


@pytest.mark.parametrize(("data", "algorithm"), [(CANCER, "adaboost"), (IRIS, "logitboost")])
def test_stages_equal_fits_with_fewer_rounds(data, algorithm):
    x, y = data
    clf = BoostedTreeClassifier(6, algorithm=algorithm).fit(x, y)
    stages = zip(clf.staged_predict(x), clf.staged_predict_proba(x), strict=True)
    scores = list(clf.staged_score(x, y))
    for n, (predicted, shares) in enumerate(stages, start=1):
        part = BoostedTreeClassifier(n, algorithm=algorithm).fit(x, y)
        np.testing.assert_array_equal(predicted, part.predict(x))
        np.testing.assert_array_equal(shares, part.predict_proba(x))
        assert scores[n - 1] == part.score(x, y)
    assert len(scores) == n == 6
    np.testing.assert_allclose(1 - clf.rounds_.training_error, scores)


def test_rounds_can_be_read_as_arrays_and_as_a_frame():
    clf = BoostedTreeClassifier(5, algorithm="adaboost").fit(*CANCER)
    for name in ("epsilon", "alpha", "z", "bound", "training_error"):
        array = getattr(clf.rounds_, name)
        assert array.tolist() == [getattr(r, name) for r in clf.rounds_]
    assert np.isnan(clf.rounds_.validation_error).all()
    assert pd.DataFrame(clf.rounds_.columns())["round"].tolist() == [1, 2, 3, 4, 5]
    assert clf.certificate_.holds
    assert clf.certificate_.bound == clf.rounds_[-1].bound


@pytest.mark.parametrize(("data", "algorithm"), [(CANCER, "adaboost"), (IRIS, "adaboost-mh")])
def test_margins_are_positive_for_correct_predictions(data, algorithm):
    x, y = data
    clf = BoostedTreeClassifier(9, algorithm=algorithm).fit(x, y)
    margins = clf.margins(x, y)
    assert (np.abs(margins) <= 1).all()
    np.testing.assert_array_equal(margins[margins != 0] > 0, (clf.predict(x) == y)[margins != 0])
    if algorithm == "adaboost":
        signed = np.where(y == 1, 1, -1) * clf.decision_function(x)
        np.testing.assert_allclose(margins, signed / clf.rounds_.alpha.sum())
    with pytest.raises(ValueError, match="was not fitted on"):
        clf.margins(x, y + 5)


def test_stumps_may_have_many_branches():
    x, y = CANCER
    wide = BoostedTreeClassifier(5, max_leaves=8, max_depth=1).fit(x, y)
    assert wide.ensemble_.depth == 1
    assert wide.rounds_[0].leaves > 2
    fits = (BoostedTreeClassifier(5, max_leaves=n, learning_rate=1.0) for n in (6, 2))
    small, stumps = (clf.fit(x, y) for clf in fits)
    assert small.rounds_.bound[-1] < stumps.rounds_.bound[-1]


def test_added_rounds_equal_one_long_fit():
    x, y = CANCER
    whole = BoostedTreeClassifier(12).fit(x, y)
    part = BoostedTreeClassifier(5).fit(x, y).fit_more(7)
    assert part.ensemble_ == whole.ensemble_
    assert part.rounds_ == whole.rounds_
    warm = BoostedTreeClassifier(5, warm_start=True).fit(x, y)
    assert warm.set_params(n_rounds=12).fit(x, y).ensemble_ == whole.ensemble_
    thawed = pickle.loads(pickle.dumps(part))
    assert thawed.ensemble_ == whole.ensemble_
    with pytest.raises(ValueError, match="does not carry its training rows"):
        thawed.fit_more(1)
    thawed.set_params(warm_start=True, n_rounds=13)
    assert thawed.fit(x, y).ensemble_.truncated(12) == whole.ensemble_


def test_warm_start_on_other_rows_is_rejected():
    x, y = CANCER
    warm = BoostedTreeClassifier(5, warm_start=True).fit(x, y)
    with pytest.raises(ValueError, match="these differ"):
        warm.fit(x[:-1], y[:-1])
    with pytest.raises(ValueError, match="at least the 5 rounds"):
        warm.set_params(n_rounds=3).fit(x, y)


def test_integer_weights_equal_repeated_rows():
    x, y = frame()
    times = np.random.default_rng(1).integers(0, 4, len(y))
    repeated = x.loc[np.repeat(np.arange(len(y)), times)]
    one = BoostedTreeClassifier(10, algorithm="adaboost").fit(x, y, sample_weight=times)
    many = BoostedTreeClassifier(10, algorithm="adaboost").fit(repeated, np.repeat(y, times))
    np.testing.assert_allclose(one.rounds_.z, many.rounds_.z, rtol=1e-9)
    np.testing.assert_allclose(one.predict_proba(x), many.predict_proba(x), atol=1e-9)


def test_importances_rank_the_informative_columns_first():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((500, 4))
    y = (2 * x[:, 1] + x[:, 3] > 0).astype(int)
    for algorithm in TWO:
        shares = BoostedTreeClassifier(15, algorithm=algorithm).fit(x, y).feature_importances_
        assert shares.sum() == pytest.approx(1)
        assert shares.argsort()[::-1][:2].tolist() == [1, 3]


def test_ensemble_does_not_depend_on_threads():
    x, y = frame()
    one, two = (BoostedTreeClassifier(8, n_jobs=n).fit(x, y) for n in (1, 2))
    assert one.ensemble_ == two.ensemble_


def test_fit_without_a_useful_tree_predicts_the_majority():
    x, y = np.tile([[0.0], [1.0]], (4, 1)), np.array([0, 0, 1, 1] * 2)
    with pytest.warns(UserWarning, match="no better than chance"):
        clf = BoostedTreeClassifier(5, algorithm="adaboost").fit(x, y)
    assert clf.predict(x).tolist() == [0] * 8
    assert clf.ended_ is not None
    assert len(clf.rounds_) == clf.n_rounds_ == 0
    assert clf.feature_importances_.tolist() == [0.0]
    assert list(clf.staged_predict(x)) == []
    assert clf.margins(x, y).tolist() == [0.0] * 8
    assert "0 rounds" in str(clf.certificate_)


@pytest.mark.parametrize(
    ("params", "why"),
    [
        ({"n_rounds": 0}, "n_rounds must be an integer of at least 1"),
        ({"n_rounds": 2.5}, "n_rounds"),
        ({"algorithm": "xgb"}, "algorithm must be one of auto, adaboost"),
        ({"learning_rate": 0}, "learning_rate must be 'auto' or a number above 0"),
        ({"learning_rate": float("nan")}, "learning_rate"),
        ({"smoothing": -1}, "smoothing must be 'auto' or a number"),
        ({"smoothing": 0.1, "algorithm": "samme"}, "not to samme"),
        ({"index": "giny"}, "index must be one of"),
        ({"index": "gini", "algorithm": "logitboost"}, r"leave index='auto', or .* 'adaboost' or"),
        ({"max_leaves": 0}, "max_leaves"),
        ({"checkpoint": 5}, "checkpoint must be a path"),
    ],
)
def test_bad_parameters_are_rejected_with_a_message(params, why):
    with pytest.raises(ValueError, match=why):
        BoostedTreeClassifier(**({"n_rounds": 2} | params)).fit(*CANCER)


def test_an_index_for_three_classes_needs_samme():
    with pytest.raises(ValueError, match=r"choose another algorithm: 'samme'$"):
        BoostedTreeClassifier(2, index="gini").fit(*IRIS)
    assert BoostedTreeClassifier(2, index="gini", algorithm="samme").fit(*IRIS).n_rounds_ == 2


def test_one_class_is_rejected():
    with pytest.raises(ValueError, match="y has one class"):
        BoostedTreeClassifier(2).fit([[0.0], [1.0]], [1, 1])
    with pytest.raises(ValueError, match="are of one class"):
        BoostedTreeClassifier(2).fit([[0.0], [1.0]], [0, 1], sample_weight=[1, 0])


def test_two_class_algorithms_reject_three_classes():
    with pytest.raises(ValueError, match="adaboost supports two classes only and y has 3"):
        BoostedTreeClassifier(2, algorithm="adaboost").fit(*IRIS)


def test_unfitted_and_cloned_estimators_do_not_predict():
    with pytest.raises(NotFittedError):
        BoostedTreeClassifier().predict([[0.0]])
    with pytest.raises(NotFittedError):
        BoostedTreeClassifier().fit_more(3)
    assert not hasattr(clone(BoostedTreeClassifier(2).fit(*IRIS)), "_model")


def test_ensemble_can_be_printed_and_plotted(monkeypatch):
    monkeypatch.setitem(mpl.rcParams, "backend", "Agg")
    x, y = frame()
    stopping = {"patience": 3}
    clf = BoostedTreeClassifier(20, algorithm="adaboost", early_stopping=stopping).fit(x, y)
    assert "town" in clf.to_text()
    assert clf.plot_rounds().get_xscale() == "log"
    assert len(clf.plot_scores()) >= 1
    assert clf.plot_margins(x, y).lines
    plt.close("all")


def test_first_tree_equals_that_of_tree_classifier():
    x, y = CANCER
    one = BoostedTreeClassifier(1, algorithm="adaboost", max_leaves=4).fit(x, y)
    options = {"procedure": "per-leaf", "contract": False, "max_bins": one.max_bins}
    tree = TreeClassifier(4, **options).fit(x, y).tree_
    np.testing.assert_array_equal(one.ensemble_.members[0].tree.threshold, tree.threshold)


@pytest.mark.parametrize("rate", [1.0, 0.1])
def test_log_loss_is_close_to_gradient_boosting(rate):
    x, y = CANCER
    ours, theirs = [], []
    for fit, test in StratifiedKFold(5, shuffle=True, random_state=0).split(x, y):
        shape = {"algorithm": "logitboost", "max_leaves": 2}
        one = BoostedTreeClassifier(100, learning_rate=rate, **shape)
        peer = GradientBoostingClassifier(max_depth=1, learning_rate=rate, random_state=0)
        for model, losses in ((one, ours), (peer, theirs)):
            shares = model.fit(x[fit], y[fit]).predict_proba(x[test])
            losses.append(log_loss(y[test], shares))
    assert np.mean(ours) <= 1.02 * np.mean(theirs)


def test_rejected_warm_start_leaves_the_ensemble_unchanged():
    x, y = CANCER
    warm = BoostedTreeClassifier(3, warm_start=True).fit(x, np.array(["no", "yes"])[y])
    before = warm.predict(x)
    with pytest.raises(ValueError, match="these differ"):
        warm.fit(*IRIS)
    np.testing.assert_array_equal(warm.predict(x), before)


@pytest.mark.parametrize("algorithm", TWO)
@pytest.mark.parametrize("rate", [1.0, 40.0])
def test_last_stage_equals_the_predictions(algorithm, rate):
    x, y = CANCER
    clf = BoostedTreeClassifier(40, algorithm=algorithm, learning_rate=rate).fit(x, y)
    *_, last = clf.staged_decision_function(x)
    np.testing.assert_array_equal(last, clf.decision_function(x))


def test_very_large_learning_rate_is_rejected():
    with pytest.raises(ValueError, match="above 0 and at most 1000"):
        BoostedTreeClassifier(2, learning_rate=1e300).fit(*CANCER)


@settings(max_examples=25)
@given(
    algorithm=st.sampled_from(TWO),
    n_classes=st.integers(2, 4),
    n=st.integers(20, 700),
    weights=st.sampled_from(["none", "equal", "any"]),
    seed=st.integers(0, 2**32 - 1),
)
def test_order_of_rows_does_not_change_the_model_file(algorithm, n_classes, n, weights, seed):
    rng = np.random.default_rng(seed)
    x, two = frame(n, seed)
    y = two if algorithm not in MANY else rng.integers(0, n_classes, n) + (two == "yes")
    w = {"none": None, "equal": np.full(n, 0.3), "any": rng.random(n) ** 4 + 1e-6}[weights]
    files = []
    for order in (np.arange(n), rng.permutation(n)):
        clf = BoostedTreeClassifier(6, algorithm=algorithm, max_leaves=4)
        clf.fit(x.iloc[order], y[order], None if w is None else w[order])
        with TemporaryDirectory() as folder:
            clf.save(Path(folder) / "model.json")
            files.append((Path(folder) / "model.json").read_bytes())
    assert files[0] == files[1]


def test_run_resumes_with_rows_in_another_order():
    x, y = frame()
    order = np.random.default_rng(1).permutation(len(y))
    clf = BoostedTreeClassifier(4, warm_start=True).fit(x, y)
    clf.set_params(n_rounds=9).fit(x.iloc[order], y[order])
    assert clf.rounds_ == BoostedTreeClassifier(9).fit(x, y).rounds_
