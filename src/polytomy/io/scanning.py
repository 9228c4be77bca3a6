"""Tables that are read in pieces: files, lazy frames, queries and streams.

Files of Parquet, Arrow and CSV, and pyarrow datasets, give their rows in the same order each time,
so columns are read from them one after the other. The rows of a lazy frame, a query or a stream are
taken once and kept in a temporary file.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from glob import glob, has_magic
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from polytomy._errors import DataFileError, MissingPackageError, ParameterError, PolytomyError
from polytomy.table import BatchSource, Column, ScannedTable
from polytomy.table.spilled import SpilledRows

from .data_files import as_arrow_table, has_arrow_format
from .kinds import Kind
from .reader import check_columns, check_not_url
from .reading import Reading, ReadingOptions
from .scanned_files import ScannedFiles

_BATCH = 1 << 20  # rows
_READERS = ("polars", "duckdb", "_duckdb", "pyarrow")  # libraries that read lazy tables
_DATASET, _STREAM = "the dataset", "the stream"  # what they are called in messages


class Scan:
    """A table that is read in pieces, with the roles of its columns; see ``polytomy.scan``.

    Parameters
    ----------
    table : ScannedTable
        All columns.
    target, weights : str or None
        The columns with the labels and with the weights.
    name : str
        What the table is called in messages.

    Attributes
    ----------
    table : ScannedTable
        The columns to predict from.
    """

    def __init__(
        self, table: ScannedTable, target: str | None, weights: str | None, name: str
    ) -> None:
        taken = [column for column in (target, weights) if column is not None]
        if len(set(taken)) < len(taken):
            raise ParameterError(f"column {target!r} cannot be both the target and the weights")
        check_columns(taken, table.names, name)
        self.name, self.target, self.weights = name, target, weights
        self._whole = table
        self.table = _without(table, taken, name)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns to predict from."""
        return self.table.names

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self.table.n_rows

    def read(self, name: str) -> Column:
        """Return a column in memory.

        Parameters
        ----------
        name : str
            The name of the column.

        Returns
        -------
        Column
            The column.
        """
        check_columns([name], self._whole.names, self.name)
        return self._whole.loaded([name]).columns[0]

    def row_name(self, row: int) -> str:
        """Return the name of a row for messages.

        Parameters
        ----------
        row : int
            The number of the row in the table.

        Returns
        -------
        str
            Its number, counted from 1, in its file or in the table.
        """
        found = self.table.row_name(row)
        return found if " of " in found else f"{found} of {self.name}"

    def with_roles(self, target: str | None, weights: str | None) -> "Scan":
        """Return the scan with other columns as target and weights; None leaves them as they are.

        Parameters
        ----------
        target, weights : str or None
            The names of the columns.

        Returns
        -------
        Scan
            The scan.
        """
        roles = [self.target, self.weights]
        now = [
            old if new is None else new for old, new in zip(roles, (target, weights), strict=True)
        ]
        # A column that had a role before does not become a predictor.
        gone = [name for name in roles if name is not None and name not in now]
        kept = [name for name in self._whole.names if name not in gone]
        whole = self._whole if not gone else self._whole.select(kept)
        return Scan(whole, now[0], now[1], self.name)

    def __repr__(self) -> str:
        roles = [f"target={self.target!r}"] if self.target is not None else []
        roles += [f"weights={self.weights!r}"] if self.weights is not None else []
        facts = ", ".join([f"{self.n_rows:,} rows", f"{len(self.names)} columns", *roles])
        return f"<scan of {self.name}: {facts}>"


def _without(table: ScannedTable, taken: Sequence[str], name: str) -> ScannedTable:
    kept = [column for column in table.names if column not in taken]
    if not kept:
        raise DataFileError(f"{name} has no columns left to predict from")
    return table if len(kept) == len(table.names) else table.select(kept)


