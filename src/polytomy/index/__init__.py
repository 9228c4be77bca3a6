"""Index functions: what a leaf weighs, and so what a split gains.

An index is one function F on count vectors, homogeneous of degree 1. The weight of a leaf is
F(c), the gain of an option F(c) minus the sum of F over its children, the index of a tree the sum
over its leaves divided by the weight of the sample.

>>> import numpy as np
>>> round(float(resolve("gini").value(np.array([8.0, 2.0]))), 2)
6.4
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from polytomy._errors import IndexFunctionError, ParameterError
from polytomy._types import FloatArray

from . import functions
from .check import check_index

Function = Callable[[FloatArray], Any]


@dataclass(frozen=True, slots=True)
class Index:
    """An index function: its name, F in NumPy, and what the kernels call it by."""

    name: str
    function: Function
    number: int | None = None
    strict: bool = True

    def value(self, counts: FloatArray) -> FloatArray:
        """Return F over the last axis of ``counts``."""
        return np.asarray(self.function(counts), dtype=np.float64)

    @property
    def kernel(self) -> int | Callable[[FloatArray], FloatArray]:
        """What the kernels take: the number of a built-in index, else the function itself."""
        if self.number is not None:
            return self.number
        return self._contiguous

    def _contiguous(self, counts: FloatArray) -> FloatArray:
        """Return what a user's function says of the kernels' batches, checked every time."""
        value = np.ascontiguousarray(self.function(counts), dtype=np.float64)
        if value.shape != counts.shape[:-1]:
            raise IndexFunctionError(f"{self.name} gave {value.shape} for counts {counts.shape}")
        wrong = ~(value >= -1e-9 * counts.sum(axis=-1)) | ~np.isfinite(value)
        if wrong.any():
            at = int(np.argmax(wrong))
            raise IndexFunctionError(
                f"{self.name} is {value[at]} at {counts[at]}: no index function"
            )
        return value


INDICES = {
    "sqrt": Index("sqrt", functions.sqrt, 0),
    "gini": Index("gini", functions.gini, 1),
    "entropy": Index("entropy", functions.entropy, 2),
    "error": Index("error", functions.error, 3, strict=False),
}

LAYERED = {
    "pairs": Index("pairs", functions.pairs, 4),
    # Rows of weight w and response |z| <= Z add w (1 + z/Z)/2 and w (1 - z/Z)/2. Then gini is
    # 2 (n - ((a - b)^2 + n^2)/(2n)) = n - (a - b)^2/n, whose gain, times Z^2, is that of the sum of
    # squares: of w (z - mean z)^2 = w z^2 - (sum w z)^2/n only the last part changes by a split.
    "squares": Index("squares", functions.gini, 1),
}
"""Indices of targets in layers, where a row counts for several components: those of boosting."""


def resolve(index: str | Function, n_classes: int = 2) -> Index:
    """Return the index of that name, or a checked wrapper of the user's own function.

    Parameters
    ----------
    index : str or callable
        A name in ``INDICES``, or a function of counts of shape (..., classes) over the last axis.
    n_classes : int
        The number of classes a user's function is checked for.
    """
    if callable(index):
        name = getattr(index, "__name__", type(index).__name__)
        check_index(index, n_classes, name)
        return Index(name, index)
    if not isinstance(index, str) or index not in INDICES:
        raise ParameterError(
            f"index must be one of {', '.join(INDICES)}, or a callable on count vectors; "
            f"got {index!r}"
        )
    found = INDICES[index]
    if not found.strict:
        warnings.warn(
            f"the {found.name!r} index is not strictly concave: good splits can have zero gain "
            "(it is here for teaching); 'gini', 'entropy' and 'sqrt' are",
            UserWarning,
            stacklevel=2,
        )
    return found


__all__ = ["INDICES", "LAYERED", "Index", "resolve"]
