"""Hypothesis strategies: small tables with ties, gaps and weights; growth parameters; trees."""

from dataclasses import dataclass
from math import pi

import numpy as np
from hypothesis import strategies as st

from polytomy.encode import Target, encode
from polytomy.grow import GrowParams
from polytomy.reference import Column
from polytomy.table import Table
from polytomy.theory import PROCEDURES
from polytomy.tree import IntervalSplit, TreeBuilder

INDEX_NAMES = ("sqrt", "gini", "entropy", "error")


@dataclass(frozen=True)
class Case:
    """A table and a target, encoded for the package and as plain lists for the oracles."""

    table: Table
    coded: object
    target: Target
    columns: dict
    labels: list
    units: list

    @property
    def n_classes(self):
        return self.target.n_classes

    @property
    def naive_table(self):
        """The columns as those of the reference."""
        return [Column.of(name, cells) for name, cells in self.columns.items()]

    def row(self, i):
        """Return the cells of a row."""
        return [cells[i] for cells in self.columns.values()]


@st.composite
def ordered_cells(draw, n_rows, max_distinct=6, missing=True):
    values = draw(st.lists(st.integers(-3, 3), min_size=1, max_size=max_distinct, unique=True))
    cell = st.sampled_from(values)
    if missing and draw(st.booleans()):
        cell = st.one_of(cell, st.none())
    return draw(st.lists(cell, min_size=n_rows, max_size=n_rows))


@st.composite
def nominal_cells(draw, n_rows, max_distinct=6):
    names = draw(
        st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=max_distinct, unique=True)
    )
    cell = st.sampled_from(names)
    if draw(st.booleans()):
        cell = st.one_of(cell, st.none())
    return draw(st.lists(cell, min_size=n_rows, max_size=n_rows))


def case_of(columns, labels, weights=None, n_classes=None):
    """Make a case of {name: cells}: numbers are ordered, text is nominal, None is missing."""
    arrays = {}
    for name, cells in columns.items():
        text = any(isinstance(c, str) for c in cells)
        if text:
            arrays[name] = np.array(cells, dtype=object)
        else:
            arrays[name] = np.array([np.nan if c is None else c for c in cells], dtype=np.float64)
    table = Table.of(arrays)
    target = Target.of(np.array(labels), n_classes, weights)
    units = [1] * len(labels) if target.units is None else target.units.tolist()
    return Case(table, encode(table, target.units), target, columns, list(labels), units)


@st.composite
def cases(draw, max_rows=16, max_columns=3, max_classes=5):
    n_rows = draw(st.integers(2, max_rows))
    kinds = draw(
        st.lists(st.sampled_from(["ordered", "nominal"]), min_size=1, max_size=max_columns)
    )
    columns = {
        f"c{j}": draw(ordered_cells(n_rows) if kind == "ordered" else nominal_cells(n_rows))
        for j, kind in enumerate(kinds)
    }
    n_classes = draw(st.integers(2, max_classes))
    labels = draw(st.lists(st.integers(0, n_classes - 1), min_size=n_rows, max_size=n_rows))
    weight = draw(
        st.sampled_from(
            [None, st.integers(1, 4), st.floats(0.05, 3.0), st.sampled_from([0.1, 0.2, 0.3])]
        )
    )
    weights = None if weight is None else draw(st.lists(weight, min_size=n_rows, max_size=n_rows))
    return case_of(columns, labels, weights, n_classes)


# No difference of gains of whole counts equals a multiple of pi/400 exactly.
BRANCH_PRICES = (None, None, 0.0, pi / 400, pi / 40, pi)
branch_prices = st.sampled_from(BRANCH_PRICES)


def chosen_params(choose, between, index=None, procedures=PROCEDURES, drawn=False):
    """Return growth parameters as a dict.

    ``choose`` returns one of several values and ``between`` a number of an interval: by hypothesis,
    or by a random generator. ``drawn`` adds random draws of columns.
    """
    procedure = choose(procedures)
    order = "auto"
    if procedure == "kearns-mansour":
        order = choose(["heaviest", "steepest"])
    gamma = between(0.05, 0.9) if procedure == "mansour-mcallester" else None
    families = [
        ("intervals", "values", "groups"),
        ("groups", "intervals", "values"),
        ("intervals", "groups"),
        ("intervals", "values"),
    ]
    params = {
        "procedure": procedure,
        "leaf_order": order,
        "gamma": gamma,
        # mansour-mcallester accepts more than two branches only if the budget is large.
        "max_leaves": choose([None, 400] if gamma is not None else [1, 3, 6, 12, None]),
        "index": choose(INDEX_NAMES) if index is None else index,
        "families": choose(families),
        "max_arity": choose(range(2, 9)),
        "max_depth": choose([None, 1, 2]),
        "min_samples_leaf": choose([1, 1, 2, 3]),
        "min_weight_fraction_leaf": choose([0.0, 0.0, 0.1, 0.25]),
        "min_samples_split": choose([2, 2, 4]),
        # No gain of whole counts equals pi/60 exactly, so rounding cannot decide.
        "min_gain": choose([0.0, 0.0, pi / 60]),
        "branch_price": choose(BRANCH_PRICES) if procedure == "priced" else None,
    }
    if drawn:
        params["columns_per_node"] = choose([None, 1, 1, 2, 3])
        params["seed"] = choose(range(2**31))
    return params


