"""Explanation of one prediction, step by step."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from polytomy._text import count, one_line
from polytomy.density import DensityModel
from polytomy.encode import OrderedColumn, Schema
from polytomy.model import Model
from polytomy.table import Ordered, Ranks, Table, Times
from polytomy.tree import CustomSplit

from .captions import describe_branches
from .predictions import AnyModel, Prediction, exp_or_inf, node_prediction
from .times import format_time


@dataclass(frozen=True, slots=True)
class Step:
    """A split on the path of a row: the row's value and the branch it takes.

    ``value`` is empty for a user-defined split.
    """

    node: int
    value: str
    answer: str
    rows: int  # training rows in the same branch

    def __str__(self) -> str:
        """Return ``<column> is <value>, so <branch>  (<n> rows)``."""
        value = f"{self.value}, so " if self.value else ""
        return f"{value}{self.answer}  ({count(self.rows, 'row')})"


@dataclass(frozen=True, slots=True)
class Explanation:
    """The path of one row; ``str`` explains it step by step."""

    steps: tuple[Step, ...]
    leaf: int
    prediction: Prediction
    rows: int
    weights: dict[str, float]  # of the leaf's training rows by class; empty if there are none
    remark: str = ""  # what holds for the row, but not for its leaf

    def __str__(self) -> str:
        """Return one line per split, and the last lines describe the leaf."""
        lines = [f"{i}. {step}" for i, step in enumerate(self.steps, 1)]
        held = ", ".join(f"{name} {w:.10g}" for name, w in self.weights.items() if w > 0)
        ending = self.prediction.explained(self.rows)
        ending[-1] += f": {held}" if held else ""
        if self.prediction.is_doubtful:
            ending.append(f"! {self.prediction.doubt}")
        ending += [self.remark] if self.remark else []
        lines += [f"{'   ' if i else '=> '}{line}" for i, line in enumerate(ending)]
        return "\n".join(lines)

    __repr__ = __str__


def explain(model: AnyModel, table: Table, leaf: int) -> Explanation:
    """Explain how a row reaches its leaf.

    Parameters
    ----------
    model : Model or DensityModel
        The model.
    table : Table
        A table of one row, with the columns of the model's schema.
    leaf : int
        The leaf that the row reaches.

    Returns
    -------
    Explanation
    """
    tree = model.tree
    steps = []
    for node, child in pairwise(tree.path(leaf)):
        split = tree.split(node)
        if split is None:
            continue
        branch = tree.children(node).tolist().index(child)
        value = ""
        if not isinstance(split, CustomSplit):
            name = model.schema[split.feature].name
            value = one_line(f"{name} is {cell_text(model.schema, table, split.feature)}")
        words = describe_branches(split, model.schema)[branch]
        steps.append(Step(node, value, words, int(tree.rows[child])))
    prediction, rows = node_prediction(model, leaf), int(tree.rows[leaf])
    if isinstance(model, DensityModel):
        return Explanation(tuple(steps), leaf, prediction, rows, {}, _outside(model, table, leaf))
    weights = {} if model.is_numeric else _class_weights(model, leaf)
    return Explanation(tuple(steps), leaf, prediction, rows, weights)


def _outside(model: DensityModel, table: Table, leaf: int) -> str:
    """Return the density of a row if it is not that of its box; else nothing."""
    outside = model.outside(table)
    if not outside:
        return ""
    density = exp_or_inf(float(model.score_at(np.array([leaf]), outside)[0]))
    names = ", ".join(one_line(model.schema[part.column].name) for part in outside)
    return f"density {density:.3g} of this row: {names} missing, new or beyond the range"


def _class_weights(model: Model, leaf: int) -> dict[str, float]:
    return dict(zip(model.class_names, model.case_counts[leaf].tolist(), strict=True))


def cell_text(schema: Schema, table: Table, feature: int, row: int = 0) -> str:
    """Return a cell of a table as text, numbers with all their digits."""
    column, spec = table.columns[feature], schema[feature]
    value: Any = column.values[row]
    if not isinstance(column, Ordered):
        return "missing" if value is None else str(value)
    if isinstance(column.scale, Times):
        missing = value == np.iinfo(np.int64).min
        like = spec if isinstance(spec, OrderedColumn) else _EMPTY
        return "missing" if missing else format_time(int(value), column.scale, like)
    scale = spec.scale if isinstance(spec, OrderedColumn) else None
    if isinstance(column.scale, Ranks) and isinstance(scale, Ranks):
        return "missing" if value < 0 else str(column.scale.labels[int(value)])
    if not np.isfinite(value):
        return "missing" if np.isnan(value) else str(value)
    return np.format_float_positional(value, trim="-") if value % 1 else str(int(value))


_EMPTY = OrderedColumn("", np.empty(0), np.empty(0), has_missing=False)
