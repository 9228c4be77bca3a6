"""A fitted tree as the study sees it, and the learner that grows it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import pandas as pd
from tables import Data


@dataclass(frozen=True)
class Answers:
    """What a tree says of some rows."""

    probabilities: np.ndarray  # a row each; the columns are the classes of the tree
    leaf: np.ndarray | None  # the number of the leaf, or None if there is more than one tree
    questions: np.ndarray  # the number of nodes asked, in all trees


class Tree(Protocol):
    """A fitted tree, or one tree per class."""

    classes: np.ndarray
    n_leaves: int  # of all trees
    depth: int  # of the deepest tree

    def answer(self, x: pd.DataFrame) -> Answers:
        """Pass rows down the tree."""

    def intervals(self) -> pd.DataFrame | None:
        """Return the intervals that the tree states, or None if it states none.

        The index is the leaf number; the columns are ``share``, ``low`` and ``high``, for the class
        that the leaf predicts.
        """
        return None


@dataclass(frozen=True)
class Learner:
    """A way to grow a tree: ``grow(data, max_leaves)``; ``call`` describes it."""

    call: str
    grow: Callable[[Data, int], Tree] = field(repr=False, compare=False)
