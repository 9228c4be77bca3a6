"""What a node says: the share of a class, a mean, or a density.

Shares and means come twice: as expected of new rows, and as found in the training rows.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import exp, sqrt
from typing import Any, ClassVar

import numpy as np

from polytomy._errors import ParameterError
from polytomy._text import before_number, count, percent, percent_number
from polytomy._types import FloatArray
from polytomy.certify import NOTHING
from polytomy.density import DensityModel
from polytomy.model import Model

from .numbers import TargetFormat, target_format

AnyModel = Model | DensityModel
"""A model of one tree."""

_MOST_SMOOTHING = 1e300  # more makes no difference, but its sum would be infinite


class Prediction(ABC):
    """What a node predicts, in words; see ``Share``, ``Mean`` and ``Density``.

    Methods take the number of training rows of the node.
    """

    __slots__ = ()

    doubt: ClassVar[str]  # what the mark of a doubtful prediction means
    legend: ClassVar[str]  # the parts of ``of`` with an interval, and without it
    short_legend: ClassVar[str]
    is_forecast: bool
    is_doubtful: bool

    @abstractmethod
    def of(self, rows: int, *, interval: bool = True) -> str:
        """Return the prediction with that of the training rows, for readers with a legend.

        A doubtful prediction ends with ``!``.

        Parameters
        ----------
        rows : int
            The number of rows.
        interval : bool, default=True
            Whether to include the interval.

        Returns
        -------
        str
        """

    @abstractmethod
    def in_full(self, rows: int) -> str:
        """Return the prediction with that of the training rows, for readers without a legend.

        Parameters
        ----------
        rows : int
            The number of rows.

        Returns
        -------
        str
        """

    @abstractmethod
    def of_training(self, rows: int) -> str:
        """Return what the training rows show.

        Parameters
        ----------
        rows : int
            The number of rows.

        Returns
        -------
        str
        """

    @abstractmethod
    def as_consequence(self, rows: int) -> str:
        """Return the prediction as the second half of a rule.

        Parameters
        ----------
        rows : int
            The number of rows.

        Returns
        -------
        str
        """

    @abstractmethod
    def explained(self, rows: int) -> list[str]:
        """Return the prediction and what the training rows show, on one line or two.

        Parameters
        ----------
        rows : int
            The number of rows.

        Returns
        -------
        list of str
        """

    @abstractmethod
    def columns(self, rows: int) -> dict[str, Any]:
        """Return the prediction and the number of rows as cells of a table, by column.

        Parameters
        ----------
        rows : int
            The number of rows.

        Returns
        -------
        dict
        """

    @property
    def mark(self) -> str:
        """The mark of a doubtful prediction, or nothing."""
        return " !" if self.is_doubtful else ""


@dataclass(frozen=True, slots=True)
class Share(Prediction):
    """The predicted class of a node, and its share.

    Attributes
    ----------
    name : str
        The predicted class.
    share : float
        Its share to expect of new rows; without honest shares, its share of the training rows.
    low, high : float
        The 95 % interval of ``share``.
    weight : float
        The weight of the node's training rows, without class weights.
    training : float
        The share of the class among them.
    is_forecast : bool, default=False
        Whether ``share`` is an honest share.
    is_doubtful : bool, default=False
        Whether an honest share is at least 20 percentage points away from the training share, or
        the honest shares make another class the likelier one.
    """

    doubt: ClassVar[str] = (
        "the two shares are 20 or more points apart, or new rows favour another class"
    )
    legend: ClassVar[str] = (
        "class, expected share of new rows [95% interval] (share of training rows)"
    )
    short_legend: ClassVar[str] = "expected share of new rows (share of training rows)"

    name: str
    share: float
    low: float
    high: float
    weight: float
    training: float
    is_forecast: bool = False
    is_doubtful: bool = False

    def __str__(self) -> str:
        """Return ``benign 98% [96-99]``."""
        ends = f"{percent_number(self.low)}-{percent_number(self.high)}"
        return f"{before_number(self.name)} {percent(self.share)} [{ends}]"

    def of(self, rows: int, *, interval: bool = True) -> str:
        """Return ``benign 96% [93-98] (97% of 320)``, or ``benign 97% [95-99] of 320``."""
        return self._beside_training(str(rows), interval=interval)

    def in_full(self, rows: int) -> str:
        """Return ``benign 96% (97% of 8 training rows)``, or ``benign 97% of 8 rows``."""
        noun = "training row" if self.is_forecast else "row"
        return self._beside_training(count(rows, noun), interval=False)

    def of_training(self, rows: int) -> str:
        """Return ``benign 97% of 320 rows``."""
        return f"{before_number(self.name)} {percent(self.training)} of {count(rows, 'row')}"

    def as_consequence(self, rows: int) -> str:
        """Return ``benign 96% [93-98] (97% of 8 rows)``, or ``benign 97% [95-99], 8 rows``."""
        words = count(rows, "row")
        return self._beside_training(words) if self.is_forecast else f"{self}, {words}"

    def explained(self, rows: int) -> list[str]:
        """Return the share of new rows, and that of the training rows."""
        if not self.is_forecast:
            return [f"{self}; the leaf holds {count(rows, 'training row')}"]
        training = f"in training {percent(self.training)} of {count(rows, 'row')}"
        return [f"{self} of new rows", training]

    def columns(self, rows: int) -> dict[str, Any]:
        """Return the class, its shares and the interval."""
        return {
            "prediction": self.name,
            "share": self.share,
            "low": self.low,
            "high": self.high,
            "rows": rows,
            "training_share": self.training,
            "doubtful": self.is_doubtful,
        }

    def _beside_training(self, rows: str, *, interval: bool = True) -> str:
        short = f"{before_number(self.name)} {percent(self.share)}"
        share = str(self) if interval else short
        if not self.is_forecast:
            return f"{share} of {rows}"
        return f"{share} ({percent(self.training)} of {rows}){self.mark}"


@dataclass(frozen=True, slots=True)
class Mean(Prediction):
    """The mean of a numeric target at a node.

    Attributes
    ----------
    mean : float
        The mean to expect of new rows; without honest means, that of the training rows.
    low, high : float
        The 95 % interval of ``mean``.
    weight : float
        The weight of the node's training rows.
    training : float
        Their mean.
    deviation : float
        Their standard deviation.
    format : TargetFormat
        The format of numbers.
    is_forecast : bool, default=False
        Whether ``mean`` is an honest mean.
    is_doubtful : bool, default=False
        Whether the two means are at least a fifth of the target's standard deviation apart.
    """

    doubt: ClassVar[str] = (
        "the two means are a fifth of the target's standard deviation or more apart"
    )
    legend: ClassVar[str] = "expected mean of new rows [95% interval] (mean of training rows)"
    short_legend: ClassVar[str] = "expected mean of new rows (mean of training rows)"

    mean: float
    low: float
    high: float
    weight: float
    training: float
    deviation: float
    format: TargetFormat
    is_forecast: bool = False
    is_doubtful: bool = False

    def __str__(self) -> str:
        """Return ``23.4 [21.0, 25.9]``."""
        return f"{self.format(self.mean)} [{self.format(self.low)}, {self.format(self.high)}]"

    def of(self, rows: int, *, interval: bool = True) -> str:
        """Return ``23.4 [21.0, 25.9] (23.9), 38 rows``, or ``23.9 [21.5, 26.3], 38 rows``."""
        mean = str(self) if interval else self.format(self.mean)
        training = f" ({self.format(self.training)})" if self.is_forecast else ""
        return f"{mean}{training}, {count(rows, 'row')}{self.mark}"

    def in_full(self, rows: int) -> str:
        """Return ``mean 23.4 (23.9 in 38 training rows)``, or ``mean 23.9, 38 rows``."""
        if not self.is_forecast:
            return self.of_training(rows)
        held = f"{self.format(self.training)} in {count(rows, 'training row')}"
        return f"mean {self.format(self.mean)} ({held}){self.mark}"

    def of_training(self, rows: int) -> str:
        """Return ``mean 23.9, 38 rows``."""
        return f"mean {self.format(self.training)}, {count(rows, 'row')}"

    def as_consequence(self, rows: int) -> str:
        """Return ``mean 23.4 [21.0, 25.9] (23.9 in 38 rows)``, or without the parentheses."""
        words = count(rows, "row")
        if not self.is_forecast:
            return f"mean {self}, {words}"
        return f"mean {self} ({self.format(self.training)} in {words}){self.mark}"

    def explained(self, rows: int) -> list[str]:
        """Return the mean of new rows, and the mean and deviation of the training rows."""
        spread = f"standard deviation {self.format(self.deviation)}"
        if not self.is_forecast:
            return [f"mean {self}; the leaf holds {count(rows, 'training row')}, {spread}"]
        training = f"in training {self.format(self.training)}, {spread}, {count(rows, 'row')}"
        return [f"mean {self} of new rows", training]

    def columns(self, rows: int) -> dict[str, Any]:
        """Return the means, the interval and the deviation."""
        return {
            "mean": self.mean,
            "low": self.low,
            "high": self.high,
            "rows": rows,
            "training_mean": self.training,
            "deviation": self.deviation,
            "doubtful": self.is_doubtful,
        }


@dataclass(frozen=True, slots=True)
class Density(Prediction):
    """The density of a box, a node of a density tree.

    Attributes
    ----------
    share : float
        The share of the rows to expect in the box.
    density : float
        The share per unit of volume.
    relative : float
        The density as a multiple of that of an even spread over the whole table's box.
    is_forecast, is_doubtful : bool, default=False
        Always False.
    """

    doubt: ClassVar[str] = ""
    legend: ClassVar[str] = "share of rows, density (multiple of the mean density), training rows"
    short_legend: ClassVar[str] = "share of rows, density (multiple of the mean density)"

    share: float
    density: float
    relative: float
    is_forecast: bool = False  # nothing is cross-fitted
    is_doubtful: bool = False

    def __str__(self) -> str:
        """Return ``31.65% of rows, density 0.37 (2.24 times the mean)``."""
        times = f"{self.relative:.3g} times the mean"
        return f"{percent(self.share, 2)} of rows, density {self.density:.3g} ({times})"

    def of(self, rows: int, *, interval: bool = True) -> str:  # noqa: ARG002
        """Return ``31.65% of rows, density 0.37 (2.24 times the mean), 48 rows``."""
        return f"{self}, {count(rows, 'row')}"

    def in_full(self, rows: int) -> str:
        """Return the same as ``of``."""
        return self.of(rows)

    def of_training(self, rows: int) -> str:
        """Return ``density 0.37, 48 rows``."""
        return f"density {self.density:.3g}, {count(rows, 'row')}"

    def as_consequence(self, rows: int) -> str:
        """Return the same as ``of``."""
        return self.of(rows)

    def explained(self, rows: int) -> list[str]:
        """Return the share and the density, and the training rows."""
        return [str(self), f"the box holds {count(rows, 'training row')}"]

    def columns(self, rows: int) -> dict[str, Any]:
        """Return the share, the rows and the densities."""
        return {
            "share": self.share,
            "rows": rows,
            "density": self.density,
            "relative": self.relative,
        }


def node_prediction(model: AnyModel, node: int) -> Prediction:
    """Return what a node predicts: the share of its class, a mean, or a density.

    Parameters
    ----------
    model : Model or DensityModel
        The model.
    node : int
        A node of ``model.tree``.

    Returns
    -------
    Share, Mean or Density
    """
    if isinstance(model, DensityModel):
        return node_density(model, node)
    return node_mean(model, node) if model.is_numeric else node_share(model, node)


def node_share(model: Model, node: int) -> Share:
    """Return the predicted class of a node and its share.

    Parameters
    ----------
    model : Model
        The model.
    node : int
        A node of ``model.tree``.

    Returns
    -------
    Share
    """
    label, shares = int(model.tree.label[node]), model.node_shares
    return Share(
        model.class_names[label],
        float(shares.expected[node, label]),
        float(shares.low[node, label]),
        float(shares.high[node, label]),
        float(shares.counts[node].sum()),
        float(shares.training[node, label]),
        model.honesty is not None,
        bool(shares.is_doubtful[node]),
    )


def node_mean(model: Model, node: int) -> Mean:
    """Return the mean of a numeric target at a node.

    Parameters
    ----------
    model : Model
        The model.
    node : int
        A node of ``model.tree``.

    Returns
    -------
    Mean
    """
    means = model.node_means
    return Mean(
        float(means.expected[node]),
        float(means.low[node]),
        float(means.high[node]),
        float(means.weight[node]),
        float(means.training[node]),
        float(means.deviation[node]),
        target_format(model),
        model.honesty is not None,
        bool(means.is_doubtful[node]),
    )


def node_density(model: DensityModel, node: int) -> Density:
    """Return the density of a node's box.

    Parameters
    ----------
    model : DensityModel
        The model.
    node : int
        A node of ``model.tree``.

    Returns
    -------
    Density
    """
    share = float(model.log_share[node])
    return Density(
        exp(share),
        exp_or_inf(float(model.log_density[node])),
        exp_or_inf(share - float(model.log_relative_volume[node])),
    )


def exp_or_inf(x: float) -> float:
    """Return e to the power of x; inf if it is too large for a float."""
    return exp(x) if x < 709 else float("inf")


def shares_note(model: Model) -> str:
    """Return how the expected shares or means of a model were learned; empty if they were not.

    Parameters
    ----------
    model : Model
        The model.

    Returns
    -------
    str
        One or two sentences.
    """
    learned = model.honesty
    if learned is None:
        return ""
    noun = "means" if model.is_numeric else "shares"
    log = None if model.origin is None else model.origin.edits
    if learned.folds == 0 and log is not None and log.grown_by == NOTHING:
        return f"No tree was grown to learn from, so expected {noun} assume a typical table."
    if learned.folds == 0:
        return f"There were too few rows to learn from, so expected {noun} assume a typical table."
    is_taught = model.pruning is not None and model.pruning.is_taught
    is_like = model.origin is None and not is_taught
    others = "" if is_like else " of trees grown greedily on the labels,"
    how = (
        f"Expected {noun} were learned by {learned.folds}-fold cross-fitting{others} on "
        f"{learned.rows:,.10g} rows"
    )
    if model.is_numeric:
        number = target_format(model)
        held_out, training = number(sqrt(learned.observed)), number(sqrt(learned.claimed))
        errors = f"{held_out} on held-out rows, {training} on training rows"
        return f"{how}. Root mean squared error: {errors}."
    return (
        f"{how}, where leaves claimed {percent(learned.claimed)} on average and "
        f"held-out rows showed {percent(learned.observed)}."
    )


def class_shares(model: Model, smoothing: float = 0.0) -> FloatArray:
    """Return the class shares of each node, as ``predict_proba`` does for leaves.

    Parameters
    ----------
    model : Model
        The model.
    smoothing : float, default=0.0
        Weight added to each class; not to honest shares.

    Returns
    -------
    ndarray of shape (n_nodes, n_classes)
    """
    if not 0 <= smoothing < np.inf:
        raise ParameterError(f"smoothing must be a number of at least 0, got {smoothing!r}")
    if model.honesty is not None or smoothing == 0:
        return model.shares
    counts = model.case_counts + min(smoothing, _MOST_SMOOTHING)
    return np.asarray(counts / counts.sum(axis=1, keepdims=True))
