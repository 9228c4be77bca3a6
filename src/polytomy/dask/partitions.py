"""The partitions of Dask collections: DataFrames, Arrays and lists of delayed tables."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import dask
from dask.delayed import Delayed
from distributed import Future

from polytomy._errors import TableError, TargetError


class Collection(NamedTuple):
    """Rows in partitions.

    Parameters
    ----------
    parts : list of Delayed or Future
        The partitions.
    names : list of str or None
        The names of the columns; None for arrays, and if they are not known yet.
    """

    parts: list[Any]
    names: list[str] | None


def is_collection(data: Any) -> bool:
    """Return whether data are a Dask collection or a list of delayed tables."""
    if isinstance(data, list | tuple):
        return len(data) > 0 and all(isinstance(part, Delayed | Future) for part in data)
    return bool(dask.is_dask_collection(data))


def table_parts(X: Any) -> Collection:
    """Return the partitions of rows.

    Parameters
    ----------
    X : dask DataFrame, dask Array, or list of Delayed or Future
        The rows; an array has two dimensions.

    Returns
    -------
    Collection
        The partitions.
    """
    if isinstance(X, list | tuple):
        return Collection(list(X), None)
    if isinstance(X, Delayed):
        return Collection([X], None)
    if hasattr(X, "chunks") and hasattr(X, "rechunk"):
        if X.ndim != 2:
            raise TableError(f"a dask array of rows must have two dimensions, got {X.ndim}")
        if X.numblocks[1] > 1:
            X = X.rechunk({1: -1})
        return Collection(X.to_delayed().ravel().tolist(), None)
    if hasattr(X, "to_delayed") and hasattr(X, "columns"):
        return Collection(list(X.to_delayed()), [str(name) for name in X.columns])
    raise TableError(
        f"X must be a dask DataFrame, a dask Array or a list of delayed tables, got {type(X)}"
    )


def cell_parts(cells: Any, X: Any, n_parts: int, name: str) -> list[Any]:
    """Return the partitions of a target or of weights.

    Parameters
    ----------
    cells : dask Series, dask Array, or list of Delayed or Future
        One cell for each row.
    X : object
        The rows.
    n_parts : int
        The number of partitions of the rows.
    name : str
        What the cells are, for messages.

    Returns
    -------
    list
        As many partitions as the rows have.
    """
    if not is_collection(cells):
        raise TargetError(
            f"{name} must be a Dask collection like X, or the name of a column of X; got "
            f"{type(cells).__name__}"
        )
    if isinstance(cells, list | tuple):
        parts = list(cells)
    elif isinstance(cells, Delayed):
        parts = [cells]
    elif hasattr(cells, "rechunk"):
        if cells.ndim != 1:
            raise TargetError(f"{name} must have one dimension, got {cells.ndim}")
        own, rows = cells.chunks[0], getattr(X, "chunks", [()])[0]
        if own != rows and sum(own) == sum(rows):  # never for unknown sizes, which are nan
            cells = cells.rechunk((rows,))
        parts = cells.to_delayed().ravel().tolist()
    else:
        parts = list(cells.to_delayed())
    if len(parts) != n_parts:
        raise TargetError(
            f"X has {n_parts} partitions, but {name} has {len(parts)}; both must be cut at the "
            "same rows"
        )
    return parts


def in_blocks(places: Sequence[str], n_threads: dict[str, int]) -> list[list[int]]:
    """Return the numbers of the partitions of each block.

    The partitions of a worker make a block for each of its threads.

    Parameters
    ----------
    places : sequence of str
        The worker that holds each partition.
    n_threads : dict
        The number of threads of each worker.

    Returns
    -------
    list of list of int
        The blocks; in each of them, numbers ascend.
    """
    held: dict[str, list[int]] = {}
    for number, place in enumerate(places):
        held.setdefault(place, []).append(number)
    blocks = []
    for place, numbers in held.items():
        n_blocks = min(max(1, n_threads.get(place, 1)), len(numbers))
        ends = [len(numbers) * i // n_blocks for i in range(n_blocks + 1)]
        blocks += [numbers[a:b] for a, b in pairwise(ends)]
    return blocks
