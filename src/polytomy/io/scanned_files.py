"""Files of Parquet, Arrow and CSV as one table, read in pieces with pyarrow."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from polytomy._errors import DataFileError, MissingPackageError

from .arrow_reader import common_types, detect_format
from .kinds import MISSING_CELLS

_BATCH = 1 << 20  # rows
_HEAD = 8  # bytes that tell the format of a file


class ScannedFiles:
    """The rows of one or more files with the same columns.

    Parameters
    ----------
    paths : sequence of str
        The files, in the order of their rows.
    """

    def __init__(self, paths: Sequence[str]) -> None:
        try:
            import pyarrow  # type: ignore[import-untyped,import-not-found,unused-ignore]  # noqa: F401, PLC0415
        except ImportError:
            raise MissingPackageError(
                "reading files in pieces requires pyarrow (pip install pyarrow)"
            ) from None
        self._files = [_opened(path) for path in paths]
        first = self._files[0]
        self.names = tuple(map(str, first.schema.names))
        for file in self._files[1:]:
            _check_schema(first, file)

    @cached_property
    def n_rows(self) -> int:
        """The number of rows."""
        return sum(file.n_rows for file in self._files)

    def batches(self, names: Sequence[str]) -> Iterator[Any]:
        """Yield the rows as Arrow tables with some of the columns.

        Parameters
        ----------
        names : sequence of str
            The columns.
        """
        schema = self._files[0].schema
        for file in self._files:
            try:
                for batch in file.batches(list(names), schema):
                    if len(batch):
                        yield as_arrow_table(batch)
            except DataFileError:
                raise
            except FileNotFoundError:
                raise DataFileError(f"{file.path} has disappeared while it was read") from None
            except (ValueError, OSError, KeyError) as error:
                raise _damaged(file.path, error) from None


def _damaged(path: str, error: Exception) -> DataFileError:
    words = str(error).splitlines()[0] if str(error) else type(error).__name__
    return DataFileError(f"{path} cannot be read: {words}")


def _opened(path: str) -> "_File":
    """Return a file by its format, which its first bytes tell."""
    try:
        with Path(path).open("rb") as opened:
            head = opened.read(_HEAD)
    except FileNotFoundError:
        raise DataFileError(f"file not found: {path}") from None
    except OSError as error:
        raise DataFileError(f"cannot read {path}: {(error.strerror or '').lower()}") from None
    form = detect_format(head)
    kind = {"Parquet": _Parquet, "Arrow": _Arrow, "Arrow stream": _ArrowStream, None: _Csv}
    if form not in kind:
        raise DataFileError(f"{path} is a {form} file, which cannot be read in pieces")
    if not head:
        raise DataFileError(f"{path} is empty")
    file: _File = kind[form](path)
    try:
        _ = file.schema
    except (ValueError, OSError) as error:
        raise _damaged(path, error) from None
    return file


def _check_schema(first: "_File", other: "_File") -> None:
    """Raise an error if two files differ in the names or types of their columns."""
    mine, yours = first.schema, other.schema
    absent = [n for n in mine.names if n not in yours.names]
    new = [n for n in yours.names if n not in mine.names]
    if absent or new:
        what = f"lacks {absent}" if absent else f"has {new} in addition"
        raise DataFileError(f"{other.path} does not have the columns of {first.path}: it {what}")
    for name in mine.names:
        if mine.field(name).type != yours.field(name).type:
            raise DataFileError(
                f"column {name!r} is {yours.field(name).type} in {other.path} but "
                f"{mine.field(name).type} in {first.path}"
            )


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

    def batches(self, names: list[str], schema: Any) -> Iterator[Any]:
        """Yield the rows with some of the columns; ``schema`` is that of the first file."""
        raise NotImplementedError


class _Parquet(_File):
    @cached_property
    def _facts(self) -> tuple[Any, int]:
        from pyarrow import parquet  # type: ignore[import-untyped,unused-ignore]  # noqa: PLC0415

        with parquet.ParquetFile(self.path) as file:
            return common_types(file.schema_arrow), file.metadata.num_rows

    @property
    def schema(self) -> Any:
        return self._facts[0]

    @property
    def n_rows(self) -> int:
        return int(self._facts[1])

    def batches(self, names: list[str], schema: Any) -> Iterator[Any]:  # noqa: ARG002
        from pyarrow import parquet  # noqa: PLC0415

        with parquet.ParquetFile(self.path, memory_map=True) as file:
            for group in range(file.num_row_groups):
                if file.metadata.row_group(group).num_rows <= 4 * _BATCH:
                    yield file.read_row_group(group, columns=names)
                else:
                    yield from file.iter_batches(_BATCH, row_groups=[group], columns=names)


class _Arrow(_File):
    def _open(self) -> Any:
        import pyarrow as pa  # noqa: PLC0415

        return pa.ipc.open_file(pa.memory_map(self.path))

    @cached_property
    def schema(self) -> Any:
        return common_types(self._open().schema)

    @cached_property
    def n_rows(self) -> int:
        with self._open() as file:
            return sum(file.get_batch(i).num_rows for i in range(file.num_record_batches))

    def batches(self, names: list[str], schema: Any) -> Iterator[Any]:  # noqa: ARG002
        with self._open() as file:
            for i in range(file.num_record_batches):
                yield file.get_batch(i).select(names)


class _ArrowStream(_File):
    def _open(self) -> Any:
        import pyarrow as pa  # noqa: PLC0415

        return pa.ipc.open_stream(pa.memory_map(self.path))

    @cached_property
    def schema(self) -> Any:
        return common_types(self._open().schema)

    @cached_property
    def n_rows(self) -> int:
        return sum(batch.num_rows for batch in self._open())

    def batches(self, names: list[str], schema: Any) -> Iterator[Any]:  # noqa: ARG002
        for batch in self._open():
            yield batch.select(names)


class _Csv(_File):
    def _open(self, schema: Any = None, names: list[str] | None = None) -> Any:
        from pyarrow import csv  # type: ignore[import-untyped,unused-ignore]  # noqa: PLC0415

        return csv.open_csv(
            self.path,
            read_options=csv.ReadOptions(block_size=1 << 24),
            parse_options=csv.ParseOptions(delimiter=self._delimiter, newlines_in_values=True),
            convert_options=csv.ConvertOptions(
                null_values=sorted(MISSING_CELLS),
                strings_can_be_null=True,
                column_types=schema,
                include_columns=names,
            ),
        )

    @cached_property
    def _delimiter(self) -> str:
        if self.path.lower().removesuffix(".gz").endswith((".tsv", ".tab")):
            return "\t"
        with Path(self.path).open(encoding="utf-8", errors="replace") as file:
            line = file.readline()
        return max(",;\t", key=line.count)

    @cached_property
    def schema(self) -> Any:
        """The types of the columns in the first 16 MB."""
        with self._open() as reader:
            return reader.schema

    @cached_property
    def n_rows(self) -> int:
        with self._open(None, [self.schema.names[0]]) as reader:
            return sum(len(batch) for batch in reader)

    def batches(self, names: list[str], schema: Any) -> Iterator[Any]:
        with self._open(schema, names) as reader:
            yield from reader


def as_arrow_table(batch: Any) -> Any:
    """Return Arrow rows as a table with types that pyarrow computes with; see ``common_types``."""
    import pyarrow as pa  # noqa: PLC0415

    table = pa.Table.from_batches([batch]) if isinstance(batch, pa.RecordBatch) else batch
    schema = common_types(table.schema)
    return table if schema.equals(table.schema) else table.cast(schema)
