"""Columns that identify rows: row numbers, other numbers that are nearly unique, distinct text.

Whole numbers identify rows if nearly all are distinct and either the column is called an id, a key
or a number, or they fill most of their range, as numbers do that are handed out one by one.
Sums of money may be as distinct, but leave most of their range empty.
"""

import re
import warnings
from collections.abc import Collection
from dataclasses import dataclass, field
from inspect import currentframe
from typing import Any

import numpy as np

from polytomy._errors import DataFileError
from polytomy._types import AnyArray
from polytomy.table import Column, Nominal, Numbers, Ordered, ScannedTable, Table

from .formats import formatted_number, looks_like_dates
from .labelled import categories_in

MAX_CATEGORIES = 100_000
_NEARLY = 0.95  # the share of numbers that are distinct
_SAMPLE = 10_000  # numbers that are looked at first
_ID_NAME = re.compile(
    r"(?:^|[\W_])(?:id|ids|uid|uuid|guid|key|nr|no|num|number)[\W_]*$|^id[\W_]", re.IGNORECASE
)
_ID_ENDING = re.compile(r"[a-z](?:Id|ID|Nr|No|Key)$")
_SAMPLED_DATES = 1_000  # texts that show whether a column holds dates
_LIBRARIES = ("polytomy", "sklearn")  # code between the user's and a warning
_FEW_ROWS = 20  # in so few cells, distinct values do not mean that a column identifies rows


@dataclass(frozen=True, slots=True)
class IdentifierColumn:
    """A column that identifies rows and was left out, because a tree could only memorise it.

    Attributes
    ----------
    name : str
        The name of the column.
    reason : str
        Why it was left out, such as "row number".
    keep_as : {"categorical", "numeric", ""}
        The field of ``ColumnRoles`` that keeps the column if it is listed there; empty for numbers
        and dates that stay text, for which a note says why.
    """

    name: str
    reason: str
    keep_as: str


def find_identifiers(table: Table, kept: set[str]) -> list[IdentifierColumn]:
    """Return the columns that identify rows; raise an error if others have too many categories.

    Parameters
    ----------
    table : Table
        The columns. Those of a scanned table are read as far as needed.
    kept : set of str
        Columns that are kept in any case.

    Returns
    -------
    list of IdentifierColumn
        The columns to leave out.
    """
    if isinstance(table, ScannedTable):
        return _find_in_parts(table, kept)
    found = []
    for column in table.columns:
        left_out = None if column.name in kept else identifier(column, table.n_rows)
        if left_out is None:
            n = sum(isinstance(c, str) for c in categories_in(column)[0])
            _check_categories(column.name, n, table.n_rows)
        else:
            found.append(left_out)
    return found


def identifier(column: Column, n_rows: int) -> IdentifierColumn | None:
    """Return why a column identifies rows: it counts them, or is mostly distinct text; or None."""
    seen = _Seen(column.name)
    seen.add(column)
    return seen.identifier(n_rows)


class DoubtfulColumnWarning(UserWarning):
    """A column of text identifies rows, or holds dates, and can hardly help to predict.

    Attributes
    ----------
    for_command_line : str
        The warning with the options of the command line.
    """

    for_command_line = ""


@dataclass(frozen=True, slots=True)
class _Problem:
    """What is wrong with a column of text, and what to do in Python and on the command line."""

    fact: str
    remedy: str
    option: str


