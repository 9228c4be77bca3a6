"""Champion against challenger: two models on the same rows, with paired tests."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from polytomy._errors import ParameterError
from polytomy._text import count, one_line, percent, shorten
from polytomy._types import AnyArray, FloatArray, IntArray
from polytomy.costs import Costs
from polytomy.estimators.base.input import columns_for
from polytomy.estimators.base.models import ClassTarget
from polytomy.estimators.base.rows import case_weights, read_labels, read_numbers
from polytomy.evaluate import PairedTest, compare_errors, compare_losses, log_losses
from polytomy.export.phrasing.p_values import format_p
from polytomy.table import frame_of

from .one_tree import OneTree

_PERCENT = ("error",)  # measures that are shares
_WIDTH = 60  # characters of a rule
_CERTAIN = 0.05  # p-values below it count as a difference


@dataclass(frozen=True, slots=True)
class LeafDisagreement:
    """The rows of one leaf of the first model.

    Attributes
    ----------
    leaf : int
        The number of the leaf.
    rule : str
        Its rule.
    rows : int
        The number of rows in it.
    disagreements : int
        The number of rows on which the predictions differ.
    errors_a, errors_b : int
        The number of rows that each model predicts wrongly.
    """

    leaf: int
    rule: str
    rows: int
    disagreements: int
    errors_a: int
    errors_b: int


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Two models on the same rows. ``print`` shows the differences and their tests.

    Attributes
    ----------
    names : tuple of str
        The names of the two models.
    measures : dict of str to PairedTest
        The difference of each measure: "cost" (of a row, if mistakes have costs), "error" and
        "log loss" for classes, "squared error" and "absolute error" for numbers.
    predicted_a, predicted_b : ndarrays
        The predictions.
    actual : ndarray
        The classes or numbers that the rows have.
    leaves : list of LeafDisagreement
        The rows by leaf of the first model, most disagreements first; empty unless it is a tree for
        classes.
    notes : list of str
        Sentences on the costs, and on classes that a model does not know.
    """

    names: tuple[str, str]
    measures: dict[str, PairedTest]
    predicted_a: AnyArray
    predicted_b: AnyArray
    actual: AnyArray
    leaves: list[LeafDisagreement]
    notes: list[str] = field(default_factory=list)

    @cached_property
    def disagreements(self) -> IntArray:
        """The numbers of the rows, from 0, on which the two predictions differ."""
        return np.flatnonzero(self.predicted_a != self.predicted_b)

    @property
    def counts(self) -> dict[str, int]:
        """The number of rows on which both, one or none of the models are right; for classes."""
        right_a, right_b = self.predicted_a == self.actual, self.predicted_b == self.actual
        return {
            "both right": int((right_a & right_b).sum()),
            "only a right": int((right_a & ~right_b).sum()),
            "only b right": int((~right_a & right_b).sum()),
            "both wrong": int((~right_a & ~right_b).sum()),
        }

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the measures as columns.

        Returns
        -------
        dict of str to list
            The columns ``measure``, ``a``, ``b``, ``difference``, ``low``, ``high``, ``p_value``
            and ``test``.
        """
        fields = ("a", "b", "difference", "low", "high", "p_value", "test")
        columns = {name: [getattr(t, name) for t in self.measures.values()] for name in fields}
        return {"measure": list(self.measures), **columns}

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the measures as a data frame, with the columns of ``to_dict``.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, default=None
            The library whose data frame is returned; None for the first that is installed.

        Returns
        -------
        data frame
            One row for each measure.
        """
        return frame_of(self.to_dict(), backend)

    def __repr__(self) -> str:
        """Return the differences and their tests as text."""
        a, b = (shorten(one_line(name), _WIDTH) for name in self.names)
        lines = [f"a: {a}", f"b: {b}", f"{len(self.actual):,} rows", "", *self._table(), ""]
        lines += [self.verdict]
        if "error" in self.measures:
            lines += [self._sentence_on_rows()]
        lines += self.notes
        return "\n".join(lines)

    def _table(self) -> list[str]:
        head = ("", "a", "b", "b - a", "95 % interval", "p-value", "test")
        cells = [head, *(_cells(name, test) for name, test in self.measures.items())]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        return [_line(row, widths) for row in cells]

    @property
    def verdict(self) -> str:
        """A sentence that says which model is better on these rows, as far as can be told."""
        found = []
        for name, test in self.measures.items():
            if test.p_value < _CERTAIN:
                better = "b" if test.difference < 0 else "a"
                found.append(f"{better} has the lower {name} ({_equal_p(test.p_value)})")
            elif name == "cost":
                found.append(f"No difference in cost ({_equal_p(test.p_value)})")
        if not any(test.p_value < _CERTAIN for test in self.measures.values()):
            return "These rows show no difference between a and b (all p-values are above 0.05)."
        return f"{'; '.join(found)}."

    def _sentence_on_rows(self) -> str:
        n, counts = len(self.disagreements), self.counts
        if n == 0:
            return "They agree on every row."
        only_a, only_b = counts["only a right"], counts["only b right"]
        return (
            f"They disagree on {n:,} {'row' if n == 1 else 'rows'} "
            f"({percent(n / len(self.actual), 1)}): a is right on {only_a:,}, b on {only_b:,}, "
            f"neither on {n - only_a - only_b:,}."
        )


