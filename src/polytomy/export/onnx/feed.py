"""Rows of a table as the inputs of the graph that ``to_onnx`` writes."""

from itertools import count
from numbers import Real
from typing import Any

import numpy as np

from polytomy._types import AnyArray
from polytomy.encode import aligned
from polytomy.ensemble import Ensemble
from polytomy.model import Model
from polytomy.table import Nominal, Ordered, Ranks, Table, as_nominal

from .readings import MATRIX, Reading, is_matrix, readings_of


def onnx_inputs(model: Model | Ensemble, table: Table) -> dict[str, AnyArray]:
    """Return what ``InferenceSession.run`` of the model's graph takes for the rows of a table.

    Examples
    --------
    >>> from polytomy import TreeClassifier
    >>> X = {"town": np.array(["Ulm", "Rom", "Ulm", None], dtype=object), "x": np.arange(4.0)}
    >>> table = Table.of(X)
    >>> import pandas as pd
    >>> clf = TreeClassifier().fit(pd.DataFrame(X), [0, 1, 0, 1])
    >>> onnx_inputs(clf._model, table)["town"].ravel().tolist()
    ['Ulm', 'Rom', 'Ulm', '']
    """
    trees = [m.tree for m in model.members] if isinstance(model, Ensemble) else [model.tree]
    asked = {int(j) for tree in trees for j in np.unique(tree.feature) if j >= 0}
    readings = readings_of(model.schema, asked)
    lined_up = aligned(table, model.schema)  # says what is wrong with the columns, if anything is
    cells: dict[str, AnyArray] = {}
    for reading in readings:
        column = lined_up[reading.place]
        if reading.keys is None and isinstance(column, Ordered):
            own = _ticks(column) if reading.kind == "ticks" else _numbers(column)
        else:
            own = _categories(as_nominal(table.columns[reading.place]), reading)
        cells[reading.name] = own[:, np.newaxis]
    if is_matrix(model.schema):
        return {MATRIX: np.hstack([cells[reading.name] for reading in readings])}
    return cells


def _numbers(column: Ordered) -> AnyArray:
    values = column.values.astype(np.float64)
    if isinstance(column.scale, Ranks):  # no and yes; -1 where there is neither
        values[values < 0] = np.nan
    return values


def _ticks(column: Ordered) -> AnyArray:
    if column.values.dtype.kind == "f":  # a column without a value
        return np.full(len(column.values), np.iinfo(np.int64).min)
    return column.values


def _categories(column: Nominal, reading: Reading) -> AnyArray:
    """Return the cells as text, or as numbers; one of another type is unknown."""
    pool: list[Any]
    if reading.kind == "text":
        other = _stranger(reading)
        pool = [c if isinstance(c, str) else other for c in column.categories]
        return np.array([*pool, reading.missing], dtype=object)[column.codes]
    known = reading.keys or ()
    unknown = next(x + 0.5 for x in count() if x + 0.5 not in known)
    # A whole number that no double equals must not be taken for its neighbour.
    pool = [
        float(c) if isinstance(c, Real | np.bool_) and float(c) == c else unknown
        for c in column.categories
    ]
    return np.array([*pool, np.nan])[column.codes]


def _stranger(reading: Reading) -> str:
    """Return a text that is no category of a column, and not missing."""
    text = "?"
    while text in (reading.keys or ()) or text == reading.missing:
        text += "?"
    return text
