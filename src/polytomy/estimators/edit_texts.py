"""What a session of editing returns and prints: alternatives, and the prices of edits."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, overload

from polytomy._text import count, shorten
from polytomy.certify import Figures, error_text
from polytomy.table import frame_of

_WIDTH = 100
_MOST_NODES = 12


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
    """The splits that a node could have, the largest gain first; ``str`` returns a table."""

    def __init__(self, splits: Sequence[AlternativeSplit], node: int, rows: int) -> None:
        self._splits, self.node, self.rows = tuple(splits), node, rows

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
        """Return the table as text; ``*`` marks the split of the tree."""
        head = f"node {self.node}: {count(self.rows, 'row')}"
        lines = [f"  {'gain':>8}  {'forgone':>8}  {'error':>8}  branches  split"]
        for s in self:
            mark = "*" if s.chosen else " "
            figures = f"{s.gain:>8.4f}  {s.forgone:>8.4f}  {s.error:>8.4g}  {s.branches:>8}"
            lines.append(f"{mark} {figures}  {s.column}: {s.split}")
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
            f"  gain forgone    {self.gain_forgone:.4f}",
        ]
        lines += _changes(self.before, self.after, self.is_numeric)
        if self.nodes:
            numbers = ", ".join(map(str, self.nodes[:_MOST_NODES]))
            numbers += ", ..." if len(self.nodes) > _MOST_NODES else ""
            lines.append(f"  node {self.node} now has the nodes {numbers} below it")
        return "\n".join(shorten(line, _WIDTH) for line in lines)

    __repr__ = __str__


def _changes(before: Figures, after: Figures, is_numeric: bool) -> list[str]:
    def error(value: float | None) -> str:
        return "-" if value is None else error_text(value, is_numeric)

    shown = {
        "leaves": str,
        "questions": "{:.2f}".format,
        "training_error": error,
        "held_out_error": error,
        "index": "{:.4f}".format,
        "bound": "{:.4f}".format,
    }
    names = {"index": "index I(T)", "bound": "bound on I(T)"}
    lines = []
    for name, text in shown.items():
        old, new = getattr(before, name), getattr(after, name)
        if old is not None or new is not None:
            label = names.get(name, name.replace("_", " "))
            lines.append(f"  {label:<15} {text(old)} -> {text(new)}")
    return lines
