"""The target of a table: its classes, and the weights of its rows as integers."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.class_weight import compute_class_weight

from polytomy._errors import TargetError
from polytomy._types import AnyArray, FloatArray, IntArray
from polytomy.encode import check_total_weight, unit_exponent
from polytomy.estimators.rows import read_labels

from .bins import Rows
from .coding import position
from .database import SQL, CellType, Database

_MOST_CLASSES = 1 << 16
_SHOWN = 3  # copies of a class that are enough to recognise classes


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


class WeighedRows(NamedTuple):
    """The rows of positive weight, the weight of one unit, and the units of each class."""

    rows: Rows
    unit: float
    counts: IntArray


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
    found = database.fetch(
        "SELECT count(*) AS n, count(y) AS known FROM cells", n="int64", known="int64"
    )
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
    ordered = np.zeros(len(classes), dtype=np.int64)
    ordered[numbers[np.cumsum(np.minimum(counts, _SHOWN)) - 1]] = counts
    label = position(database, "y", cells.kind, classes.tolist(), f"target {name!r}")
    return Labels(classes, ordered, label)


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


def weigh(
    database: Database, labels: Labels, name: str | None, factors: FloatArray | None
) -> WeighedRows:
    """Return the rows with their class number and their weight as an integer.

    Parameters
    ----------
    database : Database
        The database; column ``w`` of ``cells`` has the weights, if ``name`` is given.
    labels : Labels
        The classes.
    name : str or None
        The user's name of the weights.
    factors : ndarray or None
        The weights of the classes.

    Returns
    -------
    WeighedRows
        The rows.
    """
    relation = f"(SELECT *, {labels.label} AS label FROM cells) AS labelled"
    n_rows = int(labels.n_rows.sum())
    if name is None and factors is None:
        return WeighedRows(Rows(relation, n_rows, weighted=False), 1.0, labels.n_rows)
    terms = [] if name is None else ["w"]
    if factors is not None:
        cases = (f"WHEN {c} THEN {SQL.number(float(f))}" for c, f in enumerate(factors))
        terms.append(f"CASE label {' '.join(cases)} END")
    relation = f"(SELECT *, {' * '.join(terms)} AS weight FROM {relation}) AS weighed"
    facts = _weight_facts(database, relation, name)
    least = 0.0
    if facts.least < facts.most:  # leave out rows below one unit
        least = 0.0 if facts.whole else float(np.ldexp(1.0, -facts.exponent - 1))
        if facts.least <= least:
            relation = f"(SELECT * FROM {relation} WHERE weight > {SQL.number(least)}) AS kept"
            facts = _weight_facts(database, relation, name)
    weighted = facts.least < facts.most
    unit = float(np.ldexp(1.0, -facts.exponent)) if weighted else facts.least
    if weighted:
        scaled = f"weight * {SQL.number(float(np.ldexp(1.0, facts.exponent)))}"
        whole = "CAST(weight AS BIGINT)" if facts.exponent == 0 else database.whole(scaled)
        relation = f"(SELECT *, {whole} AS u FROM {relation}) AS rows_in_units"
    rows = Rows(relation, facts.n_rows, weighted)
    return WeighedRows(rows, unit, _counts(database, rows, len(labels.classes)))


class _WeightFacts(NamedTuple):
    n_rows: int
    least: float
    most: float
    total: float
    whole: bool

    @property
    def exponent(self) -> int:
        return unit_exponent(self.total, whole=self.whole)


def _weight_facts(database: Database, relation: str, name: str | None) -> _WeightFacts:
    sql = (
        "SELECT count(*) AS n, count(weight) AS known, COALESCE(min(weight), 0.0) AS least, "
        "COALESCE(max(weight), 0.0) AS most, COALESCE(sum(weight), 0.0) AS total, "
        "sum(CASE WHEN weight = floor(weight) THEN 0 ELSE 1 END) AS broken "
        f"FROM {relation}"
    )
    floats = dict.fromkeys(("least", "most", "total"), "float64")
    found = database.fetch(sql, n="int64", known="int64", **floats, broken="int64")
    n_rows, known = int(found["n"][0]), int(found["known"][0])
    least, most, total = (float(found[k][0]) for k in ("least", "most", "total"))
    what = "class weights" if name is None else f"weights {name!r}"
    if known < n_rows:
        raise TargetError(f"{n_rows - known:,} of {n_rows:,} {what} are missing")
    if not np.isfinite([least, most]).all():
        raise TargetError(f"{what} must be finite, but are from {least:g} to {most:g}")
    if least < 0:
        raise TargetError(f"{what} must not be negative; the least is {least:g}")
    if most == 0:
        raise TargetError(f"all {what} are zero")
    check_total_weight(total)
    return _WeightFacts(n_rows, least, most, total, int(found["broken"][0]) == 0)


def _counts(database: Database, rows: Rows, n_classes: int) -> IntArray:
    """Return the units of each class."""
    units = "CAST(sum(u) AS BIGINT)" if rows.weighted else "count(*)"
    found = database.fetch(
        f"SELECT label, {units} AS n FROM {rows.relation} GROUP BY label", label="int64", n="int64"
    )
    counts = np.zeros(n_classes, dtype=np.int64)
    counts[np.asarray(found["label"], dtype=np.int64)] = found["n"]
    return counts
