"""A table: named columns of equal length."""

import sys
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from polytomy._errors import ParameterError, TableError
from polytomy._types import AnyArray

from .arrays import as_nominal, column_of_array
from .columns import Column

_FRAMES = ("pandas", "polars", "pyarrow", "modin", "cudf")  # libraries whose frames are read
_BACKENDS = ("pandas", "polars", "pyarrow")  # libraries whose frames are returned


@dataclass(frozen=True, eq=False)
class Table:
    """Named columns of equal length.

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
        """Return a table from a data frame, a 2-D array or a mapping from names to 1-D arrays.

        Parameters
        ----------
        data : data frame, ndarray, mapping or Table
            The data. Numbers, booleans, times and ordered categories become ordered columns; text,
            objects and other categories become nominal columns. Columns are views if possible.
        names : sequence of str, default=None
            Column names for a 2-D array; None for ``x0, x1, ...``.
        nominal : collection of str or int, default=()
            The columns, by name or position, to treat as categorical regardless of their type.
        """
        if isinstance(data, Table):
            return data.with_nominal(nominal)
        frame = as_frame(data)
        if frame is not None:
            if names is not None:
                raise TableError(
                    "names can be given for a 2-D array only; a data frame has its own names"
                )
            return cls._of_frame(frame, nominal)
        arrays = _named_arrays(data, names)
        n_rows = np.size(next(iter(arrays.values()))) if arrays else 0
        check_size(n_rows, len(arrays))
        chosen = names_of(nominal, list(arrays))
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
        # This module imports narwhals, so it is imported only for data frames.
        from .frames import columns_of_frame  # noqa: PLC0415

        names = checked_names([str(name) for name in frame.columns])
        check_size(len(frame), len(names))
        return cls(tuple(columns_of_frame(frame, names_of(nominal, names))), len(frame))

    def with_nominal(self, nominal: Collection[str | int]) -> "Table":
        """Return the table with these columns, by name or position, as categories."""
        chosen = names_of(nominal, list(self.names))
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

    def row_name(self, row: int) -> str:
        """Return the number of a row for messages, counted from 1."""
        return f"row {row + 1:,}"

    def column_groups(self) -> Iterator[list[tuple[int, Column]]]:
        """Yield the columns with their positions, in groups to be read together."""
        yield list(enumerate(self.columns))

    def new_codes(self, dtype: Any) -> AnyArray:
        """Return an array for the codes of a column."""
        return np.empty(self.n_rows, dtype=dtype)

    def new_code_columns(self, dtypes: Sequence[Any]) -> list[AnyArray]:
        """Return arrays for the codes of several columns.

        Those of one type share their memory: the system can then give them large pages, which take
        a fraction of the time to clear.
        """
        shared = {d: iter(np.empty((dtypes.count(d), self.n_rows), dtype=d)) for d in set(dtypes)}
        return [next(shared[dtype]) for dtype in dtypes]

    def column(self, which: str | int) -> AnyArray:
        """Return the values of a column, by name or position."""
        position = self.names.index(which) if isinstance(which, str) else which
        return self.columns[position].values

    def with_names(self, names: Sequence[str]) -> "Table":
        """Return a table with the same columns under other names."""
        pairs = zip(self.columns, names, strict=True)
        return Table(tuple(replace(c, name=n) for c, n in pairs), self.n_rows)

    def select(self, names: Sequence[str]) -> "Table":
        """Return the table of these columns, in this order."""
        by_name = {c.name: c for c in self.columns}
        return Table(tuple(by_name[name] for name in names), self.n_rows)

    def loaded(self, names: Sequence[str]) -> "Table":
        """Return the table of these columns, in memory."""
        return self.select(names)

    def take(self, rows: AnyArray) -> "Table":
        """Return a copy of the table with these rows only."""
        return Table(tuple(c.take(rows) for c in self.columns), len(rows))


def as_frame(data: Any) -> Any:
    """Return a narwhals frame if the data are a data frame, otherwise None."""
    if isinstance(data, np.ndarray | Mapping) or not any(name in sys.modules for name in _FRAMES):
        return None
    import narwhals as nw  # noqa: PLC0415  # only if the data may be a data frame

    try:
        frame = nw.from_native(data, eager_only=True, pass_through=True)
    except nw.exceptions.DuplicateError:
        names = getattr(data, "column_names", None)  # pyarrow's name for columns
        checked_names([str(n) for n in (data.columns if names is None else names)])
        raise
    return frame if isinstance(frame, nw.DataFrame) else None


def check_size(n_rows: int, n_columns: int) -> None:
    """Raise an error for a table without rows or columns, or with too many rows."""
    if n_rows == 0 or n_columns == 0:
        raise TableError(f"the table is empty: {n_rows} rows and {n_columns} columns")


def names_of(nominal: Collection[str | int], names: list[str]) -> frozenset[str]:
    """Return the names of columns that are given by name or position."""
    if isinstance(nominal, str):
        raise TableError(f"nominal must be a collection of columns, such as [{nominal!r}]")
    known = set(names)
    unknown = [
        c for c in nominal if isinstance(c, bool) or (c not in known and c not in range(len(names)))
    ]
    if unknown:
        raise TableError(f"nominal names columns that the table does not have: {unknown}")
    return frozenset(c if isinstance(c, str) else names[c] for c in nominal)


def _named_arrays(data: Any, names: Sequence[str] | None) -> dict[str, AnyArray]:
    if isinstance(data, Mapping):
        if names is not None:
            raise TableError("names can be given for a 2-D array only; a mapping has its own names")
        return dict(zip(checked_names(data), map(np.asanyarray, data.values()), strict=True))
    if hasattr(data, "collect"):
        raise TableError("the table is lazy; call .collect() first")
    matrix = np.asanyarray(data)
    if matrix.ndim != 2:
        raise TableError(
            f"expected a data frame, a 2-D array or a mapping of columns, got {matrix.ndim}-D data"
        )
    check_size(*matrix.shape)
    if names is None:
        names = [f"x{j}" for j in range(matrix.shape[1])]
    if len(names) != matrix.shape[1]:
        raise TableError(f"{len(names)} names for {matrix.shape[1]} columns")
    return {name: matrix[:, j] for j, name in enumerate(checked_names(names))}


def checked_names(names: Iterable[Any]) -> list[str]:
    """Return column names as a list of str; raise an error for duplicates and other types."""
    given = list(names)
    wrong = [name for name in given if not isinstance(name, str)]
    if wrong:
        raise TableError(f"column names must be text, got {wrong[0]!r}")
    twice = sorted(name for name, n in Counter(given).items() if n > 1)
    if twice:
        raise TableError(f"column names must be distinct as text; given more than once: {twice}")
    return [str(name) for name in given]


def frame_of(columns: Mapping[str, Sequence[Any]], backend: str | None = None) -> Any:
    """Return columns as a data frame of a library, or of the first one that is installed.

    Parameters
    ----------
    columns : mapping from str to sequence
        The columns by name.
    backend : {"pandas", "polars", "pyarrow"}, default=None
        The library; None for the first one that is installed.
    """
    import narwhals as nw  # noqa: PLC0415  # imported only if a frame is needed

    for name in (backend,) if backend else _BACKENDS:
        try:
            return nw.from_dict(dict(columns), backend=name).to_native()  # type: ignore[arg-type]
        except ModuleNotFoundError:
            continue
    wanted = backend or "pandas, polars or pyarrow"
    raise ParameterError(f"a data frame needs {wanted}, which is not installed")
