"""Databases that Ibis can talk to, other than DuckDB."""

from collections.abc import Mapping, Sequence
from typing import Any

from polytomy._errors import ParameterError, TableError
from polytomy._types import AnyArray
from polytomy.table import Numbers
from polytomy.table.arrays import BOOLEANS

from .database import SQL, Cell, CellType, Database, new_name, no_such_table

_MOST_TEXTS = 10_000  # longer CASE expressions take too long
_WITHOUT_GROUPING_SETS = ("sqlite", "mysql", "exasol", "druid", "impala")


class IbisDatabase(Database):
    """A database behind a connection of Ibis.

    Queries are translated by sqlglot, which Ibis is built on. Columns are numbers, booleans and
    text; times must be converted in a view.

    Parameters
    ----------
    backend : ibis.backends.BaseBackend
        A connection.
    """

    def __init__(self, backend: Any) -> None:
        super().__init__()
        self._backend = backend
        self._table: Any = None
        self._cells: Any = None
        self.has_grouping_sets = backend.name not in _WITHOUT_GROUPING_SETS

    def open_table(self, name: str) -> dict[str, CellType | str]:
        """Choose a table; return the type of each column, or its name if no tree can use it."""
        if not isinstance(name, str):
            raise TableError(f"table must be the name of a table or view, got {name!r}")
        known = self._backend.list_tables()
        *schema, last = [name] if name in known else name.split(".")
        if not schema and name not in known:
            raise no_such_table(name, known)
        self._table = self._backend.table(last, database=tuple(schema) or None)
        return {str(n): _cell_type(dtype) for n, dtype in self._table.schema().items()}

    def define(self, cells: Mapping[str, Cell]) -> None:
        """Declare the columns of ``cells``, which later queries read."""
        import ibis  # type: ignore[import-not-found,unused-ignore]  # noqa: PLC0415
        import sqlglot  # noqa: PLC0415

        held = self._table
        columns = {alias: self._expression(held[cell.name], cell) for alias, cell in cells.items()}
        text = ibis.to_sql(held.select(**columns), dialect=self._backend.name)
        self._cells = sqlglot.parse_one(str(text), read=self._backend.dialect)

    def fetch(self, sql: str, **types: str) -> dict[str, AnyArray]:
        """Return the result of a query without NULLs; ``types`` are its columns, in order."""
        self.queries += 1
        found = self._backend.sql(self._translated(sql), schema=types).to_pyarrow()
        return {name: found[name].to_numpy() for name in types}

    def store(self, sql: str) -> str:
        """Store the result of a query in a temporary table, and return the name of that."""
        self.queries += 1
        name = new_name()
        try:
            done = self._backend.raw_sql(
                f"CREATE TEMPORARY TABLE {name} AS {self._translated(sql)}"
            )
        except Exception as error:
            raise ParameterError(
                f"a temporary table cannot be made ({str(error).splitlines()[0]}); try "
                "temporary=False"
            ) from error
        _close(done)
        return name

    def drop(self, name: str) -> None:
        """Drop a temporary table."""
        _close(self._backend.raw_sql(f"DROP TABLE IF EXISTS {name}"))

    def code_of_text(self, x: str, values: Sequence[str], what: str) -> str:
        """Return an expression for the position of text among distinct values."""
        if len(values) > _MOST_TEXTS:
            raise TableError(
                f"{what} has {len(values):,} values, more than the {_MOST_TEXTS:,} that can be "
                "encoded outside DuckDB; drop this column"
            )
        cases = (f"WHEN {SQL.text(v, what)} THEN {i}" for i, v in enumerate(values))
        return f"CASE {x} {' '.join(cases)} END"

    def whole(self, x: str) -> str:
        """Raise an error: engines round in different ways."""
        raise ParameterError(
            "numeric targets, and weights that are not integers, need DuckDB: other databases "
            f"round in ways of their own ({x})"
        )

    def _expression(self, column: Any, cell: Cell) -> Any:
        """Return a user's column as a column of ``cells``."""
        import ibis  # noqa: PLC0415  # an optional package

        if cell.as_number:
            column = column.cast("int8") if cell.type.kind == "boolean" else column
            column = column.cast("float64")
        # SQLite, for example, has no NaN.
        if cell.type.kind == "float" and self._backend.has_operation(ibis.expr.operations.IsNan):
            column = ibis.cases((column.isnan(), ibis.null()), else_=column)
        return column

    def _translated(self, sql: str) -> str:
        import sqlglot  # noqa: PLC0415  # Ibis needs it too

        query: Any = sqlglot.parse_one(sql, read="duckdb")
        if self._cells is not None:
            query = query.with_("cells", as_=self._cells)
        return str(query.sql(dialect=self._backend.dialect))


def _cell_type(dtype: Any) -> CellType | str:
    if dtype.is_boolean():
        return CellType("boolean", BOOLEANS, str(dtype))
    if dtype.is_integer():
        return CellType("integer", Numbers(), str(dtype))
    if dtype.is_floating():
        return CellType("float", Numbers(), str(dtype))
    if dtype.is_decimal():
        return CellType("decimal", Numbers(), str(dtype))
    return CellType("text", None, str(dtype)) if dtype.is_string() else str(dtype)


def _close(cursor: Any) -> None:
    if hasattr(cursor, "close"):
        cursor.close()
