"""scikit-learn's own estimator checks, without expected failures."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from polytomy import (
    BoostedTreeClassifier,
    DensityTree,
    ForestClassifier,
    ForestRegressor,
    TreeClassifier,
    TreeRegressor,
)


@parametrize_with_checks(
    [
        TreeClassifier(),
        TreeClassifier(procedure="hatano", index="sqrt", max_leaves=12),
        TreeClassifier(procedure="kearns-mansour", max_leaves=None, contract=False),
        TreeRegressor(),
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
        ForestRegressor(5, criterion="poisson", max_leaves=12, bootstrap=False, max_samples=0.8),
    ]
)
def test_estimator_passes_scikit_learns_check(estimator, check):
    check(estimator)
