"""The palette: Okabe and Ito's colours, which colour-blind readers can distinguish.

Yellow is left out because it is hard to see on white. No diagram relies on colour alone.
"""

BLUE, VERMILION, GREEN = "#0072B2", "#D55E00", "#009E73"
PURPLE, SKY_BLUE, ORANGE = "#CC79A7", "#56B4E9", "#E69F00"
BLACK, GREY, WHITE = "#000000", "#808080", "#FFFFFF"

CLASS_COLOURS = (BLUE, VERMILION, GREEN, PURPLE, SKY_BLUE, ORANGE)
"""The colours of the first classes; further classes are grey."""

Colour = tuple[float, float, float]
"""The red, green and blue part of a colour, from 0 to 1."""

_STRONGEST = 0.7  # of a class's colour; black text remains readable on it


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
    ('#ffffff', '#4c9cc9', '#a6a6a6')
    """
    colour = CLASS_COLOURS[label] if label < len(CLASS_COLOURS) else GREY
    chance = 1 / n_classes
    strength = _STRONGEST * max(0.0, share - chance) / (1 - chance) if n_classes > 1 else 0.0
    parts = bytes.fromhex(colour[1:])
    return "#" + "".join(f"{round(255 + (part - 255) * strength):02x}" for part in parts)
