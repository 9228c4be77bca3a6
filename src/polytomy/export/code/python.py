"""A tree or an ensemble as Python source that needs only the standard library."""

from collections.abc import Callable, Sequence
from keyword import iskeyword, issoftkeyword
from math import inf
from textwrap import wrap
from typing import Any

import numpy as np

from polytomy._errors import ParameterError, TreeError
from polytomy._text import one_line
from polytomy.encode import ColumnSpec, OrderedColumn, Schema
from polytomy.ensemble import Ensemble
from polytomy.export.links import ONE_VOTE, Link, link_of
from polytomy.export.outputs import node_outputs, refuse_probabilities
from polytomy.export.phrasing import AnyModel, Range, SchemaTree, is_duration
from polytomy.model import Model
from polytomy.table import Times

from .conditions import (
    OneOf,
    caution,
    ensemble_title,
    is_labelled,
    leaf_literals,
    leaf_rules,
    leaf_support,
    plain_value,
    refuse_leaves,
    refuse_own_splits,
    result_of,
    split_columns,
    step_condition,
    title_of,
)
from .decision_list import INDENT, BranchStep, block_lines
from .names import unique_identifiers
from .times import first_nanosecond_after, iso_time
from .vote_sum import VoteSum, vote_sum

_RESERVED = {
    *("row", "nan", "isnan", "inf", "date", "datetime", "time", "timedelta", "predict"),
    *("exp", "log1p", "max", "sum", "votes", "zip"),
}

# Functions of the generated module that read a cell of a row.
_CELL = '''
def _cell(row, name):
    """Return a cell of a row, or None if it is missing, NaN, NaT or NA."""
    value = row.get(name)
    if value is None or type(value).__name__ in ("NAType", "NaTType") or value != value:
        return None
    return value
'''

_NUMBER = '''
def _number(row, name):
    """Return a cell as a number; nan if it is missing."""
    value = _cell(row, name)
    if value is None:
        return nan
    if isinstance(value, (str, bytes)):
        raise TypeError(f"column {name!r} must hold numbers, not {value!r}")
    return float(value)
'''

_TIME = '''
def _time(row, name, zoned):
    """Return a date or time as nanoseconds since 1970, in UTC; nan if it is missing."""
    value = _cell(row, name)
    if value is None:
        return nan
    if not isinstance(value, date):
        raise TypeError(f"column {name!r} must hold dates or datetimes, not {value!r}")
    offset = value.utcoffset() if isinstance(value, datetime) else None
    if (offset is not None) != zoned:
        raise TypeError(f"column {name!r} must hold times {'with' if zoned else 'without'} a zone")
    at = (value.toordinal() - 719163) * 86400 * 10**9
    if isinstance(value, datetime):
        at += _clock(value)
    return at if offset is None else at - _span(offset)
'''

_CLOCK = '''
def _clock(value):
    """Return the time of day as nanoseconds since midnight."""
    seconds = (value.hour * 60 + value.minute) * 60 + value.second
    return seconds * 10**9 + value.microsecond * 1000 + getattr(value, "nanosecond", 0)


def _span(value):
    """Return a timedelta as nanoseconds."""
    seconds = value.days * 86400 + value.seconds
    return seconds * 10**9 + value.microseconds * 1000 + getattr(value, "nanoseconds", 0)
'''

_DURATION = '''
def _duration(row, name):
    """Return a duration, or a time of day, as nanoseconds; nan if it is missing."""
    value = _cell(row, name)
    if value is None:
        return nan
    if isinstance(value, time):
        return _clock(value)
    if not isinstance(value, timedelta):
        raise TypeError(f"column {name!r} must hold timedeltas, not {value!r}")
    return _span(value)
'''

# The bodies of functions from votes to probabilities, a list in the order of the classes.
_LINKS = {
    "shares": """\
    total = sum(votes)
    return [x / total for x in votes]
""",
    "logistic": """\
    small = exp(-2 * abs(votes))
    low, high = small / (1 + small), 1 / (1 + small)
    return [low, high] if votes > 0 else [high, low]
""",
    "logistic-shares": """\
    logs = [min(2 * x, 0) - log1p(exp(-2 * abs(x))) for x in votes]
    top = max(logs)
    shares = [exp(x - top) for x in logs]
    return [x / sum(shares) for x in shares]
""",
    "softmax": """\
    top = max(votes)
    shares = [exp(x - top) for x in votes]
    return [x / sum(shares) for x in shares]
""",
}


