"""SQL dialects: how each writes names, numbers, text, booleans and times."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import frexp, ulp
from typing import Any

from polytomy._errors import ParameterError, TreeError
from polytomy.encode import OrderedColumn
from polytomy.export.code.times import first_nanosecond_after, iso_time
from polytomy.export.phrasing import is_duration
from polytomy.table import Times

_LONGEST_NAME = 63  # bytes; PostgreSQL truncates longer names
_STEP = 62  # 2^62 is the largest power of two that is an SQLite integer
_SAFE_INTEGER, _SAFE_EXPONENT = 2**53, 22
_ESCAPED = {"\n": "\\n", "\r": "\\r"}  # other characters follow the backslash themselves
_TIME_TYPES = {  # without and with a time zone
    "bigquery": ("DATETIME", "TIMESTAMP"),
    "snowflake": ("TIMESTAMP_NTZ", "TIMESTAMP_TZ"),
    "spark": ("TIMESTAMP_NTZ", "TIMESTAMP"),
    "tsql": ("DATETIME2", "DATETIMEOFFSET"),
}


@dataclass(frozen=True, slots=True)
class Dialect:
    """An SQL dialect.

    ``number`` returns a literal of exactly the given value that is compared in float64.
    ``infinity`` is None if the dialect has no literal for it. ``nan`` is None if the dialect has no
    NaN, or one that is not equal to itself; otherwise NaN is equal to itself and above infinity.
    ``escapes`` are the characters of text that are written with a backslash. ``tick`` is the finest
    unit of its times, in nanoseconds. ``most_nested`` is the number of levels that CASE may have.
    """

    name: str
    number: Callable[[float], str]
    infinity: str | None = None
    minus_infinity: str | None = None
    nan: str | None = None
    quote: str = '"'
    has_booleans: bool = True
    has_nan: bool = True
    folds_case: bool = False
    escapes: str = ""
    tick: int = 1
    most_nested: int | None = None

    def identifier(self, name: str) -> str:
        """Return a column name in quotes."""
        if not name or "\0" in name or not _is_unicode(name):
            raise TreeError(
                f"SQL allows no column named {name!r}; rename it before growing the tree"
            )
        if self.name == "postgres" and len(name.encode()) > _LONGEST_NAME:
            raise TreeError(
                f"names in PostgreSQL have at most {_LONGEST_NAME} bytes; rename column {name!r} "
                "before growing the tree"
            )
        if self.name == "bigquery":
            if "." in name:
                raise TreeError(
                    f"BigQuery reads the column name {name!r} as a path; rename it before growing "
                    "the tree"
                )
            return "`" + self._escaped(name).replace("`", "\\`") + "`"
        if self.name == "tsql":
            return "[" + name.replace("]", "]]") + "]"
        return self.quote + name.replace(self.quote, self.quote * 2) + self.quote

    def value(self, value: Any, what: str) -> str:
        """Return a category or class as a literal; ``what`` names its source in errors."""
        if isinstance(value, bool):
            return ("TRUE" if value else "FALSE") if self.has_booleans else str(int(value))
        if isinstance(value, int):
            if self.name == "sqlite" and not -(2**63) <= value < 2**63:
                raise TreeError(
                    f"{what} has the value {value}, which does not fit in an SQLite integer"
                )
            return str(value)
        if isinstance(value, float):
            return self.number(value)
        if isinstance(value, str):
            return self.text(value, what)
        raise TreeError(
            f"{what} has {type(value).__name__} values, which have no SQL literal here; "
            "convert them to text before growing the tree"
        )

    def text(self, value: str, what: str) -> str:
        """Return text as a literal."""
        if "\0" in value or not _is_unicode(value):
            raise TreeError(f"SQL cannot represent the text {value!r} of {what}; replace it")
        if self.escapes:
            return f"'{self._escaped(value)}'"
        quoted = "'" + value.replace("'", "''") + "'"
        if self.name == "postgres" and "\\" in value:
            # Whether a plain literal reads backslashes as escapes is a setting of the server.
            return "E" + quoted.replace("\\", "\\\\")
        return f"N{quoted}" if self.name == "tsql" else quoted

    def _escaped(self, text: str) -> str:
        """Return text with its special characters written with a backslash."""
        return "".join(_ESCAPED.get(c, f"\\{c}") if c in self.escapes else c for c in text)

    def compared_text(self, name: str) -> str:
        """Return the expression of a column of text that is compared by its characters."""
        # The usual collations of SQL Server ignore case.
        return f"{name} COLLATE Latin1_General_100_BIN2" if self.name == "tsql" else name

    def time(self, threshold: float, column: OrderedColumn) -> str:
        """Return the first time after a threshold; earlier times are on its lower side."""
        assert isinstance(column.scale, Times)
        at = first_nanosecond_after(threshold, column)
        if is_duration(column):
            return self._duration(at, column)
        if self.name == "sqlite":
            return self._sqlite_time(at, column)
        zoned = column.scale.zone is not None
        tick = 1000 if zoned and self.name == "duckdb" else self.tick
        at = -(-at // tick) * tick  # round up to the unit of the dialect's times
        text = f"'{iso_time(at, column)}{'+00:00' if zoned else ''}'"
        if self.name in _TIME_TYPES:
            return f"CAST({text} AS {_TIME_TYPES[self.name][zoned]})"
        if zoned:
            return f"{'TIMESTAMP' if self.name == 'ansi' else 'TIMESTAMP WITH TIME ZONE'} {text}"
        finer = self.name == "duckdb" and at % 1000
        return f"{'TIMESTAMP_NS' if finer else 'TIMESTAMP'} {text}"

    def _duration(self, at: int, column: OrderedColumn) -> str:
        if self.name not in ("duckdb", "postgres"):
            raise TreeError(
                f"column {column.name!r} holds durations, which dialect {self.name!r} cannot "
                "compare; grow the tree on a number of seconds instead"
            )
        micro = -(-at // 1000)  # intervals are in microseconds
        sign = "-" if micro < 0 else ""
        return f"INTERVAL '{sign}{abs(micro) // 10**6}.{abs(micro) % 10**6:06d} seconds'"

    def _sqlite_time(self, at: int, column: OrderedColumn) -> str:
        assert isinstance(column.scale, Times)
        if column.scale.zone is not None:
            raise TreeError(
                f"column {column.name!r} has a time zone, which SQLite does not support; "
                "convert it to UTC without a zone before growing the tree"
            )
        # Text in the format of SQLite's own functions. The shortest form of an instant precedes
        # all its other forms in text order.
        text = iso_time(at, column)
        return "'" + re.sub(r"( 00)?(:00)?:00$", "", text) + "'"


def dialect_of(name: str, names: Sequence[str]) -> Dialect:
    """Return a dialect by name; raise an error if it cannot distinguish the column names."""
    if name not in DIALECTS:
        raise ParameterError(f"dialect must be one of {', '.join(DIALECTS)}; got {name!r}")
    dialect = DIALECTS[name]
    if dialect.folds_case:
        twice = [n for n, times in Counter(n.lower() for n in names).items() if times > 1]
        if twice:
            raise TreeError(
                f"dialect {name!r} does not distinguish the columns {twice[0]!r}, which differ "
                "only in case; rename one before growing the tree"
            )
    return dialect


def _exponent_number(x: float) -> str:
    """Return the shortest decimal with an exponent, which makes it a double literal."""
    text = repr(x)
    return text.upper() if "e" in text else f"{text}E0"


def sqlite_number(x: float) -> str:
    """Return an expression that every version of SQLite evaluates to exactly the given float64.

    SQLite does not always read a decimal as the nearest float64. The shortest decimal is used if it
    is safe: it has so few digits that one multiplication or division by a power of ten suffices,
    and is not so close to the midpoint between two float64 numbers that extended precision could
    round it twice. Otherwise the expression is an integer times or over a power of two.

    >>> sqlite_number(2.45), sqlite_number(-1e300)[:40]
    ('2.45', '(CAST(-1681218273811815 AS REAL) * CAST(')
    """
    return repr(x) if _is_safe(x) else _exact_expression(x)


def _is_safe(x: float) -> bool:
    written = Decimal(repr(x))
    _, digits, exponent = written.as_tuple()
    significand = int("".join(map(str, digits)))
    if significand > _SAFE_INTEGER or abs(int(exponent)) > _SAFE_EXPONENT:
        return False
    return abs(Fraction(written) - Fraction(x)) <= Fraction(ulp(x)) * Fraction(48, 100)


def _exact_expression(x: float) -> str:
    mantissa, exponent = frexp(x)
    whole, power = int(mantissa * 2**53), exponent - 53
    while whole % 2 == 0:
        whole, power = whole // 2, power + 1
    operator = "*" if power >= 0 else "/"
    factors = []
    while power:
        step = min(abs(power), _STEP)
        factors.append(f" {operator} CAST({2**step} AS REAL)")
        power += -step if power > 0 else step
    return f"(CAST({whole} AS REAL){''.join(factors)})"


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
        tick=1000,
    ),
    "sqlite": Dialect(
        "sqlite",
        sqlite_number,
        infinity="9e999",
        minus_infinity="-9e999",
        quote="`",  # an unknown name in double quotes is read as text
        has_booleans=False,
        has_nan=False,  # it stores NaN as NULL
        folds_case=True,
    ),
    "bigquery": Dialect(
        "bigquery",
        _exponent_number,
        infinity="CAST('inf' AS FLOAT64)",
        minus_infinity="CAST('-inf' AS FLOAT64)",
        folds_case=True,
        escapes="\\'\n\r",
        tick=1000,
    ),
    "snowflake": Dialect(
        "snowflake",
        lambda x: f"CAST('{x!r}' AS DOUBLE)",
        infinity="CAST('inf' AS DOUBLE)",
        minus_infinity="CAST('-inf' AS DOUBLE)",
        nan="CAST('NaN' AS DOUBLE)",
        escapes="\\'",
    ),
    "spark": Dialect(
        "spark",
        lambda x: f"{x!r}D",
        infinity="CAST('Infinity' AS DOUBLE)",
        minus_infinity="CAST('-Infinity' AS DOUBLE)",
        nan="CAST('NaN' AS DOUBLE)",
        quote="`",
        folds_case=True,
        escapes="\\'",
        tick=1000,
    ),
    "tsql": Dialect(
        "tsql",
        _exponent_number,
        has_booleans=False,
        has_nan=False,
        folds_case=True,
        tick=100,
        most_nested=10,
    ),
}
"""The dialects by name."""
