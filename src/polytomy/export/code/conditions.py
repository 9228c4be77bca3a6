"""A tree as code sees it: the condition of each branch, a range or a set, and the leaves."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from polytomy._errors import ParameterError, TreeError
from polytomy._text import before_number, count
from polytomy._types import IntArray
from polytomy.density import DensityModel
from polytomy.encode import ColumnSpec, NominalColumn, OrderedColumn
from polytomy.ensemble import Ensemble
from polytomy.export.outputs import leaf_numbers
from polytomy.export.phrasing import (
    AnyModel,
    Range,
    SchemaTree,
    Share,
    branch_range,
    leaf_conditions,
    node_prediction,
)
from polytomy.table import Ranks
from polytomy.tree import CategorySplit, IntervalSplit

from .decision_list import BranchStep


@dataclass(frozen=True, slots=True)
class OneOf:
    """A cell is (``inside``) or is not one of ``values``; ``missing``: missing cells pass, too.

    ``codes`` are the positions of the values among the column's categories or labels.
    """

    codes: tuple[int, ...]
    values: tuple[Any, ...]
    inside: bool
    missing: bool


def step_condition(grown: SchemaTree, step: BranchStep) -> Range | OneOf:
    """Return the condition that a step of a decision list tests.

    It is that of the branch; the lower bound is left out if the tests before imply it.
    """
    condition = branch_condition(grown, step.node, step.branch)
    if step.after_lower and isinstance(condition, Range) and condition.high is not None:
        return replace(condition, low=None)
    return condition


def branch_condition(grown: SchemaTree, node: int, branch: int) -> Range | OneOf:
    """Return the condition under which a row at a node takes a branch.

    Ordered labels are compared by name, like categories. The condition of the default branch lists
    the values of the other branches, so that values that were not in the training table meet it.
    """
    split = grown.tree.split(node)
    assert isinstance(split, IntervalSplit | CategorySplit)
    column = grown.schema[split.feature]
    if isinstance(split, IntervalSplit) and not is_labelled(column):
        return branch_range(split, branch)
    values = values_of(column)
    inside = branch != split.default_branch
    codes = np.flatnonzero((value_branches(split, len(values)) == branch) == inside).tolist()
    missing = branch == split.branch_of_missing
    return OneOf(tuple(codes), tuple(values[c] for c in codes), inside, missing)


def value_branches(split: IntervalSplit | CategorySplit, n: int) -> IntArray:
    """Return the branch that each of n categories or labels takes."""
    if isinstance(split, IntervalSplit):
        return np.searchsorted(split.thresholds, np.arange(n), side="left")
    return split.branch_of_codes(n)


def is_labelled(column: ColumnSpec) -> bool:
    """Return whether a column holds categories or ordered labels; booleans count as numbers."""
    return isinstance(column, NominalColumn) or (
        isinstance(column.scale, Ranks) and not is_boolean(column)
    )


def is_boolean(column: ColumnSpec) -> bool:
    """Return whether a column holds booleans, which are compared as the numbers 0 and 1."""
    scale = column.scale if isinstance(column, OrderedColumn) else None
    return isinstance(scale, Ranks) and all(isinstance(x, bool | np.bool_) for x in scale.labels)


def values_of(column: ColumnSpec) -> tuple[Any, ...]:
    """Return the categories or ordered labels of a column that has them."""
    if isinstance(column, NominalColumn):
        return column.categories
    assert isinstance(column.scale, Ranks)
    return column.scale.labels


def split_columns(*grown: SchemaTree) -> list[int]:
    """Return the columns that some trees split on, in ascending order."""
    return sorted({int(j) for one in grown for j in one.tree.feature if j >= 0})


def refuse_own_splits(grown: SchemaTree, target: str) -> None:
    """Raise an error if a tree has a user-defined split, which exported code cannot evaluate."""
    for branching in grown.tree.own.values():
        raise TreeError(
            f"{target} cannot express the user-defined split {branching.kind!r}; grow the tree "
            "without that family to export it"
        )


def refuse_leaves(*, leaf: bool, rule: bool) -> None:
    """Raise an error if the leaf or the rule of a model of many trees is asked for."""
    if leaf or rule:
        raise ParameterError(
            f"{'leaf' if leaf else 'rule'} is for single trees: a row has a leaf in every tree of "
            "an ensemble"
        )


def plain_value(value: Any) -> Any:
    """Return a category or class as a Python value instead of a NumPy scalar.

    >>> plain_value(np.str_("a")), plain_value(np.float32(0.5))
    ('a', 0.5)
    """
    if isinstance(value, str):
        return str(value)
    if isinstance(value, np.generic) and not isinstance(value, np.datetime64 | np.timedelta64):
        return value.item()
    return value


def leaf_literals(model: AnyModel, literal: Callable[[Any, str], str]) -> dict[int, str]:
    """Return what each leaf predicts in another language: its class, its mean or log-density.

    Parameters
    ----------
    model : Model or DensityModel
        The model.
    literal : callable
        From a Python value and the name of its source, for errors, to a literal.
    """
    leaves, target = model.tree.leaves().tolist(), "the target"
    if isinstance(model, DensityModel) or model.is_numeric:
        return {leaf: literal(x, target) for leaf, x in leaf_numbers(model).items()}
    classes = [literal(plain_value(c), target) for c in np.asarray(model.classes).tolist()]
    return {leaf: classes[model.tree.label[leaf]] for leaf in leaves}


def leaf_rules(model: AnyModel) -> dict[int, str]:
    """Return the conditions of each leaf in words."""
    leaves = model.tree.leaves().tolist()
    return {leaf: " and ".join(leaf_conditions(model, leaf)) or "always" for leaf in leaves}


def leaf_support(model: AnyModel, leaf: int) -> str:
    """Return what a leaf predicts and its rows, without the name of its class, for a comment."""
    prediction = node_prediction(model, leaf)
    words = prediction.in_full(int(model.tree.rows[leaf]))
    if not isinstance(prediction, Share):
        return words
    return words.removeprefix(f"{before_number(prediction.name)} ")


def title_of(model: AnyModel) -> str:
    """Return the first line of the comment on a tree as code, without a full stop."""
    kind = "density" if isinstance(model, DensityModel) else "decision"
    return f"A {kind} tree of {model.tree.n_leaves} leaves, written by polytomy"


def ensemble_title(model: Ensemble) -> str:
    """Return the first line of the comment on an ensemble as code, without a full stop."""
    kind = "A forest" if model.is_forest else f"A boosted model ({model.algorithm})"
    return f"{kind} of {count(len(model), 'tree')}, written by polytomy"


def result_of(model: AnyModel) -> str:
    """Return the name of what code returns: the class, the predicted number or the log-density."""
    if isinstance(model, DensityModel):
        return "log-density"
    return "predicted number" if model.is_numeric else "class"


def caution(model: AnyModel) -> str:
    """Return what code says about rows for which it differs from the model; empty if none do."""
    if not isinstance(model, DensityModel):
        return ""
    return (
        "The log-density is that of the row's box. It holds for rows without missing cells whose "
        "values are within the ranges and categories of training."
    )
