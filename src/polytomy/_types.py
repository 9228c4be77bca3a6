"""Dtypes, sentinels and type aliases that the Python and the C++ code share.

The C++ core has the same list; ``polytomy.kernels`` compares the two when it is imported.
"""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Row = np.uint32  # row number; 4 bytes keep permutations small
Weight = np.int64  # fixed-point weight; sums are exact in any order
Label = np.uint16  # class number
Branch = np.int32  # child of a node

UNSEEN = -1  # branch of a code that no training row of the node has
MISSING = -1  # code of a missing cell, when routing
UNKNOWN = -2  # code of a category not in the training table, when routing

TIE = 1e-12  # gains that differ by less than this fraction of the node's impurity are equal

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
RowArray: TypeAlias = NDArray[np.uint32]
LabelArray: TypeAlias = NDArray[np.uint16]
BranchArray: TypeAlias = NDArray[np.int32]
ByteArray: TypeAlias = NDArray[np.uint8]
AnyArray: TypeAlias = NDArray[Any]
