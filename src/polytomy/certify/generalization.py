"""Moved to ``polytomy.certify.description``."""

from .description.generalization import Generalization

__all__ = ["Generalization"]
