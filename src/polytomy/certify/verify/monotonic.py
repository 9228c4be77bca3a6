"""Check that predictions go in one direction along some columns, by the boxes of the leaves."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf

from polytomy._types import FloatArray
from polytomy.encode import NominalColumn, Schema
from polytomy.tree import CategorySplit, IntervalSplit, Tree

from .report import Ledger

_TOLERANCE = 1e-9  # of the largest difference of predictions


@dataclass(slots=True)
class _Side:
    """What a leaf admits of one column: the numbers in (low, high], and missing cells or codes."""

    low: float = -inf
    high: float = inf
    others: set[int] = field(default_factory=set)  # -1 for missing, -2 for new, or codes

    def meets(self, other: "_Side") -> bool:
        return max(self.low, other.low) < min(self.high, other.high) or bool(
            self.others & other.others
        )


def check_monotonic(
    ledger: Ledger, tree: Tree, schema: Schema, directions: Sequence[int], values: FloatArray
) -> None:
    """Check that no leaf predicts more than one that must not predict less.

    Two rows that differ in one column only reach two leaves whose boxes meet in all other columns.

    Parameters
    ----------
    ledger : Ledger
        Collects the comparisons of the current check.
    tree : Tree
        The tree that predicts.
    schema : Schema
        The columns.
    directions : sequence of int
        The direction of each column.
    values : float array
        What each leaf predicts, in the order of ``tree.leaves()``.
    """
    leaves = [int(leaf) for leaf in tree.leaves()]
    boxes = [_box(tree, schema, leaf) for leaf in leaves]
    slack = _TOLERANCE * float(values.max() - values.min())
    descending = sorted(range(len(leaves)), key=lambda i: -values[i])
    for place, more in enumerate(descending):
        for less in descending[place + 1 :]:
            if values[more] <= values[less] + slack:
                continue
            column = _must_not_exceed(boxes[more], boxes[less], directions)
            ledger.holds(
                column is None,
                f"leaves {leaves[more]} and {leaves[less]}",
                f"the prediction falls from {values[more]:.6g} to {values[less]:.6g} in the "
                f"direction of column {schema[column or 0].name!r}",
            )


def _box(tree: Tree, schema: Schema, leaf: int) -> list[_Side]:
    box = [
        _Side(inf, -inf, {-1, -2, *range(spec.n_values)})
        if isinstance(spec, NominalColumn)
        else _Side(others={-1})
        for spec in schema
    ]
    node = leaf
    while (parent := int(tree.parent[node])) >= 0:
        branch = tree.children(parent).tolist().index(node)
        split = tree.split(parent)
        if isinstance(split, IntervalSplit):
            side = box[split.feature]
            low, high = split.range_of(branch) or (inf, -inf)
            side.low, side.high = max(side.low, low), min(side.high, high)
            if split.branch_of_missing != branch:
                side.others.clear()
        elif isinstance(split, CategorySplit):
            side = box[split.feature]
            of_code = split.branch_of_codes(schema[split.feature].n_values)
            admitted = {code for code, b in enumerate(of_code.tolist()) if b == branch}
            admitted |= {-1} if split.branch_of_missing == branch else set()
            admitted |= {-2} if split.default_branch == branch else set()
            side.others &= admitted
        node = parent
    return box


def _must_not_exceed(more: list[_Side], less: list[_Side], directions: Sequence[int]) -> int | None:
    """Return a column along which the first box must not have the larger prediction, or None."""
    apart = [j for j, (a, b) in enumerate(zip(more, less, strict=True)) if not a.meets(b)]
    if len(apart) > 1:
        return None
    for j in apart or range(len(directions)):
        first, second = (more[j], less[j]) if directions[j] > 0 else (less[j], more[j])
        have_ranges = first.low < first.high and second.low < second.high
        if directions[j] and have_ranges and first.low < second.high:
            return j
    return None