def scan(
    source: Any,
    *,
    target: str | None = None,
    weights: str | None = None,
    columns: Sequence[str] | None = None,
    drop: Collection[str] = (),
    categorical: Collection[str] = (),
    cache_dir: Any = None,
) -> Scan:
    """Return a table that is read in pieces, for ``fit``, ``predict`` and ``verify``.

    A fit gives the same model as on the same rows in memory, bit for bit. It reads the columns one
    after the other and keeps their codes: 1 byte a cell, or 2 or 4 if the column has more than 255
    or 65,535 values.

    Parameters
    ----------
    source : str, path-like, list of them, or lazy table
        Files of Parquet, Arrow, Feather or CSV: a file, a folder, a pattern such as
        ``"data/*.parquet"``, or a list. Or a polars ``LazyFrame``, a DuckDB relation, a pyarrow
        ``Dataset`` or ``RecordBatchReader``, or a function that returns such a reader. Rows of
        files come in the order of the files' names.
    target : str, default=None
        The column to predict; ``fit(scan)`` needs no ``y`` then.
    weights : str, default=None
        The column with the weights of the rows.
    columns : sequence of str, default=None
        The columns to use, besides target and weights; None for all.
    drop : collection of str, default=()
        Columns to leave out.
    categorical : collection of str, default=()
        Columns to treat as categorical, regardless of their type.
    cache_dir : str or path-like, default=None
        A folder for temporary files. The codes are kept there instead of in memory. The files have
        no names and take no space once the process has ended, however it ends.

    Returns
    -------
    Scan
        The table. Nothing but its schema and number of rows has been read, except from a lazy
        frame, a query or a stream, whose rows are now in a temporary file.

    Raises
    ------
    DataFileError
        If a file cannot be read, or does not have the columns of the others.

    Warns
    -----
    ReadingWarning
        One warning with all notes on how text in files is read, as for ``polytomy.read``.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.LazyFrame({"x": [1.0, 2.0, 3.0], "y": ["a", "a", "b"]})
    >>> scan(frame, target="y")
    <scan of the lazy frame: 3 rows, 1 columns, target='y'>
    """
    drop, categorical = ([n] if isinstance(n, str) else n for n in (drop, categorical))
    columns = [columns] if isinstance(columns, str) else columns
    table, name, reading = _scanned(source, cache_dir, {}, kept=categorical)
    roles = [n for n in (target, weights) if n is not None]
    check_columns([*roles, *(columns or ()), *drop, *categorical], table.names, name)
    for column, role in ((target, "target"), (weights, "weights")):
        if column is not None and column in drop:
            raise ParameterError(f"column {column!r} is the {role} and cannot be in drop as well")
    wanted = table.names if columns is None else dict.fromkeys([*columns, *roles])
    names = [n for n in wanted if n not in drop]
    nominal = [n for n in names if n in categorical]
    reading.of(names).warn(2)
    return Scan(table.select(names).with_nominal(nominal), target, weights, name)


def scan_table(
    source: Any,
    *,
    columns: Sequence[str] | None = None,
    drop: Collection[str] = (),
    kinds: Mapping[str, Kind] | None = None,
    categorical: Collection[str] = (),
    cache_dir: Any = None,
    options: ReadingOptions | None = None,
) -> ScannedTable:
    """Return a table that is read in pieces, with the columns that ``read_table`` would read.

    Parameters
    ----------
    source : str, path-like, list of them, or lazy table
        The table, as for ``scan``.
    columns : sequence of str, default=None
        The columns, in this order; None for all of them.
    drop : collection of str, default=()
        Columns to leave out.
    kinds : mapping from str to str, default=None
        How to read the cells of some columns of files, as for ``read_table``.
    categorical : collection of str, default=()
        Columns to treat as categorical, regardless of their type.
    cache_dir : str or path-like, default=None
        A folder for temporary files, as for ``scan``.
    options : ReadingOptions, default=None
        How to read the text of files, as for ``read_table``.

    Returns
    -------
    ScannedTable
        The table.
    """
    return scan_file(
        source,
        columns=columns,
        drop=drop,
        kinds=kinds,
        categorical=categorical,
        cache_dir=cache_dir,
        options=options,
    )[0]


