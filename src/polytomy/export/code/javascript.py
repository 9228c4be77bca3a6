"""A tree or an ensemble as JavaScript without dependencies, for browsers and Node."""

import json
import re
from collections.abc import Callable, Sequence
from math import inf
from typing import Any

import numpy as np

from polytomy._errors import ParameterError, TreeError
from polytomy._text import one_line
from polytomy.encode import ColumnSpec, OrderedColumn, Schema
from polytomy.ensemble import Ensemble
from polytomy.export.links import ONE_VOTE, Link, link_of
from polytomy.export.outputs import node_outputs, refuse_probabilities
from polytomy.export.phrasing import AnyModel, Range, SchemaTree
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
from .decision_list import BranchStep, block_lines
from .names import unique_identifiers
from .times import first_nanosecond_after
from .vote_sum import ScoreTree, VoteSum, vote_sum

_LARGEST = 2**53  # whole numbers up to here are numbers of JavaScript

_RESERVED = frozenset(
    re.findall(
        r"\w+",
        "abstract arguments async await boolean break byte case catch char class const continue "
        "debugger default delete do double else enum eval export extends false final finally float "
        "for function get goto if implements import in instanceof int interface let long native "
        "new null of package private protected public return set short static super switch "
        "synchronized this throw throws transient true try typeof undefined var void volatile "
        "while with yield row votes cell number time classes module exports Number Math BigInt "
        "Object NaN Infinity isNaN",
    )
)

_CELL = """\
// A cell of a row; null if it is missing.
function cell(row, name) {
    const value = Object.prototype.hasOwnProperty.call(row, name) ? row[name] : null;
    if (value === undefined || value === null || value !== value) {
        return null;
    }
    return typeof value === "bigint" ? Number(value) : value;
}"""

_NUMBER = """\
// A cell as a number; NaN if it is missing.
function number(row, name) {
    const value = cell(row, name);
    if (value === null) {
        return NaN;
    }
    if (typeof value !== "number" && typeof value !== "boolean") {
        throw new TypeError(`column ${JSON.stringify(name)} must hold numbers`);
    }
    return Number(value);
}"""

_TIME = """\
// A time as nanoseconds since 1970 in UTC, or a duration; null if it is missing.
// A cell is a Date, or a BigInt of nanoseconds.
function time(row, name) {
    const value = Object.prototype.hasOwnProperty.call(row, name) ? row[name] : null;
    if (value === undefined || value === null || Number.isNaN(Number(value))) {
        return null;
    }
    if (typeof value === "bigint") {
        return value;
    }
    if (!(value instanceof Date)) {
        throw new TypeError(`column ${JSON.stringify(name)} must hold dates, or nanoseconds`);
    }
    return BigInt(value.getTime()) * 1000000n;
}"""

_LINKS = {
    "shares": """\
    const total = votes.reduce((a, b) => a + b, 0);
    return votes.map((x) => x / total);""",
    "logistic": """\
    const small = Math.exp(-2 * Math.abs(votes));
    const low = small / (1 + small), high = 1 / (1 + small);
    return votes > 0 ? [low, high] : [high, low];""",
    "logistic-shares": """\
    const logs = votes.map((x) => Math.min(2 * x, 0) - Math.log1p(Math.exp(-2 * Math.abs(x))));
    const top = Math.max(...logs), shares = logs.map((x) => Math.exp(x - top));
    const total = shares.reduce((a, b) => a + b, 0);
    return shares.map((x) => x / total);""",
    "softmax": """\
    const top = Math.max(...votes), shares = votes.map((x) => Math.exp(x - top));
    const total = shares.reduce((a, b) => a + b, 0);
    return shares.map((x) => x / total);""",
}


