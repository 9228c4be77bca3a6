"""A table that was read: its columns by name, and the choice of them that an estimator takes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import narwhals as nw

    from polytomy._types import AnyArray, IntArray


class Sheet(Protocol):
    """What verbs need of a table, whoever read it."""

    @property
    def names(self) -> list[str]:
        """The columns' names, in order."""
        ...

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        ...

    def column(self, name: str) -> "AnyArray":
        """Return a column as an array; missing cells of text are None, of numbers NaN."""
        ...

    def select(self, names: Sequence[str]) -> Any:
        """Return these columns as estimators take them."""
        ...

    def take(self, rows: "IntArray") -> "Sheet":
        """Return the sheet of these rows."""
        ...


class Columns(Mapping[str, "AnyArray"]):
    """Arrays by name; ``columns`` and ``shape`` make it a frame to the estimators.

    So a CSV file needs no library of data frames, and gives the same model whichever is installed.
    """

    def __init__(self, arrays: "Mapping[str, AnyArray]", n_rows: int) -> None:
        self._arrays = dict(arrays)
        self.columns = list(self._arrays)
        self.shape = (n_rows, len(self._arrays))

    def __getitem__(self, name: str) -> "AnyArray":
        return self._arrays[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)


@dataclass(frozen=True, slots=True)
class PlainSheet:
    """A sheet of NumPy arrays, which is what CSV is read to."""

    arrays: Columns

    @property
    def names(self) -> list[str]:
        """The columns' names, in order."""
        return self.arrays.columns

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self.arrays.shape[0]

    def column(self, name: str) -> "AnyArray":
        """Return a column as it is."""
        return self.arrays[name]

    def select(self, names: Sequence[str]) -> Columns:
        """Return these columns as estimators take them."""
        return Columns({name: self.arrays[name] for name in names}, self.n_rows)

    def take(self, rows: "IntArray") -> "PlainSheet":
        """Return the sheet of these rows."""
        kept = {name: values[rows] for name, values in self.arrays.items()}
        return PlainSheet(Columns(kept, len(rows)))


@dataclass(frozen=True, slots=True)
class FrameSheet:
    """A sheet around a data frame, which is what Parquet and Arrow are read to."""

    frame: "nw.DataFrame[Any]"

    @property
    def names(self) -> list[str]:
        """The columns' names, in order."""
        return list(self.frame.columns)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.frame)

    def column(self, name: str) -> "AnyArray":
        """Return a column as an array: text and categories as objects."""
        import narwhals as nw
        import numpy as np

        series = self.frame.get_column(name)
        if isinstance(series.dtype, nw.String | nw.Categorical | nw.Enum):
            return np.array(series.cast(nw.String).to_list(), dtype=object)
        if isinstance(series.dtype, nw.Boolean) and series.null_count():
            return np.array(series.to_list(), dtype=object)
        return series.to_numpy()

    def select(self, names: Sequence[str]) -> Any:
        """Return these columns as a frame of the library that read them."""
        return self.frame.select(list(names)).to_native()

    def take(self, rows: "IntArray") -> "FrameSheet":
        """Return the sheet of these rows."""
        return FrameSheet(self.frame[rows.tolist()])
