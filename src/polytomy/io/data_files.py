"""Single files of Parquet, Arrow and CSV, read in pieces with pyarrow."""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from polytomy._errors import DataFileError, MissingPackageError, PolytomyError

from .arrow_reader import check_distinct, common_types, detect_format
from .compression import DAMAGED, HEAD, compression_of, open_decompressed
from .csv_reader import CsvFile
from .kinds import MISSING_CELLS, NEXT_KINDS, Kind
from .reader import TAB_SUFFIXES, check_not_url, suffix_of
from .reading import ReadingOptions

_BATCH = 1 << 20  # rows
_ARROW_BATCHES = 16  # that make a part; most programs write 65,536 rows in each
_SAMPLE = 1 << 20  # bytes that show the encoding and the delimiter of a CSV file
_CSV_BLOCK = 1 << 24  # bytes
_BAD_CELL = re.compile(r"In CSV column #(\d+): (?:Row #\d+: )?CSV conversion error")


def has_arrow_format(path: str) -> bool:
    """Return whether a file is one of Parquet or Arrow, by its first bytes."""
    _require_pyarrow()
    with Path(path).open("rb") as file:
        return detect_format(file.read(HEAD)) in _READERS


def _require_pyarrow() -> None:
    try:
        import pyarrow  # type: ignore[import-untyped,import-not-found,unused-ignore]  # noqa: F401
    except ImportError:
        raise MissingPackageError(
            "reading files in pieces requires pyarrow (pip install pyarrow)"
        ) from None


@contextmanager
def reading_file(path: str) -> Iterator[None]:
    """Raise one sentence that names the file if it cannot be read."""
    import pyarrow as pa

    try:
        yield
    except PolytomyError:
        raise
    except FileNotFoundError:
        raise DataFileError(f"{path} has disappeared while it was read") from None
    except (*DAMAGED, KeyError, pa.ArrowException) as error:
        words = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise DataFileError(f"{path} cannot be read: {words}") from None


def open_alike(
    paths: Sequence[str], kinds: Mapping[str, Kind], options: ReadingOptions
) -> "list[DataFile]":
    """Return files by their formats; raise an error if they differ in their columns.

    Of a CSV file only the beginning is read.

    Parameters
    ----------
    paths : sequence of str
        The files.
    kinds : mapping
        The kinds of some columns.
    options : ReadingOptions
        How to read text.

    Returns
    -------
    list of DataFile
        The files.
    """
    _require_pyarrow()
    files = [_opened(path, kinds, options) for path in paths]
    for file in files[1:]:
        _check_names(files[0], file)
    return files


def _opened(path: str, kinds: Mapping[str, Kind], options: ReadingOptions) -> "DataFile":
    """Return a file by its format, which its first bytes tell."""
    check_not_url(path)
    try:
        with Path(path).open("rb") as opened:
            head = opened.read(HEAD)
    except FileNotFoundError:
        raise DataFileError(f"file not found: {path}") from None
    except OSError as error:
        raise DataFileError(f"cannot read {path}: {(error.strerror or '').lower()}") from None
    if not head:
        raise DataFileError(f"{path} is empty")
    compression = compression_of(head)
    with reading_file(path):
        form = detect_format(head if compression is None else _unpacked_head(path))
        if form is not None and compression is not None:
            raise DataFileError(
                f"{path} is compressed by {compression} and cannot be read in pieces"
            )
        file = _file_of(path, form, kinds, options)
        check_distinct(file.names, path)
    return file


def _unpacked_head(path: str, size: int = HEAD) -> bytes:
    with open_decompressed(path) as file:
        return file.read(size)


def _file_of(
    path: str, form: str | None, kinds: Mapping[str, Kind], options: ReadingOptions
) -> "DataFile":
    if form is None:
        return CsvPieces(path, kinds, options)
    if form not in _READERS:
        raise DataFileError(f"{path} is a {form} file, which cannot be read in pieces")
    return _READERS[form](path)


