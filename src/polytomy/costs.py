"""What mistakes cost: a matrix of costs, as weights of classes and as costs of labels.

The cost of a row of class i that is predicted as class j is C[i, j]. Only differences within a row
of the matrix matter for a decision, so C[i, i] is subtracted from row i. Then

    C[i, j] - C[i, i] = w[i] R[i, j], with w[i] the largest of the row and R from 0 to 1.

A tree is grown on rows of weight w[i]. If a cost depends on the true class alone, as it always does
for two classes, R is 1 off its diagonal, and the weighted errors are the costs. Otherwise R decides
what leaves predict and what prunings cost. Since R is at most 1, the weighted errors, and half the
index of the weighted counts, are upper bounds on the costs for every matrix.

The weights are multiplied by one number, so that those of all training rows add up to what they
would without costs: the price of a leaf, and whatever else reads weights as cases, keeps its
meaning.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import isfinite
from typing import Any

import numpy as np

from polytomy._numbers import is_real

from ._errors import ParameterError
from ._types import TIE, AnyArray, FloatArray, IntArray

_WIDEST = 1e9  # the largest ratio of the weights of two classes


@dataclass(frozen=True, eq=False)
class Costs:
    """The costs of mistakes.

    Parameters
    ----------
    matrix : ndarray of shape (classes, classes)
        The cost of a row of each class (rows) for each class that it is predicted as (columns).
    scale : float, default=1.0
        The weight of a training row whose worst mistake costs 1.

    Examples
    --------
    >>> costs = Costs.of({("sick", "well"): 20}, np.array(["sick", "well"]))
    >>> costs.matrix.tolist()
    [[0.0, 20.0], [1.0, 0.0]]
    >>> costs.scaled(np.array([10.0, 90.0])).factors.round(3).tolist()
    [6.897, 0.345]
    """

    matrix: FloatArray
    scale: float = 1.0

    @classmethod
    def of(cls, cost_matrix: Any, classes: AnyArray) -> "Costs":
        """Return the costs that a user gives, checked.

        Parameters
        ----------
        cost_matrix : dict, DataFrame or array of shape (classes, classes)
            The costs, as the parameter of that name of ``TreeClassifier``.
        classes : ndarray
            The classes in ascending order.

        Returns
        -------
        Costs
            The costs, with a ``scale`` of 1.
        """
        cost_matrix = frame_as_pairs(cost_matrix)
        is_dict = isinstance(cost_matrix, Mapping)
        matrix = (_from_pairs if is_dict else _from_array)(cost_matrix, classes)
        _check(matrix, classes)
        return cls(matrix)

    def scaled(self, weights: FloatArray) -> "Costs":
        """Return the costs with the scale that leaves the weight of all training rows as it is.

        Parameters
        ----------
        weights : ndarray of shape (classes,)
            The weight of the training rows of each class.
        """
        largest = float(self.worst.max())
        share = float(self.worst / largest @ weights / weights.sum())
        return replace(self, scale=1.0 / share / largest)

    @cached_property
    def excess(self) -> FloatArray:
        """What each mistake costs more than a correct prediction, (classes, classes)."""
        return np.asarray(self.matrix - np.diag(self.matrix)[:, None])

    @cached_property
    def worst(self) -> FloatArray:
        """The excess cost of the worst mistake of each class."""
        return np.asarray(self.excess.max(axis=1))

    @cached_property
    def factors(self) -> FloatArray:
        """The weight of a training row of each class."""
        return np.asarray(self.worst * self.scale)

    @cached_property
    def relative(self) -> FloatArray | None:
        """The excess costs divided by the worst of their class; None if all mistakes are alike.

        They are all alike if the cost depends on the true class alone.
        """
        if len(self.matrix) < 3:
            return None
        ratio = self.excess / self.worst[:, None]
        return None if (ratio[~np.eye(len(ratio), dtype=bool)] == 1).all() else ratio

    def of_labels(self, cases: FloatArray) -> FloatArray:
        """Return what each class would cost as the prediction of rows.

        Parameters
        ----------
        cases : ndarray of shape (..., classes)
            The number, weight or share of the rows of each class.

        Returns
        -------
        ndarray of shape (..., classes)
            The costs.
        """
        return np.asarray(cases @ self.matrix)

    def cheapest(self, cases: FloatArray) -> IntArray:
        """Return the number of the class that costs least as the prediction of each row.

        Parameters
        ----------
        cases : ndarray of shape (rows, classes)
            The number, weight or share of the cases of each class.

        Returns
        -------
        ndarray of shape (rows,)
            The numbers; of classes with the same cost, the first one.
        """
        costs = self.of_labels(cases)
        enough = costs.min(axis=1, keepdims=True) + TIE * costs.max(axis=1, keepdims=True)
        return np.asarray((costs <= enough).argmax(axis=1))

    def by_pairs(self, classes: AnyArray) -> dict[tuple[Any, Any], float]:
        """Return the costs as a dict of pairs (true class, predicted class).

        Parameters
        ----------
        classes : ndarray
            The classes, in the order of the matrix.

        Returns
        -------
        dict
            The cost of every pair.
        """
        names, costs = classes.tolist(), self.matrix.tolist()
        return {(i, j): costs[a][b] for a, i in enumerate(names) for b, j in enumerate(names)}


def frame_as_pairs(cost_matrix: Any) -> Any:
    """Return the costs of a pandas DataFrame as a dict of pairs; any others as they are.

    Its index names the true classes and its columns the predicted ones, in any order.

    Parameters
    ----------
    cost_matrix : dict, DataFrame or array
        The costs.
    """
    if not (hasattr(cost_matrix, "index") and hasattr(cost_matrix, "columns")):
        return cost_matrix
    rows, columns = cost_matrix.index.tolist(), cost_matrix.columns.tolist()
    if len(set(rows)) < len(rows) or set(rows) != set(columns) or len(columns) != len(rows):
        raise ParameterError(
            "the index and the columns of cost_matrix must name the same classes, each once, got "
            f"{rows[:10]} and {columns[:10]}"
        )
    costs = cost_matrix.to_numpy().tolist()
    return {(i, j): costs[a][b] for a, i in enumerate(rows) for b, j in enumerate(columns)}


def _from_pairs(pairs: Mapping[Any, Any], classes: AnyArray) -> FloatArray:
    place = {c: i for i, c in enumerate(classes.tolist())}
    matrix = 1.0 - np.eye(len(classes))
    for pair, cost in pairs.items():
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise ParameterError(
                f"the keys of cost_matrix must be pairs (true class, predicted class), got {pair!r}"
            )
        unknown = [c for c in pair if c not in place]
        if unknown:
            raise ParameterError(
                f"cost_matrix names a class that y does not have: {unknown[0]!r}; "
                f"the classes are {classes.tolist()[:10]}"
            )
        matrix[place[pair[0]], place[pair[1]]] = _number(cost, pair)
    return matrix


def _number(cost: Any, pair: tuple[Any, Any]) -> float:
    if not is_real(cost) or not isfinite(cost) or cost < 0:
        raise ParameterError(
            f"the cost of {pair[0]!r} predicted as {pair[1]!r} must be a finite number of at least "
            f"0, got {cost!r}; to state a gain, add the same number to all costs of a true class"
        )
    return float(cost)


def _from_array(cost_matrix: Any, classes: AnyArray) -> FloatArray:
    try:
        matrix = np.array(cost_matrix, dtype=np.float64)
    except (ValueError, TypeError) as error:
        raise ParameterError(
            "cost_matrix must be a dict of pairs (true class, predicted class), or a square array "
            f"of numbers, got {cost_matrix!r}"
        ) from error
    n = len(classes)
    if matrix.shape != (n, n):
        raise ParameterError(
            f"cost_matrix must have a row for each true class and a column for each predicted "
            f"class, so a shape of {(n, n)} for {n} classes, got {matrix.shape}"
        )
    for i, j in np.argwhere(~np.isfinite(matrix) | (matrix < 0)).tolist():
        _number(float(matrix[i, j]), (classes.tolist()[i], classes.tolist()[j]))
    return matrix


def _check(matrix: FloatArray, classes: AnyArray) -> None:
    """Raise an error for costs by which no tree can be grown."""
    names = classes.tolist()
    right = np.diag(matrix)
    for i, j in np.argwhere(matrix < right[:, None]).tolist():
        raise ParameterError(
            f"class {names[i]!r} costs {right[i]:g} if it is predicted correctly, but only "
            f"{matrix[i, j]:g} if it is predicted as {names[j]!r}: merge the two classes instead"
        )
    if len(names) < 2:
        return
    worst = (matrix - right[:, None]).max(axis=1)
    if not worst.any():
        raise ParameterError("cost_matrix has no mistake that costs anything")
    if not worst.all():
        raise ParameterError(
            f"mistakes about class {names[int(worst.argmin())]!r} cost nothing, so that its rows "
            "say nothing about a tree: leave them out, or give them a small cost"
        )
    if worst.min() * _WIDEST < worst.max():
        raise ParameterError(
            f"the worst mistakes about two classes must not differ by a factor of more than "
            f"{_WIDEST:g}, but cost {worst.min():g} and {worst.max():g}"
        )
