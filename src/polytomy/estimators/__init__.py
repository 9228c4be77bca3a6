"""scikit-learn estimators, and the verifier of what they certify."""

from ._record import run_of
from ._verify import verify
from .classifier import TreeClassifier

__all__ = ["TreeClassifier", "run_of", "verify"]
