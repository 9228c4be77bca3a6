"""Old import path; use polytomy.export."""

from .phrasing import Caption, captions

__all__ = ["Caption", "captions"]
