"""Contributions of columns to one prediction of an ensemble, and reason codes."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from polytomy._errors import ParameterError
from polytomy._numbers import is_integer
from polytomy._text import one_line, suggestion
from polytomy._types import FloatArray, IntArray
from polytomy.encode import Schema
from polytomy.ensemble import Additive, Ensemble, ScoreFunction, added_scores
from polytomy.table import Table, frame_of

from .phrasing import AnyModel, cell_text
from .shap import expected_value, shap_values

_LEAST = 1e-12  # smaller contributions are rounding

Wording = Mapping[str, str | Callable[[str], str]]
"""The wording of reasons by column: text, in which ``{value}`` stands for the cell, or a function
from the cell to text."""


@dataclass(frozen=True, slots=True)
class Contribution:
    """What a column adds to the votes, the probability or the number of one row."""

    column: str
    value: str
    amount: float

    def __str__(self) -> str:
        """Return ``<column> is <value>  <amount>``."""
        return f"{one_line(self.column)} is {one_line(self.value)}  {self.amount:+.4g}"


@dataclass(frozen=True, slots=True)
class VoteExplanation:
    """The prediction of an ensemble for one row as a sum; ``str`` shows it term by term.

    Attributes
    ----------
    start : float
        The sum before any column is known.
    contributions : tuple of Contribution
        What each column adds, the largest first.
    of : str
        What the sum is: votes for a class, its probability, or the predicted number.
    prediction : str
        The prediction in words.
    exact : bool
        Whether contributions are those of the cells alone, as in a table of scores; otherwise they
        are Shapley values.
    """

    start: float
    contributions: tuple[Contribution, ...]
    of: str
    prediction: str
    exact: bool

    @property
    def total(self) -> float:
        """The sum of the start and all contributions."""
        return self.start + sum(c.amount for c in self.contributions)

    def __str__(self) -> str:
        """Return one line per column, the sum, and the prediction."""
        words = [f"{one_line(c.column)} is {one_line(c.value)}" for c in self.contributions]
        lines = ["start" if self.exact else "mean over the training rows", *words, self.of]
        amounts = [self.start, *(c.amount for c in self.contributions), self.total]
        wide = max(map(len, lines))
        numbers = [f"{x:+.4g}" for x in amounts]
        most = max(map(len, numbers))
        table = [f"{w:<{wide}}  {x:>{most}}" for w, x in zip(lines, numbers, strict=True)]
        return "\n".join([*table, f"=> {self.prediction}"])

    __repr__ = __str__


def explain_votes(
    ensemble: Ensemble, table: Table, output: int, of: str, prediction: str, threads: int = 1
) -> VoteExplanation:
    """Return the prediction for one row as a sum over the columns.

    Parameters
    ----------
    ensemble : Ensemble
        The ensemble, without user-defined splits.
    table : Table
        A table of one row.
    output : int
        The output to explain.
    of, prediction : str
        What the output is, and the prediction, in words.
    threads : int, default=1
        The number of threads.

    Returns
    -------
    VoteExplanation
    """
    merged = _merged(ensemble)
    if merged is not None:
        start, exact = float(merged.start[output]), True
        found = {
            f.feature: _scores_of(f, ensemble.schema, table, threads)[0, output]
            for f in merged.functions
        }
    else:
        start, exact = float(expected_value(ensemble)[output]), False
        values = shap_values(ensemble, table, threads=threads)[0, :, output]
        found = {j: values[j] for j in np.flatnonzero(values).tolist()}
    order = sorted(found, key=lambda j: (-abs(found[j]), j))
    schema = ensemble.schema
    parts = [
        Contribution(schema[j].name, cell_text(schema, table, j), float(found[j])) for j in order
    ]
    return VoteExplanation(start, tuple(parts), of, prediction, exact)


def _scores_of(f: ScoreFunction, schema: Schema, table: Table, threads: int) -> FloatArray:
    """Return what one column adds to each output of each row."""
    alone = Additive(np.zeros(f.scores.shape[1]), (f,), ())
    return added_scores(alone, schema, table, threads)


@dataclass(frozen=True, slots=True)
class Reason:
    """A column that moved a row: its cell, by how much, and the wording of the reason."""

    column: str
    value: str
    contribution: float
    text: str

    def __str__(self) -> str:
        """Return the wording."""
        return self.text


class ReasonCodes(Sequence[tuple[Reason, ...]]):
    """The reasons of each row, the strongest first; ``str`` returns them row by row."""

    def __init__(self, reasons: Sequence[tuple[Reason, ...]]) -> None:
        self._reasons = tuple(reasons)

    @overload
    def __getitem__(self, at: int) -> tuple[Reason, ...]: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[tuple[Reason, ...]]: ...
    def __getitem__(self, at: int | slice) -> Any:
        return self._reasons[at]

    def __len__(self) -> int:
        return len(self._reasons)

    def __iter__(self) -> Iterator[tuple[Reason, ...]]:
        return iter(self._reasons)

    def __str__(self) -> str:
        """Return the reasons of each row, numbered."""
        lines = []
        for i, reasons in enumerate(self._reasons):
            lines.append(f"row {i + 1}:" if reasons else f"row {i + 1}: no reasons")
            lines += [f"  {k}. {one_line(r.text)}" for k, r in enumerate(reasons, 1)]
        return "\n".join(lines)

    __repr__ = __str__

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the reasons as columns.

        Returns
        -------
        dict of lists
            ``row`` (from 0), ``rank`` (from 1), ``column``, ``value``, ``contribution`` and
            ``reason``.
        """
        listed = [
            (i, k, r.column, r.value, r.contribution, r.text)
            for i, reasons in enumerate(self._reasons)
            for k, r in enumerate(reasons, 1)
        ]
        names = ("row", "rank", "column", "value", "contribution", "reason")
        return {name: [line[j] for line in listed] for j, name in enumerate(names)}

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the reasons as a data frame, with the columns of ``to_dict``.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, default=None
            The library whose data frame is returned; None for the first that is installed.

        Returns
        -------
        data frame
            One row for each reason.
        """
        return frame_of(self.to_dict(), backend)


def reason_codes(
    schema: Schema, table: Table, amounts: FloatArray, n: int, wording: Wording | None
) -> ReasonCodes:
    """Return the columns that moved each row most.

    Parameters
    ----------
    schema : Schema
        The columns.
    table : Table
        The rows.
    amounts : ndarray of shape (n_rows, n_columns)
        By how much each cell moved the prediction in the direction to explain.
    n : int
        The largest number of reasons for a row. Only columns that moved it in that direction are
        reasons.
    wording : mapping from column names to text or functions, or None
        The wording; other columns read ``<column> is <value>``.

    Returns
    -------
    ReasonCodes
    """
    if not is_integer(n) or n < 1:
        raise ParameterError(f"n must be an integer of at least 1, got {n!r}")
    given = dict(wording or {})
    for name in given:
        if name not in schema.names:
            raise ParameterError(
                f"wording names the column {name!r}, which the model does not have; "
                + suggestion(str(name), schema.names)
            )
    rows = []
    for i, row in enumerate(amounts):
        order = np.argsort(-row, kind="stable")[: int(n)].tolist()
        reasons = [
            _reason(schema, table, j, i, float(row[j]), given) for j in order if row[j] > _LEAST
        ]
        rows.append(tuple(reasons))
    return ReasonCodes(rows)


def _reason(
    schema: Schema, table: Table, feature: int, row: int, amount: float, given: dict[str, Any]
) -> Reason:
    name, value = schema[feature].name, cell_text(schema, table, feature, row)
    said = given.get(name, f"{name} is {{value}}")
    text = said(value) if callable(said) else str(said).replace("{value}", value)
    return Reason(name, value, amount, text)


def movements(
    model: AnyModel | Ensemble,
    table: Table,
    direction: tuple[IntArray, FloatArray],
    reference: Table | str | None,
    threads: int = 1,
    smoothing: float = 0.0,
) -> FloatArray:
    """Return by how much each cell moved its row in a direction, against a reference.

    Parameters
    ----------
    model : Model, DensityModel or Ensemble
        The model, without user-defined splits.
    table : Table
        The rows.
    direction : tuple of arrays of shape (n_rows,)
        The output to explain for each row, and the sign of the direction.
    reference : Table, "best" or None
        Rows whose mean is the reference; the values of each column that move a row least in the
        direction; or the training rows.
    threads : int, default=1
        The number of threads.
    smoothing : float, default=0.0
        For a tree without honest shares, the weight added to each class.

    Returns
    -------
    ndarray of shape (n_rows, n_columns)
    """
    merged = _merged(model)
    _check_reference(reference, merged)

    def amounts(rows: Table) -> FloatArray:
        if merged is None or reference is None:
            return shap_values(model, rows, smoothing, threads)
        out = np.zeros((rows.n_rows, len(model.schema), len(merged.start)))
        for f in merged.functions:
            out[:, f.feature] = _scores_of(f, model.schema, rows, threads)
        return out

    output, sign = direction
    every = np.arange(table.n_rows)
    moved = sign[:, None] * amounts(table)[every, :, output]
    if isinstance(reference, Table):
        moved = moved - sign[:, None] * amounts(reference).mean(axis=0).T[output]
    elif reference is not None and merged is not None:
        for f in merged.functions:
            seen = np.vstack((f.scores, f.missing)) if f.has_missing else f.scores
            least = np.where(sign > 0, seen.min(axis=0)[output], -seen.max(axis=0)[output])
            moved[:, f.feature] -= least
    return np.asarray(moved)


def _merged(model: AnyModel | Ensemble) -> Additive | None:
    """Return the score functions of boosted trees that split on one column each, or None."""
    if not isinstance(model, Ensemble) or model.is_forest:
        return None
    return None if model.additive is None or model.additive.own else model.additive


def _check_reference(reference: Table | str | None, merged: Additive | None) -> None:
    """Raise an error for a reference that a model cannot be compared with."""
    if not isinstance(reference, str):
        return
    if reference != "best":
        raise ParameterError(f'reference must be rows, "best" or None, got {reference!r}')
    if merged is None:
        raise ParameterError(
            'reference="best" needs boosted trees that split on one column each; give rows as '
            "the reference instead"
        )
