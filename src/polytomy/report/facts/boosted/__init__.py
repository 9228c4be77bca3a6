"""The facts of a report on boosted trees."""

from .assemble import Fitted, boosted_facts
from .evaluation import Evaluated, margin_stages

__all__ = ["Evaluated", "Fitted", "boosted_facts", "margin_stages"]
