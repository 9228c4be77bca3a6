"""Binning: the best ranges or groups of every column, as tables and as a transformer."""

from typing import Any, Self

import numpy as np
from sklearn.base import OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from polytomy._errors import ParameterError, TargetError
from polytomy._text import count, shorten
from polytomy._types import AnyArray, FloatArray
from polytomy.bins import (
    BinParams,
    ClassStatistics,
    ColumnBins,
    EventStatistics,
    NumberStatistics,
    SpecialValues,
    TargetStatistics,
    find_bins,
)
from polytomy.encode import Schema, Target, aligned
from polytomy.estimators.base.input import TableEstimator, frame_library
from polytomy.estimators.base.parameters import document_parameters
from polytomy.estimators.base.rows import (
    LabelledRows,
    NumericRows,
    case_weights,
    check_class_count,
    read_labels,
    read_numbers,
)
from polytomy.estimators.base.snapshots import on_draft
from polytomy.table import ScannedTable, Table, frame_of

_TARGETS = ("auto", "classes", "numbers")
_UNSEEN = "unseen"  # the label of a cell that belongs to no bin
_DECIMALS = 4


@document_parameters
class Binning(OneToOneFeatureMixin, TransformerMixin, TableEstimator):
    """The best bins of every column by itself: ranges of numbers, or groups of categories.

    For each column, all ways to divide its values into at most ``max_bins`` bins that satisfy the
    constraints are searched by dynamic programming, and the one with the largest information value
    is kept (for more than two classes the largest information gain, for a numeric target the
    smallest squared error). Missing cells and special values have bins of their own, to which the
    constraints do not apply. A column of which no two bins satisfy the constraints has one bin.

    Ordered columns are cut between their distinct values, or between ``prebins`` if there are too
    many. Categories are grouped along the order of their event rates or means; for two classes
    and no minimum sizes no other grouping is better. For more classes the order is a heuristic.

    Parameters
    ----------
    max_bins : int
        The maximum number of bins of a column, without those of missing cells and special values.
    monotonic : {"auto", "ascending", "descending", "peak", "valley"} or None
        How event rates, or means of a numeric target, go from bin to bin of an ordered column. A
        peak may be at either end. ``"auto"`` takes the better of ascending and descending, None
        allows everything. Ignored for more than two classes if it is ``"auto"``.
    min_bin_share : float
        The minimum weight of a bin as a fraction of the weight of all rows, from 0 to 0.5.
    min_bin_count : int
        The minimum number of rows of a bin.
    min_difference : float
        The minimum difference of the event rates, or means, of neighbouring bins.
    min_category_share : float
        Categories with a smaller fraction of the weight are pooled, and new categories are
        treated like them.
    special : list, dict or None
        Values, such as -999, that have a bin of their own, for all columns; or a dict from columns
        to lists of values.
    objective : {"auto", "iv", "entropy", "gini"}
        What is maximised: the information value, or the gain of an index. ``"auto"`` is ``"iv"``
        for two classes and ``"entropy"`` for more. A numeric target has its squared error only.
    smoothing : float
        What makes the weight of evidence of a bin without events, or with nothing else, finite:
        this weight of rows of the rarer class, and as large a part of the other class, are added
        to such a bin. Other bins are not smoothed. With 0, the objective ``"iv"`` needs events and
        others in each bin.
    target : {"auto", "classes", "numbers"}
        How to read y. ``"auto"`` takes it as numbers if it has fractions.
    event : object or None
        The class whose rate is reported. None is the second of two classes in sorted order.
        With more than two classes, it makes all others one class.
    metric : str
        What ``transform`` replaces a cell by: ``"woe"`` (weight of evidence), ``"event_rate"``,
        ``"mean"``, ``"bin"`` (its number, from 0) or ``"label"`` (in words). ``"auto"`` is
        ``"woe"`` for two classes, ``"mean"`` for a numeric target and ``"bin"`` for more classes.
    prebins : int or "auto"
        The maximum number of distinct values, or of bins of about equal weight if there are more
        values, that ordered columns are cut between; at most 2000. ``"auto"`` keeps up to 500
        distinct values and makes 255 bins of more. Of categories that remain after pooling, those
        with similar rates are joined if there are more.

    Attributes
    ----------
    classes_ : ndarray
        The classes; empty for a numeric target.
    event_ : object or None
        The class whose rate is reported; None if y has more classes or is numeric.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray of str
        The names of the columns, if X has names.

    Examples
    --------
    >>> from polytomy import Binning
    >>> age = [[21], [25], [28], [33], [38], [41], [47], [52], [58], [63]]
    >>> binning = Binning(max_bins=3).fit(age, list("nnnnynyyny"))
    >>> print(binning.to_text("x0"))
    x0: iv 2.1417, ascending
    bin         count   share  events  event_rate      woe      iv
    <= 35.5         4  0.4000       0      0.0000  -1.8458  1.2306
    35.5 to 44      2  0.2000       1      0.5000   0.4055  0.0338
    > 44            4  0.4000       3      0.7500   1.5041  0.8774
    >>> binning.transform([[30], [None]]).round(4).tolist()
    [[-1.8458], [0.0]]
    """

    classes_: AnyArray
    event_: Any
    _columns: tuple[ColumnBins, ...]
    _statistics: TargetStatistics
    _library: str | None

    def __init__(
        self,
        max_bins: int = 6,
        *,
        monotonic: str | None = "auto",
        min_bin_share: float = 0.05,
        min_bin_count: int = 1,
        min_difference: float = 0.0,
        min_category_share: float = 0.01,
        special: Any = None,
        objective: str = "auto",
        smoothing: float = 0.5,
        target: str = "auto",
        event: Any = None,
        metric: str = "auto",
        prebins: int | str = "auto",
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
    ) -> None:
        self.max_bins = max_bins
        self.monotonic = monotonic
        self.min_bin_share = min_bin_share
        self.min_bin_count = min_bin_count
        self.min_difference = min_difference
        self.min_category_share = min_category_share
        self.special = special
        self.objective = objective
        self.smoothing = smoothing
        self.target = target
        self.event = event
        self.metric = metric
        self.prebins = prebins
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        """Declare that a target is needed."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        """Return whether ``fit`` has finished."""
        return hasattr(self, "_columns")

    def __str__(self) -> str:
        """Return the summary of a fitted binning as text."""
        return self.to_text() if self.__sklearn_is_fitted__() else repr(self)

    @on_draft
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the best bins of every column.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_columns)
            The rows. Cells may be missing.
        y : array of shape (n_rows,)
            The classes or numbers.
        sample_weight : array of shape (n_rows,), default=None
            The weights of the rows, which count as that many rows; None if all are 1.

        Returns
        -------
        Binning
            The estimator itself.
        """
        params = self._params()
        special = SpecialValues.of(self.special)
        X, y, sample_weight = self._lazy_rows(X, y, sample_weight)
        rows = self._learn_target(self._learn_table(X), y, sample_weight)
        statistics = self._statistics_of(rows, params.smoothing)
        target: Target = rows.target
        self._columns = find_bins(rows.table, target, statistics, params, special, self._threads())
        self._statistics = statistics
        self._library = frame_library(X)
        self._chosen_metric(self.metric)
        return self

    def transform(self, X: Any, metric: str | None = None) -> AnyArray:
        """Replace each cell by a value of its bin.

        A cell that belongs to no bin, because it is missing in a column without missing cells in
        training, or a new category where no category was rare, gets a weight of evidence of 0, the
        event rate or mean of all training rows, the number -1, or the label ``"unseen"``.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_columns)
            The rows.
        metric : str, default=None
            What to return, as the parameter ``metric`` of the class; None for that of the class.

        Returns
        -------
        ndarray of shape (n_rows, n_columns)
            Numbers, or objects for ``"label"``.
        """
        check_is_fitted(self)
        chosen = self._chosen_metric(self.metric if metric is None else metric)
        schema = self._schema
        table = self._known_table(X, schema)
        dtype = {"label": object, "bin": np.int64}.get(chosen, np.float64)
        out = np.empty((table.n_rows, len(self._columns)), dtype=dtype)
        values = [self._values(column, chosen) for column in self._columns]
        for start, part in table.parts() if isinstance(table, ScannedTable) else [(0, table)]:
            rows = slice(start, start + part.n_rows)
            cells = zip(self._columns, part.columns, aligned(part, schema), strict=True)
            for j, (column, raw, held) in enumerate(cells):
                out[rows, j] = values[j][column.bins(raw, held)]
        return out

    def table(self, column: str | int, backend: str | None = None) -> Any:
        """Return the bins of a column as a data frame.

        Parameters
        ----------
        column : str or int
            The name or the position of the column.
        backend : {"pandas", "polars", "pyarrow"}, default=None
            The library of the data frame; by default that of the rows of ``fit``, or the first
            that is installed.

        Returns
        -------
        data frame
            A row for each bin: ``bin`` in words, ``count`` (rows), ``share`` (of the weight), and
            ``events``, ``event_rate``, ``woe`` and ``iv`` for two classes, ``mean`` and ``r2`` for
            a numeric target, or the share of each class and ``gain`` for more classes. The last
            of these add up to the column's score in ``summary``.
        """
        held = self._column(column)
        return frame_of(self._table(held), backend or self._library)

    def summary(self, backend: str | None = None) -> Any:
        """Return a data frame with a row for each column, the most informative first.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, default=None
            The library of the data frame; by default that of the rows of ``fit``, or the first
            that is installed.

        Returns
        -------
        data frame
            ``column``; ``kind``, which is ``"ordered"`` or ``"nominal"``; the score: ``iv`` (the
            information value), ``r2`` (share of the variance) or ``gain`` (in bits); ``bins``,
            without those of missing cells and special values; ``trend`` of the rates; ``missing``,
            the share of missing cells.
        """
        return frame_of(self._summary(), backend or self._library)

    def to_text(self, column: str | int | None = None, max_width: int = 100) -> str:
        """Return the bins of a column, or the summary of all columns, as text.

        Parameters
        ----------
        column : str or int, default=None
            The name or the position of the column; None for all columns.
        max_width : int, default=100
            The maximum length of a line. Longer lines are cut.

        Returns
        -------
        str
            A line about the column or the columns, and a table.
        """
        if column is None:
            held = self._summary()
            lines = [count(len(held["column"]), "column")]
        else:
            found = self._column(column)
            score = f"{self._statistics.score} {self._score(found):.{_DECIMALS}f}"
            held = self._table(found)
            lines = [", ".join(filter(None, [f"{found.name}: {score}", found.trend]))]
        lines += _text_lines(held)
        return "\n".join(shorten(line, max_width) for line in lines)

    @property
    def _schema(self) -> Schema:
        return Schema(tuple(column.spec for column in self._columns))

    def _params(self) -> BinParams:
        if not isinstance(self.target, str) or self.target not in _TARGETS:
            raise ParameterError(
                f"target must be one of {', '.join(_TARGETS)}, got {self.target!r}"
            )
        names = BinParams.__dataclass_fields__
        return BinParams(**{name: getattr(self, name) for name in names})

    def _learn_target(self, table: Table, y: Any, sample_weight: Any) -> LabelledRows:
        """Return the rows with their target, without those of weight 0."""
        rows: LabelledRows
        if self._is_numeric(y):
            numbers = read_numbers(y, table.n_rows)
            self.classes_, self.event_ = np.empty(0), None
            rows = NumericRows(table, numbers, case_weights(sample_weight, numbers), 0)
            return rows.with_weight()[0]
        self.classes_, labels = read_labels(y, table.n_rows)
        check_class_count(self.classes_)
        names = self.classes_.tolist()
        if self.event is not None:
            if self.event not in names:
                raise ParameterError(f"event must be a class of y, one of {names[:10]}")
            labels = (labels == names.index(self.event)).astype(np.uint16)
        elif len(names) == 1:
            raise TargetError(f"y has one class, {names[0]!r}; bins need at least two")
        self.event_ = names[1] if self.event is None and len(names) == 2 else self.event
        n_classes = len(names) if self.event_ is None else 2
        weights = case_weights(sample_weight, labels)
        return LabelledRows(table, labels, weights, n_classes).with_weight()[0]

    def _is_numeric(self, y: Any) -> bool:
        if self.target == "auto" and self.event is None and y is not None:
            values = np.asarray(y)
            return values.dtype.kind == "f" and bool((values != np.trunc(values)).any())
        return self.target == "numbers"

    def _statistics_of(self, rows: LabelledRows, smoothing: float) -> TargetStatistics:
        if isinstance(rows, NumericRows):
            return NumberStatistics.of(rows.target)
        if self.event_ is None:
            return ClassStatistics.of(rows.target, tuple(self.classes_.tolist()))
        statistics = EventStatistics.of(rows.target, smoothing)
        if not (statistics.totals > 0).all():
            what = "events" if statistics.totals[1] == 0 else "rows other than events"
            raise TargetError(f"there are no {what} with a positive weight; bins need both")
        return statistics

    def _chosen_metric(self, metric: Any) -> str:
        known = self._statistics.metrics
        if isinstance(metric, str) and metric in ("auto", *known):
            return known[0] if metric == "auto" else metric
        raise ParameterError(f"metric must be one of auto, {', '.join(known)}, got {metric!r}")

    def _values(self, column: ColumnBins, metric: str) -> AnyArray:
        """Return the value of each bin; the last one is for cells without a bin."""
        if metric == "label":
            return np.array([*column.labels, _UNSEEN], dtype=object)
        if metric == "bin":
            return np.append(np.arange(len(column.labels)), -1)
        values: FloatArray = self._statistics.columns(column.components)[metric]
        return np.append(values, self._statistics.neutral(metric))

    def _column(self, which: Any) -> ColumnBins:
        check_is_fitted(self)
        names = [column.name for column in self._columns]
        if isinstance(which, str) and which in names:
            return self._columns[names.index(which)]
        if isinstance(which, int | np.integer) and -len(names) <= which < len(names):
            return self._columns[which]
        raise ParameterError(f"there is no column {which!r}; the first columns are {names[:10]}")

    def _score(self, column: ColumnBins) -> float:
        return float(self._statistics.columns(column.components)[self._statistics.score].sum())

    def _table(self, column: ColumnBins) -> dict[str, list[Any]]:
        statistics = self._statistics.columns(column.components)
        return {
            "bin": list(column.labels),
            "count": column.rows.tolist(),
            "share": column.shares.tolist(),
            **{name: values.tolist() for name, values in statistics.items()},
        }

    def _summary(self) -> dict[str, list[Any]]:
        check_is_fitted(self)
        scores = [self._score(column) for column in self._columns]
        order = sorted(range(len(scores)), key=lambda j: (-scores[j], j))
        columns = [self._columns[j] for j in order]
        shares = [0.0 if c.missing_bin < 0 else float(c.shares[c.missing_bin]) for c in columns]
        return {
            "column": [c.name for c in columns],
            "kind": [c.spec.kind for c in columns],
            self._statistics.score: [scores[j] for j in order],
            "bins": [c.n_regular for c in columns],
            "trend": [c.trend for c in columns],
            "missing": shares,
        }