def to_python(
    model: AnyModel | Ensemble,
    name: str = "predict",
    proba: bool = False,
    smoothing: float = 0.0,
    *,
    leaf: bool = False,
    rule: bool = False,
) -> str:
    """Return a model as the source of a Python function.

    The function takes a row as a dict from column names to cells and returns its class or, for a
    numeric target, a float. None, NaN and absent keys are missing. Numbers may be of any type that
    ``float`` accepts, times of type ``datetime``, ``date`` or ``timedelta`` (or the pandas
    equivalents); categories and ordered labels are compared with the values of the training table.

    For a density tree it returns the log-density of the row's box, which holds for rows without
    missing cells whose values are within the ranges and categories of training.

    For an ensemble there is also a function ``<name>_votes``: the sum of the scores of all trees,
    with one function for each tree, or for each column if every tree splits on one column only.

    Parameters
    ----------
    model : Model, DensityModel or Ensemble
        The model to export.
    name : str, default="predict"
        The name of the function.
    proba : bool, default=False
        Whether to add a function ``<name>_proba`` that returns a dict from classes to
        probabilities. Not for a numeric target.
    smoothing : float, default=0.0
        Weight added to each class for the probabilities, as in ``predict_proba``. Not to honest
        shares.
    leaf : bool, default=False
        Whether to add a function ``<name>_leaf`` that returns the number of a row's leaf. For
        single trees.
    rule : bool, default=False
        Whether to add a function ``<name>_rule`` that returns the conditions of a row's leaf in
        words. For single trees.

    Returns
    -------
    str
        The source.

    Raises
    ------
    TreeError
        If the tree has a user-defined split, or values that have no Python literal.

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
            return 0  # 98% (100% of 50 training rows)
        if petal_width_cm <= 1.75 or isnan(petal_width_cm):
            return 1  # 88% (91% of 54 training rows)
        return 2  # 95% (98% of 46 training rows)
    <BLANKLINE>
    >>> space = {}
    >>> exec(source, space)
    >>> space["predict"]({"petal length (cm)": 4.5, "petal width (cm)": 1.2})
    1
    """
    if not _is_name(name) or name.startswith("_"):
        raise ParameterError(f"name must be a valid public Python identifier, got {name!r}")
    if isinstance(model, Ensemble):
        refuse_leaves(leaf=leaf, rule=rule)
        return _ensemble_source(model, name, proba)
    refuse_own_splits(model, "Python source")
    results = leaf_literals(model, _literal)
    parts = [
        *_helpers(model.schema, split_columns(model)),
        _function(
            model,
            name,
            f"Return the {result_of(model)} of a row, a dict from column names to cells.",
            lambda leaf: f"return {results[leaf]}  # {leaf_support(model, leaf)}",
        ),
    ]
    if proba:
        refuse_probabilities(model, "proba")
        assert isinstance(model, Model)
        classes = [_literal(c, "the target") for c in np.asarray(model.classes).tolist()]
        shares = node_outputs(model, smoothing)
        parts.append(
            _function(
                model,
                f"{name}_proba",
                "Return the probability of each class of a row.",
                lambda leaf: f"return {_dict(classes, shares[leaf].tolist())}",
            )
        )
    if leaf:
        summary = "Return the number of a row's leaf."
        parts.append(_function(model, f"{name}_leaf", summary, lambda leaf: f"return {leaf}"))
    if rule:
        rules = leaf_rules(model)
        summary = "Return the conditions of a row's leaf in words."
        parts.append(
            _function(model, f"{name}_rule", summary, lambda leaf: f"return {rules[leaf]!r}")
        )
    return _module(title_of(model), caution(model), parts)


def _function(model: SchemaTree, name: str, summary: str, result: Callable[[int], str]) -> str:
    """Return the source of a function; ``result`` returns the statement of a leaf."""
    schema, columns = model.schema, split_columns(model)
    named = variables(schema, columns)
    lines = [f"def {name}(row):", f'{INDENT}"""{summary}"""']
    lines += [f"{INDENT}{named[j]} = {_reader_call(schema[j])}" for j in columns]
    return "\n".join([*lines, *_body(model, named, result)])


def _body(model: SchemaTree, named: dict[int, str], result: Callable[[int], str]) -> list[str]:
    def test(step: BranchStep) -> str:
        feature = int(model.tree.feature[step.node])
        column, condition = model.schema[feature], step_condition(model, step)
        tested = _condition(named[feature], column, condition)
        return f"if {tested}:{_time_comment(column, condition)}"

    return block_lines(model.tree, test, result)


