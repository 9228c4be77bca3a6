"""SHAP values of a model's predictions."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from polytomy._threads import checked_threads
from polytomy._types import AnyArray, FloatArray
from polytomy.encode import aligned
from polytomy.ensemble import Ensemble
from polytomy.model import Model
from polytomy.table import Table
from polytomy.tree import LEAF, Tree

from .leaves import add_tree
from .routes import cells_of

_BLOCK = 1 << 14  # rows at a time: what a block needs stays in the cache, and many patterns repeat


def shap_values(
    model: Model | Ensemble, table: Table, smoothing: float = 0.0, threads: int = 1
) -> FloatArray:
    """Return how much of each prediction is owed to each column: (rows, columns, outputs).

    These are Shapley values, exact for trees of any arity, of the game in which a column is known
    or not: where a question is about a column that is not, the row is spread over the children by
    their training weight (the *path-dependent* form of TreeSHAP). Of a tree they add up, with
    ``expected_value``, to the probabilities; of an ensemble, to the votes.

    A tree's weights are those of its training rows. A member of an ensemble was grown on weights of
    its round's own, which say how hard rows were, not how common; there each row counts one.

    Parameters
    ----------
    model : Model or Ensemble
        What predicts. Trees with users' own questions are refused.
    table : Table
        The rows; it must have the columns of the model's schema.
    smoothing : float
        Of a tree: what is added to each class count before shares are taken.
    threads : int
        How many threads to use. The values do not depend on it.

    Examples
    --------
    >>> from polytomy import TreeClassifier
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> clf = TreeClassifier().fit(X, [0, 0, 0, 1])
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

    with ThreadPoolExecutor(checked_threads(threads)) as pool:
        list(pool.map(work, range(0, table.n_rows, _BLOCK)))
    return np.ascontiguousarray(np.moveaxis(out, 2, 0))


def expected_value(model: Model | Ensemble, smoothing: float = 0.0) -> FloatArray:
    """Return what is predicted of a row of which no column is known, for each output.

    Of a tree without smoothing these are the class shares of the training rows.
    """
    parts, start = _parts(model, smoothing)
    total = start.copy()
    for part in parts:
        total += _reach(part) @ part.values
    return total


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """A tree, what its leaves say, and the training weight of its nodes."""

    tree: Tree
    values: FloatArray
    cover: FloatArray


def _parts(model: Model | Ensemble, smoothing: float) -> tuple[list[_Part], FloatArray]:
    """Return the trees that are added up, and what is there before them."""
    if isinstance(model, Ensemble):
        members = [_Part(m.tree, m.scores, m.tree.rows.astype(np.float64)) for m in model.members]
        return members, model.start
    counts = model.tree.counts
    smooth = counts + smoothing
    shares = smooth / smooth.sum(axis=1, keepdims=True)
    return [_Part(model.tree, shares, counts.sum(axis=1))], np.zeros(model.tree.n_classes)


def _reach(part: _Part) -> AnyArray:
    """Return the share of weight that reaches each leaf from above, and 0 for other nodes."""
    tree, cover = part.tree, part.cover
    share = np.ones(tree.n_nodes)
    for node in range(1, tree.n_nodes):  # parents come first
        parent = tree.parent[node]
        share[node] = share[parent] * (cover[node] / cover[parent])
    return np.where(tree.kind == LEAF, share, 0.0)
