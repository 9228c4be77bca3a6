"""Questions of any arity to yes-or-no ones, as ONNX has them.

A question of k branches becomes k-1 tests that halve the branches, so a row meets about log2(k) of
them. Ranges are told apart by ``x <= threshold``, in double, which is this library's own
comparison; categories, and labels in order, by ``code in set``. Every child hangs in one place:
the result is a tree, not a graph, which onnxruntime asks for.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from polytomy._errors import FamilyError
from polytomy._types import UNSEEN
from polytomy.tree import CodeQuestion, IntervalQuestion, Question, Tree

from .readings import FIRST_CODE, MISSING_CODE, NOTHING, Reading


@dataclass(slots=True)
class Tests:
    """Yes-or-no tests, one entry each; a next test is its number, a leaf is ``~node``.

    The first test is the root's. A tree of one leaf has no test.
    """

    feature: list[int] = field(default_factory=list)  # the matrix's column
    threshold: list[float] = field(default_factory=list)
    members: list[list[int] | None] = field(default_factory=list)  # None: x <= threshold
    missing_yes: list[int] = field(default_factory=list)
    yes: list[int] = field(default_factory=list)
    no: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Split:
    """A question laid out for halving: its children in an order in which halves can be told apart.

    Between child i-1 and child i lies ``cuts[i-1]``, or, of categories, what ``codes`` say:
    those that take child i. ``missing`` is the place of the child that NaN takes.
    """

    column: int
    children: list[int]
    cuts: list[float]
    codes: list[list[int]] | None
    missing: int


def lowered(tree: Tree, readings: Mapping[int, tuple[int, Reading]]) -> Tests:
    """Return a tree's questions as tests.

    Parameters
    ----------
    tree : Tree
        A tree without users' own questions; those are refused.
    readings : mapping
        By column of the schema: the matrix's column, and how it is read.
    """
    tests = Tests()
    # What is left to do: a split, its children from low to high, and where to note the test.
    waiting: list[tuple[_Split, int, int, list[int] | None, int]] = []
    start = _split(tree, 0, readings)
    if start is not None:
        waiting.append((start, 0, len(start.children), None, 0))
    while waiting:
        split, low, high, answers, parent = waiting.pop()
        test, middle = len(tests.yes), (low + high) // 2
        if answers is not None:
            answers[parent] = test
        _note(tests, split, low, middle)
        for side, first, last in ((tests.no, middle, high), (tests.yes, low, middle)):
            side.append(~split.children[first])
            if last - first > 1:
                waiting.append((split, first, last, side, test))
            elif (below := _split(tree, split.children[first], readings)) is not None:
                waiting.append((below, 0, len(below.children), side, test))
    return tests


def _note(tests: Tests, split: _Split, low: int, middle: int) -> None:
    """Note the test that is yes for the children from low up to middle."""
    tests.feature.append(split.column)
    if split.codes is None:
        tests.threshold.append(split.cuts[middle - 1])
        tests.members.append(None)
        tests.missing_yes.append(int(low <= split.missing < middle))
        return
    held = [code for codes in split.codes[low:middle] for code in codes]
    tests.threshold.append(0.0)
    tests.members.append(sorted(held) or [NOTHING])
    tests.missing_yes.append(0)


def _split(tree: Tree, node: int, readings: Mapping[int, tuple[int, Reading]]) -> _Split | None:
    """Lay a node's question out; None at a leaf."""
    question = tree.question(node)
    if question is None:
        return None
    if not isinstance(question, IntervalQuestion | CodeQuestion):
        raise FamilyError(
            f"node {node} asks a user's own question of kind {question.branching.kind!r}, which "
            "ONNX cannot hold; fit with the built-in families to export"
        )
    column, reading = readings[question.feature]
    children = tree.children(node).tolist()
    missing, default = question.missing_branch, question.default_branch
    missing = default if missing == UNSEEN else missing
    if isinstance(question, IntervalQuestion) and reading.keys is None:
        # A branch after the last range holds missing cells alone: whatever is not <= infinity.
        cuts = [*question.thresholds.tolist(), np.inf]
        return _Split(column, children, cuts, None, missing)
    assert reading.keys is not None
    taken = _branches(question, len(reading.keys))
    codes: list[list[int]] = [[] for _ in children]
    for code, branch in enumerate(taken):
        codes[default if branch == UNSEEN else branch].append(FIRST_CODE + code)
    codes[missing].append(MISSING_CODE)
    # The default comes last, where what is in no set ends.
    order = [b for b in range(len(children)) if b != default] + [default]
    return _Split(column, [children[b] for b in order], [], [codes[b] for b in order], missing)


def _branches(question: Question, n_codes: int) -> list[int]:
    """Return the branch of each category, or of each label in order; UNSEEN for the default's."""
    if isinstance(question, IntervalQuestion):
        return list(np.searchsorted(question.thresholds, range(n_codes), side="left").tolist())
    assert isinstance(question, CodeQuestion)
    taken = question.code_to_branch.tolist()[:n_codes]
    return [*taken, *[UNSEEN] * (n_codes - len(taken))]
