"""Moved to ``polytomy.report.page``."""

from polytomy.report.page import render

__all__ = ["render"]
