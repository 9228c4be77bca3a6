"""The tables of the corpus of fits: numbers, categories, times, missing cells and weights."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from polytomy.data import load_cars


def _labels(rng: np.random.Generator, score: Any, n_classes: int) -> Any:
    """Return noisy classes: the quantile of a score, with a tenth of the rows drawn at random."""
    edges = np.quantile(score, np.arange(1, n_classes) / n_classes)
    drawn = rng.integers(0, n_classes, len(score))
    return np.where(rng.random(len(score)) < 0.1, drawn, np.searchsorted(edges, score))


def _numbers(n_rows: int, n_classes: int, seed: int, missing: float = 0.0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n_rows, 6))
    x[:, 4] = np.round(x[:, 4])
    score = x[:, 0] + np.abs(x[:, 1]) - x[:, 2] * x[:, 3] + x[:, 4]
    x[rng.random(x.shape) < missing] = np.nan
    return x, _labels(rng, score, n_classes)


def _mixed(n_rows: int, n_classes: int, seed: int) -> tuple[Any, Any]:
    """Return a frame with numbers, text, ordered categories, times and missing cells."""
    rng = np.random.default_rng(seed)
    number = rng.standard_normal(n_rows)
    town = rng.integers(0, 7, n_rows)
    size = rng.integers(0, 4, n_rows)
    day = rng.integers(0, 3000, n_rows)
    names = np.array(["Aachen", "Bonn", "Celle", "Dachau", "Emden", "Fulda", "Goslar"])
    effect = np.array([0.9, -1.2, 0.1, 1.7, -0.4, 0.2, -0.9])
    score = number + effect[town] + 0.4 * size + np.sin(day / 300)
    gone = rng.random((5, n_rows)) < 0.06
    frame = pd.DataFrame(
        {
            "number": np.where(gone[0], np.nan, number),
            "town": pd.Series(names[town], dtype=object).mask(gone[1], None),
            "size": pd.Categorical.from_codes(
                np.where(gone[2], -1, size), ["small", "medium", "large", "huge"], ordered=True
            ),
            "day": pd.Series(np.datetime64("2015-03-01") + day.astype("timedelta64[D]")).where(
                ~gone[3]
            ),
            "whole": rng.integers(-5, 5, n_rows),
            "flag": rng.random(n_rows) < 0.3,
        }
    )
    return frame, np.array(["no", "perhaps", "yes", "never"])[_labels(rng, score, n_classes)]


def _categories(n_rows: int, n_values: int, n_classes: int, seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, n_values, (n_rows, 3))
    score = rng.standard_normal(n_values)[codes].sum(axis=1)
    cells = np.char.add("v", codes.astype(str)).astype(object)
    cells[rng.random(cells.shape) < 0.05] = None
    return pd.DataFrame(cells, columns=["a", "b", "c"]), _labels(rng, score, n_classes)


def _ties() -> tuple[Any, Any]:
    rng = np.random.default_rng(5)
    x = rng.integers(0, 4, (300, 4)).astype(float)
    return x, (x[:, 0] + x[:, 1] + rng.integers(0, 2, 300)).astype(int) % 3


def _xor() -> tuple[Any, Any]:
    x = np.array([[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1, 2)] * 20, dtype=float)
    return x, (x[:, 0] != x[:, 1]).astype(int)


def _cars() -> tuple[Any, Any]:
    columns, origin = load_cars()
    return pd.DataFrame(columns), origin


TABLES: dict[str, Callable[[], tuple[Any, Any]]] = {
    "iris": lambda: load_iris(return_X_y=True),
    "wine": lambda: load_wine(return_X_y=True, as_frame=True),
    "cancer": lambda: load_breast_cancer(return_X_y=True),
    "cars": _cars,
    "two": lambda: _numbers(1500, 2, 1),
    "gaps": lambda: _numbers(1200, 2, 2, missing=0.1),
    "four": lambda: _numbers(1000, 4, 3),
    "twelve": lambda: _numbers(900, 12, 4),
    "large": lambda: _numbers(5000, 2, 6, missing=0.01),
    "ties": _ties,
    "xor": _xor,
    "mixed2": lambda: _mixed(1000, 2, 7),
    "mixed3": lambda: _mixed(800, 3, 8),
    "few2": lambda: _categories(600, 6, 2, 9),
    "few3": lambda: _categories(500, 7, 3, 10),
    "many2": lambda: _categories(3000, 120, 2, 11),
    "many4": lambda: _categories(2000, 60, 4, 12),
}
table = cache(lambda name: TABLES[name]())


def to_numbers(y: Any) -> Any:
    """Return a numeric target that depends on classes: their numbers squared, with noise."""
    codes = np.unique(np.asarray(y), return_inverse=True)[1]
    return np.round(codes**2 + np.random.default_rng(33).gamma(2.0, 1.0, len(codes)), 3)


def weights_of(kind: str | None, n_rows: int) -> Any:
    """Return weights of a kind for some rows; None if they have none."""
    rng = np.random.default_rng(21)
    match kind:
        case "whole":
            return rng.integers(1, 5, n_rows)
        case "zeros":
            return rng.integers(0, 3, n_rows)
        case "fractional":
            return rng.exponential(size=n_rows) + 0.05
    return None
