"""``polytomy fit`` on rows that are elsewhere: in a DuckDB file, or on a Dask cluster."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from polytomy import MissingPackageError

from .errors import CommandError

if TYPE_CHECKING:
    from polytomy.io import ColumnRoles, Task

_CSV = (".csv", ".csv.gz", ".tsv", ".tsv.gz")


def fit_in_database(
    path: Path, table: str, roles: "ColumnRoles", task: str, make: Callable[["Task"], Any]
) -> Any:
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
        Returns a TreeClassifier or a TreeRegressor with its parameters, given the task.
    """
    from polytomy import sql
    from polytomy.sql.fitting import task_of_target

    if not path.is_file():
        raise CommandError(f"file not found: {path}")
    with path.open("rb") as file:
        if file.read(12)[8:] != b"DUCK":
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
        estimator=make(cast("Task", task)),
    )


def fit_on_cluster(
    path: Path, address: str, roles: "ColumnRoles", task: str, make: Callable[["Task"], Any]
) -> Any:
    """Return an estimator fitted on the workers of a Dask cluster.

    Parameters
    ----------
    path : Path
        The files, as the workers see them: Parquet, or CSV by its suffix.
    address : str
        The address of the scheduler.
    roles : ColumnRoles
        The roles of the columns.
    task : {"auto", "classification", "regression"}
        The task; auto chooses by the target.
    make : function
        Returns an estimator with its parameters, given the task.
    """
    with _client(address):
        from polytomy import dask as on_dask

        frame = _frame(path)
        if task == "auto" and roles.target in frame.columns:
            task = _task_of(frame[roles.target])
        tree = make("regression" if task == "regression" else "classification")
        kind = getattr(on_dask, type(tree).__name__, None)
        if kind is None:
            raise CommandError(f"{type(tree).__name__} cannot be fitted on a cluster")
        unknown = [name for name in roles.drop if name not in frame.columns]
        if unknown:
            raise CommandError(f"{path} has no column {unknown[0]!r}")
        estimator = kind(**tree.get_params(deep=False))
        frame = frame.drop(columns=list(roles.drop))
        return estimator.fit(frame, roles.target, sample_weight=roles.weights)


def _task_of(target: Any) -> "Task":
    """Return the task that a column of a Dask DataFrame asks for."""
    from polytomy.io import MAX_CODES, task_of

    def some(part: Any) -> Any:
        return part.dropna().drop_duplicates().head(MAX_CODES + 1)

    values = some(target.map_partitions(some, meta=target).compute())
    return task_of(values.to_numpy(), int(target.count().compute()))


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


def _frame(path: Path) -> Any:
    from dask import dataframe

    text = str(path)
    try:
        if text.endswith(_CSV):
            return dataframe.read_csv(text, sep="\t" if ".tsv" in text else ",")
        return dataframe.read_parquet(text)
    except (OSError, ValueError) as error:
        raise CommandError(f"{path} cannot be read: {str(error).splitlines()[0]}") from None
