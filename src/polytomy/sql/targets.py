"""Targets in a database: what they have in common, and classes."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.utils.class_weight import compute_class_weight

from polytomy._errors import TargetError
from polytomy._types import AnyArray, FloatArray, IntArray
from polytomy.encode import Target
from polytomy.estimators.base.rows import read_labels
from polytomy.grow import Histograms, SampleTotals, TargetFacts

from .coding import position, type_of_codes
from .database import SQL, CellType, Database
from .weights import WeighedRows

_MOST_CLASSES = 1 << 16
_SHOWN = 3  # copies of a class that are enough to recognise classes

Found = Mapping[str, AnyArray]
"""The columns of a result."""


class StoredTarget(ABC):
    """A target whose rows are in a database.

    Attributes
    ----------
    facts : TargetFacts
        What a fit must know of the target.
    totals : SampleTotals
        The totals of a source of histograms.
    cells : dict from str to (str, str)
        The columns to store beside the codes: their SQL and their types.
    groups : tuple of str
        The stored columns that histograms group by.
    sums : dict from str to str
        The sums of a histogram by name: the stored columns that they are of.
    """

    facts: TargetFacts
    totals: SampleTotals
    cells: dict[str, tuple[str, str]]
    groups: ClassVar[tuple[str, ...]]
    sums: dict[str, str]

    @abstractmethod
    def histograms(self, found: Found, shape: tuple[int, int]) -> list[Histograms]:
        """Return histograms from the sums of each part and code; ``shape`` is their number."""

    @abstractmethod
    def taken(self, found: Found) -> Target:
        """Return the target of some rows, given their stored columns."""


class Labels(NamedTuple):
    """The classes of the target.

    Parameters
    ----------
    classes : ndarray
        The classes in ascending order.
    n_rows : int64 array
        The number of rows of each class.
    label : str
        The SQL of a row's class number.
    """

    classes: AnyArray
    n_rows: IntArray
    label: str


class StoredClasses(StoredTarget):
    """Classes in a database.

    Parameters
    ----------
    database : Database
        The database.
    weighed : WeighedRows
        The rows with their class numbers, ``label``, and weights.
    n_classes : int
        The number of classes.
    """

    groups: ClassVar[tuple[str, ...]] = ("label",)

    def __init__(self, database: Database, weighed: WeighedRows, n_classes: int) -> None:
        rows = weighed.rows
        units = "CAST(sum(u) AS BIGINT)" if rows.weighted else "count(*)"
        found = database.fetch(
            f"SELECT label, {units} AS n FROM {rows.relation} GROUP BY label",
            label="int64",
            n="int64",
        )
        counts = np.zeros(n_classes, dtype=np.int64)
        counts[np.asarray(found["label"], dtype=np.int64)] = found["n"]
        self.facts = TargetFacts(rows.n_rows, counts, weighed.unit, rows.weighted, weighed.unit)
        self.totals = SampleTotals(counts, rows.n_rows, rows.weighted)
        self.cells = {"label": ("label", type_of_codes(n_classes))}
        self.sums = {}
        if rows.weighted:
            self.cells["u"] = "u", "BIGINT"
            self.sums["units"] = "u"

    def histograms(self, found: Found, shape: tuple[int, int]) -> list[Histograms]:
        """Return histograms from the sums of each part and code; ``shape`` is their number."""
        at = found["part"], found["code"], found["label"]
        n_rows = spread((*shape, self.facts.n_classes), at, found["n"])
        if not self.facts.weighted:
            return [Histograms(counts, None) for counts in n_rows]
        units = spread(n_rows.shape, at, found["units"])
        return [Histograms(u, n.sum(axis=1)) for u, n in zip(units, n_rows, strict=True)]

    def taken(self, found: Found) -> Target:
        """Return the target of some rows, given their stored columns."""
        units = found["u"].astype(np.int64) if self.facts.weighted else None
        labels = found["label"].astype(np.uint16)
        return Target(labels, units, self.facts.unit, self.facts.n_classes)


def check_known(database: Database, name: str) -> int:
    """Return the number of rows; raise an error if there are none, or if a target is missing.

    Parameters
    ----------
    database : Database
        The database, with the target in column ``y`` of ``cells``.
    name : str
        The user's name of the target.
    """
    sql = "SELECT count(*) AS n, count(y) AS known FROM cells"
    found = database.fetch(sql, n="int64", known="int64")
    n_rows, known = int(found["n"][0]), int(found["known"][0])
    if n_rows == 0:
        raise TargetError("the table has no rows")
    if known == 0:
        raise TargetError(f"all {n_rows:,} cells of the target {name!r} are missing")
    if known < n_rows:
        raise TargetError(
            f"{n_rows - known:,} of {n_rows:,} cells of the target {name!r} are missing; fit on a "
            "view without these rows"
        )
    return n_rows


def read_classes(database: Database, name: str, cells: CellType) -> Labels:
    """Return the classes of the target, column ``y`` of ``cells``.

    Parameters
    ----------
    database : Database
        The database.
    name : str
        The user's name of the target.
    cells : CellType
        The type of its cells.

    Returns
    -------
    Labels
        The classes.
    """
    dtype = {"text": "string", "boolean": "boolean", "integer": "int64"}.get(cells.kind, "float64")
    found = database.fetch(
        f"SELECT y AS value, count(*) AS n FROM cells GROUP BY y LIMIT {_MOST_CLASSES + 1}",
        value=dtype,
        n="int64",
    )
    values, counts = found["value"], np.asarray(found["n"], dtype=np.int64)
    if len(values) > _MOST_CLASSES:
        raise TargetError(
            f"the target {name!r} has more than {_MOST_CLASSES:,} classes; use a TreeRegressor for "
            "a numeric target"
        )
    shown = np.repeat(values, np.minimum(counts, _SHOWN))
    classes, numbers = read_labels(shown, len(shown))
    n_rows = np.zeros(len(classes), dtype=np.int64)
    n_rows[numbers[np.cumsum(np.minimum(counts, _SHOWN)) - 1]] = counts
    label = position(database, "y", cells.kind, classes.tolist(), f"target {name!r}")
    return Labels(classes, n_rows, label)


def factors_of(labels: Labels, class_weight: Any) -> FloatArray | None:
    """Return the weight that ``class_weight`` gives to each class, or None if it gives none.

    Parameters
    ----------
    labels : Labels
        The classes.
    class_weight : dict, "balanced" or None
        The weights, as an estimator takes them.
    """
    if class_weight is None:
        return None
    if isinstance(class_weight, str) and class_weight == "balanced":
        # The formula of scikit-learn, which needs all rows.
        return np.asarray(labels.n_rows.sum() / (len(labels.classes) * labels.n_rows))
    every = labels.classes
    return np.asarray(compute_class_weight(class_weight, classes=every, y=every), dtype=np.float64)


def weight_of(name: str | None, factors: FloatArray | None) -> str | None:
    """Return the SQL of a row's weight, those of the classes included; None if all are 1.

    Parameters
    ----------
    name : str or None
        The user's name of the weights, column ``w`` of ``cells``.
    factors : ndarray or None
        The weights of the classes.
    """
    terms = [] if name is None else ["w"]
    if factors is not None:
        cases = (f"WHEN {c} THEN {SQL.number(float(f))}" for c, f in enumerate(factors))
        terms.append(f"CASE label {' '.join(cases)} END")
    return " * ".join(terms) if terms else None


def spread(shape: tuple[int, ...], at: tuple[AnyArray, ...], values: AnyArray) -> IntArray:
    """Return an integer array with values at some places, and zeros elsewhere."""
    out = np.zeros(shape, dtype=np.int64)
    out[tuple(np.asarray(place, dtype=np.int64) for place in at)] = values
    return out
