"""Fitting a tree on a table in a database."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from polytomy._errors import ParameterError, TableError
from polytomy._text import count
from polytomy._types import AnyArray
from polytomy.encode import checked_max_bins
from polytomy.encode.encoder import AUTO_BINS, AUTO_VALUES, SEPARATING_VALUES
from polytomy.estimators import TreeClassifier, TreeRegressor
from polytomy.estimators.base.rows import with_costs
from polytomy.estimators.trees.remote import RemoteTable, fit_remote, remote_costs
from polytomy.io import MAX_CODES, Task, task_of
from polytomy.io.reader import check_columns
from polytomy.table import checked_names

from .bins import Column, Limits, read_schema
from .database import Cell, CellType, Database, is_instance_of
from .duckdb_database import DuckDB
from .ibis_database import IbisDatabase
from .numbers import StoredNumbers
from .rows import DatabaseRows
from .targets import StoredClasses, StoredTarget, check_known, factors_of, read_classes, weight_of
from .weights import weigh, weights_of_classes

AnyTree = TreeClassifier | TreeRegressor


def fit(  # noqa: PLR0913  # the roles of columns, all by keyword
    connection: Any,
    table: str,
    *,
    target: str,
    weights: str | None = None,
    columns: Sequence[str] | None = None,
    drop: Sequence[str] = (),
    categorical: Sequence[str] = (),
    order_by: str | Sequence[str] | None = None,
    estimator: AnyTree | None = None,
    temporary: bool = True,
    **parameters: Any,
) -> Any:
    """Fit a tree on a table in a database; its rows stay there.

    The database finds quantiles and categories, encodes the rows in a temporary table, and counts
    the histograms of several nodes with each query. The tree is the one that the same rows give in
    memory, read in the same order, bit for bit. Only counts, bin ends and categories leave the
    database, and the codes of up to 15,000 rows: 8,000 for ``honest=True``, all of a table of up to
    8,000 rows to refine a tree of classes, and 15,000 if the table has more than 100,000 rows,
    to choose between two runs of ``procedure="priced"``.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection, ibis backend, str or path-like
        An open connection to DuckDB, a connection of Ibis to another database, or the path of a
        DuckDB file, which is opened for reading.
    table : str
        The name of a table or view, with that of its schema before it if need be.
    target : str
        The column to predict.
    weights : str, default=None
        The column with the weights of the rows; None gives every row the weight 1.
    columns : sequence of str, default=None
        The columns to predict from. None takes all columns that have no other role.
    drop : sequence of str, default=()
        Columns to leave out.
    categorical : sequence of str, default=()
        Columns to treat as categorical regardless of their type.
    order_by : str or sequence of str, default=None
        The columns that order the rows, for the sample. None takes the order in which DuckDB
        returns the rows of a table; other databases have none.
    estimator : TreeClassifier or TreeRegressor, default=None
        An estimator with the parameters of the tree; it is not changed. None is a
        ``TreeClassifier`` with the given ``parameters``. A ``TreeRegressor`` needs DuckDB and
        ``criterion="squared_error"``.
    temporary : bool, default=True
        Whether to store the codes in a temporary table. If False, every query computes them again.
    **parameters : Any
        Parameters of ``TreeClassifier``.

    Returns
    -------
    TreeClassifier or TreeRegressor
        The fitted tree. Its attribute ``queries_`` is the number of queries that read rows.

    Raises
    ------
    PolytomyError
        If a table or column does not exist or cannot be used, or if a parameter needs all rows in
        this process.

    Examples
    --------
    >>> import pytest
    >>> duckdb = pytest.importorskip("duckdb")
    >>> connection = duckdb.connect()
    >>> _ = connection.execute(
    ...     "CREATE TABLE t AS SELECT i AS x, i // 10 % 2 = 0 AS y FROM range(60) AS r(i)"
    ... )
    >>> tree = fit(connection, "t", target="y", max_leaves=8)
    >>> print(tree.tree_.threshold.tolist(), tree.queries_ < 20)
    [9.5, 19.5, 29.5, 39.5, 49.5] True
    """
    ordering = [order_by] if isinstance(order_by, str) else list(order_by or ())
    roles = _Roles(target, weights, columns, drop, categorical, ordering)
    tree = _estimator(estimator, roles.categorical, parameters)
    with _opened(connection) as database:
        reader = _Reader(database, table, roles)
        try:
            fit_remote(tree, lambda: reader.read(tree, temporary=temporary))
        finally:
            reader.close()
        tree.queries_ = database.queries
    if tree.verbose:
        print(count(tree.queries_, "query", "queries"))
    return tree


def task_of_target(connection: Any, table: str, target: str) -> Task:
    """Return the task that the target of a table asks for, by ``polytomy.io.TASK_RULE``.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection, ibis backend, str or path-like
        The database, as for ``fit``.
    table : str
        The name of the table.
    target : str
        The column to predict.

    Returns
    -------
    {"classification", "regression"}
        The task.
    """
    with _opened(connection) as database:
        types = database.open_table(table)
        check_columns([target], list(types), f"table {table!r}")
        cells = _usable(types, target)
        if cells.kind in ("boolean", "text", "time"):
            return "classification"
        database.define({"y": Cell(target, cells, as_number=True)})
        known = "FROM cells WHERE y IS NOT NULL"
        values = database.fetch(f"SELECT DISTINCT y {known} LIMIT {MAX_CODES + 1}", y="DOUBLE")["y"]
        (n_rows,) = database.fetch(f"SELECT count(*) AS n {known}", n="BIGINT")["n"]
        return task_of(values, int(n_rows))


def classes_of_target(connection: Any, table: str, target: str) -> AnyArray:
    """Return the classes of the target of a table, in ascending order.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection, ibis backend, str or path-like
        The database, as for ``fit``.
    table : str
        The name of the table.
    target : str
        The column to predict.

    Returns
    -------
    ndarray
        The classes.
    """
    with _opened(connection) as database:
        types = database.open_table(table)
        check_columns([target], list(types), f"table {table!r}")
        cells = _target_type(types, target, is_numeric=False)
        database.define({"y": Cell(target, cells, as_number=False)})
        check_known(database, target)
        return read_classes(database, target, cells).classes


class _Roles(NamedTuple):
    """The columns of the table by their roles, as the user gives them."""

    target: str
    weights: str | None
    columns: Sequence[str] | None
    drop: Sequence[str]
    categorical: Sequence[str]
    order_by: list[str]

    def predictors(self, known: Sequence[str], table: str) -> list[str]:
        """Return the columns to predict from; raise an error if a column cannot have its role."""
        for role in ("columns", "drop", "categorical"):
            if isinstance(getattr(self, role), str):
                raise ParameterError(f"{role} must be a list, such as [{getattr(self, role)!r}]")
        others = [self.target, *([] if self.weights is None else [self.weights]), *self.order_by]
        chosen = [] if self.columns is None else checked_names(self.columns)
        check_columns([*others, *chosen, *self.drop], known, f"table {table!r}")
        left_out = {*others, *self.drop} if self.columns is None else set(self.drop)
        found = [n for n in (known if self.columns is None else chosen) if n not in left_out]
        if not found:
            raise TableError(f"table {table!r} has no columns left to predict from")
        for name in (self.target, self.weights):
            if name in found:
                raise TableError(f"column {name!r} has another role; it cannot be among columns")
        check_columns(self.categorical, found, "the list of predictors")
        return found


class _Reader:
    """Reads the columns of a table, and keeps the temporary tables that are in use."""

    def __init__(self, database: Database, table: str, roles: _Roles) -> None:
        self._database, self._table, self._roles = database, table, roles
        self._in_use: list[DatabaseRows] = []

    def read(self, tree: AnyTree, *, temporary: bool) -> RemoteTable:
        """Return the encoded rows for an estimator."""
        roles, database = self._roles, self._database
        types = database.open_table(self._table)
        predictors = self._predictors(types)
        is_numeric = isinstance(tree, TreeRegressor)
        cells = {c.x: Cell(c.name, c.type, not c.is_nominal) for c in predictors}
        cells["y"] = Cell(roles.target, _target_type(types, roles.target, is_numeric), is_numeric)
        if roles.weights is not None:
            weights = _number(types, roles.weights, "weights")
            cells["w"] = Cell(roles.weights, weights, as_number=True)
        order = {f"o{i}": name for i, name in enumerate(roles.order_by)}
        cells |= {o: Cell(name, _usable(types, name), as_number=False) for o, name in order.items()}
        database.define(cells)
        n_rows = check_known(database, roles.target)
        relation, factors, classes, costs = "cells", None, np.empty(0), None
        if isinstance(tree, TreeClassifier):
            labels = read_classes(database, roles.target, cells["y"].type)
            classes, factors = labels.classes, factors_of(labels, tree.class_weight)
            relation = f"(SELECT *, {labels.label} AS label FROM cells) AS labelled"
            costs = remote_costs(
                tree.cost_matrix,
                classes,
                factors,
                lambda: weights_of_classes(database, relation, labels.n_rows, roles.weights),
            )
            factors = with_costs(costs, factors)
        weight = weight_of(roles.weights, factors)
        weighed = weigh(database, relation, n_rows, weight, roles.weights)
        target: StoredTarget
        if is_numeric:
            target = StoredNumbers(database, weighed)
        else:
            target = StoredClasses(database, weighed, len(classes))

        def encoded(limits: Limits) -> DatabaseRows:
            schema = read_schema(database, weighed.rows, predictors, limits)
            rows = DatabaseRows(
                database,
                weighed.rows,
                target,
                predictors,
                schema,
                list(order),
                temporary=temporary,
            )
            self._in_use.append(rows)
            return rows

        rows = _separating(encoded, tree)
        names = [c.name for c in predictors]
        weighted = weighed.rows.weighted
        return RemoteTable(rows, names, classes, factors, weighted, n_rows=n_rows, costs=costs)

    def _predictors(self, types: dict[str, CellType | str]) -> list[Column]:
        found: list[Column] = []
        for name in self._roles.predictors(list(types), self._table):
            cells, is_nominal = _usable(types, name), name in self._roles.categorical
            if is_nominal and cells.kind in ("decimal", "time"):
                raise TableError(
                    f"categorical column {name!r} is of type {cells.sql_type}; convert it to text "
                    "in a view"
                )
            is_nominal = is_nominal or cells.kind == "text"
            found.append(Column(f"x{len(found)}", name, cells, is_nominal))
        return found

    def close(self) -> None:
        """Drop the temporary tables."""
        for rows in self._in_use:
            rows.close()


def _separating(encoded: Callable[[Limits], DatabaseRows], tree: AnyTree) -> DatabaseRows:
    """Return the encoded rows with as many bins as ``polytomy.encode.encode`` gives them."""
    max_bins = checked_max_bins(tree.max_bins)
    if isinstance(max_bins, int):
        return encoded(Limits(max_bins, max_bins))
    coarse = encoded(Limits(AUTO_VALUES, AUTO_BINS))
    if tree.max_leaves is not None or not coarse.schema.merges_values():
        return coarse
    n_separate = coarse.n_distinct()
    if n_separate == coarse.target.n_rows:
        return coarse
    fine = encoded(Limits(SEPARATING_VALUES, AUTO_BINS))
    return fine if fine.n_distinct() > n_separate else coarse


def _usable(types: dict[str, CellType | str], name: str) -> CellType:
    found = types[name]
    if isinstance(found, str):
        raise TableError(
            f"column {name!r} is of type {found}, which trees cannot use; convert it in a view, or "
            f"leave it out with drop=[{name!r}]"
        )
    return found


def _number(types: dict[str, CellType | str], name: str, what: str) -> CellType:
    found = _usable(types, name)
    if found.kind in ("text", "time"):
        raise TableError(f"the {what} {name!r} is of type {found.sql_type}, not a number")
    return found


def _target_type(types: dict[str, CellType | str], name: str, is_numeric: bool) -> CellType:
    if is_numeric:
        return _number(types, name, "target")
    found = _usable(types, name)
    if found.kind in ("decimal", "time"):
        raise TableError(
            f"the target {name!r} is of type {found.sql_type}; convert it to an integer or to text "
            "in a view"
        )
    return found


def _estimator(
    given: AnyTree | None, categorical: Sequence[str], parameters: dict[str, Any]
) -> AnyTree:
    """Return a new estimator with the parameters of the fit."""
    if given is not None and parameters:
        raise ParameterError(
            f"pass an estimator or parameters, not both: set {', '.join(parameters)} of the "
            "estimator"
        )
    if given is not None and not isinstance(given, AnyTree):
        raise ParameterError(
            "only a TreeClassifier or a TreeRegressor can be fitted in a database, not a "
            f"{type(given).__name__}"
        )
    unknown = [name for name in parameters if name not in TreeClassifier().get_params()]
    if unknown:
        raise ParameterError(f"TreeClassifier has no parameter {unknown[0]!r}")
    tree: AnyTree = TreeClassifier(**parameters) if given is None else clone(given)
    if isinstance(tree, TreeRegressor) and tree.criterion != "squared_error":
        raise ParameterError(
            f"criterion={tree.criterion!r} needs logarithms, which databases round in ways of "
            "their own; use criterion='squared_error', or fit on rows in memory"
        )
    if categorical:
        tree.set_params(categorical_features=list(categorical))
    elif not isinstance(tree.categorical_features, str) and tree.categorical_features is not None:
        raise ParameterError("name the categorical columns with categorical=, not in the estimator")
    return tree


@contextmanager
def _opened(connection: Any) -> Iterator[Database]:
    """Yield a connection as a database; one that is opened here is closed in the end."""
    if isinstance(connection, str | PathLike):
        database = DuckDB.at(connection)
        try:
            yield database
        finally:
            database.close()
    elif is_instance_of(connection, "duckdb", "DuckDBPyConnection"):
        yield DuckDB(connection)
    elif is_instance_of(connection, "ibis", "BaseBackend"):
        is_duckdb = connection.name == "duckdb"
        yield DuckDB(connection.con) if is_duckdb else IbisDatabase(connection)
    else:
        raise ParameterError(
            "connection must be a DuckDB connection, a connection of Ibis or the path of a DuckDB "
            f"file, got {connection!r}"
        )
