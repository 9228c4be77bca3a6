"""Parquet, Arrow and Feather files, read with pyarrow, or with polars if only that is installed."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from typing import Any

from polytomy._errors import DataFileError

from .formats import Format, converted
from .kinds import MISSING_CELLS, PARSERS, Kind, parse_numbers
from .reading import Reading, ReadingOptions, TextColumns

_MAGIC_BYTES = {
    b"PAR1": "Parquet",
    b"ARROW1": "Arrow",
    b"FEA1": "Feather",
    b"\xff\xff\xff\xff": "Arrow stream",
}


def detect_format(data: bytes) -> str | None:
    """Return the format of a file by its first bytes, or None if it is none of these formats."""
    return next((name for magic, name in _MAGIC_BYTES.items() if data.startswith(magic)), None)


def read_arrow(
    data: bytes,
    name: str,
    choose: Callable[[list[str]], list[str]],
    kinds: Mapping[str, Kind],
    options: ReadingOptions,
) -> tuple[Any, Reading]:
    """Return some columns of a Parquet, Arrow or Feather file as a data frame, and notes on text.

    Parameters
    ----------
    data : bytes
        The content of the file.
    name : str
        The name of the file, for messages.
    choose : callable
        Returns the columns to read, given the names in the file.
    kinds : mapping
        The kinds of some columns: text is converted to numbers and integers to text as needed.
    options : ReadingOptions
        The marks and formats of numbers and dates in text.
    """
    import narwhals as nw

    native = _read(data, name)
    names = [str(n) for n in getattr(native, "column_names", None) or native.columns]
    check_distinct(names, name)
    if not names or not len(native):
        raise DataFileError(f"{name} has {len(names)} columns and {len(native)} rows")
    frame = nw.from_native(native, eager_only=True).select(choose(names))
    found = TextColumns(options, _text_kinds(frame, kinds))
    for column in text_columns(frame, kinds):
        found.add(column, distinct_texts(frame.get_column(column)))
    formats, notes, wrong = found.decide()
    if wrong:
        raise not_of_kind(name, wrong[0], kinds[wrong[0]])
    native = convert_text(cast_columns(frame.to_native(), kinds, name), formats, found.plain)
    return native, Reading({n: form.name for n, form in formats.items()}, tuple(notes))


def text_columns(frame: Any, kinds: Mapping[str, Kind]) -> list[str]:
    """Return the columns of text that may be numbers or dates."""
    import narwhals as nw

    schema = frame.schema
    return [n for n, t in schema.items() if isinstance(t, nw.String) and kinds.get(n) in _MAY_BE]


_MAY_BE = (None, "number", "time")


def _text_kinds(frame: Any, kinds: Mapping[str, Kind]) -> dict[str, Kind]:
    return {n: kinds[n] for n in text_columns(frame, kinds) if n in kinds}


def distinct_texts(series: Any) -> list[str]:
    """Return the distinct texts of a series without missing cells, in their order."""
    found = series.drop_nulls().unique(maintain_order=True).to_list()
    texts = dict.fromkeys(text.strip() for text in found)
    return [text for text in texts if text not in MISSING_CELLS]


def not_of_kind(file: str, column: str, kind: Kind) -> DataFileError:
    """Return the error for a column of text that must be numbers or times."""
    wanted = "a number" if kind == "number" else "a date or time"
    return DataFileError(f"{file}: column {column!r} contains text that is not {wanted}")


def convert_text(native: Any, formats: Mapping[str, Format], plain: Mapping[str, Kind]) -> Any:
    """Return a data frame whose text is converted to numbers and times.

    Parameters
    ----------
    native : data frame
        The frame.
    formats : mapping from str to NumberFormat or DateFormat
        The formats of some columns.
    plain : mapping from str to str
        The kinds of columns whose cells need no format.
    """
    import narwhals as nw

    frame = nw.from_native(native, eager_only=True)
    for name in frame.columns:
        if name not in formats and name not in plain:
            continue
        series = frame.get_column(name)
        if not isinstance(series.dtype, nw.String):
            continue
        cells = [None if c is None or (t := c.strip()) in MISSING_CELLS else t for c in series]
        if name in formats:
            values = converted(cells, formats[name])
        else:
            values = PARSERS[plain[name]]([c or "" for c in cells])
        assert values is not None
        given = values.tolist() if values.dtype == object else values
        backend = nw.get_native_namespace(frame)
        frame = frame.with_columns(nw.new_series(name, given, backend=backend))
    return frame.to_native()


def check_distinct(names: Sequence[str], file: str) -> None:
    """Raise an error if two columns of a file have the same name."""
    duplicates = sorted(name for name, n in Counter(names).items() if n > 1)
    if duplicates:
        raise DataFileError(
            f"{file} has more than one column named {duplicates[0]!r}; rename all but one"
        )


def cast_columns(native: Any, kinds: Mapping[str, Kind], name: str) -> Any:
    """Return a data frame whose columns have the given kinds; ``name`` is that of the file."""
    if not kinds:
        return native
    import narwhals as nw

    frame = nw.from_native(native, eager_only=True)
    for column in frame.columns:
        frame = _cast(frame, column, kinds.get(column), name)
    return frame.to_native()


def _cast(frame: Any, column: str, kind: Kind | None, name: str) -> Any:
    """Convert text to numbers, or integers to text. Other types say themselves what they are."""
    import narwhals as nw

    dtype = frame.schema[column]
    if kind == "text" and dtype.is_integer():
        return frame.with_columns(nw.col(column).cast(nw.String))
    if kind == "integer" and isinstance(dtype, nw.String):
        numbers = parse_numbers([c or "" for c in frame.get_column(column).to_list()])
        if numbers is None:
            raise DataFileError(f"{name}: column {column!r} contains text that is not a number")
        backend = nw.get_native_namespace(frame)
        return frame.with_columns(nw.new_series(column, numbers, backend=backend))
    return frame


def _read(data: bytes, name: str) -> Any:
    form = detect_format(data)
    assert form is not None
    try:
        return _reader(name)(BytesIO(data), form)
    except DataFileError:
        raise
    except (ValueError, OSError, NotImplementedError) as error:  # raised by both libraries
        raise DataFileError(f"{name} cannot be read as {form}: {error}") from None
    except Exception as error:
        if type(error).__module__.split(".")[0] != "polars":
            raise
        raise DataFileError(f"{name} cannot be read as {form}: {error}") from None


def _reader(name: str) -> Callable[[BytesIO, str], Any]:
    """Return a function that reads a file with a library that is installed."""
    try:
        import pyarrow  # type: ignore[import-untyped,import-not-found,unused-ignore]  # noqa: F401
    except ImportError:
        pass
    else:
        return _read_with_pyarrow
    try:
        import polars  # noqa: F401
    except ImportError:
        raise DataFileError(
            f"reading {name} requires pyarrow or polars (pip install pyarrow); "
            "CSV files can be read without them"
        ) from None
    return _read_with_polars


def _read_with_pyarrow(file: BytesIO, form: str) -> Any:
    from pyarrow import feather, ipc, parquet  # type: ignore[import-untyped,unused-ignore]

    if form == "Parquet":
        table = parquet.read_table(file)
    elif form == "Arrow stream":
        table = ipc.open_stream(file).read_all()
    else:
        table = feather.read_table(file)
    common = common_types(table.schema)
    return table if common.equals(table.schema) else table.cast(common)


def common_types(schema: Any) -> Any:
    """Return a schema without the types that polars writes and pyarrow computes little with."""
    import pyarrow as pa  # type: ignore[import-untyped,import-not-found,unused-ignore]

    for i, field in enumerate(schema):
        dtype = field.type
        if pa.types.is_dictionary(dtype):
            dtype = pa.dictionary(pa.int32(), _common_text(dtype.value_type), dtype.ordered)
        schema = schema.set(i, field.with_type(_common_text(dtype)))
    return schema


def _common_text(dtype: Any) -> Any:
    """Return ``large_string`` for the view type of text, and any other type as it is."""
    import pyarrow as pa  # type: ignore[import-untyped,import-not-found,unused-ignore]

    is_view = getattr(pa.types, "is_string_view", lambda _: False)
    return pa.large_string() if is_view(dtype) else dtype


def _read_with_polars(file: BytesIO, form: str) -> Any:
    import polars as pl

    if form == "Parquet":
        return pl.read_parquet(file)
    return pl.read_ipc_stream(file) if form == "Arrow stream" else pl.read_ipc(file)
