"""A table: named columns of one length."""

import sys
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from polytomy._errors import TableError
from polytomy._types import AnyArray

from .arrays import column_of_array
from .cells import as_nominal
from .columns import Column

_FRAMES = ("pandas", "polars", "pyarrow", "modin", "cudf")  # libraries whose frames may come


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Columns of one length.

    >>> table = Table.of({"age": np.array([31, 40]), "town": np.array(["Ulm", "Rom"])})
    >>> [c.kind for c in table.columns], table.n_rows
    (['ordered', 'nominal'], 2)
    """

    columns: tuple[Column, ...]
    n_rows: int

    @classmethod
    def of(
        cls,
        data: Any,
        names: Sequence[str] | None = None,
        nominal: Collection[str | int] = (),
    ) -> "Table":
        """Make a table of a data frame, a 2-D array or a mapping from names to 1-D arrays.

        Parameters
        ----------
        data : data frame, ndarray, mapping or Table
            Numbers, booleans, times and ordered categories become ordered columns; text, objects
            and other categories nominal ones. Columns are views where that is possible.
        names : sequence of str, optional
            Names of a 2-D array's columns; ``x0, x1, ...`` by default.
        nominal : collection of str or int
            Columns, by name or position, that are categories whatever their type.
        """
        if isinstance(data, Table):
            return data._with_nominal(_names_of(nominal, list(data.names)))
        frame = _as_frame(data)
        if frame is not None:
            if names is not None:
                raise TableError("names are for a 2-D array; a data frame brings its own")
            return cls._of_frame(frame, nominal)
        arrays = _named_arrays(data, names)
        n_rows = np.size(next(iter(arrays.values()))) if arrays else 0
        _check_size(n_rows, len(arrays))
        chosen = _names_of(nominal, list(arrays))
        for name, values in arrays.items():
            if values.shape != (n_rows,):
                raise TableError(
                    f"column {name!r} has shape {values.shape}; every column must have "
                    f"shape ({n_rows},)"
                )
        return cls(
            tuple(column_of_array(n, v, nominal=n in chosen) for n, v in arrays.items()), n_rows
        )

    @classmethod
    def _of_frame(cls, frame: Any, nominal: Collection[str | int]) -> "Table":
        # narwhals, and with it this module, is imported only where a frame has come
        from .frames import columns_of_frame  # noqa: PLC0415

        names = checked_names([str(name) for name in frame.columns])
        _check_size(len(frame), len(names))
        return cls(tuple(columns_of_frame(frame, _names_of(nominal, names))), len(frame))

    def _with_nominal(self, chosen: Collection[str]) -> "Table":
        columns = tuple(as_nominal(c) if c.name in chosen else c for c in self.columns)
        return Table(columns, self.n_rows)

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns."""
        return self.n_rows, len(self.columns)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names, in order."""
        return tuple(c.name for c in self.columns)

    def column(self, which: str | int) -> AnyArray:
        """Return the values of a column, by name or position."""
        position = self.names.index(which) if isinstance(which, str) else which
        return self.columns[position].values

    def with_names(self, names: Sequence[str]) -> "Table":
        """Return the same columns under other names."""
        pairs = zip(self.columns, names, strict=True)
        return Table(tuple(replace(c, name=n) for c, n in pairs), self.n_rows)

    def select(self, names: Sequence[str]) -> "Table":
        """Return the table of these columns, in this order."""
        by_name = {c.name: c for c in self.columns}
        return Table(tuple(by_name[name] for name in names), self.n_rows)

    def take(self, rows: AnyArray) -> "Table":
        """Return the table of these rows, copied."""
        return Table(tuple(c.take(rows) for c in self.columns), len(rows))


def _as_frame(data: Any) -> Any:
    """Return a narwhals frame if the data are a frame of a library that has been imported."""
    if isinstance(data, np.ndarray | Mapping) or not any(name in sys.modules for name in _FRAMES):
        return None
    import narwhals as nw  # noqa: PLC0415  # only where a frame may have come

    try:
        frame = nw.from_native(data, eager_only=True, pass_through=True)
    except nw.exceptions.DuplicateError:
        names = getattr(data, "column_names", None)  # pyarrow's word for columns
        checked_names([str(n) for n in (data.columns if names is None else names)])
        raise
    return frame if isinstance(frame, nw.DataFrame) else None


def _check_size(n_rows: int, n_columns: int) -> None:
    if n_rows == 0 or n_columns == 0:
        raise TableError(f"the table is empty: {n_rows} rows and {n_columns} columns")


def _names_of(nominal: Collection[str | int], names: list[str]) -> frozenset[str]:
    if isinstance(nominal, str):
        raise TableError(f"nominal takes a collection of columns, such as [{nominal!r}]")
    known = set(names)
    unknown = [
        c for c in nominal if isinstance(c, bool) or (c not in known and c not in range(len(names)))
    ]
    if unknown:
        raise TableError(f"nominal names columns the table does not have: {unknown}")
    return frozenset(c if isinstance(c, str) else names[c] for c in nominal)


def _named_arrays(data: Any, names: Sequence[str] | None) -> dict[str, AnyArray]:
    if isinstance(data, Mapping):
        if names is not None:
            raise TableError("names are for a 2-D array; a mapping brings its own")
        return dict(zip(checked_names(data), map(np.asanyarray, data.values()), strict=True))
    if hasattr(data, "collect"):
        raise TableError("the table is lazy; call .collect() first")
    matrix = np.asanyarray(data)
    if matrix.ndim != 2:
        raise TableError(
            f"expected a data frame, a 2-D array or a mapping of columns, got {matrix.ndim}-D data"
        )
    _check_size(*matrix.shape)
    if names is None:
        names = [f"x{j}" for j in range(matrix.shape[1])]
    if len(names) != matrix.shape[1]:
        raise TableError(f"{len(names)} names for {matrix.shape[1]} columns")
    return {name: matrix[:, j] for j, name in enumerate(checked_names(names))}


def checked_names(names: Iterable[Any]) -> list[str]:
    """Return column names as plain text, or refuse what is no text or comes twice."""
    given = list(names)
    wrong = [name for name in given if not isinstance(name, str)]
    if wrong:
        raise TableError(f"column names must be text, got {wrong[0]!r}")
    twice = sorted(name for name, n in Counter(given).items() if n > 1)
    if twice:
        raise TableError(f"column names must differ, as text; given more than once: {twice}")
    return [str(name) for name in given]
