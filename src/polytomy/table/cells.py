"""Moved: import ``is_missing`` from ``polytomy.table``."""

from .arrays import is_missing

__all__ = ["is_missing"]
