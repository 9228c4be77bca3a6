"""From votes to predicted classes, errors and probabilities."""

import numpy as np

from polytomy._types import FloatArray, IntArray, LabelArray
from polytomy.kernels import exact_sum


def winners(votes: FloatArray) -> IntArray:
    """Return the predicted class number of each row; ties go to the lower one.

    Parameters
    ----------
    votes : ndarray of shape (rows, outputs)
        The votes.

    Returns
    -------
    ndarray of int
        The class numbers.
    """
    if votes.shape[1] == 1:
        return (votes[:, 0] > 0).view(np.uint8).astype(np.int64)
    return np.asarray(votes.argmax(axis=1))


def error_of(votes: FloatArray, labels: LabelArray, shares: FloatArray) -> float:
    """Return the weighted error: the total weight of the rows that are predicted wrongly.

    Parameters
    ----------
    votes : ndarray of shape (rows, outputs)
        The votes.
    labels : ndarray of int
        The class number of each row.
    shares : ndarray of float
        The weights of the rows, with sum 1.

    Returns
    -------
    float
        The error, from 0 to 1.
    """
    return exact_sum(shares * (winners(votes) != labels))


def log_softmax(votes: FloatArray) -> FloatArray:
    """Return the logarithm of the softmax over the last axis of votes of shape (rows, classes)."""
    shifted = votes - votes.max(axis=1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)))


def probabilities(votes: FloatArray, algorithm: str) -> FloatArray:
    """Return class probabilities of shape (rows, classes), by each algorithm's link function.

    For two classes and one output f, the probability of the second class is 1/(1 + exp(-2 f)), the
    minimiser of both the exponential and the log loss. (The lecture prints 1/(1 + exp(f)): the sign
    is reversed.) ``adaboost-mh`` normalises 1/(1 + exp(-2 f)) over the classes. ``samme`` and
    ``logitboost`` use the softmax of the votes, as their authors derive it.

    Parameters
    ----------
    votes : ndarray of shape (rows, outputs)
        The votes.
    algorithm : str
        The name of the boosting algorithm.

    Returns
    -------
    ndarray of shape (rows, classes)
        The probabilities.

    Examples
    --------
    >>> probabilities(np.array([[0.0], [20.0]]), "adaboost").round(3).tolist()
    [[0.5, 0.5], [0.0, 1.0]]
    """
    if votes.shape[1] == 1:
        both = np.concatenate((-votes, votes), axis=1)
        return np.exp(log_softmax(both))
    if algorithm == "adaboost-mh":
        return np.exp(log_softmax(-np.logaddexp(0.0, -2.0 * votes)))
    return np.exp(log_softmax(votes))
