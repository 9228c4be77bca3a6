"""The background of a figure, light, dark or transparent, and ink that is readable on it."""

from dataclasses import dataclass
from typing import Any

from polytomy.export.diagram import Colour, contrast, luminance

from .palette import INK

_WHITE, _BLACK = (1.0, 1.0, 1.0), (0.0, 0.0, 0.0)
_READABLE = 4.5  # the contrast that WCAG recommends for small text


@dataclass(frozen=True, slots=True)
class Background:
    """The colour behind a drawing, and the colour of text and lines on it."""

    colour: Colour
    ink: Colour

    @classmethod
    def of(cls, colour: Colour) -> "Background":
        """Return a background of a colour, with black or white ink, whichever contrasts more.

        >>> Background.of((1.0, 1.0, 1.0)).ink, Background.of((0.1, 0.1, 0.2)).ink
        ((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
        """
        return cls(colour, max(_BLACK, _WHITE, key=lambda ink: contrast(ink, colour)))

    @classmethod
    def behind(cls, ax: Any, *, framed: bool = False) -> "Background":
        """Return the background of axes: the figure's, or that of the axes if they are framed.

        A transparent figure is assumed to lie on a page that suits matplotlib's text colour.
        """
        from matplotlib import rcParams  # noqa: PLC0415
        from matplotlib.colors import to_rgba  # noqa: PLC0415

        figures = [ax.figure, ax.figure.figure]  # a subfigure before its figure
        layers = [ax, *figures] if framed else [*figures, ax]
        for layer in layers:
            *colour, alpha = to_rgba(layer.get_facecolor())
            if alpha > 0.5:
                return cls.of((colour[0], colour[1], colour[2]))
        light_text = luminance(to_rgba(rcParams["text.color"])[:3]) > 0.5
        return cls.of(_BLACK if light_text else _WHITE)

    @property
    def muted(self) -> Colour:
        """The colour of secondary text, which is fainter than the ink but readable."""
        tints = (self.tint(strength) for strength in (0.6, 0.7, 0.8, 0.9))
        return next((tint for tint in tints if contrast(tint, self.colour) >= _READABLE), self.ink)

    def visible(self, colour: str) -> Any:
        """Return a colour of the palette, with black replaced by the ink."""
        return self.ink if colour == INK else colour

    def tint(self, strength: float) -> Colour:
        """Return a mixture of the background (strength 0) and the ink (strength 1).

        >>> Background.of((1.0, 1.0, 1.0)).tint(0.25)
        (0.75, 0.75, 0.75)
        """
        red, green, blue = (
            under + (over - under) * strength
            for under, over in zip(self.colour, self.ink, strict=True)
        )
        return red, green, blue
