"""What each node of a tree could have asked: its menu over again, from the rows."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from polytomy._types import TIE, AnyArray, FloatArray, IntArray
from polytomy.encode import Coded, OrderedColumn, Schema, aligned
from polytomy.grow import GrowParams, LocalStats, Menu, Option, Procedure, Stats
from polytomy.grow.asker import Asker
from polytomy.grow.menu import OwnCut
from polytomy.grow.stats import Layout, NodeSummary
from polytomy.index import Index
from polytomy.model import Model
from polytomy.predict import apply
from polytomy.prune import node_counts
from polytomy.report.details import RIVALS, Detail, Offer
from polytomy.report.nodes import growth_steps
from polytomy.report.path import depth_first
from polytomy.table import Ordered, Ranks, Table, Times
from polytomy.tree import OwnQuestion, Tree

from .base import LabelledRows as Sample

_UNSAID = -1  # no branch: an offer does not say where new categories would go
_SLACK = 1e3 * TIE  # of a node's weight: gains that differ by less, by rounding, are the same


class _Everything(Procedure):
    """Prices that let no arity be skipped: a menu for reading, not for choosing."""

    def price(self, k: int) -> float:  # noqa: ARG002
        """Return no price at all."""
        return 0.0


@dataclass(eq=False)
class _OneColumn:
    """A source of one column's histograms, those of the node at hand."""

    summary: NodeSummary
    layout: Layout
    at: slice
    stats: Stats | None = None

    def root(self) -> NodeSummary:
        """Return what the root holds."""
        return self.summary

    def collect(self, node: int) -> Stats:  # noqa: ARG002  # there is one at a time
        """Return the column's part of the statistics at hand."""
        assert self.stats is not None
        rows = None if self.stats.rows is None else self.stats.rows[self.at]
        return Stats(self.stats.counts[self.at], rows, self.layout)


class Columns:
    """Asks every column on its own; users' families, which look at rows, are left out."""

    def __init__(
        self, schema: Schema, params: GrowParams, index: Index, root: NodeSummary, threads: int
    ) -> None:
        self._sources: list[_OneColumn] = []
        self._askers: list[Asker] = []
        self._widest = max(params.max_arity, params.max_leaves or root.rows)
        built_in = tuple(f for f in params.families if isinstance(f, str))
        if not built_in:
            return
        params = replace(params, families=built_in)
        every = _Everything(params.procedure, None, params.gamma)
        starts = schema.code_start().tolist()
        for j, spec in enumerate(schema):
            alone = Schema((spec,))
            layout = Layout.of(alone, len(root.counts))
            source = _OneColumn(root, layout, slice(starts[j], starts[j + 1]))
            self._sources.append(source)
            asker = Asker(source, alone, params, index, threads, every)  # type: ignore[arg-type]
            self._askers.append(asker)

    def options(self, stats: Stats, value: float, rows: int) -> list[Option]:
        """Return what all columns offer a node that gains something."""
        found, largest = [], min(rows, self._widest)
        for j, (source, asker) in enumerate(zip(self._sources, self._askers, strict=True)):
            source.stats = stats
            found += [replace(o, feature=j) for o in asker.menu(0, value, largest) if o.gain > 0]
        return found


def coded_by(schema: Schema, table: Table) -> Coded:
    """Return a table in a schema's codes; rows it was made of get the codes they had.

    Values between two bins get the code of the nearer one above, those beyond the last its code.
    Categories that are new count as missing cells, and a column that has such cells only now is
    marked so in the schema that comes with the codes.
    """
    specs, columns = [], []
    for spec, column in zip(schema, aligned(table, schema), strict=True):
        if isinstance(spec, OrderedColumn):
            assert isinstance(column, Ordered)
            codes = _bins(column, spec)
        else:
            assert not isinstance(column, Ordered)
            codes = np.where(column < 0, spec.n_values, column)
        gone = spec.has_missing or bool((codes == spec.n_values).any())
        specs.append(replace(spec, has_missing=gone))
        columns.append(codes.astype(_code_dtype(spec.n_values + gone)))
    return Coded(Schema(tuple(specs)), tuple(columns), table.n_rows)


def _bins(column: Ordered, spec: OrderedColumn) -> IntArray:
    values: AnyArray = column.values
    if isinstance(column.scale, Times):
        gone = values == np.iinfo(np.int64).min
    elif isinstance(column.scale, Ranks) and values.dtype == np.int32:
        gone = values < 0
    else:
        gone = np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), dtype=bool)
    codes = np.searchsorted(spec.high, values.astype(np.float64))
    codes = np.minimum(codes, max(spec.n_values - 1, 0))
    return np.where(gone, spec.n_values, codes)


def _code_dtype(n_codes: int) -> type[np.unsignedinteger]:
    if n_codes <= 1 << 8:
        return np.uint8
    return np.uint16 if n_codes <= 1 << 16 else np.uint32


def node_details(
    model: Model, sample: Sample, params: GrowParams, threads: int
) -> Iterator[tuple[int, Detail]]:
    """Yield the details of the nodes that hold rows, those with the most first.

    Parameters
    ----------
    model : Model
        Whose kept tree the rows go down.
    sample : Sample
        The rows, which weigh as they did in growing.
    params : GrowParams
        How the tree was grown.
    threads : int
        How many threads to use.
    """
    tree = model.kept
    leaf = apply(tree, model.schema, sample.table, threads)
    coded = coded_by(model.schema, sample.table)
    source = LocalStats(coded, sample.target, threads=threads)
    held = node_counts(tree, leaf, sample.target)
    columns = Columns(coded.schema, params, model.run.index, source.root(), threads)
    menus = _Menus(model, coded.schema, columns, held)
    spread = _Spread(tree, sample.target.unit)
    for node in _sent_down(source, tree, leaf, held[1]):
        stats = source.collect(node)
        offers = menus.of(node, stats)
        here, parent = spread.of(node, stats)
        yield node, Detail(*offers, spread.column[node], here, parent)


