"""What a family is asked about one node."""

from dataclasses import dataclass

from polytomy import kernels
from polytomy.index import Index

from .stats import Stats


@dataclass(frozen=True, slots=True)
class Ask:
    """The node's histograms, as the kernels hold them, and which options could be taken.

    ``max_arity`` is the most branches of intervals and groups, ``largest`` of any option;
    ``cheapest`` is the smallest price of more than two branches and ``floor`` the best binary gain
    known so far: what cannot beat it may be left out.
    """

    query: kernels.NodeQuery
    stats: Stats
    index: Index
    node_value: float
    max_arity: int
    largest: int
    min_rows: int
    cheapest: float
    floor: float
