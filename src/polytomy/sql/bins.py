"""The bins and categories of a table's columns, found by queries."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from polytomy._errors import TableError
from polytomy._types import AnyArray, IntArray
from polytomy.encode import ColumnSpec, NominalColumn, OrderedColumn, Schema
from polytomy.io.identifiers import MAX_CATEGORIES

from .database import CellType, Database

_PROBED = 20_000  # rows that show which columns have many values


class Limits(NamedTuple):
    """One bin per value for up to ``max_values`` of them, or else ``max_bins`` quantiles."""

    max_values: int
    max_bins: int


class Column(NamedTuple):
    """A predictor: its name, its type, and whether it is categorical; ``x`` is its SQL name."""

    x: str
    name: str
    type: CellType
    is_nominal: bool


class Rows(NamedTuple):
    """The rows of positive weight.

    Parameters
    ----------
    relation : str
        The SQL of the rows, for a FROM clause.
    n_rows : int
        Their number.
    weighted : bool
        Whether they have a column ``u`` of integer weights.
    """

    relation: str
    n_rows: int
    weighted: bool


def read_schema(
    database: Database, rows: Rows, columns: Sequence[Column], limits: Limits
) -> Schema:
    """Return the schema that ``polytomy.encode.encode`` gives to the same rows in memory.

    Parameters
    ----------
    database : Database
        The database, with the columns in ``cells``.
    rows : Rows
        The rows.
    columns : sequence of Column
        The predictors.
    limits : Limits
        The numbers of bins.

    Returns
    -------
    Schema
        The bins and categories.
    """
    present, totals = _totals(database, rows, columns)
    many = _with_many_values(database, rows, columns, limits.max_values)
    few = [c for c in columns if not c.is_nominal and c.x not in many]
    values = _distinct_numbers(database, rows, few, limits.max_values)
    texts = _distinct_texts(database, rows, columns)
    specs: list[ColumnSpec] = []
    for j, column in enumerate(columns):
        has_missing = int(present[j]) < rows.n_rows
        if column.is_nominal:
            found = texts.get(column.x)
            categories = _categories(database, rows, column) if found is None else found
            specs.append(NominalColumn(column.name, tuple(categories), has_missing))
            continue
        low = high = values.get(column.x, np.empty(0))
        if column.x in many or len(low) > limits.max_values:
            low, high = _quantiles(database, rows, column.x, int(totals[j]), limits.max_bins)
        assert column.type.scale is not None
        specs.append(OrderedColumn(column.name, low, high, has_missing, column.type.scale))
    return Schema(tuple(specs))


def _totals(database: Database, rows: Rows, columns: Sequence[Column]) -> tuple[IntArray, IntArray]:
    """Return the number and the weight of the rows whose cell is present, for each column."""
    wanted = [f"count({c.x}) AS n{j}" for j, c in enumerate(columns)]
    names = [f"n{j}" for j in range(len(columns))]
    if rows.weighted:
        wanted += [
            f"CAST(COALESCE(sum(CASE WHEN {c.x} IS NOT NULL THEN u END), 0) AS BIGINT) AS t{j}"
            for j, c in enumerate(columns)
        ]
        names += [f"t{j}" for j in range(len(columns))]
    sql = f"SELECT {', '.join(wanted)} FROM {rows.relation}"
    found = database.fetch(sql, **dict.fromkeys(names, "int64"))
    numbers = np.array([int(found[name][0]) for name in names], dtype=np.int64)
    return numbers[: len(columns)], numbers[-len(columns) :]


def _with_many_values(
    database: Database, rows: Rows, columns: Sequence[Column], most: int
) -> set[str]:
    """Return the ordered columns with more than ``most`` values in the first rows."""
    ordered = [c.x for c in columns if not c.is_nominal]
    if not ordered or rows.n_rows <= most:
        return set()
    counted = ", ".join(f"count(DISTINCT {x}) AS {x}" for x in ordered)
    first = f"SELECT {', '.join(ordered)} FROM {rows.relation} LIMIT {max(_PROBED, 2 * most)}"
    found = database.fetch(
        f"SELECT {counted} FROM ({first}) AS probed", **dict.fromkeys(ordered, "int64")
    )
    return {x for x in ordered if int(found[x][0]) > most}


def _distinct_numbers(
    database: Database, rows: Rows, columns: Sequence[Column], most: int
) -> dict[str, AnyArray]:
    """Return the values of ordered columns in ascending order, at most one more than ``most``."""
    found = _distinct(database, rows, columns, most, "float64")
    return {x: np.sort(values.astype(np.float64) + 0.0) for x, values in found.items()}  # no -0


def _distinct_texts(
    database: Database, rows: Rows, columns: Sequence[Column]
) -> dict[str, list[str]]:
    """Return the categories of the columns of text, sorted by code points."""
    texts = [c for c in columns if c.is_nominal and c.type.kind == "text"]
    found = _distinct(database, rows, texts, MAX_CATEGORIES, "string")
    for column in texts:
        _check_number(column, len(found[column.x]))
    return {x: sorted(values.tolist()) for x, values in found.items()}


def _distinct(
    database: Database, rows: Rows, columns: Sequence[Column], most: int, dtype: str
) -> dict[str, AnyArray]:
    """Return the distinct values of some columns of one type, with a single query."""
    if not columns:
        return {}
    parts = " UNION ALL ".join(
        f"SELECT {j} AS j, v FROM ("
        f"SELECT DISTINCT {c.x} AS v FROM {rows.relation} WHERE {c.x} IS NOT NULL LIMIT {most + 1}"
        f") AS d{j}"
        for j, c in enumerate(columns)
    )
    found = database.fetch(parts, j="int64", v=dtype)
    return {c.x: found["v"][found["j"] == j] for j, c in enumerate(columns)}


def _categories(database: Database, rows: Rows, column: Column) -> list[Any]:
    """Return the sorted categories of a column of numbers or booleans."""
    x, kind = column.x, column.type.kind
    sql = (
        f"SELECT DISTINCT {x} AS v FROM {rows.relation} WHERE {x} IS NOT NULL "
        f"LIMIT {MAX_CATEGORIES + 1}"
    )
    dtype = {"boolean": "boolean", "integer": "int64"}.get(kind, "float64")
    found = database.fetch(sql, v=dtype)["v"]
    _check_number(column, len(found))
    return sorted(found.tolist())


def _check_number(column: Column, n: int) -> None:
    if n > MAX_CATEGORIES:
        raise TableError(
            f"column {column.name!r} has more than {MAX_CATEGORIES:,} categories; drop this column"
        )


def _quantiles(
    database: Database, rows: Rows, x: str, total: int, max_bins: int
) -> tuple[AnyArray, AnyArray]:
    """Return the lower and upper ends of bins of about equal weight.

    Bin b ends at the first value up to which the weight is at least total (b + 1) / max_bins, less
    the slack of the tie rule. So the bin of a value is, by the weight below the value, the integer
    part of max_bins (below + slack) / total, but at most max_bins - 1. To round nothing, values are
    grouped by this integer times the total.
    """
    slack, last = total >> 40, total * (max_bins - 1)
    if rows.weighted:
        below = (
            "SELECT v, sum(w) OVER (ORDER BY v ROWS UNBOUNDED PRECEDING) - w AS below FROM ("
            f"SELECT {x} AS v, sum(u) AS w FROM {rows.relation} WHERE {x} IS NOT NULL GROUP BY {x}"
            ") AS weighed"
        )
    else:
        below = (
            f"SELECT {x} AS v, rank() OVER (ORDER BY {x}) - 1 AS below FROM {rows.relation} "
            f"WHERE {x} IS NOT NULL"
        )
    part = f"{max_bins} * (below + {slack})"
    sql = (
        "SELECT min(v) AS low, max(v) AS high FROM ("
        f"SELECT v, CASE WHEN {part} < {last} THEN {part} - ({part}) % {total} ELSE {last} END "
        f"AS bin FROM ({below}) AS ranked) AS binned GROUP BY bin ORDER BY low"
    )
    found = database.fetch(sql, low="float64", high="float64")
    return found["low"] + 0.0, found["high"] + 0.0
