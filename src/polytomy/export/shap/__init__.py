"""Exact SHAP values for trees of any arity: the contribution of each column to a prediction."""

from .values import expected_value, shap_values

__all__ = ["expected_value", "shap_values"]
