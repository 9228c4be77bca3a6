"""What a report says for decisions: curves, groups, drift, the data and the model card."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from inspect import signature
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from polytomy import __version__
from polytomy._errors import ModelFormatError, ParameterError
from polytomy._text import class_title, one_line, suggestion
from polytomy._types import AnyArray, FloatArray, IntArray
from polytomy.encode import Coded, NominalColumn, Schema, encode_with, missing_cells
from polytomy.ensemble import FOREST, Ensemble
from polytomy.estimators.base.files import record_of, to_file_bytes
from polytomy.estimators.base.input import columns_for, is_frame, names_of
from polytomy.estimators.base.rows import LabelledRows, class_factors
from polytomy.io import as_scan
from polytomy.io.labelled import column_cells
from polytomy.model import Model
from polytomy.predict import apply
from polytomy.report import (
    Card,
    Cells,
    ColumnCounts,
    Evaluated,
    Grouping,
    Scored,
    card_facts,
    decision_facts,
    drift_facts,
    group_facts,
    grouping,
    overview_facts,
)
from polytomy.table import Ordered, Table

if TYPE_CHECKING:
    from polytomy.estimators.base.models import BaseTreeModel

_MOST_ROWS = 50_000  # rows that the columns are counted on, evenly spaced over the table
_SCORE_BINS = 10  # of predictions, for the drift of an ensemble


@dataclass(frozen=True, slots=True, eq=False)
class NamedCells:
    """The cells of a column that is no column of the model."""

    name: str
    cells: AnyArray


@dataclass(frozen=True, slots=True, eq=False)
class ReportInput:
    """The arguments of a report."""

    X: Any
    y: Any
    X_test: Any
    y_test: Any
    sample_weight: Any
    sample_weight_test: Any
    title: str | None
    group: Any
    drift: Any

    def with_groups(self, model: "BaseTreeModel") -> "ReportInput":
        """Return the arguments with the cell of each evaluated row as the group.

        These are the test rows if there are any, and otherwise the training rows. A group that is
        given by name may be a column that the model does not use.
        """
        if self.group is None:
            return self
        rows = self.X if self.X_test is None else self.X_test
        if rows is None:
            raise ParameterError("group needs rows: pass X and y, or X_test and y_test")
        if isinstance(self.group, NamedCells):
            return self
        if not isinstance(self.group, str):
            name = getattr(self.group, "name", None)
            return replace(self, group=NamedCells(str(name or "group"), np.asarray(self.group)))
        group = NamedCells(self.group, _column_of(rows, self.group))
        own = (None if data is None else columns_for(model, data) for data in (self.X, self.X_test))
        return replace(self, **dict(zip(("X", "X_test"), own, strict=True)), group=group)


def _column_of(rows: Any, name: str) -> AnyArray:
    """Return the cells of a column of a data frame, a table or a lazy table."""
    scan = as_scan(rows)
    table = rows if scan is None else scan.table
    known = names_of(table) if isinstance(table, Table) or is_frame(table) else []
    if name not in known:
        raise ParameterError(
            f"group {name!r} is no column of the rows; {suggestion(name, known)}. "
            "Pass an array with the group of each row instead"
        )
    if isinstance(table, Table):
        return column_cells(table.loaded([name]), name)
    return np.asarray(nw.from_native(table)[name].to_numpy())


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """Rows with the predictions of a classifier that a report judges it by.

    Parameters
    ----------
    which : {"training", "test", "out-of-bag"}
        What the rows are.
    scored : Scored
        The rows and their probabilities.
    error : float
        The share of the rows' weight that the classifier's own predictions get wrong.
    predictions : callable
        Returns the rows with their predicted classes, if groups need them.
    at : array of int or None
        The numbers of these rows among those given; None for all of them.
    """

    which: str
    scored: Scored
    error: float
    predictions: Callable[[], Evaluated]
    at: IntArray | None = None

    @classmethod
    def of(cls, which: str, rows: Evaluated, at: IntArray | None) -> "Judged | None":
        """Return rows that an ensemble has predicted; None without probabilities."""
        if rows.shares is None:
            return None
        scored = Scored(rows.labels, rows.shares, rows.weights)
        return cls(which, scored, rows.error, lambda: rows, at)


def own_weights(model: Any, rows: LabelledRows) -> FloatArray | None:
    """Return the weights of training rows without those of classes and costs; None if all are 1."""
    factors = getattr(model._model, "class_factors", None)
    if factors is None:
        factors = class_factors(model.classes_, rows.labels, model._fit_record.class_weight)
    if rows.weights is None or factors is None:
        return rows.weights
    own = np.asarray(rows.weights / factors[rows.labels])
    return None if np.allclose(own, 1.0, rtol=1e-12, atol=0.0) else own


def decision_sections(
    model: Any,
    given: ReportInput,
    judged: Judged | None,
    training: LabelledRows | None,
    test: LabelledRows | None,
    target: str | None,
) -> dict[str, Any]:
    """Return the facts of the sections for decisions: those for which the rows are there."""
    facts: dict[str, Any] = {}
    n_classes = 0 if model._is_numeric else len(model.classes_)
    if judged is not None:
        costs = getattr(model._model, "costs", None)
        matrix = None if costs is None else costs.matrix
        found = decision_facts(judged.scored, judged.which, judged.error, matrix)
        facts |= {} if found is None else {"decision": found}
    if given.group is not None:
        groups, rows = _grouping(model, given.group, judged, training, test)
        curves = facts.get("decision", {}).get("classes", [])
        facts["groups"] = group_facts(rows.predictions(), groups, n_classes, rows.which, curves)
    new = None if given.drift is None else model._read_table(columns_for(model, given.drift))
    reference, which = (test, "test") if training is None else (training, "training")
    if new is not None:
        is_tree = isinstance(model._model, Model)  # a tree knows the training rows of its leaves
        of = "training" if is_tree else which
        facts["drift"] = {"rows": of, **drift_facts(_cells(model, reference, new))}
    if reference is not None:
        columns = _counted_columns(model._model.schema, reference.table, new)
        importances = getattr(model, "feature_importances_", np.zeros(len(columns)))
        facts["overview"] = overview_facts(columns, importances, reference.table.n_rows, which)
    return facts | {"card": card_facts(_card(model, target))}


def _grouping(
    model: Any,
    group: NamedCells,
    judged: Judged | None,
    training: LabelledRows | None,
    test: LabelledRows | None,
) -> tuple[Grouping, Judged]:
    """Return the groups of the rows that are judged."""
    name, cells = group.name, group.cells
    if model._is_numeric:
        raise ParameterError("group is for classifiers: it compares error rates")
    given = training if test is None else test
    n_rows = 0 if given is None else len(given.labels)
    if cells.ndim != 1 or len(cells) != n_rows:
        raise ParameterError(f"group must have one cell for each of the {n_rows} rows")
    if judged is None:
        raise ParameterError("group needs the rows that the model was fitted on, or test rows")
    known = None
    schema = model._model.schema
    if name in schema.names:
        column = schema[schema.names.index(name)]
        known = column.categories if isinstance(column, NominalColumn) else None
    return grouping(name, cells if judged.at is None else cells[judged.at], known), judged


def _cells(model: Any, reference: LabelledRows | None, new: Table) -> Cells:
    """Return the rows by leaf of a tree, or by the prediction of an ensemble."""
    fitted = model._model
    if isinstance(fitted, Model):
        tree = fitted.kept
        leaves = tree.leaves()
        reached = apply(tree, fitted.schema, new, model._threads())
        counts = np.bincount(reached.astype(np.int64), minlength=tree.n_nodes)
        return Cells(tree.rows[leaves], counts[leaves], nodes=leaves.tolist())
    if reference is None:
        raise ParameterError("the drift of an ensemble needs rows: pass X and y as well")
    assert isinstance(fitted, Ensemble)
    if not model._is_numeric and len(model.classes_) > 2:
        said = (model.predict(table) for table in (reference.table, new))
        old_counts, new_counts = ((one[:, None] == model.classes_).sum(axis=0) for one in said)
        names = [class_title(one_line(name)) for name in model.classes_.tolist()]
        return Cells(old_counts, new_counts, labels=names)
    before, now = (_scores(model, table) for table in (reference.table, new))
    ends = np.unique(np.quantile(before, np.arange(1, _SCORE_BINS) / _SCORE_BINS))
    labels = [f"up to {ends[0]:.4g}", *(f"{a:.4g} to {b:.4g}" for a, b in pairwise(ends))]
    bins = (np.searchsorted(ends, scores) for scores in (before, now))
    n_bins = len(ends) + 1
    old_counts, new_counts = (np.bincount(one, minlength=n_bins) for one in bins)
    return Cells(old_counts, new_counts, labels=[*labels, f"above {ends[-1]:.4g}"])


def _scores(model: Any, table: Table) -> FloatArray:
    """Return the predicted numbers, or the probabilities of the second class."""
    found = model.predict(table) if model._is_numeric else model.predict_proba(table)[:, 1]
    return np.asarray(found)


def _counted_columns(schema: Schema, table: Table, new: Table | None) -> list[ColumnCounts]:
    """Return how often each code occurs, counted on at most ``_MOST_ROWS`` rows."""
    some = _spaced(table)
    coded = encode_with(schema, some)
    other = None if new is None else encode_with(schema, _spaced(new))
    columns = []
    for j, spec in enumerate(schema):
        column = some.columns[j]
        ends = _ends(column) if isinstance(column, Ordered) else None
        counts = [_counts(one, j, spec.n_values) for one in (coded, other) if one is not None]
        columns.append(ColumnCounts(spec, counts[0], ends, *counts[1:]))
    return columns


def _spaced(table: Table) -> Table:
    if table.n_rows <= _MOST_ROWS:
        return table
    return table.take(np.linspace(0, table.n_rows - 1, _MOST_ROWS).astype(np.int64))


def _counts(coded: Coded, j: int, n_values: int) -> IntArray:
    return np.bincount(coded.columns[j], minlength=n_values + 1).astype(np.int64)


def _ends(column: Ordered) -> tuple[float, float, float] | None:
    """Return the lowest, the middle and the highest value; None if all cells are missing."""
    values = column.values[~missing_cells(column)]
    if not len(values):
        return None
    middle = np.partition(values, len(values) // 2)[len(values) // 2]
    return float(values.min()), float(middle), float(values.max())


def _card(model: Any, target: str | None) -> Card:
    record = record_of(model)
    target = target or (None if record is None else record.target)
    figures: dict[str, Any] = {"Model": type(model).__name__}
    if target is not None:
        figures["Target"] = target
    if not model._is_numeric:
        figures["Classes"] = ", ".join(map(str, model.classes_.tolist()))
    figures["Columns"] = len(model._model.schema)
    n_rows = _training_rows(model)
    if n_rows is not None:
        figures["Training rows"] = n_rows
    if record is not None and record.test_fraction:
        figures["Rows held out"] = f"{record.test_fraction:.4g} of the table, seed {record.seed}"
    if record is not None and record.time:
        figures["Fitted"] = f"{record.time} by polytomy {record.version}"
    figures["Report written by"] = f"polytomy {__version__}"
    made = signature(type(model).__init__).parameters.values()
    defaults = {p.name: p.default for p in made if p.default is not p.empty}
    return Card(figures, model.get_params(deep=False), defaults, _fingerprints(model))


def _training_rows(model: Any) -> int | None:
    """Return the number of rows that the model was trained on, if it is known."""
    fitted = model._model
    if isinstance(fitted, Model):
        return int(fitted.kept.rows[0])
    if fitted.algorithm == FOREST:  # its trees have seen some of the rows each
        known: int | None = model._fit_record.n_rows
        return known
    return int(fitted.members[0].tree.rows[0]) if len(fitted) else None


def _fingerprints(model: Any) -> Mapping[str, str]:
    """Return the hashes of the model file, if one can hold the model, and of the training table."""
    found = {}
    with suppress(ModelFormatError, TypeError):
        found["Model file (SHA-256)"] = sha256(to_file_bytes(model)).hexdigest()
    record = record_of(model)
    table = None if record is None else record.fingerprint
    return found | ({"Training table": table} if table else {})
