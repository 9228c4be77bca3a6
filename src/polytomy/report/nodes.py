"""Moved to ``polytomy.report.facts.tree.nodes``."""

from polytomy.report.facts.tree.nodes import growth_steps

__all__ = ["growth_steps"]
