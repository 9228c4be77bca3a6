"""Trees with a teacher: every kind of teacher and of rows, and what the trees say of them."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, Ridge, RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

import polytomy
from polytomy import ParameterError, Teacher, TreeClassifier, TreeRegressor, verify
from polytomy.estimators.fitting import effort
from polytomy.estimators.fitting.teacher import teach
from polytomy.prune import CostComplexity, ErrorBudget

SMALL = Teacher(n_estimators=10, synthetic_rows=200)
PROCEDURES = (
    {"procedure": "priced"},
    {"procedure": "per-leaf"},
    {"procedure": "hatano"},
    {"procedure": "kearns-mansour"},
    {"procedure": "mansour-mcallester", "gamma": 0.3, "max_leaves": 40},
)


def noisy_rows(n_rows=120, seed=0):
    """Return a frame with numbers, text and missing cells, and noisy classes."""
    rng = np.random.default_rng(seed)
    x, town = rng.standard_normal(n_rows), rng.integers(0, 4, n_rows)
    score = x + np.array([0.8, -1.1, 0.2, 0.0])[town] + 0.5 * rng.standard_normal(n_rows)
    frame = pd.DataFrame(
        {
            "x": x,
            "town": np.array(["Bonn", "Cork", "Graz", "Lund"])[town],
            "gaps": np.where(rng.random(n_rows) < 0.2, np.nan, rng.standard_normal(n_rows)),
        }
    )
    return frame, np.where(score > 0, "yes", "no")


FRAME, LABELS = noisy_rows()
NUMBERS = FRAME[["x"]].to_numpy() @ [[1.0, -1.0]] + np.random.default_rng(1).random((120, 2))
COUNTS = np.random.default_rng(2).poisson(np.exp(FRAME["x"].to_numpy()))


def fitted(X, y, weights=None, cls=TreeClassifier, **params):
    """Fit a small tree with a teacher; it must verify and leave the rows as they are."""
    params = {"max_leaves": 6, "teacher": SMALL, "random_state": 0, **params}
    tree = cls(**params).fit(X, y, weights)
    report = verify(tree, X, y, weights)
    assert report.ok, report.findings
    return tree


# ---- kinds of teachers


def one_hot():
    """Return the steps of a pipeline for the columns of the frame."""
    text = (OneHotEncoder(handle_unknown="ignore", sparse_output=False), ["town"])
    return make_column_transformer(text, (SimpleImputer(), ["x", "gaps"]))


def test_forest_is_the_default_teacher():
    clf = fitted(FRAME, LABELS)
    lesson = clf.origin_.lesson
    assert lesson.name == "forest of 10 trees"
    assert lesson.validation == "out-of-bag"
    assert (lesson.mix, lesson.synthetic_rows) == (0.5, 200)
    assert 0 < lesson.error < 0.5
    assert clf.origin_.search is None


def test_counts_are_those_of_the_real_rows():
    clf = fitted(FRAME, LABELS)
    tree, leaves = clf.tree_, clf.apply(FRAME)
    for leaf in tree.leaves().tolist():
        own = LABELS[leaves == leaf]
        assert tree.counts[leaf].tolist() == [(own == c).sum() for c in clf.classes_]
        assert tree.rows[leaf] == len(own) > 0


def test_fidelity_is_the_share_of_rows_on_which_tree_and_teacher_agree():
    teacher = GaussianNB().fit(NUMBERS, LABELS)
    for pruner in (None, "pessimistic", ErrorBudget(select=2)):
        clf = fitted(NUMBERS, LABELS, teacher=Teacher(teacher, synthetic_rows=0), pruner=pruner)
        agree = (clf.predict(NUMBERS) == teacher.predict(NUMBERS)).mean()
        assert clf.origin_.lesson.fidelity == pytest.approx(agree)
        assert clf.origin_.lesson.error == pytest.approx(1 - teacher.score(NUMBERS, LABELS))


@pytest.mark.parametrize("honest", [False, True])
def test_fidelity_to_numbers_is_the_explained_share_of_their_variance(honest):
    y = NUMBERS[:, 0] ** 2
    teacher = LinearRegression().fit(NUMBERS, y)
    reg = fitted(NUMBERS, y, cls=TreeRegressor, honest=honest, teacher=Teacher(teacher))
    said = teacher.predict(NUMBERS)
    unexplained = ((reg.predict(NUMBERS) - said) ** 2).mean() / said.var()
    assert reg.origin_.lesson.fidelity == pytest.approx(1 - unexplained)
    assert reg.origin_.lesson.error == pytest.approx(((said - y) ** 2).mean())


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("is_fitted", [True, False])
def test_pipelines_get_frames_of_the_users_type(kind, is_fitted):
    X = kind({name: FRAME[name].to_numpy() for name in FRAME})
    pipeline = make_pipeline(one_hot(), GaussianNB())
    if is_fitted:
        pipeline.fit(X, LABELS)
    clf = fitted(X, LABELS, teacher=Teacher(pipeline, synthetic_rows=50, folds=2))
    lesson = clf.origin_.lesson
    assert lesson.name == "Pipeline"
    assert lesson.validation == ("training" if is_fitted else "out-of-fold")
    assert hasattr(pipeline, "classes_") == is_fitted  # a clone was fitted


@pytest.mark.parametrize("index", [np.zeros(120), np.arange(120)[::-1], list("abcdef") * 20])
def test_the_index_of_a_frame_does_not_matter(index):
    X = FRAME.set_axis(index)
    teacher = Teacher(make_pipeline(one_hot(), GaussianNB()), synthetic_rows=50, folds=2)
    expected = fitted(FRAME, LABELS, teacher=teacher)
    assert fitted(X, LABELS, teacher=teacher).to_text() == expected.to_text()


def test_arrays_and_lists_are_passed_as_arrays():
    expected = fitted(NUMBERS, LABELS, teacher=GaussianNB()).to_text()
    assert fitted(NUMBERS.tolist(), LABELS.tolist(), teacher=GaussianNB()).to_text() == expected


@pytest.mark.parametrize("is_fitted", [True, False])
def test_a_classifier_without_probabilities_teaches_its_predictions(is_fitted):
    model = RidgeClassifier()
    assert not hasattr(model, "predict_proba")
    if is_fitted:
        model.fit(NUMBERS, LABELS)
    clf = fitted(NUMBERS, LABELS, teacher=Teacher(model, synthetic_rows=50))
    assert clf.origin_.lesson.name == "RidgeClassifier"


def test_boosting_teaches_out_of_fold():
    teacher = Teacher("boosted", n_estimators=4, synthetic_rows=50, folds=2)
    lesson = fitted(FRAME, LABELS, teacher=teacher).origin_.lesson
    assert (lesson.name, lesson.validation) == ("boosting, 4 rounds", "out-of-fold")


def test_forest_and_boosting_teach_the_mean_of_their_forecasts(monkeypatch):
    heard = []
    monkeypatch.setattr(effort, "teach", lambda *given: heard.append(teach(*given)) or heard[-1])
    for estimator, n_estimators in (("forest", 12), ("boosted", 3), ("forest+boosted", 12)):
        teacher = Teacher(estimator, n_estimators=n_estimators, synthetic_rows=50, folds=3)
        TreeClassifier(max_leaves=6, teacher=teacher, random_state=0).fit(FRAME, LABELS)
    forest, boosted, both = heard
    known = np.isfinite(forest.forecast).all(axis=1)
    assert known.any()
    mean = (forest.forecast + boosted.forecast) / 2
    np.testing.assert_allclose(both.forecast[known], mean[known])
    np.testing.assert_allclose(both.forecast[~known], boosted.forecast[~known])
    assert (both.name, both.validation) == (
        "forest of 12 trees and boosting, 3 rounds",
        "out-of-fold",
    )


def test_forest_and_boosting_of_few_rows_are_a_forest():
    teacher = Teacher("forest+boosted", n_estimators=12, synthetic_rows=20)
    lesson = fitted(NUMBERS[:4], ["yes", "no", "no", "yes"], teacher=teacher).origin_.lesson
    assert (lesson.name, lesson.validation) == ("forest of 12 trees", "out-of-bag")


def test_trees_of_this_library_may_teach():
    teacher = Teacher(TreeClassifier(8, honest=False), synthetic_rows=30, folds=2)
    assert fitted(FRAME, LABELS, teacher=teacher).origin_.lesson.name == "TreeClassifier"


def test_a_fitted_teacher_may_know_fewer_classes():
    model = GaussianNB().fit(NUMBERS, np.full(120, "no"))
    assert fitted(NUMBERS, LABELS, teacher=model).origin_.lesson.error == (LABELS == "yes").mean()


def test_a_class_of_one_row_is_no_obstacle():
    labels = np.where(np.arange(120) == 7, "rare", LABELS)
    for estimator in ("forest", "boosted", "forest+boosted", GaussianNB()):
        teacher = Teacher(estimator, n_estimators=3, synthetic_rows=20, folds=2)
        assert fitted(NUMBERS, labels, teacher=teacher).origin_.lesson.error > 0


def test_a_fold_with_one_class_is_no_obstacle():
    teacher = Teacher("boosted", n_estimators=2, synthetic_rows=10, folds=2)
    fitted(NUMBERS[:3], ["yes", "no", "no"], teacher=teacher)
    fitted(NUMBERS, np.full(120, "no"), teacher=teacher)


class Recorder(ClassifierMixin, BaseEstimator):
    """Checks that each label belongs to its row, and never forecasts a row it was fitted to."""

    def fit(self, X, y, sample_weight=None):
        X = np.asarray(X)
        assert (y == (X[:, 0] >= 50)).all()
        assert sample_weight is None or (sample_weight == X[:, 0] % 3).all()
        self.seen_, self.classes_ = set(X[:, 0].tolist()), np.array([0, 1])
        return self

    def predict_proba(self, X):
        rows = np.asarray(X)[:, 0].tolist()
        if len(rows) != 77:  # the number of synthetic rows
            assert not self.seen_ & set(rows)
        return np.full((len(rows), 2), 0.5)

    def predict(self, X):
        return self.predict_proba(X).argmax(axis=1)


@pytest.mark.parametrize("as_frame", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("params", [{}, {"pruner": "reduced-error"}, {"max_leaves": "cv"}])
def test_rows_labels_and_weights_stay_together(as_frame, weighted, params):
    X = np.random.default_rng(0).permutation(np.arange(100.0))[:, None]
    y, weights = (X[:, 0] >= 50).astype(int), X[:, 0] % 3 if weighted else None  # with zeros
    X = pd.DataFrame(X, columns=["number"]) if as_frame else X
    fitted(X, y, weights, teacher=Teacher(Recorder(), synthetic_rows=77, folds=3), **params)


# ---- rows


@pytest.mark.parametrize("n_rows", [1, 2, 3])
@pytest.mark.parametrize("effort", ["balanced", "thorough"])
def test_few_rows_give_a_tree(n_rows, effort):
    y = LABELS[:n_rows].copy()
    y[0] = "no"
    assert fitted(FRAME[:n_rows], y, effort=effort).n_leaves_ <= n_rows
    fitted(FRAME[:n_rows], np.arange(float(n_rows)), cls=TreeRegressor, effort=effort)


@pytest.mark.parametrize(
    "X",
    [
        np.ones((120, 2)),
        np.full((120, 2), np.nan),
        pd.DataFrame({"t": [None] * 120, "u": ["same"] * 120}),
    ],
    ids=["constant", "missing", "text"],
)
def test_columns_without_information_give_one_leaf(X):
    assert fitted(X, LABELS, effort="thorough").n_leaves_ == 1
    assert fitted(X, COUNTS, cls=TreeRegressor, effort="thorough").n_leaves_ == 1


def test_one_class_and_constant_numbers_give_one_leaf():
    clf = fitted(FRAME, np.full(120, "same"), effort="thorough")
    assert (clf.n_leaves_, clf.origin_.lesson.error, clf.origin_.lesson.fidelity) == (1, 0, 1)
    reg = fitted(FRAME, np.ones(120), cls=TreeRegressor, effort="thorough")
    assert (reg.n_leaves_, reg.origin_.lesson.error) == (1, 0)
    assert np.isnan(reg.origin_.lesson.fidelity)


def test_infinite_cells_are_ordered_like_others():
    X = np.where(NUMBERS > 1, np.inf, np.where(NUMBERS < -1, -np.inf, NUMBERS))
    fitted(X, LABELS, effort="balanced")


def test_many_classes():
    y = np.arange(300).repeat(2)
    X = np.random.default_rng(0).standard_normal((600, 1)) + y[:, None]
    params = {"max_arity": 2, "honest": False, "procedure": "per-leaf"}
    assert fitted(X, y, max_leaves=4, **params).n_leaves_ == 4


def test_many_categories():
    names = np.char.add("k", np.arange(20_000).astype(str)).astype(object)
    X = pd.DataFrame({"name": names, "half": np.arange(20_000) < 9000})
    params = {"categorical_features": ["name"], "max_leaves": 3, "honest": False}
    assert fitted(X, np.arange(20_000) % 2, **params).n_leaves_ <= 3


def test_read_only_arrays_are_accepted_and_rows_are_not_changed():
    X, y, weights = NUMBERS.copy(), LABELS.copy(), np.arange(120.0) % 4
    for array in (X, y, weights):
        array.flags.writeable = False
    fitted(X, y, weights, effort="thorough")
    fitted(X, y, weights, teacher=DecisionTreeClassifier(max_depth=2))
    frame = FRAME.copy()
    fitted(frame, LABELS, effort="balanced")
    pd.testing.assert_frame_equal(frame, FRAME)


def test_column_names_must_be_distinct():
    X = pd.DataFrame(NUMBERS, columns=["a", "a"])
    with pytest.raises(polytomy.TableError, match="distinct"):
        TreeClassifier(teacher=SMALL).fit(X, LABELS)


# ---- weights


def test_weights_of_zero_drop_rows():
    weights = np.where(np.arange(120) % 3 == 0, 0, np.arange(120) % 5 + 1)
    kept = weights > 0
    for teacher in (SMALL, Teacher(GaussianNB(), synthetic_rows=50, folds=2)):
        clf = fitted(NUMBERS, LABELS, weights, teacher=teacher)
        same = fitted(NUMBERS[kept], LABELS[kept], weights[kept], teacher=teacher)
        assert clf.to_text() == same.to_text()
        assert clf.origin_ == same.origin_


def test_the_error_of_a_teacher_is_weighted():
    model, weights = GaussianNB().fit(NUMBERS, LABELS), np.arange(1.0, 121.0)
    clf = fitted(NUMBERS, LABELS, weights, teacher=Teacher(model, synthetic_rows=0))
    expected = 1 - model.score(NUMBERS, LABELS, weights)
    assert clf.origin_.lesson.error == pytest.approx(expected)


@pytest.mark.parametrize("teacher", [SMALL, Teacher("boosted", n_estimators=3, folds=2)])
def test_class_weights_reach_the_teacher(teacher):
    y = np.where(np.arange(120) % 6 == 0, LABELS, "no")
    clf = fitted(FRAME, y, teacher=teacher, class_weight="balanced", effort="balanced")
    assert (clf.predict(FRAME) == "yes").sum() > (y == "yes").sum()


def test_weights_reach_the_last_step_of_a_pipeline():
    weights = np.where(LABELS == "yes", 1e6, 1.0)
    teacher = Teacher(make_pipeline(one_hot(), GaussianNB()), mix=0, synthetic_rows=0, folds=2)
    clf = fitted(FRAME, LABELS, teacher=teacher).fit(FRAME, LABELS, sample_weight=weights)
    assert clf.origin_.lesson.error == pytest.approx(0, abs=1e-3)  # it says yes to nearly all
    clf.set_params(teacher__estimator=make_pipeline(one_hot(), KNeighborsClassifier()))
    with pytest.raises(ParameterError, match="Pipeline takes no sample_weight"):
        clf.fit(FRAME, LABELS, sample_weight=weights)


def test_weights_need_a_teacher_that_takes_them():
    teacher = Teacher(KNeighborsClassifier(), folds=2)
    with pytest.raises(ParameterError, match="KNeighborsClassifier takes no sample_weight"):
        TreeClassifier(teacher=teacher).fit(NUMBERS, LABELS, np.arange(120) % 2)
    fitted_one = KNeighborsClassifier().fit(NUMBERS, LABELS)
    fitted(NUMBERS, LABELS, np.arange(120) % 2, teacher=fitted_one)


# ---- procedures, pruners and sizes


@pytest.mark.parametrize("how", PROCEDURES, ids=lambda how: how["procedure"])
def test_every_procedure_can_have_a_teacher(how):
    clf = fitted(FRAME, LABELS, **how)
    assert clf.n_leaves_ > 1
    assert "teacher's targets" in clf.certificate_.why_not
    assert fitted(FRAME, COUNTS, cls=TreeRegressor, **how).origin_.lesson is not None


@pytest.mark.parametrize("index", ["gini", "entropy", "sqrt"])
@pytest.mark.parametrize("effort", ["fast", "balanced"])
def test_every_index_can_have_a_teacher(index, effort):
    assert fitted(FRAME, LABELS, index=index, effort=effort).n_leaves_ > 1


def test_users_own_index_can_have_a_teacher():
    def index(counts):
        total = counts.sum(axis=-1)
        return 2 * (total - (counts**2).sum(axis=-1) / np.where(total > 0, total, 1))

    clf = fitted(NUMBERS, LABELS, index=index, procedure="per-leaf", max_leaves=3)
    assert clf.to_text() == fitted(NUMBERS, LABELS, procedure="per-leaf", max_leaves=3).to_text()


def test_the_forest_does_not_use_the_error_index():
    with pytest.warns(UserWarning, match="not strictly concave"):
        clf = fitted(FRAME, LABELS, index="error", max_leaves=3)
    assert clf.origin_.lesson.error == fitted(FRAME, LABELS).origin_.lesson.error


@pytest.mark.parametrize("pruner", [*polytomy.prune.PRUNERS, ErrorBudget(select=3)], ids=str)
def test_every_pruner_can_have_a_teacher(pruner):
    clf = fitted(FRAME, LABELS, max_leaves=40, pruner=pruner)
    assert clf.n_leaves_ <= 40
    assert clf.origin_.lesson.name == "forest of 10 trees"


@pytest.mark.parametrize("pruner", [ErrorBudget(select="cv"), CostComplexity(select="cv")])
def test_pruners_that_grow_trees_without_the_teacher_are_refused(pruner):
    with pytest.raises(ParameterError, match="without the teacher"):
        TreeClassifier(teacher=SMALL, pruner=pruner).fit(FRAME, LABELS)
    with pytest.raises(ParameterError, match="without the teacher"):
        fitted(FRAME, LABELS).prune(pruner, FRAME, LABELS)


@pytest.mark.parametrize("pruner", ["pessimistic", "chi-square", ErrorBudget(select=2)], ids=str)
def test_trees_with_a_teacher_can_be_pruned_later(pruner):
    clf = fitted(FRAME, LABELS, max_leaves=12)
    pruned = clf.prune(pruner)
    assert pruned.n_leaves_ <= clf.n_leaves_
    assert pruned.origin_ is not None
    assert verify(pruned, FRAME, LABELS).ok


@pytest.mark.parametrize("how", [{}, {"procedure": "hatano"}], ids=["priced", "hatano"])
@pytest.mark.parametrize("scoring", ["error", "log_loss", "balanced_accuracy"])
def test_cross_validation_asks_the_teacher_in_every_fold(how, scoring):
    clf = fitted(FRAME, LABELS, max_leaves="cv", scoring=scoring, **how)
    agree = clf.origin_.lesson.fidelity
    assert 1 <= clf.n_leaves_ < 60
    assert 0.5 < agree <= 1


def test_cross_validation_of_numbers_with_a_teacher():
    assert fitted(FRAME, COUNTS, cls=TreeRegressor, max_leaves="cv").n_leaves_ >= 1


def test_a_tree_with_a_teacher_needs_a_limit():
    with pytest.raises(ParameterError, match="needs a number for max_leaves"):
        TreeClassifier(max_leaves=None, teacher=SMALL).fit(FRAME, LABELS)


def test_leaves_have_enough_real_rows_and_weight():
    weights = np.arange(120) % 4 + 1.0
    clf = fitted(FRAME, LABELS, weights, effort="thorough", min_samples_leaf=20)
    assert clf.tree_.rows.min() >= 20
    clf = fitted(FRAME, LABELS, weights, effort="thorough", min_weight_fraction_leaf=0.2)
    assert clf.tree_.weight.min() >= 0.2 * weights.sum() * (1 - 1e-9)


# ---- numbers


@pytest.mark.parametrize("criterion", ["squared_error", "poisson"])
def test_regressors_have_means_of_real_rows(criterion):
    y = COUNTS.astype(float)
    reg = fitted(FRAME, y, cls=TreeRegressor, criterion=criterion, effort="balanced")
    leaves = reg.apply(FRAME)
    for leaf in np.unique(leaves):
        assert reg.tree_.mean[leaf] == pytest.approx(y[leaves == leaf].mean())
    assert reg.origin_.lesson.error > 0


def test_negative_forecasts_of_counts_are_raised_to_zero():
    reg = fitted(NUMBERS, COUNTS, cls=TreeRegressor, criterion="poisson", teacher=Ridge())
    assert (Ridge().fit(NUMBERS, COUNTS).predict(NUMBERS) < 0).any()
    assert np.isfinite(reg.origin_.lesson.error)


def test_counts_of_which_most_are_zero():
    y = np.zeros(120)
    y[5] = 3.0
    fitted(FRAME, y, cls=TreeRegressor, criterion="poisson", effort="thorough")


# ---- refused teachers


class Mute(RegressorMixin, BaseEstimator):
    """A regressor that forecasts no numbers."""

    def fit(self, X, y):
        self.fitted_ = True
        return self

    def predict(self, X):
        return np.full(len(X), np.nan)


class NoClasses(ClassifierMixin, BaseEstimator):
    """A classifier that does not say what its classes are."""

    def fit(self, X, y):
        self.fitted_ = True
        return self

    def predict(self, X):
        return np.zeros(len(X), dtype=int)


@pytest.mark.parametrize(
    ("teacher", "sentence"),
    [
        ("woods", "got 'woods'"),
        (True, "got True"),
        (3, "got 3"),
        (RandomForestClassifier, r"an instance, such as RandomForestClassifier\(\)"),
        (Ridge(), "must be a classifier"),
        (Teacher(Teacher()), "or an estimator"),
        (Teacher(OneHotEncoder()), "or an estimator"),
        (Teacher(n_estimators=0), "n_estimators of a teacher must be an integer of at least 1"),
        (Teacher(n_estimators=2.5), "integer"),
        (Teacher(n_estimators=True), "integer"),
        (Teacher(folds=1), "folds of a teacher must be an integer of at least 2"),
        (Teacher(mix=1.5), "mix must be a number from 0 to 1"),
        (Teacher(mix="half"), "mix must be"),
        (Teacher(mix=float("nan")), "mix must be"),
        (Teacher(synthetic_rows=-1), "synthetic_rows must be 'auto' or"),
        (Teacher(synthetic_rows="many"), "got 'many'"),
        (Teacher(synthetic_weight=0), "synthetic_weight must be a number above 0"),
        (Teacher(synthetic_weight=float("inf")), "synthetic_weight must be"),
        (GaussianNB().fit(NUMBERS, np.full(120, "other")), r"not have: \['other'\]"),
        (NoClasses(), "NoClasses has no classes_"),
        (Teacher(GaussianNB(), folds=121), "121 folds needs at least 121 rows, got 120"),
    ],
    ids=str,
)
def test_wrong_teachers_are_refused(teacher, sentence):
    with pytest.raises(ParameterError, match=sentence):
        TreeClassifier(teacher=teacher).fit(NUMBERS, LABELS)


@pytest.mark.parametrize(
    ("teacher", "sentence"),
    [
        ("boosted", "'boosted' is for classes"),
        ("forest+boosted", "'forest\\+boosted' is for classes"),
        (GaussianNB(), "must be a regressor"),
        (Mute(), "Mute forecasts numbers that are not finite"),
    ],
)
def test_wrong_teachers_of_numbers_are_refused(teacher, sentence):
    with pytest.raises(ParameterError, match=sentence):
        TreeRegressor(teacher=teacher).fit(NUMBERS, COUNTS)


def test_a_failing_teacher_leaves_the_tree_as_it_was():
    clf = fitted(NUMBERS, LABELS)
    before = clf.to_text()
    clf.set_params(teacher=GaussianNB().fit(NUMBERS[:, :1], LABELS))
    with pytest.raises(ValueError, match="features"):
        clf.fit(NUMBERS, LABELS)
    assert clf.to_text() == before


# ---- the parameters of a teacher


def test_mix_of_one_without_synthetic_rows_is_the_plain_tree():
    params = {"max_leaves": 6, "procedure": "per-leaf", "honest": False}
    plain = TreeClassifier(**params).fit(FRAME, LABELS)
    teacher = Teacher(n_estimators=5, mix=1.0, synthetic_rows=0)
    assert fitted(FRAME, LABELS, teacher=teacher, **params).tree_.n_leaves == plain.n_leaves_
    assert (
        fitted(FRAME, LABELS, teacher=teacher, **params).apply(FRAME) == plain.apply(FRAME)
    ).all()


def test_number_of_synthetic_rows():
    assert Teacher(synthetic_rows=17).n_synthetic(100) == 17
    auto = [Teacher().n_synthetic(n) for n in (10, 5000, 10**7)]
    assert auto == sorted(auto)
    assert auto[1] == 20_000


def test_a_synthetic_row_never_outweighs_a_real_one():
    teacher = Teacher(synthetic_weight=100.0)
    assert teacher.blend(1000, 200).weight * 1000 / 200 <= 1


def test_the_result_does_not_depend_on_the_number_of_threads():
    for cls, y in ((TreeClassifier, LABELS), (TreeRegressor, COUNTS)):
        one, two = (fitted(FRAME, y, cls=cls, effort="thorough", n_jobs=n) for n in (1, 2))
        assert one.to_text() == two.to_text()
        assert one.origin_ == two.origin_


def test_the_seed_decides_and_none_is_fixed():
    texts = [fitted(FRAME, LABELS, random_state=s).origin_ for s in (None, None, 1, 1, 2)]
    assert texts[0] == texts[1]
    assert texts[2] == texts[3] != texts[4]


def test_teachers_are_cloned_and_set_like_other_parameters():
    clf = TreeClassifier(teacher=Teacher(GaussianNB(), mix=0.7))
    copy = clone(clf)
    assert copy.teacher is not clf.teacher
    assert copy.get_params()["teacher__mix"] == 0.7
    assert isinstance(copy.get_params()["teacher__estimator"], GaussianNB)
    copy.set_params(teacher__mix=0.2, teacher__estimator__var_smoothing=0.1)
    assert (copy.teacher.mix, clf.teacher.mix) == (0.2, 0.7)
    assert repr(Teacher(mix=0.2)) == "Teacher(mix=0.2)"
    assert Teacher("forest", mix=0.2) == Teacher(mix=0.2) != Teacher()


def test_grid_search_over_a_teacher_and_a_search():
    grid = {"teacher__mix": [0.3, 0.9], "search": [0, (2, 1)]}
    small = TreeClassifier(4, teacher=SMALL, random_state=0, honest=False)
    search = GridSearchCV(small, grid, cv=2).fit(FRAME, LABELS)
    assert len(search.cv_results_["params"]) == 4
    assert search.best_estimator_.origin_.lesson.mix == search.best_params_["teacher__mix"]


def test_the_fidelity_of_a_later_pruning_is_not_known():
    clf = fitted(FRAME, LABELS, max_leaves=8, teacher=SMALL)
    small = clf.pruning_path().at(1)
    assert np.isnan(small.origin_.lesson.fidelity)
    assert clf.origin_.lesson.fidelity > 0.5
    assert "agrees with it" not in small.to_text()
    assert verify(small, FRAME, LABELS).ok
