"""Random ensembles on tables with every kind of column, and rows with unusual cells."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from polytomy._types import UNSEEN
from polytomy.encode import encode
from polytomy.ensemble import Ensemble, Member, quantized
from polytomy.table import Nominal, Numbers, Ordered, Ranks, Table, Times
from polytomy.tree import CategorySplit, CustomSplit, IntervalSplit, TreeBuilder

SIZES = ("small", "medium", "large", "huge")


@dataclass(frozen=True)
class Parity:
    """A user-defined split: the first column, rounded down, is even, odd or missing."""

    kind: ClassVar[str] = "test-parity"
    arity: ClassVar[int] = 3

    def route(self, table):
        x = table.column(0).astype(np.float64)
        return np.where(np.isnan(x), 2, np.floor(np.nan_to_num(x)) % 2).astype(int)

    def describe(self, names):
        return f"is {names[0]} even?", ["yes", "no", "is missing"]

    def to_plain(self):
        return {}

    @classmethod
    def from_plain(cls, data):
        return cls(**data)


def training_table(rng, n=40):
    """Return a table with numbers, integers, times, ordered labels and categories."""
    number = np.round(rng.normal(size=n) * 3, 1)
    number[rng.random(n) < 0.2] = np.nan
    day = np.datetime64("2024-01-01") + rng.integers(0, 90, n)
    return Table(
        (
            Ordered("number", number),
            Ordered("whole", rng.integers(-5, 6, n)),
            Ordered("day", day.astype("datetime64[D]").view(np.int64), Times("datetime64[D]")),
            Ordered("size", rng.integers(-1, 3, n).astype(np.int32), Ranks(SIZES[:3])),
            Nominal(
                "colour", rng.integers(-1, 4, n).astype(np.int32), ("red", "blue", "green", "x")
            ),
        ),
        n,
    )


def probe_table(rng, n=50):
    """Return the same columns with new values, labels and categories, and missing cells."""
    number = np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n) * 5)
    number[rng.random(n) < 0.1] = rng.choice([np.inf, -np.inf])
    day = np.datetime64("2023-12-01") + rng.integers(0, 150, n)
    day = np.where(rng.random(n) < 0.2, np.datetime64("NaT"), day).astype("datetime64[D]")
    colours = ("new", "red", "x", "blue", "green")
    return Table(
        (
            Ordered("number", number.astype(rng.choice(["f4", "f8"]))),
            Ordered("whole", rng.integers(-9, 9, n).astype(rng.choice(["i1", "i8", "f8"]))),
            Ordered("day", day.view(np.int64), Times("datetime64[D]")),
            Ordered("size", rng.integers(-1, 4, n).astype(np.int32), Ranks(SIZES)),
            Nominal("colour", rng.integers(-1, 5, n).astype(np.int32), colours),
        ),
        n,
    )


def random_split(rng, schema, own):
    """Return a random split on a random column, sometimes with more branches than needed."""
    if own and rng.random() < 0.3:
        return CustomSplit(Parity())
    feature = int(rng.integers(len(schema)))
    column = schema[feature]
    missing = rng.random() < 0.5
    if column.kind == "nominal":
        arity = int(rng.integers(2, 5))
        codes = rng.integers(UNSEEN, arity, column.n_values).astype(np.int32)
        codes[rng.integers(len(codes))] = arity - 1  # so that the last branch exists
        took = int(rng.integers(arity)) if missing else UNSEEN
        return CategorySplit(feature, codes, took, int(rng.integers(arity)))
    middles = (column.low[1:] + column.high[:-1]) / 2
    infinite = [-np.inf] if isinstance(column.scale, Numbers) else []
    pool = np.concatenate((middles, column.high[:-1], infinite))
    cuts = np.unique(rng.choice(pool, int(rng.integers(1, 12)) if rng.random() < 0.5 else 1))
    took = int(rng.integers(len(cuts) + 2)) if missing else UNSEEN
    arity = max(len(cuts) + 1, took + 1)
    return IntervalSplit(feature, cuts, took, int(rng.integers(arity)))


def random_tree(rng, schema, splits, own=False):
    """Return a random tree with this number of splits."""
    builder = TreeBuilder(np.ones(2), 2)
    leaves = [0]
    for _ in range(splits):
        split = random_split(rng, schema, own)
        leaf = leaves.pop(int(rng.integers(len(leaves))))
        k = split.arity
        leaves += builder.split(leaf, split, np.ones((k, 2)), [1] * k)
    return builder.finish()


def random_ensemble(rng, n_members=None, splits=1, n_outputs=1, own=False):
    """Return an ensemble whose trees have at most this number of splits."""
    schema = encode(training_table(rng)).schema
    members = []
    for _ in range(int(rng.integers(0, 12)) if n_members is None else n_members):
        tree = random_tree(rng, schema, int(rng.integers(0, splits + 1)), own)
        scores = np.zeros((tree.n_nodes, n_outputs))
        scores[tree.leaves()] = quantized(rng.normal(size=(tree.n_leaves, n_outputs)))
        members.append(Member(tree, scores))
    classes = np.arange(2 if n_outputs == 1 else n_outputs)
    return Ensemble(schema, classes, members, quantized(rng.normal(size=n_outputs)), "by chance")
