"""Dtypes, sentinels and aliases, each once; ``cpp/types.hpp`` is the C++ side of the same list.

``polytomy.kernels`` compares the two when it is imported, so that they cannot drift apart.
"""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Row = np.uint32  # index of a row: 4 bytes a row per permutation
Weight = np.int64  # fixed-point weight: sums are exact, so no order of adding matters
Label = np.uint16  # class of a row
Branch = np.int32  # child of a node

UNSEEN = -1  # branch of a code that no training row of the node had
MISSING = -1  # a nominal cell without a value, when routing
UNKNOWN = -2  # a category the training table did not have, when routing

TIE = 1e-12  # gains closer than this share of the node's weight are equal

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
RowArray: TypeAlias = NDArray[np.uint32]
LabelArray: TypeAlias = NDArray[np.uint16]
BranchArray: TypeAlias = NDArray[np.int32]
ByteArray: TypeAlias = NDArray[np.uint8]
AnyArray: TypeAlias = NDArray[Any]
