"""One-dimensional NumPy arrays, with their dtype, as JSON values."""

import re
from math import isnan
from typing import Any

import numpy as np

from polytomy._types import AnyArray

from .node import Node, plain_number, refuse, shown

_NUMBERS = re.compile(r"[<>|](b1|[iu][1248]|f[248])")
_TEXT = re.compile(r"[<>|][US]([0-9]{1,9})")
_TIMES = re.compile(r"[<>][mM]8(\[[0-9]{0,9}(Y|M|W|D|h|m|s|ms|us|ns|ps|fs|as)\])?")
_STRINGS = "StringDType"
_MAX_CHARACTERS = 1 << 22  # that an array of fixed-width text may reserve


def to_array(values: AnyArray, place: str) -> dict[str, Any]:
    """Return a one-dimensional array as a JSON value; arrays of objects are not supported here."""
    if isinstance(values.dtype, np.dtypes.StringDType):
        return {"dtype": _STRINGS, "values": [str(v) for v in values.tolist()]}
    if values.dtype.kind in "US" and _characters(values.dtype) * len(values) > _MAX_CHARACTERS:
        values = values.astype(values.dtype.kind)  # as wide as the longest text
    dtype = values.dtype.str
    if not _is_supported(dtype):
        refuse(place, f"model files cannot store arrays of dtype {values.dtype}")
    kind = values.dtype.kind
    ticks = np.ascontiguousarray(values).view(f"{dtype[0]}i8") if kind in "mM" else values
    cells: list[Any] = ticks.tolist()
    if kind == "f":
        cells = [plain_number(v) for v in cells]
    if kind == "S":
        cells = [v.hex() for v in cells]
    return {"dtype": dtype, "values": cells}


def from_array(dtype: Node, values: Node) -> AnyArray:
    """Return the array that ``to_array`` wrote."""
    name = dtype.text()
    if name == _STRINGS:
        return np.array([v.text() for v in values.items()], dtype=np.dtypes.StringDType())
    if not _is_supported(name):
        dtype.fail(f"{shown(name)} is not a dtype that model files support")
    try:
        made = np.dtype(name)
    except (TypeError, ValueError):
        dtype.fail(f"{shown(name)} is not a dtype that model files support")
    if made.kind in "US":
        return _from_text(made, dtype, values)
    if made.kind in "iu":
        info = np.iinfo(made)
        held = [v.whole(int(info.min), int(info.max)) for v in values.items()]
        return np.array(held, dtype=made)
    if made.kind in "mM":
        ticks = [v.whole(-(2**63)) for v in values.items()]
        return np.array(ticks, dtype=f"{made.str[0]}i8").view(made)
    if made.kind == "b":
        return np.array([v.flag() for v in values.items()], dtype=made)
    numbers = values.numbers(infinite=True)
    with np.errstate(over="ignore"):
        cells = numbers.astype(made)
    _require_same(cells.astype(np.float64).tolist(), numbers.tolist(), values)
    return cells


def _from_text(made: np.dtype[Any], dtype: Node, values: Node) -> AnyArray:
    cells: list[Any] = [v.text() for v in values.items()]
    if made.kind == "S":
        try:
            cells = [bytes.fromhex(c) for c in cells]
        except ValueError:
            values.fail("must be hexadecimal digits")
    if _characters(made) * len(cells) > _MAX_CHARACTERS:
        dtype.fail(f"{shown(made.str)} reserves more characters than the limit")
    found = np.array(cells, dtype=made)
    _require_same(found.tolist(), cells, values)
    return found


def _require_same(found: list[Any], given: list[Any], values: Node) -> None:
    """Raise an error for a value that the dtype cannot hold, such as text that is too long."""
    for i, (a, b) in enumerate(zip(found, given, strict=True)):
        if a != b and not (_is_nan(a) and _is_nan(b)):
            refuse(f"{values.place}[{i}]", f"{shown(b)} does not fit the dtype")


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and isnan(value)


def _characters(dtype: np.dtype[Any]) -> int:
    """Return the number of characters reserved for each text cell."""
    return dtype.itemsize // (4 if dtype.kind == "U" else 1)


def _is_supported(name: str) -> bool:
    text = _TEXT.fullmatch(name)
    if text:
        return int(text.group(1)) <= _MAX_CHARACTERS
    return bool(_NUMBERS.fullmatch(name) or _TIMES.fullmatch(name))
