"""Where each row would go at a node, whether or not it gets there."""

import numpy as np

from polytomy._errors import FamilyError
from polytomy._types import MISSING, UNKNOWN, UNSEEN, BranchArray, FloatArray, IntArray
from polytomy.table import Ordered, Ranks, Times
from polytomy.tree import CodeQuestion, IntervalQuestion, Tree

Cells = FloatArray | BranchArray


def cells_of(column: Ordered | BranchArray) -> tuple[Cells, BranchArray | None]:
    """Return a column as questions read it: numbers, NaN if missing, or codes.

    The second is True where a label in order is not known; None where all are.
    """
    if not isinstance(column, Ordered):
        return column, None
    values = column.values.astype(np.float64)
    if isinstance(column.scale, Times):
        values[column.values == np.iinfo(np.int64).min] = np.nan
    elif isinstance(column.scale, Ranks) and column.values.dtype == np.int32:
        unknown = column.values == UNKNOWN
        values[column.values < 0] = np.nan
        return values, unknown if unknown.any() else None
    return values, None


def branches(
    tree: Tree, node: int, columns: list[tuple[Cells, BranchArray | None]]
) -> BranchArray | IntArray:
    """Return the branch of a node that each row takes, by the columns ``cells_of`` returned."""
    question = tree.question(node)
    if isinstance(question, IntervalQuestion):
        values, unknown = columns[question.feature]
        missing = _or_default(question.missing_branch, question.default_branch)
        taken = np.searchsorted(question.thresholds, values, side="left")
        taken = np.where(np.isnan(values), missing, taken)
        return taken if unknown is None else np.where(unknown, question.default_branch, taken)
    if isinstance(question, CodeQuestion):
        codes, _ = columns[question.feature]
        return _branch_table(question)[np.minimum(codes, len(question.code_to_branch))]
    assert question is not None
    raise FamilyError(
        f"node {node} asks a user's own question of kind {question.branching.kind!r}, which does "
        "not say what it owes to which column; fit with the built-in families for SHAP values"
    )


def _branch_table(question: CodeQuestion) -> BranchArray:
    """Return the branch of each code, then of codes beyond; MISSING and UNKNOWN read the end."""
    taken = question.code_to_branch
    ends = np.empty(3, dtype=np.int32)
    ends[0] = question.default_branch  # a code the node does not list
    ends[MISSING] = _or_default(question.missing_branch, question.default_branch)
    ends[UNKNOWN] = question.default_branch
    return np.concatenate((np.where(taken == UNSEEN, question.default_branch, taken), ends))


def _or_default(branch: int, default: int) -> int:
    return default if branch == UNSEEN else branch
