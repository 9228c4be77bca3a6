"""Growing density trees: the engine, fed with the lengths of cells beside the counts of rows.

The engine searches for splits with the largest sum of F over histograms of count vectors. Here the
first component is the weight of the rows, the second the length of the cell, and F(n, L) is that of
``polytomy.index.DENSITY``: a gain is what a split adds to the log-likelihood. Codes without rows
count too, as long as they lie in the node's box.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import repeat

import numpy as np

from polytomy._types import AnyArray, BranchArray, FloatArray, IntArray
from polytomy.density import ColumnCells
from polytomy.encode import Coded, Target
from polytomy.index import DENSITY
from polytomy.tree import LEAF, Tree, majority

from .engine import Grower, OnStep
from .params import GrowParams
from .rules import Tuning
from .source import Histograms, Partition, SampleTotals

# Units of length of a node's box along each column. The rows of the whole table have about as many
# units, because the searches compare the two components.
_LENGTH = 1 << 50
_SMALLEST = 1 << 20  # units of volume of a box that may be split further


class DensitySource:
    """A source of histograms of rows and lengths.

    Parameters
    ----------
    coded : Coded
        The codes of the rows.
    target : Target
        The weights of the rows; all are of class 0.
    cells : sequence of ColumnCells
        The cells of each column.
    volumes : bool, default=False
        Measure the boxes of all nodes in one unit of volume. Otherwise the box of each node has
        the same length along every column, whose unit differs from node to node: log-likelihoods
        do not depend on it, and any number of splits stays exact.
    threads : int, default=1
        The number of threads.
    """

    additive = False  # a node's lengths are not the sum of its children's

    def __init__(
        self,
        coded: Coded,
        target: Target,
        cells: Sequence[ColumnCells],
        *,
        volumes: bool = False,
        threads: int = 1,
    ) -> None:
        self._rows = Partition(coded, target, threads)
        self._lengths = [column.lengths for column in cells]
        self._factor = max(1, _LENGTH // int(target.total()[0]))
        self._boxes = {0: _Box.whole(self._lengths)}
        self._volumes = volumes

    def totals(self) -> SampleTotals:
        """Return the weight, the length and the number of all rows.

        Returns
        -------
        SampleTotals
            The totals.
        """
        rows = self._rows.totals()
        counts = np.append(rows.counts * self._factor, _LENGTH)
        return SampleTotals(counts, rows.n_rows, weighted=True)

    @property
    def factor(self) -> int:
        """The units of these counts that make a unit of weight."""
        return self._factor

    def histograms(self, requests: Sequence[Sequence[int]]) -> list[Histograms]:
        """Return the histograms of some nodes.

        Parameters
        ----------
        requests : sequence of sequences of int
            One node for each request.

        Returns
        -------
        list of Histograms
            The histograms, in the order of the requests.
        """
        return [self._counted(*nodes) for nodes in requests]

    def move(self, moves: Sequence[tuple[int, int, BranchArray, list[int]]]) -> None:
        """Give the rows and the boxes of nodes to their children.

        Parameters
        ----------
        moves : sequence of tuples
            Node, column, branch of each code, and children; see ``Move``.
        """
        self._rows.move(moves)
        for node, column, branch_of_code, children in moves:
            box, lengths = self._boxes[node], self._lengths[column]
            for branch, child in enumerate(children):
                self._boxes[child] = box.part(column, branch_of_code == branch, lengths)

    def release(self, node: int) -> None:
        """Forget a node.

        Parameters
        ----------
        node : int
            A node without children, which will not be asked about again.
        """
        self._rows.release(node)
        self._boxes.pop(node, None)

    def _counted(self, node: int) -> Histograms:
        counts, rows = self._rows.histograms([[node]])[0]
        box = self._boxes[node]
        units = box.volumes(self._lengths) if self._volumes else box.units
        both = np.column_stack([counts[:, 0] * self._factor, np.concatenate(units)])
        return Histograms(both, counts[:, 0].copy() if rows is None else rows)


@dataclass(frozen=True, slots=True, eq=False)
class _Box:
    """The box of a node: the codes inside, their lengths in units, and its share of the volume."""

    inside: tuple[AnyArray, ...]
    units: tuple[IntArray, ...]
    share: float

    @classmethod
    def whole(cls, lengths: Sequence[FloatArray]) -> "_Box":
        inside = tuple(np.ones(len(length), dtype=bool) for length in lengths)
        units = map(whole_units, lengths, inside, repeat(_LENGTH))
        return cls(inside, tuple(units), 1.0)

    def part(self, column: int, codes: AnyArray, lengths: FloatArray) -> "_Box":
        """Return the part with some codes of a column."""
        here = self.inside[column]
        codes = codes & here
        inside, units = list(self.inside), list(self.units)
        inside[column], units[column] = codes, whole_units(lengths, codes, _LENGTH)
        fraction = lengths.sum(where=codes) / lengths.sum(where=here)
        return _Box(tuple(inside), tuple(units), self.share * float(fraction))

    def volumes(self, lengths: Sequence[FloatArray]) -> list[IntArray]:
        """Return the volumes of the codes in units of the root's; a tiny box is not divided."""
        total = max(round(self.share * _LENGTH), 1)
        if total >= _SMALLEST:
            return list(map(whole_units, lengths, self.inside, repeat(total)))
        return [np.where(np.arange(len(b)) == np.argmax(b), total, 0) for b in self.inside]


def whole_units(lengths: FloatArray, inside: AnyArray, total: int) -> IntArray:
    """Return lengths as integers of a given sum: at least 1 inside a box, and 0 outside."""
    held = np.where(inside, lengths, 0.0)
    units = np.maximum(held / held.sum() * total, inside).astype(np.int64)
    units[np.argmax(units)] += total - int(units.sum())
    return np.asarray(units)


def grow_density(
    coded: Coded,
    target: Target,
    cells: Sequence[ColumnCells],
    params: GrowParams,
    loss: str = "likelihood",
    threads: int = 1,
    on_step: OnStep | None = None,
) -> Tree:
    """Grow a density tree.

    Parameters
    ----------
    coded : Coded
        The codes of the rows.
    target : Target
        The weights of the rows; all are of class 0.
    cells : sequence of ColumnCells
        The cells of each column.
    params : GrowParams
        How to grow. The index is ignored.
    loss : {"likelihood", "squared"}, default="likelihood"
        What to minimise: the negative log-likelihood or the integrated squared error.
    threads : int, default=1
        The number of threads.
    on_step : callable, optional
        Called with every expansion; returning True stops the run.

    Returns
    -------
    Tree
        The tree. Its counts have one component, the weight of the rows.
    """
    source = DensitySource(coded, target, cells, volumes=loss == "squared", threads=threads)
    tuning = Tuning(threads=threads)
    run = Grower.from_source(source, coded.schema, params, index=DENSITY[loss], tuning=tuning)
    tree = run.grow(on_step).tree
    counts = tree.counts[:, :1] / source.factor * target.unit  # whole numbers: exact
    default = tree.default_branch.copy()
    for node in np.flatnonzero(tree.kind != LEAF).tolist():
        default[node] = majority(counts[tree.children(node), 0])
    return replace(tree, counts=counts, default_branch=default)
