"""The schema of the training table as JSON values.

The bins of wide tables may be most of a file. From some hundred thousand numbers on they are
packed.
"""

import re
from collections import Counter
from typing import Any

import numpy as np

from polytomy._errors import ModelFormatError
from polytomy._types import FloatArray
from polytomy.encode import ColumnSpec, NominalColumn, OrderedColumn, Schema
from polytomy.table import Numbers, Ranks, Scale, Times

from .node import Node, pack, plain_numbers, refuse, shown
from .values import from_plain, to_plain

_TIMES = re.compile(
    r"(datetime64|timedelta64)(\[[0-9]{0,9}(Y|M|W|D|h|m|s|ms|us|ns|ps|fs|as)\])?", re.ASCII
)


_MANY_BINS = 200_000


def to_columns(schema: Schema) -> list[dict[str, Any]]:
    """Return the columns as JSON values."""
    n_bins = sum(spec.n_values for spec in schema if isinstance(spec, OrderedColumn))
    return [_to_column(spec, packed=n_bins > _MANY_BINS) for spec in schema]


def from_columns(node: Node) -> Schema:
    """Return the schema that ``to_columns`` wrote."""
    columns = tuple(_from_column(column) for column in node.items())
    if not columns:
        node.fail("there must be at least one column")
    names = [column.name for column in columns]
    if len(set(names)) < len(names):
        twice = Counter(names).most_common(1)[0][0]
        node.fail(f"duplicate column name {shown(twice)}")
    return Schema(columns)


def _to_column(spec: ColumnSpec, *, packed: bool) -> dict[str, Any]:
    head = {"name": spec.name, "kind": spec.kind, "missing": bool(spec.has_missing)}
    if isinstance(spec, NominalColumn):
        return {**head, "categories": _to_cells(spec.categories, spec.name)}
    return {
        **head,
        "scale": _to_scale(spec.scale, spec.name),
        "low": _to_numbers(spec.low, packed=packed),
        "high": _to_numbers(spec.high, packed=packed),
    }


def _to_numbers(values: FloatArray, *, packed: bool) -> Any:
    return pack(values, narrow=False) if packed else plain_numbers(values)


def _to_cells(cells: tuple[Any, ...], column: str) -> list[Any]:
    try:
        return [to_plain(cell, "", {}) for cell in cells]
    except ModelFormatError:
        for cell in cells:
            _check_cell(cell, column)
        raise


def _check_cell(cell: Any, column: str) -> None:
    try:
        to_plain(cell, "", {})
    except ModelFormatError:
        refuse(
            f"column {shown(column)}",
            f"model files cannot store the category {shown(cell)} of type {type(cell).__name__}: "
            "convert the column to text before fitting",
        )


def _to_scale(scale: Scale, column: str) -> dict[str, Any]:
    if isinstance(scale, Times):
        return {"type": "times", "dtype": scale.dtype, "zone": scale.zone}
    if isinstance(scale, Ranks):
        return {"type": "ranks", "labels": _to_cells(scale.labels, column)}
    return {"type": "numbers"}


def _from_column(node: Node) -> ColumnSpec:
    if node.member("kind").word(("ordered", "nominal")) == "nominal":
        name, _, missing, categories = node.fields("name", "kind", "missing", "categories")
        return NominalColumn(name.text(), _from_cells(categories), missing.flag())
    name, _, missing, scale, low, high = node.fields(
        "name", "kind", "missing", "scale", "low", "high"
    )
    lows, highs = low.numbers(infinite=True), high.numbers(infinite=True)
    if len(lows) != len(highs):
        high.fail(f"must have {len(lows)} numbers, as low has")
    _check_bins(low, high, lows, highs)
    return OrderedColumn(name.text(), lows, highs, missing.flag(), _from_scale(scale))


def _check_bins(low: Node, high: Node, lows: Any, highs: Any) -> None:
    """Raise an error for bins that overlap or are out of order."""
    wrong = ~(lows <= highs)  # also if one is nan
    if wrong.any():
        refuse(f"{high.place}[{int(np.argmax(wrong))}]", "the bin ends before it begins")
    wrong = ~(highs[:-1] < lows[1:])
    if wrong.any():
        refuse(f"{low.place}[{int(np.argmax(wrong)) + 1}]", "the bins must be in ascending order")


def _from_scale(node: Node) -> Scale:
    kind = node.member("type").word(("numbers", "times", "ranks"))
    if kind == "numbers":
        node.fields("type")
        return Numbers()
    if kind == "ranks":
        _, labels = node.fields("type", "labels")
        return Ranks(_from_cells(labels))
    _, dtype, zone = node.fields("type", "dtype", "zone")
    name = dtype.text()
    try:
        fits = bool(_TIMES.fullmatch(name)) and str(np.dtype(name)) == name
    except (TypeError, ValueError):
        fits = False
    if not fits:
        dtype.fail(f"{shown(name)} is not a dtype of times")
    return Times(name, None if zone.value is None else zone.text())


def _from_cells(node: Node) -> tuple[Any, ...]:
    """Return categories or labels, which must be distinct."""
    cells = tuple(from_plain(item, {}) for item in node.items())
    try:
        distinct = len(set(cells))
    except (TypeError, ValueError):  # ValueError: times of some time zones cannot be hashed
        node.fail("contains a value that cannot be a category")
    if distinct < len(cells):
        node.fail("duplicate category")
    return cells
