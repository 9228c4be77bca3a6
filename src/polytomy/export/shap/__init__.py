"""SHAP values: how much of a prediction is owed to each column, exactly, for trees of any arity."""

from .values import expected_value, shap_values

__all__ = ["expected_value", "shap_values"]
