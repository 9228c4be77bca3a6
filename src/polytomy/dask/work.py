"""What runs on the workers: pure functions of blocks of partitions.

A *block* holds some partitions of one worker, so that the number of tasks grows with the threads of
a cluster and not with the partitions. Everything on a worker can be computed again from the
partitions: nothing is lost with it but time.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from threading import Lock
from typing import Any, NamedTuple, TypeVar
from warnings import catch_warnings, simplefilter

import numpy as np

from polytomy._errors import PolytomyError, TableError, TargetError
from polytomy._types import AnyArray, FloatArray, IntArray
from polytomy.encode import (
    Coded,
    GroupSums,
    NumberScale,
    NumericTarget,
    Part,
    Question,
    Schema,
    Target,
    WeightFacts,
    checked_some_weights,
    encode_part,
    ends_of,
    narrowed,
)
from polytomy.estimators.base.input import is_frame, names_of
from polytomy.estimators.base.rows import read_labels, read_numbers
from polytomy.grow import (
    GroupResidues,
    Histograms,
    Partition,
    SampleTotals,
    added_residues,
    moment_sums,
)
from polytomy.table import Table
from polytomy.tree import Tree

from .log import Orders, new_entries

T = TypeVar("T")


class Reading(NamedTuple):
    """How partitions are read.

    Parameters
    ----------
    names : list of str or None
        The names of the columns, with those of the target and the weights; None for arrays.
    nominal : tuple
        The columns to treat as categorical.
    target, weight : str or None
        The columns that hold the target and the weights; None if they are given separately.
    """

    names: list[str] | None
    nominal: tuple[Any, ...]
    target: str | None
    weight: str | None


@dataclass(frozen=True, slots=True, eq=False)
class RawPart:
    """A partition that is not empty: its number, its rows, their target and weights."""

    number: int
    table: Table
    y: AnyArray
    weights: FloatArray | None


@dataclass(frozen=True, slots=True, eq=False)
class ReadyPart:
    """A partition whose target is known.

    It holds rows with units, labels or numbers, their weights, and the weights without those of
    the classes.
    """

    number: int
    part: Part
    labels: AnyArray
    weights: FloatArray | None
    case_weights: FloatArray | None


def column_names(X: Any) -> list[str] | None:
    """Return the names of the columns of a partition; None for an array."""
    return names_of(X) if is_frame(X) else None


def read(
    numbers: list[int], X: list[Any], y: list[Any] | None, weights: list[Any] | None, how: Reading
) -> list[RawPart]:
    """Return the partitions of a block, without empty ones.

    Parameters
    ----------
    numbers : list of int
        The numbers of the partitions.
    X : list
        Their rows.
    y, weights : list or None
        Their targets and weights; None if these are columns of X, or if there are no weights.
    how : Reading
        How to read them.

    Returns
    -------
    list of RawPart
        The partitions.
    """
    found = []
    for i, number in enumerate(numbers):
        with _Naming(number):
            target, w = None if y is None else y[i], None if weights is None else weights[i]
            rows = _read_partition(X[i], target, w, how)
        if rows is not None:
            found.append(RawPart(number, *rows))
    return found


def _read_partition(
    X: Any, y: Any, weights: Any, how: Reading
) -> tuple[Table, AnyArray, FloatArray | None] | None:
    if how.names is not None and len(X) and (held := column_names(X)) != how.names:
        raise TableError(f"its columns are {held}, but those of the table are {how.names}")
    if how.weight is not None:
        X, weights = _without(X, how.weight)
    if how.target is not None:
        X, y = _without(X, how.target)
    target = np.asarray(y)
    if len(X) != len(target):
        raise TargetError(f"X has {len(X)} rows but y has {len(target)}")
    w = None if weights is None else checked_some_weights(np.asarray(weights), len(X))
    if len(X) == 0:
        return None
    return Table.of(X, nominal=how.nominal), target, w


def _without(X: Any, name: str) -> tuple[Any, Any]:
    """Return a data frame without one of its columns, and that column."""
    import narwhals as nw  # noqa: PLC0415  # only for data frames

    frame = nw.from_native(X, eager_only=True)
    return frame.drop(name).to_native(), frame[name].to_native()


class _Naming:
    """Says in the message of an error which partition it is about."""

    def __init__(self, number: int) -> None:
        self._number = number

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, PolytomyError):
            named = type(error)(f"partition {self._number}: {error}")
            named.partition = self._number
            raise named from error


class ClassCounts(NamedTuple):
    """The classes of some rows in ascending order, and the number of rows of each."""

    classes: AnyArray
    n_rows: IntArray


def count_rows(block: list[RawPart]) -> int:
    """Return the number of rows of a block, those of weight 0 included."""
    return sum(part.table.n_rows for part in block)


def count_classes(block: list[RawPart]) -> ClassCounts | None:
    """Return the classes of a block; None if it has no rows."""
    found: ClassCounts | None = _reduced(add_classes, [_classes_of(part) for part in block])
    return found


def _classes_of(part: RawPart) -> ClassCounts:
    with _Naming(part.number), catch_warnings():
        simplefilter("ignore")  # scikit-learn warns of many classes in few rows
        classes, labels = read_labels(part.y, part.table.n_rows)
    return ClassCounts(classes, np.bincount(labels, minlength=len(classes)))


def add_classes(one: ClassCounts, other: ClassCounts) -> ClassCounts:
    """Return the classes of two sets of rows together."""
    kinds = {np.asarray(c.classes).dtype.kind in "OUS" for c in (one, other)}
    if len(kinds) > 1:
        raise TargetError(
            "y holds text in one partition and numbers in another; convert it with y.astype(str)"
        )
    classes = np.unique(np.concatenate((one.classes, other.classes)))
    n_rows = np.zeros(len(classes), dtype=np.int64)
    for found in (one, other):
        n_rows[np.searchsorted(classes, found.classes)] += found.n_rows
    return ClassCounts(classes, n_rows)


class ClassWeights(NamedTuple):
    """The weight of the rows of each class, and whether the weights of all rows are integers."""

    held: FloatArray
    are_whole: bool


def weigh_classes(block: list[RawPart], classes: AnyArray) -> ClassWeights | None:
    """Return the weights of the classes in a block; None if it has no rows."""
    facts = []
    for part in block:
        assert part.weights is not None
        held = np.bincount(_labels(part, classes), part.weights, len(classes))
        facts.append(
            ClassWeights(
                held.astype(np.float64), bool((part.weights == np.rint(part.weights)).all())
            )
        )
    found: ClassWeights | None = _reduced(add_class_weights, facts)
    return found


def add_class_weights(one: ClassWeights, other: ClassWeights) -> ClassWeights:
    """Return the weights of two sets of rows together."""
    return ClassWeights(one.held + other.held, one.are_whole and other.are_whole)


class NumberFacts(NamedTuple):
    """The ends of numbers, their weighted sum, and the facts of their weights."""

    least: float
    most: float
    total: float
    n_rows: int


def count_numbers(
    block: list[RawPart], criterion: str, weights: WeightFacts | None
) -> NumberFacts | None:
    """Return the facts of the numbers of the rows of a block that have weight."""
    facts = []
    for part in block:
        with _Naming(part.number):
            y = read_numbers(part.y, part.table.n_rows)
            keep = _kept(part, None, None, weights)
            y, w = y[keep], None if part.weights is None else part.weights[keep]
            if len(y):
                total = y.sum() if w is None else np.multiply(y, w).sum()
                facts.append(NumberFacts(*ends_of(y, criterion), float(total), len(y)))
    found: NumberFacts | None = _reduced(add_numbers, facts)
    return found


def add_numbers(one: NumberFacts, other: NumberFacts) -> NumberFacts:
    """Return the facts of two sets of numbers together."""
    ends = min(one.least, other.least), max(one.most, other.most)
    return NumberFacts(*ends, one.total + other.total, one.n_rows + other.n_rows)


class Weighing(NamedTuple):
    """How classes and weights become labels and units.

    Parameters
    ----------
    classes : ndarray
        The classes; empty for numbers.
    factors : ndarray or None
        The weight of each class.
    given, kept : WeightFacts or None
        The facts of the weights of all rows, by which rows of weight 0 are dropped, and of the
        others, by which weights become integers; None if all rows weigh the same.
    """

    classes: AnyArray
    factors: FloatArray | None
    given: WeightFacts | None = None
    kept: WeightFacts | None = None


def weigh(block: list[RawPart], how: Weighing) -> WeightFacts | None:
    """Return the facts of the weights of a block, without rows that ``how.given`` drops."""
    facts = []
    for part in block:
        w = weights_of(
            part.weights, _labels(part, how.classes) if len(how.classes) else None, how.factors
        )
        assert w is not None
        w = w if how.given is None else w[_weighing(how.given, w)]
        if len(w):
            facts.append(WeightFacts.of(w))
    found: WeightFacts | None = _reduced(WeightFacts.__add__, facts)
    return found


def weights_of(
    weights: FloatArray | None, labels: AnyArray | None, factors: FloatArray | None
) -> FloatArray | None:
    """Return the weights of rows times those of their classes; None if they have neither."""
    if factors is None:
        return weights
    assert labels is not None
    return factors[labels] if weights is None else weights * factors[labels]


def _weighing(facts: WeightFacts, w: FloatArray) -> AnyArray:
    units = facts.units(w)
    return np.ones(len(w), dtype=bool) if units is None else units > 0


def _kept(
    part: RawPart, labels: AnyArray | None, factors: FloatArray | None, facts: WeightFacts | None
) -> Any:
    """Return the rows that have weight, as an index."""
    if facts is None:
        return slice(None)
    weights = weights_of(part.weights, labels, factors)
    assert weights is not None
    keep = _weighing(facts, weights)
    return slice(None) if keep.all() else np.flatnonzero(keep)


def _labels(part: RawPart, classes: AnyArray) -> AnyArray:
    y = np.asarray(part.y)
    if y.ndim != 1:
        y = y.ravel()
    if classes.dtype.kind in "iu" and len(classes) and y.dtype.kind in "iu":
        least, most = int(classes[0]), int(classes[-1])
        if most - least < 1 << 16:
            place = np.zeros(most - least + 1, dtype=np.uint16)
            place[classes.astype(np.int64) - least] = np.arange(len(classes))
            return place[y.astype(np.int64) - least]
    return np.searchsorted(classes, y).astype(np.uint16)


def prepare(block: list[RawPart], how: Weighing) -> list[ReadyPart]:
    """Return the rows of a block that have weight, with labels (or numbers) and units."""
    ready = []
    for part in block:
        is_class = len(how.classes) > 0
        n_rows = part.table.n_rows
        labels = _labels(part, how.classes) if is_class else read_numbers(part.y, n_rows)
        weights = weights_of(part.weights, labels, how.factors)
        keep = _kept(part, labels, how.factors, how.given)
        table = part.table if isinstance(keep, slice) else part.table.take(keep)
        w = None if weights is None else weights[keep]
        units = None if how.kept is None or w is None else how.kept.units(w)
        if table.n_rows:
            cases = None if part.weights is None else part.weights[keep]
            ready.append(ReadyPart(part.number, Part(table, units), labels[keep], w, cases))
    return ready


def answer(block: list[ReadyPart], question: Question[Any]) -> Any:
    """Return a block's answer to a question about its rows; None if it has no rows."""
    return _reduced(question.merge, [question.answer(ready.part) for ready in block])


