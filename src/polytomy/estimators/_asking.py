"""What each column offers a node: its best question of every arity, none skipped."""

from dataclasses import dataclass, replace

from polytomy.encode import Schema
from polytomy.grow import GrowParams, Option, Procedure, Stats
from polytomy.grow.asker import Asker
from polytomy.grow.stats import Layout, NodeSummary
from polytomy.index import Index


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
