"""How a graph reads each column: of what type its input is, and what missing looks like there."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, Literal

import numpy as np

from polytomy._errors import TableError
from polytomy.encode import ColumnSpec, NominalColumn, Schema
from polytomy.table import Numbers, Times

Kind = Literal["number", "ticks", "text", "amount"]

MATRIX = "X"  # the input of all columns, where there is one
LABEL, PROBABILITIES = "label", "probabilities"  # the outputs

# Codes as a set holds them. They begin beyond 30: onnxruntime (1.23 to 1.31) unrolls sets of
# smaller numbers into chains, and on deep trees then overflows its stack or takes for ever.
NOTHING = 61  # no cell has it: for sets that hold no category
UNKNOWN_CODE = 62  # in no set, so it takes the default branch everywhere
MISSING_CODE = 63
FIRST_CODE = 64


@dataclass(frozen=True, slots=True)
class Reading:
    """One column as the graph takes it, by the input ``name``.

    ``keys`` are the categories or labels as the input holds them, in the order of their codes;
    None where numbers are compared as they are. ``missing`` is the text of a missing cell.
    """

    place: int
    name: str
    kind: Kind
    keys: tuple[Any, ...] | None = None
    missing: str = ""
    unit: str = ""

    @property
    def says(self) -> str:
        """What to put in, in words."""
        if self.kind == "ticks":
            return f"ticks of {self.unit} as int64; the least int64, which NaT is, means missing"
        if self.kind == "text":
            return f"text; {self.missing!r} means missing"
        return "numbers; NaN means missing"


def is_matrix(schema: Schema) -> bool:
    """Say whether every column is plain numbers, or yes and no, so that one matrix holds all."""
    return all(_is_plain(spec) for spec in schema)


def readings_of(schema: Schema, asked: Iterable[int]) -> tuple[Reading, ...]:
    """Return how the columns are read that are asked about; of a matrix, all are."""
    if is_matrix(schema):
        return tuple(Reading(j, spec.name, "number") for j, spec in enumerate(schema))
    # A graph without an input would not know how many rows there are.
    places = sorted(set(asked)) or [0]
    return _renamed([_reading(j, schema[j]) for j in places])


def _renamed(readings: list[Reading]) -> tuple[Reading, ...]:
    """Name each input as its column; with underscores after it where an output has that name."""
    taken = {"", LABEL, PROBABILITIES}
    named = []
    for reading in readings:
        name = reading.name
        while name in taken:
            name += "_"
        taken.add(name)
        named.append(replace(reading, name=name))
    return tuple(named)


def _is_plain(spec: ColumnSpec) -> bool:
    if isinstance(spec, NominalColumn):
        return False
    if isinstance(spec.scale, Times):
        return False
    return isinstance(spec.scale, Numbers) or spec.scale.labels == (False, True)


def _reading(place: int, spec: ColumnSpec) -> Reading:
    if _is_plain(spec):
        return Reading(place, spec.name, "number")
    if isinstance(spec, NominalColumn):
        return _coded(place, spec.name, spec.categories)
    if isinstance(spec.scale, Times):
        zone = f" in UTC, shown as {spec.scale.zone}" if spec.scale.zone else ""
        return Reading(place, spec.name, "ticks", unit=f"{spec.scale.dtype}{zone}")
    assert not isinstance(spec.scale, Numbers)
    return _coded(place, spec.name, spec.scale.labels)


def _coded(place: int, name: str, keys: tuple[Any, ...]) -> Reading:
    if all(isinstance(key, str) for key in keys):
        return Reading(place, name, "text", tuple(map(str, keys)), _marker(keys))
    if not all(isinstance(key, Real | np.bool_) for key in keys):
        held = ", ".join(sorted({type(key).__name__ for key in keys}))
        raise TableError(
            f"ONNX holds categories as text or as numbers; column {name!r} has some of type "
            f"{held}: turn it into text before fitting"
        )
    numbers = tuple(float(key) for key in keys)
    if len(set(numbers)) < len(keys):
        raise TableError(
            f"column {name!r} has categories that are different whole numbers but the same as "
            "double, which ONNX compares: turn it into text before fitting"
        )
    return Reading(place, name, "amount", numbers)


def _marker(keys: tuple[Any, ...]) -> str:
    """Return the text that means missing: none at all, unless that is a category itself."""
    marker = ""
    while marker in keys:
        marker = f"<{marker or 'missing'}>"
    return marker