def compare(
    a: Any,
    b: Any,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    cost_matrix: Any = None,
    names: tuple[str, str] | None = None,
) -> Comparison:
    """Compare two fitted models on the same rows: the differences, with paired tests.

    The error rates of classifiers are compared by McNemar's exact test, their costs and log losses
    and the errors of regressors by a paired t-test. The p-values hold for rows that neither model
    was fitted on.

    Parameters
    ----------
    a, b : estimators
        The champion and the challenger: models of polytomy, or other estimators with ``predict``.
        Either both classify, or both predict numbers.
    X : array or data frame of shape (n_rows, n_columns)
        Rows that neither model was fitted on. The models may use different columns of a data frame.
    y : array of shape (n_rows,)
        Their classes or numbers.
    sample_weight : array of shape (n_rows,), default=None
        The weights of the rows. If they differ, error rates are compared by a paired t-test, too.
    cost_matrix : dict of pairs, or DataFrame or array of shape (n_classes, n_classes), default=None
        What mistakes cost, as the parameter of ``TreeClassifier``. None takes the costs that both
        models were fitted with, if they are the same. A model that was fitted with costs predicts
        by its own; the predictions of another are then the classes of least expected cost by its
        probabilities.
    names : tuple of str, default=None
        The names of the two models; None takes those of their classes.

    Returns
    -------
    Comparison
        The differences, with ``to_frame`` and the rows on which the models disagree.

    Examples
    --------
    >>> import polytomy
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> small = polytomy.TreeClassifier(max_leaves=2).fit(X[::2], y[::2])
    >>> boosted = polytomy.BoostedTreeClassifier(50).fit(X[::2], y[::2])
    >>> found = polytomy.compare(small, boosted, X[1::2], y[1::2])
    >>> found.measures["error"].p_value < 0.05, len(found.disagreements)
    (True, 19)
    """
    return compare_on(
        a,
        columns_for(a, X),
        b,
        columns_for(b, X),
        y,
        sample_weight=sample_weight,
        cost_matrix=cost_matrix,
        names=names,
    )


