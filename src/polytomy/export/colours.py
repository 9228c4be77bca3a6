"""Old import path; use polytomy.export."""

from .diagram import node_colour as fill

__all__ = ["fill"]
