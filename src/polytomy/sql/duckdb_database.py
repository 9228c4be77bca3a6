"""DuckDB, through its Python package."""

from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from polytomy._errors import MissingPackageError, ParameterError, TableError
from polytomy._types import AnyArray
from polytomy.table import Numbers, Times
from polytomy.table.arrays import BOOLEANS

from .database import SQL, Cell, CellType, Database, new_name, no_such_table

_INTEGERS = ("tinyint", "smallint", "integer", "bigint")
_KINDS: dict[str, CellType] = {
    "boolean": CellType("boolean", BOOLEANS, "boolean"),
    **{name: CellType("integer", Numbers(), name) for name in _INTEGERS},
    **{f"u{name}": CellType("integer", Numbers(), f"u{name}") for name in _INTEGERS},
    # NumPy has no such types: as numbers they are rounded to float64.
    **{name: CellType("decimal", Numbers(), name) for name in ("decimal", "hugeint", "uhugeint")},
    **{name: CellType("float", Numbers(), name) for name in ("float", "double")},
    **{name: CellType("text", None, name) for name in ("varchar", "enum", "uuid")},
    "date": CellType("time", Times("datetime64[D]"), "date"),
    "timestamp_s": CellType("time", Times("datetime64[s]"), "timestamp_s"),
    "timestamp_ms": CellType("time", Times("datetime64[ms]"), "timestamp_ms"),
    "timestamp": CellType("time", Times("datetime64[us]"), "timestamp"),
    "timestamp_ns": CellType("time", Times("datetime64[ns]"), "timestamp_ns"),
    "time": CellType("time", Times("timedelta64[us]"), "time"),
}
_ZONED = "timestamp with time zone"
_TICKS = {
    "timestamp_s": "epoch_us({x}) // 1000000",
    "timestamp_ms": "epoch_ms({x})",
    "timestamp_ns": "epoch_ns({x})",
}
_LAST_TICK = 2**63 - 1  # the ticks of an infinite time