def change(block: list[ReadyPart], step: Any) -> list[ReadyPart]:
    """Return a block after a step."""
    return [replace(ready, part=step(ready.part)) for ready in block]


def _reduced(merge: Any, answers: Sequence[Any]) -> Any:
    return reduce(merge, answers) if answers else None


class Encoding(NamedTuple):
    """How rows become codes and targets."""

    schema: Schema
    n_classes: int
    unit: float
    scale: NumberScale | None


@dataclass(slots=True, eq=False)
class Block:
    """The codes and the targets of a worker's rows.

    Its *progress*, such as the rows of the nodes of a growing tree, saves replaying the log of the
    run so far. A copy of the block does without.

    Parameters
    ----------
    coded : Coded
        The codes.
    target : Target
        The target.
    numbers, sizes : list of int
        The numbers of the partitions and their rows, in the order of the block.
    weights : ndarray or None
        The weights of the rows without those of classes; None if they have none.
    """

    coded: Coded
    target: Target
    numbers: list[int]
    sizes: list[int]
    weights: FloatArray | None
    _progress: dict[str, Any] = field(default_factory=dict)
    _lock: Any = field(default_factory=Lock)

    def __reduce__(self) -> Any:
        return Block, (self.coded, self.target, self.numbers, self.sizes, self.weights)

    def progress(self, run: str, begin: Callable[["Block"], T]) -> T:
        """Return the progress of a run, or begin it; only the latest runs are remembered."""
        with self._lock:
            if run not in self._progress:
                for old in list(self._progress)[:-1]:
                    del self._progress[old]
                self._progress[run] = begin(self)
            progress: T = self._progress[run]
            return progress


