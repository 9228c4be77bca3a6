"""scikit-learn's own estimator checks; only weights and a teacher fail one, as they must."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from polytomy import (
    Binning,
    BoostedTreeClassifier,
    DensityTree,
    ForestClassifier,
    ForestRegressor,
    Teacher,
    TreeClassifier,
    TreeRegressor,
)

TEACHER = Teacher(n_estimators=5, synthetic_rows=50)


def expected_failures(estimator):
    """Return the checks that an estimator cannot pass, with the reasons."""
    if getattr(estimator, "teacher", None) is None:
        return {}
    reason = "a forest may forecast a row from a copy of it, but not from the row itself"
    return {"check_sample_weight_equivalence_on_dense_data": reason}


@parametrize_with_checks(
    [
        TreeClassifier(),
        TreeClassifier(procedure="hatano", index="sqrt", max_leaves=12),
        TreeClassifier(procedure="kearns-mansour", max_leaves=None, contract=False),
        TreeClassifier(effort="thorough", teacher=TEACHER, search=(2, 2), max_leaves=8),
        TreeRegressor(),
        TreeRegressor(effort="balanced", teacher=TEACHER, max_leaves=8),
        TreeRegressor(procedure="hatano", criterion="poisson", max_leaves=12),
        BoostedTreeClassifier(20),
        BoostedTreeClassifier(10, algorithm="samme", max_leaves=4),
        BoostedTreeClassifier(10, algorithm="adaboost-mh", max_leaves=3),
        BoostedTreeClassifier(10, algorithm="logitboost", learning_rate=0.5),
        DensityTree(),
        DensityTree(max_leaves=8, loss="squared", min_samples_leaf=3),
        ForestClassifier(5),
        ForestClassifier(5, max_leaves=8, bootstrap=False, max_samples=0.8, procedure="hatano"),
        ForestRegressor(20),
        Binning(),
        Binning(3, monotonic=None, target="numbers"),
        ForestRegressor(5, criterion="poisson", max_leaves=12, bootstrap=False, max_samples=0.8),
    ],
    expected_failed_checks=expected_failures,
)
def test_estimator_passes_scikit_learns_check(estimator, check):
    check(estimator)
