"""The only writer of trees: leaves are added, then split, then the arrays are frozen."""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from polytomy._errors import TreeError
from polytomy._types import UNSEEN, AnyArray, FloatArray, IntArray

from .arrays import CODES, INTERVALS, LEAF, OWN, Tree
from .question import CodeQuestion, IntervalQuestion, OwnQuestion, Question


class TreeBuilder:
    """Grows a tree from one leaf; every split names a leaf, its question and its children's counts.

    >>> builder = TreeBuilder(np.array([2.0, 2.0]), 4)
    >>> question = IntervalQuestion(0, np.array([0.5]), UNSEEN, 0)
    >>> builder.split(0, question, np.array([[2.0, 0.0], [0.0, 2.0]]), [2, 2])
    [1, 2]
    >>> builder.finish().n_leaves
    2
    """

    def __init__(self, counts: FloatArray, rows: int) -> None:
        self._counts: list[FloatArray] = [np.asarray(counts, dtype=np.float64)]
        self._rows: list[int] = [int(rows)]
        self._parent: list[int] = [-1]
        self._question: list[Question | None] = [None]
        self._children: list[list[int]] = [[]]
        self.n_leaves = 1

    @property
    def n_nodes(self) -> int:
        """The nodes so far; a split numbers its children from here on."""
        return len(self._question)

    def split(
        self, leaf: int, question: Question, counts: FloatArray, rows: Sequence[int] | IntArray
    ) -> list[int]:
        """Replace a leaf by a question; return its new children, in the order of the branches."""
        if not 0 <= leaf < len(self._question):
            raise TreeError(f"there is no node {leaf}")
        if self._question[leaf] is not None:
            raise TreeError(f"node {leaf} has been split already")
        if question.arity != len(counts) or len(rows) != len(counts):
            raise TreeError(
                f"a {question.arity}-way question needs as many children, not {len(counts)}"
            )
        first = len(self._question)
        children = list(range(first, first + len(counts)))
        self._counts.extend(np.asarray(counts, dtype=np.float64))
        self._rows.extend(map(int, rows))
        self._parent.extend([leaf] * len(counts))
        self._question.extend([None] * len(counts))
        self._children.extend([] for _ in children)
        self._question[leaf] = question
        self._children[leaf] = children
        self.n_leaves += len(counts) - 1
        return list(children)

    def finish(self) -> Tree:
        """Freeze what has been built. The builder may go on and finish again."""
        questions = self._question
        thresholds = [q.thresholds if isinstance(q, IntervalQuestion) else () for q in questions]
        code_maps = [q.code_to_branch if isinstance(q, CodeQuestion) else () for q in questions]
        return Tree(
            kind=np.array([_kind(q) for q in questions], dtype=np.int8),
            feature=_int32([getattr(q, "feature", -1) for q in questions]),
            parent=_int32(self._parent),
            child_start=_offsets(self._children),
            child=_int32([c for children in self._children for c in children]),
            threshold_start=_offsets(thresholds),
            threshold=_joined(thresholds, np.float64),
            code_to_branch_start=_offsets(code_maps),
            code_to_branch=_joined(code_maps, np.int32),
            missing_branch=_int32([getattr(q, "missing_branch", UNSEEN) for q in questions]),
            default_branch=_int32([getattr(q, "default_branch", UNSEEN) for q in questions]),
            counts=np.array(self._counts, dtype=np.float64),
            rows=np.array(self._rows, dtype=np.int64),
            own={v: q.branching for v, q in enumerate(questions) if isinstance(q, OwnQuestion)},
        )


def _kind(question: Question | None) -> int:
    match question:
        case IntervalQuestion():
            return INTERVALS
        case CodeQuestion():
            return CODES
        case OwnQuestion():
            return OWN
    return LEAF


def _int32(values: list[int]) -> AnyArray:
    return np.array(values, dtype=np.int32)


def _joined(parts: Sequence[Sequence[Any] | AnyArray], dtype: type) -> AnyArray:
    """Return all parts end to end; most are empty."""
    held = [p for p in parts if len(p)]
    return np.concatenate(held).astype(dtype) if held else np.empty(0, dtype=dtype)


def _offsets(parts: Sequence[Sequence[Any] | AnyArray]) -> IntArray:
    return np.array(list(accumulate(map(len, parts), initial=0)), dtype=np.int64)