def warn_of_doubtful_columns(table: Table, kept: Collection[str]) -> None:
    """Warn of columns of text that are mostly distinct or hold dates, all in one warning.

    Parameters
    ----------
    table : Table
        The columns to predict from. Nothing is read of a scanned table.
    kept : collection of str
        Columns that the user has called categorical.

    Warns
    -----
    DoubtfulColumnWarning
        If there are such columns.
    """
    if isinstance(table, ScannedTable) or table.n_rows <= _FEW_ROWS:
        return
    problems: dict[str, _Problem] = {}
    for column in table.columns:
        if isinstance(column, Nominal) and column.name not in kept:
            problem = _problem_of(column, table.n_rows)
            if problem is not None:
                problems[column.name] = problem
    if problems:
        facts = {f"column {name!r} {p.fact}": p for name, p in problems.items()}
        listed = "; ".join(f"{fact}: {p.remedy}" for fact, p in facts.items())
        keeps = f"categorical_features={list(problems)} keeps such columns silently"
        warning = DoubtfulColumnWarning(f"{listed} ({keeps})")
        listed = "; ".join(f"{fact}: {p.option}" for fact, p in facts.items())
        keeps = f"--categorical {','.join(problems)} keeps such columns silently"
        warning.for_command_line = f"{listed} ({keeps})"
        warnings.warn(warning, stacklevel=_stacklevel_of_caller())


def _stacklevel_of_caller() -> int:
    """Return the stack level, seen from the function above, of the code that called a library."""
    level = 0
    frame = currentframe()
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] in _LIBRARIES:
        frame = frame.f_back
        level += 1
    return level


def _problem_of(column: Nominal, n_rows: int) -> _Problem | None:
    """Return what is wrong with a column of text, and what to do; or None."""
    held, n_missing = categories_in(column)
    if not held or not all(isinstance(c, str) for c in held):
        return None
    if looks_like_dates(held[:_SAMPLED_DATES]):
        remedy = "convert it, for example with pandas.to_datetime"
        return _Problem("holds dates as text", remedy, "--dayfirst or --monthfirst reads them")
    if len(held) > _FEW_ROWS and (number := formatted_number(held[:_SAMPLED_DATES])) is not None:
        fact = f"holds numbers as text, such as {number!r}"
        return _Problem(fact, "convert it (polytomy.read does)", "--numeric reads them")
    if _are_mostly_distinct(len(held), n_rows - n_missing):
        fact = (
            f"has {len(held):,} different texts in {n_rows:,} rows, which a tree can only memorise"
        )
        return _Problem(fact, "drop it", "--drop leaves it out")
    return None


@dataclass(slots=True)
class _Seen:
    """What is known of a column from the pieces that were read."""

    name: str
    n_rows: int = 0
    n_missing: int = 0
    categories: set[Any] = field(default_factory=set)
    numbers: list[AnyArray] | None = field(default_factory=list)
    """The whole numbers, as long as they may identify rows."""

    def add(self, piece: Column) -> None:
        """Add the next piece of the column."""
        if isinstance(piece, Ordered) and isinstance(piece.scale, Numbers):
            if self.numbers is not None:
                self._add_numbers(piece.values)
        else:
            held, n_missing = categories_in(piece)
            self.categories.update(held)
            self.n_missing += n_missing
            self.numbers = None
        self.n_rows += len(piece.codes if isinstance(piece, Nominal) else piece.values)

    def _add_numbers(self, values: AnyArray) -> None:
        assert self.numbers is not None
        whole = _whole_numbers(values[:_SAMPLE])
        if len(values) > _SAMPLE and whole is not None and _is_nearly_distinct(whole):
            whole = _whole_numbers(values)
        if whole is None or not _is_nearly_distinct(whole):
            self.numbers = None
        else:
            self.numbers.append(whole)

    def _number_reason(self, n_rows: int) -> str | None:
        """Return why whole numbers identify rows, or None."""
        values = np.concatenate(self.numbers) if self.numbers else np.empty(0)
        if not len(values):
            return None
        if len(values) == n_rows and values[0] in (0, 1) and (np.diff(values) == 1).all():
            return "row number"
        ordered = np.unique(values)
        n = len(ordered)
        if n < _NEARLY * len(values) or n <= _FEW_ROWS:
            return None
        step = int(np.gcd.reduce(np.diff(ordered)))
        fills_range = n > (int(ordered[-1]) - int(ordered[0])) // step / 2
        is_named = _ID_NAME.search(self.name) or _ID_ENDING.search(self.name)
        if not (fills_range or is_named):
            return None
        return f"{n:,} distinct whole numbers in {n_rows:,} rows"

    @property
    def has_text(self) -> bool:
        """Whether there are categories, and all are text."""
        return bool(self.categories) and all(isinstance(c, str) for c in self.categories)

    @property
    def is_mostly_distinct(self) -> bool:
        """Whether more than half of the cells that are not missing are distinct text."""
        n_present = self.n_rows - self.n_missing
        return self.has_text and _are_mostly_distinct(len(self.categories), n_present)

    def identifier(self, n_rows: int) -> IdentifierColumn | None:
        """Return why the column identifies rows, given that all of it was read; or None."""
        if n_rows <= _FEW_ROWS:
            return None
        reason = self._number_reason(n_rows)
        if reason is not None:
            return IdentifierColumn(self.name, reason, "numeric")
        if not self.is_mostly_distinct:
            return None
        reason = f"{len(self.categories):,} distinct values in {n_rows:,} rows"
        return IdentifierColumn(self.name, reason, "categorical")


