"""A tree as Python: source that needs nothing but Python itself."""

from collections.abc import Callable
from keyword import iskeyword, issoftkeyword
from typing import Any

import numpy as np

from polytomy._errors import ParameterError, TreeError
from polytomy._text import one_line
from polytomy.model import Model

from .branch_test import asked_columns, branch_test, plain_value, refuse_own_questions
from .ladder import Rung, ladder
from .node_shares import shares_of
from .python_cells import helpers, reading, variables
from .python_test import note, python_test

_INDENT = "    "


def to_python(
    model: Model, name: str = "predict", proba: bool = False, smoothing: float = 0.0
) -> str:
    """Return a model's tree as the source of a Python function.

    The function takes a row as a dict from column names to cells and returns its class. None, NaN
    and absent keys are missing. Numbers are any that ``float`` takes, times ``datetime``, ``date``
    or ``timedelta`` (pandas' own too), categories and labels in order what the table held.

    Parameters
    ----------
    model : Model
        What to write.
    name : str
        The function's name.
    proba : bool
        Also write ``<name>_proba``, which returns a dict from classes to probabilities.
    smoothing : float
        Added to each class's weight for the probabilities, as in ``predict_proba``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from polytomy import TreeClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> source = to_python(TreeClassifier(max_leaves=3).fit(X, y)._model)
    >>> print(source[source.index("    petal") :])
        petal_length_cm = _number(row, 'petal length (cm)')
        petal_width_cm = _number(row, 'petal width (cm)')
        if petal_length_cm <= 2.45:
            return 0  # 100% of 50 rows
        if petal_width_cm > 1.75:
            return 2  # 98% of 46 rows
        return 1  # 91% of 54 rows
    <BLANKLINE>
    >>> space = {}
    >>> exec(source, space)
    >>> space["predict"]({"petal length (cm)": 4.5, "petal width (cm)": 1.2})
    1
    """
    refuse_own_questions(model, "Python source")
    if not name.isidentifier() or iskeyword(name) or issoftkeyword(name) or name.startswith("_"):
        raise ParameterError(f"name must be a plain Python name, got {name!r}")
    classes = [_literal(c, "the target") for c in np.asarray(model.classes).tolist()]
    tree = model.tree
    parts = [
        *helpers(model, asked_columns(model)),
        _function(
            model,
            name,
            "Return the class of a row, a dict from column names to cells.",
            lambda leaf: f"return {classes[tree.label[leaf]]}  # {_support(model, leaf)}",
        ),
    ]
    if proba:
        shares = shares_of(model, smoothing)
        parts.append(
            _function(
                model,
                f"{name}_proba",
                "Return the probability of each class of a row.",
                lambda leaf: f"return {_dict(classes, shares[leaf].tolist())}",
            )
        )
    head = f'"""A decision tree of {tree.n_leaves} leaves, written by polytomy."""'
    return head + "\n\n" + "\n\n\n".join(parts) + "\n"


def _function(model: Model, name: str, says: str, result: Callable[[int], str]) -> str:
    columns = asked_columns(model)
    named = variables(model.schema, columns)
    lines = [f"def {name}(row):", f'{_INDENT}"""{says}"""']
    lines += [f"{_INDENT}{named[j]} = {reading(model.schema[j])}" for j in columns]
    for step in ladder(model.tree):
        margin = _INDENT * (step.indent + 1)
        if not isinstance(step, Rung):
            lines.append(margin + result(step.leaf))
            continue
        feature = int(model.tree.feature[step.node])
        column, test = model.schema[feature], branch_test(model, step.node, step.branch)
        asked = python_test(named[feature], column, test, _literal)
        lines.append(f"{margin}if {asked}:{note(column, test)}")
    return "\n".join(lines)


def _support(model: Model, leaf: int) -> str:
    tree = model.tree
    share = tree.counts[leaf, tree.label[leaf]] / tree.counts[leaf].sum()
    return f"{share:.0%} of {tree.rows[leaf]} rows"


def _dict(classes: list[str], shares: list[float]) -> str:
    return "{" + ", ".join(f"{c}: {s!r}" for c, s in zip(classes, shares, strict=True)) + "}"


def _literal(value: Any, what: str) -> str:
    """Return a category or class as Python writes it."""
    plain = plain_value(value)
    if type(plain) not in (str, bytes, int, float, bool):
        raise TreeError(
            f"{one_line(what)} has {type(plain).__name__} values, which plain source cannot hold; "
            "turn them into text before growing the tree"
        )
    return repr(plain)
