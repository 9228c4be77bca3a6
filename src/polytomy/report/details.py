"""Moved to ``polytomy.report.facts.tree.details``."""

from polytomy.report.facts.tree.details import MOST_COLUMNS as RIVALS
from polytomy.report.facts.tree.details import Alternative as Offer
from polytomy.report.facts.tree.details import NodeDetails as Detail

__all__ = ["RIVALS", "Detail", "Offer"]
