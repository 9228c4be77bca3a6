"""Parquet and Arrow files, read by pyarrow or polars, whichever is installed."""

from collections.abc import Callable, Mapping
from io import BytesIO
from typing import Any

from .bad_input import BadInputError
from .kinds import Kind, as_numbers
from .sheet import FrameSheet

# How a file begins, and what it is then.
_MAGIC = {
    b"PAR1": "parquet",
    b"ARROW1": "arrow",
    b"FEA1": "feather",
    b"\xff\xff\xff\xff": "stream",
}


def format_of(data: bytes) -> str | None:
    """Return which of these formats the bytes are in, None if in no such."""
    return next((name for magic, name in _MAGIC.items() if data.startswith(magic)), None)


def read_binary(data: bytes, name: str, form: str, kinds: Mapping[str, Kind]) -> FrameSheet:
    """Read a Parquet, Feather or Arrow file, or an Arrow stream; see ``read_table`` for kinds."""
    import narwhals as nw

    try:
        frame = _reader(name)(BytesIO(data), form)
    except (ValueError, OSError, NotImplementedError) as error:  # what both libraries raise
        raise BadInputError(f"{name} cannot be read as {form}: {error}") from None
    except Exception as error:
        if type(error).__module__.split(".")[0] != "polars":  # polars' own errors are no such
            raise
        raise BadInputError(f"{name} cannot be read as {form}: {error}") from None
    names = [str(n) for n in getattr(frame, "column_names", None) or frame.columns]
    twice = sorted({n for n in names if names.count(n) > 1})
    if twice:
        raise BadInputError(f"{name} has more than one column {twice[0]!r}; rename all but one")
    if not names or not len(frame):
        raise BadInputError(f"{name} has {len(names)} columns and {len(frame)} rows")
    return FrameSheet(_cast(nw.from_native(frame, eager_only=True), kinds, name))


def _cast(frame: Any, kinds: Mapping[str, Kind], name: str) -> Any:
    """Return text that is to be numbers as numbers, and whole numbers that are to be text as text.

    Whatever else a column is, its type already says how to read it.
    """
    import narwhals as nw

    for column in frame.columns:
        dtype, kind = frame.schema[column], kinds.get(column)
        if kind == "text" and dtype.is_integer():
            frame = frame.with_columns(nw.col(column).cast(nw.String))
        elif kind in ("number", "integer") and isinstance(dtype, nw.String):
            numbers = as_numbers([c or "" for c in frame.get_column(column).to_list()])
            if numbers is None:
                raise BadInputError(f"{name}: column {column!r} holds text that is no number")
            series = nw.new_series(column, numbers, backend=nw.get_native_namespace(frame))
            frame = frame.with_columns(series)
    return frame


def _reader(name: str) -> Callable[[BytesIO, str], Any]:
    try:
        import pyarrow  # type: ignore[import-untyped,import-not-found,unused-ignore]  # noqa: F401
    except ImportError:
        pass
    else:
        return _by_pyarrow
    try:
        import polars  # noqa: F401
    except ImportError:
        raise BadInputError(
            f"reading {name} needs pyarrow or polars: pip install pyarrow; CSV needs neither"
        ) from None
    return _by_polars


def _by_pyarrow(file: BytesIO, form: str) -> Any:
    from pyarrow import feather, ipc, parquet  # type: ignore[import-untyped,unused-ignore]

    if form == "parquet":
        return parquet.read_table(file)
    if form == "stream":
        return ipc.open_stream(file).read_all()
    return feather.read_table(file)


def _by_polars(file: BytesIO, form: str) -> Any:
    import polars as pl

    if form == "parquet":
        return pl.read_parquet(file)
    return pl.read_ipc_stream(file) if form == "stream" else pl.read_ipc(file)
