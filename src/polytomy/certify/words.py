"""Moved to ``polytomy.certify.text``."""

from .text import bound_figures, gamma_figures
from .text import summary as meaning

__all__ = ["bound_figures", "gamma_figures", "meaning"]
