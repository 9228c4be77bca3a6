"""Files of Parquet, Arrow and CSV as one table, read in pieces with pyarrow."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from polytomy._errors import DataFileError, MissingPackageError, PolytomyError

from .arrow_reader import (
    cast_columns,
    check_distinct,
    common_types,
    convert_text,
    detect_format,
    not_of_kind,
)
from .compression import HEAD, compression_of, open_decompressed
from .csv_reader import CsvFile
from .formats import MOST_TEXTS, Format, FormatFinder, are_mostly_numbers
from .kinds import MISSING_CELLS, NEXT_KINDS, PARSERS, Kind
from .reader import TAB_SUFFIXES, check_not_url, suffix_of
from .reading import Note, Reading, ReadingOptions, TextColumns

_BATCH = 1 << 20  # rows
_SAMPLE = 1 << 20  # bytes that show the encoding and the delimiter of a CSV file
_CSV_BLOCK = 1 << 24  # bytes
_BAD_CELL = re.compile(r"In CSV column #(\d+): CSV conversion error")


class ScannedFiles:
    """The rows of one or more files with the same columns.

    Parameters
    ----------
    paths : sequence of str
        The files, in the order of their rows.
    kinds : mapping, default=None
        The kinds of some columns, as for ``read_table``.
    options : ReadingOptions, default=None
        How to read text, as for ``read_table``.
    kept : collection of str, default=()
        Columns whose text is not converted, whatever it looks like.

    Attributes
    ----------
    reading : Reading
        The formats of text that was converted, and notes on them.
    """

    def __init__(
        self,
        paths: Sequence[str],
        kinds: Mapping[str, Kind] | None = None,
        options: ReadingOptions | None = None,
        kept: Collection[str] = (),
    ) -> None:
        _require_pyarrow()
        self._kinds = dict(kinds or {})
        self._options = options or ReadingOptions()
        as_text: dict[str, Kind] = dict.fromkeys(self._options.formats, "text")
        self._files = [_opened(path, self._kinds | as_text, self._options) for path in paths]
        first = self._files[0]
        self.names = tuple(map(str, first.schema.names))
        for file in self._files[1:]:
            _check_names(first, file)
        self._types = {name: _common_type(name, self._files) for name in self.names}
        self._formats: dict[str, Format] = {}
        self._plain: dict[str, Kind] = {}
        self.reading = self._find_formats(kept)

    def _find_formats(self, chosen: Collection[str]) -> Reading:
        """Find the text columns that hold numbers or dates, and how to convert them."""
        kept = {n for n, kind in self._kinds.items() if kind not in ("number", "time")} | {*chosen}
        names = [n for n in self.names if _is_text(self._types[n]) and n not in kept]
        csv_files = [file for file in self._files if isinstance(file, _Csv)]
        delimiter = csv_files[0].settings.delimiter if csv_files else ""
        asked = {n: kind for n, kind in self._kinds.items() if n in names}
        found = TextColumns(self._options, asked, delimiter)
        self._add_texts(found, names)
        if found.asks_for_marks and len(csv_files) == len(self._files):
            numbers = [n for n in self.names if self._types[n] == _arrow_type("number")]
            given = dict(self._types)
            self._types |= dict.fromkeys(numbers, _arrow_type("text"))
            self._add_texts(found, numbers)
            formats = found.decide()[0]
            self._types |= {n: given[n] for n in numbers if n not in formats}
        formats, notes, wrong = found.decide()
        if wrong:
            raise not_of_kind(self._files[0].path, wrong[0], self._kinds[wrong[0]])
        self._formats, self._plain = formats, dict(found.plain)
        of_files = [note for file in csv_files for note in file.settings.notes]
        codes = {name: None for file in csv_files for name in file.codes}
        of_codes = [Note.on_codes(n) for n in codes if all(f.has_digits(n) for f in csv_files)]
        known = {name: form.name for name, form in formats.items()}
        return Reading(known, (*of_files, *of_codes, *notes))

    def _add_texts(self, found: TextColumns, names: Sequence[str]) -> None:
        """Add columns with all their texts, which are read until no format fits them.

        If one nearly fits, more of them are read, as many as the note on the column needs.
        """
        codes = {name for file in self._files if isinstance(file, _Csv) for name in file.codes}
        finders = {n: FormatFinder() for n in names if n not in codes}
        closed = set()
        texts: dict[str, dict[str, None]] = {n: {} for n in finders}  # in the order of the rows
        for batch in self.batches(list(finders)) if finders else ():
            for name in list(finders):
                new = [t for t in _texts_of(batch.column(name)) if t not in texts[name]]
                finders[name].add(new)
                texts[name] |= dict.fromkeys(new)
                if not (finders[name].is_open or PARSERS["zoned time"](new) is not None):
                    closed.add(name)
                if name in closed and (
                    len(texts[name]) >= MOST_TEXTS or not are_mostly_numbers(texts[name])
                ):
                    del finders[name]
            if not finders:
                break
        for name, held in texts.items():
            is_whole = name not in closed or name in self._options.formats or name in self._kinds
            (found.add if is_whole else found.add_obstacle)(name, list(held))

    @cached_property
    def n_rows(self) -> int:
        """The number of rows."""
        total = 0
        for file in self._files:
            with _reading(file.path):
                total += file.n_rows
        return total

    def row_name(self, row: int) -> str:
        """Return the name of a row for messages: its number in its file.

        Parameters
        ----------
        row : int
            The number of the row in the table.
        """
        for file in self._files:
            if row < file.n_rows:
                return f"row {row + 1:,} of {file.path}"
            row -= file.n_rows
        raise IndexError(row)

    def batches(self, names: Sequence[str]) -> Iterator[Any]:
        """Yield the rows as Arrow tables with some of the columns.

        Parameters
        ----------
        names : sequence of str
            The columns.
        """
        types = {name: self._types[name] for name in names}
        for file in self._files:
            with _reading(file.path):
                yield from self._batches_of(file, types)

    def _batches_of(self, file: "_File", types: dict[str, Any]) -> Iterator[Any]:
        """Yield the rows of a file; raise an error if there are more or fewer than at first."""
        n_rows = 0
        for batch in file.batches(types):
            n_rows += len(batch)
            if n_rows > file.n_rows:
                break
            lacking = [name for name in types if name not in batch.schema.names]
            if lacking:
                raise DataFileError(f"{file.path} has changed while it was read: no {lacking}")
            if len(batch):
                table = _without_nulls(as_arrow_table(batch), types)
                cast = cast_columns(table, self._kinds, file.path)
                yield convert_text(cast, self._formats, self._plain)
        if n_rows != file.n_rows:
            more = "more" if n_rows > file.n_rows else "fewer"
            raise DataFileError(f"{file.path} has changed while it was read: it has {more} rows")


def _require_pyarrow() -> None:
    try:
        import pyarrow  # type: ignore[import-untyped,import-not-found,unused-ignore]  # noqa: F401
    except ImportError:
        raise MissingPackageError(
            "reading files in pieces requires pyarrow (pip install pyarrow)"
        ) from None


def has_arrow_format(path: str) -> bool:
    """Return whether a file is one of Parquet or Arrow, by its first bytes."""
    _require_pyarrow()
    with Path(path).open("rb") as file:
        return detect_format(file.read(HEAD)) in _READERS


@contextmanager
def _reading(path: str) -> Iterator[None]:
    """Raise one sentence that names the file if it cannot be read."""
    import pyarrow as pa

    try:
        yield
    except PolytomyError:
        raise
    except FileNotFoundError:
        raise DataFileError(f"{path} has disappeared while it was read") from None
    except (ValueError, OSError, EOFError, KeyError, pa.ArrowException) as error:
        words = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise DataFileError(f"{path} cannot be read: {words}") from None


def _opened(path: str, kinds: Mapping[str, Kind], options: ReadingOptions) -> "_File":
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
    with _reading(path):
        form = detect_format(head if compression is None else _unpacked_head(path))
        if form is not None and compression is not None:
            raise DataFileError(
                f"{path} is compressed by {compression} and cannot be read in pieces"
            )
        file = _file_of(path, form, kinds, options)
        check_distinct([str(name) for name in file.schema.names], path)
    return file


def _unpacked_head(path: str, size: int = HEAD) -> bytes:
    with open_decompressed(path) as file:
        return file.read(size)


def _file_of(
    path: str, form: str | None, kinds: Mapping[str, Kind], options: ReadingOptions
) -> "_File":
    if form is None:
        return _Csv(path, kinds, options)
    if form not in _READERS:
        raise DataFileError(f"{path} is a {form} file, which cannot be read in pieces")
    return _READERS[form](path)


def _check_names(first: "_File", other: "_File") -> None:
    """Raise an error if two files differ in the names of their columns."""
    mine, yours = first.schema.names, other.schema.names
    absent = [n for n in mine if n not in yours]
    new = [n for n in yours if n not in mine]
    if absent or new:
        what = f"lacks {absent}" if absent else f"has {new} in addition"
        raise DataFileError(f"{other.path} does not have the columns of {first.path}: it {what}")


def _common_type(name: str, files: "Sequence[_File]") -> Any:
    """Return the type of a column in all files; raise an error if there is none.

    A column without any value in a file has the type that it has in others. Text may be stored in
    several ways. The columns of CSV files get the kind that fits all of their cells.
    """
    import pyarrow as pa

    filled = [file for file in files if not pa.types.is_null(file.schema.field(name).type)]
    if not filled:
        return pa.null()
    kinds = [file.kinds[name] for file in filled if isinstance(file, _Csv)]
    if len(kinds) == len(filled):
        return _arrow_type(_common_kind(kinds))
    first = filled[0]
    mine = first.schema.field(name).type
    for other in filled[1:]:
        yours = other.schema.field(name).type
        if mine != yours and not (_is_text(mine) and _is_text(yours)):
            raise DataFileError(
                f"column {name!r} is {yours} in {other.path} but {mine} in {first.path}"
            )
    return mine


def _is_text(dtype: Any) -> bool:
    import pyarrow as pa

    plain = dtype.value_type if pa.types.is_dictionary(dtype) else dtype
    return bool(pa.types.is_string(plain) or pa.types.is_large_string(plain))


def _without_nulls(table: Any, types: dict[str, Any]) -> Any:
    """Return a table whose columns without values have the types of other files."""
    import pyarrow as pa

    for i, field in enumerate(table.schema):
        if pa.types.is_null(field.type) and field.type != types[field.name]:
            table = table.set_column(i, field.name, table.column(i).cast(types[field.name]))
    return table


class _File:
    """A file: its columns, its rows, and batches of them."""

    def __init__(self, path: str) -> None:
        self.path = path

    @property
    def schema(self) -> Any:
        """The Arrow schema."""
        raise NotImplementedError

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        raise NotImplementedError

    def batches(self, types: dict[str, Any]) -> Iterator[Any]:
        """Yield the rows with some columns; ``types`` are their types in all files."""
        raise NotImplementedError


class _Parquet(_File):
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


class _Arrow(_File):
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


class _ArrowStream(_File):
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


_READERS = {"Parquet": _Parquet, "Arrow": _Arrow, "Arrow stream": _ArrowStream}


class _Csv(_File):
    """A CSV file, which is read once to find the kinds of its columns, as ``read_csv`` does."""

    def __init__(self, path: str, kinds: Mapping[str, Kind], options: ReadingOptions) -> None:
        super().__init__(path)
        self._given = kinds
        self._options = options
        self.codes: list[str] = []

    @property
    def schema(self) -> Any:
        import pyarrow as pa

        return pa.schema([(name, _arrow_type(kind)) for name, kind in self.kinds.items()])

    @property
    def kinds(self) -> "dict[str, Kind | None]":
        """The kinds of the columns; None without any value."""
        return self._facts[0]

    @property
    def n_rows(self) -> int:
        return self._facts[1]

    @cached_property
    def _facts(self) -> "tuple[dict[str, Kind | None], int]":
        with self._open({}) as reader:
            names = [str(name) for name in reader.schema.names]
            check_distinct(names, self.path)
            guessed = {field.name: _kind_of(field.type) for field in reader.schema}
        kinds: dict[str, Kind | None] = guessed | {
            name: kind for name, kind in self._given.items() if name in guessed
        }
        while True:
            types = {name: _arrow_type(kind) for name, kind in kinds.items()}
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
        with self._open(dict.fromkeys(open_names, _arrow_type("text")), open_names) as reader:
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
            if self._is_compressed:
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
    def _is_compressed(self) -> bool:
        with Path(self.path).open("rb") as file:
            return compression_of(file.read(HEAD)) is not None

    def batches(self, types: dict[str, Any]) -> Iterator[Any]:
        with self._open(types, list(types)) as reader:
            for batch in reader:
                yield _stripped(batch)


def _arrow_type(kind: Kind | None) -> Any:
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


def _common_kind(kinds: "Sequence[Kind | None]") -> Kind:
    """Return the first kind that fits the cells of several files."""
    fitting = [k for k in NEXT_KINDS[kinds[0]] if all(k in NEXT_KINDS[other] for other in kinds)]
    return fitting[0]


def _texts_of(column: Any) -> list[str]:
    """Return the distinct texts of an Arrow column without missing cells, in their order."""
    texts = dict.fromkeys(text.strip() for text in column.drop_null().unique().to_pylist())
    return [text for text in texts if text not in MISSING_CELLS]


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
