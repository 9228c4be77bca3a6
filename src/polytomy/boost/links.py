"""From votes to probabilities: each algorithm's own link."""

import numpy as np

from polytomy._types import FloatArray

from .logit import log_softmax


def probabilities(votes: FloatArray, algorithm: str) -> FloatArray:
    """Return the probability of each class, (rows, classes).

    Two classes and one output f: that of the second is 1/(1 + exp(-2 f)), where both the
    exponential and the log loss are least. (The lecture prints 1/(1 + exp(f)): the sign is
    reversed.) ``adaboost-mh`` asks for each class whether a row is of it: 1/(1 + exp(-2 f)) of
    each, divided by their sum. ``samme`` and ``logitboost``: the softmax of the votes, as their
    authors derive it.

    >>> probabilities(np.array([[0.0], [20.0]]), "adaboost").round(3).tolist()
    [[0.5, 0.5], [0.0, 1.0]]
    """
    if votes.shape[1] == 1:
        both = np.concatenate((-votes, votes), axis=1)
        return np.exp(log_softmax(both))
    if algorithm == "adaboost-mh":
        return np.exp(log_softmax(-np.logaddexp(0.0, -2.0 * votes)))
    return np.exp(log_softmax(votes))
