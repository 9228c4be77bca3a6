"""Decision forests: trees on random samples of the rows, each node on random columns, that vote.

A *bag* holds the rows of one tree. The rows outside it are *out of bag*: their votes by the trees
that did not see them estimate the error on new rows.
"""

from .growing import ForestSample, NumbersOutOfBag, OutOfBag, grow_forest
from .params import FEATURE_RULES, ForestParams, amount_of
from .sampling import Bag, RowSampler, row_keys
from .verification import verify_forest

__all__ = [
    "FEATURE_RULES",
    "Bag",
    "ForestParams",
    "ForestSample",
    "NumbersOutOfBag",
    "OutOfBag",
    "RowSampler",
    "amount_of",
    "grow_forest",
    "row_keys",
    "verify_forest",
]
