"""``polytomy fit`` on rows that are elsewhere: in a DuckDB file, or on a Dask cluster."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polytomy import MissingPackageError

from .errors import CommandError

if TYPE_CHECKING:
    from polytomy.io import ColumnRoles

_CSV = (".csv", ".csv.gz", ".tsv", ".tsv.gz")


def fit_in_database(path: Path, table: str, roles: "ColumnRoles", tree: Any) -> Any:
    """Return a tree fitted on a table of a DuckDB file.

    Parameters
    ----------
    path : Path
        The file.
    table : str
        The name of the table.
    roles : ColumnRoles
        The roles of the columns.
    tree : TreeClassifier or TreeRegressor
        The tree with its parameters.
    """
    from polytomy import sql

    if not path.is_file():
        raise CommandError(f"file not found: {path}")
    with path.open("rb") as file:
        if file.read(12)[8:] != b"DUCK":
            raise CommandError(f"{path} is not a DuckDB file; leave out --table for a data file")
    assert roles.target is not None
    return sql.fit(
        path,
        table,
        target=roles.target,
        weights=roles.weights,
        drop=roles.drop,
        categorical=roles.categorical,
        estimator=tree,
    )


def fit_on_cluster(path: Path, address: str, roles: "ColumnRoles", tree: Any) -> Any:
    """Return an estimator fitted on the workers of a Dask cluster.

    Parameters
    ----------
    path : Path
        The files, as the workers see them: Parquet, or CSV by its suffix.
    address : str
        The address of the scheduler.
    roles : ColumnRoles
        The roles of the columns.
    tree : TreeClassifier, TreeRegressor, BoostedTreeClassifier or ForestClassifier
        The estimator with its parameters.
    """
    with _client(address):
        from polytomy import dask as on_dask

        kind = getattr(on_dask, type(tree).__name__, None)
        if kind is None:
            raise CommandError(f"{type(tree).__name__} cannot be fitted on a cluster")
        frame = _frame(path)
        unknown = [name for name in roles.drop if name not in frame.columns]
        if unknown:
            raise CommandError(f"{path} has no column {unknown[0]!r}")
        estimator = kind(**tree.get_params(deep=False))
        frame = frame.drop(columns=list(roles.drop))
        return estimator.fit(frame, roles.target, sample_weight=roles.weights)


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
