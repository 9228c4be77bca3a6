"""The colours of ink for the paper a figure has: light, dark, or none at all."""

from dataclasses import dataclass
from typing import Any

from .palette import INK

Colour = tuple[float, float, float]
_WHITE, _BLACK = (1.0, 1.0, 1.0), (0.0, 0.0, 0.0)
_READ = 4.5  # the contrast that small text should have


@dataclass(frozen=True, slots=True)
class Paper:
    """What is behind a drawing, and the ink that is read best on it."""

    colour: Colour
    ink: Colour

    @classmethod
    def of(cls, colour: Colour) -> "Paper":
        """Return a paper of a colour; its ink is black or white, whichever contrasts more.

        >>> Paper.of((1.0, 1.0, 1.0)).ink, Paper.of((0.1, 0.1, 0.2)).ink
        ((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
        """
        return cls(colour, max(_BLACK, _WHITE, key=lambda ink: _contrast(ink, colour)))

    @classmethod
    def behind(cls, ax: Any, *, framed: bool = False) -> "Paper":
        """Return what is seen behind axes: their own colour only where they have a frame."""
        from matplotlib import rcParams  # noqa: PLC0415
        from matplotlib.colors import to_rgba  # noqa: PLC0415

        figures = [ax.figure, ax.figure.figure]  # where there are figures in a figure, the inner
        sheets = [ax, *figures] if framed else [*figures, ax]
        for sheet in sheets:
            *colour, alpha = to_rgba(sheet.get_facecolor())
            if alpha > 0.5:
                return cls.of((colour[0], colour[1], colour[2]))
        # a figure to be laid on a page: its text tells what kind of page
        light_text = _luminance(to_rgba(rcParams["text.color"])[:3]) > 0.5
        return cls.of(_BLACK if light_text else _WHITE)

    @property
    def quiet(self) -> Colour:
        """The colour of text that steps back, but can be read."""
        tints = (self.tint(strength) for strength in (0.6, 0.7, 0.8, 0.9))
        return next((tint for tint in tints if _contrast(tint, self.colour) >= _READ), self.ink)

    def inked(self, colour: str) -> Any:
        """Return a colour of the palette, or the ink where it is that."""
        return self.ink if colour == INK else colour

    def tint(self, strength: float) -> Colour:
        """Return ink thinned with paper: 0 is the paper, 1 the ink.

        >>> Paper.of((1.0, 1.0, 1.0)).tint(0.25)
        (0.75, 0.75, 0.75)
        """
        red, green, blue = (
            under + (over - under) * strength
            for under, over in zip(self.colour, self.ink, strict=True)
        )
        return red, green, blue


def _contrast(one: Colour, other: Colour) -> float:
    """Return the contrast of two colours, from 1 to 21."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: Colour) -> float:
    """Return how light a colour is to the eye, from 0 to 1."""
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
