"""What the dialects of SQL do not agree on: names, numbers, text, booleans and times."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from polytomy._errors import ParameterError, TreeError
from polytomy.encode import OrderedColumn
from polytomy.table import Times

from .instants import first_nanosecond_after, is_duration, iso
from .sqlite_number import sqlite_number

_LONGEST_NAME = 63  # bytes; PostgreSQL cuts longer ones


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one dialect writes things.

    ``number`` writes a float64 such that comparing with it is done in float64 and its value is
    exact. ``infinity`` is None where there is no literal, ``nan`` where there is no NaN or it is
    unequal to itself; where there is one, it equals itself and sorts above infinity.
    """

    name: str
    number: Callable[[float], str]
    infinity: str | None = None
    minus_infinity: str | None = None
    nan: str | None = None
    quote: str = '"'
    has_booleans: bool = True
    folds_case: bool = False

    def identifier(self, name: str) -> str:
        """Return a column's name, quoted."""
        if not name or "\0" in name or not _is_unicode(name):
            raise TreeError(f"SQL has no column named {name!r}; rename it before growing the tree")
        if self.name == "postgres" and len(name.encode()) > _LONGEST_NAME:
            raise TreeError(
                f"PostgreSQL's names have at most {_LONGEST_NAME} bytes; give column {name!r} a "
                "shorter one before growing the tree"
            )
        return self.quote + name.replace(self.quote, self.quote * 2) + self.quote

    def value(self, value: Any, what: str) -> str:
        """Return a category or class as a literal; ``what`` says in an error whose it is."""
        if isinstance(value, bool):
            return ("TRUE" if value else "FALSE") if self.has_booleans else str(int(value))
        if isinstance(value, int):
            if self.name == "sqlite" and not -(2**63) <= value < 2**63:
                raise TreeError(f"SQLite has no integer as large as {value}, which {what} has")
            return str(value)
        if isinstance(value, float):
            return self.number(value)
        if isinstance(value, str):
            return self.text(value, what)
        raise TreeError(
            f"{what} has {type(value).__name__} values, which SQL has no literal for here; "
            "turn them into text before growing the tree"
        )

    def text(self, value: str, what: str) -> str:
        """Return text as a literal."""
        if "\0" in value or not _is_unicode(value):
            raise TreeError(f"SQL cannot write the text {value!r} of {what}; replace it")
        quoted = "'" + value.replace("'", "''") + "'"
        if self.name == "postgres" and "\\" in value:
            # Whether a plain literal reads backslashes as escapes is a setting of the server.
            return "E" + quoted.replace("\\", "\\\\")
        return quoted

    def time(self, threshold: float, column: OrderedColumn) -> str:
        """Return the first time after a threshold; times before it are on its lower side."""
        assert isinstance(column.scale, Times)
        at = first_nanosecond_after(threshold, column)
        if is_duration(column):
            return self._duration(at, column)
        if self.name == "sqlite":
            return self._sqlite_time(at, column)
        zoned = column.scale.zone is not None
        if self.name == "postgres" or (self.name == "duckdb" and zoned):
            at = -(-at // 1000) * 1000  # no finer times there: the next whole microsecond
        if zoned and self.name == "ansi":
            return f"TIMESTAMP '{iso(at, column)}+00:00'"
        if zoned:
            return f"TIMESTAMP WITH TIME ZONE '{iso(at, column)}+00:00'"
        finer = self.name == "duckdb" and at % 1000
        return f"{'TIMESTAMP_NS' if finer else 'TIMESTAMP'} '{iso(at, column)}'"

    def _duration(self, at: int, column: OrderedColumn) -> str:
        if self.name not in ("duckdb", "postgres"):
            raise TreeError(
                f"column {column.name!r} holds durations, which dialect {self.name!r} cannot "
                "compare; grow the tree on a number of seconds instead"
            )
        micro = -(-at // 1000)  # intervals are whole microseconds
        sign = "-" if micro < 0 else ""
        return f"INTERVAL '{sign}{abs(micro) // 10**6}.{abs(micro) % 10**6:06d} seconds'"

    def _sqlite_time(self, at: int, column: OrderedColumn) -> str:
        assert isinstance(column.scale, Times)
        if column.scale.zone is not None:
            raise TreeError(
                f"column {column.name!r} has a time zone, which SQLite has not; turn it into UTC "
                "without a zone before growing the tree"
            )
        # Text, as SQLite's own functions write times. Cut to its shortest, it is the first in the
        # order of text of all ways to write the instant.
        text = iso(at, column)
        return "'" + re.sub(r"( 00)?(:00)?:00$", "", text) + "'"


def dialect_of(name: str, names: Sequence[str]) -> Dialect:
    """Return a dialect, having checked that it can tell the columns' names apart."""
    if name not in DIALECTS:
        raise ParameterError(f"dialect must be one of {', '.join(DIALECTS)}; got {name!r}")
    dialect = DIALECTS[name]
    if dialect.folds_case:
        twice = [n for n, times in Counter(n.lower() for n in names).items() if times > 1]
        if twice:
            raise TreeError(
                f"dialect {name!r} does not tell the columns {twice[0]!r} apart that differ in "
                "upper and lower case only; rename one before growing the tree"
            )
    return dialect


def _exponent_number(x: float) -> str:
    """Return the shortest decimal with an exponent, which makes it a double and not a decimal."""
    text = repr(x)
    return text.upper() if "e" in text else f"{text}E0"


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:  # a lone surrogate
        return False
    return True


DIALECTS = {
    "ansi": Dialect("ansi", _exponent_number),
    "duckdb": Dialect(
        "duckdb",
        _exponent_number,
        infinity="CAST('Infinity' AS DOUBLE)",
        minus_infinity="CAST('-Infinity' AS DOUBLE)",
        nan="CAST('NaN' AS DOUBLE)",
        folds_case=True,
    ),
    "postgres": Dialect(
        "postgres",
        lambda x: f"FLOAT8 '{x!r}'",
        infinity="FLOAT8 'Infinity'",
        minus_infinity="FLOAT8 '-Infinity'",
        nan="FLOAT8 'NaN'",
    ),
    "sqlite": Dialect(
        "sqlite",
        sqlite_number,
        infinity="9e999",
        minus_infinity="-9e999",
        quote="`",  # it reads an unknown name in double quotes as text, and goes on
        has_booleans=False,
        folds_case=True,
    ),
}
"""The dialects by name."""
