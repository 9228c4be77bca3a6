"""What a family is asked about one node."""

from dataclasses import dataclass

from polytomy import kernels
from polytomy._types import FloatArray
from polytomy.index import Index

from .stats import Stats


@dataclass(frozen=True, slots=True)
class Ask:
    """The node's histograms, as the kernels hold them, and which options could be taken.

    ``prices`` are those of 2, 3, ... branches, as many as intervals and groups may have;
    ``largest`` is the most branches of any option. ``floor`` is the best binary gain known so far:
    what cannot beat it for its price may be left out.
    """

    query: kernels.NodeQuery
    stats: Stats
    index: Index
    node_value: float
    prices: FloatArray
    largest: int
    least: tuple[int, int]  # rows and units of weight a child needs
    floor: float
