"""The styles of a drawn tree: the colours of cards, and the bars in them.

Classes after the sixth are hatched, because some readers may not tell their colours apart. Means
and densities have one colour, the larger, the stronger. Text and bars repeat what colours show.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from polytomy._text import distinct_names
from polytomy.density import DensityModel
from polytomy.export import (
    AnyModel,
    MeanScale,
    mean_colour,
    node_mean,
    share_colour,
    target_format,
)
from polytomy.model import Model
from polytomy.plot.palette import CLASS_COLOURS

from .look import Look

_NAME = 32  # characters of a class name
_HATCH = "////////"
_MOST = 2 * len(CLASS_COLOURS)  # classes in the legend
_SWATCHES = 5  # of the colours of means
_TICK = 0.03  # the width of the mark of a mean, of the bar's
_TRACK, _INK = "#d9d9d9", "#000000"


@dataclass(frozen=True, slots=True)
class Style:
    """A colour, a hatch if another class has the same colour, and whether there is a thin frame."""

    colour: str
    hatch: str = ""
    framed: bool = True


Piece = tuple[float, float, Style]
"""A piece of a bar: where it begins and ends, as fractions of the bar's width, and its style."""


class NodeStyles(ABC):
    """The styles of the nodes of a tree."""

    @abstractmethod
    def card(self, node: int) -> str:
        """Return the colour of a node's card."""

    @abstractmethod
    def bar(self, node: int) -> list[Piece]:
        """Return the pieces of the bar in a node's card, in the order of drawing."""

    @abstractmethod
    def meanings(self) -> list[tuple[str, Style]]:
        """Return what the legend says, each with a style."""

    @abstractmethod
    def remark(self) -> str:
        """Return what the legend says about bars, or nothing."""


def styles_of(model: AnyModel, look: Look | None = None) -> NodeStyles:
    """Return the styles of the nodes of a model's tree."""
    look = Look.of(model) if look is None else look
    if isinstance(model, DensityModel):
        return DensityStyles(model, look)
    return MeanStyles(model, look) if model.is_numeric else ShareStyles(model, look)


class ShareStyles(NodeStyles):
    """Cards in the colours of their classes, with bars of training shares."""

    def __init__(self, model: Model, look: Look) -> None:
        self._model, self._look = model, look

    def card(self, node: int) -> str:
        """Return the colour of the class: the larger the share, the stronger."""
        label = int(self._model.tree.label[node])
        share = float(self._model.shares[node, label])
        return share_colour(self._look.colours[label], share, len(self._look.colours))

    def bar(self, node: int) -> list[Piece]:
        """Return the training shares, in the order of the classes."""
        pieces, start = [], 0.0
        for label, share in enumerate(self._model.training_shares[node].tolist()):
            if share > 0:
                pieces.append((start, start + share, self._style(label)))
                start += share
        return pieces

    def meanings(self) -> list[tuple[str, Style]]:
        """Return the classes; of many, only the heaviest."""
        names = distinct_names(self._look.names, _NAME)
        return [(names[label], self._style(label)) for label in self._listed]

    def remark(self) -> str:
        """Return how many classes are not in the legend."""
        others = len(self._look.names) - len(self._listed)
        return f"{others} other classes, named in their nodes" if others else ""

    @property
    def _listed(self) -> list[int]:
        """The classes in the legend, ascending."""
        counts = self._model.case_counts[0]
        if len(counts) <= _MOST:
            return list(range(len(counts)))
        return sorted(np.argsort(-counts, kind="stable")[: _MOST - 1].tolist())

    def _style(self, label: int) -> Style:
        """Return the style of a class in bars and in the legend."""
        return Style(self._look.colours[label], _HATCH if label >= len(CLASS_COLOURS) else "")


class MeanStyles(NodeStyles):
    """Cards coloured by their means, with bars that show where the mean and its interval lie."""

    def __init__(self, model: Model, look: Look) -> None:
        self._model, self._colour = model, look.colour
        self._colours = MeanScale.of(model)
        leaves, means = model.tree.leaves(), model.node_means
        self._bars = MeanScale(float(means.low[leaves].min()), float(means.high[leaves].max()))

    def card(self, node: int) -> str:
        """Return the colour of a mean: the larger, the stronger."""
        place = self._colours.position(node_mean(self._model, node).mean)
        return mean_colour(place, self._colour)

    def bar(self, node: int) -> list[Piece]:
        """Return the scale, the interval of the mean on it, and the mean."""
        mean, place = node_mean(self._model, node), self._bars.position
        middle = min(max(place(mean.mean), _TICK / 2), 1 - _TICK / 2)
        return [
            (0.0, 1.0, Style(_TRACK)),
            (place(mean.low), place(mean.high), Style(self._colour, framed=False)),
            (middle - _TICK / 2, middle + _TICK / 2, Style(_INK, framed=False)),
        ]

    def meanings(self) -> list[tuple[str, Style]]:
        """Return some means with their colours, from the lowest leaf to the highest."""
        number, scale = target_format(self._model), self._colours
        n = _SWATCHES if scale.high > scale.low else 1
        means = np.linspace(scale.low, scale.high, n).tolist()
        return _swatches("mean", means, [number(x) for x in means], (scale, self._colour))

    def remark(self) -> str:
        """Return the ends of the bars."""
        number, scale = target_format(self._model), self._bars
        return f"bar: 95% interval of the mean, from {number(scale.low)} to {number(scale.high)}"


class DensityStyles(NodeStyles):
    """Cards coloured by their log-densities, with bars of their shares of the rows."""

    def __init__(self, model: DensityModel, look: Look) -> None:
        self._model, self._colour = model, look.colour
        self._colours = MeanScale.of(model)
        self._shares = np.exp(model.log_share)

    def card(self, node: int) -> str:
        """Return the colour of a density: the larger, the stronger."""
        place = self._colours.position(float(self._model.log_density[node]))
        return mean_colour(place, self._colour)

    def bar(self, node: int) -> list[Piece]:
        """Return the share of the rows."""
        share = float(self._shares[node])
        return [(0.0, 1.0, Style(_TRACK)), (0.0, share, Style(self._colour, framed=False))]

    def meanings(self) -> list[tuple[str, Style]]:
        """Return some densities with their colours, from the lowest leaf to the highest."""
        scale = self._colours
        n = _SWATCHES if scale.high > scale.low else 1
        logs = np.linspace(scale.low, scale.high, n)
        with np.errstate(over="ignore"):
            texts = [f"{x:.2g}" for x in np.exp(logs).tolist()]
        return _swatches("density", logs.tolist(), texts, (scale, self._colour))

    def remark(self) -> str:
        """Return what the bars show."""
        return "bar: share of the rows"


def _swatches(
    name: str, numbers: list[float], texts: list[str], colours: tuple[MeanScale, str]
) -> list[tuple[str, Style]]:
    """Return numbers as texts, the first with their name, each with its colour on a scale."""
    scale, colour = colours
    named = [f"{name} {texts[0]}", *texts[1:]]
    return [
        (text, Style(mean_colour(scale.position(x), colour)))
        for text, x in zip(named, numbers, strict=True)
    ]
