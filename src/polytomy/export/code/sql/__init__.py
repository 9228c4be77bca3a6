"""A tree as an SQL expression."""

from .expression import to_sql

__all__ = ["to_sql"]
