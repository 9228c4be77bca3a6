"""The rows of a table in a database, encoded there."""

from collections.abc import Sequence

from polytomy._errors import ParameterError
from polytomy._types import FloatArray, IntArray
from polytomy.encode import Coded, Schema, Target, code_dtype
from polytomy.grow import TargetFacts
from polytomy.tree import Tree

from .bins import Column, Rows
from .coding import code_expression, type_of_codes
from .database import Database
from .source import CodedRows, SqlSource
from .targets import StoredTarget


class DatabaseRows:
    """Encoded rows that stay in a database; see ``polytomy.grow.RemoteRows``.

    Parameters
    ----------
    database : Database
        The database.
    rows : Rows
        The rows in ``cells``.
    target : StoredTarget
        Their target.
    columns : sequence of Column
        The predictors.
    schema : Schema
        Their bins and categories.
    order_by : sequence of str, default=()
        The columns of ``cells`` that order the rows; empty for the order of the table.
    temporary : bool, default=True
        Whether to store the codes in a temporary table. If not, every query computes them again.
    """

    def __init__(
        self,
        database: Database,
        rows: Rows,
        target: StoredTarget,
        columns: Sequence[Column],
        schema: Schema,
        order_by: Sequence[str] = (),
        *,
        temporary: bool = True,
    ) -> None:
        self._database, self._schema, self._target = database, schema, target
        cells = dict(target.cells)
        for j, (column, spec) in enumerate(zip(columns, schema, strict=True)):
            code = code_expression(database, column, spec)
            cells[f"c{j}"] = code, type_of_codes(spec.n_values + spec.has_missing)
        self._types = {name: sql_type for name, (_, sql_type) in cells.items()}
        codes = ", ".join(f"CAST({x} AS {kind}) AS {name}" for name, (x, kind) in cells.items())
        order = f"ORDER BY {', '.join(order_by)}" if order_by else ""
        number = f"row_number() OVER ({order}) - 1 AS r"
        self._stored: str | None = None
        self._numbered: str | None = None  # the SQL of the codes with the number of each row
        has_numbers = bool(order_by) or database.keeps_order
        numbered = f"SELECT {number}, {codes} FROM {rows.relation}"
        if temporary:
            # Row ids would not do: those of a table made within a transaction do not begin at 0.
            plain = f"SELECT {codes} FROM {rows.relation}"
            self._stored = self._codes = database.store(numbered if has_numbers else plain)
            self._numbered = self._stored if has_numbers else None
        else:
            self._codes = f"(SELECT {codes} FROM {rows.relation}) AS coded"
            self._numbered = f"({numbered}) AS coded" if has_numbers else None

    @property
    def schema(self) -> Schema:
        """The columns."""
        return self._schema

    @property
    def target(self) -> TargetFacts:
        """The facts of the target."""
        return self._target.facts

    def source(self) -> SqlSource:
        """Return a new source of histograms.

        Returns
        -------
        SqlSource
            The source; its node 0 holds all rows.
        """
        return SqlSource(self._database, CodedRows(self._codes, self._schema, self._target))

    def take(self, rows: IntArray | None) -> tuple[Coded, Target]:
        """Return the codes and the target of a few rows.

        Parameters
        ----------
        rows : int64 array or None
            Row numbers, in ascending order; None for all rows, in any order.

        Returns
        -------
        Coded
            The codes.
        Target
            The target.
        """
        if self._numbered is None and rows is not None:
            raise ParameterError(
                "a sample of the rows needs their order: pass order_by=, the column that numbers "
                "the rows; or honest=False with procedure='per-leaf', which need no sample"
            )
        n_rows, chosen = self.target.n_rows, self._codes
        if rows is not None:
            wanted = ", ".join(map(str, rows.tolist()))
            where = "" if len(rows) == n_rows else f" WHERE r IN ({wanted})"
            n_rows, chosen = len(rows), f"{self._numbered}{where} ORDER BY r"
        types = {n: "float64" if t == "DOUBLE" else "int64" for n, t in self._types.items()}
        found = self._database.fetch(f"SELECT {', '.join(types)} FROM {chosen}", **types)
        target = self._target.taken(found)
        if target.n_rows != n_rows:
            raise ParameterError(
                f"the table has {target.n_rows} of {n_rows} rows asked for: it has changed "
                "during the fit, or order_by does not order its rows"
            )
        codes = tuple(
            found[f"c{j}"].astype(code_dtype(n)) for j, n in enumerate(self._schema.n_codes())
        )
        return Coded(self._schema, codes, n_rows), target

    def n_distinct(self) -> int:
        """Return the number of different rows of codes.

        Returns
        -------
        int
            The number.
        """
        codes = ", ".join(f"c{j}" for j in range(len(self._schema)))
        sql = f"SELECT count(*) AS n FROM (SELECT DISTINCT {codes} FROM {self._codes}) AS different"
        return int(self._database.fetch(sql, n="int64")["n"][0])

    def moments(self, tree: Tree) -> FloatArray:
        """Return the moments of the rows at each leaf of a tree, for a numeric target.

        Parameters
        ----------
        tree : Tree
            A tree grown on these rows.

        Returns
        -------
        ndarray of shape (n_nodes, 3)
            The moments; those of inner nodes are zero.
        """
        return self.source().moments(tree)

    def close(self) -> None:
        """Drop the temporary table."""
        if self._stored is not None:
            self._database.drop(self._stored)
            self._stored = None
