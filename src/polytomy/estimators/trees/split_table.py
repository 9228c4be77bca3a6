"""The information gain of every column at a node, as a table."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from itertools import pairwise
from typing import Any, overload

import numpy as np

from polytomy._errors import ParameterError
from polytomy._numbers import is_integer
from polytomy._text import count, percent, shorten
from polytomy._types import BranchArray, FloatArray
from polytomy.encode import encode_with
from polytomy.estimators.base.rows import LabelledRows
from polytomy.export import describe_branches
from polytomy.export.phrasing.p_values import format_p
from polytomy.grow import GrowParams, alternatives, branch_of_codes
from polytomy.index import INDICES
from polytomy.model import Model
from polytomy.predict import apply
from polytomy.prune import adjusted_p_chance
from polytomy.table import frame_of
from polytomy.tree import CategorySplit, IntervalSplit, Tree, TreeBuilder

_ENTROPY = INDICES["entropy"]
_NO_DEFAULT = -1  # a split that was not taken does not state where new categories would go


@dataclass(frozen=True, slots=True)
class ColumnSplit:
    """The best split of one arity on one column, and what it gains at a node.

    Parameters
    ----------
    column : str
        The name of the column.
    branches : int
        The number of branches; 1 if no split on the column gains anything.
    split : str
        The branches in words.
    gain : float
        The information gain in bits.
    share : float
        The gain as a fraction of the node's entropy.
    gain_ratio : float
        The gain divided by the entropy of the branches.
    p_value : float
        The p-value of the chi-square test of the branches against the classes. It counts rows,
        whatever mistakes cost; weights of rows and classes are read as numbers of rows.
    p_adjusted : float
        The p-value adjusted for the choice of the split, see ``polytomy.prune.adjusted_p_chance``.
    rough : bool
        Whether a cell has fewer than 5 expected cases, so that the p-values are approximate.
    chosen : bool
        Whether the tree has this split at the node.
    """

    column: str
    branches: int
    split: str
    gain: float
    share: float
    gain_ratio: float
    p_value: float
    p_adjusted: float
    rough: bool
    chosen: bool


class SplitTable(Sequence[ColumnSplit]):
    """The best splits of every column at a node, the column with the largest gain first.

    ``str`` returns a table of them. ``rows`` is the number of rows of the node and ``entropy`` its
    entropy in bits.
    """

    def __init__(self, splits: Sequence[ColumnSplit], node: int, rows: int, entropy: float) -> None:
        self._splits = tuple(splits)
        self.node, self.rows, self.entropy = node, rows, entropy

    @overload
    def __getitem__(self, at: int) -> ColumnSplit: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[ColumnSplit]: ...
    def __getitem__(self, at: int | slice) -> ColumnSplit | Sequence[ColumnSplit]:
        return self._splits[at]

    def __len__(self) -> int:
        return len(self._splits)

    def __iter__(self) -> Iterator[ColumnSplit]:
        return iter(self._splits)

    def __str__(self) -> str:
        """Return the table as text."""
        return self.to_text()

    __repr__ = __str__

    def to_text(self, max_width: int = 100) -> str:
        """Return the table as text; ``*`` marks the split of the tree, ``~`` a rough p-value.

        Parameters
        ----------
        max_width : int, default=100
            The maximum length of a line. Longer lines are cut.

        Returns
        -------
        str
            A line about the node, the header, and a line for each split.
        """
        head = f"node {self.node}: {count(self.rows, 'row')}, entropy {self.entropy:.3f} bits"
        names = ("", "column", "branches", "gain", "share", "ratio", "p_chance", "adjusted", "")
        cells = [names, *map(_cells, self)]
        wide = [max(map(len, column)) for column in zip(*cells, strict=True)]
        texts = ["split", *(split.split for split in self)]
        lines = [
            "  ".join([*_aligned(line, wide), text]).rstrip()
            for line, text in zip(cells, texts, strict=True)
        ]
        return "\n".join(shorten(line, max_width) for line in [head, *lines])

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the table as columns.

        Returns
        -------
        dict of lists
            The fields of ``ColumnSplit``.
        """
        lines = [asdict(split) for split in self]
        return {f.name: [line[f.name] for line in lines] for f in fields(ColumnSplit)}

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the table as a data frame, with the columns of ``to_dict``.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, default=None
            The library whose data frame is returned; by default the first that is installed.

        Returns
        -------
        data frame
            One row for each split.
        """
        return frame_of(self.to_dict(), backend)


def _cells(split: ColumnSplit) -> tuple[str, ...]:
    tested = split.branches > 1
    return (
        "*" if split.chosen else "",
        split.column,
        str(split.branches) if tested else "-",
        f"{split.gain:.3f}",
        percent(split.share, 1),
        f"{split.gain_ratio:.3f}" if tested else "-",
        format_p(split.p_value) if tested else "-",
        format_p(split.p_adjusted) if tested else "-",
        "~" if split.rough else "",
    )


def _aligned(cells: Sequence[str], wide: Sequence[int]) -> list[str]:
    """Return cells of equal width: the marks and the column's name to the left, numbers right."""
    return [
        f"{cell:<{width}}" if i in (0, 1, len(cells) - 1) else f"{cell:>{width}}"
        for i, (cell, width) in enumerate(zip(cells, wide, strict=True))
    ]


