"""Old import path; use polytomy.plot."""

from .curves import RoundRecord

__all__ = ["RoundRecord"]
