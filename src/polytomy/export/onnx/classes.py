"""The classes as a table that a graph can look labels up in."""

import numpy as np

from polytomy._errors import TargetError
from polytomy._types import AnyArray


def class_table(classes: AnyArray) -> AnyArray:
    """Return the classes as int64, uint64, double, bool or text; refuse what is none of these."""
    given = np.asarray(classes)
    kind = given.dtype.kind
    if kind == "O":
        held = np.array(given.tolist())
        same = held.ndim == 1 and all(type(c) is type(given[0]) for c in given)
        kind = held.dtype.kind if same else "O"
        given = held if same else given
    if kind == "U":
        return given.astype(object)
    if kind == "u" and given.dtype.itemsize == 8 and given.max(initial=0) > np.iinfo(np.int64).max:
        return given
    if kind in "iu":
        return given.astype(np.int64)
    if kind == "f":
        return given.astype(np.float64)
    if kind == "b":
        return given
    kinds = ", ".join(sorted({type(c).__name__ for c in given.tolist()}))
    raise TargetError(
        f"ONNX holds labels as numbers, booleans or text; the classes are of type {kinds}: "
        "turn them into text before fitting"
    )
