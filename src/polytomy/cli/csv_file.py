"""CSV and TSV, read by Python's own csv module, so that types do not depend on what is installed.

Libraries differ in what they take for a number, a date or a missing cell, and a model must not
change with them. Cells are converted column by column in blocks: numbers never pile up as text.
"""

import csv
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO, TextIOWrapper
from itertools import islice

from .bad_input import BadInputError
from .csv_column import CsvColumn
from .kinds import WORDS, Kind
from .sheet import Columns, PlainSheet

_BLOCK = 1 << 10  # rows converted at a time; larger ones fall out of the cache
_DELIMITERS = ",;\t"


@dataclass(frozen=True, slots=True)
class CsvFile:
    """The bytes of a file, what it is called in messages, and what stands between its cells."""

    data: bytes
    name: str
    delimiter: str

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the rows that are not blank, each with the number of its last line.

        Where there is one column, an empty line is a missing cell, but for those at the end.
        """
        text = TextIOWrapper(BytesIO(self.data), encoding="utf-8-sig", newline="")
        reader = csv.reader(text, delimiter=self.delimiter, strict=True)
        try:
            waiting: list[tuple[int, list[str]]] = []  # empty lines that may yet prove to be cells
            width = 0
            for row in reader:
                if "".join(row).strip() or len(row) > 1:
                    width = width or len(row)
                    yield from waiting
                    waiting = []
                    yield reader.line_num, row
                elif width == 1:  # a missing cell of the one column, unless the file ends with it
                    waiting.append((reader.line_num, [""]))
        except csv.Error as error:
            raise BadInputError(f"{self.name}, line {reader.line_num}: {error}") from None
        except UnicodeDecodeError:
            raise self._not_utf8() from None

    def _not_utf8(self) -> BadInputError:
        try:
            self.data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = self.data.count(b"\n", 0, error.start) + 1
            byte = f"0x{self.data[error.start]:02x}"
            was = "utf-16" if self.data[:2] in (b"\xff\xfe", b"\xfe\xff") else "latin1"
            fix = f"convert it: iconv -f {was} -t utf-8 {self.name} > utf8.csv"
            return BadInputError(
                f"{self.name}, line {line}: byte {byte} at offset {error.start} is not UTF-8; {fix}"
            )
        raise AssertionError("decoding failed and then did not")


def read_csv(
    data: bytes, name: str, delimiter: str | None, kinds: Mapping[str, Kind]
) -> PlainSheet:
    """Read a CSV file; columns in ``kinds`` are read as those, the others as what they are."""
    file = CsvFile(data, name, delimiter or _delimiter(data))
    header = _header(file)
    columns = [CsvColumn(n, kinds.get(n)) for n in header]
    n_rows = _fill(file, columns)
    again = {c.name for c in columns if c.read_again}
    if again:
        texts = [CsvColumn(n, "text") for n in header if n in again]
        _fill(file, texts, [header.index(c.name) for c in texts])
        reread = {c.name: c for c in texts}
        columns = [reread.get(c.name, c) for c in columns]
    if n_rows == 0:
        raise BadInputError(f"{name} has a header and no rows")
    return PlainSheet(Columns({c.name: c.values() for c in columns}, n_rows))


def _delimiter(data: bytes) -> str:
    """Return what the header has most of, outside quotes; a comma on a tie."""
    head = data[: data.find(b"\n") + 1 or None].decode("utf-8", "replace")
    outside = "".join(head.split('"')[::2])
    return max(_DELIMITERS, key=outside.count)


def _header(file: CsvFile) -> list[str]:
    _, cells = next(file.rows(), (0, []))
    if not cells:
        raise BadInputError(f"{file.name} is empty; a table begins with a line of column names")
    names = [cell.strip() or f"column_{i}" for i, cell in enumerate(cells, 1)]
    twice = [name for name, n in Counter(names).items() if n > 1]
    if twice:
        at = [str(i) for i, name in enumerate(names, 1) if name == twice[0]]
        raise BadInputError(
            f"{file.name}: the header names {twice[0]!r} {len(at)} times, as columns "
            f"{' and '.join(at)}; rename all but one"
        )
    return names


def _fill(file: CsvFile, columns: list[CsvColumn], at: list[int] | None = None) -> int:
    """Give columns their cells, those at some places or all; return the number of rows."""
    rows = file.rows()
    width = len(next(rows)[1])
    n_rows = 0
    while block := list(islice(rows, _BLOCK)):
        for line, row in block:
            if len(row) != width:
                said = f"{len(row)} cells where the header has {width}"
                raise BadInputError(f"{file.name}, line {line}: {said}")
        cells = list(zip(*(row for _, row in block), strict=True))
        for place, column in zip(at or range(width), columns, strict=True):
            if not column.add(cells[place]):
                raise _wrong_cell(file.name, column, [line for line, _ in block], cells[place])
        n_rows += len(block)
    return n_rows


def _wrong_cell(
    name: str, column: CsvColumn, lines: list[int], cells: tuple[str, ...]
) -> BadInputError:
    assert column.given is not None
    for line, cell in zip(lines, cells, strict=True):
        if not CsvColumn(column.name, column.given).add([cell]):
            return BadInputError(
                f"{name}, line {line}: column {column.name!r} holds {cell!r}, which is not "
                f"{WORDS[column.given]}"
            )
    return BadInputError(f"{name}: column {column.name!r} is not {WORDS[column.given]}")
