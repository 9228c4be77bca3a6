"""The log of a tree that was edited by hand: the tree it began with, every step and its cost.

The steps are plain data. ``apply_edit`` carries one out on a tree, without any rows: a step that
puts in new splits holds them with their counts.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import NamedTuple

import numpy as np

from polytomy._errors import ParameterError, TreeError
from polytomy._types import IntArray
from polytomy.index import Index
from polytomy.theory import questions
from polytomy.tree import (
    GONE,
    LEAF,
    Surgery,
    Tree,
    branches_merged,
    collapsed,
    nodes_below,
    replaced,
)

OPERATIONS = ("split", "collapse", "merge", "regrow", "relabel", "ban")
"""The edits that a log may have."""

NOTHING = "nothing"
"""What grew a tree of one leaf that editing began with."""


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of a tree before or after an edit.

    Parameters
    ----------
    leaves : int
        The number of leaves.
    questions : float
        The mean number of splits on the path of a training row, by weight.
    index : float
        The index I(T) of the certificate: the impurity of the leaves divided by the weight.
    training_error : float
        The share of the training weight that is misclassified, without class weights; for a numeric
        target, the mean loss.
    bound : float
        The bound of the certificate on the index.
    held_out_error : float or None, default=None
        The error on held-out rows, if there are any.
    """

    leaves: int
    questions: float
    index: float
    training_error: float
    bound: float
    held_out_error: float | None = None

    def __post_init__(self) -> None:
        if self.leaves < 1:
            raise ParameterError(f"leaves must be at least 1, got {self.leaves}")
        for name in ("questions", "index", "training_error", "bound", "held_out_error"):
            value = getattr(self, name)
            if value is not None and not (isfinite(value) and value >= 0):
                raise ParameterError(f"{name} must be a finite number >= 0, got {value!r}")


@dataclass(frozen=True, slots=True)
class Cost:
    """What an edit cost.

    Parameters
    ----------
    gain_forgone : float
        For a split: the gain of the best split of the node with as many branches, less that of this
        one. For other edits: the gain that the tree lost. Both are divided by the weight of all
        rows, like the index, and at least 0.
    before, after : Figures
        The figures of the tree before and after.
    """

    gain_forgone: float
    before: Figures
    after: Figures

    def __post_init__(self) -> None:
        if not (isfinite(self.gain_forgone) and self.gain_forgone >= 0):
            raise ParameterError(f"gain_forgone must be at least 0, got {self.gain_forgone!r}")


class Graft(NamedTuple):
    """A subtree that an edit put in the place of a node, with the counts of its rows."""

    node: int
    subtree: Tree


@dataclass(frozen=True, slots=True)
class Edit:
    """One step of a log.

    Parameters
    ----------
    operation : {"split", "collapse", "merge", "regrow", "relabel", "ban"}
        What was done.
    node : int
        The node, by its number before the step.
    cost : Cost
        What it cost.
    grafts : tuple of Graft, default=()
        The subtrees that ``split``, ``regrow`` and ``ban`` put in, one after the other.
    branches : tuple of int, default=()
        The branches that ``merge`` merged.
    label : int or None, default=None
        The number of the class that ``relabel`` gave to a leaf.
    column : int or None, default=None
        The column that ``ban`` excluded below the node.
    is_searched : bool, default=False
        Whether the cuts of a ``split`` were found by search rather than given.
    reason : str, default=""
        Why it was done, in the words of the person who did it.
    """

    operation: str
    node: int
    cost: Cost
    grafts: tuple[Graft, ...] = ()
    branches: tuple[int, ...] = ()
    label: int | None = None
    column: int | None = None
    is_searched: bool = False
    reason: str = ""

    def __post_init__(self) -> None:
        if self.operation not in OPERATIONS:
            raise ParameterError(
                f"operation must be one of {', '.join(OPERATIONS)}; got {self.operation!r}"
            )
        one = self.operation in ("split", "regrow")
        fits = {
            "grafts": len(self.grafts) == 1 if one else self.operation == "ban" or not self.grafts,
            "branches": bool(self.branches) == (self.operation == "merge"),
            "label": (self.label is not None) == (self.operation == "relabel"),
            "column": (self.column is not None) == (self.operation == "ban"),
            "is_searched": self.operation == "split" or not self.is_searched,
        }
        for name, holds in fits.items():
            if not holds:
                raise ParameterError(f"the {name} of {self.operation!r} cannot be as stated")


@dataclass(frozen=True, slots=True)
class EditLog:
    """How a tree was edited by hand.

    Parameters
    ----------
    start : Tree
        The tree that editing began with.
    grown_by : str
        The procedure that made it, or ``"nothing"`` if it is one leaf.
    steps : tuple of Edit, default=()
        The edits, in order.
    """

    start: Tree
    grown_by: str
    steps: tuple[Edit, ...] = field(default=())

    def states(self) -> Iterator["EditState"]:
        """Iterate over the states after each step, the first before any; see ``apply_edit``."""
        state = EditState(self.start, ())
        yield state
        for step in self.steps:
            state = apply_edit(state, step)
            yield state


