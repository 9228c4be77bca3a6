"""Databases: what a fit asks of one, whatever its engine.

Queries are written in the SQL of DuckDB, with little that other engines do not have. They read a
relation ``cells`` with short column names, which ``define`` declares: the engine's own way to write
a user's columns as numbers, times as ticks, and NaN as NULL.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple
from uuid import uuid4

from polytomy._errors import TableError
from polytomy._text import suggestion
from polytomy._types import AnyArray
from polytomy.export.code.sql.dialects import DIALECTS
from polytomy.table import Scale

SQL = DIALECTS["duckdb"]
"""How names and literals are written."""

Kind = Literal["boolean", "integer", "float", "decimal", "time", "text"]


@dataclass(frozen=True, slots=True)
class CellType:
    """The type of a column's cells.

    Parameters
    ----------
    kind : {"boolean", "integer", "float", "decimal", "time", "text"}
        What the cells are.
    scale : Scale or None
        The scale of an ordered column; None for text, which has none.
    sql_type : str
        The name of the type in the database, for messages and conversions.
    """

    kind: Kind
    scale: Scale | None
    sql_type: str


class Cell(NamedTuple):
    """A column of ``cells``: the user's column, its type, and whether to read it as a float64."""

    name: str
    type: CellType
    as_number: bool


class Database(ABC):
    """A database and its rows, as queries see them.

    Attributes
    ----------
    queries : int
        The number of queries so far, those of the catalogue left out.
    has_grouping_sets : bool
        Whether one query can group by several columns in turn.
    keeps_order : bool
        Whether tables keep the order of their rows.
    """

    def __init__(self) -> None:
        self.queries, self.has_grouping_sets, self.keeps_order = 0, True, False

    @abstractmethod
    def open_table(self, name: str) -> dict[str, CellType | str]:
        """Choose a table; return the type of each column, or its name if no tree can use it."""

    @abstractmethod
    def define(self, cells: Mapping[str, Cell]) -> None:
        """Declare the columns of ``cells``, which later queries read."""

    @abstractmethod
    def fetch(self, sql: str, **types: str) -> dict[str, AnyArray]:
        """Return the result of a query without NULLs; ``types`` are its columns, in order."""

    @abstractmethod
    def store(self, sql: str) -> str:
        """Store the result of a query in a temporary table, and return the name of that."""

    @abstractmethod
    def drop(self, name: str) -> None:
        """Drop a temporary table."""

    @abstractmethod
    def code_of_text(self, x: str, values: Sequence[str], what: str) -> str:
        """Return an expression for the position of text among distinct values."""

    @abstractmethod
    def whole(self, x: str) -> str:
        """Return an expression for a float64 rounded to an integer, halves to even."""


def new_name() -> str:
    """Return a name for a temporary table that no other has."""
    return f"polytomy_codes_{uuid4().hex[:12]}"


def no_such_table(name: str, known: Sequence[str]) -> TableError:
    """Return an error for a table that does not exist, which suggests a similar name."""
    hint = suggestion(name, sorted(set(known)), "tables")
    return TableError(f"the database has no table {name!r}; {hint}")


def is_instance_of(value: Any, module: str, name: str) -> bool:
    """Return whether a class of this name and module is among those of a value.

    The module need not be installed.
    """
    return any(
        base.__name__ == name and base.__module__.split(".")[0].lstrip("_") == module
        for base in type(value).__mro__
    )
