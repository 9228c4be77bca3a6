"""A tree as source code: C, Python or SQL that makes the same predictions."""

from .c import to_c
from .python import to_python
from .sql import to_sql

__all__ = ["to_c", "to_python", "to_sql"]