def _ensemble_source(model: Ensemble, name: str, proba: bool) -> str:
    summed = vote_sum(model, "Python source")
    columns = split_columns(*summed.trees)
    named = variables(model.schema, columns)
    link, numeric = link_of(model), model.is_numeric
    classes = [_literal(c, "the target") for c in np.asarray(model.classes).tolist()]
    parts = _helpers(model.schema, columns, with_links=proba)
    parts += [
        "\n".join([f"def _tree_{t}({_arguments(tree, named)}):", *_scores_body(tree, named, link)])
        for t, tree in enumerate(summed.trees, 1)
    ]
    parts.append(_votes_function(model, summed, name, named))
    if model.scale is not None:
        votes = f"{name}_votes(row) / {len(model)}"
        result = f"return {model.scale.centre!r} + {model.scale.unit!r} * ({votes})"
    elif link == "logistic":
        result = f"return {classes[1]} if {name}_votes(row) > 0 else {classes[0]}"
    else:
        result = f"votes = {name}_votes(row)\n    return {_list(classes)}[votes.index(max(votes))]"
    what = "predicted number" if numeric else "class"
    summary = f"Return the {what} of a row, a dict from column names to cells."
    parts.append(f'def {name}(row):\n    """{summary}"""\n    {result}')
    if proba:
        if numeric:
            raise ParameterError("proba is for classifiers: this model predicts a number")
        parts.append(f"def _probabilities(votes):\n{_LINKS[link].rstrip()}")
        summary = "Return the probability of each class of a row."
        result = f"return dict(zip({_list(classes)}, _probabilities({name}_votes(row))))"
        parts.append(f'def {name}_proba(row):\n    """{summary}"""\n    {result}')
    return _module(ensemble_title(model), "", parts)


def _scores_body(tree: Any, named: dict[int, str], link: Link) -> list[str]:
    def result(leaf: int) -> str:
        scores = tree.scores[leaf].tolist()
        return f"return {scores[0]!r}" if link in ONE_VOTE else f"return {tuple(scores)!r}"

    return _body(tree, named, result)


def _arguments(tree: SchemaTree, named: dict[int, str]) -> str:
    return ", ".join(named[j] for j in split_columns(tree))


def _votes_function(model: Ensemble, summed: VoteSum, name: str, named: dict[int, str]) -> str:
    lines = [
        f"def {name}_votes(row):",
        f'{INDENT}"""Return the votes of a row: the sum of its scores."""',
        *(f"{INDENT}{v} = {_reader_call(model.schema[j])}" for j, v in named.items()),
    ]
    start, is_one = summed.start.tolist(), link_of(model) in ONE_VOTE
    calls = [f"_tree_{t}({_arguments(tree, named)})," for t, tree in enumerate(summed.trees, 1)]
    terms = [f"{start[0] if is_one else tuple(start)!r},", *calls]
    listed = "".join(f"\n{INDENT * 2}{term}" for term in terms)
    if is_one:
        lines.append(f"{INDENT}return sum(({listed}\n{INDENT}))")
    else:
        lines.append(f"{INDENT}scores = ({listed}\n{INDENT})")
        lines.append(f"{INDENT}return [sum(column) for column in zip(*scores)]")
    return "\n".join(lines)


def _list(literals: Sequence[str]) -> str:
    return f"[{', '.join(literals)}]"


def _module(title: str, note: str, parts: Sequence[str]) -> str:
    lines = [f"{title}."]
    if note:
        lines += ["", *wrap(note, 100), ""]
    head = '"""' + "\n".join(lines) + '"""'
    return head + "\n\n" + "\n\n\n".join(parts) + "\n"


def _dict(classes: list[str], shares: list[float]) -> str:
    return "{" + ", ".join(f"{c}: {s!r}" for c, s in zip(classes, shares, strict=True)) + "}"


def _literal(value: Any, what: str) -> str:
    """Return a category or class as a Python literal."""
    plain = plain_value(value)
    if type(plain) not in (str, bytes, int, float, bool):
        raise TreeError(
            f"{one_line(what)} has {type(plain).__name__} values, which have no Python literal; "
            "convert them to text before growing the tree"
        )
    return repr(plain)


