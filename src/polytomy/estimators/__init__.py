"""scikit-learn estimators."""

from .classifier import TreeClassifier

__all__ = ["TreeClassifier"]
