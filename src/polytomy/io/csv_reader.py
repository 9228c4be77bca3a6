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

from .kinds import DESCRIPTIONS, NEXT_KINDS, PARSERS, Kind, parse_numbers, parse_text

_BLOCK = 1 << 10  # rows converted at a time; larger blocks do not fit in the cache
_DELIMITERS = ",;\t"


def read_csv(
    file: "CsvFile", choose: Callable[[list[str]], list[str]], kinds: Mapping[str, Kind]
) -> dict[str, AnyArray]:
    """Return some columns of a CSV file as arrays.

    Parameters
    ----------
    file : CsvFile
        The file.
    choose : callable
        Returns the columns to read, given the names in the header.
    kinds : mapping
        The kinds of some columns. The kind of any other column is inferred from its cells.
    """
    header = _read_header(file)
    position = {name: i for i, name in enumerate(header)}
    names = choose(header)
    columns = [ColumnBuilder(name, kinds.get(name)) for name in names]
    n_rows = _read_rows(file, columns, [position[name] for name in names])
    if n_rows == 0:
        raise DataFileError(f"{file.name} has a header but no rows")
    retyped = {c.name: ColumnBuilder(c.name, "text") for c in columns if c.must_reread}
    if retyped:
        _read_rows(file, list(retyped.values()), [position[name] for name in retyped])
    return {c.name: retyped.get(c.name, c).values() for c in columns}


@dataclass(frozen=True, slots=True)
class CsvFile:
    """The content of a CSV file, its name for messages, and its delimiter."""

    data: bytes
    name: str
    delimiter: str

    @classmethod
    def detect(cls, data: bytes, name: str) -> "CsvFile":
        """Return a file whose delimiter is the one that is most frequent in the header."""
        header = data[: data.find(b"\n") + 1 or None].decode("utf-8", "replace")
        unquoted = "".join(header.split('"')[::2])
        return cls(data, name, max(_DELIMITERS, key=unquoted.count))

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the rows that are not blank, each with the number of its last line.

        In a file with one column an empty line is a missing cell, except at the end of the file.
        """
        text = TextIOWrapper(BytesIO(self.data), encoding="utf-8-sig", newline="")
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
        except UnicodeDecodeError:
            raise self._encoding_error() from None

    def _encoding_error(self) -> DataFileError:
        try:
            self.data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = self.data.count(b"\n", 0, error.start) + 1
            byte = f"0x{self.data[error.start]:02x}"
            guess = "utf-16" if self.data[:2] in (b"\xff\xfe", b"\xfe\xff") else "latin1"
            return DataFileError(
                f"{self.name}, line {line}: byte {byte} at offset {error.start} is not UTF-8; "
                f"convert the file: iconv -f {guess} -t utf-8 {self.name} > utf8.csv"
            )
        raise AssertionError("the file is UTF-8 after all")


class ColumnBuilder:
    """Collects the cells of one CSV column and infers its kind.

    If a column of another kind turns out to be text, ``must_reread`` is set: the text of the first
    cells is needed ("007" and "7.0" differ), but only their values were kept.
    """

    def __init__(self, name: str, kind: Kind | None = None) -> None:
        self.name, self.kind, self.required_kind = name, kind, kind
        self.must_reread = False
        self._blocks: list[AnyArray] = []
        self._pool: dict[str, str] = {}

    def add(self, cells: Sequence[str]) -> bool:
        """Add a block of cells; return False if they are not of the required kind."""
        if self.required_kind is not None:
            block = self._parse(self.required_kind, cells)
            if block is not None:
                self._blocks.append(block)
            return block is not None
        if self.must_reread:
            return True
        if self.kind is None and _all_missing(cells):
            self._blocks.append(np.full(len(cells), np.nan))
            return True
        for kind in NEXT_KINDS[self.kind]:
            block = self._parse(kind, cells)
            if block is not None:
                self.must_reread = kind == "text" and self.kind not in (None, "text")
                self.kind = kind
                self._blocks.append(block)
                break
        return True

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


def _read_rows(file: CsvFile, columns: list[ColumnBuilder], positions: list[int]) -> int:
    """Add the cells at some positions of each row to columns; return the number of rows."""
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
        for position, column in zip(positions, columns, strict=True):
            if not column.add(cells[position]):
                raise _wrong_kind(file.name, column, [line for line, _ in block], cells[position])
        n_rows += len(block)
    return n_rows


def _wrong_kind(
    name: str, column: ColumnBuilder, lines: list[int], cells: tuple[str, ...]
) -> DataFileError:
    """Return an error that names the first cell that is not of the column's required kind."""
    assert column.required_kind is not None
    wanted = DESCRIPTIONS[column.required_kind]
    for line, cell in zip(lines, cells, strict=True):
        if not ColumnBuilder(column.name, column.required_kind).add([cell]):
            return DataFileError(
                f"{name}, line {line}: column {column.name!r} contains {cell!r}, "
                f"which is not {wanted}"
            )
    return DataFileError(f"{name}: column {column.name!r} is not {wanted}")