def _helpers(schema: Schema, columns: Sequence[int], *, with_links: bool = False) -> list[str]:
    """Return the imports and the functions that read the columns.

    ``with_links`` adds what the probabilities of ensembles need.
    """
    kinds = {_reader(schema[j]) for j in columns}
    imports, functions = [], []
    if {"_time", "_duration"} & kinds:
        imports.append("from datetime import date, datetime, time, timedelta")
        functions.append(_CLOCK)
    needed = {"inf", "isnan", "nan"} if kinds - {"_cell"} else set()
    mathematical = sorted(needed | ({"exp", "log1p"} if with_links else set()))
    if mathematical:
        imports.append(f"from math import {', '.join(mathematical)}")
    if kinds:
        functions.append(_CELL)
    functions += [
        text
        for kind, text in (("_number", _NUMBER), ("_time", _TIME), ("_duration", _DURATION))
        if kind in kinds
    ]
    head = ["\n".join(imports)] if imports else []
    return head + [text.strip("\n") for text in functions]


def _reader_call(column: ColumnSpec) -> str:
    """Return the call that reads a column's cell."""
    reader = _reader(column)
    zoned = ""
    if reader == "_time" and isinstance(column, OrderedColumn) and isinstance(column.scale, Times):
        zoned = f", {column.scale.zone is not None}"
    return f"{reader}(row, {str(column.name)!r}{zoned})"


def variables(schema: Schema, columns: Sequence[int]) -> dict[int, str]:
    """Return the name of each column's variable."""
    return unique_identifiers(schema, columns, _is_name, _RESERVED, lower=False)


def _is_name(name: str) -> bool:
    return name.isidentifier() and not iskeyword(name) and not issoftkeyword(name)


def _reader(column: ColumnSpec) -> str:
    """Return the name of the generated function that reads a column's cell."""
    if is_labelled(column) or not isinstance(column, OrderedColumn):
        return "_cell"
    if not isinstance(column.scale, Times):
        return "_number"
    return "_duration" if is_duration(column) else "_time"


def _condition(x: str, column: ColumnSpec, condition: Range | OneOf) -> str:
    """Return a condition as a Python expression of the variable ``x``.

    A missing number or time is nan; any other missing cell is None.
    """
    if isinstance(condition, OneOf):
        return _set_condition(x, column, condition)
    assert isinstance(column, OrderedColumn)
    if not condition.present:
        return f"isnan({x})" if condition.missing else "False"
    low, high = condition.low, condition.high
    if isinstance(column.scale, Times):
        held = _between(x, _start(low, column), "<=", _start(high, column), "<")
    else:
        held = _between(x, _number(low), "<", _number(high), "<=")
    return f"{held} or isnan({x})" if condition.missing else held


def _time_comment(column: ColumnSpec, condition: Range | OneOf) -> str:
    """Return a comment with the bounds of a time condition as dates."""
    if isinstance(condition, OneOf) or not isinstance(column, OrderedColumn):
        return ""
    if not isinstance(column.scale, Times) or is_duration(column) or not condition.present:
        return ""
    ends = [
        first_nanosecond_after(t, column) for t in (condition.low, condition.high) if t is not None
    ]
    zone = " UTC" if column.scale.zone else ""
    return f"  # {' to '.join(iso_time(at, column) + zone for at in ends)}" if ends else ""


def _between(x: str, low: str | None, above: str, high: str | None, below: str) -> str:
    if low is None and high is None:
        return f"not isnan({x})"
    if low is None:
        return f"{x} {below} {high}"
    if high is None:
        return f"{x} {'>' if above == '<' else '>='} {low}"
    return f"{low} {above} {x} {below} {high}"


def _start(threshold: float | None, column: OrderedColumn) -> str | None:
    return None if threshold is None else f"{first_nanosecond_after(threshold, column)}"


def _number(x: float | None) -> str | None:
    if x is None:
        return None
    return "-inf" if x == -inf else repr(x)


def _set_condition(x: str, column: ColumnSpec, condition: OneOf) -> str:
    listed = [_literal(v, f"column {column.name!r}") for v in condition.values]
    if len(listed) == 1:
        inside, outside = f"{x} == {listed[0]}", f"{x} != {listed[0]}"
    elif listed:
        among = "{" + ", ".join(listed) + "}"
        inside, outside = f"{x} in {among}", f"{x} not in {among}"
    else:
        inside, outside = "False", "True"
    # None, which marks a missing cell, is not equal to any value.
    if condition.inside:
        if not condition.missing:
            return inside
        return f"{x} is None" if not condition.values else f"{x} is None or {inside}"
    if condition.missing:
        return outside
    return f"{x} is not None" if not condition.values else f"{x} is not None and {outside}"
