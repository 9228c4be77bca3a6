"""Real tables, from a data folder: $POLYTOMY_DATA, or shared/data beside the project."""

import json
import os
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd
from tables import Given

PROJECT = Path(__file__).resolve().parent.parent


def folder() -> Path:
    """Return where the data would be."""
    return Path(os.environ.get("POLYTOMY_DATA", PROJECT.parent / "shared" / "data"))


def is_there(name: str) -> bool:
    """Say whether the folder has a set of this name."""
    return entry(name) is not None


@lru_cache
def entry(name: str) -> dict | None:
    """Return what the catalog says of a set, if it and its files are there."""
    catalog = folder() / "catalog.json"
    if not catalog.is_file():
        return None
    sets = json.loads(catalog.read_text(encoding="utf-8"))["sets"]
    known = next((s for s in sets if s["name"] == name), None)
    there = known is not None and all((folder() / f).is_file() for f in known["files"])
    return known if there else None


@lru_cache(maxsize=1)
def table_of(name: str) -> Given:
    """Read a set: numbers as float32, categories as pandas categories."""
    known = entry(name)
    if known is None:
        raise SystemExit(f"{name} is not in {folder()}")
    kinds = dict.fromkeys(known["categorical_columns"], "str")
    kinds |= dict.fromkeys(known["numeric_columns"], "float32")
    paths = [folder() / f for f in known["files"]]
    options = {"dtype": kinds | {"target": "str"}, "keep_default_na": False, "na_values": [""]}
    frame = pd.concat([pd.read_csv(path, **options) for path in paths], ignore_index=True)
    target = frame.pop("target")
    frame = frame.astype(dict.fromkeys(known["categorical_columns"], "category"))
    return Given(frame, np.unique(target.to_numpy(str), return_inverse=True)[1].astype(np.int64))