def compare_on(
    a: Any,
    rows_a: Any,
    b: Any,
    rows_b: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    cost_matrix: Any = None,
    names: tuple[str, str] | None = None,
) -> Comparison:
    """Return the comparison of two models on rows that each gets in its own form."""
    classify = both_classify(a, b)
    names = (type(a).__name__, type(b).__name__) if names is None else names
    models = ((a, rows_a), (b, rows_b))
    said_a, said_b = (np.asarray(model.predict(rows)) for model, rows in models)
    weights = case_weights(sample_weight, said_a)
    if not classify:
        if cost_matrix is not None:
            raise ParameterError("costs are for classes, but these models predict numbers")
        actual = read_numbers(y, len(said_a))
        far_a, far_b = np.abs(said_a - actual), np.abs(said_b - actual)
        measures = {
            "squared error": compare_losses(far_a**2, far_b**2, weights),
            "absolute error": compare_losses(far_a, far_b, weights),
        }
        return Comparison(names, measures, said_a, said_b, actual, [])
    held, numbers = read_labels(y, len(said_a))
    actual = held[numbers]
    _check_classes(held, a, b)
    every = _all_classes(held, a, b)
    costs, notes = _costs_of(a, b, every, cost_matrix)
    measures = {}
    if costs is not None:
        by_cost = [_labels_by_cost(model, rows, costs, every) for model, rows in models]
        said_a, said_b = (
            own if cheapest is None else cheapest
            for own, cheapest in zip((said_a, said_b), by_cost, strict=True)
        )
        notes += _notes_on_labels(by_cost)
        cost_a, cost_b = (_amounts(costs, every, actual, said) for said in (said_a, said_b))
        measures["cost"] = compare_losses(cost_a, cost_b, weights)
    wrong_a, wrong_b = np.asarray(said_a != actual), np.asarray(said_b != actual)
    measures["error"] = compare_errors(wrong_a, wrong_b, weights)
    if all(hasattr(model, "predict_proba") for model, _ in models):
        loss_a, loss_b = (_log_losses(model, rows, held, numbers) for model, rows in models)
        measures["log loss"] = compare_losses(loss_a, loss_b, weights)
    leaves = []
    if isinstance(a, OneTree):
        leaves = _by_leaf(a, rows_a, said_a != said_b, (wrong_a, wrong_b))
    notes += _cautions(held, numbers, a, b)
    return Comparison(names, measures, said_a, said_b, actual, leaves, notes)


def both_classify(a: Any, b: Any) -> bool:
    """Return whether two models predict classes, or raise an error if only one of them does."""
    kinds = [hasattr(model, "classes_") for model in (a, b)]
    if kinds[0] != kinds[1]:
        raise ParameterError("one model predicts classes and the other numbers; compare two alike")
    return kinds[0]


def _all_classes(held: AnyArray, a: Any, b: Any) -> AnyArray:
    """Return the classes that the rows have or a model knows, in ascending order."""
    every = {c for some in (held, a.classes_, b.classes_) for c in np.asarray(some).tolist()}
    found = np.empty(len(every), dtype=object)
    found[:] = sorted(every)
    return found


def _costs_of(a: Any, b: Any, every: AnyArray, cost_matrix: Any) -> tuple[Costs | None, list[str]]:
    """Return the costs to compare by, if there are any; otherwise a sentence if a model has some.

    Models have the same costs if they agree on the pairs of classes that both know.
    """
    if cost_matrix is not None:
        return Costs.of(cost_matrix, every), []
    first, second = _own_costs(a), _own_costs(b)
    if first is None and second is None:
        return None, []
    advice = "state the costs to compare by them."
    if first is None or second is None:
        return None, [f"Only {'b' if first is None else 'a'} was fitted with costs; {advice}"]
    if any(first[pair] != second[pair] for pair in first.keys() & second.keys()):
        return None, [f"The models were fitted with different costs; {advice}"]
    return Costs.of(first | second, every), []


def _own_costs(model: Any) -> dict[tuple[Any, Any], float] | None:
    """Return the costs by pairs of classes that a model was fitted with."""
    costs = model._known_costs() if isinstance(model, ClassTarget) else None
    return None if costs is None else costs.by_pairs(model.classes_)


def _labels_by_cost(model: Any, rows: Any, costs: Costs, every: AnyArray) -> AnyArray | None:
    """Return the classes of least expected cost; None if the model predicts by costs of its own."""
    if _own_costs(model) is not None or not hasattr(model, "predict_proba"):
        return None
    known = np.asarray(model.classes_)
    place = _places(every, known)
    own = Costs(costs.matrix[np.ix_(place, place)])
    return np.asarray(known[own.cheapest(np.asarray(model.predict_proba(rows)))])


def _places(every: AnyArray, classes: AnyArray) -> IntArray:
    place = {c: i for i, c in enumerate(every.tolist())}
    return np.array([place[c] for c in classes.tolist()], dtype=np.int64)


