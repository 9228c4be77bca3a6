"""Random trees, with splits that no grower would choose, and rows for them."""

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from polytomy._types import UNSEEN
from polytomy.encode import NominalColumn, OrderedColumn, Schema
from polytomy.honesty import Honesty
from polytomy.model import Model
from polytomy.predict import apply
from polytomy.table import Numbers, Ranks, Table
from polytomy.tree import CategorySplit, IntervalSplit, TreeBuilder

WORDS = ("a", "b'", 'c"', "d\\", "é", "f g", "h")
RANKS = ("lo", "mid", "hi")
NUMBERS = (-np.inf, -2.5, -1.0, 0.0, 0.1, 1.0, 1 / 3, 2.0**53, 1e300, np.inf)


def schema():
    empty = np.empty(0)
    return Schema(
        (
            OrderedColumn("x", empty, empty, True, Numbers()),
            OrderedColumn("r", empty, empty, True, Ranks(RANKS)),
            OrderedColumn("b", empty, empty, True, Ranks((False, True))),
            NominalColumn("c", WORDS, True),
        )
    )


@st.composite
def random_models(draw, max_inner=12, *, or_numbers=False):
    """A model, a table and its rows as dicts; ``or_numbers``: the target may be numeric."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    is_numeric = or_numbers and draw(st.booleans())
    builder = TreeBuilder(np.ones(3), 3, float(rng.normal()) if is_numeric else None)
    leaves = [0]
    for _ in range(int(rng.integers(0, max_inner + 1))):
        leaf = leaves.pop(int(rng.integers(len(leaves))))
        split = _random_split(rng)
        counts = rng.integers(0, 5, (split.arity, 3)) + 0.25
        if is_numeric:  # weights, and sums of numbers of any size
            counts[:, 1] *= rng.normal(size=split.arity) * 10.0 ** rng.integers(-20, 20)
            counts[:, 2] += counts[:, 1] ** 2 / counts[:, 0]
        leaves += builder.split(leaf, split, counts, [1] * split.arity)
    classes = np.array([] if is_numeric else ["no", "it's", "ü"])
    honesty = Honesty() if is_numeric and rng.random() < 0.5 else None
    model = Model(schema(), builder.finish(), classes, None, contracted=False, honesty=honesty)
    rows = [_row(rng) for _ in range(40)]
    return model, table_of(rows), rows


def predictions(model, table):
    """Return the class or the mean of each row."""
    leaves = apply(model.tree, model.schema, table)
    if model.is_numeric:
        return model.node_means.expected[leaves].tolist()
    return model.classes[model.tree.label[leaves]].tolist()


def table_of(rows):
    columns = {name: [row[name] for row in rows] for name in "xrbc"}
    known = [*RANKS, "new"]
    frame = pd.DataFrame(
        {
            "x": np.array([np.nan if v is None else v for v in columns["x"]], dtype=float),
            "r": pd.Categorical(columns["r"], known, ordered=True),
            "b": pd.array(columns["b"], dtype="boolean"),
            "c": pd.Series(columns["c"], dtype=object),
        }
    )
    return Table.of(frame, nominal=["c"])


def _row(rng):
    x = NUMBERS[rng.integers(len(NUMBERS))]
    with np.errstate(over="ignore"):
        near = [x, np.nextafter(x, -np.inf), np.nextafter(x, np.inf)]
    cells = {
        "x": float(rng.choice(near)),
        "r": [*RANKS, "new"][rng.integers(4)],
        "b": bool(rng.random() < 0.5),
        "c": [*WORDS, "never"][rng.integers(len(WORDS) + 1)],
    }
    return {name: None if rng.random() < 0.2 else cell for name, cell in cells.items()}


def _random_split(rng):
    feature = int(rng.integers(4))
    missing = bool(rng.random() < 0.5)
    if feature == 3:
        arity = int(rng.integers(2, 5))
        codes = rng.integers(UNSEEN, arity, len(WORDS))
        codes[: arity + 0] = np.arange(arity)
        codes = rng.permutation(codes)[: int(rng.integers(arity, len(WORDS) + 1))]
        own = int(rng.integers(0, arity + 1)) if missing else UNSEEN
        arity = int(max(codes.max(initial=-1), own)) + 1
        if arity < 2:
            codes, own, arity = np.array([0, 1]), UNSEEN, 2
        return CategorySplit(feature, codes.astype(np.int32), own, int(rng.integers(arity)))
    pool = {0: [*NUMBERS[:-1], np.finfo(float).max], 1: [0.5, 1.5], 2: [0.5]}[feature]
    most = min(len(pool), 4)
    n = int(rng.integers(0 if missing else 1, most + 1))
    cuts = np.sort(rng.choice(pool, n, replace=False))
    own = int(rng.integers(0 if n else 1, n + 2)) if missing else UNSEEN
    arity = max(n + 1, own + 1)
    return IntervalSplit(feature, cuts, own, int(rng.integers(arity)))
