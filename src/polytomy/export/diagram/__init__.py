"""A tree as a diagram: Graphviz, Mermaid, and the colours of nodes."""

from .colours import (
    BLACK,
    BLUE,
    CLASS_COLOURS,
    GREEN,
    GREY,
    VERMILION,
    Colour,
    MeanScale,
    class_colour,
    contrast,
    luminance,
    mean_colour,
    node_colour,
    node_colours,
    share_colour,
    text_colour,
)
from .dot import to_dot
from .mermaid import to_mermaid

__all__ = [
    "BLACK",
    "BLUE",
    "CLASS_COLOURS",
    "GREEN",
    "GREY",
    "VERMILION",
    "Colour",
    "MeanScale",
    "class_colour",
    "contrast",
    "luminance",
    "mean_colour",
    "node_colour",
    "node_colours",
    "share_colour",
    "text_colour",
    "to_dot",
    "to_mermaid",
]
