"""Readers of a model: in words, and for other programs. They never see the grower."""

from .c import to_c
from .dot import to_dot
from .explain import Explanation, explain
from .json import to_json
from .mermaid import to_mermaid
from .onnx import onnx_inputs, to_onnx
from .python import to_python
from .rules import Rule, Rules, to_rules
from .scores import scores_to_text
from .shap import expected_value, shap_values
from .shares import Share, wilson
from .sql import to_sql
from .text import to_text

__all__ = [
    "Explanation",
    "Rule",
    "Rules",
    "Share",
    "expected_value",
    "explain",
    "onnx_inputs",
    "scores_to_text",
    "shap_values",
    "to_c",
    "to_dot",
    "to_json",
    "to_mermaid",
    "to_onnx",
    "to_python",
    "to_rules",
    "to_sql",
    "to_text",
    "wilson",
]