def binning(
    X: Any, y: Any, max_bins: int = 6, *, sample_weight: Any = None, **options: Any
) -> Binning:
    """Return the best bins of every column.

    Parameters
    ----------
    X : array or data frame of shape (n_rows, n_columns)
        The rows. Cells may be missing.
    y : array of shape (n_rows,)
        The classes or numbers.
    max_bins : int, default=6
        The maximum number of bins of a column.
    sample_weight : array of shape (n_rows,), default=None
        The weights of the rows; None if all are 1.
    **options : Any
        Further parameters of ``Binning``.

    Returns
    -------
    Binning
        The fitted transformer. ``summary()`` and ``table(column)`` are data frames.

    Examples
    --------
    >>> import polytomy
    >>> bins = polytomy.binning([[1], [2], [3], [4]], [0, 1, 1, 1], max_bins=2)
    >>> bins.transform([[1], [3]], metric="label").tolist()
    [['<= 1.5'], ['> 1.5']]
    """
    return Binning(max_bins, **options).fit(X, y, sample_weight)


def _text_lines(table: dict[str, list[Any]]) -> list[str]:
    """Return columns as lines of text: words to the left, numbers to the right."""
    columns = [_padded([name, *_words(values)], values) for name, values in table.items()]
    return ["  ".join(line).rstrip() for line in zip(*columns, strict=True)]


def _words(values: list[Any]) -> list[str]:
    """Return values as text; decimals only if any number has some."""
    is_whole = all(not isinstance(value, float) or value.is_integer() for value in values)
    decimals = 0 if is_whole else _DECIMALS
    return [f"{v:.{decimals}f}" if isinstance(v, float) else str(v) for v in values]


def _padded(cells: list[str], values: list[Any]) -> list[str]:
    width = max(map(len, cells))
    side = "<" if all(isinstance(value, str) for value in values) else ">"
    return [f"{cell:{side}{width}}" for cell in cells]
