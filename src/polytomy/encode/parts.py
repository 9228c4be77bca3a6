"""The schema and the codes of a table that comes in parts, the same as those of the whole table.

Parts may be partitions on other machines or batches of rows of a file. They answer questions (see
``part_quantiles``), and only the answers are brought together, never rows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polytomy import kernels
from polytomy._errors import TableError
from polytomy._types import AnyArray, FloatArray
from polytomy.table import Column, Nominal, Numbers, Scale, Times, as_nominal

from .align import reading_of
from .encoder import (
    AUTO_BINS,
    AUTO_VALUES,
    SEPARATING_VALUES,
    Coded,
    check_distinct,
    check_merged,
    checked_max_bins,
    code_dtype,
    has_large_numbers,
    is_long,
    missing_cells,
    sort_categories,
)
from .part_quantiles import Limits, Part, Parts, exact_for, find_bins
from .schema import ColumnSpec, NominalColumn, OrderedColumn, Schema

_SAMPLED = 1 << 12  # values of a column, over all parts


@dataclass(frozen=True, slots=True, eq=False)
class ColumnOutline:
    """What is known of a column without counting.

    Parameters
    ----------
    name : str
        Its name.
    scale : Scale or None
        The meaning of its numbers; None for categories.
    is_blank : bool
        Whether all cells are missing: then a part may have another type.
    has_missing : bool
        Whether cells of a nominal column are missing.
    categories : dict
        The categories that occur, as keys.
    sample : float64 array
        Some of its values, ascending and distinct.
    """

    name: str
    scale: Scale | None
    is_blank: bool
    has_missing: bool
    categories: Mapping[Any, None]
    sample: FloatArray


@dataclass(frozen=True, slots=True)
class Outline:
    """Asks for the columns with their types, their categories and some of their values.

    Parameters
    ----------
    n_parts : int
        The number of parts; the more of them, the fewer values of each are drawn.
    n_sampled : int
        The number of values to draw of each column.
    """

    n_parts: int
    n_sampled: int

    def answer(self, part: Part) -> list[ColumnOutline]:
        """Return the outlines of the columns."""
        n_rows = part.table.n_rows
        n_drawn = min(n_rows, -(-self.n_sampled // self.n_parts))
        rows = np.arange(n_drawn) * n_rows // max(n_drawn, 1)
        return [_outline(column, rows) for column in part.table.columns]

    def merge(
        self, first: Sequence[ColumnOutline], second: Sequence[ColumnOutline]
    ) -> list[ColumnOutline]:
        """Return the outlines of both, or raise an error if the columns differ."""
        mine, others = ([c.name for c in outlines] for outlines in (first, second))
        if mine != others:
            raise TableError(
                f"the partitions have different columns: {mine} and {others}; give all of them "
                "the same columns in the same order"
            )
        return [_united(*pair) for pair in zip(first, second, strict=True)]


def _outline(column: Column, rows: AnyArray) -> ColumnOutline:
    if isinstance(column, Nominal):
        categories, _, has_missing = sort_categories(column)
        known = dict.fromkeys(categories)
        return ColumnOutline(column.name, None, not known, has_missing, known, np.empty(0))
    drawn = column.take(rows)
    held = drawn.values[~missing_cells(drawn)]
    sample = np.unique(held.astype(np.float64)) + 0.0
    is_blank = not len(sample) and bool(missing_cells(column).all())
    return ColumnOutline(column.name, column.scale, is_blank, is_blank, {}, sample)


def _united(one: ColumnOutline, other: ColumnOutline) -> ColumnOutline:
    has_missing = one.has_missing or other.has_missing
    if one.is_blank or other.is_blank:  # the other one has the type, if either has
        held = one if other.is_blank and not (one.is_blank and one.scale == Numbers()) else other
        return replace(held, has_missing=has_missing)
    if one.scale != other.scale:
        raise TableError(
            f"column {one.name!r} contains {_described(one.scale)} in one partition and "
            f"{_described(other.scale)} in another; convert it to one type"
        )
    categories = {**one.categories, **other.categories}
    sample = np.union1d(one.sample, other.sample)
    return ColumnOutline(one.name, one.scale, False, has_missing, categories, sample)


def _described(scale: Scale | None) -> str:
    if scale is None:
        return "text or categories"
    if isinstance(scale, Times):
        return f"times ({scale.dtype}, {scale.zone or 'no time zone'})"
    return "numbers" if isinstance(scale, Numbers) else f"labels {list(scale.labels)}"


def schema_of_parts(
    parts: Parts, n_parts: int, max_bins: int | str = 255, *, separate_rows: bool = False
) -> Schema:
    """Return the schema that ``encode`` would make of all parts together.

    Parameters
    ----------
    parts : Parts
        The parts, at least one, none of them empty.
    n_parts : int
        Their number.
    max_bins : int or "auto", default=255
        The number of bins; see ``encode``.
    separate_rows : bool, default=False
        With ``"auto"``, make more bins if rows that differ have the same codes otherwise. This
        brings 8 bytes of each row together.

    Returns
    -------
    Schema
        The schema.

    Examples
    --------
    >>> from polytomy.encode import LocalParts
    >>> from polytomy.table import Table
    >>> parts = LocalParts(Part(Table.of({"x": np.array(x)})) for x in ([2.0, 1.0], [3.0, 1.0]))
    >>> schema_of_parts(parts, 2)[0].low.tolist()
    [1.0, 2.0, 3.0]
    """
    schema = _separating_schema(parts, n_parts, max_bins, separate_rows=separate_rows)
    large = tuple(j for j, spec in enumerate(schema) if has_large_numbers(spec))
    for j, values in zip(large, parts.ask(WholeNumbers(large)) if large else (), strict=True):
        if values is not None:
            check_distinct(schema[j].name, values)
    return schema


def _separating_schema(
    parts: Parts, n_parts: int, max_bins: int | str, *, separate_rows: bool
) -> Schema:
    outlines = parts.ask(Outline(n_parts, _SAMPLED))
    checked = checked_max_bins(max_bins)
    if isinstance(checked, int):
        return _schema(parts, outlines, Limits(checked, checked))
    schema = _schema(parts, outlines, Limits(AUTO_VALUES, AUTO_BINS))
    if not separate_rows or not schema.merges_values():
        return schema
    found = parts.ask(DistinctRows(schema))
    if len(found.hashes) == found.n_rows:
        return schema
    finer = _schema(parts, outlines, Limits(SEPARATING_VALUES, AUTO_BINS))
    more = parts.ask(DistinctRows(finer))
    return finer if len(more.hashes) > len(found.hashes) else schema


def _schema(parts: Parts, outlines: Sequence[ColumnOutline], limits: Limits) -> Schema:
    samples = {j: c.sample for j, c in enumerate(outlines) if c.scale is not None}
    bins = find_bins(parts, samples, limits)
    specs: list[ColumnSpec] = []
    for j, outline in enumerate(outlines):
        if outline.scale is None:
            every = np.arange(len(outline.categories), dtype=np.int32)
            column = Nominal(outline.name, every, tuple(outline.categories))
            categories = sort_categories(column)[0]
            specs.append(NominalColumn(outline.name, categories, outline.has_missing))
        else:
            specs.append(OrderedColumn(outline.name, *bins[j], outline.scale))
    return Schema(tuple(specs))


def encode_part(schema: Schema, part: Part) -> Coded:
    """Return the codes of a part by the schema of all parts.

    Parameters
    ----------
    schema : Schema
        The schema.
    part : Part
        One of the parts that the schema was made from.

    Returns
    -------
    Coded
        The codes, as ``encode`` would make them of all parts together.
    """
    n_rows = part.table.n_rows
    n_codes = schema.n_codes()
    sinks = [np.empty(n_rows, dtype=code_dtype(n)) for n in n_codes]
    columns, ends, ordered, n_ordered = [], [], [], []
    for j, spec in enumerate(schema):
        if isinstance(spec, OrderedColumn):
            columns.append(exact_for(part.ordered(j), spec.high[:-1]))
            ends.append(spec.high)
            ordered.append(sinks[j])
            n_ordered.append(n_codes[j])
        else:
            column = as_nominal(part.table.columns[j])
            place = {category: code for code, category in enumerate(spec.categories)}
            last = spec.n_values
            new_code = [place.get(category, last) for category in column.categories]
            of_code = np.array([*new_code, last], np.uint32)
            kernels.recode(column.codes, of_code, sinks[j], n_codes[j], 1)
    values = kernels.value_table(
        [c.values for c in columns], list(map(reading_of, columns)), n_rows
    )
    kernels.encode(values, ends, ordered, n_ordered, 1)
    return Coded(schema, tuple(sinks), n_rows)


class RowHashes(NamedTuple):
    """The hashes of different rows, ascending, and the number of rows."""

    hashes: NDArray[np.uint64]
    n_rows: int


@dataclass(frozen=True, slots=True)
class DistinctRows:
    """Asks for the different rows of codes; see ``Coded.n_distinct_rows``."""

    schema: Schema

    def answer(self, part: Part) -> RowHashes:
        """Return the hashes of the rows."""
        coded = encode_part(self.schema, part)
        return RowHashes(np.unique(coded.row_hashes()), coded.n_rows)

    def merge(self, first: RowHashes, second: RowHashes) -> RowHashes:
        """Return the hashes of both."""
        return RowHashes(np.union1d(first.hashes, second.hashes), first.n_rows + second.n_rows)


@dataclass(frozen=True, slots=True)
class WholeNumbers:
    """Asks for the different values of some columns that are 64-bit integers in all parts.

    Parameters
    ----------
    columns : tuple of int
        The positions of the columns.
    """

    columns: tuple[int, ...]

    def answer(self, part: Part) -> list[AnyArray | None]:
        """Return the values of each column; None if it has another type."""
        held = [part.ordered(j) for j in self.columns]
        for column in held:
            check_merged(column)
        return [np.unique(column.values) if is_long(column) else None for column in held]

    def merge(
        self, first: Sequence[AnyArray | None], second: Sequence[AnyArray | None]
    ) -> list[AnyArray | None]:
        """Return the values of both; None if their types differ."""
        return [
            None if a is None or b is None or a.dtype != b.dtype else np.union1d(a, b)
            for a, b in zip(first, second, strict=True)
        ]