@dataclass(slots=True, eq=False)
class Progress:
    """The rows of a block in the nodes of a tree, after a number of moves."""

    partition: Partition
    n_moves: int = 0
    lock: Any = field(default_factory=Lock)
    residues: list[GroupResidues] = field(default_factory=list)

    @classmethod
    def begin(cls, block: Block) -> "Progress":
        """Return the progress before the first move."""
        return cls(Partition(block.coded, block.target))


def encode_block(block: list[ReadyPart], how: Encoding) -> Block | None:
    """Return the codes of a block; None if it has no rows."""
    if not block:
        return None
    coded = [encode_part(how.schema, ready.part) for ready in block]
    joined = tuple(map(_joined, zip(*(c.columns for c in coded), strict=True)))
    sizes = [c.n_rows for c in coded]
    labels = _joined([ready.labels for ready in block])
    target: Target
    if how.scale is not None:
        weights = [ready.weights for ready in block]
        held = None if weights[0] is None else _joined(weights)
        target = NumericTarget.on_scale(how.scale, labels, held)
    else:
        units = [ready.part.units for ready in block]
        both = None if units[0] is None else _joined(units)
        target = Target(labels.astype(np.uint16, copy=False), both, how.unit, how.n_classes)
    whole, numbers = Coded(how.schema, joined, sum(sizes)), [r.number for r in block]
    cases = [ready.case_weights for ready in block]
    return Block(whole, target, numbers, sizes, None if cases[0] is None else _joined(cases))


