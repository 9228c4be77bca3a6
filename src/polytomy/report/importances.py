"""Moved to ``polytomy.report.facts.importances``."""

from polytomy.report.facts.importances import importances

__all__ = ["importances"]
