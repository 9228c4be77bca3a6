"""What an edit returns: its price, and the numbers of the nodes that it made."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from polytomy._text import shorten
from polytomy.certify import Figures, error_text

_WIDTH = 100

_MOST_NODES = 12


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