def split_table(
    model: Model, sample: LabelledRows, params: GrowParams, node: Any, threads: int
) -> SplitTable:
    """Return the best split of each arity of every column at a node, by information gain.

    Parameters
    ----------
    model : Model
        A model of classes.
    sample : LabelledRows
        The training rows, with the weights used in growing.
    params : GrowParams
        How the tree was grown: families, largest arity and least sizes.
    node : int
        A node of ``model.tree``.
    threads : int
        The number of threads.

    Returns
    -------
    SplitTable
        The table.
    """
    tree = model.tree
    if not is_integer(node) or not 0 <= int(node) < tree.n_nodes:
        raise ParameterError(f"node must be an integer from 0 to {tree.n_nodes - 1}, got {node!r}")
    node = int(node)
    leaf = apply(tree, model.schema, sample.table, threads)
    here = _Node(model, sample, node, leaf)
    searched = alternatives(
        here.coded,
        sample.target,
        tree,
        replace(params, max_leaves=None),  # a budget excludes no split from the table
        leaf_of_row=leaf,
        index=_ENTROPY,
        threads=threads,
    )
    found = next((visited.options for visited in searched if visited.node == node), [])
    splits: list[tuple[int, ColumnSplit]] = []
    for option in found:
        split = option.cut.split(option.feature, model.schema, _NO_DEFAULT)
        assert isinstance(split, IntervalSplit | CategorySplit)
        splits.append((option.feature, here.described(split)))
    own = tree.split(node)
    if isinstance(own, IntervalSplit | CategorySplit) and not any(s.chosen for _, s in splits):
        splits.append((own.feature, here.described(own)))
    named = {column for column, _ in splits}
    for column, name in enumerate(model.schema.names):
        if column not in named:
            splits.append((column, ColumnSplit(name, 1, "", 0.0, 0.0, 0.0, 1.0, 1.0, False, False)))
    best = {c: max(s.gain for other, s in splits if other == c) for c, _ in splits}
    ordered = sorted(splits, key=lambda found: (-best[found[0]], found[0], found[1].branches))
    return SplitTable([s for _, s in ordered], node, int(tree.rows[node]), here.entropy)


class _Node:
    """The training rows of a node, and what splits of them gain."""

    def __init__(self, model: Model, sample: LabelledRows, node: int, leaf: BranchArray) -> None:
        tree = model.tree
        self._tree, self._schema, self._node = tree, model.schema, node
        self._factors = np.ones(tree.n_classes)  # a test counts cases, whatever their mistakes cost
        self._tested = tree
        if model.costs is not None:
            assert model.class_factors is not None
            self._factors = np.where(model.class_factors > 0, model.class_factors, 1.0)
            self._tested = replace(tree, counts=tree.counts / self._factors, costs=None)
        self.coded = encode_with(model.schema, sample.table)
        below = [bool(node in tree.path(v)) for v in range(tree.n_nodes)]
        self._members = np.flatnonzero(np.array(below)[leaf])
        self._labels = sample.labels[self._members]
        self._weights = None if sample.weights is None else sample.weights[self._members]
        self.weight = float(tree.weight[node])
        self.entropy = float(_ENTROPY.value(tree.counts[node])) / self.weight

    def described(self, split: IntervalSplit | CategorySplit) -> ColumnSplit:
        """Return a split in words, with its gain and its p-values."""
        tree, node = self._tree, self._node
        code = self.coded.columns[split.feature][self._members]
        branch = branch_of_codes(split, self._schema)[code]
        cells = branch * tree.n_classes + self._labels
        shape = split.arity, tree.n_classes
        held = np.bincount(cells, self._weights, minlength=shape[0] * shape[1])
        counts = held.reshape(shape).astype(np.float64)
        inside = float(_ENTROPY.value(counts).sum()) / self.weight
        gain = max(self.entropy - inside, 0.0)
        information = float(_ENTROPY.value(counts.sum(axis=1))) / self.weight
        rows = np.bincount(branch, minlength=split.arity).tolist()
        grown, at = _path_to(self._tested, node, split, counts / self._factors, rows)
        test = adjusted_p_chance(grown, self._schema)
        return ColumnSplit(
            column=self._schema[split.feature].name,
            branches=split.arity,
            split=" | ".join(describe_branches(split, self._schema, named=False)),
            gain=gain,
            share=gain / self.entropy if self.entropy > 0 else 0.0,
            gain_ratio=gain / information if information > 0 else 0.0,
            p_value=float(test.plain[at]),
            p_adjusted=float(test.p[at]),
            rough=bool(test.few[at]),
            chosen=self._is_own(split, counts),
        )

    def _is_own(self, split: IntervalSplit | CategorySplit, counts: FloatArray) -> bool:
        """Return whether a split divides the rows like the node's own."""
        tree, own = self._tree, self._tree.split(self._node)
        if not isinstance(own, IntervalSplit | CategorySplit):
            return False
        if (own.feature, own.arity) != (split.feature, split.arity):
            return False
        held = tree.counts[tree.children(self._node)]
        return bool(np.allclose(held, counts, rtol=1e-9, atol=1e-9 * self.weight))


def _path_to(
    tree: Tree,
    node: int,
    split: IntervalSplit | CategorySplit,
    counts: FloatArray,
    rows: Sequence[int],
) -> tuple[Tree, int]:
    """Return a tree with the splits on the path to a node and a given split there, and its place.

    The bins of an ordered column that a p-value is adjusted for are those that the path leaves.
    """
    builder, at = TreeBuilder(tree.counts[0], int(tree.rows[0])), 0
    for above, child in pairwise(tree.path(node)):
        own, children = tree.split(above), tree.children(above)
        assert own is not None
        places = builder.split(at, own, tree.counts[children], tree.rows[children])
        at = places[children.tolist().index(child)]
    builder.split(at, split, counts, rows)
    return builder.finish(), at
