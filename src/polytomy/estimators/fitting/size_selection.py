"""Choosing the size of a tree by cross-validation: error, log loss, AUC, or any scorer."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import get_scorer, log_loss, roc_auc_score

from polytomy._errors import ParameterError
from polytomy._types import AnyArray, FloatArray, IntArray
from polytomy.estimators.base.rows import LabelledRows
from polytomy.honesty import Honesty, honest_means, honest_shares
from polytomy.prune import one_standard_error
from polytomy.theory import cases_per_weight
from polytomy.tree import Tree

MEASURES = {False: ("error", "log_loss", "roc_auc"), True: ("squared_error",)}
"""The measures by their names, by whether the target is a number."""

PLAIN = ("error", "squared_error")
"""The measures that the pruning path itself minimises."""

_SIZES = 32  # sizes that are scored, spread evenly on a logarithmic scale

Losses = Callable[[Tree, LabelledRows, AnyArray], float]
"""The loss of a tree on held-out rows, given the leaf of each row; smaller is better."""


@dataclass(frozen=True, slots=True, eq=False)
class FoldPath:
    """The prunings of a tree that was grown without a fold, and the rows of that fold.

    Parameters
    ----------
    sizes : ndarray of int
        The numbers of leaves, ascending.
    at : callable
        Returns the pruning of at most that many leaves.
    apply : callable
        Returns the leaf of each held-out row in a tree.
    held_out : LabelledRows
        The rows of the fold.
    """

    sizes: IntArray
    at: Callable[[int], Tree]
    apply: Callable[[Tree], AnyArray]
    held_out: LabelledRows


def check_scoring(scoring: Any, *, is_numeric: bool) -> None:
    """Raise an error for a value that ``scoring`` cannot have for a class or a numeric target."""
    own, others = MEASURES[is_numeric], MEASURES[not is_numeric]
    if callable(scoring) or (isinstance(scoring, str) and scoring in own):
        return
    try:
        if not isinstance(scoring, str) or scoring in others:
            raise TypeError
        get_scorer(scoring)
    except (ValueError, KeyError, TypeError) as error:
        raise ParameterError(
            f"scoring must be {', '.join(map(repr, own))}, the name of a scorer of scikit-learn "
            f"or a scorer, got {scoring!r}"
        ) from error


def choose_size(folds: Iterator[FoldPath], loss: Losses, largest: int) -> int:
    """Return the smallest size within one standard error of the best mean loss.

    Parameters
    ----------
    folds : iterator of FoldPath
        The folds.
    loss : callable
        The loss to minimise.
    largest : int
        The largest size to consider.

    Returns
    -------
    int
        The number of leaves.
    """
    sizes = np.unique(np.geomspace(1, largest, min(_SIZES, largest)).round().astype(int))
    losses = []
    for fold in folds:
        known: dict[int, float] = {}
        row = []
        for size in sizes.tolist():
            tree = fold.at(size)
            if tree.n_leaves not in known:
                known[tree.n_leaves] = loss(tree, fold.held_out, fold.apply(tree))
            row.append(known[tree.n_leaves])
        losses.append(row)
    return int(sizes[one_standard_error(np.array(losses))])


def loss_of(scoring: Any, as_classifier: Callable[[Tree], Any], raw_rows: Any) -> Losses:
    """Return the loss for a ``scoring``.

    Parameters
    ----------
    scoring : str or callable
        One of ``MEASURES``, or a scorer, whose score is negated.
    as_classifier : callable
        Makes a fitted classifier of a tree, for scorers.
    raw_rows : callable
        Returns the rows and classes of labelled rows in the form that scorers take.
    """
    if isinstance(scoring, str) and scoring in _LOSSES:
        return _LOSSES[scoring]
    scorer = get_scorer(scoring) if isinstance(scoring, str) else scoring

    def negated(tree: Tree, rows: LabelledRows, _leaf: AnyArray) -> float:
        X, y = raw_rows(rows)
        return -float(scorer(as_classifier(tree), X, y))

    return negated


def _shares(tree: Tree, leaf: AnyArray) -> FloatArray:
    cases = tree.counts * cases_per_weight(int(tree.rows[0]), float(tree.counts[0].sum()))
    shares = honest_shares(cases, tree.parent, Honesty().shrinkage)[leaf]
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def _error(tree: Tree, rows: LabelledRows, leaf: AnyArray) -> float:
    """Return the share of the weight that is misclassified or, with costs, the scaled mean cost."""
    said = tree.label[leaf]
    wrong = said != rows.labels if tree.costs is None else tree.costs[rows.labels, said]
    return float(np.average(wrong, weights=rows.weights))


def _log_loss(tree: Tree, rows: LabelledRows, leaf: AnyArray) -> float:
    classes = np.arange(rows.n_classes)
    shares = _shares(tree, leaf)
    return float(log_loss(rows.labels, shares, sample_weight=rows.weights, labels=classes))


def _auc_loss(tree: Tree, rows: LabelledRows, leaf: AnyArray) -> float:
    """Return 1 - AUC, the mean over the classes that some but not all rows have."""
    shares, areas = _shares(tree, leaf), []
    for c in [1] if rows.n_classes == 2 else range(rows.n_classes):
        is_class = rows.labels == c
        if 0 < is_class.sum() < len(is_class):
            areas.append(roc_auc_score(is_class, shares[:, c], sample_weight=rows.weights))
    return 1.0 - float(np.mean(areas)) if areas else 0.5


def _squared_error(tree: Tree, rows: LabelledRows, leaf: AnyArray) -> float:
    """Return the mean squared error of the honest means."""
    cases = tree.counts[:, :3] * cases_per_weight(int(tree.rows[0]), float(tree.weight[0]))
    assert tree.centre is not None
    means = tree.centre + honest_means(cases, tree.parent, Honesty().shrinkage)
    return float(np.average((means[leaf] - rows.labels) ** 2, weights=rows.weights))


_LOSSES: dict[str, Losses] = {
    "error": _error,
    "log_loss": _log_loss,
    "roc_auc": _auc_loss,
    "squared_error": _squared_error,
}
