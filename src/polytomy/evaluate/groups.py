"""Error rates of groups of rows."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from .rows import Rate, checked_weights, class_numbers, rate, same_length


@dataclass(frozen=True, slots=True)
class GroupRates:
    """The rates of a group of rows, each with its 95 % interval.

    Attributes
    ----------
    group : int
        The number of the group.
    weight : float
        The weight of its rows.
    error : Rate
        The share of its rows that is predicted wrongly.
    base : Rate
        The share that is of the positive class.
    selected : Rate
        The share that is predicted to be of the positive class.
    false_positive : Rate
        The share of the rows of other classes that is predicted to be of the positive class.
    false_negative : Rate
        The share of the rows of the positive class that is predicted to be of another.
    """

    group: int
    weight: float
    error: Rate
    base: Rate
    selected: Rate
    false_positive: Rate
    false_negative: Rate


def group_rates(
    labels: Any, predicted: Any, groups: Any, positive: int, weights: Any = None
) -> list[GroupRates]:
    """Return the error rates of each group of rows.

    Parameters
    ----------
    labels, predicted : arrays of int
        The actual and the predicted class number of each row.
    groups : array of int
        The number of each row's group, from 0.
    positive : int
        The number of the positive class.
    weights : array of float, default=None
        The weight of each row; None gives every row weight 1. Rows of weight 0 are ignored.

    Returns
    -------
    list of GroupRates
        The rates, by ascending number. Groups without rows are left out.

    Examples
    --------
    >>> first, second = group_rates([0, 1, 0, 1], [0, 1, 1, 1], [0, 0, 1, 1], positive=1)
    >>> first.error.value, second.error.value, second.false_positive.value
    (0.0, 0.5, 1.0)
    """
    actual, said = np.asarray(labels), np.asarray(predicted)
    n_classes = int(max(actual.max(initial=0), said.max(initial=0), positive)) + 1
    actual = class_numbers(actual, n_classes, "labels")
    said = class_numbers(said, n_classes, "predicted")
    group = np.asarray(groups)
    group = class_numbers(group, int(group.max(initial=0)) + 1, "groups")
    for other, name in ((said, "predicted"), (group, "groups")):
        same_length(actual, other, "labels", name)
    w = checked_weights(weights, len(actual))
    order = np.argsort(group, kind="stable")
    order = order[w[order] > 0]
    starts = np.flatnonzero(np.diff(group[order])) + 1
    parts = np.split(order, starts) if len(order) else []
    return [_rates(int(group[p[0]]), actual[p], said[p], positive, w[p]) for p in parts]


def _rates(group: int, actual: Any, said: Any, positive: int, w: Any) -> GroupRates:
    is_positive, is_selected = actual == positive, said == positive
    return GroupRates(
        group,
        float(w.sum()),
        error=rate(actual != said, w),
        base=rate(is_positive, w),
        selected=rate(is_selected, w),
        false_positive=rate(is_selected[~is_positive], w[~is_positive]),
        false_negative=rate(~is_selected[is_positive], w[is_positive]),
    )
