"""A tree as one SQL CASE expression over its columns."""

import sys
from collections.abc import Sequence
from math import inf
from typing import Any

import numpy as np

from polytomy._errors import ParameterError, TreeError
from polytomy.encode import ColumnSpec, OrderedColumn
from polytomy.export.code.conditions import (
    OneOf,
    branch_condition,
    is_boolean,
    is_labelled,
    leaf_literals,
    plain_value,
    refuse_own_splits,
    split_columns,
    values_of,
)
from polytomy.export.code.decision_list import BranchStep, decision_list
from polytomy.export.outputs import node_outputs, refuse_probabilities
from polytomy.export.phrasing import AnyModel, Range
from polytomy.model import Model
from polytomy.table import Times

from .dialects import Dialect, dialect_of

_LARGEST = sys.float_info.max
_NEVER = "1 = 0"


def to_sql(
    model: AnyModel, dialect: str = "ansi", probability_of: Any = None, smoothing: float = 0.0
) -> str:
    """Return a model's tree as one SQL expression, of the class, the number or the log-density.

    The columns must have the types of the training table: numbers as numbers, times as timestamps
    (``TIMESTAMP WITH TIME ZONE`` if they had a time zone; ISO 8601 text in SQLite), categories and
    ordered labels as text. NULL and NaN are missing. Missing cells, and values that are not in the
    training table, take the same branches as in the model.

    The log-density of a density tree is that of the row's box. It holds for rows without missing
    cells whose values are within the ranges and categories of training.

    Parameters
    ----------
    model : Model or DensityModel
        The model to export.
    dialect : {"ansi", "duckdb", "postgres", "sqlite"}, default="ansi"
        The SQL dialect.
    probability_of : class label, default=None
        Return the probability of this class instead of the predicted class. Not for a numeric
        target.
    smoothing : float, default=0.0
        Weight added to each class for a probability, as in ``predict_proba``. Not to honest
        shares.

    Returns
    -------
    str
        An expression for a SELECT list: ``CASE WHEN ... END``, or a constant if the tree is a leaf.

    Raises
    ------
    TreeError
        If the dialect cannot express one of the tree's splits.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from polytomy import TreeClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> print(to_sql(TreeClassifier(max_leaves=3).fit(X, y)._model, "sqlite"))
    CASE
      WHEN CAST(`petal length (cm)` AS REAL) <= 2.45 THEN 0
      WHEN CAST(`petal width (cm)` AS REAL) > 1.75 THEN 2
      ELSE 1
    END
    """
    refuse_own_splits(model, "SQL")
    columns = split_columns(model)
    chosen = dialect_of(dialect, [model.schema[j].name for j in columns])
    for column in map(model.schema.__getitem__, columns):
        if is_labelled(column):  # all its values, not only those in conditions
            _check_one_type(values_of(column), f"column {column.name!r}")
    results = _results(model, chosen, probability_of, smoothing)
    if model.tree.n_nodes == 1:
        return results[0]
    return "\n".join(_lines(model, chosen, results))


def _lines(model: AnyModel, dialect: Dialect, results: dict[int, str]) -> list[str]:
    lines, written = ["CASE"], -1
    for step in decision_list(model.tree):
        margin = "  " * (step.indent + 1)
        if isinstance(step, BranchStep):
            column = model.schema[int(model.tree.feature[step.node])]
            tested = _condition(dialect, column, branch_condition(model, step.node, step.branch))
            lines.append(f"{margin}WHEN {tested} THEN {results.get(step.child, 'CASE')}")
            written = step.child
        elif step.leaf != written:  # a leaf directly after its test is already written
            lines += [f"{margin}ELSE {results[step.leaf]}", f"{margin[2:]}END"]
    return lines


def _results(
    model: AnyModel, dialect: Dialect, probability_of: Any, smoothing: float
) -> dict[int, str]:
    """Return the literal of each leaf."""
    if probability_of is None:
        return leaf_literals(model, dialect.value)
    refuse_probabilities(model, "probability_of")
    assert isinstance(model, Model)
    shares = node_outputs(model, smoothing)[:, _class_number(model, probability_of)]
    return {leaf: dialect.number(float(shares[leaf])) for leaf in model.tree.leaves().tolist()}


def _class_number(model: Model, wanted: Any) -> int:
    classes = np.asarray(model.classes).tolist()
    if wanted not in classes:
        raise ParameterError(f"probability_of must be one of {classes}, got {wanted!r}")
    return int(classes.index(wanted))


def _condition(dialect: Dialect, column: ColumnSpec, condition: Range | OneOf) -> str:
    """Return a condition in SQL.

    For rows that do not meet it, it is false or NULL, which CASE treats alike.
    """
    name = dialect.identifier(column.name)
    if isinstance(condition, OneOf):
        return _set_condition(dialect, column, condition)
    assert isinstance(column, OrderedColumn)
    if isinstance(column.scale, Times):
        held = _time_condition(dialect, column, condition)
    elif is_boolean(column) and dialect.has_booleans:
        held = _boolean_condition(name, condition)
    else:
        return _number_condition(dialect, name, condition)
    return _or_missing(held, f"{name} IS NULL", condition)


