"""An ensemble as code sees it: a start and a few trees, whose scores add up to the votes."""

from dataclasses import dataclass

import numpy as np

from polytomy._types import FloatArray, IntArray
from polytomy.encode import ColumnSpec, NominalColumn, Schema
from polytomy.ensemble import Ensemble, ScoreFunction
from polytomy.export.scores import category_scores
from polytomy.tree import CategorySplit, IntervalSplit, NodeSplit, Tree, TreeBuilder

from .conditions import is_labelled, refuse_own_splits, value_branches, values_of


@dataclass(frozen=True, slots=True, eq=False)
class ScoreTree:
    """A tree, and the score that each of its leaves adds to each output."""

    schema: Schema
    tree: Tree
    scores: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class VoteSum:
    """Votes as ``start`` plus the scores of a row's leaf in each tree."""

    start: FloatArray
    trees: tuple[ScoreTree, ...]


def vote_sum(ensemble: Ensemble, target: str) -> VoteSum:
    """Return the votes of an ensemble as a sum of few trees.

    If every member splits on one column only, and sums are exact in any order, there is one tree of
    one split for each column; otherwise the trees are the members.

    Parameters
    ----------
    ensemble : Ensemble
        The ensemble.
    target : str
        The name of the target language, for errors.
    """
    merged = ensemble.additive if ensemble.exact else None
    start, trees = ensemble.start.copy(), []
    if merged is not None and not merged.own:
        start = merged.start.copy()
        for function in merged.functions:
            tree = function_tree(function, ensemble.schema)
            if tree.tree.n_nodes == 1:
                start += tree.scores[0]
            else:
                trees.append(tree)
        return VoteSum(start, tuple(trees))
    for member in ensemble.members:
        tree = ScoreTree(ensemble.schema, member.tree, member.scores)
        refuse_own_splits(tree, target)
        if member.tree.n_nodes == 1 and ensemble.exact:
            start += member.scores[0]
        else:
            trees.append(tree)
    return VoteSum(start, tuple(trees))


def function_tree(function: ScoreFunction, schema: Schema) -> ScoreTree:
    """Return a score function as a tree of one split: ranges ascend, categories by their score."""
    column = schema[function.feature]
    branch_of_value, scores = _branches(function, column)
    listed = [*scores]
    missing, unseen = (_position(listed, s) for s in (function.missing, function.unseen))
    if branch_of_value is not None and unseen == len(listed):
        listed.append(function.unseen)  # before that of missing cells, which ends the branches
        missing = len(listed)
    if missing == len(listed):
        listed.append(function.missing)
    if len(listed) == 1:
        leaf = TreeBuilder(np.ones(1), 1).finish()
        return ScoreTree(schema, leaf, np.array(listed))
    split: NodeSplit
    if branch_of_value is None:
        assert function.thresholds is not None
        split = IntervalSplit(function.feature, function.thresholds, missing, missing)
    else:
        codes = branch_of_value.astype(np.int32)
        split = CategorySplit(function.feature, codes, missing, unseen)
    n = len(listed)
    builder = TreeBuilder(np.full(1, float(n)), n)
    builder.split(0, split, np.ones((n, 1)), [1] * n)
    return ScoreTree(schema, builder.finish(), np.vstack([np.zeros_like(listed[0]), *listed]))


def _branches(function: ScoreFunction, column: ColumnSpec) -> tuple[IntArray | None, FloatArray]:
    """Return the branch of each category or label, None for numbers; and the branches' scores."""
    if isinstance(column, NominalColumn):
        distinct, position = category_scores(function.scores)
        return position, distinct
    assert function.thresholds is not None
    if not is_labelled(column):
        return None, function.scores
    ranges = IntervalSplit(function.feature, function.thresholds, 0, 0)
    held, position = np.unique(value_branches(ranges, len(values_of(column))), return_inverse=True)
    return position, function.scores[held]


def _position(listed: list[FloatArray], score: FloatArray) -> int:
    """Return the first position of a score; the number of scores if it is not among them."""
    return next((i for i, s in enumerate(listed) if np.array_equal(s, score)), len(listed))
