"""A tree or an ensemble as SQL expressions."""

from .dialects import DIALECTS
from .expression import OUTPUTS, checked_dialect, checked_outputs, to_sql, tree_expression

__all__ = [
    "DIALECTS",
    "OUTPUTS",
    "checked_dialect",
    "checked_outputs",
    "to_sql",
    "tree_expression",
]
