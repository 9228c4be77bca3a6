"""What counts as a number: the scalars of Python and NumPy, but not truth values."""

from math import isfinite
from numbers import Integral, Real
from typing import Any

import numpy as np


def is_integer(value: Any) -> bool:
    """Return whether a value is an integer, and not a truth value.

    >>> is_integer(3), is_integer(np.int8(3)), is_integer(3.0), is_integer(True)
    (True, True, False, False)
    """
    # The plain type first: asking an abstract class takes ten times as long.
    return type(value) is int or (isinstance(value, Integral) and not isinstance(value, bool))


def is_real(value: Any) -> bool:
    """Return whether a value is a real number, and not a truth value; it may be infinite or NaN.

    >>> is_real(0.5), is_real(np.float32(1)), is_real("1"), is_real(True), is_real(np.True_)
    (True, True, False, False, False)
    """
    if type(value) is float or type(value) is int:
        return True
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)


def is_finite(value: Any) -> bool:
    """Return whether a value is a real number that is neither infinite nor NaN.

    >>> is_finite(1), is_finite(float("inf")), is_finite(10**400), is_finite(None)
    (True, False, False, False)
    """
    try:
        return is_real(value) and isfinite(value)
    except OverflowError:  # an integer that no float can hold
        return False
