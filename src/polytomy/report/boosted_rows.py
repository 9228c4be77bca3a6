"""Moved to ``polytomy.report.facts.boosted``."""

from polytomy.report.facts.boosted import Evaluated as Judged
from polytomy.report.facts.boosted import margin_stages as stages_of

__all__ = ["Judged", "stages_of"]