def to_javascript(
    model: AnyModel | Ensemble,
    name: str = "predict",
    *,
    proba: bool = False,
    leaf: bool = False,
    rule: bool = False,
    smoothing: float = 0.0,
) -> str:
    """Return a model as the source of a JavaScript function.

    The function takes a row as an object from column names to cells and returns its class or a
    number. ``null``, ``undefined``, ``NaN`` and absent keys are missing. Times are ``Date`` objects
    or BigInts of nanoseconds since 1970, in UTC; a ``Date`` has milliseconds only. The source works
    in a ``<script>`` and as a CommonJS module, which exports its functions.

    Parameters
    ----------
    model : Model, DensityModel or Ensemble
        The model to export.
    name : str, default="predict"
        The name of the function.
    proba : bool, default=False
        Whether to add ``<name>Proba``, which returns an array of probabilities in the order of the
        array ``classes``. Not for a numeric target.
    leaf : bool, default=False
        Whether to add ``<name>Leaf``, the number of a row's leaf. For single trees.
    rule : bool, default=False
        Whether to add ``<name>Rule``, the conditions of a row's leaf in words. For single trees.
    smoothing : float, default=0.0
        Weight added to each class for the probabilities, as in ``predict_proba``. Not to honest
        shares.

    Returns
    -------
    str
        The source.

    Raises
    ------
    TreeError
        If the tree has a user-defined split, or values that have no literal in JavaScript.

    Examples
    --------
    >>> from polytomy import TreeClassifier
    >>> clf = TreeClassifier(procedure="per-leaf", honest=False)
    >>> clf = clf.fit([[1], [2], [3]], ["a", "a", "b"])
    >>> source = to_javascript(clf._model)
    >>> print(source[source.index("    const x0") : source.index("if (typeof module") - 2])
        const x0 = number(row, "x0");
        if (x0 <= 2.5 || isNaN(x0)) {
            return "a"; // 100% of 2 rows
        }
        return "b"; // 100% of 1 row
    }
    """
    if not _is_name(name):
        raise ParameterError(f"name must be a valid JavaScript identifier, got {name!r}")
    if isinstance(model, Ensemble):
        refuse_leaves(leaf=leaf, rule=rule)
        return _ensemble_source(model, name, proba)
    refuse_own_splits(model, "JavaScript")
    results = leaf_literals(model, _literal)
    functions = {
        name: _function(
            model,
            name,
            f"Return the {result_of(model)} of a row, an object from column names to cells.",
            lambda v: f"return {results[v]}; // {leaf_support(model, v)}",
        )
    }
    classes: list[str] = []
    if proba:
        refuse_probabilities(model, "proba")
        assert isinstance(model, Model)
        classes = _classes(model.classes)
        shares = node_outputs(model, smoothing)
        summary = "Return the probability of each class of a row, in the order of classes."
        functions[f"{name}Proba"] = _function(
            model, f"{name}Proba", summary, lambda v: f"return {_array(shares[v].tolist())};"
        )
    if leaf:
        summary = "Return the number of a row's leaf."
        functions[f"{name}Leaf"] = _function(
            model, f"{name}Leaf", summary, lambda v: f"return {v};"
        )
    if rule:
        rules = leaf_rules(model)
        summary = "Return the conditions of a row's leaf in words."
        functions[f"{name}Rule"] = _function(
            model, f"{name}Rule", summary, lambda v: f"return {_text(rules[v])};"
        )
    readers = _readers(model.schema, split_columns(model))
    return _module([title_of(model), caution(model)], readers, classes, functions)


def _function(model: SchemaTree, name: str, summary: str, result: Callable[[int], str]) -> str:
    columns = split_columns(model)
    named = _variables(model.schema, columns)
    reads = [f"    const {named[j]} = {_reader_call(model.schema[j])};" for j in columns]
    return "\n".join(
        [f"// {summary}", f"function {name}(row) {{", *reads, *_body(model, named, result), "}"]
    )


def _body(model: SchemaTree, named: dict[int, str], result: Callable[[int], str]) -> list[str]:
    def test(step: BranchStep) -> str:
        feature = int(model.tree.feature[step.node])
        condition = step_condition(model, step)
        return f"if ({_condition(named[feature], model.schema[feature], condition)}) {{"

    return block_lines(model.tree, test, result, "}")


