"""The plan of a study: which tables, folds, budgets and learners, and the halves of the tables."""

import hashlib
import json
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold
from tables import Data, catalog_entry, data_folder, real_table

LEAST_ROWS = 100  # smaller tables are left out
HALVES = ("choose", "report")

# Tables with the same rows or the same generator belong to the same half.
SAME = {
    "australian": "credit_a",
    "bridges_v2": "bridges_v1",
    "diabetes_pima_na": "diabetes_pima",
    "dna": "splice",
    "monks_2": "monks_1",
    "monks_3": "monks_1",
    "titanic_2201": "titanic",
}
# This byte of the hash gives both halves about as many tables, large ones and ones of several
# classes. It was chosen by these counts alone.
BYTE = 23


def half_of(table: str) -> str:
    """Return the half of a table, ``"choose"`` or ``"report"``, from a hash of its name."""
    digest = hashlib.sha256(SAME.get(table, table).encode()).digest()
    return HALVES[digest[BYTE] % 2]


def classification_tables(half: str = "all", task: str = "all") -> list[str]:
    """Return the names of the tables in the data folder, largest first.

    Parameters
    ----------
    half : {"all", "choose", "report"}, default="all"
        The half of the tables.
    task : {"all", "binary", "multiclass"}, default="all"
        Only tables of two classes, or of more.
    """
    catalog = data_folder() / "catalog.json"
    if not catalog.is_file():
        raise SystemExit(f"there is no {catalog}; set POLYTOMY_DATA to a folder of tables")
    entries = json.loads(catalog.read_text(encoding="utf-8"))["sets"]
    found = [
        entry
        for entry in entries
        if entry["task"] in ("binary", "multiclass")
        and entry["rows"] >= LEAST_ROWS
        and half in ("all", half_of(entry["name"]))
        and task in ("all", entry["task"])
        and catalog_entry(entry["name"]) is not None
    ]
    return [e["name"] for e in sorted(found, key=lambda e: (-e["rows"], e["name"]))]


@dataclass(frozen=True)
class Plan:
    """The settings of a study; ``learners`` has names only."""

    tables: tuple[str, ...]
    learners: tuple[str, ...]
    budgets: tuple[int, ...] = (4, 8, 16, 32, 64)
    folds: int = 5
    repeats: int = 2
    max_rows: int = 5000

    def fits(self) -> Iterator[dict[str, Any]]:
        """Yield the key of every fit."""
        parts = (self.tables, range(self.repeats), range(self.folds), self.budgets, self.learners)
        for table, repeat, fold, budget, learner in product(*parts):
            yield {
                "table": table,
                "max_rows": self.max_rows,
                "folds": self.folds,
                "repeat": repeat,
                "fold": fold,
                "budget": budget,
                "learner": learner,
            }


KEY = ("table", "max_rows", "folds", "repeat", "fold", "budget", "learner")


@lru_cache(maxsize=1)
def sampled_table(name: str, max_rows: int) -> Data:
    """Return a real table, or a random sample of its rows; classes are numbered anew."""
    data = real_table(name)
    x, y = data.x, data.y
    if len(y) > max_rows:
        rows = np.sort(np.random.default_rng(0).permutation(len(y))[:max_rows])
        x, y = x.iloc[rows].reset_index(drop=True), y[rows]
    return Data(x, np.unique(y, return_inverse=True)[1])


def split(data: Data, folds: int, repeat: int, fold: int) -> tuple[Data, Data]:
    """Return the training and the held-out rows of one fold."""
    splitter = StratifiedKFold(folds, shuffle=True, random_state=repeat)
    with warnings.catch_warnings():  # some classes have fewer rows than there are folds
        warnings.simplefilter("ignore", UserWarning)
        train, test = list(splitter.split(np.zeros(len(data.y)), data.y))[fold]
    return Data(data.x.iloc[train], data.y[train]), Data(data.x.iloc[test], data.y[test])
