"""Old import path; use polytomy.export."""

from .phrasing import format_time as say_moment

__all__ = ["say_moment"]
