"""A drawing laid out: as large as it needs, or to fit axes that are there.

Of several layouts that one fits best whose text is the largest; what room is left then goes between
the cards, so that the tree fills its axes.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from .tree_cards import Card, narrowed
from .tree_legend import Legend, LegendMaker
from .tree_places import AIRY, SNUG, Places, place, place_as
from .tree_text import Ruler

_BROAD = 900.0  # points: a broader tree is easier to read from the left to the right
MARGIN = 6.0  # points around a drawing
_LARGEST = 1.6  # times: text is made no larger, room goes between the cards
_WORTH = 1.08  # times: so much larger must text be in a layout with shorter lines
_LEGENDS = (0.0, 320.0, np.inf)  # widths tried, if the tree is not broader


@dataclass(frozen=True, slots=True)
class Sheet:
    """A drawing laid out: the tree, its legend, and their size in points."""

    places: Places
    legend: Legend | None
    width: float
    height: float  # of the tree

    @property
    def limits(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Where x and y begin and end, from the tree's upper left corner, y upwards."""
        above = self.legend.height if self.legend else 0.0
        return (-MARGIN, self.width + MARGIN), (-self.height - MARGIN, above + MARGIN)


def natural(
    cards: list[Card], ruler: Ruler, orientation: str, legends: LegendMaker | None
) -> Sheet:
    """Lay out cards with all the room they like."""
    places = place_as(orientation, cards, ruler, _BROAD)
    width, height = places.size
    legend = legends(max(width, 320.0)) if legends else None
    return Sheet(places, legend, max(width, legend.width) if legend else width, height)


def fitted(
    cards: list[Card],
    ruler: Ruler,
    orientation: str,
    legends: LegendMaker | None,
    room: tuple[float, float],
) -> Sheet:
    """Lay out cards in room of a width and a height, in points."""
    room = max(room[0], 4 * MARGIN), max(room[1], 4 * MARGIN)
    best, largest = None, 0.0
    for places in _layouts(cards, ruler, orientation):
        legend = _legend_for(places, legends, room)
        scale = min(_scale(places, legend, room), 1.0)  # full size is enough
        if best is None or scale > _WORTH * largest:
            best, largest = (places, legend), scale
    assert best is not None
    places, legend = best
    scale = min(_scale(places, legend, room), _LARGEST)
    width, height = (length / scale - 2 * MARGIN for length in room)
    height -= legend.height if legend else 0.0
    return Sheet(spread(places, width, height), legend, width, height)


def _layouts(cards: list[Card], ruler: Ruler, orientation: str) -> Iterator[Places]:
    """Give layouts with long lines, then those with short ones."""
    ways = {"auto": (True, False), "down": (True,), "right": (False,)}[orientation]
    for words, manner in ((cards, AIRY), (cards, SNUG), (narrowed(cards), SNUG)):
        for down in ways:
            yield place(words, ruler, manner, down=down)


def _legend_for(
    places: Places, legends: LegendMaker | None, room: tuple[float, float]
) -> Legend | None:
    """Return a legend in as few or as many rows as leave the tree the most room."""
    if legends is None:
        return None
    tried = [legends(max(width, places.size[0])) for width in _LEGENDS]
    return max(tried, key=lambda legend: _scale(places, legend, room))


def _scale(places: Places, legend: Legend | None, room: tuple[float, float]) -> float:
    """Return how large a drawing can be, as a share of its natural size."""
    (wide, high), above = places.size, 0.0
    if legend is not None:
        wide, above = max(wide, legend.width), legend.height
    return min(room[0] / (wide + 2 * MARGIN), room[1] / (high + above + 2 * MARGIN))


def spread(places: Places, width: float, height: float) -> Places:
    """Return places drawn apart until they fill a width and a height; cards stay as large."""
    breadth, depth = (width, height) if places.down else (height, width)
    extra = max(0.0, depth - float(places.end[-1]))
    steps = np.arange(len(places.end)) * (extra / max(len(places.end) - 1, 1))
    half = places.across / 2

    def ends(by: float) -> tuple[float, float]:
        return float((by * places.middle - half).min()), float((by * places.middle + half).max())

    least, most = 1.0, max(1.0, breadth / max(float(np.ptp(places.middle)), 1e-9))
    for _ in range(40):  # the larger the factor, the broader the tree
        by = (least + most) / 2
        low, high = ends(by)
        least, most = (by, most) if high - low <= breadth else (least, by)
    low, high = ends(least)
    shift = -low + max(0.0, breadth - (high - low)) / 2  # what cannot be spread is centred
    return replace(
        places,
        middle=least * places.middle + shift,
        start=places.start + steps,
        end=places.end + steps,
        answers=places.answers + steps,
        breadth=max(breadth, high - low),
    )
