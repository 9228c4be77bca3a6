"""A table: named columns of one length, each ordered (numbers, times) or nominal (categories).

The last place that knows how a user's data looks. Columns are views of the user's arrays: nothing
is copied that the kernels can read as it is.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from polytomy._errors import TableError
from polytomy._types import AnyArray

Kind = Literal["ordered", "nominal"]


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name, its values and how it may be asked about."""

    name: str
    values: AnyArray
    kind: Kind


@dataclass(frozen=True, slots=True)
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
        data: AnyArray | Mapping[str, AnyArray],
        names: Sequence[str] | None = None,
        nominal: Collection[str | int] = (),
    ) -> "Table":
        """Make a table of a 2-D array or a mapping from names to 1-D arrays.

        Parameters
        ----------
        data : ndarray or mapping
            Numbers, booleans and times become ordered columns; text and objects nominal ones.
        names : sequence of str, optional
            Names of a 2-D array's columns; ``x0, x1, ...`` by default.
        nominal : collection of str or int
            Columns, by name or position, that are categories whatever their type.
        """
        arrays = _named_arrays(data, names)
        n_rows = len(next(iter(arrays.values()))) if arrays else 0
        if not arrays or n_rows == 0:
            raise TableError(f"the table is empty: {n_rows} rows and {len(arrays)} columns")
        unknown = [
            c
            for c in nominal
            if isinstance(c, bool) or (c not in arrays and c not in range(len(arrays)))
        ]
        if unknown:
            raise TableError(f"nominal names columns the table does not have: {unknown}")
        columns = tuple(
            _column(name, values, n_rows, name in nominal or j in nominal)
            for j, (name, values) in enumerate(arrays.items())
        )
        return cls(columns, n_rows)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names, in order."""
        return tuple(c.name for c in self.columns)

    def column(self, which: str | int) -> AnyArray:
        """Return the values of a column, by name or position."""
        position = self.names.index(which) if isinstance(which, str) else which
        return self.columns[position].values

    def take(self, rows: AnyArray) -> "Table":
        """Return the table of these rows, copied."""
        columns = tuple(Column(c.name, c.values[rows], c.kind) for c in self.columns)
        return Table(columns, len(columns[0].values))


def _named_arrays(
    data: AnyArray | Mapping[str, AnyArray], names: Sequence[str] | None
) -> dict[str, AnyArray]:
    if isinstance(data, Mapping):
        if names is not None:
            raise TableError("names are for a 2-D array; a mapping brings its own")
        return dict(zip(_checked_names(data), map(np.asarray, data.values()), strict=True))
    matrix = np.asarray(data)
    if matrix.ndim != 2:
        raise TableError(f"expected a 2-D array or a mapping of columns, got {matrix.ndim}-D data")
    if names is None:
        names = [f"x{j}" for j in range(matrix.shape[1])]
    if len(names) != matrix.shape[1]:
        raise TableError(f"{len(names)} names for {matrix.shape[1]} columns")
    names = _checked_names(names)
    if matrix.shape[0] == 0:
        raise TableError(f"the table is empty: 0 rows and {matrix.shape[1]} columns")
    return {name: matrix[:, j] for j, name in enumerate(names)}


def _checked_names(names: Iterable[Any]) -> list[str]:
    given = list(names)
    wrong = [name for name in given if not isinstance(name, str)]
    if wrong:
        raise TableError(f"column names must be text, got {wrong[0]!r}")
    twice = sorted(name for name, n in Counter(given).items() if n > 1)
    if twice:
        raise TableError(f"column names must differ; given more than once: {twice}")
    return [str(name) for name in given]


def _column(name: str, values: AnyArray, n_rows: int, nominal: bool) -> Column:
    if values.ndim != 1 or len(values) != n_rows:
        raise TableError(
            f"column {name!r} has shape {values.shape}; every column must have shape ({n_rows},)"
        )
    if nominal or values.dtype.kind in "OSU" or isinstance(values.dtype, np.dtypes.StringDType):
        return Column(name, values, "nominal")
    return Column(name, _readable(name, values), "ordered")


def _readable(name: str, values: AnyArray) -> AnyArray:
    """Return the column as the kernels read it: native, aligned, at most 64 bits a number."""
    kind, size = values.dtype.kind, values.dtype.itemsize
    if kind not in "fiubMm":
        raise TableError(f"column {name!r} has dtype {values.dtype}, which has no order")
    if kind == "f" and size == 2:
        values = values.astype(np.float32)
    elif kind == "f" and size > 8:
        values = values.astype(np.float64)
    if not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    if not values.flags.aligned or values.strides[0] % values.dtype.itemsize:
        values = values.copy()
    return values
