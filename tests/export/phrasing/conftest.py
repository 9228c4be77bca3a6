"""A tree with a split on every kind of column."""

import numpy as np
import pandas as pd
import pytest

from polytomy import TreeClassifier


def cars():
    """A table with a column of every kind."""
    rng = np.random.default_rng(3)
    n = 400
    frame = pd.DataFrame(
        {
            "price": np.round(rng.uniform(5, 60, n), 1),
            "town": rng.choice(["Bonn", "Graz", "Lund", "Pisa", "Riga", "Ulm"], n),
            "size": pd.Categorical(
                rng.choice(["small", "medium", "large"], n),
                ["small", "medium", "large"],
                ordered=True,
            ),
            "sold": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, n), unit="D"),
            "new": rng.random(n) < 0.5,
        }
    )
    score = (
        (frame["price"] > 30).astype(int)
        + frame["town"].isin(["Graz", "Riga"])
        + (frame["size"] == "large")
        + (frame["sold"] > "2024-06-01")
        + frame["new"]
    )
    frame.loc[rng.random(n) < 0.1, "price"] = np.nan
    return frame, np.where(score > 2, "buy", "leave")


@pytest.fixture(scope="module")
def fitted():
    X, y = cars()
    return TreeClassifier(max_leaves=24).fit(X, y), X, y
