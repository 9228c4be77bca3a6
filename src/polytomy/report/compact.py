"""Moved to ``polytomy.report.notebook``."""

from polytomy.report.notebook import compact_html

__all__ = ["compact_html"]
