"""Moved to ``polytomy.report.facts.boosted`` and ``polytomy.report.facts.heading``."""

from polytomy.report.facts.boosted import Fitted, boosted_facts
from polytomy.report.facts.heading import Heading as Naming

__all__ = ["Fitted", "Naming", "boosted_facts"]
