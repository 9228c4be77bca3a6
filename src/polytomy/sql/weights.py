"""The weights of a table's rows, as integers."""

from typing import NamedTuple

import numpy as np

from polytomy._errors import TargetError
from polytomy._types import FloatArray, IntArray
from polytomy.encode import check_total_weight, unit_exponent

from .bins import Rows
from .database import SQL, Database


class WeighedRows(NamedTuple):
    """The rows of positive weight.

    Parameters
    ----------
    rows : Rows
        The rows. They have a column ``weight`` unless all weights are 1.
    unit : float
        The weight of one unit; that of each row, if all have the same.
    total : float
        The sum of the weights.
    given : bool
        Whether there is a column ``weight``.
    """

    rows: Rows
    unit: float
    total: float
    given: bool


def weigh(
    database: Database, relation: str, n_rows: int, weight: str | None, name: str | None
) -> WeighedRows:
    """Return the rows of positive weight, with their weights as integers.

    The integers are those of ``polytomy.encode.fixed_point``.

    Parameters
    ----------
    database : Database
        The database.
    relation : str
        The SQL of all rows, for a FROM clause.
    n_rows : int
        Their number.
    weight : str or None
        The SQL of a row's weight; None if all are 1.
    name : str or None
        The user's name of the weights; None if they are those of classes only.

    Returns
    -------
    WeighedRows
        The rows.
    """
    if weight is None:
        return WeighedRows(Rows(relation, n_rows, weighted=False), 1.0, float(n_rows), given=False)
    relation = f"(SELECT *, {weight} AS weight FROM {relation}) AS weighed"
    facts = _weight_facts(database, relation, name)
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
    return WeighedRows(rows, unit, facts.total, given=True)


def weights_of_classes(
    database: Database, relation: str, n_rows: IntArray, name: str | None
) -> tuple[FloatArray, bool]:
    """Return the weight of the rows of each class, and whether all weights are integers.

    Parameters
    ----------
    database : Database
        The database.
    relation : str
        The SQL of all rows with their column ``label``, for a FROM clause.
    n_rows : int64 array
        The number of rows of each class.
    name : str or None
        The user's name of the weights, column ``w`` of ``cells``; None if all are 1.
    """
    if name is None:
        return n_rows.astype(np.float64), True
    relation = f"(SELECT *, w AS weight FROM {relation}) AS weighed"
    whole = _weight_facts(database, relation, name).whole
    sql = f"SELECT label, sum(weight) AS held FROM {relation} GROUP BY label"
    found = database.fetch(sql, label="int64", held="float64")
    held = np.zeros(len(n_rows))
    held[np.asarray(found["label"], dtype=np.int64)] = found["held"]
    return held, whole


class _WeightFacts(NamedTuple):
    n_rows: int
    least: float
    most: float
    total: float
    whole: bool  # whether all weights are integers

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
