"""Boosting on rows that lie in parts: in other processes, or on other machines.

A part follows the *log* of a run, whose entries are the same for all parts. What a part holds
follows from its rows and the log, so that a lost part can be made again. Sums are exact in any
order and histograms are integers: the ensemble does not depend on how the rows are divided.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np

from polytomy._types import BranchArray, FloatArray
from polytomy.encode import Schema, Target, decoded
from polytomy.ensemble import Ensemble
from polytomy.grow import Grower, GrowParams, Histograms, Move, Partition, SampleTotals, Tuning
from polytomy.tree import Tree

from .params import BoostParams
from .sample import BoostingSample, SampleFacts
from .sums import Result, Summing, Sums, added
from .training import votes_on

# ---- the log -------------------------------------------------------------------------------------


class Aim(NamedTuple):
    """Begin a tree: the one with this number within the round."""

    which: int


class Settle(NamedTuple):
    """End a tree: its leaves are these nodes of the source."""

    nodes: list[int]


class Vote(NamedTuple):
    """End a round: add the scores of the leaves of its trees, in the order of ``Settle``."""

    scores: list[FloatArray]


class Reply(NamedTuple):
    """The sums over all rows, of which every part has stated its own."""

    sums: Sums


Entry: TypeAlias = Aim | Move | Settle | Vote | Reply


@dataclass(frozen=True, slots=True, eq=False)
class Beginning:
    """What a part must know before the first entry of the log.

    Parameters
    ----------
    params : BoostParams
        The parameters of boosting.
    whole : SampleFacts
        The facts of all rows.
    size : float
        The size of the sample; see ``BoostingSample``.
    ensemble : Ensemble
        The trees of an earlier run, from which this one continues.
    """

    params: BoostParams
    whole: SampleFacts
    size: float
    ensemble: Ensemble


# ---- where the rows are --------------------------------------------------------------------------


class BoostingPart:
    """Some of the training rows: their votes, weights and leaves.

    Parameters
    ----------
    sample : BoostingSample
        The rows, with the facts of all rows.
    beginning : Beginning
        The run.
    threads : int, default=1
        The number of threads.
    """

    def __init__(self, sample: BoostingSample, beginning: Beginning, threads: int = 1) -> None:
        self._coded, self._threads = sample.coded, threads
        self._algorithm = beginning.params.algorithm_on(sample, threads)
        ensemble = beginning.ensemble
        if ensemble.members:
            self._votes = votes_on(ensemble, decoded(sample.coded), threads)
        else:
            self._votes = np.tile(ensemble.start, (sample.n_rows, 1))
        self._partition: Partition | None = None
        self._leaves: list[BranchArray] = []
        self._steps: Summing[Target] | Summing[tuple[float, float]]
        self._begin(self._algorithm.weighing(self._votes, ()))

    def follow(self, entry: Entry) -> None:
        """Do what the next entry of the log says.

        Parameters
        ----------
        entry : Aim, Move, Settle, Vote or Reply
            The entry.
        """
        if isinstance(entry, Move):
            self._grown.move([entry])
        elif isinstance(entry, Aim):
            self._begin(self._algorithm.targeting(entry.which))
        elif isinstance(entry, Settle):
            self._leaves.append(self._grown.groups(entry.nodes))
            self._partition = None
        elif isinstance(entry, Vote):
            moves = list(zip(self._leaves, entry.scores, strict=True))
            self._leaves = []
            self._begin(self._algorithm.weighing(self._votes, moves))
        else:
            self._go_on(entry.sums)

    def sums(self) -> Sums:
        """Return the sums over these rows that the run waits for.

        Returns
        -------
        tuple
            The sums.
        """
        return self._sums

    def histograms(self, requests: Sequence[Sequence[int]]) -> list[Histograms]:
        """Return the histograms of these rows in some nodes of the growing tree.

        Parameters
        ----------
        requests : sequence of sequences of int
            The nodes whose rows are counted together, for each request.

        Returns
        -------
        list of Histograms
            The histograms.
        """
        return self._grown.histograms(requests)

    @property
    def _grown(self) -> Partition:
        assert self._partition is not None
        return self._partition

    def _begin(self, steps: Summing[Target] | Summing[tuple[float, float]]) -> None:
        self._steps = steps
        self._go_on(None)

    def _go_on(self, sums: Sums | None) -> None:
        """Go on with the current computation until it needs sums, or ends."""
        try:
            self._sums = self._steps.send(sums)  # type: ignore[arg-type]  # None starts it
        except StopIteration as done:
            if isinstance(done.value, Target):
                self._partition = Partition(self._coded, done.value, self._threads)


# ---- where the trees are grown -------------------------------------------------------------------


class Parts(Protocol):
    """All parts of the training rows."""

    def begin(self, beginning: Beginning) -> None:
        """Begin a run, with an empty log.

        Parameters
        ----------
        beginning : Beginning
            What the parts must know.
        """

    def add(self, entry: Entry) -> None:
        """Add an entry to the log.

        Parameters
        ----------
        entry : Aim, Move, Settle, Vote or Reply
            The entry.
        """

    def sums(self) -> Sums:
        """Return the sums that the run waits for, over the rows of all parts.

        Returns
        -------
        tuple
            The sums.
        """

    def histograms(self, requests: Sequence[Sequence[int]]) -> list[Histograms]:
        """Return the histograms of all rows in some nodes of the growing tree.

        Parameters
        ----------
        requests : sequence of sequences of int
            The nodes whose rows are counted together, for each request.

        Returns
        -------
        list of Histograms
            The histograms.
        """


class PartedTraining:
    """Training rows in parts; see ``Training``.

    This process takes the part of one without rows: the sums over all rows bring its algorithm into
    the state of all others.

    Parameters
    ----------
    sample : BoostingSample
        A sample without rows that knows the facts of all rows; see ``without_rows``.
    params : BoostParams
        The parameters of boosting.
    parts : Parts
        The parts.
    batch : int, default=16
        The leaves to ask the parts about at a time, ahead of need.
    """

    def __init__(
        self, sample: BoostingSample, params: BoostParams, parts: Parts, batch: int = 16
    ) -> None:
        self.sample, self._params, self._parts, self._batch = sample, params, parts, batch
        self.algorithm = params.algorithm_on(sample)
        self._index = params.index_for(sample.n_classes)
        self._votes = np.empty((0, self.algorithm.n_outputs))
        self._trees: list[Tree] = []
        self._cases: float | None = None  # per unit of weight, at the first tree

    def begin(self, ensemble: Ensemble) -> float:
        """Compute the votes of an ensemble, and the weights that follow from them.

        Parameters
        ----------
        ensemble : Ensemble
            The trees so far.

        Returns
        -------
        float
            The logarithm of the loss.
        """
        assert self.sample.whole is not None
        # The parts do not grow trees: an index function of the user need not travel.
        params = replace(self._params, index="auto", grow=GrowParams())
        self._parts.begin(Beginning(params, self.sample.whole, self.sample.size, ensemble))
        return self._followed(self.algorithm.weighing(self._votes, ()))[0]

    def grow(self, which: int) -> Tree:
        """Grow a tree of the current round.

        Parameters
        ----------
        which : int
            The number of the tree within the round, from 0.

        Returns
        -------
        Tree
            The tree.
        """
        self._parts.add(Aim(which))
        target = self._followed(self.algorithm.targeting(which))
        schema, params = self.sample.coded.schema, self._params
        source = _PartedSource(self._parts, schema, self._cases)
        grower = Grower.from_source(
            source,
            schema,
            params.grow,
            index=self._index,
            unit=target.unit,
            price=params.price,
            tuning=Tuning(batch=self._batch),
        )
        self._cases = source.totals().cases_per_unit(target.unit)
        tree = grower.finish()
        self._parts.add(Settle(source.leaves_of(tree)))
        self._trees.append(tree)
        return tree

    def advance(self, scores: Sequence[FloatArray]) -> tuple[float, float]:
        """Add the votes of the round's trees and compute the new weights.

        Parameters
        ----------
        scores : sequence of ndarray
            For each tree of the round, the scores of all its nodes.

        Returns
        -------
        log_loss : float
            The logarithm of the loss.
        error : float
            The training error.
        """
        trees, self._trees = self._trees, []
        voting = [s[tree.leaves()] for tree, s in zip(trees, scores, strict=True)]
        self._parts.add(Vote(voting))
        moves = [(np.empty(0, dtype=np.int32), s) for s in voting]
        return self._followed(self.algorithm.weighing(self._votes, moves))

    def _followed(self, steps: Summing[Result]) -> Result:
        """Return the result of a computation on all rows."""
        try:
            own = next(steps)
            while True:
                found = added([own, self._parts.sums()])
                self._parts.add(Reply(found))
                own = steps.send(found)
        except StopIteration as done:
            result: Result = done.value
            return result


class _PartedSource:
    """Histograms of the rows of all parts; see ``polytomy.grow.NodeSource``."""

    def __init__(self, parts: Parts, schema: Schema, cases: float | None) -> None:
        self._parts, self._children = parts, dict[int, list[int]]()
        (self._root,) = parts.histograms([[0]])
        assert self._root.rows is not None
        first = slice(0, schema.n_codes()[0])
        counts, n_rows = self._root.counts[first].sum(axis=0), int(self._root.rows[first].sum())
        self._totals = SampleTotals(counts, n_rows, weighted=True, cases=cases)

    def totals(self) -> SampleTotals:
        """Return the totals, which the histogram of any column adds up to."""
        return self._totals

    def histograms(self, requests: Sequence[Sequence[int]]) -> list[Histograms]:
        """Return the histograms of some nodes, one for each request."""
        wanted = [list(nodes) for nodes in requests]
        return [self._root] if wanted == [[0]] else self._parts.histograms(wanted)

    def move(self, moves: Sequence[tuple[int, int, BranchArray, list[int]]]) -> None:
        """Give the rows of nodes to new children."""
        for node, column, branch_of_code, children in moves:
            self._parts.add(Move(node, column, branch_of_code, children))
            self._children[node] = children  # nodes that are moved again get other children

    def release(self, node: int) -> None:
        """Forget a node; the parts keep the rows of all nodes in one array anyway."""

    def leaves_of(self, tree: Tree) -> list[int]:
        """Return the nodes of the source that are the leaves of a tree.

        Rows may have been moved ahead in vain, so that the numbers differ.
        """
        place = {0: 0}
        for node in np.flatnonzero(tree.feature >= 0).tolist():  # parents come before children
            children = tree.child[tree.child_start[node] : tree.child_start[node + 1]].tolist()
            place |= dict(zip(children, self._children[place[node]], strict=True))
        return [place[leaf] for leaf in tree.leaves().tolist()]
