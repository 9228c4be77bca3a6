"""Data files as tables: CSV, TSV, Parquet, Arrow or Feather, plain or gzipped."""

import gzip
import sys
import zlib
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any

from polytomy._errors import DataFileError
from polytomy._text import suggestion
from polytomy.table import Table

from .arrow_reader import detect_format, read_arrow
from .csv_reader import CsvFile, read_csv
from .kinds import Kind

STDIN = "-"
_ARROW_SUFFIXES = (".parquet", ".pq", ".arrow", ".feather", ".ipc")
TAB_SUFFIXES = (".tsv", ".tab")


def read_table(
    path: Any,
    *,
    columns: Sequence[str] | None = None,
    drop: Sequence[str] = (),
    kinds: Mapping[str, Kind] | None = None,
    categorical: Collection[str] = (),
) -> Table:
    r"""Read a CSV, TSV, Parquet, Arrow or Feather file, plain or gzipped, into a table.

    Parquet, Arrow and Feather files are recognised by their content, not by their name, and need
    pyarrow or polars. Any other file is read as text in UTF-8.

    Parameters
    ----------
    path : str or path-like
        The file, or "-" for standard input.
    columns : sequence of str, default=None
        The columns to read, in this order. None reads all of them.
    drop : sequence of str, default=()
        Columns to leave out.
    kinds : mapping from str to str, default=None
        How to read the cells of some columns: "integer", "boolean", "number", "time", "zoned time"
        or "text". The other columns of a CSV file get the first of these kinds that fits all their
        cells; those of other files have a type already.
    categorical : collection of str, default=()
        Columns to treat as categorical, regardless of their type.

    Returns
    -------
    Table
        The columns.

    Raises
    ------
    DataFileError
        If the file cannot be read, or does not have one of the columns.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "people.csv")
    ...     _ = path.write_text("name,age\nAnn,31\nBob,NA\n")
    ...     table = read_table(path)
    >>> table.names, table.column("age").tolist()
    (('name', 'age'), [31.0, nan])
    """
    name = display_name(path)

    def choose(names: list[str]) -> list[str]:
        check_columns([*(columns or ()), *drop], names, name)
        wanted = names if columns is None else dict.fromkeys(columns)
        return [n for n in wanted if n not in drop]

    data = _read(path, choose, kinds or {})
    present = data if isinstance(data, Mapping) else getattr(data, "column_names", data.columns)
    return Table.of(data, nominal=[n for n in map(str, present) if n in categorical])


def _read(path: Any, choose: Callable[[list[str]], list[str]], kinds: Mapping[str, Kind]) -> Any:
    """Return some columns of a file as a mapping from names to arrays, or as a data frame."""
    name = display_name(path)
    data = _decompress(read_bytes(path), name)
    if detect_format(data) is not None:
        return read_arrow(data, name, choose, kinds)
    suffix = suffix_of(path)
    if suffix in _ARROW_SUFFIXES and data:
        raise DataFileError(f"{name} is not a {suffix[1:]} file, although its name ends in it")
    if not data.strip():
        raise DataFileError(f"{name} is empty; the first line must contain the column names")
    if data[:1] in (b"{", b"["):
        raise DataFileError(f"{name} looks like JSON (a model file?), not like a table")
    is_tsv = suffix in TAB_SUFFIXES
    file = CsvFile(data, name, "\t") if is_tsv else CsvFile.detect(data, name)
    return read_csv(file, choose, kinds)


def check_columns(names: Sequence[str], known: Sequence[str], source: str) -> None:
    """Raise an error that suggests a similar column if a file does not have a column."""
    for name in names:
        if name not in known:
            raise DataFileError(f"{source} has no column {name!r}; {suggestion(name, known)}")


def display_name(path: Any) -> str:
    """Return the name of a file for messages.

    Parameters
    ----------
    path : str or path-like
        The file, or "-" for standard input.

    Returns
    -------
    str
        The path, or "stdin" for standard input.
    """
    return "stdin" if str(path) == STDIN else str(path)


def read_bytes(path: Any) -> bytes:
    """Return the content of a file or of standard input.

    Parameters
    ----------
    path : str or path-like
        The file, or "-" for standard input.

    Returns
    -------
    bytes
        The content.

    Raises
    ------
    DataFileError
        If the file cannot be read.
    """
    try:
        return sys.stdin.buffer.read() if str(path) == STDIN else Path(path).read_bytes()
    except FileNotFoundError:
        raise DataFileError(f"file not found: {path}") from None
    except IsADirectoryError:
        raise DataFileError(f"{path} is a folder, not a file") from None
    except OSError as error:
        raise DataFileError(
            f"cannot read {path}: {(error.strerror or str(error)).lower()}"
        ) from None


def _decompress(data: bytes, name: str) -> bytes:
    if not data.startswith(b"\x1f\x8b"):
        return data
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise DataFileError(f"{name} is a damaged gzip file: {error}") from None


def suffix_of(path: Any) -> str:
    """Return the suffix that names the format, in lower case and without ``.gz``."""
    name = PurePath(path).name
    plain = PurePath(name[:-3]) if name.lower().endswith(".gz") else PurePath(name)
    return plain.suffix.lower()
