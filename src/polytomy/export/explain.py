"""One row's way down the tree, in words."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from polytomy._text import one_line
from polytomy.encode import OrderedColumn
from polytomy.model import Model
from polytomy.table import Ordered, Ranks, Table, Times
from polytomy.tree import OwnQuestion

from .moments import say_moment
from .shares import Share, largest_share
from .words import answers


@dataclass(frozen=True, slots=True)
class Step:
    """A question on the way: what the row has, and the answer it gives."""

    node: int
    value: str
    answer: str
    rows: int  # training rows that gave the same answer


@dataclass(frozen=True, slots=True)
class Explanation:
    """The path of one row; ``str`` tells it."""

    steps: tuple[Step, ...]
    leaf: int
    share: Share
    rows: int
    weights: dict[str, float]  # of each class in the leaf

    def __str__(self) -> str:
        """Tell the path, a line a question, and what the leaf holds."""
        lines = [
            f"{i}. {s.value}, so {s.answer}  ({s.rows} rows)" for i, s in enumerate(self.steps, 1)
        ]
        held = ", ".join(f"{n} {w:.10g}" for n, w in self.weights.items() if w > 0)
        lines.append(f"=> {self.share}; the leaf holds {self.rows} training rows: {held}")
        return "\n".join(lines)

    __repr__ = __str__


def explain(model: Model, table: Table, leaf: int) -> Explanation:
    """Explain how the only row of a table came to a leaf."""
    tree = model.tree
    path = tree.path(leaf)
    steps = []
    for node, child in pairwise(path):
        question = tree.question(node)
        if question is None:
            continue
        branch = tree.children(node).tolist().index(child)
        value = (
            "this row"
            if isinstance(question, OwnQuestion)
            else one_line(
                f"{model.schema[question.feature].name} is {_cell(model, table, question.feature)}"
            )
        )
        words = answers(question, model.schema)[branch]
        steps.append(Step(node, value, words, int(tree.rows[child])))
    counts = tree.counts[leaf]
    weights = dict(zip(model.class_names, counts.tolist(), strict=True))
    share = largest_share(counts, model.class_names)
    return Explanation(tuple(steps), leaf, share, int(tree.rows[leaf]), weights)


def _cell(model: Model, table: Table, feature: int) -> str:
    column, spec = table.columns[feature], model.schema[feature]
    value: Any = column.values[0]
    if not isinstance(column, Ordered):
        return "missing" if value is None else str(value)
    if isinstance(column.scale, Times):
        gone = value == np.iinfo(np.int64).min
        like = spec if isinstance(spec, OrderedColumn) else _EMPTY
        return "missing" if gone else say_moment(int(value), column.scale, like)
    scale = spec.scale if isinstance(spec, OrderedColumn) else None
    if isinstance(column.scale, Ranks) and isinstance(scale, Ranks):
        return "missing" if value < 0 else str(column.scale.labels[int(value)])
    if not np.isfinite(value):
        return "missing" if np.isnan(value) else str(value)
    return np.format_float_positional(value, trim="-") if value % 1 else str(int(value))


_EMPTY = OrderedColumn("", np.empty(0), np.empty(0), has_missing=False)