def scan_file(  # noqa: PLR0913  # all by keyword
    source: Any,
    *,
    columns: Sequence[str] | None = None,
    drop: Collection[str] = (),
    needed: Sequence[str] = (),
    kinds: Mapping[str, Kind] | None = None,
    categorical: Collection[str] = (),
    cache_dir: Any = None,
    options: ReadingOptions | None = None,
) -> tuple[ScannedTable, Reading]:
    """Return a table that is read in pieces, and how its cells are read.

    Parameters
    ----------
    source, columns, drop, kinds, categorical, cache_dir, options
        As for ``scan_table``.
    needed : sequence of str, default=()
        Columns that the table must have, besides those to read and to leave out.

    Returns
    -------
    table : ScannedTable
        The table.
    reading : Reading
        The formats of its columns, and notes on them.
    """
    table, name, reading = _scanned(source, cache_dir, kinds or {}, options)
    check_columns([*needed, *(columns or ()), *drop], table.names, name)
    wanted = table.names if columns is None else dict.fromkeys(columns)
    names = [n for n in wanted if n not in drop]
    nominal = [n for n in names if n in categorical]
    return table.select(names).with_nominal(nominal), reading.of(names)


def names_many(path: Any) -> bool:
    """Return whether a path is a list, a folder, or a pattern and not a file.

    Parameters
    ----------
    path : str, path-like or list of them
        The path.

    Returns
    -------
    bool
        Whether it stands for several files.
    """
    if isinstance(path, list | tuple):
        return True
    place = Path(path)
    return place.is_dir() or (has_magic(fspath(path)) and not place.exists())


def can_be_scanned(path: Any) -> bool:
    """Return whether a path is a Parquet or Arrow file that can be read in pieces."""
    try:
        return has_arrow_format(fspath(path))
    except (OSError, MissingPackageError):
        return False


def _scanned(
    source: Any,
    cache_dir: Any,
    kinds: Mapping[str, Kind],
    options: ReadingOptions | None = None,
    kept: Collection[str] = (),
) -> tuple[ScannedTable, str, Reading]:
    """Return all columns of a source, and what it is called in messages."""
    if cache_dir is not None and not Path(cache_dir).is_dir():
        raise ParameterError(f"cache_dir must be an existing folder, got {str(cache_dir)!r}")
    found = _source_of(_unwrapped(source), cache_dir, (kinds, options, kept))
    if found is None:
        raise ParameterError(
            "scan takes files, a polars LazyFrame, a DuckDB relation, a pyarrow Dataset or "
            f"RecordBatchReader, or a function that returns a reader; got {type(source).__name__}"
        )
    batches, name = found
    _check_rows(batches, name)
    reading = batches.reading if isinstance(batches, ScannedFiles) else Reading()
    return ScannedTable(batches, cache_dir=cache_dir), name, reading


def as_scan(data: Any) -> Scan | None:
    """Return lazy data as a scan; None if they are not lazy.

    Parameters
    ----------
    data : object
        A scan, a polars ``LazyFrame``, a DuckDB relation, a pyarrow ``Dataset`` or
        ``RecordBatchReader``, or anything else.

    Returns
    -------
    Scan or None
        The scan. Names of files are not data, so text is no scan.
    """
    if isinstance(data, Scan):
        return data
    data = _unwrapped(data)
    if not _is_lazy(data):
        return None
    table, name, _ = _scanned(data, None, {})
    return Scan(table, None, None, name)


def _check_rows(source: BatchSource, name: str) -> None:
    if source.n_rows == 0:
        hint = "; a reader can be read only once" if name == _STREAM else ""
        raise DataFileError(f"{name} has no rows{hint}")


def _library(data: Any) -> str:
    return type(data).__module__.split(".")[0]


def _unwrapped(data: Any) -> Any:
    """Return the lazy frame that narwhals wraps; any other data as they are."""
    wraps = _library(data) == "narwhals" and type(data).__name__ == "LazyFrame"
    return data.to_native() if wraps else data


def _is_lazy(data: Any) -> bool:
    return (
        _is_lazy_frame(data)
        or _is_relation(data)
        or _is_dataset(data)
        or _is_reader(data)
        or _makes_readers(data)
    )


def _is_lazy_frame(data: Any) -> bool:
    return _library(data) == "polars" and type(data).__name__ == "LazyFrame"


def _is_relation(data: Any) -> bool:
    return _library(data) in ("duckdb", "_duckdb") and hasattr(data, "to_arrow_reader")