def _check_names(first: "DataFile", other: "DataFile") -> None:
    """Raise an error if two files differ in the names of their columns."""
    mine, yours = first.names, other.names
    absent = [n for n in mine if n not in yours]
    new = [n for n in yours if n not in mine]
    if absent or new:
        what = f"lacks {absent}" if absent else f"has {new} in addition"
        raise DataFileError(f"{other.path} does not have the columns of {first.path}: it {what}")


class DataFile(ABC):
    """A file: its columns, its rows, and batches of them."""

    def __init__(self, path: str) -> None:
        self.path = path

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(map(str, self.schema.names))

    @property
    @abstractmethod
    def schema(self) -> Any:
        """The Arrow schema."""

    @property
    @abstractmethod
    def n_rows(self) -> int:
        """The number of rows."""

    @abstractmethod
    def batches(self, types: dict[str, Any]) -> Iterator[Any]:
        """Yield the rows with some columns; ``types`` are their types in all files."""


class ArrowFile(DataFile):
    """A file of Arrow's formats, of which parts can be read on their own."""

    @abstractmethod
    def spans(self) -> list[tuple[int, int]]:
        """Return ranges of row groups or record batches that make parts of about equal size."""

    @abstractmethod
    def read_span(self, span: tuple[int, int], names: Sequence[str]) -> Any:
        """Return the rows of one of the ``spans`` as an Arrow table with some columns."""


class _Parquet(ArrowFile):
    @cached_property
    def _facts(self) -> tuple[Any, int]:
        from pyarrow import parquet  # type: ignore[import-untyped,unused-ignore]

        with parquet.ParquetFile(self.path) as file:
            return common_types(file.schema_arrow), file.metadata.num_rows

    @property
    def schema(self) -> Any:
        return self._facts[0]

    @property
    def n_rows(self) -> int:
        return int(self._facts[1])

    def batches(self, types: dict[str, Any]) -> Iterator[Any]:
        from pyarrow import parquet

        names = list(types)
        with parquet.ParquetFile(self.path, memory_map=True) as file:
            for group in range(file.num_row_groups):
                if file.metadata.row_group(group).num_rows <= 4 * _BATCH:
                    yield file.read_row_group(group, columns=names)
                else:
                    yield from file.iter_batches(_BATCH, row_groups=[group], columns=names)

    def spans(self) -> list[tuple[int, int]]:
        from pyarrow import parquet

        found, first, held = [], 0, 0
        with parquet.ParquetFile(self.path) as file:
            for group in range(file.num_row_groups):
                held += file.metadata.row_group(group).num_rows
                if held >= _BATCH or (held and group == file.num_row_groups - 1):
                    found.append((first, group + 1))
                    first, held = group + 1, 0
        return found

    def read_span(self, span: tuple[int, int], names: Sequence[str]) -> Any:
        from pyarrow import parquet

        with parquet.ParquetFile(self.path, memory_map=True) as file:
            return file.read_row_groups(range(*span), columns=list(names))


class _Arrow(ArrowFile):
    def _open(self) -> Any:
        import pyarrow as pa

        return pa.ipc.open_file(pa.memory_map(self.path))

    @cached_property
    def schema(self) -> Any:
        return common_types(self._open().schema)

    @cached_property
    def n_rows(self) -> int:
        with self._open() as file:
            return sum(file.get_batch(i).num_rows for i in range(file.num_record_batches))

    def batches(self, types: dict[str, Any]) -> Iterator[Any]:
        with self._open() as file:
            for i in range(file.num_record_batches):
                yield file.get_batch(i).select(list(types))

    def spans(self) -> list[tuple[int, int]]:
        with self._open() as file:
            n = file.num_record_batches
        return [(i, min(i + _ARROW_BATCHES, n)) for i in range(0, n, _ARROW_BATCHES)]

    def read_span(self, span: tuple[int, int], names: Sequence[str]) -> Any:
        import pyarrow as pa

        with self._open() as file:
            batches = [file.get_batch(i).select(list(names)) for i in range(*span)]
        return pa.Table.from_batches(batches)


