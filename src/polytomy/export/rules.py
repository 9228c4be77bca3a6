"""Old import path; use polytomy.export."""

from .phrasing import to_rules

__all__ = ["to_rules"]
