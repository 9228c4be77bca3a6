"""Rows that can be read only once, kept in a file without a name until they are needed."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from tempfile import TemporaryFile
from typing import Any, NamedTuple
from weakref import finalize

import numpy as np

from polytomy._types import MISSING, AnyArray

from .columns import Column, Nominal, Ordered, Scale
from .scanned import cannot_write
from .table import Table, as_frame


class _Block(NamedTuple):
    """The cells of a column in one batch: where they are in the file, and their type."""

    offset: int
    dtype: Any
    scale: Scale | None  # None for categories


@contextmanager
def _writing(folder: Any) -> Iterator[None]:
    """Raise an error that names the folder if a temporary file cannot be written."""
    try:
        yield
    except OSError as error:
        raise cannot_write(folder, error) from None


def _integers(batch: Any) -> frozenset[str]:
    frame = as_frame(batch)
    if frame is None:
        return frozenset()
    return frozenset(name for name, dtype in frame.schema.items() if dtype.is_integer())


class SpilledRows:
    """A source of batches for rows that come only once: a query, or a stream.

    Two queries need not return rows in the same order, so all columns are taken from one.

    Parameters
    ----------
    batches : iterable of data frames
        The rows. All batches have the same columns.
    names : sequence of str
        The names of the columns.
    folder : str or path-like, default=None
        The folder of the file; None for the system's folder for temporary files.

    Attributes
    ----------
    integers : frozenset of str
        The columns of integers. Those with missing cells are kept as floats.

    Examples
    --------
    >>> rows = SpilledRows([{"x": np.array([1, 2])}, {"x": np.array([3])}], ["x"])
    >>> rows.n_rows, [batch.column("x").tolist() for batch in rows.batches(["x"])]
    (3, [[1, 2], [3]])
    """

    def __init__(self, batches: Iterable[Any], names: Sequence[str], folder: Any = None) -> None:
        self.names = tuple(names)
        self.integers: frozenset[str] = frozenset()
        self._sizes: list[int] = []
        self._blocks: dict[str, list[_Block]] = {name: [] for name in self.names}
        self._codes: dict[str, dict[Any, int]] = {}
        with _writing(folder):
            self._file = TemporaryFile(dir=folder, prefix="polytomy-")  # noqa: SIM115
        finalize(self, self._file.close)
        for batch in batches:
            if not self._sizes:
                self.integers = _integers(batch)
            table = Table.of(batch)
            with _writing(folder):
                self._add(table)
        with _writing(folder):
            self._file.flush()

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return sum(self._sizes)

    def _add(self, batch: Table) -> None:
        for column in batch.select(self.names).columns:
            values, scale = self._values(column)
            block = _Block(self._file.tell(), values.dtype, scale)
            self._file.write(np.ascontiguousarray(values).data)
            self._blocks[column.name].append(block)
        self._sizes.append(batch.n_rows)

    def _values(self, column: Column) -> tuple[AnyArray, Scale | None]:
        if isinstance(column, Ordered):
            return column.values, column.scale
        known = self._codes.setdefault(column.name, {})
        of_code = [known.setdefault(c, len(known)) for c in column.categories]
        return np.array([*of_code, MISSING], dtype=np.int32)[column.codes], None

    def batches(self, names: Sequence[str]) -> Iterator[Table]:
        """Yield the rows as tables with some of the columns.

        Parameters
        ----------
        names : sequence of str
            The columns.
        """
        categories = {name: tuple(self._codes.get(name, ())) for name in names}
        for number, size in enumerate(self._sizes):
            columns: list[Column] = []
            for name in names:
                block = self._blocks[name][number]
                self._file.seek(block.offset)
                values = np.fromfile(self._file, dtype=block.dtype, count=size)
                if block.scale is None:
                    columns.append(Nominal(name, values, categories[name]))
                else:
                    columns.append(Ordered(name, values, block.scale))
            yield Table(tuple(columns), size)
