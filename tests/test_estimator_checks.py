"""scikit-learn's own checks, none expected to fail."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from polytomy import TreeClassifier


@parametrize_with_checks(
    [
        TreeClassifier(),
        TreeClassifier(procedure="hatano", index="sqrt", max_leaves=12),
        TreeClassifier(procedure="kearns-mansour", max_leaves=None, contract=False),
    ]
)
def test_scikit_learn_agrees(estimator, check):
    check(estimator)
