"""What a bin says about the target: event rates and weight of evidence, means, or class shares.

There is one class for each kind of target. ``components`` are what the kernels count: the weights
of the classes, or for numbers the two components of ``NumericTarget``.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from polytomy._errors import ParameterError
from polytomy._types import FloatArray, IntArray
from polytomy.encode import NumberScale, NumericTarget, Target
from polytomy.index import INDICES


class TargetStatistics(ABC):
    """A kind of target, with its totals over all rows."""

    score: ClassVar[str]  # the name of what is reported for each bin and summed up for a column
    rate_class: ClassVar[int]  # the component whose share is the rate of a bin; -1 for none
    metrics: ClassVar[tuple[str, ...]]  # what a bin can be replaced by, the default first

    @abstractmethod
    def objective(self, name: str, unit: float) -> int | tuple[float, float, float]:
        """Return the objective of this name for ``kernels.best_bins``.

        ``unit`` is the weight of one unit of the counts.
        """

    @abstractmethod
    def columns(self, components: FloatArray) -> dict[str, FloatArray]:
        """Return the statistics of bins by name; the score is the last one."""

    @abstractmethod
    def neutral(self, metric: str) -> float:
        """Return the value of a cell that belongs to no bin."""

    def rate_unit(self) -> float:
        """Return the difference of rates that a difference of 1 stands for."""
        return 1.0

    def check_monotonic(self, monotonic: str | None, min_difference: float) -> None:
        """Raise an error if a target without rates is to follow a trend."""
        if self.rate_class < 0 and (monotonic not in (None, "auto") or min_difference > 0):
            raise ParameterError(
                "monotonic and min_difference need two classes or a numeric target; choose one "
                "class with event="
            )


@dataclass(frozen=True, eq=False)
class EventStatistics(TargetStatistics):
    """Two classes: events and other rows.

    Parameters
    ----------
    totals : float64 array
        The weights of all other rows and of all events.
    smoothing : float
        See ``weights_of_evidence``.
    """

    score = "iv"
    rate_class = 1
    metrics = ("woe", "event_rate", "bin", "label")
    totals: FloatArray
    smoothing: float

    @classmethod
    def of(cls, target: Target, smoothing: float) -> Self:
        """Return the statistics for a target whose class 1 are the events."""
        return cls(_weights(target), smoothing)

    def objective(self, name: str, unit: float) -> int | tuple[float, float, float]:
        """Return the totals for the information value, or the number of an index."""
        if name in ("auto", "iv"):
            others, events = (self.totals / unit).tolist()
            return others, events, self.smoothing / unit
        return _number_of(name)

    def columns(self, components: FloatArray) -> dict[str, FloatArray]:
        """Return events, event rate, weight of evidence and information value."""
        others, events = components.T
        shares = components / self.totals
        woe = weights_of_evidence(components, self.totals, self.smoothing)
        return {
            "events": events,
            "event_rate": events / (events + others),
            "woe": woe,
            "iv": (shares[:, 1] - shares[:, 0]) * woe,
        }

    def neutral(self, metric: str) -> float:
        """Return 0 as the weight of evidence, or the event rate of all rows."""
        others, events = self.totals.tolist()
        return 0.0 if metric == "woe" else float(events / (events + others))


@dataclass(frozen=True, eq=False)
class ClassStatistics(TargetStatistics):
    """Several classes.

    Parameters
    ----------
    totals : float64 array
        The weight of each class.
    names : tuple
        The classes.
    """

    score = "gain"
    rate_class = -1
    metrics = ("bin", "label")
    totals: FloatArray
    names: tuple[Any, ...]

    @classmethod
    def of(cls, target: Target, names: tuple[Any, ...]) -> Self:
        """Return the statistics for a target with these classes."""
        return cls(_weights(target), names)

    def objective(self, name: str, unit: float) -> int | tuple[float, float, float]:  # noqa: ARG002
        """Return the number of an index; entropy by default."""
        if name == "iv":
            raise ParameterError(
                "objective='iv' needs two classes; choose one with event=, or another objective"
            )
        return _number_of("entropy" if name == "auto" else name)

    def columns(self, components: FloatArray) -> dict[str, FloatArray]:
        """Return the share of each class, and the information in bits that a bin adds."""
        weight = components.sum(axis=1, keepdims=True)
        shares = components / weight
        totals = self.totals
        with np.errstate(divide="ignore", invalid="ignore"):
            bits = np.where(shares > 0, shares * np.log2(shares / (totals / totals.sum())), 0.0)
        named = {
            f"share of {name}": share for name, share in zip(self.names, shares.T, strict=True)
        }
        return {**named, "gain": bits.sum(axis=1) * weight[:, 0] / totals.sum()}

    def neutral(self, metric: str) -> float:  # noqa: ARG002
        """Return -1: a cell without a bin has no number either."""
        return -1.0


@dataclass(frozen=True, eq=False)
class NumberStatistics(TargetStatistics):
    """A numeric target.

    Parameters
    ----------
    scale : NumberScale
        How numbers become components.
    mean, variance : float
        Those of all numbers.
    """

    score = "r2"
    rate_class = 0
    metrics = ("mean", "bin", "label")
    scale: NumberScale
    mean: float
    variance: float

    @classmethod
    def of(cls, target: NumericTarget) -> Self:
        """Return the statistics for a target."""
        values, weights = target.values, target.weights
        if target.scale.span == 0:
            return cls(target.scale, float(values[0]), 0.0)
        mean = float(np.average(values, weights=weights))
        return cls(target.scale, mean, float(np.average((values - mean) ** 2, weights=weights)))

    def objective(self, name: str, unit: float) -> int | tuple[float, float, float]:  # noqa: ARG002
        """Return the number of gini, which is the squared error of the components."""
        if name != "auto":
            raise ParameterError(
                f"a numeric target is binned by its squared error; leave objective at 'auto' "
                f"instead of {name!r}, or pass target='classes'"
            )
        return _number_of("gini")

    def columns(self, components: FloatArray) -> dict[str, FloatArray]:
        """Return the means, and the share of the variance that each bin explains."""
        weight = components.sum(axis=1)
        means = self.scale.low + self.scale.span * (components[:, 0] / weight)
        explained = weight / weight.sum() * (means - self.mean) ** 2
        return {"mean": means, "r2": explained / (self.variance if self.variance > 0 else 1.0)}

    def neutral(self, metric: str) -> float:  # noqa: ARG002
        """Return the mean of all rows."""
        return self.mean

    def rate_unit(self) -> float:
        """Return the range of the numbers, which are scaled to 0 to 1."""
        return self.scale.span if self.scale.span > 0 else 1.0


def weights_of_evidence(components: FloatArray, totals: FloatArray, smoothing: float) -> FloatArray:
    """Return ln((events / all events) / (others / all others)) of each bin.

    If a bin has no events, or nothing else, ``smoothing`` rows of the rarer class and as large a
    part of the other class are added to it: smoothing / min(totals) to both fractions. Without
    smoothing its weight of evidence is infinite.

    >>> weights_of_evidence(np.array([[30.0, 10.0], [10.0, 0.0]]), np.array([40.0, 10.0]), 0.5)
    array([ 0.28768207, -1.79175947])
    """
    shares = components / totals
    is_pure = (components == 0).any(axis=1)
    shares[is_pure] += smoothing / totals.min()
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(shares[:, 1]) - np.log(shares[:, 0]))


def _weights(target: Target) -> FloatArray:
    """Return the total weight of each component."""
    return np.asarray(target.total() * target.unit, dtype=np.float64)


def _number_of(name: str) -> int:
    number = INDICES[name].number
    assert number is not None
    return number


def order_of(components: IntArray, rate_class: int) -> IntArray:
    """Return the order of categories: by rate, or along the main direction of the class shares.

    For two classes some best grouping (without minimum sizes) is contiguous in this order; for
    more classes the order is a heuristic.
    """
    weight = components.sum(axis=1)
    shares = components / weight[:, None]
    if rate_class >= 0:
        return np.argsort(shares[:, rate_class], kind="stable")
    centred = (shares - np.average(shares, axis=0, weights=weight)) * np.sqrt(weight)[:, None]
    direction = np.linalg.svd(centred, full_matrices=False)[2][0]
    direction *= np.sign(direction[np.argmax(np.abs(direction))])
    return np.argsort(shares @ direction, kind="stable")