class _ArrowStream(ArrowFile):
    def _open(self) -> Any:
        import pyarrow as pa

        return pa.ipc.open_stream(pa.memory_map(self.path))

    @cached_property
    def schema(self) -> Any:
        return common_types(self._open().schema)

    @cached_property
    def n_rows(self) -> int:
        return sum(batch.num_rows for batch in self._open())

    def batches(self, types: dict[str, Any]) -> Iterator[Any]:
        for batch in self._open():
            yield batch.select(list(types))

    def spans(self) -> list[tuple[int, int]]:
        return [(0, 1)]  # a stream does not say how many batches it has

    def read_span(self, span: tuple[int, int], names: Sequence[str]) -> Any:  # noqa: ARG002
        return self._open().read_all().select(list(names))


_READERS: dict[str, Callable[[str], ArrowFile]] = {
    "Parquet": _Parquet,
    "Arrow": _Arrow,
    "Arrow stream": _ArrowStream,
}


class CsvPieces(DataFile):
    """A CSV file, which is read once to find the kinds of its columns, as ``read_csv`` does."""

    def __init__(self, path: str, kinds: Mapping[str, Kind], options: ReadingOptions) -> None:
        super().__init__(path)
        self._given = kinds
        self._options = options
        self.codes: list[str] = []

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self._guessed)

    @property
    def schema(self) -> Any:
        """The Arrow schema."""
        import pyarrow as pa

        return pa.schema([(name, arrow_type(kind)) for name, kind in self.kinds.items()])

    @property
    def kinds(self) -> "dict[str, Kind | None]":
        """The kinds of the columns; None without any value."""
        return self._facts[0]

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self._facts[1]

    @cached_property
    def _guessed(self) -> "dict[str, Kind | None]":
        """The kinds of the columns by the first block of the file."""
        with self._open({}) as reader:
            check_distinct([str(name) for name in reader.schema.names], self.path)
            return {str(field.name): _kind_of(field.type) for field in reader.schema}

    @cached_property
    def _facts(self) -> "tuple[dict[str, Kind | None], int]":
        guessed = self._guessed
        names = list(guessed)
        kinds: dict[str, Kind | None] = guessed | {
            name: kind for name, kind in self._given.items() if name in guessed
        }
        while True:
            types = {name: arrow_type(kind) for name, kind in kinds.items()}
            try:
                with self._open(types) as reader:
                    n_rows = sum(len(batch) for batch in reader)
            except ValueError as error:
                found = _BAD_CELL.search(str(error))
                name = names[int(found[1])] if found else None
                if name is None or kinds[name] == "text":
                    raise
                if name not in self._given:
                    kinds[name] = _next_kind(guessed[name], kinds[name])
                elif self._given[name] in ("number", "time"):
                    kinds[name] = "text"  # it may have a format
                else:
                    raise
            else:
                self.codes = self._find_codes([n for n in names if kinds[n] == "integer"])
                return kinds | dict.fromkeys(self.codes, "text"), n_rows

    def has_digits(self, name: str) -> bool:
        """Return whether the cells of a column are missing, integers or codes of digits."""
        return name in self.codes or self.kinds[name] in (None, "integer")

    def _find_codes(self, names: list[str]) -> list[str]:
        """Return the columns of integers in which some cells begin with a zero."""
        import pyarrow as pa
        from pyarrow import compute

        zeros = pa.array(["0", " "])
        open_names = [name for name in names if name not in self._given]
        codes: list[str] = []
        if not open_names:
            return codes
        with self._open(dict.fromkeys(open_names, arrow_type("text")), open_names) as reader:
            for batch in reader:
                for name in [n for n in open_names if n not in codes]:
                    cells = batch.column(name)
                    starts = compute.utf8_slice_codeunits(cells, 0, 1)
                    some = cells.filter(compute.is_in(starts, value_set=zeros))
                    found = compute.match_substring_regex(some, pattern="^ *0[0-9]+ *$")
                    if compute.any(found).as_py():
                        codes.append(name)
        return codes

    @contextmanager
    def _open(self, types: dict[str, Any], names: list[str] | None = None) -> Iterator[Any]:
        from pyarrow import csv  # type: ignore[import-untyped,unused-ignore]

        convert = csv.ConvertOptions(
            null_values=sorted(MISSING_CELLS),
            strings_can_be_null=True,
            column_types=types,
            include_columns=names,
        )
        settings = self.settings
        encoding = "utf8" if settings.encoding == "utf-8-sig" else settings.encoding
        with ExitStack() as stack:
            source: Any = self.path
            if self.is_compressed:
                source = stack.enter_context(open_decompressed(self.path))
            with csv.open_csv(
                source,
                read_options=csv.ReadOptions(block_size=_CSV_BLOCK, encoding=encoding),
                parse_options=csv.ParseOptions(
                    delimiter=settings.delimiter, newlines_in_values=True
                ),
                convert_options=convert,
            ) as reader:
                yield reader

    @cached_property
    def settings(self) -> CsvFile:
        """The delimiter and the encoding, found in the first lines."""
        head = _unpacked_head(self.path, _SAMPLE)
        if len(head) == _SAMPLE:
            head = head[: head.rfind(b"\n") + 1 or None]
        tab = "\t" if suffix_of(self.path) in TAB_SUFFIXES else None
        return CsvFile.detect(head, self.path, self._options, tab)

    @cached_property
    def is_compressed(self) -> bool:
        """Whether the file is compressed."""
        with Path(self.path).open("rb") as file:
            return compression_of(file.read(HEAD)) is not None

    def batches(self, types: dict[str, Any]) -> Iterator[Any]:
        """Yield the rows with some columns."""
        with self._open(types, list(types)) as reader:
            for batch in reader:
                yield _stripped(batch)


