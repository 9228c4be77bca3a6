"""scikit-learn estimators, and the verifier of what they certify."""

from ._record import run_of
from .classifier import TreeClassifier
from ._verify import verify

__all__ = ["TreeClassifier", "run_of", "verify"]
