"""``polytomy fit`` on rows that are elsewhere: in a DuckDB file, or on a Dask cluster."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from polytomy import MissingPackageError, PolytomyError

from .errors import CommandError

if TYPE_CHECKING:
    from polytomy.io import ColumnRoles, PartedFiles, Task


Make = Callable[["Task", Callable[[], Any]], Any]
"""Returns an estimator for a task; its second argument is a function that reads the classes."""

_MOST_CLASSES = 1 << 16  # of a model


def fit_in_database(path: Path, table: str, roles: "ColumnRoles", task: str, make: Make) -> Any:
    """Return a tree fitted on a table of a DuckDB file.

    Parameters
    ----------
    path : Path
        The file.
    table : str
        The name of the table.
    roles : ColumnRoles
        The roles of the columns.
    task : {"auto", "classification", "regression"}
        The task; auto chooses by the target.
    make : function
        Returns a TreeClassifier or a TreeRegressor with its parameters.
    """
    from polytomy import sql
    from polytomy.sql.fitting import classes_of_target, task_of_target

    if not path.is_file():
        raise CommandError(f"file not found: {path}")
    if not _is_database(path):
        raise CommandError(f"{path} is not a DuckDB file; leave out --table for a data file")
    assert roles.target is not None
    if task == "auto":
        task = task_of_target(path, table, roles.target)
    return sql.fit(
        path,
        table,
        target=roles.target,
        weights=roles.weights,
        drop=roles.drop,
        categorical=roles.categorical,
        estimator=make(cast("Task", task), partial(classes_of_target, path, table, roles.target)),
    )


def refuse_database(path: Any) -> None:
    """Raise an error that lists its tables if a data file is a DuckDB file.

    Parameters
    ----------
    path : Path or list of Path
        The file or files.
    """
    if not (isinstance(path, Path) and path.is_file() and _is_database(path)):
        return
    from polytomy._text import listing
    from polytomy.sql.duckdb_database import DuckDB

    database = DuckDB.at(path)
    try:
        tables = listing(database.table_names(), "tables")
    finally:
        database.close()
    raise CommandError(f"{path} is a DuckDB file: add --table NAME; {tables}")


def _is_database(path: Path) -> bool:
    """Return whether a file is one of DuckDB, by its first bytes."""
    with path.open("rb") as file:
        return file.read(12)[8:] == b"DUCK"


def fit_on_cluster(path: Path, address: str, roles: "ColumnRoles", task: str, make: Make) -> Any:
    """Return an estimator fitted on the workers of a Dask cluster.

    Parameters
    ----------
    path : Path
        The files, under names that hold on this machine and on the workers: Parquet, Arrow or CSV.
    address : str
        The address of the scheduler.
    roles : ColumnRoles
        The roles of the columns.
    task : {"auto", "classification", "regression"}
        The task; auto chooses by the target.
    make : function
        Returns an estimator with its parameters.
    """
    from polytomy.io import MAX_CODES, PartedFiles, task_of
    from polytomy.io.reader import check_columns

    files = PartedFiles(path)
    assert roles.target is not None
    held = [roles.target] if roles.weights is None else [roles.target, roles.weights]
    check_columns([*held, *roles.drop, *roles.categorical], files.names, str(path))
    with _client(address):
        from polytomy import dask as on_dask

        target = roles.target
        if task == "auto":
            task = task_of(*_distinct(_parts(files, [target]), target, MAX_CODES + 1))
        tree = make(
            "regression" if task == "regression" else "classification",
            lambda: _distinct(_parts(files, [target]), target, _MOST_CLASSES)[0],
        )
        kind = getattr(on_dask, type(tree).__name__, None)
        if kind is None:
            raise CommandError(f"{type(tree).__name__} cannot be fitted on a cluster")
        estimator = kind(**tree.get_params(deep=False))
        kept = [name for name in files.names if name not in roles.drop]
        parts = _parts(files, kept)
        with _naming_files(parts):
            rows = [part.rows for part in parts]
            return estimator.fit(rows, roles.target, sample_weight=roles.weights)


class _Part(NamedTuple):
    """A delayed table, and the file that it is read from."""

    rows: Any
    path: str


def _parts(files: "PartedFiles", names: list[str]) -> list[_Part]:
    """Return some columns of files as delayed tables."""
    from dask import delayed

    if files.csv is not None:
        return _csv_parts(files, names)
    read = (_Part(delayed(part.read, pure=False)(), part.file.path) for part in files.parts(names))
    return list(read)


def _csv_parts(files: "PartedFiles", names: list[str]) -> list[_Part]:
    """Return some columns of CSV files as delayed tables; the first file decides their types."""
    from dask import dataframe

    from polytomy.io.data_files import reading_file

    assert files.csv is not None
    how, is_compressed, types = files.csv.settings, files.csv.is_compressed, None
    parts: list[_Part] = []
    for path in files.paths:
        with reading_file(path), _cause_of_failure():
            frame = dataframe.read_csv(
                path,
                sep=how.delimiter,
                encoding=how.encoding,
                usecols=names,
                dtype=types,
                blocksize=None if is_compressed else "default",
            )
        types = types or frame.dtypes.to_dict()
        parts += [_Part(rows, path) for rows in frame[names].to_delayed()]
    return parts


@contextmanager
def _cause_of_failure() -> Iterator[None]:
    """Raise the cause of an error of Dask, which says only which of its functions failed."""
    try:
        yield
    except (OSError, ValueError) as error:
        raise error.__cause__ or error from None


@contextmanager
def _naming_files(parts: list[_Part]) -> Iterator[None]:
    """Raise an error that names the file of the partition that it is about."""
    try:
        yield
    except PolytomyError as error:
        if error.partition is None:
            raise
        cause = error.__cause__ or error
        verb = "" if isinstance(cause, PolytomyError) else " cannot be read"
        words = (str(cause) or type(cause).__name__).splitlines()[0]
        raise CommandError(f"{parts[error.partition].path}{verb}: {words}") from None


def _distinct(parts: list[_Part], target: str, most: int) -> tuple[Any, int]:
    """Return some distinct values of a column of delayed tables, and the cells with a value.

    All values are returned if no part has more than ``most``.
    """
    import numpy as np

    from polytomy.dask.cluster import Cluster

    cluster = Cluster()
    pending = cluster.client.compute([part.rows for part in parts])
    with _naming_files(parts):
        cluster.finish(pending)
    found = cluster.results(cluster.each("target", _values_of, pending, target, most))
    values = np.concatenate([values for values, _ in found])
    return np.unique(values), sum(n for _, n in found)


def _values_of(part: Any, target: str, most: int) -> tuple[Any, int]:
    """Return some distinct values of a column of a table, and the number of cells with a value."""
    import narwhals as nw

    cells = nw.from_native(part, eager_only=True)[target].drop_nulls()
    return cells.unique().head(most).to_numpy(), len(cells)


@contextmanager
def _client(address: str) -> Iterator[Any]:
    """Connect to a scheduler, or raise an error that names it."""
    try:
        from distributed import Client
    except ModuleNotFoundError:
        raise MissingPackageError(
            "--scheduler needs Dask; install it with: pip install 'polytomy[dask]'"
        ) from None
    try:
        client = Client(address, timeout=10)
    except (OSError, ValueError) as error:
        words = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise CommandError(f"no Dask scheduler answers at {address}: {words}") from None
    with client:
        yield client
