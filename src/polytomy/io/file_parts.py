"""Files in parts that other processes read: row groups of Parquet, record batches of Arrow."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from polytomy._errors import DataFileError

from .data_files import ArrowFile, CsvPieces, as_arrow_table, open_alike, reading_file
from .reading import ReadingOptions
from .scanned_files import common_type, without_nulls
from .scanning import list_files


@dataclass(frozen=True, slots=True, eq=False)
class FilePart:
    """Some rows of a file, which any process that sees the file can read.

    Parameters
    ----------
    file : ArrowFile
        The file.
    span : tuple of int
        Its row groups or record batches: the first, and the one after the last.
    types : dict
        The columns to read, with their types in all files.
    """

    file: ArrowFile
    span: tuple[int, int]
    types: dict[str, Any]

    def read(self) -> Any:
        """Return the rows as an Arrow table, or raise an error that names the file."""
        with reading_file(self.file.path):
            rows = self.file.read_span(self.span, list(self.types))
            return without_nulls(as_arrow_table(rows), self.types)


class PartedFiles:
    """Files with the same columns, checked before other processes read them.

    Parameters
    ----------
    source : str or path-like
        A file, a folder or a pattern.

    Attributes
    ----------
    paths : list of str
        The files, in the order of their names.
    names : tuple of str
        The names of the columns.
    csv : CsvPieces or None
        The first file if all are CSV files; they have no parts. None for Parquet and Arrow.
    """

    def __init__(self, source: Any) -> None:
        self.paths = list_files(source)
        self._files = open_alike(self.paths, {}, ReadingOptions())
        first = self._files[0]
        self.names = first.names
        self.csv = first if isinstance(first, CsvPieces) else None
        for file in self._files:
            if isinstance(file, CsvPieces) != isinstance(first, CsvPieces):
                raise DataFileError(
                    f"{first.path} and {file.path} are files of different formats; "
                    "fit on those of one format"
                )
        self._spans: dict[str, list[tuple[int, int]]] = {}
        if self.csv is None:
            self._types = {name: common_type(name, self._files) for name in self.names}
            for file in self._arrow_files():
                with reading_file(file.path):
                    self._spans[file.path] = file.spans()
            if not any(self._spans.values()):
                raise DataFileError(f"{source} has no rows")

    def _arrow_files(self) -> list[ArrowFile]:
        return [file for file in self._files if isinstance(file, ArrowFile)]

    def parts(self, names: Sequence[str]) -> list[FilePart]:
        """Return all rows of Parquet or Arrow files in parts.

        Parameters
        ----------
        names : sequence of str
            The columns to read.

        Returns
        -------
        list of FilePart
            The parts, in the order of the rows.
        """
        types = {name: self._types[name] for name in names}
        return [
            FilePart(f, span, types) for f in self._arrow_files() for span in self._spans[f.path]
        ]
