"""Check a user's index function on fixed random count vectors."""

from collections.abc import Callable
from typing import Any

import numpy as np

from polytomy._errors import IndexFunctionError
from polytomy._types import FloatArray

from .functions import error

_SLACK = 1e-9


def check_index(function: Callable[[FloatArray], Any], n_classes: int, name: str) -> None:
    """Raise an error, with a counterexample, if a callable is not an index function.

    It must return one finite value per count vector; be homogeneous of degree 1; and satisfy
    F >= 0, F(pure) = 0, F(a + b) >= F(a) + F(b), and F >= 2 (n - max c), so that half the index
    bounds the error.
    """
    classes = max(2, n_classes)
    a, b = _vectors(classes)
    value = _evaluate(function, a, name)
    scale = a.sum(axis=-1)

    def refuse(bad: FloatArray, sentence: str, *examples: FloatArray) -> None:
        at = int(np.argmax(bad))
        shown = ", ".join(np.array2string(e[at], precision=4) for e in examples)
        raise IndexFunctionError(
            f"{name} is not an index function: {sentence}, for example at {shown}"
        )

    triple = _evaluate(function, 3.0 * a, name)
    drift = np.abs(triple - 3.0 * value) / scale
    if (drift > _SLACK).any():
        refuse(drift, "F(3c) must equal 3 F(c)", a)
    if (value < -_SLACK * scale).any():
        refuse(-value / scale, "F must not be negative", a)
    pure = np.diag(np.arange(1.0, classes + 1.0))
    left = np.abs(_evaluate(function, pure, name))
    if (left > _SLACK * pure.sum(axis=-1)).any():
        refuse(left, "F of a pure node must be 0", pure)
    lost = value + _evaluate(function, b, name) - _evaluate(function, a + b, name)
    if (lost > _SLACK * (a + b).sum(axis=-1)).any():
        refuse(lost, "F(a + b) must be at least F(a) + F(b)", a, b)
    _check_bounds_error(value, a, name, refuse)


def _check_bounds_error(
    value: FloatArray, a: FloatArray, name: str, refuse: Callable[..., None]
) -> None:
    twice = error(a)
    short = (twice - value) / a.sum(axis=-1)
    if not (short > _SLACK).any():
        return
    uneven = twice > 0
    smallest = float((value[uneven] / twice[uneven]).min())
    if smallest > 0.01:
        raise IndexFunctionError(
            f"{name} is an index function except for its scale: F must be at least 2 (n - max c), "
            f"so that half the index bounds the error; multiply it by {1 / smallest:.6g}"
        )
    refuse(short, "F must be at least 2 (n - max c)", a)


def _vectors(classes: int) -> tuple[FloatArray, FloatArray]:
    """Return pairs of count vectors: integers, fractions, sparse ones and uniform ones."""
    rng = np.random.default_rng(20040403)
    a = rng.integers(0, 30, size=(400, classes)).astype(np.float64)
    b = rng.integers(0, 30, size=(400, classes)).astype(np.float64)
    a[100:200] *= rng.random((100, classes)) < 0.5
    b[150:250] = a[150:250] * rng.integers(1, 5, size=(100, 1))
    a[300:] = rng.exponential(size=(100, classes)) ** 3
    a[:classes] = 0.0
    for k in range(2, classes + 1):
        a[k - 2, :k] = 8.0
    a[a.sum(axis=-1) == 0] = 1.0
    b[b.sum(axis=-1) == 0] = 1.0
    return a, b


def _evaluate(function: Callable[[FloatArray], Any], counts: FloatArray, name: str) -> FloatArray:
    value = np.asarray(function(counts.copy()), dtype=np.float64)
    if value.shape != counts.shape[:-1]:
        raise IndexFunctionError(
            f"{name} must reduce the last axis: counts of shape {counts.shape} gave {value.shape}, "
            f"not {counts.shape[:-1]}"
        )
    if not np.isfinite(value).all():
        at = int(np.argmin(np.isfinite(value)))
        raise IndexFunctionError(f"{name} is not finite at {counts[at]}")
    return value
