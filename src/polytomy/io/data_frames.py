"""Data files as data frames: ``polytomy.read``."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from polytomy._errors import ParameterError
from polytomy.table import frame_of

from .kinds import Kind
from .labelled import column_cells
from .reader import read_file
from .reading import ReadingOptions
from .scanning import names_many, scan_file

_TO_BACKEND = {"pandas": "to_pandas", "polars": "to_polars", "pyarrow": "to_arrow"}


def read(  # noqa: PLR0913  # all by keyword
    path: Any,
    *,
    columns: Sequence[str] | None = None,
    drop: Sequence[str] = (),
    categorical: Collection[str] = (),
    numeric: Collection[str] = (),
    sep: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    dayfirst: bool | None = None,
    backend: str | None = None,
) -> Any:
    r"""Read a data file into a data frame, as the command line does.

    Currency signs, percent signs, thousands separators, decimal commas and dates are read as
    numbers and dates if all cells of a column fit; see ``docs/how-to/files.md``. Numbers with
    leading zeros are codes and stay text. Columns that identify rows are kept.

    Parameters
    ----------
    path : str, path-like or list of them
        A file of CSV, TSV, Parquet, Arrow or Feather, plain or compressed, or "-" for standard
        input. A folder, a pattern or a list of files is read as one table and needs pyarrow.
    columns : sequence of str, default=None
        The columns to read, in this order. None reads all of them.
    drop : sequence of str, default=()
        Columns to leave out.
    categorical : collection of str, default=()
        Columns to read as text, whatever they look like.
    numeric : collection of str, default=()
        Columns that must be numbers; other text in them is an error.
    sep : str, default=None
        The delimiter of CSV files, one character or "tab". None finds it in the header.
    decimal : {".", ","}, default=None
        The decimal mark, for columns in which it could be a mark between thousands. None finds it
        in the file.
    encoding : str, default=None
        The encoding of CSV files. None takes UTF-8 or UTF-16, and Windows-1252 for other text.
    dayfirst : bool, default=None
        Whether dates such as 01/02/2026 begin with the day. None finds it in the file; if nothing
        shows it, they stay text.
    backend : {"pandas", "polars", "pyarrow"}, default=None
        The library of the data frame; None for the first one that is installed.

    Returns
    -------
    data frame
        The columns.

    Raises
    ------
    DataFileError
        If the file cannot be read, or does not have one of the columns.

    Warns
    -----
    ReadingWarning
        One warning with all notes on how cells were read.

    Examples
    --------
    >>> import warnings
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder, warnings.catch_warnings(record=True) as notes:
    ...     warnings.simplefilter("always")
    ...     path = Path(folder, "sales.csv")
    ...     _ = path.write_text("zip;price\n01234;1.200,50\n99999;7\n")
    ...     frame = read(path)
    >>> frame["zip"].tolist(), frame["price"].tolist()
    (['01234', '99999'], [1200.5, 7.0])
    """
    if backend not in (None, *_TO_BACKEND):
        raise ParameterError(f"backend must be pandas, polars or pyarrow, got {backend!r}")
    options = ReadingOptions(sep, decimal, encoding, dayfirst)
    drop, categorical, numeric = (_names(given) for given in (drop, categorical, numeric))
    kinds: dict[str, Kind] = dict.fromkeys(categorical, "text")
    kinds |= dict.fromkeys(numeric, "number")
    common: dict[str, Any] = {"drop": drop, "kinds": kinds, "options": options}
    common |= {"columns": None if columns is None else _names(columns), "needed": list(kinds)}
    if names_many(path):
        table, reading = scan_file(path, **common)
        whole = table.loaded(table.names)
        frame = frame_of({n: _cells(column_cells(whole, n)) for n in whole.names}, backend)
    else:
        file = read_file(path, **common)
        reading, data = file.reading, file.data
        if isinstance(data, Mapping):
            frame = frame_of({n: _cells(values) for n, values in data.items()}, backend)
        else:
            frame = _of_backend(data, backend)
    reading.warn(2)
    return frame


def _names(names: Any) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _cells(values: Any) -> Any:
    """Return objects as a list, whose type a data frame library infers."""
    return values.tolist() if values.dtype == object else values


def _of_backend(native: Any, backend: str | None) -> Any:
    import narwhals as nw  # only for files that a data frame library has read

    if hasattr(native, "replace_schema_metadata"):  # it may have the types of text before
        native = native.replace_schema_metadata(None)
    frame = nw.from_native(native, eager_only=True)
    for name in (backend,) if backend else _TO_BACKEND:
        try:
            return getattr(frame, _TO_BACKEND[name])()
        except ModuleNotFoundError:
            continue
    return native