def arrow_type(kind: Kind | None) -> Any:
    """Return the type of the cells of a kind; they become the same columns as in ``read_csv``."""
    import pyarrow as pa

    types = {
        None: pa.null(),
        "integer": pa.int64(),
        "boolean": pa.bool_(),
        "number": pa.float64(),
        "time": pa.timestamp("us"),
        "zoned time": pa.timestamp("us", "UTC"),
        "text": pa.string(),
    }
    return types[kind]


def _kind_of(dtype: Any) -> Kind | None:
    """Return the kind of cells that pyarrow has inferred a type for."""
    import pyarrow as pa

    if pa.types.is_null(dtype):
        return None
    if pa.types.is_date(dtype):
        return "time"
    if pa.types.is_timestamp(dtype):
        return "time" if dtype.tz is None else "zoned time"
    if pa.types.is_integer(dtype):
        return "integer"
    if pa.types.is_floating(dtype):
        return "number"
    return "boolean" if pa.types.is_boolean(dtype) else "text"


def _next_kind(first: Kind | None, failed: Kind | None) -> Kind:
    """Return the kind to try after one that does not fit; ``first`` is that of the first cells."""
    kinds = NEXT_KINDS[first]
    return kinds[0 if failed is None else kinds.index(failed) + 1]


def _stripped(batch: Any) -> Any:
    """Return a batch whose text has no spaces around it, and is missing if nothing is left."""
    import pyarrow as pa
    from pyarrow import compute

    gone = pa.array(sorted(MISSING_CELLS))
    for i, field in enumerate(batch.schema):
        if pa.types.is_string(field.type):
            text = compute.utf8_trim_whitespace(batch.column(i))
            missing = compute.is_in(text, value_set=gone)
            text = compute.if_else(missing, pa.scalar(None, text.type), text)
            batch = batch.set_column(i, field.name, text)
    return batch


def as_arrow_table(batch: Any) -> Any:
    """Return Arrow rows as a table with types that pyarrow computes with; see ``common_types``."""
    import pyarrow as pa

    table = pa.Table.from_batches([batch]) if isinstance(batch, pa.RecordBatch) else batch
    schema = common_types(table.schema)
    return table if schema.equals(table.schema) else table.cast(schema)
