"""Data files as tables: CSV, TSV, Parquet, Arrow or Feather, plain or compressed."""

import re
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Any

from polytomy._errors import DataFileError
from polytomy._text import listing, similar, suggestion
from polytomy.table import Table

from .arrow_reader import detect_format, read_arrow
from .compression import SUFFIXES, decompress
from .csv_reader import CsvFile, read_csv
from .encodings import DELIMITERS
from .kinds import Kind
from .reading import Reading, ReadingOptions

STDIN = "-"
_ARROW_SUFFIXES = (".parquet", ".pq", ".arrow", ".feather", ".ipc")
TAB_SUFFIXES = (".tsv", ".tab")
_URL = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]+):/+")  # a drive has one letter


@dataclass(frozen=True, slots=True)
class ReadFile:
    """The columns of a data file, and how they were read.

    Parameters
    ----------
    data : mapping from str to array, or data frame
        The columns.
    reading : Reading
        The formats of cells, and notes on them.
    verbatim : mapping from str to array, or data frame, or None, default=None
        Columns with their text as it is in the file, if any were asked for.
    """

    data: Any
    reading: Reading
    verbatim: Any = None

    def table(self, categorical: Collection[str] = ()) -> Table:
        """Return the columns as a table; some of them as categories."""
        data = self.data
        present = data if isinstance(data, Mapping) else getattr(data, "column_names", data.columns)
        return Table.of(data, nominal=[n for n in map(str, present) if n in categorical])


def read_table(
    path: Any,
    *,
    columns: Sequence[str] | None = None,
    drop: Sequence[str] = (),
    kinds: Mapping[str, Kind] | None = None,
    categorical: Collection[str] = (),
    options: ReadingOptions | None = None,
) -> Table:
    r"""Read a CSV, TSV, Parquet, Arrow or Feather file, plain or compressed, into a table.

    Compressed files, and Parquet, Arrow and Feather files, are recognised by their content, not by
    their name; the latter need pyarrow or polars. Any other file is read as text.

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
    options : ReadingOptions, default=None
        Delimiter, decimal mark, encoding and formats; None finds them in the file.

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
    file = read_file(path, columns=columns, drop=drop, kinds=kinds, options=options)
    return file.table(categorical)


def read_file(
    path: Any,
    *,
    columns: Sequence[str] | None = None,
    drop: Sequence[str] = (),
    needed: Sequence[str] = (),
    kinds: Mapping[str, Kind] | None = None,
    options: ReadingOptions | None = None,
    verbatim: Sequence[str] = (),
) -> ReadFile:
    """Read a data file, and say how its cells were read.

    Parameters
    ----------
    path : str or path-like
        The file, or "-" for standard input.
    columns, drop, kinds, options
        As for ``read_table``.
    needed : sequence of str, default=()
        Columns that the file must have, besides those to read and to leave out.
    verbatim : sequence of str, default=()
        Columns to read once more, with text as it is.

    Returns
    -------
    ReadFile
        The columns and notes on them.
    """
    name = display_name(path)

    def choose(names: list[str]) -> list[str]:
        check_columns([*needed, *(columns or ()), *drop], names, name)
        wanted = names if columns is None else dict.fromkeys(columns)
        return [n for n in wanted if n not in drop]

    data, options = decompress(read_bytes(path), name), options or ReadingOptions()
    found, reading = _parsed(path, data, choose, kinds or {}, options)
    if not verbatim:
        return ReadFile(found, reading)
    text: dict[str, Kind] = dict.fromkeys(verbatim, "text")
    as_it_is, _ = _parsed(path, data, lambda _: list(text), text, replace(options, formats={}))
    return ReadFile(found, reading, as_it_is)


def _parsed(
    path: Any,
    data: bytes,
    choose: Callable[[list[str]], list[str]],
    kinds: Mapping[str, Kind],
    options: ReadingOptions,
) -> tuple[Any, Reading]:
    """Return some columns of a file as a mapping from names to arrays, or as a data frame."""
    name = display_name(path)
    if detect_format(data) is not None:
        return read_arrow(data, name, choose, kinds, options)
    suffix = suffix_of(path)
    if suffix in _ARROW_SUFFIXES and data:
        raise DataFileError(f"{name} is not a {suffix[1:]} file, although its name ends in it")
    if not data.strip():
        raise DataFileError(f"{name} is empty; the first line must contain the column names")
    if data[:1] in (b"{", b"["):
        raise DataFileError(f"{name} looks like JSON (a model file?), not like a table")
    tab = "\t" if suffix in TAB_SUFFIXES else None
    return read_csv(CsvFile.detect(data, name, options, tab), choose, kinds, options)


def check_columns(names: Sequence[str], known: Sequence[str], source: str) -> None:
    """Raise an error that names all columns that a file does not have, with similar ones."""
    absent = [name for name in dict.fromkeys(names) if name not in known]
    if absent and len(known) == 1 and (mark := _other_delimiter(absent, known[0])) is not None:
        raise DataFileError(
            f"{source} has only one column, whose name contains {mark!r}: name that as the "
            "delimiter (sep)"
        )
    if len(absent) == 1:
        raise DataFileError(f"{source} has no column {absent[0]!r}; {suggestion(absent[0], known)}")
    if absent:
        guesses = {name: similar(name, known) for name in absent}
        words = [
            repr(n) if g is None else f"{n!r} (did you mean {g!r}?)" for n, g in guesses.items()
        ]
        listed = f"{', '.join(words[:-1])} and {words[-1]}"
        raise DataFileError(f"{source} has no columns {listed}; {listing(known)}")


def _other_delimiter(names: Sequence[str], header: str) -> str | None:
    """Return the delimiter that splits the only cell of a header into some of the names."""
    for mark in DELIMITERS:
        cells = [cell.strip().strip('"') for cell in header.split(mark)]
        if len(cells) > 1 and any(name in cells for name in names):
            return mark
    return None


def display_name(path: Any) -> str:
    """Return the name of a file for messages.

    Parameters
    ----------
    path : str or path-like
        The file, or "-" for standard input.

    Returns
    -------
    str
        The path, "stdin" for standard input, or the first of several files.
    """
    if isinstance(path, list | tuple):
        return f"{display_name(path[0])}, ..." if len(path) > 1 else display_name(path[0])
    return "stdin" if str(path) == STDIN else str(path)


def check_not_url(path: Any) -> None:
    """Raise an error if a path is an address on a network.

    Parameters
    ----------
    path : str or path-like
        The path.
    """
    found = _URL.match(str(path))
    if found is not None:  # a Path has merged the slashes
        address = f"{found[1]}://{str(path)[found.end() :]}"
        raise DataFileError(f"{address} is an address, not a file; download it first")


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
    if str(path) != STDIN:
        check_not_url(path)
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


def suffix_of(path: Any) -> str:
    """Return the suffix that names the format, in lower case and without that of a compression."""
    plain = PurePath(PurePath(path).name)
    return (PurePath(plain.stem) if plain.suffix.lower() in SUFFIXES else plain).suffix.lower()