class EditState(NamedTuple):
    """A tree after some edits.

    Parameters
    ----------
    tree : Tree
        The tree.
    bans : tuple of pairs of int
        The columns that are banned, each with the node that it is banned below.
    place : ndarray of int or None, default=None
        The number of each node of the tree before the last edit; ``GONE`` if it was removed.
    """

    tree: Tree
    bans: tuple[tuple[int, int], ...]
    place: IntArray | None = None

    def banned_at(self, node: int) -> set[int]:
        """Return the columns that the node and those below it may not be split on."""
        path = set(self.tree.path(node))
        return {column for column, above in self.bans if above in path}


def apply_edit(state: EditState, edit: Edit) -> EditState:
    """Carry out one step of a log.

    Parameters
    ----------
    state : EditState
        The tree before the step.
    edit : Edit
        The step.

    Returns
    -------
    EditState
        The tree after it.

    Raises
    ------
    TreeError
        If the step does not follow: there is no such node, or its splits are not what it says.
    """
    tree, bans, node = state.tree, state.bans, edit.node
    if not 0 <= node < tree.n_nodes:
        raise TreeError(f"node {node} does not exist")
    if edit.label is not None:
        return _relabelled(state, node, edit.label)
    if edit.operation == "collapse":
        done = collapsed(tree, node)
        return _after(done, bans)
    if edit.operation == "merge":
        done = branches_merged(tree, node, edit.branches)
        return _after(done, bans)
    if edit.column is not None:
        bans = (*(b for b in bans if b != (edit.column, node)), (edit.column, node))
    state = EditState(tree, bans, np.arange(tree.n_nodes))
    for graft in edit.grafts:
        state = _grafted(state, edit, graft)
    if edit.column is not None:
        assert state.place is not None
        below = nodes_below(state.tree, int(state.place[node]))
        if (below & (state.tree.feature == edit.column)).any():
            raise TreeError(f"a node below node {node} is still split on the banned column")
    return state


def _relabelled(state: EditState, node: int, label: int) -> EditState:
    """Give a leaf a class by hand."""
    tree = state.tree
    if tree.is_numeric or not tree.is_leaf(node):
        raise TreeError(f"node {node} is not a leaf with a class")
    if not 0 <= label < tree.n_classes:
        raise TreeError(f"there is no class {label}")
    labels = {**tree.relabelled, node: label}
    return EditState(replace(tree, relabelled=labels), state.bans, np.arange(tree.n_nodes))


def _grafted(state: EditState, edit: Edit, graft: Graft) -> EditState:
    """Put one subtree into a tree, or raise an error if it does not fit there."""
    tree, (node, part) = state.tree, graft
    if edit.operation != "ban" and node != edit.node:
        raise TreeError(f"node {edit.node} is edited, but the splits are those of node {node}")
    if not 0 <= node < tree.n_nodes:
        raise TreeError(f"node {node} does not exist")
    assert state.place is not None
    if state.place[edit.node] not in tree.path(node):
        raise TreeError(f"node {node} is not below node {edit.node}")
    if part.rows[0] != tree.rows[node] or not np.array_equal(part.counts[0], tree.counts[node]):
        raise TreeError(f"the new splits of node {node} have other rows than the node")
    if edit.operation == "split" and not part.n_nodes == part.arity(0) + 1 > 1:
        raise TreeError("a split puts in one split, not several or none")
    used = set(part.feature[part.kind != LEAF].tolist())
    if banned := sorted(used & state.banned_at(node)):
        raise TreeError(f"column {banned[0]} is banned at node {node}")
    done, before = replaced(tree, node, part), state.place
    place = np.where(before == GONE, GONE, done.place[before])
    return _after(done, state.bans)._replace(place=place)


def _after(done: Surgery, bans: tuple[tuple[int, int], ...]) -> EditState:
    """Return the state after surgery; a ban ends with the node that it is below."""
    place = done.place
    moved = tuple((c, int(place[above])) for c, above in bans if place[above] != GONE)
    return EditState(done.tree, moved, place)


def tree_figures(
    tree: Tree, index: Index, training_error: float, bound: float, held_out: float | None = None
) -> Figures:
    """Return the figures of a tree, given its errors and the bound of its certificate."""
    weight = float(tree.weight[0])
    return Figures(
        tree.n_leaves,
        questions(tree) / weight,
        float(index.value(tree.counts[tree.leaves()]).sum()) / weight,
        training_error,
        bound,
        held_out,
    )