def _or_missing(held: str, missing: str, condition: Range) -> str:
    if not condition.missing:
        return held if condition.present else _NEVER
    if not condition.present:
        return missing
    return f"({held} OR {missing})"


def _number_condition(dialect: Dialect, name: str, condition: Range) -> str:
    """Compare numbers as float64; NaN is missing, however it is ordered."""
    x = name
    if dialect.name == "sqlite":
        x = f"CAST({name} AS REAL)"  # integers above 2^53 would be compared exactly
    above_all = condition.high is None and condition.low is not None
    nan_passes = above_all and dialect.nan is not None  # it is above every bound
    parts = _bounds(dialect, x, condition)
    if nan_passes and not condition.missing:
        parts.append(f"{x} <= {dialect.infinity}")
    elif not parts:
        parts.append(_known(dialect, name))
    held = " AND ".join(parts)
    if len(parts) > 1 and condition.missing:
        held = f"({held})"
    missing = f"{name} IS NULL"
    if not nan_passes or not condition.missing:
        missing += _or_nan(dialect, name)
    return _or_missing(held, missing, condition)


def _bounds(dialect: Dialect, x: str, condition: Range) -> list[str]:
    """Return the comparisons with the bounds; -inf may have no literal in the dialect."""
    parts = []
    for bound, operator, without in ((condition.low, ">", ">="), (condition.high, "<=", "<")):
        if bound == -inf and dialect.infinity is None:
            parts.append(f"{x} {without} {dialect.number(-_LARGEST)}")
        elif bound == -inf:
            parts.append(f"{x} {operator} {dialect.minus_infinity}")
        elif bound is not None:
            parts.append(f"{x} {operator} {dialect.number(bound)}")
    return parts


def _known(dialect: Dialect, name: str) -> str:
    if dialect.name == "sqlite":
        return f"{name} IS NOT NULL"
    return f"{name} = {name}" if dialect.nan is None else f"{name} <= {dialect.infinity}"


def _or_nan(dialect: Dialect, name: str) -> str:
    if dialect.name == "sqlite":  # it stores NaN as NULL
        return ""
    return f" OR {name} <> {name}" if dialect.nan is None else f" OR {name} = {dialect.nan}"


def _time_condition(dialect: Dialect, column: OrderedColumn, condition: Range) -> str:
    name = dialect.identifier(column.name)
    x = f"replace({name}, 'T', ' ')" if dialect.name == "sqlite" else name
    parts = []
    if condition.low is not None:
        parts.append(f"{x} >= {dialect.time(condition.low, column)}")
    if condition.high is not None:
        parts.append(f"{x} < {dialect.time(condition.high, column)}")
    if not parts:
        return f"{name} IS NOT NULL"
    return parts[0] if len(parts) == 1 else f"({' AND '.join(parts)})"


def _boolean_condition(name: str, condition: Range) -> str:
    low = -inf if condition.low is None else condition.low
    high = inf if condition.high is None else condition.high
    no, yes = (low < x <= high for x in (0, 1))
    if no and yes:
        return f"{name} IS NOT NULL"
    if not no and not yes:
        return _NEVER
    return f"{name} IS {'TRUE' if yes else 'FALSE'}"


def _set_condition(dialect: Dialect, column: ColumnSpec, condition: OneOf) -> str:
    name, values = dialect.identifier(column.name), list(map(plain_value, condition.values))
    what = f"column {column.name!r}"
    if len(values) == 1:
        held = f"{name} {'=' if condition.inside else '<>'} {dialect.value(values[0], what)}"
    elif values:
        listed = ", ".join(dialect.value(v, what) for v in values)
        held = f"{name} {'IN' if condition.inside else 'NOT IN'} ({listed})"
    else:
        held = _NEVER if condition.inside else f"{name} IS NOT NULL"
    missing = f"{name} IS NULL"
    if dialect.nan is not None and any(isinstance(v, float) for v in values_of(column)):
        missing = f"{missing} OR {name} = {dialect.nan}"
        held = held if condition.inside else f"{held} AND {name} <> {dialect.nan}"
    if not condition.missing:
        return held
    if held == _NEVER:
        return missing
    return f"({held} OR {missing})"


def _check_one_type(values: Sequence[Any], what: str) -> None:
    """Raise an error if values are of several types; an SQL column has one."""
    types = {type(plain_value(v)) for v in values}
    if len(types) > 1 and types != {int, float}:
        named = " and ".join(sorted(t.__name__ for t in types))
        raise TreeError(
            f"{what} mixes {named}, but an SQL column has one type; convert them to text "
            "before growing the tree"
        )