class DuckDB(Database):
    """A DuckDB database.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection
        An open connection. A read-only one will do: temporary tables are not in the file.
    """

    def __init__(self, connection: Any) -> None:
        super().__init__()
        self._connection = connection
        self._table = self._cells = ""

    @classmethod
    def at(cls, path: str | PathLike[str]) -> "DuckDB":
        """Return the database of a file, opened for reading."""
        try:
            import duckdb  # noqa: PLC0415  # an optional package
        except ImportError:
            raise MissingPackageError(
                "reading a database file needs duckdb (pip install duckdb)"
            ) from None
        if not Path(path).is_file():
            raise ParameterError(f"there is no database file {fspath(path)!r}")
        try:
            return cls(duckdb.connect(fspath(path), read_only=True))
        except duckdb.Error as error:
            raise ParameterError(f"{fspath(path)} cannot be opened: {_first_line(error)}") from None

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def open_table(self, name: str) -> dict[str, CellType | str]:
        """Choose a table; return the type of each column, or its name if no tree can use it."""
        self._table = self._qualified(name)
        settings = "current_setting('TimeZone'), current_setting('preserve_insertion_order')"
        ((zone, keeps_order),) = self._connection.execute(f"SELECT {settings}").fetchall()
        self.keeps_order = bool(keeps_order)
        found = self._connection.sql(f"SELECT * FROM {self._table}")
        types = zip(found.columns, found.types, strict=True)
        kinds = _KINDS | {_ZONED: CellType("time", Times("datetime64[us]", zone), _ZONED)}
        return {name: kinds.get(dtype.id, str(dtype)) for name, dtype in types}

    def _qualified(self, name: str) -> str:
        """Return the quoted name of a table or view, which may have that of a schema before it."""
        if not isinstance(name, str):
            raise TableError(f"table must be the name of a table or view, got {name!r}")
        known = self._known_tables()
        for parts in known:
            if name.lower() in (".".join(parts[first:]).lower() for first in range(3)):
                return ".".join(map(SQL.identifier, parts))
        raise no_such_table(name, [parts[2] for parts in known])

    def table_names(self) -> list[str]:
        """Return the names of all tables and views, without those of their schemas."""
        return sorted({parts[2] for parts in self._known_tables()})

    def _known_tables(self) -> list[tuple[str, str, str]]:
        """Return the catalogue, the schema and the name of each table, nearest first."""
        try:
            found: list[tuple[str, str, str]] = self._connection.execute(
                "SELECT table_catalog, table_schema, table_name FROM information_schema.tables "
                "ORDER BY table_catalog <> 'temp', table_catalog <> current_database(), "
                "table_schema <> current_schema()"
            ).fetchall()
        except Exception as error:
            if type(error).__name__ != "ConnectionException":  # duckdb need not be imported here
                raise
            raise ParameterError(f"the connection cannot be used: {_first_line(error)}") from None
        return found

    def define(self, cells: Mapping[str, Cell]) -> None:
        """Declare the columns of ``cells``, which later queries read."""
        columns = ", ".join(f"{_expression(cell)} AS {alias}" for alias, cell in cells.items())
        self._cells = f"SELECT {columns} FROM {self._table}"

    def fetch(self, sql: str, **types: str) -> dict[str, AnyArray]:
        """Return the result of a query without NULLs; ``types`` are its columns, in order."""
        found = self._run(self._with_cells(sql)).fetchnumpy()
        return {name: np.ma.getdata(found[name]) for name in types}

    def store(self, sql: str) -> str:
        """Store the result of a query in a temporary table, and return the name of that."""
        name = new_name()
        self._run(f"CREATE TEMPORARY TABLE {name} AS {self._with_cells(sql)}")
        return name

    def drop(self, name: str) -> None:
        """Drop a temporary table."""
        self._connection.execute(f"DROP TABLE IF EXISTS {name}")

    def code_of_text(self, x: str, values: Sequence[str], what: str) -> str:
        """Return an expression for the position of text among distinct values."""
        return f"enum_code({x}::ENUM({', '.join(SQL.text(v, what) for v in values)}))"

    def whole(self, x: str) -> str:
        """Return an expression for a float64 rounded to an integer, halves to even."""
        return f"CAST(round_even({x}, 0) AS BIGINT)"

    def _with_cells(self, sql: str) -> str:
        return f"WITH cells AS NOT MATERIALIZED ({self._cells}) {sql}" if self._cells else sql

    def _run(self, sql: str) -> Any:
        self.queries += 1
        return self._connection.execute(sql)


def _expression(cell: Cell) -> str:
    """Return a user's column as a column of ``cells``."""
    x, kind = SQL.identifier(cell.name), cell.type.kind
    if kind == "text":
        return f"CAST({x} AS VARCHAR)"
    if kind == "float":
        return (
            f"NULLIF(CAST({x} AS DOUBLE), {SQL.nan})" if cell.as_number else f"NULLIF({x}, 'NaN')"
        )
    if not cell.as_number:
        return x
    return f"CAST({_ticks(x, cell.type.sql_type) if kind == 'time' else x} AS DOUBLE)"


def _ticks(x: str, sql_type: str) -> str:
    """Return a time as the integer that Arrow gives for it."""
    if sql_type == "date":
        return f"{x} - DATE '1970-01-01'"
    if sql_type == "time":
        return f"epoch_us({x})"
    ticks = _TICKS.get(sql_type, "epoch_us({x})").format(x=x)
    infinite = f"CASE WHEN {x} > TIMESTAMP '1970-01-01' THEN {_LAST_TICK} ELSE {-_LAST_TICK} END"
    return f"CASE WHEN isinf(CAST({x} AS TIMESTAMP)) THEN {infinite} ELSE {ticks} END"


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0]
