"""scikit-learn estimators, and the verifier of what they certify."""

from ._files import load
from ._record import run_of
from ._verify import verify
from .boosted import BoostedTreeClassifier
from .classifier import TreeClassifier

__all__ = ["BoostedTreeClassifier", "TreeClassifier", "load", "run_of", "verify"]
