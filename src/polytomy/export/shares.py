"""Old import path; use polytomy.export."""

from .phrasing import wilson

__all__ = ["wilson"]
