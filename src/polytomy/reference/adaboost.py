"""AdaBoost: trees that vote, each grown with more weight on the errors of those before it.

    D(i) = 1/m
    for t = 1, ..., T:
        h     = a tree grown with the weights D, which predicts -1 or +1
        eps   = the sum of D(i) over the rows with h(x_i) != y_i
        alpha = ln((1 - eps) / eps) / 2
        D(i)  = D(i) exp(-alpha y_i h(x_i)) / Z,   Z chosen so that D sums to 1
    H(x) = sign(sum of alpha h(x))

Source: figure 1 of the boosting lecture (C. Guestrin, 2006), after Freund and Schapire. The
training error of H is at most the product of all Z, and Z = 2 sqrt(eps (1 - eps)): the ``sqrt``
index of a tree with these errors.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .grower import Run


@dataclass(frozen=True, eq=False)
class Round:
    """One round of boosting.

    Attributes
    ----------
    run : Run
        The run that grew the tree.
    epsilon : float
        The weighted error of the tree.
    alpha : float
        The weight of the tree's vote.
    z : float
        The normaliser Z.
    distribution : ndarray of float
        The weights D with which the tree was grown.
    """

    run: Run
    epsilon: float
    alpha: float
    z: float
    distribution: NDArray[np.float64]


def adaboost(
    columns: Mapping[str, Any], labels: Any, weights: Any = None, **rules: Any
) -> Iterator[Round]:
    """Yield one round after the other, without end unless a tree makes no error.

    Parameters
    ----------
    columns : mapping of str to sequence
        The table, as in ``Run``.
    labels : sequence of -1 and 1
        The class of each row.
    weights : sequence of numbers, default=None
        The weight of each row; None is 1 each.
    **rules
        How the trees are grown, as in ``Run``; stumps if nothing is given.

    Yields
    ------
    Round
        The next round.

    Examples
    --------
    >>> from itertools import islice
    >>> x, y = [1, 2, 3, 4, 5, 6], [1, 1, -1, -1, 1, 1]
    >>> rounds = list(islice(adaboost({"x": x}, y), 3))
    >>> [round(r.epsilon, 3) for r in rounds]
    [0.333, 0.25, 0.167]
    >>> votes = sum(r.alpha * np.array(r.run.predict([{"x": v} for v in x])) for r in rounds)
    >>> np.sign(votes).astype(int).tolist() == y
    True
    """
    y = np.asarray(labels)
    table = [
        dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)
    ]
    d = np.ones(len(y)) if weights is None else np.asarray(weights, dtype=float)
    d = d / d.sum()
    while True:
        run = Run(columns, y, d, **{"max_leaves": 2, "max_arity": 2, **rules})
        run.grow()
        h = np.array(run.predict(table))
        epsilon = float(d[h != y].sum())
        if epsilon == 0:
            return
        alpha = float(np.log((1 - epsilon) / epsilon) / 2)
        unscaled = d * np.exp(-alpha * y * h)
        z = float(unscaled.sum())
        yield Round(run, epsilon, alpha, z, d)
        d = unscaled / z