def _is_dataset(data: Any) -> bool:
    return _library(data) == "pyarrow" and hasattr(data, "scanner")


def _is_reader(data: Any) -> bool:
    return _library(data) == "pyarrow" and hasattr(data, "read_next_batch")


def _makes_readers(data: Any) -> bool:
    return callable(data) and not isinstance(data, type) and not hasattr(data, "shape")


def _source_of(data: Any, folder: Any, how: tuple[Any, ...]) -> tuple[Any, str] | None:
    """Return where rows come from, and what to call it; None for what cannot be scanned.

    ``how`` are the further arguments of ``ScannedFiles``.
    """
    if isinstance(data, str | PathLike | list | tuple):
        paths = list_files(data)
        name = paths[0] if isinstance(data, list | tuple) else str(data)
        return ScannedFiles(paths, *how), name
    if _is_lazy_frame(data):
        name = "the lazy frame"
        with _reading(name):
            names = data.collect_schema().names()
        return SpilledRows(_batches(lambda: _lazy_batches(data), name), names, folder), name
    if _is_relation(data):
        name = "the relation"
        batches = _batches(lambda: data.to_arrow_reader(_BATCH), name)
        return SpilledRows(batches, data.columns, folder), name
    if _is_dataset(data):
        return DatasetRows(data), _DATASET
    if _makes_readers(data):
        data = data()
    if _is_reader(data):
        batches = _batches(lambda: data, _STREAM)
        return SpilledRows(batches, data.schema.names, folder), _STREAM
    return None


def _lazy_batches(frame: Any) -> Iterator[Any]:
    """Yield the rows of a lazy frame; versions of polars without batches collect it whole."""
    if hasattr(frame, "collect_batches"):
        yield from frame.collect_batches(chunk_size=_BATCH)
    else:
        yield frame.collect()


def _batches(read: Callable[[], Iterable[Any]], name: str) -> Iterator[Any]:
    """Yield batches that have rows; record batches as tables, which are data frames."""
    with _reading(name):
        for batch in read():
            if len(batch):
                yield as_arrow_table(batch) if _library(batch) == "pyarrow" else batch


@contextmanager
def _reading(name: str) -> Iterator[None]:
    """Raise one sentence for the errors of the library that reads a lazy table."""
    try:
        yield
    except Exception as error:
        if not _is_of_reader(error):
            raise
        words = " ".join(str(error).split("\n\n")[0].split())
        raise DataFileError(f"{name} cannot be read: {words}") from None


def _is_of_reader(error: Exception) -> bool:
    """Return whether an error tells about the data, and was not raised by this library."""
    if isinstance(error, PolytomyError):
        return False
    return isinstance(error, OSError) or _library(error) in _READERS


class DatasetRows:
    """The rows of a pyarrow dataset."""

    def __init__(self, dataset: Any) -> None:
        self._dataset = dataset
        self.names = tuple(dataset.schema.names)
        with _reading(_DATASET):
            self.n_rows = int(dataset.count_rows())

    def batches(self, names: Sequence[str]) -> Iterator[Any]:
        """Yield the rows with some of the columns."""
        # Reading ahead takes memory: by default it is 16 batches of 4 files.
        scanner = self._dataset.scanner(
            columns=list(names), batch_size=_BATCH, batch_readahead=2, fragment_readahead=1
        )
        return _batches(scanner.to_batches, _DATASET)


def list_files(source: Any) -> list[str]:
    """Return the files of a pattern, a folder or a list, in the order of their names."""
    if isinstance(source, list | tuple):
        if not source:
            raise DataFileError("the list of files is empty")
        return [path for part in source for path in list_files(part)]
    text = fspath(source)
    check_not_url(text)
    if Path(text).is_dir():
        found = [str(p) for p in sorted(Path(text).rglob("*")) if p.is_file() and _is_shown(p)]
        if not found:
            raise DataFileError(f"the folder {text} has no files")
        return found
    if Path(text).exists() or not has_magic(text):
        return [text]
    found = sorted(path for path in glob(text, recursive=True) if Path(path).is_file())
    if not found:
        raise DataFileError(f"no file matches {text}")
    return found


def _is_shown(path: Path) -> bool:
    return not path.name.startswith((".", "_"))
