"""Tables of every kind of column, and the bytes of model files."""

import numpy as np
import pandas as pd

from polytomy.estimators.base.files import to_file_bytes


def mixed_table(n_rows, seed=0):
    """Return rows with numbers, text, few values, times and missing cells, and their classes."""
    random = np.random.default_rng(seed)
    x = random.normal(size=n_rows)
    town = random.choice(np.array(["Ulm", "Rom", "Bonn", None], dtype=object), n_rows)
    few = random.integers(0, 9, n_rows).astype(float)
    few[::11] = np.nan
    y = (np.digitize(x, [-1, 0, 1]) % 2) ^ (few > 5) ^ (random.random(n_rows) < 0.2)
    seen = pd.to_datetime(random.integers(0, 10**9, n_rows), unit="s")
    frame = pd.DataFrame({"x": x, "town": town, "few": few, "seen": seen})
    return frame, pd.Series(np.where(y, "yes", "no"), name="y")


def same_model(one, other):
    """Return whether the model files of two estimators are the same, byte for byte."""
    return to_file_bytes(one) == to_file_bytes(other)