def _find_in_parts(table: ScannedTable, kept: set[str]) -> list[IdentifierColumn]:
    """Return the columns that identify rows; numbers are read until they are not distinct.

    Text is read up to the largest number of categories: whether it identifies rows is decided by
    the rows before.
    """
    _, head = next(table.parts())
    undecided = {c.name: _Seen(c.name) for c in head.columns if _may_matter(c, kept)}
    found: dict[str, IdentifierColumn] = {}
    if undecided:
        for _, part in table.parts(list(undecided)):
            for column in part.columns:
                if (seen := undecided.get(column.name)) is not None:
                    seen.add(column)
                    if len(seen.categories) > MAX_CATEGORIES:
                        found |= _decided_early(undecided.pop(column.name), kept)
                    elif seen.numbers is None and not seen.categories and not seen.n_missing:
                        undecided.pop(column.name)
            if not undecided:
                break
    for seen in undecided.values():
        left_out = None if seen.name in kept else seen.identifier(table.n_rows)
        if left_out is not None:
            found[seen.name] = left_out
    return [found[name] for name in table.names if name in found]


def _are_mostly_distinct(n_categories: int, n_present: int) -> bool:
    """Return whether texts are mostly distinct, given how many cells are not missing."""
    return n_present > _FEW_ROWS and n_categories > n_present / 2


def _is_nearly_distinct(values: AnyArray) -> bool:
    return len(values) == 0 or len(np.unique(values)) >= _NEARLY * len(values)


def _whole_numbers(values: AnyArray) -> AnyArray | None:
    """Return numbers without missing ones as int64; None if some are not whole."""
    if values.dtype.kind == "f":
        values = values[~np.isnan(values)]
        if not (np.abs(values) < 2**53).all() or (values % 1).any():
            return None
    elif values.dtype.kind not in "iu":
        return None
    return values.astype(np.int64)


def _may_matter(column: Column, kept: set[str]) -> bool:
    """Return whether more of a column must be read, given its first piece."""
    seen = _Seen(column.name)
    seen.add(column)
    may_count = seen.numbers is not None and column.name not in kept
    return isinstance(column, Nominal) or may_count


def _decided_early(seen: _Seen, kept: set[str]) -> dict[str, IdentifierColumn]:
    """Return a column with too many categories as one that identifies rows, or raise an error."""
    if seen.name in kept or not seen.is_mostly_distinct:
        _check_categories(seen.name, len(seen.categories), seen.n_rows)
    reason = f"{len(seen.categories):,} distinct values in the first {seen.n_rows:,} rows"
    return {seen.name: IdentifierColumn(seen.name, reason, "categorical")}


def _check_categories(name: str, n: int, n_rows: int) -> None:
    """Raise an error if a column has too many categories."""
    if n > MAX_CATEGORIES:
        raise DataFileError(
            f"column {name!r} has {n:,} categories in {n_rows:,} rows, more than the "
            f"{MAX_CATEGORIES:,} supported; drop this column"
        )
