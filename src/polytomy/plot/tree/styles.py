"""The styles of a drawn tree: the colours of cards, and the bars in them.

Classes have six colours, then the same colours hatched, and the remaining classes are grey. Means
and densities have one colour, the larger, the stronger. Text and bars repeat what colours show.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from polytomy._types import FloatArray
from polytomy.density import DensityModel
from polytomy.export import (
    AnyModel,
    MeanScale,
    mean_colour,
    node_colour,
    node_mean,
    target_format,
)
from polytomy.model import Model
from polytomy.plot.names import cut
from polytomy.plot.palette import BLUE, CLASS_COLOURS, OTHERS, style_numbers

_NAME = 32  # characters of a class name
_HATCH = "////////"
_MOST = 2 * len(CLASS_COLOURS)
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


def styles_of(model: AnyModel) -> NodeStyles:
    """Return the styles of the nodes of a model's tree."""
    if isinstance(model, DensityModel):
        return DensityStyles(model)
    return MeanStyles(model) if model.is_numeric else ShareStyles(model)


class ShareStyles(NodeStyles):
    """Cards in the colours of their classes, with bars of training shares."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._classes = ClassStyles.of(model.case_counts[0])

    def card(self, node: int) -> str:
        """Return the colour of the class: the larger the share, the stronger."""
        label = int(self._model.tree.label[node])
        return self._classes.card(label, float(self._model.shares[node, label]))

    def bar(self, node: int) -> list[Piece]:
        """Return the training shares, in the order of the classes."""
        pieces, start = [], 0.0
        for label, share in enumerate(self._model.training_shares[node].tolist()):
            if share > 0:
                pieces.append((start, start + share, self._classes.bar(label)))
                start += share
        return pieces

    def meanings(self) -> list[tuple[str, Style]]:
        """Return the classes; those in grey as one."""
        names, classes = self._model.class_names, self._classes
        shown = [
            (cut(name, _NAME), classes.bar(label))
            for label, name in enumerate(names)
            if classes.nth[label] >= 0
        ]
        if len(shown) < len(names):
            others = len(names) - (_MOST - 1)
            shown.append((f"{others} other classes, named in their nodes", Style(OTHERS)))
        return shown

    def remark(self) -> str:
        """Return nothing: the classes are named."""
        return ""


@dataclass(frozen=True, slots=True)
class ClassStyles:
    """The styles of all classes; ``nth`` is -1 for those that are grey."""

    nth: list[int]
    n_classes: int

    @classmethod
    def of(cls, counts: FloatArray) -> "ClassStyles":
        """Return a style for each class; of too many, only the heaviest have one."""
        n = len(counts)
        if n <= _MOST:
            return cls(list(range(n)), n)
        heaviest = sorted(np.argsort(-counts, kind="stable")[: _MOST - 1].tolist())
        nth = [-1] * n
        for i, label in zip(style_numbers(heaviest, _MOST), heaviest, strict=True):
            nth[label] = i
        return cls(nth, n)

    def bar(self, label: int) -> Style:
        """Return the style of a class in bars and in the legend."""
        i = self.nth[label]
        if i < 0:
            return Style(OTHERS)
        n = len(CLASS_COLOURS)
        return Style(CLASS_COLOURS[i % n], _HATCH if i >= n else "")

    def card(self, label: int, share: float) -> str:
        """Return the colour of a card: that of its class, the larger the share, the stronger."""
        i, n = self.nth[label], len(CLASS_COLOURS)
        return node_colour(i % n if i >= 0 else n, share, self.n_classes)


class MeanStyles(NodeStyles):
    """Cards coloured by their means, with bars that show where the mean and its interval lie."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._colours = MeanScale.of(model)
        leaves, means = model.tree.leaves(), model.node_means
        self._bars = MeanScale(float(means.low[leaves].min()), float(means.high[leaves].max()))

    def card(self, node: int) -> str:
        """Return the colour of a mean: the larger, the stronger."""
        return mean_colour(self._colours.position(node_mean(self._model, node).mean))

    def bar(self, node: int) -> list[Piece]:
        """Return the scale, the interval of the mean on it, and the mean."""
        mean, place = node_mean(self._model, node), self._bars.position
        middle = min(max(place(mean.mean), _TICK / 2), 1 - _TICK / 2)
        return [
            (0.0, 1.0, Style(_TRACK)),
            (place(mean.low), place(mean.high), Style(BLUE, framed=False)),
            (middle - _TICK / 2, middle + _TICK / 2, Style(_INK, framed=False)),
        ]

    def meanings(self) -> list[tuple[str, Style]]:
        """Return some means with their colours, from the lowest leaf to the highest."""
        number, scale = target_format(self._model), self._colours
        n = _SWATCHES if scale.high > scale.low else 1
        means = np.linspace(scale.low, scale.high, n).tolist()
        return _swatches("mean", means, [number(x) for x in means], scale)

    def remark(self) -> str:
        """Return the ends of the bars."""
        number, scale = target_format(self._model), self._bars
        return f"bar: 95% interval of the mean, from {number(scale.low)} to {number(scale.high)}"


class DensityStyles(NodeStyles):
    """Cards coloured by their log-densities, with bars of their shares of the rows."""

    def __init__(self, model: DensityModel) -> None:
        self._model = model
        self._colours = MeanScale.of(model)
        self._shares = np.exp(model.log_share)

    def card(self, node: int) -> str:
        """Return the colour of a density: the larger, the stronger."""
        return mean_colour(self._colours.position(float(self._model.log_density[node])))

    def bar(self, node: int) -> list[Piece]:
        """Return the share of the rows."""
        share = float(self._shares[node])
        return [(0.0, 1.0, Style(_TRACK)), (0.0, share, Style(BLUE, framed=False))]

    def meanings(self) -> list[tuple[str, Style]]:
        """Return some densities with their colours, from the lowest leaf to the highest."""
        scale = self._colours
        n = _SWATCHES if scale.high > scale.low else 1
        logs = np.linspace(scale.low, scale.high, n)
        with np.errstate(over="ignore"):
            texts = [f"{x:.2g}" for x in np.exp(logs).tolist()]
        return _swatches("density", logs.tolist(), texts, scale)

    def remark(self) -> str:
        """Return what the bars show."""
        return "bar: share of the rows"


def _swatches(
    name: str, numbers: list[float], texts: list[str], scale: MeanScale
) -> list[tuple[str, Style]]:
    """Return numbers as texts, the first with their name, each with its colour."""
    named = [f"{name} {texts[0]}", *texts[1:]]
    return [
        (text, Style(mean_colour(scale.position(x))))
        for text, x in zip(named, numbers, strict=True)
    ]
