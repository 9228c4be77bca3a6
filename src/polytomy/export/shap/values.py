"""SHAP values of a model's predictions."""

from dataclasses import dataclass

import numpy as np

from polytomy._errors import TreeError
from polytomy._threads import ThreadPool, checked_threads
from polytomy._types import AnyArray, FloatArray
from polytomy.density import DensityModel
from polytomy.encode import aligned
from polytomy.ensemble import Ensemble
from polytomy.export.outputs import node_outputs
from polytomy.export.phrasing import AnyModel
from polytomy.predict import apply
from polytomy.table import Table
from polytomy.tree import LEAF, Tree

from .paths import add_tree, cells_of

_BLOCK = 1 << 14  # rows at a time, so that the arrays of a block fit in the cache


def shap_values(
    model: AnyModel | Ensemble, table: Table, smoothing: float = 0.0, threads: int = 1
) -> FloatArray:
    """Return the SHAP values of each prediction: the contribution of each column.

    These are exact Shapley values for trees of any arity, of the game in which columns are known or
    unknown: at a split on an unknown column, a row is distributed over the children in proportion
    to their training weight (the *path-dependent* form of TreeSHAP). Together with
    ``expected_value``, the values add up to the probabilities of a tree or a forest, to the number
    that they predict for a numeric target, or to the votes of a boosted model.

    For a tree, the training weight is that of its rows. For a member of an ensemble, each row
    counts as one, because the weights of a boosting round measure how hard rows are, not how
    common. For a density tree, it is the share of the rows to expect, and the values add up to the
    log-density of ``score_samples``: what a missing cell, or one that training did not show, adds
    to the log-density of the row's box is counted for its own column.

    Parameters
    ----------
    model : Model, DensityModel or Ensemble
        The model; it must not have user-defined splits.
    table : Table
        The rows; the table must have the columns of the model's schema.
    smoothing : float, default=0.0
        For a tree without honest shares, the weight added to each class.
    threads : int, default=1
        Number of threads. The values do not depend on it.

    Returns
    -------
    ndarray of shape (n_rows, n_columns, n_outputs)
        A numeric target has one output.

    Examples
    --------
    >>> from polytomy import TreeClassifier
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> clf = TreeClassifier(procedure="per-leaf", honest=False).fit(X, [0, 0, 0, 1])
    >>> table = Table.of(X)
    >>> owed = shap_values(clf._model, table)[:, :, 1]
    >>> owed.tolist()
    [[-0.125, -0.125], [-0.375, 0.125], [0.125, -0.375], [0.375, 0.375]]
    >>> (owed.sum(axis=1) + expected_value(clf._model)[1]).tolist()
    [0.0, 0.0, 0.0, 1.0]
    """
    parts, start = _parts(model, smoothing)
    columns = [cells_of(column) for column in aligned(table, model.schema)]
    out = np.zeros((len(model.schema), len(start), table.n_rows))

    def work(first: int) -> None:
        rows = slice(first, first + _BLOCK)
        own = [(c[rows], None if unknown is None else unknown[rows]) for c, unknown in columns]
        for part in parts:
            add_tree(part.tree, part.values, part.cover, own, out[:, :, rows])

    with ThreadPool(checked_threads(threads)) as pool:
        list(pool.map(work, range(0, table.n_rows, _BLOCK)))
    if isinstance(model, DensityModel):
        leaves = apply(model.tree, model.schema, table, threads)
        for part in model.outside(table):
            out[part.column, 0, part.rows] += model.correction(part, leaves)
    return np.ascontiguousarray(np.moveaxis(out, 2, 0))


def expected_value(model: AnyModel | Ensemble, smoothing: float = 0.0) -> FloatArray:
    """Return the prediction for a row of which all columns are unknown, for each output.

    For a tree with neither honest leaves nor smoothing, these are the class shares, or the mean, of
    the training rows; for a density tree, it is the mean log-density of the boxes, by their shares.

    Parameters
    ----------
    model : Model, DensityModel or Ensemble
        The model.
    smoothing : float, default=0.0
        For a tree without honest shares, the weight added to each class.

    Returns
    -------
    ndarray of shape (n_outputs,)
    """
    parts, start = _parts(model, smoothing)
    total = start.copy()
    for part in parts:
        total += _reach(part) @ part.values
    return total


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """A tree, the outputs of its nodes, and their training weight."""

    tree: Tree
    values: FloatArray
    cover: FloatArray


def _parts(model: AnyModel | Ensemble, smoothing: float) -> tuple[list[_Part], FloatArray]:
    """Return the trees to sum, and the value to which they are added."""
    if isinstance(model, Ensemble):
        share = 1.0 / len(model) if model.is_forest else 1.0  # the mean of the trees
        start = model.start
        if model.scale is not None:
            share, start = share * model.scale.unit, np.array([model.scale.centre])
        members = [
            _Part(m.tree, m.scores * share, m.tree.rows.astype(np.float64)) for m in model.members
        ]
        return members, start
    tree, values = model.tree, node_outputs(model, smoothing)
    if isinstance(model, DensityModel):
        if not np.isfinite(values).all():
            raise TreeError(
                "an empty box without smoothing has the log-density -inf, which columns cannot "
                "share; fit with smoothing > 0"
            )
        return [_Part(tree, values, np.exp(model.log_share))], np.zeros(1)
    if tree.centre is not None:  # deviations from it, so that large numbers lose no digits
        return [_Part(tree, values - tree.centre, tree.weight)], np.array([tree.centre])
    return [_Part(tree, values, model.case_counts.sum(axis=1))], np.zeros(values.shape[1])


def _reach(part: _Part) -> AnyArray:
    """Return the share of the weight that reaches each leaf; 0 for other nodes."""
    tree, cover = part.tree, part.cover
    share = np.ones(tree.n_nodes)
    for node in range(1, tree.n_nodes):  # parents come first
        parent = tree.parent[node]
        share[node] = share[parent] * (cover[node] / cover[parent])
    return np.where(tree.kind == LEAF, share, 0.0)
