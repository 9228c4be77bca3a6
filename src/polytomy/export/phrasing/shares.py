"""Class shares of nodes: those to expect of new rows, and those of the training rows."""

from dataclasses import dataclass

import numpy as np

from polytomy._errors import ParameterError
from polytomy._text import count
from polytomy._types import FloatArray
from polytomy.model import Model


@dataclass(frozen=True, slots=True)
class Share:
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
        return f"{self.name} {self.share:.0%} [{100 * self.low:.0f}-{100 * self.high:.0f}]"

    def of(self, rows: object, *, interval: bool = True) -> str:
        """Return the share beside the training share: ``benign 96% [93-98] (97% of 320)``.

        A doubtful share ends with ``!``. A share that is not a forecast is that of the training
        rows itself: ``benign 97% [95-99] of 320``.

        Parameters
        ----------
        rows : object
            The rows, such as a number.
        interval : bool, default=True
            Whether to include the interval.

        Returns
        -------
        str
        """
        share = str(self) if interval else f"{self.name} {self.share:.0%}"
        if not self.is_forecast:
            return f"{share} of {rows}"
        return f"{share} ({self.training:.0%} of {rows}){' !' if self.is_doubtful else ''}"

    def in_full(self, rows: int) -> str:
        """Return the share for readers without a legend: ``benign 96% (97% of 8 training rows)``.

        Parameters
        ----------
        rows : int
            The number of rows.

        Returns
        -------
        str
        """
        return self.of(count(rows, "training row" if self.is_forecast else "row"), interval=False)

    def of_training(self, rows: object) -> str:
        """Return the share of the training rows: ``benign 97% of 320``.

        Parameters
        ----------
        rows : object
            The rows, such as a number.

        Returns
        -------
        str
        """
        return f"{self.name} {self.training:.0%} of {rows}"


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


def shares_note(model: Model) -> str:
    """Return how the expected shares of a model were learned; empty if they were not.

    Parameters
    ----------
    model : Model
        The model.

    Returns
    -------
    str
        One sentence.
    """
    learned = model.honesty
    if learned is None:
        return ""
    if learned.folds == 0:
        return "There were too few rows to learn from, so expected shares assume a typical table."
    return (
        f"Expected shares were learned by {learned.folds}-fold cross-fitting on "
        f"{learned.rows:,.10g} rows, where leaves claimed {learned.claimed:.0%} on average and "
        f"held-out rows showed {learned.observed:.0%}."
    )


DOUBTFUL_NOTE = "the two shares are 20 or more points apart, or new rows favour another class"
"""What the mark of a doubtful share means."""


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
    counts = model.case_counts + smoothing
    return np.asarray(counts / counts.sum(axis=1, keepdims=True))
