"""
A branching family of your own
==============================

Ranges along a slanted direction compete with the built-in splits.

If the boundary between two classes is slanted, splits on single columns can only approximate it by
a staircase. The family below projects a node's rows onto random directions and proposes, for each
direction, the best split of the projection into 2, 3, ... ranges. The grower compares these splits
with the built-in ones by their gains, and the tree predicts, prints and saves them like any other.
"""

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar

import matplotlib.pyplot as plt
import numpy as np

from polytomy.encode import Target, encode
from polytomy.grow import GrowParams, NodeRows, SplitQuery, best_thresholds, grow
from polytomy.predict import apply
from polytomy.table import Table
from polytomy.tree import check_tree, from_plain, register_kind, to_plain


@register_kind
@dataclass(frozen=True)
class Slope:
    """A split by the range in which a weighted sum of columns lies."""

    kind: ClassVar[str] = "slope"
    columns: tuple[int, ...]
    weights: tuple[float, ...]
    fill: tuple[float, ...]  # the value used for missing cells
    thresholds: tuple[float, ...]

    @property
    def arity(self):
        """The number of branches."""
        return len(self.thresholds) + 1

    def project(self, table):
        """Return the weighted sum of each row."""
        total = np.zeros(table.n_rows)
        for j, weight, fill in zip(self.columns, self.weights, self.fill, strict=True):
            cells = np.asarray(table.column(j), dtype=np.float64)
            total += weight * np.where(np.isnan(cells), fill, cells)
        return total

    def route(self, table):
        """Return the branch of each row."""
        return np.searchsorted(self.thresholds, self.project(table))

    def describe(self, names):
        """Return the split, and the condition of each branch, as text."""
        terms = [f"{w:+.3g} {names[j]}" for j, w in zip(self.columns, self.weights, strict=True)]
        edges = ["", *(f"{t:.3g}" for t in self.thresholds), ""]
        conditions = [
            f"{low + ' < ' if low else ''}z{' <= ' + high if high else ''}"
            for low, high in pairwise(edges)
        ]
        return f"z = {' '.join(terms)}", conditions

    def to_plain(self) -> dict[str, Any]:
        """Return the split as plain data, for the model file."""
        return {
            "columns": list(self.columns),
            "weights": list(self.weights),
            "fill": list(self.fill),
            "thresholds": list(self.thresholds),
        }

    @classmethod
    def from_plain(cls, data):
        """Make the split from plain data."""
        return cls(**{key: tuple(value) for key, value in data.items()})


class Slopes:
    """The family: ranges along random directions, with numeric columns scaled to unit spread."""

    name = "slopes"

    def __init__(self, n_directions=60, seed=0):
        self.n_directions = n_directions
        self.seed = seed

    def propose(self, node: NodeRows, query: SplitQuery):
        """Propose the best ranges of every arity along each direction."""
        table = node.table
        columns = tuple(j for j, c in enumerate(table.columns) if c.kind == "ordered")
        cells = np.column_stack([np.asarray(table.column(j), dtype=np.float64) for j in columns])
        known = np.isfinite(cells)
        fill = np.where(known, cells, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
        spread = np.where(known, cells - fill, 0.0).std(axis=0)
        rng = np.random.default_rng(self.seed)
        directions = rng.standard_normal((self.n_directions, len(columns)))
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        for direction in directions / np.where(spread > 0, spread, 1.0):
            slope = Slope(columns, tuple(direction.tolist()), tuple(fill.tolist()), ())
            for thresholds in best_thresholds(slope.project(table), node, query):
                yield replace(slope, thresholds=tuple(thresholds.tolist()))


def show(tree, names, node=0, condition="all", indent=""):
    """Print a tree, with the descriptions that the splits give of themselves."""
    shares = tree.counts[node] / tree.counts[node].sum()
    print(f"{indent}{condition}: {tree.rows[node]} rows, class 1 {shares[1]:.0%}")
    if node in tree.own:
        split, conditions = tree.own[node].describe(names)
        print(f"{indent}  {split}")
        for child, text in zip(tree.children(node), conditions, strict=True):
            show(tree, names, child, text, indent + "    ")


# %%
# Slanted stripes
# ---------------
# Trees with and without the family, on rows whose class is a slanted stripe.

rng = np.random.default_rng(7)
x = rng.uniform(-1, 1, size=(3000, 2))
x[rng.random(x.shape) < 0.02] = np.nan
slant = np.nan_to_num(x[:, 0]) + 0.7 * np.nan_to_num(x[:, 1])
labels = (np.floor(slant / 0.55) % 2 == 0).astype(int)
table = Table.of(x, names=["east", "north"])
coded, target = encode(table), Target.of(labels)


def grown(leaves, *families):
    """Grow a tree with the given families of splits."""
    params = GrowParams(max_leaves=leaves, procedure="hatano", families=families)
    tree = grow(coded, target, params, table).tree
    check_tree(tree)
    return tree


def predictions(tree, rows):
    """Return the class of each row."""
    return tree.counts.argmax(axis=1)[apply(tree, coded.schema, rows)]


print("leaves  training error: single columns  with slopes")
for leaves in (6, 12, 24):
    trees = grown(leaves, "intervals"), grown(leaves, "intervals", Slopes())
    errors = [np.mean(predictions(tree, table) != labels) for tree in trees]
    print(f"{leaves:6d}  {errors[0]:31.1%}  {errors[1]:11.1%}")

# %%
# What trees of 24 leaves predict: a staircase, and stripes.

side = np.linspace(-1, 1, 160)
grid = np.stack(np.meshgrid(side, side), axis=-1)
cells = Table.of(grid.reshape(-1, 2), names=["east", "north"])
figure, both = plt.subplots(1, 2, figsize=(9, 4.2), sharey=True, layout="constrained")
for axes, tree, title in zip(both, trees, ("single columns", "with slopes"), strict=True):
    axes.pcolormesh(side, side, predictions(tree, cells).reshape(160, 160), cmap="coolwarm")
    axes.set(title=title, xlabel="east", aspect="equal")
both[0].set_ylabel("north")
plt.show()

# %%
# The small tree, with the descriptions that the splits give of themselves.

smallest = grown(6, "intervals", Slopes())
show(smallest, table.names)
stored = to_plain(smallest.own[0])
equal = from_plain(stored) == smallest.own[0]
print(f"\nThe root's split as plain data has {sorted(stored)}; read back, it is equal: {equal}")
