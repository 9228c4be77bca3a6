"""The members of an ensemble as one kernel takes them: the arrays of their trees end to end."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from polytomy import kernels
from polytomy._types import AnyArray, BranchArray, FloatArray, IntArray
from polytomy.tree import Tree

from .member import Member


@dataclass(frozen=True, slots=True, eq=False)
class Forest:
    """Trees whose nodes are numbered through, the first node of each, and every node's scores."""

    arrays: kernels.TreeArrays
    root: BranchArray
    scores: FloatArray


def forest_of(members: Sequence[Member]) -> Forest:
    """Join members, at least one, none of which asks a user's own question."""
    trees = [member.tree for member in members]
    root = np.cumsum([0, *(tree.n_nodes for tree in trees[:-1])], dtype=np.int32)
    arrays = kernels.TreeArrays(
        _joined(trees, "kind"),
        _joined(trees, "feature"),
        _joined_starts(trees, "child_start"),
        np.concatenate([tree.child + first for tree, first in zip(trees, root, strict=True)]),
        _joined_starts(trees, "threshold_start"),
        _joined(trees, "threshold"),
        _joined_starts(trees, "code_to_branch_start"),
        _joined(trees, "code_to_branch"),
        _joined(trees, "missing_branch"),
        _joined(trees, "default_branch"),
    )
    return Forest(arrays, root, np.concatenate([member.scores for member in members]))


def _joined(trees: Sequence[Tree], name: str) -> AnyArray:
    return np.concatenate([getattr(tree, name) for tree in trees])


def _joined_starts(trees: Sequence[Tree], name: str) -> IntArray:
    sizes = [np.diff(getattr(tree, name)) for tree in trees]
    return np.concatenate(([0], np.cumsum(np.concatenate(sizes)))).astype(np.int64)