def _module(
    comments: Sequence[str], readers: Sequence[str], classes: Sequence[str], functions: Any
) -> str:
    lines = [f"// {comments[0]}.", *(f"// {line}" for line in comments[1:] if line)]
    parts = ["\n".join(lines), '"use strict";', *readers]
    if classes:
        parts.append(f"const classes = [{', '.join(classes)}];")
    parts += functions.values()
    exported = [*(name for name in functions if not re.fullmatch(r"tree\d+", name))]
    exported += ["classes"] if classes else []
    parts.append(
        'if (typeof module !== "undefined") {\n'
        f"    module.exports = {{ {', '.join(exported)} }};\n}}"
    )
    return "\n\n".join(parts) + "\n"


def _ensemble_source(model: Ensemble, name: str, proba: bool) -> str:
    if proba and model.is_numeric:
        raise ParameterError("proba is for classifiers: this model predicts a number")
    summed = vote_sum(model, "JavaScript")
    columns = split_columns(*summed.trees)
    named = _variables(model.schema, columns)
    functions = {}
    for t, tree in enumerate(summed.trees, 1):
        body = _body(tree, named, _scores(tree, link_of(model)))
        head = f"function tree{t}({_arguments(tree, named)}) {{"
        functions[f"tree{t}"] = "\n".join([head, *body, "}"])
    functions[f"{name}Votes"] = _votes_function(model, summed, name, named)
    classes, link = _classes(model.classes), link_of(model)
    if model.scale is not None:
        mean = f"{name}Votes(row) / {len(model)}"
        result = f"return {_number(model.scale.centre)} + {_number(model.scale.unit)} * ({mean});"
    elif link == "logistic":
        result = f"return classes[{name}Votes(row) > 0 ? 1 : 0];"
    else:
        result = (
            f"const votes = {name}Votes(row);\n"
            "    return classes[votes.indexOf(Math.max(...votes))];"
        )
    what = "predicted number" if model.is_numeric else "class"
    functions[name] = (
        f"// Return the {what} of a row, an object from column names to cells.\n"
        f"function {name}(row) {{\n    {result}\n}}"
    )
    if proba:
        functions[f"{name}Proba"] = (
            "// Return the probability of each class of a row, in the order of classes.\n"
            f"function {name}Proba(row) {{\n    const votes = {name}Votes(row);\n{_LINKS[link]}\n}}"
        )
    return _module([ensemble_title(model)], _readers(model.schema, columns), classes, functions)


def _scores(tree: ScoreTree, link: Link) -> Callable[[int], str]:
    def result(leaf: int) -> str:
        scores = tree.scores[leaf].tolist()
        return f"return {_number(scores[0]) if link in ONE_VOTE else _array(scores)};"

    return result


def _votes_function(model: Ensemble, summed: VoteSum, name: str, named: dict[int, str]) -> str:
    start, is_one = summed.start.tolist(), link_of(model) in ONE_VOTE
    reads = [f"    const {v} = {_reader_call(model.schema[j])};" for j, v in named.items()]
    calls = [f"tree{t}({_arguments(tree, named)})" for t, tree in enumerate(summed.trees, 1)]
    first = _number(start[0]) if is_one else _array(start)
    listed = "".join(f"\n        {term}," for term in [first, *calls])
    total = "return scores.reduce((a, b) => a + b);"
    if not is_one:
        total = "return scores[0].map((_, k) => scores.reduce((a, b) => a + b[k], 0));"
    return "\n".join(
        [
            "// Return the votes of a row: the sum of its scores.",
            f"function {name}Votes(row) {{",
            *reads,
            f"    const scores = [{listed}\n    ];",
            f"    {total}",
            "}",
        ]
    )


