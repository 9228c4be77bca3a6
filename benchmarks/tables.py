"""The tables everybody is given: drawn from a recipe, the same for the same recipe."""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

CHUNK = 8192  # rows drawn at once, so that nothing but the table takes memory
MATTER = 5  # columns that say something about the class


@dataclass(frozen=True)
class Recipe:
    """What a table looks like."""

    rows: int
    columns: int = 20
    classes: int = 2
    categories: int = 0  # 0: a row-major float32 array; else a frame of so many categories a column
    missing: float = 0.0  # share of the cells
    weighted: bool = False

    @property
    def cells(self) -> int:
        """How many cells it has."""
        return self.rows * self.columns


@dataclass(frozen=True)
class Given:
    """A table as a contender gets it: an array or a frame, class numbers, and weights if any."""

    x: Any
    y: np.ndarray
    weight: np.ndarray | None = None

    @property
    def is_frame(self) -> bool:
        """Whether some columns are categories."""
        return isinstance(self.x, pd.DataFrame)

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return int(self.y.max()) + 1

    def first(self, rows: int) -> "Given":
        """Return its first rows."""
        part = self.x.iloc[:rows] if self.is_frame else self.x[:rows]
        weight = None if self.weight is None else self.weight[:rows]
        return replace(self, x=part, y=self.y[:rows], weight=weight)


@lru_cache(maxsize=1)
def table_of(recipe: Recipe) -> Given:
    """Draw the table of a recipe; the last one is remembered."""
    return categories_of(recipe) if recipe.categories else numbers_of(recipe)


def numbers_of(recipe: Recipe, seed: int = 0) -> Given:
    """Draw normal numbers, in place and in small chunks; five columns tell of the class."""
    rng = np.random.default_rng(seed)
    x = np.empty((recipe.rows, recipe.columns), dtype=np.float32)
    y = np.empty(recipe.rows, dtype=np.int64)
    for start in range(0, recipe.rows, CHUNK):
        part = x[start : start + CHUNK]
        rng.standard_normal(dtype=np.float32, out=part)
        score = part[:, 0] - 0.5 * part[:, 1] + part[:, 2] * part[:, 3] + np.sin(3 * part[:, 4])
        score += rng.standard_normal(len(part), dtype=np.float32)
        y[start : start + CHUNK] = classes_of(score, recipe.classes)
        if recipe.missing:
            part[rng.random(part.shape, dtype=np.float32) < recipe.missing] = np.nan
    return Given(x, y, rng.uniform(0.5, 1.5, recipe.rows) if recipe.weighted else None)


def categories_of(recipe: Recipe, seed: int = 0) -> Given:
    """Draw a frame of pandas categories, named by text; those of five columns matter."""
    rng = np.random.default_rng(seed)
    names = [f"label {i:05}" for i in range(recipe.categories)]
    score = rng.standard_normal(recipe.rows)
    columns = {}
    for j in range(recipe.columns):
        codes = rng.integers(0, recipe.categories, recipe.rows, dtype=np.int32)
        if j < MATTER:
            score += rng.standard_normal(recipe.categories)[codes]
        columns[f"column{j}"] = pd.Categorical.from_codes(codes, names)
    return Given(pd.DataFrame(columns), classes_of(score, recipe.classes))


def classes_of(score: np.ndarray, n_classes: int) -> np.ndarray:
    """Cut scores into classes: at zero, or into steps of about equal use."""
    if n_classes == 2:
        return (score > 0).astype(np.int64)
    return np.digitize(score, np.linspace(-2.5, 2.5, n_classes - 1)).astype(np.int64)
