"""Tables that are read in pieces: their rows are in files, or come from a query.

A scanned table is a ``Table`` whose columns are not in memory. Encoding reads them one after the
other, or a few at a time, and prediction reads batches of rows. Whatever else asks for a column
gets one that lies in a file, which is mapped into memory. The file has no name, so that nothing is
left of it when the process ends, however it ends.
"""

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from tempfile import TemporaryFile, gettempdir
from time import perf_counter
from typing import Any, Protocol

import numpy as np

from polytomy._errors import TableError
from polytomy._types import MISSING, AnyArray, IntArray

from .arrays import BOOLEANS
from .columns import Column, Nominal, Ordered
from .table import Table, check_size, checked_names, names_of

GROUP_BYTES = 1 << 29
"""The size of the columns that are read together, unless one alone is larger."""
_FEW_ROWS = 200_000  # rows whose columns are kept in memory once they have been read


class BatchSource(Protocol):
    """Where the rows of a scanned table come from: they have the same order each time."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""

    @property
    def n_rows(self) -> int:
        """The number of rows."""

    def batches(self, names: Sequence[str]) -> Iterator[Any]:
        """Yield the rows as data frames or tables with some of the columns, in their order.

        Parameters
        ----------
        names : sequence of str
            The columns to read.
        """


@dataclass(frozen=True, slots=True)
class ScanProgress:
    """How far the reading of a table has come.

    Parameters
    ----------
    cells, total : int
        The cells read so far, and the number of cells to read.
    rows : int
        The number of rows of the table.
    seconds : float
        The time since reading began.
    """

    cells: int
    total: int
    rows: int
    seconds: float

    def __str__(self) -> str:
        share = self.cells / max(self.total, 1)
        speed = share * self.rows / max(self.seconds, 1e-9)
        left = self.seconds * (1 - share) / max(share, 1e-9)
        return f"{share:.0%} of {self.rows:,} rows read, {speed:,.0f} rows/s, {left:.0f} s left"


OnProgress = Callable[[ScanProgress], None]


class ScannedTable(Table):
    """A table whose columns are read when they are needed.

    Parameters
    ----------
    source : BatchSource
        Where the rows come from.
    names : sequence of str, default=None
        The columns of the table; None for all columns of the source.
    nominal : collection of str or int, default=()
        The columns, by name or position, to treat as categorical regardless of their type.
    rows : int64 array, default=None
        The rows of the table, as ascending row numbers of the source; None for all.
    cache_dir : str or path-like, default=None
        A folder for files without names that hold the codes of the table. None keeps codes in
        memory, and puts other files into the system's folder for temporary files.
    on_progress : callable, default=None
        Called with a ``ScanProgress`` after every batch that is read.
    """

    def __init__(
        self,
        source: BatchSource,
        names: Sequence[str] | None = None,
        nominal: Collection[str | int] = (),
        rows: IntArray | None = None,
        cache_dir: Any = None,
        on_progress: OnProgress | None = None,
    ) -> None:
        n_rows = source.n_rows if rows is None else len(rows)
        chosen = checked_names(source.names if names is None else names)
        check_size(n_rows, len(chosen))
        vars(self).update(  # the base class is frozen
            n_rows=n_rows,
            source=source,
            rows=rows,
            cache_dir=cache_dir,
            on_progress=on_progress,
            _names=tuple(chosen),
            _nominal=names_of(nominal, chosen),
        )

    source: BatchSource
    rows: IntArray | None
    cache_dir: Any
    on_progress: OnProgress | None
    _names: tuple[str, ...]
    _nominal: frozenset[str]

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names, in order."""
        return self._names

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns."""
        return self.n_rows, len(self._names)

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The columns, all read now; many rows are in files that are mapped into memory."""
        is_small = self.n_rows <= _FEW_ROWS
        groups = self.column_groups(None if is_small else lambda a: stored(a, self.cache_dir))
        return tuple(column for group in groups for _, column in group)

    def column_groups(
        self, keep: Callable[[AnyArray], AnyArray] | None = None
    ) -> Iterator[list[tuple[int, Column]]]:
        """Yield all columns, a few at a time, with their positions.

        Parameters
        ----------
        keep : callable, default=None
            What to do with the array of a column after reading; None leaves it in memory.
        """
        if "columns" in vars(self):
            yield list(enumerate(self.columns))
            return
        meter = _Meter(self.n_rows, len(self._names), self.on_progress)
        start = 0
        while start < len(self._names):
            end = start + self._n_together(start)
            # No name is kept for the columns: they are dropped when the next ones are read.
            yield [
                (start + i, _mapped(column, keep))
                for i, column in enumerate(self._read(self._names[start:end], meter))
            ]
            start = end

    def _n_together(self, start: int) -> int:
        """Return the number of columns to read next."""
        most = max(1, GROUP_BYTES // (8 * self.source.n_rows))
        return min(most, len(self._names) - start)

    def loaded(self, names: Sequence[str]) -> Table:
        """Return the table of these columns, in memory."""
        columns = self._read(names, _Meter(self.n_rows, len(names), self.on_progress))
        return _LoadedTable(tuple(columns), self.n_rows, self)

    def _read(self, names: Sequence[str], meter: "_Meter") -> list[Column]:
        """Return some columns, in memory."""
        builders = [ColumnBuilder(name, self.n_rows) for name in names]
        for start, part in self._parts(names):
            for builder, column in zip(builders, part.columns, strict=True):
                builder.add(start, column)
            meter.add(part.n_rows * len(names))
        return [builder.column() for builder in builders]

    def parts(self, names: Sequence[str] | None = None) -> Iterator[tuple[int, Table]]:
        """Yield the rows in batches: the position of the first one, and a table in memory.

        Parameters
        ----------
        names : sequence of str, default=None
            The columns to read; None for all.
        """
        chosen = self._names if names is None else tuple(names)
        if "columns" in vars(self) or (self.rows is not None and self.n_rows <= _FEW_ROWS):
            yield 0, Table(self.columns, self.n_rows).select(chosen)
            return
        meter = _Meter(self.n_rows, len(chosen), self.on_progress)
        for start, part in self._parts(chosen):
            meter.add(part.n_rows * len(chosen))
            yield start, part

    def _parts(self, names: Sequence[str]) -> Iterator[tuple[int, Table]]:
        """Yield the rows of the table in batches, with the position of the first row."""
        nominal, done, at = self._nominal.intersection(names), 0, 0
        integers = nominal.intersection(getattr(self.source, "integers", ()))
        for batch in self.source.batches(names):
            part = _with_integers(Table.of(batch, nominal=nominal).select(names), integers)
            first, at = at, at + part.n_rows
            if at > self.source.n_rows:
                raise _changed(self.source.n_rows, at)
            if self.rows is not None:
                inside = slice(*np.searchsorted(self.rows, (first, at)))
                chosen = self.rows[inside] - first
                if not len(chosen):
                    continue
                part = part if len(chosen) == part.n_rows else part.take(chosen)
            yield done, part
            done += part.n_rows
        if done != self.n_rows:
            raise _changed(self.n_rows, done)

    def row_name(self, row: int) -> str:
        """Return the number of a row for messages, counted from 1, and its file if it has one."""
        number = row if self.rows is None else int(self.rows[row])
        name = getattr(self.source, "row_name", super().row_name)
        return str(name(number))

    def new_codes(self, dtype: Any) -> AnyArray:
        """Return an array for the codes of a column: in memory, or in a file of ``cache_dir``."""
        if self.cache_dir is None:
            return np.empty(self.n_rows, dtype=dtype)
        return empty_array(self.n_rows, dtype, self.cache_dir)

    def new_code_columns(self, dtypes: Sequence[Any]) -> list[AnyArray]:
        """Return arrays for the codes of several columns: in memory, or in files."""
        return [self.new_codes(dtype) for dtype in dtypes]

    def take(self, rows: AnyArray) -> Table:
        """Return the table with these rows only, which are read later if they are ascending."""
        numbers = np.asarray(rows)
        if numbers.dtype == np.bool_:
            numbers = np.flatnonzero(numbers)
        if "columns" in vars(self):
            return super().take(numbers)
        if not len(numbers):
            return next(self._parts(self._names))[1].take(numbers)
        if (numbers[1:] > numbers[:-1]).all():
            return self._with_rows(numbers)
        wanted, place = np.unique(numbers, return_inverse=True)
        part = self._with_rows(wanted)
        return part.loaded(part.names).take(place)

    def _with_rows(self, ascending: AnyArray) -> "ScannedTable":
        chosen = ascending if self.rows is None else self.rows[ascending]
        return self._like(rows=chosen.astype(np.int64))

    def select(self, names: Sequence[str]) -> "ScannedTable":
        """Return the table of these columns, in this order."""
        return self._like(names=names, nominal=self._nominal.intersection(names))

    def with_names(self, names: Sequence[str]) -> Table:
        """Return a table with the same columns under other names."""
        if tuple(names) == self._names:
            return self
        raise TableError(
            f"the columns of a table that is read in pieces must be {list(names)}, got "
            f"{list(self._names)}"
        )

    def with_nominal(self, chosen: Collection[str | int]) -> "ScannedTable":
        """Return the table with these columns, besides those that are already, as categories."""
        return self._like(nominal=self._nominal | names_of(chosen, list(self._names)))

    def watched(self, on_progress: OnProgress | None) -> "ScannedTable":
        """Return the table with another function that is told about the progress of reading."""
        return self._like(on_progress=on_progress)

    def _like(self, **changes: Any) -> "ScannedTable":
        now = {
            "source": self.source,
            "names": self._names,
            "nominal": self._nominal,
            "rows": self.rows,
            "cache_dir": self.cache_dir,
            "on_progress": self.on_progress,
        }
        return ScannedTable(**(now | changes))


@dataclass(frozen=True, eq=False)
class _LoadedTable(Table):
    """Some columns of a scanned table, in memory."""

    whole: ScannedTable

    def row_name(self, row: int) -> str:
        """Return the number of a row for messages, and its file if it has one."""
        return self.whole.row_name(row)


class ColumnBuilder:
    """Puts the pieces of a column together.

    Parameters
    ----------
    name : str
        The name of the column.
    n_rows : int
        The number of its rows.

    Examples
    --------
    >>> builder = ColumnBuilder("x", 3)
    >>> builder.add(0, Ordered("x", np.array([1, 2])))
    >>> builder.add(2, Ordered("x", np.array([np.nan])))
    >>> builder.column().values.tolist()
    [1.0, 2.0, nan]
    """

    def __init__(self, name: str, n_rows: int) -> None:
        self._name, self._n_rows = name, n_rows
        self._array: AnyArray | None = None
        self._scale: Any = None
        self._codes: dict[Any, int] = {}
        self._filled = 0

    def add(self, start: int, piece: Column) -> None:
        """Add a piece, whose first row has the number ``start``."""
        if isinstance(piece, Nominal):
            known = self._codes
            of_code = [known.setdefault(c, len(known)) for c in piece.categories]
            values = np.array([*of_code, MISSING], dtype=np.int32)[piece.codes]
            scale = None
        else:
            values, scale = piece.values, piece.scale
        if self._array is None:
            self._scale, self._array = scale, np.empty(self._n_rows, values.dtype)
        elif scale != self._scale:
            raise TableError(
                f"column {self._name!r} changes its type within the table, from "
                f"{_kind(self._scale)} to {_kind(scale)}"
            )
        self._put(start, values)

    def _put(self, start: int, values: AnyArray) -> None:
        array = self._array
        assert array is not None
        if values.dtype != array.dtype:
            if self._scale == BOOLEANS:  # booleans, or 0, 1 and -1 for missing cells
                common = np.dtype(np.int32)
            else:
                common = np.result_type(values.dtype, array.dtype)
            if common != array.dtype:
                wider = np.empty(self._n_rows, common)
                wider[: self._filled] = array[: self._filled]
                self._array = array = wider
        array[start : start + len(values)] = values
        self._filled = start + len(values)

    def column(self) -> Column:
        """Return the whole column."""
        assert self._array is not None
        if self._scale is None:
            return Nominal(self._name, self._array, tuple(self._codes))
        return Ordered(self._name, self._array, self._scale)


def _with_integers(table: Table, names: Collection[str]) -> Table:
    """Return a table in which the categories of some columns are integers, not whole floats."""
    if not names:
        return table
    columns = [
        Nominal(c.name, c.codes, tuple(map(int, c.categories)))
        if isinstance(c, Nominal) and c.name in names
        else c
        for c in table.columns
    ]
    return Table(tuple(columns), table.n_rows)


def _changed(before: int, after: int) -> TableError:
    return TableError(
        f"the rows have changed while they were read: there were {before:,}, now {after:,}"
    )


def _kind(scale: Any) -> str:
    return "categories" if scale is None else type(scale).__name__.lower()


def _mapped(column: Column, keep: Callable[[AnyArray], AnyArray] | None) -> Column:
    """Return a column whose array went through a function."""
    if keep is None:
        return column
    if isinstance(column, Nominal):
        return Nominal(column.name, keep(column.codes), column.categories)
    return Ordered(column.name, keep(column.values), column.scale)


def empty_array(n_rows: int, dtype: Any, folder: Any = None) -> AnyArray:
    """Return an array in a file without a name, in a folder (by default that of the system)."""
    try:
        with TemporaryFile(dir=folder or None, prefix="polytomy-") as file:
            if hasattr(os, "posix_fallocate"):  # else a full disk would end the process
                os.posix_fallocate(file.fileno(), 0, n_rows * np.dtype(dtype).itemsize)
            return np.memmap(file, dtype=dtype, mode="r+", shape=(n_rows,))
    except OSError as error:
        raise cannot_write(folder, error) from None


def cannot_write(folder: Any, error: OSError) -> TableError:
    """Return the error for a temporary file that cannot be written in a folder."""
    where = folder or gettempdir()
    reason = (error.strerror or str(error)).lower()
    return TableError(f"cannot write temporary files in {where}: {reason}")


def stored(array: AnyArray, folder: Any = None) -> AnyArray:
    """Return a copy of an array in a file without a name."""
    out = empty_array(len(array), array.dtype, folder)
    out[:] = array
    return out


class _Meter:
    """Counts the cells that have been read."""

    def __init__(self, n_rows: int, n_columns: int, on_progress: OnProgress | None) -> None:
        self._rows, self._total, self._told = n_rows, n_rows * n_columns, on_progress
        self._cells, self._start = 0, perf_counter()

    def add(self, cells: int) -> None:
        self._cells += cells
        if self._told is not None:
            seconds = perf_counter() - self._start
            self._told(ScanProgress(self._cells, self._total, self._rows, seconds))
