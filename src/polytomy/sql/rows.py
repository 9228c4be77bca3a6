"""The rows of a table in a database, encoded there."""

from collections.abc import Sequence

import numpy as np

from polytomy._errors import ParameterError
from polytomy._types import FloatArray, IntArray
from polytomy.encode import Coded, Schema, Target, code_dtype
from polytomy.grow import SampleTotals, TargetFacts
from polytomy.tree import Tree

from .bins import Column
from .coding import code_expression, type_of_codes
from .database import Database
from .source import CodedRows, SqlSource
from .target import WeighedRows


class DatabaseRows:
    """Encoded rows that stay in a database; see ``polytomy.grow.RemoteRows``.

    Parameters
    ----------
    database : Database
        The database.
    weighed : WeighedRows
        The rows with their class numbers and weights.
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
        weighed: WeighedRows,
        columns: Sequence[Column],
        schema: Schema,
        order_by: Sequence[str] = (),
        *,
        temporary: bool = True,
    ) -> None:
        rows = weighed.rows
        self._database, self._schema = database, schema
        self._target = TargetFacts(
            rows.n_rows, weighed.counts, weighed.unit, rows.weighted, weighed.unit
        )
        types = _column_types(schema, len(weighed.counts), weighted=rows.weighted)
        self._names = list(types)
        cells = {"label": "label", "u": "u"}
        for j, (column, spec) in enumerate(zip(columns, schema, strict=True)):
            cells[f"c{j}"] = code_expression(database, column, spec)
        codes = ", ".join(f"CAST({cells[name]} AS {types[name]}) AS {name}" for name in types)
        order = f"ORDER BY {', '.join(order_by)}" if order_by else ""
        number = f"row_number() OVER ({order}) - 1 AS r"
        self._stored: str | None = None
        self._numbered: str | None = None  # the SQL of the codes with the number of each row
        if not temporary:
            self._codes = f"(SELECT {codes} FROM {rows.relation}) AS coded"
            if order_by or database.row_id is not None:
                self._numbered = f"(SELECT {number}, {codes} FROM {rows.relation}) AS coded"
            return
        if order_by and database.row_id is None:
            self._stored = database.store(f"SELECT {number}, {codes} FROM {rows.relation}")
            self._numbered = self._stored
        else:
            self._stored = database.store(f"SELECT {codes} FROM {rows.relation} {order}")
            if database.row_id is not None:
                self._numbered = f"(SELECT {database.row_id} AS r, * FROM {self._stored}) AS coded"
        self._codes = self._stored

    @property
    def schema(self) -> Schema:
        """The columns."""
        return self._schema

    @property
    def target(self) -> TargetFacts:
        """The facts of the target."""
        return self._target

    def source(self) -> SqlSource:
        """Return a new source of histograms.

        Returns
        -------
        SqlSource
            The source; its node 0 holds all rows.
        """
        target = self._target
        totals = SampleTotals(target.counts, target.n_rows, target.weighted)
        return SqlSource(self._database, CodedRows(self._codes, self._schema, totals))

    def take(self, rows: IntArray) -> tuple[Coded, Target]:
        """Return the codes and the target of a few rows.

        Parameters
        ----------
        rows : int64 array
            Row numbers, in ascending order.

        Returns
        -------
        Coded
            The codes.
        Target
            The target.
        """
        if self._numbered is None:
            raise ParameterError(
                "a sample of the rows needs their order: pass order_by=, the column that numbers "
                "the rows; or honest=False with procedure='per-leaf', which need no sample"
            )
        wanted = ", ".join(map(str, rows.tolist()))
        every = len(rows) == self._target.n_rows
        where = "" if every else f" WHERE r IN ({wanted})"
        found = self._database.fetch(
            f"SELECT {', '.join(self._names)} FROM {self._numbered}{where} ORDER BY r",
            **dict.fromkeys(self._names, "int64"),
        )
        labels = found["label"].astype(np.uint16)
        if len(labels) != len(rows):
            raise ParameterError(
                f"the table has {len(labels)} of {len(rows)} rows asked for: it has changed "
                "during the fit, or order_by does not order its rows"
            )
        codes = tuple(
            found[f"c{j}"].astype(code_dtype(n)) for j, n in enumerate(self._schema.n_codes())
        )
        target = self._target
        units = found["u"].astype(np.int64) if target.weighted else None
        taken = Target(labels, units, target.unit, target.n_classes)
        return Coded(self._schema, codes, len(rows)), taken

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
        """Return nothing: classes have no moments.

        Parameters
        ----------
        tree : Tree
            A tree.

        Returns
        -------
        ndarray
            Never: this raises an error.
        """
        raise NotImplementedError

    def close(self) -> None:
        """Drop the temporary table."""
        if self._stored is not None:
            self._database.drop(self._stored)
            self._stored = None


def _column_types(schema: Schema, n_classes: int, *, weighted: bool) -> dict[str, str]:
    """Return the columns of the table of codes and their SQL types."""
    types = {"label": type_of_codes(n_classes)}
    if weighted:
        types["u"] = "BIGINT"
    return types | {f"c{j}": type_of_codes(n) for j, n in enumerate(schema.n_codes())}
