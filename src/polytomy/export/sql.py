"""A tree as SQL: one CASE expression over the columns."""

from typing import Any

import numpy as np

from polytomy._errors import ParameterError
from polytomy.model import Model

from .branch_test import (
    asked_columns,
    branch_test,
    is_labelled,
    plain_value,
    refuse_own_questions,
    values_of,
)
from .ladder import Rung, ladder
from .node_shares import shares_of
from .sql_dialect import Dialect, dialect_of
from .sql_test import check_one_type, sql_test


def to_sql(
    model: Model, dialect: str = "ansi", probability_of: Any = None, smoothing: float = 0.0
) -> str:
    """Return a model's tree as one SQL expression.

    The columns must have the types of the training table: numbers as numbers, times as timestamps
    (``TIMESTAMP WITH TIME ZONE`` where they had a zone; in SQLite ISO 8601 text), categories and
    labels in order as text. NULL and NaN are missing; missing cells, and values the training table
    did not have, go where the tree sends them.

    Parameters
    ----------
    model : Model
        What to write.
    dialect : {"ansi", "duckdb", "postgres", "sqlite"}
        Whose SQL.
    probability_of : class, optional
        Write the probability of this class instead of the class.
    smoothing : float
        Added to each class's weight for a probability, as in ``predict_proba``.

    Returns
    -------
    str
        An expression to put after SELECT: ``CASE WHEN ... END``, or the one class there is.

    Raises
    ------
    TreeError
        If the dialect cannot say what the tree asks.

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
    refuse_own_questions(model, "SQL")
    columns = asked_columns(model)
    chosen = dialect_of(dialect, [model.schema[j].name for j in columns])
    for column in map(model.schema.__getitem__, columns):
        if is_labelled(column):  # of all its values, not only of those a test names
            check_one_type(values_of(column), f"column {column.name!r}")
    results = _results(model, chosen, probability_of, smoothing)
    if model.tree.n_nodes == 1:
        return results[0]
    return "\n".join(_lines(model, chosen, results))


def _lines(model: Model, dialect: Dialect, results: dict[int, str]) -> list[str]:
    lines, written = ["CASE"], -1
    for step in ladder(model.tree):
        margin = "  " * (step.indent + 1)
        if isinstance(step, Rung):
            column = model.schema[int(model.tree.feature[step.node])]
            asked = sql_test(dialect, column, branch_test(model, step.node, step.branch))
            lines.append(f"{margin}WHEN {asked} THEN {results.get(step.child, 'CASE')}")
            written = step.child
        elif step.leaf != written:  # a leaf right behind its test is written with it
            lines += [f"{margin}ELSE {results[step.leaf]}", f"{margin[2:]}END"]
    return lines


def _results(
    model: Model, dialect: Dialect, probability_of: Any, smoothing: float
) -> dict[int, str]:
    """Return what to write for each leaf."""
    leaves = model.tree.leaves().tolist()
    if probability_of is not None:
        shares = shares_of(model, smoothing)[:, _class_number(model, probability_of)]
        return {leaf: dialect.number(float(shares[leaf])) for leaf in leaves}
    classes = [
        dialect.value(plain_value(c), "the target") for c in np.asarray(model.classes).tolist()
    ]
    return {leaf: classes[model.tree.label[leaf]] for leaf in leaves}


def _class_number(model: Model, wanted: Any) -> int:
    classes = np.asarray(model.classes).tolist()
    if wanted not in classes:
        raise ParameterError(f"probability_of must be one of {classes}, got {wanted!r}")
    return int(classes.index(wanted))
