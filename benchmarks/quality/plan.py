"""The plan of a study: which tables, folds, budgets and learners, and the halves of the tables."""

import hashlib
import json
import os
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold
from tables import Data, catalog_entry, data_folder, real_table

from quality.bundled import BUNDLED

LEAST_ROWS = 100  # smaller tables are left out
HALVES = ("choose", "report")

# Tables with the same rows or the same generator belong to the same half.
SAME = {
    "australian": "credit_a",
    "bridges_v2": "bridges_v1",
    "cars": "auto_mpg",
    "diabetes_pima_na": "diabetes_pima",
    "digits": "optdigits",
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


def has_data() -> bool:
    """Return whether there is a data folder; an error if one was named that is not there."""
    catalog = data_folder() / "catalog.json"
    if not catalog.is_file() and "POLYTOMY_DATA" in os.environ:
        raise SystemExit(f"there is no {catalog}; give a folder of tables, or none")
    return catalog.is_file()


def classification_tables(half: str = "all", task: str = "all") -> list[str]:
    """Return the names of the tables of the data folder, or else of the bundled ones.

    Parameters
    ----------
    half : {"all", "choose", "report"}, default="all"
        The half of the tables.
    task : {"all", "binary", "multiclass"}, default="all"
        Only tables of two classes, or of more.

    Returns
    -------
    list of str
        Largest first.
    """
    found = [
        name
        for name, task_of_table in (folder_tables() if has_data() else bundled_tables())
        if half in ("all", half_of(name)) and task in ("all", task_of_table)
    ]
    if not found:
        raise SystemExit(f"no table is in the half {half!r} and of the task {task!r}")
    return found


def folder_tables() -> list[tuple[str, str]]:
    """Return name and task of the classification tables in the data folder, largest first."""
    catalog = data_folder() / "catalog.json"
    entries = json.loads(catalog.read_text(encoding="utf-8"))["sets"]
    found = [
        entry
        for entry in entries
        if entry["task"] in ("binary", "multiclass")
        and entry["rows"] >= LEAST_ROWS
        and catalog_entry(entry["name"]) is not None
    ]
    found.sort(key=lambda entry: (-entry["rows"], entry["name"]))
    return [(entry["name"], entry["task"]) for entry in found]


def bundled_tables() -> list[tuple[str, str]]:
    """Return name and task of the tables that come with scikit-learn and polytomy."""
    return [
        (name, "binary" if read().n_classes == 2 else "multiclass")
        for name, read in BUNDLED.items()
    ]


@dataclass(frozen=True)
class Plan:
    """The settings of a study; ``learners`` has names only."""

    tables: tuple[str, ...]
    learners: tuple[str, ...]
    budgets: tuple[int, ...] = (4, 8, 16, 32, 64)
    folds: int = 5
    repeats: int = 2
    max_rows: int = 5000
    first: int | None = None  # only so many of the folds; all if None

    def fits(self) -> Iterator[dict[str, Any]]:
        """Yield the key of every fit."""
        folds = range(self.folds)[: self.first]
        parts = (self.tables, range(self.repeats), folds, self.budgets, self.learners)
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
    """Return a table, or a random sample of its rows; classes are numbered anew."""
    data = real_table(name) if has_data() else BUNDLED[name]()
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