def _amounts(costs: Costs, every: AnyArray, actual: AnyArray, said: AnyArray) -> FloatArray:
    """Return the cost of each row."""
    return np.asarray(costs.matrix[_places(every, actual), _places(every, said)])


def _notes_on_labels(found: Sequence[AnyArray | None]) -> list[str]:
    """Return a sentence on the models whose predictions follow from their probabilities."""
    those = [name for name, labels in zip("ab", found, strict=True) if labels is not None]
    if not those:
        return []
    verb, whose = ("was", "its") if len(those) == 1 else ("were", "their")
    return [
        f"{' and '.join(those)} {verb} fitted without costs: the predictions are the classes of "
        f"least expected cost by {whose} probabilities."
    ]


def _cautions(held: AnyArray, numbers: AnyArray, a: Any, b: Any) -> list[str]:
    """Return a sentence for each class of the rows that a model does not know."""
    rows = np.bincount(numbers, minlength=len(held)).tolist()
    return [
        f"Caution: {name} does not know class {c!r}, which {count(n, 'row')} "
        f"{'has' if n == 1 else 'have'}: it is wrong on {'it' if n == 1 else 'them'}, and its log "
        "loss is large."
        for model, name in ((a, "a"), (b, "b"))
        for c, n in zip(held.tolist(), rows, strict=True)
        if n and c not in np.asarray(model.classes_).tolist()
    ]


def _check_classes(held: AnyArray, a: Any, b: Any) -> None:
    """Raise an error if a model knows none of the classes that the rows have."""
    for model, name in ((a, "a"), (b, "b")):
        known = np.asarray(model.classes_).tolist()
        if not set(held.tolist()) & set(known):
            raise ParameterError(
                f"y has the classes {held[:5].tolist()}, but {name} predicts {known[:5]}"
            )


def _log_losses(model: Any, rows: Any, held: AnyArray, numbers: AnyArray) -> FloatArray:
    """Return the log loss of each row; a class that the model does not know has probability 0."""
    known = np.asarray(model.classes_).tolist()
    shares = np.asarray(model.predict_proba(rows), dtype=np.float64)
    place = {name: i for i, name in enumerate(known)}
    column = np.array([place.get(name, len(known)) for name in held.tolist()])
    shares = np.column_stack([shares, np.zeros(len(shares))]).clip(0, 1)
    return log_losses(column[numbers], shares)


def _by_leaf(
    tree: Any, rows: Any, differ: AnyArray, wrong: Sequence[AnyArray]
) -> list[LeafDisagreement]:
    """Return the disagreements by leaf of a tree, most first."""
    leaf = tree.apply(rows).astype(np.int64)
    n = int(leaf.max(initial=0)) + 1
    counts = [np.bincount(leaf, minlength=n)]
    counts += [np.bincount(leaf[hits], minlength=n) for hits in (differ, *wrong)]
    rules = {int(rule.leaf): rule.condition for rule in tree.to_rules()}
    used = np.flatnonzero(counts[0]).tolist()
    found = [LeafDisagreement(i, rules[i], *(int(c[i]) for c in counts)) for i in used]
    return sorted(found, key=lambda one: (-one.disagreements, one.leaf))


def _cells(name: str, test: PairedTest) -> tuple[str, ...]:
    form = _as_percent if name in _PERCENT else _as_number
    ends = f"[{form(test.low, signed=True)}, {form(test.high, signed=True)}]"
    numbers = form(test.a), form(test.b), form(test.difference, signed=True)
    return (name, *numbers, ends, format_p(test.p_value), test.test)


def _as_percent(share: float, *, signed: bool = False) -> str:
    return f"{share:+.2%}" if signed else percent(share, 2)


def _as_number(value: float, *, signed: bool = False) -> str:
    return f"{value:+.4g}" if signed else f"{value:.4g}"


def _equal_p(p: float) -> str:
    text = format_p(p)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def _line(cells: Iterable[str], widths: Sequence[int]) -> str:
    first, *rest = zip(cells, widths, strict=True)
    middle = [cell.rjust(width) for cell, width in rest[:-1]]
    return "  ".join([first[0].ljust(first[1]), *middle, rest[-1][0]]).rstrip()
