"""The tables of the suite: random ones drawn from a recipe, and real ones from a data folder."""

import json
import os
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

CHUNK = 8192  # rows drawn at once, so that only the table needs memory
MATTER = 5  # columns that the class depends on
PROJECT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Recipe:
    """The size and kind of a random table."""

    rows: int
    columns: int = 20
    classes: int = 2
    categories: int = 0  # of each column of a data frame; 0 for a row-major float32 array
    missing: float = 0.0  # fraction of the cells
    weighted: bool = False
    numeric: bool = False  # the target is a number, not a class

    @property
    def cells(self) -> int:
        """The number of cells."""
        return self.rows * self.columns


@dataclass(frozen=True)
class Data:
    """An array or a data frame, the class or number of each row, and optional weights."""

    x: Any
    y: np.ndarray
    weight: np.ndarray | None = None

    @property
    def is_frame(self) -> bool:
        """Whether the table is a data frame, which may have categories."""
        return isinstance(self.x, pd.DataFrame)

    @property
    def is_numeric(self) -> bool:
        """Whether the target is a number."""
        return self.y.dtype.kind == "f"

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return int(self.y.max()) + 1

    def first(self, rows: int) -> "Data":
        """Return the first rows."""
        part = self.x.iloc[:rows] if self.is_frame else self.x[:rows]
        weight = None if self.weight is None else self.weight[:rows]
        return replace(self, x=part, y=self.y[:rows], weight=weight)


@lru_cache(maxsize=1)
def table_of(recipe: Recipe) -> Data:
    """Draw the table of a recipe; the last one is cached."""
    return draw_categories(recipe) if recipe.categories else draw_numbers(recipe)


def draw_numbers(recipe: Recipe, seed: int = 0) -> Data:
    """Draw normal numbers, in place and in small chunks; the class depends on five columns."""
    rng = np.random.default_rng(seed)
    x = np.empty((recipe.rows, recipe.columns), dtype=np.float32)
    y = np.empty(recipe.rows, dtype=np.float64 if recipe.numeric else np.int64)
    for start in range(0, recipe.rows, CHUNK):
        part = x[start : start + CHUNK]
        rng.standard_normal(dtype=np.float32, out=part)
        score = part[:, 0] - 0.5 * part[:, 1] + part[:, 2] * part[:, 3] + np.sin(3 * part[:, 4])
        score += rng.standard_normal(len(part), dtype=np.float32)
        y[start : start + CHUNK] = score if recipe.numeric else to_classes(score, recipe.classes)
        if recipe.missing:
            part[rng.random(part.shape, dtype=np.float32) < recipe.missing] = np.nan
    return Data(x, y, rng.uniform(0.5, 1.5, recipe.rows) if recipe.weighted else None)


def draw_categories(recipe: Recipe, seed: int = 0) -> Data:
    """Draw a data frame of pandas categories; the class depends on five columns."""
    rng = np.random.default_rng(seed)
    names = [f"label {i:05}" for i in range(recipe.categories)]
    score = rng.standard_normal(recipe.rows)
    columns = {}
    for j in range(recipe.columns):
        codes = rng.integers(0, recipe.categories, recipe.rows, dtype=np.int32)
        if j < MATTER:
            score += rng.standard_normal(recipe.categories)[codes]
        columns[f"column{j}"] = pd.Categorical.from_codes(codes, names)
    return Data(pd.DataFrame(columns), to_classes(score, recipe.classes))


def to_classes(score: np.ndarray, n_classes: int) -> np.ndarray:
    """Divide scores into classes: at zero, or into bins of equal width."""
    if n_classes == 2:
        return (score > 0).astype(np.int64)
    return np.digitize(score, np.linspace(-2.5, 2.5, n_classes - 1)).astype(np.int64)


# ---- real tables -------------------------------------------------------------------------------


def data_folder() -> Path:
    """Return the folder of real tables: $POLYTOMY_DATA, or shared/data beside the project."""
    return Path(os.environ.get("POLYTOMY_DATA", PROJECT.parent / "shared" / "data"))


def has_real_table(name: str) -> bool:
    """Return whether the data folder has a table of this name."""
    return catalog_entry(name) is not None


@lru_cache
def catalog_entry(name: str) -> dict | None:
    """Return the catalog's entry of a table, or None if it or one of its files is missing."""
    catalog = data_folder() / "catalog.json"
    if not catalog.is_file():
        return None
    sets = json.loads(catalog.read_text(encoding="utf-8"))["sets"]
    found = next((s for s in sets if s["name"] == name), None)
    complete = found is not None and all((data_folder() / f).is_file() for f in found["files"])
    return found if complete else None


@lru_cache(maxsize=1)
def real_table(name: str) -> Data:
    """Read a real table: numbers as float32, categories as pandas categories."""
    entry = catalog_entry(name)
    if entry is None:
        raise SystemExit(f"{name} is not in {data_folder()}")
    dtypes = dict.fromkeys(entry["categorical_columns"], "str")
    dtypes |= dict.fromkeys(entry["numeric_columns"], "float32")
    paths = [data_folder() / f for f in entry["files"]]
    options = {"dtype": dtypes | {"target": "str"}, "keep_default_na": False, "na_values": [""]}
    frame = pd.concat([pd.read_csv(path, **options) for path in paths], ignore_index=True)
    target = frame.pop("target")
    frame = frame.astype(dict.fromkeys(entry["categorical_columns"], "category"))
    return Data(frame, np.unique(target.to_numpy(str), return_inverse=True)[1].astype(np.int64))
