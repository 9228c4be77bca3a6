"""The built-in indices by name, and the wrapper for a user's own index function."""

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
    """An index function: its name, F in NumPy, and its number in the kernels."""

    name: str
    function: Function
    number: int | None = None
    strict: bool = True
    of_components: Function | None = None  # for a numeric target: F of the components

    @property
    def is_numeric(self) -> bool:
        """Whether it is for numeric targets."""
        return self.of_components is not None

    @property
    def loss(self) -> str:
        """What the errors of a tree are called: those of classes, or the loss of numbers."""
        if not self.is_numeric:
            return "error"
        return "half deviance" if self.name == "poisson" else "squared error"

    @property
    def on_components(self) -> "Index":
        """The index as the kernels see it: on counts or, for a numeric target, on components."""
        if self.of_components is None:
            return self
        return Index(self.name, self.of_components, self.number)

    def value(self, counts: FloatArray) -> FloatArray:
        """Return F over the last axis of ``counts``."""
        return np.asarray(self.function(counts), dtype=np.float64)

    @property
    def kernel(self) -> int | Callable[[FloatArray], FloatArray]:
        """The argument for the kernels: the number of a built-in index, else the function."""
        if self.number is not None:
            return self.number
        return self._contiguous

    def _contiguous(self, counts: FloatArray) -> FloatArray:
        """Evaluate a user's function on a batch of the kernels and check the result."""
        value = np.ascontiguousarray(self.function(counts), dtype=np.float64)
        if value.shape != counts.shape[:-1]:
            raise IndexFunctionError(
                f"{self.name} returned shape {value.shape} for counts of shape {counts.shape}"
            )
        wrong = ~(value >= -1e-9 * counts.sum(axis=-1)) | ~np.isfinite(value)
        if wrong.any():
            at = int(np.argmax(wrong))
            raise IndexFunctionError(
                f"{self.name} is not an index function: it is {value[at]} at {counts[at]}"
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
    # A row of weight w and response |z| <= Z adds w (1 + z/Z)/2 and w (1 - z/Z)/2. Then gini is
    # 2 (n - ((a - b)^2 + n^2)/(2n)) = n - (a - b)^2/n, whose gain, times Z^2, is that of the sum of
    # squares: in w (z - mean z)^2 = w z^2 - (sum w z)^2/n a split changes only the last term.
    "squares": Index("squares", functions.gini, 1),
}
"""Indices for targets with several layers, in which a row counts for several components."""


DENSITY = {
    "likelihood": Index("likelihood", functions.likelihood, 6),
    "squared": Index("squared", functions.squared_density, 7),
}
"""Indices for density trees: the components are the weight of rows and the length of their bin."""

NUMERIC = {
    "squared_error": Index(
        "squared_error", functions.squared_error, 1, of_components=functions.gini
    ),
    "poisson": Index(
        "poisson", functions.poisson, 5, of_components=functions.poisson_of_components
    ),
}
"""Indices for numeric targets: functions of the moments of a node.

The kernels see numbers scaled to [0, 1] as rows of two components, y and 1 - y. On these, gini and
their own ``poisson`` have the same gains, up to a factor.
"""


def index_of_moments(moments: FloatArray) -> Index:
    """Return the index of the nodes of a numeric target: Poisson's has a fourth moment."""
    return NUMERIC["poisson" if moments.shape[-1] == 4 else "squared_error"]


def resolve_numeric(criterion: str) -> Index:
    """Return the index of a numeric target.

    Parameters
    ----------
    criterion : {"squared_error", "poisson"}
        Its name.

    Returns
    -------
    Index
        The index.
    """
    if criterion == "absolute_error":
        raise ParameterError(
            "criterion='absolute_error' is not available: medians of groups do not follow from "
            "sums, on which the search for splits is built; use 'squared_error', or fit log(y)"
        )
    if not isinstance(criterion, str) or criterion not in NUMERIC:
        raise ParameterError(f"criterion must be one of {', '.join(NUMERIC)}, got {criterion!r}")
    return NUMERIC[criterion]


def resolve(index: str | Function, n_classes: int = 2) -> Index:
    """Return the index of a name, or check and wrap a user's own function.

    Parameters
    ----------
    index : str or callable
        A name in ``INDICES``, or a function that reduces counts of shape (..., classes) over the
        last axis.
    n_classes : int, default=2
        The number of classes for which a user's function is checked.

    Returns
    -------
    Index
        The index.
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
            f"the {found.name!r} index is not strictly concave, so good splits can have zero gain; "
            "it is for teaching only. Use 'gini', 'entropy' or 'sqrt' instead",
            UserWarning,
            stacklevel=2,
        )
    return found
