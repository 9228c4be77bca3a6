"""Fitting that leaves an estimator as it was if it fails."""

from collections.abc import Iterator
from contextlib import contextmanager

from sklearn.base import BaseEstimator

_OF_CALLBACKS = ("_callback", "_skl")  # scikit-learn's, which must still hear of the end


@contextmanager
def unharmed(estimator: BaseEstimator) -> Iterator[None]:
    """Let an estimator be what it was, fitted or not, if fitting it fails or is interrupted.

    Half of one fit and half of another would answer, and wrongly.
    """
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        for name in [n for n in vars(estimator) if not n.startswith(_OF_CALLBACKS)]:
            delattr(estimator, name)
        vars(estimator).update(before)
        raise