def _joined(arrays: Sequence[Any]) -> Any:
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)


class BlockTotals(NamedTuple):
    """The totals of some rows, and the number of rows of each partition."""

    totals: SampleTotals
    sizes: dict[int, int]


def total(block: Block | None) -> BlockTotals | None:
    """Return the totals of a block; None if it has no rows."""
    if block is None:
        return None
    sizes = dict(zip(block.numbers, block.sizes, strict=True))
    return BlockTotals(Partition(block.coded, block.target).totals(), sizes)


def add_totals(one: BlockTotals, other: BlockTotals) -> BlockTotals:
    """Return the totals of two sets of rows together."""
    a, b = one.totals, other.totals
    residues = None if a.residues is None or b.residues is None else a.residues + b.residues
    both = SampleTotals(a.counts + b.counts, a.n_rows + b.n_rows, a.weighted, residues)
    return BlockTotals(both, one.sizes | other.sizes)


class Counted(NamedTuple):
    """The histograms of several requests in one array each, in the narrowest types."""

    counts: AnyArray
    rows: AnyArray | None

    @classmethod
    def of(cls, found: Sequence[Histograms]) -> "Counted":
        """Return the histograms of several requests."""
        counts = np.stack([h.counts for h in found])
        rows = [h.rows for h in found if h.rows is not None]
        return cls(narrowed(counts), narrowed(np.stack(rows)) if rows else None)

    def histograms(self) -> list[Histograms]:
        """Return the histograms, one for each request."""
        wide = self.counts.astype(np.int64)
        rows = None if self.rows is None else self.rows.astype(np.int64)
        return [Histograms(c, None if rows is None else rows[i]) for i, c in enumerate(wide)]