@st.composite
def grow_params(draw, index=None, procedures=PROCEDURES, drawn=False):
    """Growth parameters; ``drawn`` adds random draws of columns."""

    def choose(values):
        return draw(st.sampled_from(values))

    def between(low, high):
        return draw(st.floats(low, high))

    return GrowParams(**chosen_params(choose, between, index, procedures, drawn))


def random_columns(rng, max_rows=40, max_columns=4):
    """Return random columns as {name: cells}: numbers or text, some with missing cells."""
    n_rows = int(rng.integers(2, max_rows + 1))
    columns = {}
    for j in range(int(rng.integers(1, max_columns + 1))):
        n_values = int(rng.integers(1, 8))
        picks = rng.integers(0, n_values, n_rows).tolist()
        missing = rng.random(n_rows) < rng.choice([0.0, 0.0, 0.2])
        values = [round(v * 1.5 - 2, 1) for v in range(8)] if rng.random() < 0.5 else "abcdefgh"
        columns[f"c{j}"] = [
            None if gone else values[pick] for pick, gone in zip(picks, missing, strict=True)
        ]
    return columns


def random_classes(rng, columns, max_classes=5, follows=False):
    """Return the classes of the rows, their number, and weights or None."""
    n_rows = len(columns["c0"])
    n_classes = int(rng.integers(2, max_classes + 1))
    labels = rng.integers(0, n_classes, n_rows).tolist()
    if follows:
        class_of = {cell: int(rng.integers(n_classes)) for cell in columns["c0"]}
        labels = [labels[i] if i % 7 == 0 else class_of[c] for i, c in enumerate(columns["c0"])]
    weights = [None, rng.integers(1, 5, n_rows), rng.exponential(size=n_rows) + 0.01][
        rng.integers(3)
    ]
    return labels, n_classes, weights if weights is None else weights.tolist()


@st.composite
def random_cases(draw, max_rows=40, max_columns=4, max_classes=5, follows=False):
    """Cases drawn from a seed: larger and less regular than those drawn cell by cell.

    If the class ``follows`` the first column in six of seven rows, wide splits are worth much.
    """
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    columns = random_columns(rng, max_rows, max_columns)
    labels, n_classes, weights = random_classes(rng, columns, max_classes, follows)
    return case_of(columns, labels, weights, n_classes)


@dataclass(frozen=True)
class GrownTree:
    """A tree of any arity, its counts in whole units, and the counts of held-out rows."""

    tree: object
    units: np.ndarray
    held: np.ndarray


def tree_of(children, units, unit=1.0):
    """Make a tree from the children and the counts of each node.

    Nodes are numbered in the order in which the splits make them.
    """
    builder = TreeBuilder(units[0] * unit, int(units[0].sum()))
    for node in sorted(range(len(children)), key=lambda v: children[v][:1]):
        own = children[node]
        if own:
            cuts = IntervalSplit(0, np.arange(len(own) - 1.0), -1, 0)
            assert builder.split(node, cuts, units[own] * unit, units[own].sum(axis=1)) == own
    return builder.finish()


def added_up(children, values):
    """Return values with the sum over its children at each inner node."""
    total = values.copy()
    for node in range(len(children) - 1, -1, -1):
        if children[node]:
            total[node] = total[children[node]].sum(axis=0)
    return total


@st.composite
def grown_trees(draw, max_inner=9, max_arity=4, most=4, unit=None):
    """Trees of random shape with few rows in each leaf, so that ties are frequent."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_classes = int(rng.integers(2, 4))
    children, inner = [[]], int(rng.integers(0, max_inner + 1))
    bushy = rng.random()  # 0: a chain; 1: the oldest leaf is split first
    leaves = [0]
    for _ in range(inner):
        leaf = leaves.pop(0 if rng.random() < bushy else -1)
        own = list(range(len(children), len(children) + int(rng.integers(2, max_arity + 1))))
        children[leaf] = own
        children += [[] for _ in own]
        leaves += own
    counts = rng.integers(0, most + 1, (len(children), n_classes))
    counts[counts.sum(axis=1) == 0, 0] = 1
    units = added_up(children, counts)
    held = added_up(
        children, rng.integers(0, 3, counts.shape) * (rng.random((len(children), 1)) < 0.7)
    )
    unit = draw(st.sampled_from([1.0, 0.1, 0.3])) if unit is None else unit
    return GrownTree(tree_of(children, units, unit), units, held)
