"""Moved to ``polytomy.report.facts.tree.pruning_path``."""

from polytomy.report.facts.tree.pruning_path import depth_first

__all__ = ["depth_first"]
