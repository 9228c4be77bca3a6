"""Random tables, and random edits of their trees, for tests."""

import numpy as np
import pandas as pd

from polytomy import ParameterError

WORDS = ["ash", "elm", "fir", "oak"]


def random_table(rng, n_rows, n_words=4):
    """Return numbers, categories and missing cells, and a score that depends on them."""
    x = rng.integers(0, 12, n_rows) / 2
    x[rng.random(n_rows) < 0.15] = np.nan
    word = rng.choice(WORDS[:n_words], n_rows).astype(object)
    word[rng.random(n_rows) < 0.1] = None
    z = rng.normal(size=n_rows)
    score = np.nan_to_num(x) + (word == "elm") * 3 + rng.normal(size=n_rows)
    return pd.DataFrame({"x": x, "word": word, "z": z}), score


def random_edit(session, rng):
    """Carry out a random edit; return its name, or None if it was refused."""
    tree = session.tree_
    node = int(rng.integers(tree.n_nodes))
    name = str(rng.choice(["split", "split", "collapse", "merge", "regrow", "relabel", "ban"]))
    try:
        if name == "split":
            _random_split(session, node, rng)
        elif name == "collapse":
            session.collapse(node)
        elif name == "merge":
            low = int(rng.integers(max(tree.arity(node) - 1, 1)))
            session.merge(node, [low, low + 1])
        elif name == "regrow":
            session.regrow(node, max_leaves=int(rng.integers(1, 5)))
        elif name == "relabel":
            session.relabel(node, session.estimator().classes_[0])
        else:
            session.ban(int(rng.integers(3)), below=node)
    except (ParameterError, AttributeError):  # a regressor has no classes
        return None
    return name


def _random_split(session, node, rng):
    kind = rng.integers(4)
    if kind == 0:
        cuts = np.unique(rng.normal(3, 2, rng.integers(1, 3)).round(3)).tolist()
        session.split(node, "x", thresholds=cuts, missing=rng.choice([None, 0, "own"]))
    elif kind == 1:
        words = rng.permutation(WORDS)[: rng.integers(1, 3)].tolist()
        session.split(node, "word", groups=[words, ...])
    elif kind == 2:
        session.split(node, int(rng.integers(3)), arity=int(rng.integers(2, 4)))
    else:
        session.split(node, "z", thresholds=[float(rng.normal())])
