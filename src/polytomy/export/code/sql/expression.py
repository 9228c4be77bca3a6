"""A tree or an ensemble as SQL expressions over the names of its columns."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from polytomy._errors import ParameterError, TreeError
from polytomy.encode import ColumnSpec, OrderedColumn, Schema
from polytomy.ensemble import Ensemble
from polytomy.export.code.conditions import (
    OneOf,
    is_boolean,
    is_labelled,
    leaf_literals,
    leaf_rules,
    plain_value,
    refuse_leaves,
    refuse_own_splits,
    split_columns,
    step_condition,
    values_of,
)
from polytomy.export.code.decision_list import BranchStep, decision_list
from polytomy.export.code.vote_sum import VoteSum, vote_sum
from polytomy.export.links import link_of
from polytomy.export.outputs import node_outputs, refuse_probabilities
from polytomy.export.phrasing import AnyModel, Range, SchemaTree
from polytomy.model import Model
from polytomy.table import Times

from .dialects import Dialect, dialect_of

_MOST_TERMS = 30  # of a sum without parentheses
_LARGEST_EXPONENT = 700.0  # exp of more overflows

OUTPUTS = ("prediction", "proba", "votes", "leaf", "rule")
"""What SQL can compute; votes are of ensembles, leaves and rules of single trees."""
_LARGEST = sys.float_info.max
_NEVER = "1 = 0"


def to_sql(
    model: AnyModel | Ensemble,
    dialect: str = "ansi",
    probability_of: Any = None,
    smoothing: float = 0.0,
    outputs: Sequence[str] | None = None,
) -> str:
    """Return a model as one SQL expression, of the class, the number or the log-density.

    The columns must have the types of the training table: numbers as numbers, times as timestamps
    (``TIMESTAMP WITH TIME ZONE`` if they had a time zone; ISO 8601 text in SQLite), categories and
    ordered labels as text. NULL and NaN are missing. Missing cells, and values that are not in the
    training table, take the same branches as in the model. SQL Server ignores blanks at the end of
    text.

    The expression of an ensemble is a sum with one CASE for each tree, or for each column if every
    tree splits on one column only.

    The log-density of a density tree is that of the row's box. It holds for rows without missing
    cells whose values are within the ranges and categories of training.

    Parameters
    ----------
    model : Model, DensityModel or Ensemble
        The model to export.
    dialect : str, default="ansi"
        The SQL dialect: ``"ansi"``, ``"duckdb"``, ``"postgres"``, ``"sqlite"``, ``"bigquery"``,
        ``"snowflake"``, ``"spark"`` or ``"tsql"``.
    probability_of : class label, default=None
        Return the probability of this class instead of the predicted class. Not for a numeric
        target.
    smoothing : float, default=0.0
        Weight added to each class for a probability, as in ``predict_proba``. Not to honest
        shares.
    outputs : sequence of {"prediction", "proba", "votes", "leaf", "rule"}, default=None
        Return a SELECT list of these, as the columns ``prediction``, ``p_<class>`` for each class,
        ``votes`` (or ``votes_<class>``), ``leaf`` and ``rule``. None returns one expression without
        a name.

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
      WHEN (CAST(`petal width (cm)` AS REAL) <= 1.75 OR `petal width (cm)` IS NULL) THEN 1
      ELSE 2
    END
    """
    if outputs is not None and probability_of is not None:
        raise ParameterError("give probability_of or outputs, not both")
    source: TreeQuery | EnsembleQuery
    if isinstance(model, Ensemble):
        source = EnsembleQuery.of(model, dialect)
    else:
        source = TreeQuery.of(model, dialect, smoothing)
    if outputs is None:
        return source.prediction() if probability_of is None else source.share(probability_of)
    columns = [pair for output in checked_outputs(outputs) for pair in source.columns(output)]
    quote = source.dialect.identifier
    return ",\n".join(f"{expression} AS {quote(name)}" for name, expression in columns)


def checked_outputs(outputs: Sequence[str]) -> list[str]:
    """Return the outputs that are asked for, or raise an error."""
    listed = [outputs] if isinstance(outputs, str) else list(outputs)
    unknown = [output for output in listed if output not in OUTPUTS]
    if unknown or not listed:
        raise ParameterError(f"outputs must be some of {', '.join(OUTPUTS)}; got {outputs!r}")
    return listed


@dataclass(frozen=True, eq=False)
class TreeQuery:
    """The expressions of a single tree."""

    model: AnyModel
    dialect: Dialect
    smoothing: float

    @classmethod
    def of(cls, model: AnyModel, dialect: str, smoothing: float) -> "TreeQuery":
        """Check that a dialect can express a tree."""
        refuse_own_splits(model, "SQL")
        return cls(model, checked_dialect(dialect, model.schema, split_columns(model)), smoothing)

    def columns(self, output: str) -> list[tuple[str, str]]:
        """Return the names and the expressions of an output."""
        model, leaves = self.model, self.model.tree.leaves().tolist()
        if output == "votes":
            raise ParameterError("votes are those of an ensemble, but this is a single tree")
        if output == "proba":
            refuse_probabilities(model, "proba")
            assert isinstance(model, Model)
            return [(f"p_{c}", self.share(c)) for c in np.asarray(model.classes).tolist()]
        if output == "leaf":
            return [("leaf", self._tree({leaf: str(leaf) for leaf in leaves}))]
        if output == "rule":
            words = leaf_rules(model)
            quoted = {leaf: self.dialect.text(words[leaf], "a rule") for leaf in leaves}
            return [("rule", self._tree(quoted))]
        return [("prediction", self.prediction())]

    def prediction(self) -> str:
        """Return the expression of the class or number."""
        return self._tree(leaf_literals(self.model, self.dialect.value))

    def share(self, wanted: Any) -> str:
        """Return the expression of the probability of a class."""
        refuse_probabilities(self.model, "probability_of")
        assert isinstance(self.model, Model)
        number = class_number(self.model.classes, wanted)
        shares = node_outputs(self.model, self.smoothing)[:, number].tolist()
        leaves = self.model.tree.leaves().tolist()
        return self._tree({leaf: self.dialect.number(shares[leaf]) for leaf in leaves})

    def _tree(self, results: dict[int, str]) -> str:
        return tree_expression(self.model, self.dialect, results)


@dataclass(frozen=True, eq=False)
class EnsembleQuery:
    """The expressions of an ensemble: sums of the scores of its trees."""

    model: Ensemble
    dialect: Dialect
    summed: VoteSum

    @classmethod
    def of(cls, model: Ensemble, dialect: str) -> "EnsembleQuery":
        """Check that a dialect can express the trees of an ensemble."""
        summed = vote_sum(model, "SQL")
        columns = split_columns(*summed.trees)
        return cls(model, checked_dialect(dialect, model.schema, columns), summed)

    def columns(self, output: str) -> list[tuple[str, str]]:
        """Return the names and the expressions of an output."""
        refuse_leaves(leaf=output == "leaf", rule=output == "rule")
        model, classes = self.model, np.asarray(self.model.classes).tolist()
        if output == "proba":
            self._refuse_numbers("proba")
            return [(f"p_{c}", self.share(c)) for c in classes]
        if output == "votes" and model.n_outputs == 1:
            return [("votes", self._sum(0))]
        if output == "votes":
            return [(f"votes_{c}", self._sum(k)) for k, c in enumerate(classes)]
        return [("prediction", self.prediction())]

    def prediction(self) -> str:
        """Return the expression of the class or number."""
        model, number = self.model, self.dialect.number
        if model.scale is not None:
            mean = f"({self._sum(0)}) / {number(float(len(model)))}"
            return f"{number(model.scale.centre)} + {number(model.scale.unit)} * ({mean})"
        names = [
            self.dialect.value(plain_value(c), "the target")
            for c in np.asarray(model.classes).tolist()
        ]
        if len(names) == 1:
            return names[0]
        if model.n_outputs == 1:
            held = f"{self._sum(0)} > {number(0.0)}"
            return f"CASE WHEN {held} THEN {names[1]} ELSE {names[0]} END"
        v = self._vote_names()
        wins = [" AND ".join(f"{v[k]} >= {x}" for x in v[k + 1 :]) for k in range(len(v) - 1)]
        tests = " ".join(f"WHEN {w} THEN {name}" for w, name in zip(wins, names, strict=False))
        return self._from_votes(f"CASE {tests} ELSE {names[-1]} END")

    def share(self, wanted: Any) -> str:
        """Return the expression of the probability of a class."""
        self._refuse_numbers("probability_of")
        model, number = self.model, self.dialect.number
        k, link = class_number(model.classes, wanted), link_of(model)
        if link == "shares":
            return f"({self._sum(k)}) / ({self._sum(None)})"
        one = number(1.0)
        if link == "logistic":
            self._check_exponents(2 * model.reach)
            factor = number(-2.0 if k else 2.0)
            return f"{one} / ({one} + EXP({factor} * ({self._sum(0)})))"
        v = self._vote_names()
        if link == "softmax":  # 1 over the sum of exp(f_j - f_k) cannot lose all its digits
            self._check_exponents(2 * model.reach)
            others = " + ".join(f"EXP({x} - {v[k]})" for x in v if x != v[k])
            return self._from_votes(f"{one} / ({one} + {others})")
        self._check_exponents(2 * model.reach)
        odds = [f"({one} + EXP({number(-2.0)} * {x}))" for x in v]
        total = " + ".join(f"{one} / {x}" for x in odds)
        return self._from_votes(f"{one} / {odds[k]} / ({total})")

    def _refuse_numbers(self, parameter: str) -> None:
        if self.model.is_numeric:
            raise ParameterError(f"{parameter} is for classifiers: this model predicts a number")

    def _check_exponents(self, largest: float) -> None:
        if largest > _LARGEST_EXPONENT:
            raise TreeError(
                "the votes of this ensemble are so large that databases cannot compute their "
                "exponentials; fit with a smaller learning_rate or fewer rounds"
            )

    def _vote_names(self) -> list[str]:
        """Return names of the votes that are not names of columns."""
        prefix, names = "v", {name.lower() for name in self.model.schema.names}
        while any(name.startswith(f"{prefix}_") for name in names):
            prefix += "v"
        return [f"{prefix}_{k}" for k in range(self.model.n_outputs)]

    def _from_votes(self, expression: str) -> str:
        """Return an expression of the names of the votes, computed in a subquery."""
        named = zip(self._vote_names(), range(self.model.n_outputs), strict=True)
        votes = ",\n".join(f"{self._sum(k)} AS {name}" for name, k in named)
        return f"(SELECT {expression}\nFROM (SELECT {votes}) AS votes)"

    def _sum(self, output: int | None) -> str:
        """Return the sum of the scores for an output; None for all outputs together."""
        number = self.dialect.number
        start = self.summed.start.sum() if output is None else self.summed.start[output]
        terms = [number(float(start))]
        for tree in self.summed.trees:
            scores = tree.scores.sum(axis=1) if output is None else tree.scores[:, output]
            results = {leaf: number(float(scores[leaf])) for leaf in tree.tree.leaves().tolist()}
            terms.append(tree_expression(tree, self.dialect, results))
        return "\n+ ".join(_grouped(terms) if self.model.exact else terms)


def _grouped(terms: list[str]) -> list[str]:
    """Return the terms of a sum, in parentheses if there are many, which limits the nesting."""
    while len(terms) > _MOST_TERMS:
        parts = [terms[i : i + _MOST_TERMS] for i in range(0, len(terms), _MOST_TERMS)]
        terms = ["(" + "\n+ ".join(part) + ")" if len(part) > 1 else part[0] for part in parts]
    return terms


def class_number(classes: Any, wanted: Any) -> int:
    """Return the number of a class, or raise an error."""
    listed = np.asarray(classes).tolist()
    if wanted not in listed:
        raise ParameterError(f"probability_of must be one of {listed}, got {wanted!r}")
    return int(listed.index(wanted))


def checked_dialect(name: str, schema: Schema, columns: Sequence[int]) -> Dialect:
    """Return a dialect by name; raise an error if it cannot hold the columns."""
    dialect = dialect_of(name, [schema[j].name for j in columns])
    for column in map(schema.__getitem__, columns):
        if is_labelled(column):  # all its values, not only those in conditions
            _check_one_type(values_of(column), f"column {column.name!r}")
            if name == "tsql":
                _check_blanks(values_of(column), f"column {column.name!r}")
    return dialect


def tree_expression(grown: SchemaTree, dialect: Dialect, results: dict[int, str]) -> str:
    """Return a tree as an expression; ``results`` are the expressions of its leaves."""
    if grown.tree.n_nodes == 1:
        return results[0]
    lines, written = ["CASE"], -1
    for step in decision_list(grown.tree):
        margin = "  " * (step.indent + 1)
        if dialect.most_nested is not None and step.indent >= dialect.most_nested:
            raise TreeError(
                f"dialect {dialect.name!r} allows {dialect.most_nested} levels of CASE, and this "
                "tree needs more; prune it"
            )
        if isinstance(step, BranchStep):
            column = grown.schema[int(grown.tree.feature[step.node])]
            tested = _condition(dialect, column, step_condition(grown, step))
            lines.append(f"{margin}WHEN {tested} THEN {results.get(step.child, 'CASE')}")
            written = step.child
        elif step.leaf != written:  # a leaf directly after its test is already written
            lines += [f"{margin}ELSE {results[step.leaf]}", f"{margin[2:]}END"]
    return "\n".join(lines)


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
    if not dialect.has_nan:
        return f"{name} IS NOT NULL"
    return f"{name} = {name}" if dialect.nan is None else f"{name} <= {dialect.infinity}"


def _or_nan(dialect: Dialect, name: str) -> str:
    if not dialect.has_nan:
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
    what, missing = f"column {column.name!r}", f"{name} IS NULL"
    if any(isinstance(v, str) for v in values):
        name = dialect.compared_text(name)
    if len(values) == 1:
        held = f"{name} {'=' if condition.inside else '<>'} {dialect.value(values[0], what)}"
    elif values:
        listed = ", ".join(dialect.value(v, what) for v in values)
        held = f"{name} {'IN' if condition.inside else 'NOT IN'} ({listed})"
    else:
        held = _NEVER if condition.inside else f"{name} IS NOT NULL"
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


def _check_blanks(values: Sequence[Any], what: str) -> None:
    """Raise an error if texts differ only in blanks at the end, which SQL Server ignores."""
    texts = [str(v) for v in values]
    if len({text.rstrip(" ") for text in texts}) < len(texts):
        raise TreeError(
            f"{what} has values that differ only in blanks at the end, which dialect 'tsql' does "
            "not distinguish; strip them before growing the tree"
        )
