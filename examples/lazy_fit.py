"""
Tables larger than memory
=========================

Fit a tree on files that are read in pieces.

Four Parquet files are written to a temporary folder: numbers, text, times and missing cells.
``polytomy.scan`` makes one table of them, and ``fit`` reads its columns one after the other. The
same rows are then read into memory with polars and fitted again: the two model files are equal,
byte for byte. So are those of a lazy frame of polars, a dataset of pyarrow and a query of DuckDB.

Run ``python lazy_fit.py``; it takes a few seconds.
"""

from glob import glob
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import polars as pl
from pyarrow import dataset

import polytomy
from polytomy import TreeClassifier

try:
    import duckdb
except ImportError:
    duckdb = None

ROWS, FILES, LEAVES, JOBS = 200_000, 4, 16, 2


def write_files(folder: Path) -> None:
    """Write orders of a shop, some of which are sent back."""
    for i in range(FILES):
        random = np.random.default_rng(i)
        n = ROWS // FILES
        price = random.lognormal(3.5, 0.8, n).astype(np.float32)
        size = random.choice(["S", "M", "L", "XL"], n)
        age = np.where(random.random(n) < 0.1, np.nan, random.integers(18, 80, n))
        times = np.datetime64("2026-01-01", "us") + random.integers(0, 365 * 86_400, n) * 10**6
        odds = 0.1 + 0.3 * (price > 60) + 0.2 * (size == "XL") - 0.1 * (age > 50)
        frame = pl.DataFrame(
            {
                "price": price,
                "size": size,
                "age": pl.Series(age).fill_nan(None).cast(pl.Int16),
                "time": times,
                "returned": random.random(n) < odds,
            }
        )
        frame.write_parquet(folder / f"orders-{i}.parquet", row_group_size=20_000)


def model_file(rows: Any, y: Any, folder: Path) -> bytes:
    """Return the model file of a tree that is fitted on rows."""
    path = folder / "model.json"
    TreeClassifier(LEAVES, n_jobs=JOBS).fit(rows, y).save(path)
    return path.read_bytes()


def main() -> None:
    """Fit the files in pieces and in memory, and compare the models."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        write_files(folder)
        pattern = f"{folder}/orders-*.parquet"

        rows = polytomy.scan(pattern, target="returned")
        print(f"{rows.n_rows:,} rows in {FILES} files, columns {', '.join(rows.names)}")
        tree = TreeClassifier(LEAVES, n_jobs=JOBS).fit(rows)
        print(tree.to_text(max_depth=1))
        print(f"accuracy {tree.score(rows):.3f}; verified: {polytomy.verify(tree, rows).ok}")

        frame = pl.read_parquet(pattern)
        expected = model_file(frame.drop("returned"), frame["returned"], folder)
        sources: dict[str, Any] = {
            "scan": rows,
            "scan, codes in a file": polytomy.scan(pattern, cache_dir=folder),
            "polars LazyFrame": pl.scan_parquet(pattern),
            "pyarrow Dataset": dataset.dataset(sorted(glob(pattern))),
        }
        if duckdb is not None:
            sources["DuckDB relation"] = duckdb.sql(f"select * from '{pattern}'")
        for label, source in sources.items():
            is_same = model_file(source, "returned", folder) == expected
            print(f"{label:<24}{'the same model file' if is_same else 'ANOTHER MODEL FILE'}")


if __name__ == "__main__":
    main()
