"""Trees of one greedy run, whose splits compete by gain divided by the price of their branches.

All runs are alike but for the price: any leaf may be split, any number of branches that the budget
allows is acceptable, and nothing is pruned.
"""

from collections.abc import Callable
from math import log2
from typing import Any

import numpy as np
import pandas as pd
from tables import Data

from polytomy.encode import Target, encode
from polytomy.grow import Grower, GrowParams
from polytomy.predict import apply
from polytomy.table import Table
from polytomy.theory import g, price
from polytomy.tree import contract
from quality.learners.tree import Answers, Tree

GAMMA = 0.1  # of g(k)
PRICES: dict[str, Callable[[int], float]] = {  # the smallest first
    "1": lambda _: 1.0,
    f"g(k), gamma {GAMMA}": lambda k: g(k, GAMMA),
    "log2 k": log2,
    "ceil(log2 k)": lambda k: price("hatano", k),
    "k - 1": lambda k: price("per-leaf", k),
}
BINARY = ("intervals", "groups")  # the family "values" has a branch for each category
PUBLISHED = {"kearns-mansour": None, "mansour-mcallester": GAMMA, "hatano": None}


class GreedyTree(Tree):
    """The tree of a run; its probabilities are the class shares of its leaves."""

    def __init__(
        self, data: Data, params: GrowParams, branch_price: Callable[[int], float] | None = None
    ) -> None:
        self.classes, y = np.unique(data.y, return_inverse=True)
        coded = encode(Table.of(data.x), max_bins="auto")
        run = Grower(coded, Target.of(y), params, price=branch_price).grow()
        self.tree, self.schema = run.tree, coded.schema
        self.n_leaves, self.depth = self.tree.n_leaves, int(self.tree.depth.max())
        counts = self.tree.counts
        self.shares = counts / counts.sum(axis=1, keepdims=True)
        leaves = self.tree.leaves()
        # per row, as in certificates
        self.index = float(run.index.value(counts[leaves]).sum() / run.weight)
        self.training_error = float(self.tree.errors[leaves].sum() / run.weight)
        n_splits = self.tree.n_nodes - self.n_leaves
        self.arity = (self.tree.n_nodes - 1) / n_splits if n_splits else np.nan  # the mean

    def answer(self, x: pd.DataFrame) -> Answers:
        """Pass rows down the tree."""
        leaf = apply(self.tree, self.schema, Table.of(x))
        return Answers(self.shares[leaf], leaf, self.tree.depth[leaf])

    def contracted_questions(self, x: pd.DataFrame) -> np.ndarray:
        """Return the nodes asked of each row if splits on the same column are joined into one."""
        joined = contract(self.tree)
        return joined.depth[apply(joined, self.schema, Table.of(x))]


def price_growers(max_arity: int) -> dict[str, Callable[[Data, int], GreedyTree]]:
    """Return functions that grow a tree of at most so many leaves, by the name of the run.

    These are binary runs, a run for each price, and the published procedures with their own prices,
    leaf orders and acceptable arities.
    """

    def grower(
        branch_price: Callable[[int], float] | None = None, **params: Any
    ) -> Callable[[Data, int], GreedyTree]:
        return lambda data, s: GreedyTree(data, GrowParams(max_leaves=s, **params), branch_price)

    return (
        {"binary": grower(max_arity=2, families=BINARY)}
        | {f"price {name}": grower(p, max_arity=max_arity) for name, p in PRICES.items()}
        | {
            name: grower(procedure=name, gamma=gamma, max_arity=max_arity)
            for name, gamma in PUBLISHED.items()
        }
    )
