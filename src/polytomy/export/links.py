"""Links: how the votes of an ensemble become its prediction."""

from typing import Literal

from polytomy.ensemble import Ensemble

Link = Literal["mean", "shares", "logistic", "logistic-shares", "softmax"]
"""How votes become a prediction.

``mean``: a number, the mean of the votes on their scale. ``shares``: the votes divided by their
sum. ``logistic``: 1/(1 + exp(-2 f)) of the only output f, for the second class.
``logistic-shares``: the same of each output, divided by their sum. ``softmax``: of the votes.
"""

ONE_VOTE: frozenset[Link] = frozenset({"mean", "logistic"})
"""The links from one number. The others take one for each class, of which there may be one, too."""


def link_of(ensemble: Ensemble) -> Link:
    """Return the link of an ensemble."""
    if ensemble.is_numeric:
        return "mean"
    if ensemble.is_forest:
        return "shares"
    if ensemble.n_outputs == 1:
        return "logistic"
    return "logistic-shares" if ensemble.algorithm == "adaboost-mh" else "softmax"
