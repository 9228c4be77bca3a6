"""The colours of classes and nodes: the only palette of diagrams, figures and report pages.

The first classes have Okabe and Ito's colours, which colour-blind readers can distinguish, without
yellow, which is hard to see on white. No diagram relies on colour alone.
"""

from colorsys import hls_to_rgb
from dataclasses import dataclass

import numpy as np

from polytomy.density import DensityModel
from polytomy.export.outputs import node_numbers
from polytomy.export.phrasing import AnyModel

BLUE, VERMILION, GREEN = "#0072B2", "#D55E00", "#009E73"
PURPLE, SKY_BLUE, ORANGE = "#CC79A7", "#56B4E9", "#E69F00"
BLACK, GREY, WHITE = "#000000", "#808080", "#FFFFFF"

CLASS_COLOURS = (BLUE, VERMILION, GREEN, PURPLE, SKY_BLUE, ORANGE)
"""The colours of the first classes; `class_colour` has one for every class."""

Colour = tuple[float, float, float]
"""The red, green and blue part of a colour, from 0 to 1."""

_FIRST_HUE, _GOLDEN_ANGLE = 185.0, 137.508  # degrees
_LIGHTNESS, _SATURATION = (0.46, 0.60, 0.36), 0.48  # of further classes, in turn
_STRONGEST = 0.7  # of a colour; black text remains readable on it
_WEAKEST = 0.12  # of the strongest: the colour of the lowest mean, which differs from white


def class_colour(label: int) -> str:
    """Return the colour of a class as ``#rrggbb``, the same in all diagrams, figures and pages.

    Parameters
    ----------
    label : int
        The number of the class. The first have the colours of ``CLASS_COLOURS``; the hues of the
        others are a golden angle apart, so that neighbours differ.

    Examples
    --------
    >>> class_colour(0), class_colour(6)
    ('#0072B2', '#9b3dae')
    """
    if label < len(CLASS_COLOURS):
        return CLASS_COLOURS[label]
    hue = (_FIRST_HUE + _GOLDEN_ANGLE * label) % 360 / 360
    parts = hls_to_rgb(hue, _LIGHTNESS[label % len(_LIGHTNESS)], _SATURATION)
    return "#" + "".join(f"{round(255 * part):02x}" for part in parts)


def luminance(colour: Colour) -> float:
    """Return the relative luminance of a colour, from 0 to 1."""
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: Colour, other: Colour) -> float:
    """Return the contrast ratio of two colours, from 1 to 21, as WCAG defines it."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def text_colour(background: str) -> str:
    """Return black or white as ``#rrggbb``, whichever has more contrast on a colour.

    >>> text_colour(BLUE), text_colour(ORANGE)
    ('#FFFFFF', '#000000')
    """
    return max(BLACK, WHITE, key=lambda text: contrast(_parts(text), _parts(background)))


def _parts(colour: str) -> Colour:
    """Return the parts of a colour ``#rrggbb``, from 0 to 1."""
    red, green, blue = bytes.fromhex(colour[1:])
    return red / 255, green / 255, blue / 255


def node_colour(label: int, share: float, n_classes: int) -> str:
    """Return the colour of a node as ``#rrggbb``.

    It is the colour of the majority class, mixed with white: the larger the share, the stronger the
    colour. A share of ``1 / n_classes`` or less is white.

    Parameters
    ----------
    label : int
        The majority class.
    share : float
        Its share of the node's weight.
    n_classes : int
        The number of classes.

    Examples
    --------
    >>> node_colour(0, 0.5, 2), node_colour(0, 1.0, 2), node_colour(9, 1.0, 12)
    ('#ffffff', '#4c9cc9', '#c6778e')
    """
    return share_colour(class_colour(label), share, n_classes)


def share_colour(colour: str, share: float, n_classes: int) -> str:
    """Return a class's colour ``#rrggbb`` mixed with white: the larger the share, the stronger.

    >>> share_colour("#0072B2", 0.5, 2), share_colour("#0072B2", 1.0, 2)
    ('#ffffff', '#4c9cc9')
    """
    chance = 1 / n_classes
    return _tinted(colour, max(0.0, share - chance) / (1 - chance) if n_classes > 1 else 0.0)


def mean_colour(position: float, colour: str = BLUE) -> str:
    """Return the colour of a node of a numeric target as ``#rrggbb``.

    Parameters
    ----------
    position : float
        The position of its mean between those of the lowest and the highest leaf, from 0 to 1:
        the larger, the stronger the colour.
    colour : str, default="#0072B2"
        The colour of the highest leaf.

    Examples
    --------
    >>> mean_colour(0.0), mean_colour(1.0)
    ('#eaf3f9', '#4c9cc9')
    """
    return _tinted(colour, _WEAKEST + (1 - _WEAKEST) * position)


def node_colours(model: AnyModel) -> list[str]:
    """Return the colour of each node of a model's tree as ``#rrggbb``.

    Parameters
    ----------
    model : Model or DensityModel
        The model.

    Returns
    -------
    list of str
        By ``mean_colour`` for a numeric target and for log-densities, otherwise by ``node_colour``.
    """
    tree = model.tree
    if isinstance(model, DensityModel) or model.is_numeric:
        scale = MeanScale.of(model)
        return [mean_colour(scale.position(x)) for x in node_numbers(model).tolist()]
    labels, shares = tree.label.tolist(), model.shares
    return [
        node_colour(label, float(shares[v, label]), tree.n_classes)
        for v, label in enumerate(labels)
    ]


@dataclass(frozen=True, slots=True)
class MeanScale:
    """A scale of means or log-densities, from ``low`` to ``high``."""

    low: float
    high: float

    @classmethod
    def of(cls, model: AnyModel) -> "MeanScale":
        """Return the scale from the lowest to the highest expected mean of a model's leaves.

        For a density tree, it is that of the log-densities of the leaves that have one.
        """
        numbers = node_numbers(model)[model.tree.leaves()]
        known = numbers[np.isfinite(numbers)]
        return cls(float(known.min()), float(known.max()))

    def position(self, mean: float) -> float:
        """Return where a mean lies on the scale, from 0 to 1; 0 if the scale is a point."""
        if not self.high > self.low:
            return 0.0
        return min(max((mean - self.low) / (self.high - self.low), 0.0), 1.0)


def _tinted(colour: str, strength: float) -> str:
    """Return a colour mixed with white, from white at 0 to a colour that black can be read on."""
    parts = bytes.fromhex(colour[1:])
    strength *= _STRONGEST
    return "#" + "".join(f"{round(255 + (part - 255) * strength):02x}" for part in parts)
