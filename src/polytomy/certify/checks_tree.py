"""Moved to ``polytomy.certify.verify.check_tree``."""

from .verify.check_tree import check_shape

__all__ = ["check_shape"]
