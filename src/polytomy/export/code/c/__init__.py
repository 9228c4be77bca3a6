"""A tree or an ensemble as a C header."""

from .header import to_c
from .lexis import field_names, is_c_name

__all__ = ["field_names", "is_c_name", "to_c"]
