"""Asks every family about a node and puts the answers on one menu."""

from math import ceil

from polytomy import kernels
from polytomy._errors import ParameterError
from polytomy._types import TIE
from polytomy.encode import Schema
from polytomy.index import Index

from .ask import Ask
from .families import FAMILIES, BuiltIn, Family, own_options
from .menu import Menu, Option
from .params import GrowParams
from .procedures import Procedure
from .stats import StatsSource


class Asker:
    """The families of a run, and what to ask them with."""

    def __init__(
        self,
        source: StatsSource,
        schema: Schema,
        params: GrowParams,
        index: Index,
        threads: int,
        procedure: Procedure | None = None,
    ) -> None:
        self._source, self._index, self._threads = source, index, threads
        self._n_columns = len(schema)
        share = float(params.min_weight_fraction_leaf)
        units = ceil(share * int(source.root().counts.sum()) * (1 - TIE))
        self._least = (int(params.min_samples_leaf), units)
        procedure = Procedure.of(params) if procedure is None else procedure
        self._prices = procedure.prices(max(2, min(params.max_arity, source.root().rows)))
        families = [_family(f, schema) for f in params.families]
        self._families = [f for f in families if getattr(f, "n_columns", 1) > 0]

    def menu(self, node: int, node_value: float, largest: int) -> Menu:
        """Return a node's menu; no option on it has more than ``largest`` branches.

        Each family knows the best binary gain found before it, so that it can skip what cannot win.
        """
        stats = self._source.collect(node)
        query = kernels.NodeQuery(
            stats.counts,
            stats.rows,
            stats.layout.code_start,
            stats.layout.has_missing,
            self._index.kernel,
            node_value,
            self._least,
            self._threads,
        )
        options: list[Option] = []
        for family in self._families:
            ask = Ask(
                query=query,
                stats=stats,
                index=self._index,
                node_value=node_value,
                prices=self._prices[: largest - 1],
                largest=largest,
                least=self._least,
                floor=max((o.gain for o in options if o.arity == 2), default=0.0),
            )
            if isinstance(family, BuiltIn):
                options += family.options(ask)
            else:
                options += own_options(family, self._source.view(node), ask, self._n_columns)
        return Menu(options, node_value)


def _family(family: str | Family, schema: Schema) -> BuiltIn | Family:
    if isinstance(family, str):
        if family not in FAMILIES:
            raise ParameterError(
                f"families are {', '.join(FAMILIES)} or your own objects; got {family!r}"
            )
        return FAMILIES[family](schema)
    if not isinstance(family, Family):
        raise ParameterError(
            f"a family of your own needs a name and propose(node, ask); {family!r} lacks one"
        )
    return family
