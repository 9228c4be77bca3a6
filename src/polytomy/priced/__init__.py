"""Trees at two prices: growing them, searching beyond the greedy choice, and polishing splits."""

from .growing import (
    Candidate,
    PricedTree,
    RemoteSample,
    Sample,
    TwoPrices,
    cheaper_run,
    grow_priced,
    in_units,
    leaves_to_grow,
    plain_runs,
    prices_of,
    pruned_tree,
    run_candidate,
    sample_of,
    with_cost_unit,
    without_columns,
)
from .levels import NO_SEARCH, QUICK, WIDE, Search
from .polishing import Polished, polish
from .search import SearchedTree, search_priced, worth_it

__all__ = [
    "NO_SEARCH",
    "QUICK",
    "WIDE",
    "Candidate",
    "Polished",
    "PricedTree",
    "RemoteSample",
    "Sample",
    "Search",
    "SearchedTree",
    "TwoPrices",
    "cheaper_run",
    "grow_priced",
    "in_units",
    "leaves_to_grow",
    "plain_runs",
    "polish",
    "prices_of",
    "pruned_tree",
    "run_candidate",
    "sample_of",
    "search_priced",
    "with_cost_unit",
    "without_columns",
    "worth_it",
]