def _arguments(tree: SchemaTree, named: dict[int, str]) -> str:
    return ", ".join(named[j] for j in split_columns(tree))


def _readers(schema: Schema, columns: Sequence[int]) -> list[str]:
    kinds = {_reader(schema[j]) for j in columns}
    return [
        *([_CELL] if kinds & {"cell", "number"} else []),
        *([_NUMBER] if "number" in kinds else []),
        *([_TIME] if "time" in kinds else []),
    ]


def _reader(column: ColumnSpec) -> str:
    if is_labelled(column) or not isinstance(column, OrderedColumn):
        return "cell"
    return "time" if isinstance(column.scale, Times) else "number"


def _reader_call(column: ColumnSpec) -> str:
    return f"{_reader(column)}(row, {_text(column.name)})"


def _variables(schema: Schema, columns: Sequence[int]) -> dict[int, str]:
    return unique_identifiers(schema, columns, _is_name, (), lower=False)


def _is_name(name: str) -> bool:
    if re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name) is None or re.fullmatch(r"tree\d+", name):
        return False
    return name not in _RESERVED


def _condition(x: str, column: ColumnSpec, condition: Range | OneOf) -> str:
    if isinstance(condition, OneOf):
        return _set_condition(x, column, condition)
    assert isinstance(column, OrderedColumn)
    timed = isinstance(column.scale, Times)
    missing = f"{x} === null" if timed else f"isNaN({x})"
    if not condition.present:
        return missing if condition.missing else "false"
    parts = []
    low, high = condition.low, condition.high
    if low is not None:
        parts.append(f"{x} >= {_start(low, column)}" if timed else f"{x} > {_number(low)}")
    if high is not None:
        parts.append(f"{x} < {_start(high, column)}" if timed else f"{x} <= {_number(high)}")
    if timed or not parts:  # null is less than a date, NaN is not
        parts.insert(0, f"{x} !== null" if timed else f"!isNaN({x})")
    held = " && ".join(parts)
    if not condition.missing:
        return held
    return f"({held}) || {missing}" if len(parts) > 1 else f"{held} || {missing}"


def _start(threshold: float, column: OrderedColumn) -> str:
    return f"{first_nanosecond_after(threshold, column)}n"


def _set_condition(x: str, column: ColumnSpec, condition: OneOf) -> str:
    listed = [_literal(v, f"column {column.name!r}") for v in condition.values]
    if len(listed) == 1:
        inside, outside = f"{x} === {listed[0]}", f"{x} !== {listed[0]}"
    elif listed:
        inside = f"[{', '.join(listed)}].includes({x})"
        outside = f"!{inside}"
    else:
        inside, outside = "false", "true"
    if condition.inside:
        if not condition.missing:
            return inside
        return f"{x} === null" if not listed else f"{x} === null || {inside}"
    if condition.missing:
        return outside
    return f"{x} !== null" if not listed else f"{x} !== null && {outside}"


def _classes(classes: Any) -> list[str]:
    return [_literal(c, "the target") for c in np.asarray(classes).tolist()]


def _literal(value: Any, what: str) -> str:
    """Return a category or class as a JavaScript literal."""
    plain = plain_value(value)
    if isinstance(plain, bool):
        return "true" if plain else "false"
    if isinstance(plain, str):
        return _text(plain)
    if isinstance(plain, float) or (isinstance(plain, int) and abs(plain) <= _LARGEST):
        return _number(plain)
    shown = f"the value {plain}" if isinstance(plain, int) else f"{type(plain).__name__} values"
    raise TreeError(
        f"{one_line(what)} has {shown}, which have no literal in JavaScript; convert them to text "
        "before growing the tree"
    )


def _text(text: str) -> str:
    return json.dumps(text)


def _number(x: float) -> str:
    return ("Infinity" if x > 0 else "-Infinity") if x in (inf, -inf) else repr(x)


def _array(numbers: Sequence[float]) -> str:
    return f"[{', '.join(map(_number, numbers))}]"
