"""What a session of editing returns: the price of an edit, and the splits a node could have."""

from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass, fields
from typing import Any, overload

import numpy as np

from polytomy._text import count, shorten
from polytomy._types import UNSEEN, FloatArray, IntArray
from polytomy.certify import Figures, error_text
from polytomy.edits import Rival
from polytomy.export import arguments_of, describe_branches
from polytomy.model import Model
from polytomy.table import frame_of
from polytomy.tree import LEAF, CategorySplit, IntervalSplit, NodeSplit, majority, nodes_below

_WIDTH = 100
_MOST_NODES = 12
_MOST_LINES = 16


@dataclass(frozen=True, slots=True)
class EditResult:
    """An edit, what it cost, and the numbers of the nodes that it made.

    Parameters
    ----------
    step : int
        Its number in the log, from 1 on.
    entry : dict
        Its entry in the log, plain data.
    node : int
        The number of the edited node after the edit.
    nodes : tuple of int
        The numbers of the nodes below it.
    gain_forgone : float
        For a split: the gain of the best split of the node with as many branches, less that of this
        one. For other edits: the gain that the tree lost. Divided by the weight of all rows.
    before, after : Figures
        Leaves, questions, index, training error, held-out error and the bound of the certificate.
    is_numeric : bool, default=False
        Whether errors are mean losses rather than shares of the rows.
    """

    step: int
    entry: dict[str, Any]
    node: int
    nodes: tuple[int, ...]
    gain_forgone: float
    before: Figures
    after: Figures
    is_numeric: bool = False

    def __str__(self) -> str:
        """Return the edit and its price, a line for each figure that changed."""
        lines = [
            f"step {self.step}: {self.entry['text']}",
            f"  gain forgone    {impurity_text(self.gain_forgone)}",
        ]
        lines += _changes(self.before, self.after, self.is_numeric)
        if self.nodes:
            numbers = ", ".join(map(str, self.nodes[:_MOST_NODES]))
            numbers += ", ..." if len(self.nodes) > _MOST_NODES else ""
            lines.append(f"  node {self.node} now has the nodes {numbers} below it")
        return "\n".join(shorten(line, _WIDTH) for line in lines)

    __repr__ = __str__


def impurity_text(value: float) -> str:
    """Return an index or a gain as text: four decimals of a share, four digits of a large loss."""
    return f"{value:.4f}" if abs(value) < 10 else f"{value:.4g}"


def _changes(before: Figures, after: Figures, is_numeric: bool) -> list[str]:
    def error(value: float | None) -> str:
        return "-" if value is None else error_text(value, is_numeric)

    shown: dict[str, Callable[[Any], str]] = {
        "leaves": str,
        "questions": "{:.2f}".format,
        "training_error": error,
        "held_out_error": error,
        "index": impurity_text,
        "bound": impurity_text,
    }
    names = {
        "index": "index I(T)",
        "bound": "bound on I(T)",
        "held_out_error": "held-out error",
    }
    lines = []
    for name, text in shown.items():
        old, new = getattr(before, name), getattr(after, name)
        if old is not None or new is not None:
            label = names.get(name, name.replace("_", " "))
            lines.append(f"  {label:<15} {text(old)} -> {text(new)}")
    return lines


@dataclass(frozen=True, slots=True)
class AlternativeSplit:
    """A split that a node could have.

    Parameters
    ----------
    column : str
        The name of the column.
    branches : int
        The number of branches.
    split : str
        The branches in words.
    gain : float
        The gain, divided by the weight of all rows: by so much the split lowers the index of the
        tree, if the node is a leaf.
    forgone : float
        The gain of the best split with as many branches, less that of this one.
    error : float
        The training error of the tree with this split and leaves below it.
    thresholds : tuple or None
        The argument of ``split``, for an ordered column.
    groups : tuple or None
        The same for categories; None among them stands for missing cells.
    missing : int, "own" or None
        The branch of missing cells of an ordered column, if the node has some.
    chosen : bool
        Whether the node has this split.
    """

    column: str
    branches: int
    split: str
    gain: float
    forgone: float
    error: float
    thresholds: tuple[Any, ...] | None
    groups: tuple[tuple[Any, ...], ...] | None
    missing: Any
    chosen: bool


