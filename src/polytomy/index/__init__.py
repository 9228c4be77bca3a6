"""Index functions: the impurity of a node, and thereby the gain of a split.

An index is a function F on count vectors, homogeneous of degree 1. The impurity of a leaf is F(c),
the gain of a split is F(c) minus the sum of F over its children, and the index of a tree is the sum
of F over its leaves divided by the total weight.

>>> import numpy as np
>>> round(float(resolve("gini").value(np.array([8.0, 2.0]))), 2)
6.4
"""

from .functions import squared_error
from .indices import (
    DENSITY,
    INDICES,
    LAYERED,
    NUMERIC,
    Index,
    index_of_moments,
    resolve,
    resolve_numeric,
)

__all__ = [
    "DENSITY",
    "INDICES",
    "LAYERED",
    "NUMERIC",
    "Index",
    "index_of_moments",
    "resolve",
    "resolve_numeric",
    "squared_error",
]