def count(block: Block | None, orders: Orders, chunks: list[list[bytes]]) -> Counted | None:
    """Return the histograms of nodes after all moves; None if the block has no rows."""
    if block is None:
        return None
    progress = block.progress(orders.run, Progress.begin)
    with progress.lock:
        _catch_up(block, progress, orders, chunks)
        return Counted.of(progress.partition.histograms(orders.what))


def add_counted(answers: list[Counted | None]) -> Counted:
    """Return the histograms of several blocks together."""
    held = [a for a in answers if a is not None]
    counts = reduce(np.add, [a.counts.astype(np.int64) for a in held])
    rows = [a.rows.astype(np.int64) for a in held if a.rows is not None]
    return Counted(narrowed(counts), narrowed(reduce(np.add, rows)) if rows else None)


def shift(
    block: Block | None, orders: Orders, chunks: list[list[bytes]]
) -> list[GroupResidues] | None:
    """Return the residues of the children of the latest moves; None if the block has no rows."""
    if block is None:
        return None
    progress = block.progress(orders.run, Progress.begin)
    with progress.lock:
        _catch_up(block, progress, orders, chunks)
        return progress.residues[-orders.what :]


def add_shifted(answers: list[list[GroupResidues] | None]) -> list[GroupResidues]:
    """Return the residues of several blocks together."""
    return added_residues(answers) or []


def _catch_up(block: Block, progress: Progress, orders: Orders, chunks: list[list[bytes]]) -> None:
    """Make the moves that a block has not made yet."""
    moves = new_entries(progress.n_moves, orders, chunks)
    if moves is None:  # the run went on: start again
        progress.partition, progress.n_moves = Partition(block.coded, block.target), 0
        progress.residues.clear()
        moves = new_entries(0, orders, chunks) or []
    for move in moves:
        residues = progress.partition.move([move])
        progress.n_moves += 1
        progress.residues.extend(residues or ())


def take(block: Block | None, rows: IntArray) -> tuple[list[AnyArray], Target] | None:
    """Return the codes and the target of some rows of a block."""
    if block is None:
        return None
    part = block.coded.take(rows)
    return list(part.columns), block.target.take(rows)


def sum_moments(block: Block | None, tree: Tree) -> GroupSums | None:
    """Return the moments of a block at the leaves of a tree."""
    if block is None or not isinstance(block.target, NumericTarget):
        return None
    return moment_sums(tree, block.coded, block.target)


def add_moments(answers: list[GroupSums | None]) -> GroupSums:
    """Return the moments of several blocks together."""
    return reduce(GroupSums.__add__, [a for a in answers if a is not None])


@dataclass(frozen=True, slots=True)
class Merge:
    """Merges the answers of blocks, of which those without rows answer None.

    Parameters
    ----------
    both : callable
        Merges two answers.
    """

    both: Any

    def __call__(self, answers: list[Any]) -> Any:
        """Return the merged answer; None if no block has rows."""
        return _reduced(self.both, [a for a in answers if a is not None])