class AlternativeSplits(Sequence[AlternativeSplit]):
    """The splits that a node could have, the largest gain first; ``str`` returns a table.

    ``rivals`` has the same splits as the tree would hold them.
    """

    def __init__(
        self, splits: Sequence[AlternativeSplit], rivals: Sequence[Rival], node: int, rows: int
    ) -> None:
        self._splits, self.rivals, self.node, self.rows = tuple(splits), tuple(rivals), node, rows

    @overload
    def __getitem__(self, at: int) -> AlternativeSplit: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[AlternativeSplit]: ...
    def __getitem__(self, at: int | slice) -> AlternativeSplit | Sequence[AlternativeSplit]:
        return self._splits[at]

    def __len__(self) -> int:
        return len(self._splits)

    def __iter__(self) -> Iterator[AlternativeSplit]:
        return iter(self._splits)

    def __str__(self) -> str:
        """Return the first splits as text; ``*`` marks the split of the tree."""
        head = f"node {self.node}: {count(self.rows, 'row')}"
        lines = [f"  {'gain':>8}  {'forgone':>8}  {'error':>8}  branches  split"]
        for number, s in enumerate(self):
            if number < _MOST_LINES or s.chosen:
                mark, gain, forgone = "*" if s.chosen else " ", s.gain, s.forgone
                figures = f"{impurity_text(gain):>8}  {impurity_text(forgone):>8}  {s.error:>8.4g}"
                lines.append(f"{mark} {figures}  {s.branches:>8}  {s.column}: {s.split}")
        left = len(self) - len(lines) + 1
        lines += [f"  and {left} more"] if left else []
        return "\n".join(shorten(line, _WIDTH) for line in [head, *lines])

    __repr__ = __str__

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the table as a data frame, with the fields of ``AlternativeSplit``.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, default=None
            The library whose data frame is returned; by default the first that is installed.

        Returns
        -------
        data frame
            One row for each split; thresholds and groups are left to the words.
        """
        names = [f.name for f in fields(AlternativeSplit)]
        shown = [n for n in names if n not in ("thresholds", "groups", "missing")]
        return frame_of({n: [getattr(s, n) for s in self] for n in shown}, backend)


def alternative_splits(
    model: Model, node: int, rivals: Sequence[Rival], columns: Set[int] | None = None
) -> AlternativeSplits:
    """Return the best splits of a node as people read and state them.

    Parameters
    ----------
    model : Model
        The tree, with its training shares.
    node : int
        The node.
    rivals : sequence of Rival
        Its best splits.
    columns : set of int or None, default=None
        The columns of the splits to return; None for all.

    Returns
    -------
    AlternativeSplits
        The splits, the largest gain first.
    """
    asked = [rival for rival in rivals if columns is None or rival.split.feature in columns]
    ordered = sorted(asked, key=lambda rival: (-rival.gain, rival.split.arity))
    found = [alternative_split(model, node, rival, rivals) for rival in ordered]
    return AlternativeSplits(found, ordered, node, int(model.tree.rows[node]))


def alternative_split(
    model: Model, node: int, rival: Rival, rivals: Sequence[Rival]
) -> AlternativeSplit:
    """Return a split of a node as people read and state it, given the best splits of the node."""
    split, spec, weight = rival.split, model.schema[rival.split.feature], model.tree.weight[0]
    thresholds, groups, missing = arguments_of(split, spec)
    forgone = max(best_gain(rivals, split.arity) - rival.gain, 0.0)
    return AlternativeSplit(
        column=spec.name,
        branches=split.arity,
        split=" | ".join(describe_branches(split, model.schema, named=False)),
        gain=float(rival.gain / weight),
        forgone=float(forgone / weight),
        error=_error_with(model, node, rival),
        thresholds=thresholds,
        groups=groups,
        missing=missing,
        chosen=_is_own(model.tree.split(node), split),
    )


def best_gain(rivals: Sequence[Rival], arity: int) -> float:
    """Return the largest gain of a split with at most so many branches.

    A split that gains nothing over one with fewer branches is not listed, so fewer count, too.
    """
    return max((r.gain for r in rivals if r.split.arity <= arity), default=0.0)


def _error_with(model: Model, node: int, rival: Rival) -> float:
    """Return the training error of the tree if the node had this split, and leaves below."""
    tree, factors = model.tree, model.class_factors
    inside = nodes_below(tree, node) & (tree.kind == LEAF)
    if rival.counts is None:
        change = float(tree.errors[node] - rival.gain - tree.errors[inside].sum())
        return max(model.training_error + change / float(tree.weight[0]), 0.0)
    old = _errors(tree.counts[inside], tree.label[inside], factors)
    new = _errors(rival.counts, majority(rival.counts, tree.costs), factors)
    cases = float(_cases(tree.counts[:1], factors).sum())
    return max(model.training_error + (new - old) / cases, 0.0)


def _errors(counts: FloatArray, label: IntArray, factors: FloatArray | None) -> float:
    """Return the weight outside the given classes, without class weights."""
    cases = _cases(counts, factors)
    return float(cases.sum() - np.take_along_axis(cases, label[:, None], axis=1).sum())


def _cases(counts: FloatArray, factors: FloatArray | None) -> FloatArray:
    if factors is None:
        return counts
    return np.divide(counts, factors, out=np.zeros(counts.shape), where=factors > 0)


def _is_own(own: NodeSplit | None, other: NodeSplit) -> bool:
    """Return whether a split is that of the node, whatever it does with new values."""
    if isinstance(own, IntervalSplit) and isinstance(other, IntervalSplit):
        same = np.array_equal(own.thresholds, other.thresholds)
    elif isinstance(own, CategorySplit) and isinstance(other, CategorySplit):
        same = _seen(own) == _seen(other)
    else:
        return False
    places = own.feature == other.feature and own.missing_branch == other.missing_branch
    return bool(same and places)


def _seen(split: CategorySplit) -> list[tuple[int, int]]:
    """Return the branches of the categories that have one."""
    return [(code, b) for code, b in enumerate(split.code_to_branch.tolist()) if b != UNSEEN]
