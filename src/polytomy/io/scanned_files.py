"""Files of Parquet, Arrow and CSV as one table, read in pieces with pyarrow."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from polytomy._errors import DataFileError

from .arrow_reader import cast_columns, convert_text, not_of_kind
from .data_files import CsvPieces, DataFile, arrow_type, as_arrow_table, open_alike, reading_file
from .formats import MOST_TEXTS, Format, FormatFinder, are_mostly_numbers
from .kinds import MISSING_CELLS, NEXT_KINDS, PARSERS, Kind
from .reading import Note, Reading, ReadingOptions, TextColumns


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
        self._kinds = dict(kinds or {})
        self._options = options or ReadingOptions()
        as_text: dict[str, Kind] = dict.fromkeys(self._options.formats, "text")
        self._files = open_alike(paths, self._kinds | as_text, self._options)
        self.names = self._files[0].names
        self._types = {name: common_type(name, self._files) for name in self.names}
        self._formats: dict[str, Format] = {}
        self._plain: dict[str, Kind] = {}
        self.reading = self._find_formats(kept)

    def _find_formats(self, chosen: Collection[str]) -> Reading:
        """Find the text columns that hold numbers or dates, and how to convert them."""
        kept = {n for n, kind in self._kinds.items() if kind not in ("number", "time")} | {*chosen}
        names = [n for n in self.names if _is_text(self._types[n]) and n not in kept]
        csv_files = [file for file in self._files if isinstance(file, CsvPieces)]
        delimiter = csv_files[0].settings.delimiter if csv_files else ""
        asked = {n: kind for n, kind in self._kinds.items() if n in names}
        found = TextColumns(self._options, asked, delimiter)
        self._add_texts(found, names)
        if found.asks_for_marks and len(csv_files) == len(self._files):
            numbers = [n for n in self.names if self._types[n] == arrow_type("number")]
            given = dict(self._types)
            self._types |= dict.fromkeys(numbers, arrow_type("text"))
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
        codes = {name for file in self._files if isinstance(file, CsvPieces) for name in file.codes}
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
            with reading_file(file.path):
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
            with reading_file(file.path):
                yield from self._batches_of(file, types)

    def _batches_of(self, file: DataFile, types: dict[str, Any]) -> Iterator[Any]:
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
                table = without_nulls(as_arrow_table(batch), types)
                cast = cast_columns(table, self._kinds, file.path)
                yield convert_text(cast, self._formats, self._plain)
        if n_rows != file.n_rows:
            more = "more" if n_rows > file.n_rows else "fewer"
            raise DataFileError(f"{file.path} has changed while it was read: it has {more} rows")


def common_type(name: str, files: Sequence[DataFile]) -> Any:
    """Return the type of a column in all files; raise an error if there is none.

    A column without any value in a file has the type that it has in others. Text may be stored in
    several ways. The columns of CSV files get the kind that fits all of their cells.
    """
    import pyarrow as pa  # type: ignore[import-untyped,import-not-found,unused-ignore]

    for file in files:
        with reading_file(file.path):
            _ = file.schema  # a CSV file is read for it
    filled = [file for file in files if not pa.types.is_null(file.schema.field(name).type)]
    if not filled:
        return pa.null()
    kinds = [file.kinds[name] for file in filled if isinstance(file, CsvPieces)]
    if len(kinds) == len(filled):
        return arrow_type(_common_kind(kinds))
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


def without_nulls(table: Any, types: dict[str, Any]) -> Any:
    """Return a table whose columns without values have the types of other files."""
    import pyarrow as pa

    for i, field in enumerate(table.schema):
        if pa.types.is_null(field.type) and field.type != types[field.name]:
            table = table.set_column(i, field.name, table.column(i).cast(types[field.name]))
    return table


def _common_kind(kinds: "Sequence[Kind | None]") -> Kind:
    """Return the first kind that fits the cells of several files."""
    fitting = [k for k in NEXT_KINDS[kinds[0]] if all(k in NEXT_KINDS[other] for other in kinds)]
    return fitting[0]


def _texts_of(column: Any) -> list[str]:
    """Return the distinct texts of an Arrow column without missing cells, in their order."""
    texts = dict.fromkeys(text.strip() for text in column.drop_null().unique().to_pylist())
    return [text for text in texts if text not in MISSING_CELLS]
