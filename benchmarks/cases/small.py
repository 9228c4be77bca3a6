"""Iris: 150 rows, where only overhead counts."""

from collections.abc import Callable
from typing import Any

from case import ALL, Case, Group, Size
from contenders import Contender, Job
from sklearn.datasets import load_iris
from tables import Given

WHO = tuple(name for name in ALL if name != "LightGBM col-wise")


def iris() -> Given:
    """Return iris as scikit-learn has it."""
    return Given(*load_iris(return_X_y=True))


def predicted(contender: Contender, given: Given, job: Job) -> Callable[[], Any]:
    """Fit; predicting is what remains."""
    model = contender.fit(given, job)
    return lambda: contender.predict(model, given, job)


def group(size: Size) -> Group:
    """Return the cases."""
    settings = {"who": WHO, "always": ("LightGBM", "DecisionTree"), "seconds": 4.0, "rounds": 200}
    cases = (
        Case("fit until pure", "small/fit", iris, size.job(None), **settings),
        Case("predict", "small/predict", iris, size.job(None), start=predicted, **settings),
    )
    note = "From scikit-learn's float64 array of iris."
    return Group("small", "Small tables: iris, 150 x 4, three classes", note, cases)
