"""CSV and TSV files, parsed with Python's ``csv`` module.

No data frame library is used, because they differ in what they consider a number, a date or a
missing cell, and the model must not depend on which one is installed. Cells are converted in blocks
of rows, so that the text of numbers is never held in memory as a whole.
"""

import csv
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO, TextIOWrapper
from itertools import islice

import numpy as np

from polytomy._errors import DataFileError
from polytomy._types import AnyArray

from .encodings import find_delimiter, find_encoding
from .formats import Format, NumberFormat, converted
from .kinds import (
    DESCRIPTIONS,
    NEXT_KINDS,
    PARSERS,
    Kind,
    has_leading_zeros,
    parse_numbers,
    parse_text,
)
from .reading import Note, Reading, ReadingOptions, TextColumns

_BLOCK = 1 << 10  # rows converted at a time; larger blocks do not fit in the cache


def read_csv(
    file: "CsvFile",
    choose: Callable[[list[str]], list[str]],
    kinds: Mapping[str, Kind],
    options: ReadingOptions,
) -> tuple[dict[str, AnyArray], Reading]:
    """Return some columns of a CSV file as arrays, and how their cells were read.

    Parameters
    ----------
    file : CsvFile
        The file.
    choose : callable
        Returns the columns to read, given the names in the header.
    kinds : mapping
        The kinds of some columns. The kind of any other column is inferred from its cells.
    options : ReadingOptions
        The marks and formats of cells.
    """
    header = _read_header(file)
    position = {name: i for i, name in enumerate(header)}
    names = choose(header)
    text = dict.fromkeys(options.formats, "text")
    columns = {n: ColumnBuilder(n, text.get(n, kinds.get(n))) for n in names}  # type: ignore[arg-type]
    n_rows = _read_rows(file, columns, position)
    if n_rows == 0:
        raise DataFileError(f"{file.name} has a header but no rows")
    codes = [c.name for c in columns.values() if c.is_code]
    _reread(file, columns, position, [n for n, c in columns.items() if c.must_reread or c.is_code])
    reading = _convert(file, columns, position, {**dict.fromkeys(codes, "text"), **kinds}, options)
    notes = [Note.on_codes(name) for name in codes]
    values = {name: column.values() for name, column in columns.items()}
    return values, Reading(reading.formats, (*file.notes, *notes, *reading.notes))


def _reread(
    file: "CsvFile", columns: "dict[str, ColumnBuilder]", position: dict[str, int], names: list[str]
) -> None:
    """Replace some columns by their text."""
    if names:
        texts = {name: ColumnBuilder(name, "text") for name in names}
        _read_rows(file, texts, position)
        columns.update(texts)


def _convert(
    file: "CsvFile",
    columns: "dict[str, ColumnBuilder]",
    position: dict[str, int],
    kinds: Mapping[str, Kind],
    options: ReadingOptions,
) -> Reading:
    """Convert text columns that hold numbers or dates in one of the formats."""
    asked = {n: kind for n, kind in kinds.items() if n in columns and columns[n].is_text}
    found = TextColumns(options, asked, file.delimiter)
    for name, column in columns.items():
        if column.is_text and asked.get(name) != "text":
            found.add(name, column.texts)
    numbers = [n for n, c in columns.items() if c.kind == "number"] if found.asks_for_marks else []
    texts = {name: ColumnBuilder(name, "text") for name in numbers}
    if texts:
        _read_rows(file, texts, position)
    for name, builder in texts.items():
        found.add(name, builder.texts)
    formats, notes, wrong = found.decide()
    if wrong:
        strict = {n: ColumnBuilder(n, kinds[n], strict=True) for n in wrong}
        _read_rows(file, strict, position)  # raises an error that names the first such cell
    for name, form in formats.items():
        columns[name] = texts.get(name, columns[name]).converted(form)
    for name, kind in found.plain.items():
        columns[name] = columns[name].parsed(kind)
    return Reading({name: form.name for name, form in formats.items()}, tuple(notes))