def _sent_down(source: LocalStats, tree: Tree, leaf: AnyArray, rows: IntArray) -> Iterator[int]:
    """Yield the nodes that hold rows, those with the most first, so parents before children.

    The rows of each are where the source finds them.
    """
    place, _ = depth_first(tree)
    place_of_row = place[leaf]
    members = {0: np.arange(len(leaf))}
    for node in np.lexsort((np.arange(tree.n_nodes), -rows)).tolist():
        if rows[node] == 0:
            return
        yield node
        mine, children = members.pop(node), tree.children(node).tolist()
        if not children:
            source.release(node)
            continue
        branches = np.searchsorted(place[children], place_of_row[mine], side="right") - 1
        cut = OwnCut(tree.own.get(node), 0, branches.astype(np.int32))  # type: ignore[arg-type]
        source.scatter(node, -1, cut, children)
        members |= {child: mine[branches == b] for b, child in enumerate(children)}


class _Menus:
    """Makes offers of options: what a node could have asked, and what it did."""

    def __init__(
        self, model: Model, schema: Schema, columns: Columns, held: tuple[IntArray, IntArray]
    ) -> None:
        units, self._rows = held
        self._model, self._schema, self._columns = model, schema, columns
        self._values: FloatArray = model.run.index.value(units.astype(np.float64))
        self._pure = np.count_nonzero(units, axis=1) <= 1
        self._total = float(units[0].sum())
        rules = model.run.rules
        self._procedure = Procedure(rules.procedure, rules.max_leaves, rules.gamma)
        splits = model.run.splits
        self._leaves = {n: splits[i - 1].leaves_before for n, i in growth_steps(model).items()}

    def of(self, node: int, stats: Stats) -> tuple[list[Offer], list[Offer]]:
        """Return the best option of each arity, and the best of each column not asked."""
        value, rows = float(self._values[node]), int(self._rows[node])
        options = []
        if not self._pure[node] and rows > 1:
            options = self._columns.options(stats, value, rows)
        menu = [self._offer(option, node) for option in Menu(options, value)]
        chosen = self._chosen(node)
        if chosen is not None:
            menu = _with(menu, chosen, _SLACK * value / self._total)
        asked = -1 if chosen is None else chosen.column
        return menu, self._rivals(options, node, asked)

    def _rivals(self, options: list[Option], node: int, asked: int) -> list[Offer]:
        best: dict[int, Option] = {}
        for option in options:
            if option.feature == asked or not self._acceptable(option, node):
                continue
            rival = best.get(option.feature)
            if rival is None or self._score(option) > self._score(rival):
                best[option.feature] = option
        found = sorted(best.values(), key=lambda option: (-self._score(option), option.feature))
        return [self._offer(option, node) for option in found[:RIVALS]]

    def _offer(self, option: Option, node: int) -> Offer:
        question = option.cut.question(option.feature, self._schema, _UNSAID)
        gain, score = option.gain / self._total, self._score(option) / self._total
        wide = not self._acceptable(option, node)
        return Offer(option.arity, gain, score, option.feature, question, too_wide=wide)

    def _score(self, option: Option) -> float:
        return option.gain / self._procedure.price(option.arity)

    def _acceptable(self, option: Option, node: int) -> bool:
        """Say whether the option had not too many branches when the node was split."""
        return self._procedure.acceptable(option.arity, self._leaves.get(node, 1))

    def _chosen(self, node: int) -> Offer | None:
        """Return what the node asks as an offer, with what it gains on the rows at hand."""
        tree = self._model.kept
        question = tree.question(node)
        if question is None:
            return None
        inside = self._values[tree.children(node)].sum()
        gain = max(float(self._values[node] - inside), 0.0) / self._total
        column = -1 if isinstance(question, OwnQuestion) else question.feature
        arity = tree.arity(node)
        score = gain / self._procedure.price(arity)
        return Offer(arity, gain, score, column, question, chosen=True)


def _with(menu: list[Offer], chosen: Offer, slack: float) -> list[Offer]:
    """Put what was chosen on the menu: in the place of its like, or as one more option."""
    others = [offer for offer in menu if not _alike(offer, chosen, slack)]
    return sorted([*others, chosen], key=lambda offer: (offer.arity, not offer.chosen))


def _alike(offer: Offer, chosen: Offer, slack: float) -> bool:
    same = (offer.arity, offer.column) == (chosen.arity, chosen.column)
    return same and abs(offer.gain - chosen.gain) <= slack


class _Spread:
    """Keeps the histograms that children are compared with, of the columns they show."""

    def __init__(self, tree: Tree, unit: float) -> None:
        self._tree, self._unit = tree, unit
        inner = np.where(np.diff(tree.child_start) > 0, tree.feature, tree.feature[tree.parent])
        self.column = inner.tolist()  # what a node asks, or what led to a leaf
        self._parents: dict[int, FloatArray] = {}

    def of(self, node: int, stats: Stats) -> tuple[FloatArray | None, FloatArray | None]:
        """Return the weights by code and class of a node, and by code of its parent."""
        for child in self._tree.children(node).tolist():
            if self.column[child] >= 0:
                counts, _ = stats.column(self.column[child])
                self._parents[child] = counts.sum(axis=1) * self._unit
        if self.column[node] < 0:
            return None, None
        counts, _ = stats.column(self.column[node])
        return np.asarray(counts * self._unit, dtype=np.float64), self._parents.pop(node, None)