@dataclass(frozen=True, slots=True)
class CsvFile:
    """The content of a CSV file, its name for messages, its delimiter and encoding."""

    data: bytes
    name: str
    delimiter: str
    encoding: str = "utf-8-sig"
    notes: tuple[Note, ...] = ()

    @classmethod
    def detect(
        cls, data: bytes, name: str, options: ReadingOptions, delimiter: str | None = None
    ) -> "CsvFile":
        """Return a file with the encoding and delimiter that are asked for, or that it shows."""
        encoding, notes = options.encoding, list[Note]()
        if encoding is None:
            encoding, notes = find_encoding(data, name)
        elif encoding.lower().replace("_", "-") in ("utf-8", "utf8"):
            encoding = "utf-8-sig"
        chosen = options.delimiter or delimiter or find_delimiter(data, encoding)
        return cls(data, name, chosen, encoding, tuple(notes))

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the rows that are not blank, each with the number of its last line.

        In a file with one column an empty line is a missing cell, except at the end of the file.
        """
        text = TextIOWrapper(BytesIO(self.data), encoding=self.encoding, newline="")
        reader = csv.reader(text, delimiter=self.delimiter, strict=True)
        try:
            empty_lines: list[tuple[int, list[str]]] = []
            width = 0
            for row in reader:
                if "".join(row).strip() or len(row) > 1:
                    width = width or len(row)
                    yield from empty_lines
                    empty_lines = []
                    yield reader.line_num, row
                elif width == 1:
                    empty_lines.append((reader.line_num, [""]))
        except csv.Error as error:
            raise DataFileError(f"{self.name}, line {reader.line_num}: {error}") from None
        except UnicodeError as error:
            words = f"after line {reader.line_num}: {error}"
            raise DataFileError(f"{self.name} is not encoded in {self.encoding}, {words}") from None


class ColumnBuilder:
    """Collects the cells of one CSV column and infers its kind.

    If a column of another kind turns out to be text, ``must_reread`` is set: the text of the first
    cells is needed ("007" and "7.0" differ), but only their values were kept. So it is if a column
    does not have the kind that is required, unless ``strict``: its numbers may have a format.
    """

    def __init__(self, name: str, kind: Kind | None = None, *, strict: bool = False) -> None:
        self.name, self.kind, self.required_kind = name, kind, kind
        self.must_reread = False
        self._strict = strict
        self._has_leading_zeros = False
        self._blocks: list[AnyArray] = []
        self._pool: dict[str, str] = {}

    def add(self, cells: Sequence[str]) -> bool:
        """Add a block of cells; return False if they are not of the required kind."""
        if self.must_reread:
            return True
        if self.required_kind is not None:
            block = self._parse(self.required_kind, cells)
            if block is not None:
                self._blocks.append(block)
            elif not self._strict and self.required_kind in ("number", "time"):
                self.must_reread = True
            return block is not None or self.must_reread
        if self.kind is None and _all_missing(cells):
            self._blocks.append(np.full(len(cells), np.nan))
            return True
        for kind in NEXT_KINDS[self.kind]:
            block = self._parse(kind, cells)
            if block is not None:
                self.must_reread = kind == "text" and self.kind not in (None, "text")
                if kind == "integer" and not self._has_leading_zeros:
                    self._has_leading_zeros = has_leading_zeros(cells)
                self.kind = kind
                self._blocks.append(block)
                break
        return True

    @property
    def is_code(self) -> bool:
        """Whether all cells are digits, and some begin with a zero."""
        return self.kind == "integer" and self._has_leading_zeros

    @property
    def is_text(self) -> bool:
        """Whether the column is text."""
        return self.kind == "text"

    @property
    def texts(self) -> list[str]:
        """The distinct texts without missing cells."""
        return list(self._pool)

    def converted(self, form: Format) -> "ColumnBuilder":
        """Return a text column as numbers or times."""
        values = converted(self.values().tolist(), form)
        assert values is not None
        return self._with("number" if isinstance(form, NumberFormat) else "time", values)

    def parsed(self, kind: Kind) -> "ColumnBuilder":
        """Return a text column as plain numbers or times."""
        values = PARSERS[kind]([c or "" for c in self.values().tolist()])
        assert values is not None
        return self._with(kind, values)

    def _with(self, kind: Kind, values: AnyArray) -> "ColumnBuilder":
        column = ColumnBuilder(self.name, kind)
        column._blocks = [values]
        return column

    def values(self) -> AnyArray:
        """Return all cells as one array."""
        if not self._blocks:
            return np.empty(0)
        return np.concatenate([self._retyped(block) for block in self._blocks])

    def _parse(self, kind: Kind, cells: Sequence[str]) -> AnyArray | None:
        return parse_text(cells, self._pool) if kind == "text" else PARSERS[kind](cells)

    def _retyped(self, block: AnyArray) -> AnyArray:
        """Return a block in the type of the column; blocks before the first value are all NaN."""
        all_missing = block.dtype.kind == "f" and self.kind not in (None, "integer", "number")
        if not all_missing:
            return block
        if self.kind == "time":
            return np.full(len(block), np.datetime64("NaT"), dtype="datetime64[us]")
        return np.full(len(block), None, dtype=object)


def _all_missing(cells: Sequence[str]) -> bool:
    numbers = parse_numbers(cells)
    return numbers is not None and bool(np.isnan(numbers).all())


def _read_header(file: CsvFile) -> list[str]:
    _, cells = next(file.rows(), (0, []))
    if not cells:
        raise DataFileError(f"{file.name} is empty; the first line must contain the column names")
    names = [cell.strip() or f"column_{i}" for i, cell in enumerate(cells, 1)]
    duplicates = [name for name, n in Counter(names).items() if n > 1]
    if duplicates:
        at = [str(i) for i, name in enumerate(names, 1) if name == duplicates[0]]
        raise DataFileError(
            f"{file.name}: columns {' and '.join(at)} have the same name, {duplicates[0]!r}; "
            "rename all but one"
        )
    return names


def _read_rows(file: CsvFile, columns: dict[str, ColumnBuilder], position: dict[str, int]) -> int:
    """Add the cells at some positions of each row to columns; return the number of rows."""
    places = [(position[name], column) for name, column in columns.items()]
    rows = file.rows()
    width = len(next(rows)[1])
    n_rows = 0
    while block := list(islice(rows, _BLOCK)):
        for line, row in block:
            if len(row) != width:
                raise DataFileError(
                    f"{file.name}, line {line}: {len(row)} cells, but the header has {width}"
                )
        cells = list(zip(*(row for _, row in block), strict=True))
        for at, column in places:
            if not column.add(cells[at]):
                raise _wrong_kind(file.name, column, [line for line, _ in block], cells[at])
        n_rows += len(block)
    return n_rows


def _wrong_kind(
    name: str, column: ColumnBuilder, lines: list[int], cells: tuple[str, ...]
) -> DataFileError:
    """Return an error that names the first cell that is not of the column's required kind."""
    assert column.required_kind is not None
    wanted = DESCRIPTIONS[column.required_kind]
    for line, cell in zip(lines, cells, strict=True):
        if not ColumnBuilder(column.name, column.required_kind, strict=True).add([cell]):
            return DataFileError(
                f"{name}, line {line}: column {column.name!r} contains {cell!r}, "
                f"which is not {wanted}"
            )
    return DataFileError(f"{name}: column {column.name!r} is not {wanted}")
