"""Tables larger than memory: a tree of 64 leaves on Parquet files, beside XGBoost and LightGBM.

The files have ten columns of float32 and a target of two classes, five million rows each. Every
contender reads them in pieces, in a process of its own, and its time includes the reading:

- ``polytomy``: ``polytomy.scan`` and ``TreeClassifier(64)``; with ``cache``, codes are in a file;
- ``xgboost``: ``ExtMemQuantileDMatrix`` with an iterator over the files, one tree of 64 leaves;
- ``lightgbm``: a ``Dataset`` of one ``Sequence`` for each file, one tree of 64 leaves;
- ``lightgbm two-round``: its loading in two rounds, which reads text only: the rows are written to
  one CSV file first, which is not counted.

Runs alternate, and the smallest figure of each counts. The time of all processors is less
sensitive to what else the machine does than the time that passes. The peak is the largest resident
set of the process; it includes the libraries, and the pages of mapped files that the system may
drop. ``--rows 1e8`` runs ours alone, as does any number of rows above 20 million.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

import numpy as np
import pyarrow as pa
from memory import high_water
from pyarrow import csv, parquet

LEAVES, COLUMNS, MAX_BINS = 64, 10, 255
PER_FILE, PER_GROUP = 5_000_000, 1_000_000
MAX_PEER_ROWS = 20_000_000
OURS = "polytomy"
TARGET = 1 / 2  # of the shorter time of the others


def options() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=float, default=1e6, help="number of rows (1e6)")
    parser.add_argument("--folder", type=Path, help="folder of the files (a temporary one)")
    parser.add_argument("--threads", type=int, default=2, help="threads of all libraries (2)")
    parser.add_argument("--repeats", type=int, default=1, help="runs of each contender (1)")
    parser.add_argument("--only", action="append", choices=tuple(CONTENDERS), help="one contender")
    parser.add_argument("--child", choices=tuple(CONTENDERS), help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> int:
    """Generate the files, run all contenders and print a table; return 1 if ours is too slow."""
    given = options()
    if given.child is not None:
        print(json.dumps(measure(given.child, given.folder, given.threads)))
        return 0
    rows = int(given.rows)
    with TemporaryDirectory(prefix="polytomy-scale-") as temporary:
        folder = Path(temporary) if given.folder is None else given.folder
        generate(folder, rows)
        names = given.only or [n for n in CONTENDERS if rows <= MAX_PEER_ROWS or is_ours(n)]
        found: dict[str, list[dict[str, Any]]] = {name: [] for name in names}
        for _ in range(given.repeats):
            for name in names:
                found[name].append(elsewhere(name, folder, given.threads))
    return print_table(found, rows, given.threads)


def files_of(folder: Path) -> list[str]:
    """Return the files of a folder in order."""
    return sorted(str(path) for path in folder.glob("p*.parquet"))


def generate(folder: Path, rows: int) -> None:
    """Write the files, unless they exist."""
    folder.mkdir(parents=True, exist_ok=True)
    existing = files_of(folder)
    held = sum(parquet.ParquetFile(path).metadata.num_rows for path in existing)
    if existing and held != rows:
        raise SystemExit(f"{folder} has files with {held:,} rows, not {rows:,}")
    for start in range(0, 0 if existing else rows, PER_FILE):
        n = min(PER_FILE, rows - start)
        random = np.random.default_rng(start)
        X = random.standard_normal((COLUMNS, n), dtype=np.float32)
        z = X[0] + np.where(X[1] > 0.3, X[2], -X[3]) + np.sin(3 * X[4])
        y = (z + random.standard_normal(n, dtype=np.float32) > 0).astype(np.int8)
        table = pa.table({f"x{j}": X[j] for j in range(COLUMNS)} | {"y": y})
        parquet.write_table(
            table,
            folder / f"p{start // PER_FILE:03d}.parquet",
            row_group_size=PER_GROUP,
            compression="snappy",
            use_dictionary=False,
        )


def elsewhere(name: str, folder: Path, threads: int) -> dict[str, Any]:
    """Return the figures of one contender, measured in a fresh process."""
    command = [sys.executable, __file__, "--child", name, "--folder", str(folder)]
    command += ["--threads", str(threads)]
    environment = os.environ | {"OMP_NUM_THREADS": str(threads)}
    done = subprocess.run(command, check=True, capture_output=True, env=environment)
    return json.loads(done.stdout.splitlines()[-1])


def measure(name: str, folder: Path, threads: int) -> dict[str, Any]:
    """Return the time, the peak memory and the number of leaves of one contender."""
    with TemporaryDirectory(prefix="polytomy-scale-") as cache:
        run = CONTENDERS[name](folder, threads, cache)  # imports the library
        start, cpu_start = perf_counter(), process_time()
        leaves = run()
        seconds, cpu = perf_counter() - start, process_time() - cpu_start
    return {"seconds": seconds, "cpu": cpu, "peak": high_water(), "leaves": leaves}


def print_table(found: dict[str, list[dict[str, Any]]], rows: int, threads: int) -> int:
    """Print the figures; return 1 if ours takes more than half of the time of the best other."""
    best = {
        name: {key: min(run[key] for run in runs) for key in runs[0]}
        for name, runs in found.items()
    }
    ours = best[OURS]["seconds"] if OURS in best else None
    print(f"{rows:,} rows, {COLUMNS} columns, {LEAVES} leaves, {threads} threads")
    print(
        f"{'contender':<19}{'seconds':>9}{'rows/s':>12}{'CPU s':>8}{'peak GB':>9}{'leaves':>8}"
        f"{'ratio':>8}"
    )
    for name, run in best.items():
        seconds = run["seconds"]
        ratio = "" if ours is None else f"{seconds / ours:.2f}"
        print(
            f"{name:<19}{seconds:>9.2f}{rows / seconds:>12,.0f}{run['cpu']:>8.2f}"
            f"{run['peak'] / 1e9:>9.2f}{run['leaves']:>8}{ratio:>8}"
        )
    others = [r["seconds"] for name, r in best.items() if not is_ours(name)]
    if ours is None or not others:
        return 0
    share = ours / min(others)
    cpu = best[OURS]["cpu"] / min(r["cpu"] for name, r in best.items() if not is_ours(name))
    print(
        f"polytomy takes {share:.2f} of the time of the faster of the others, {cpu:.2f} of the "
        f"processors' time; target {TARGET}"
    )
    return int(share > TARGET)


def is_ours(name: str) -> bool:
    """Return whether a contender is polytomy."""
    return name.startswith(OURS)


# ---- the contenders ----------------------------------------------------------------------------


def polytomy_in(place: str) -> Callable[[Path, int, str], Callable[[], int]]:
    """Return a contender that keeps codes in memory or in a file."""

    def prepare(folder: Path, threads: int, cache: str) -> Callable[[], int]:
        from polytomy import TreeClassifier, scan  # noqa: PLC0415

        def run() -> int:
            cache_dir = cache if place == "cache" else None
            rows = scan(f"{folder}/p*.parquet", target="y", cache_dir=cache_dir)
            return TreeClassifier(LEAVES, n_jobs=threads).fit(rows).n_leaves_

        return run

    return prepare


def xgboost(folder: Path, threads: int, cache: str) -> Callable[[], int]:
    """One tree on the external memory of XGBoost; a batch is a file."""
    import xgboost as xgb  # noqa: PLC0415

    class Files(xgb.DataIter):
        def __init__(self) -> None:
            self.paths = files_of(folder)
            self.at = 0
            super().__init__(cache_prefix=f"{cache}/xgboost")

        def next(self, input_data: Any) -> bool:
            if self.at == len(self.paths):
                return False
            X, y = arrays(parquet.read_table(self.paths[self.at]))
            input_data(data=X, label=y)
            self.at += 1
            return True

        def reset(self) -> None:
            self.at = 0

    def run() -> int:
        rows = xgb.ExtMemQuantileDMatrix(Files(), max_bin=MAX_BINS, nthread=threads)
        parameters = {
            "tree_method": "hist",
            "objective": "binary:logistic",
            "grow_policy": "lossguide",
            "max_leaves": LEAVES,
            "max_depth": 0,
            "max_bin": MAX_BINS,
            "nthread": threads,
        }
        model = xgb.train(parameters, rows, 1)
        return int((model.trees_to_dataframe()["Feature"] == "Leaf").sum())

    return run


def lightgbm(folder: Path, threads: int, cache: str) -> Callable[[], int]:  # noqa: ARG001
    """One tree on sequences of LightGBM; a sequence is a file, read by groups of rows."""
    import lightgbm as lgb  # noqa: PLC0415

    class Rows(lgb.Sequence):
        batch_size = 100_000

        def __init__(self, path: str) -> None:
            self.file = parquet.ParquetFile(path, memory_map=True)
            self.names = [f"x{j}" for j in range(COLUMNS)]
            self.number, self.group = -1, np.empty((0, COLUMNS))

        def __len__(self) -> int:
            return self.file.metadata.num_rows

        def __getitem__(self, index: Any) -> Any:
            if isinstance(index, slice):
                start, end, _ = index.indices(len(self))
                pieces = [
                    self.read(g)[max(start - g * PER_GROUP, 0) : end - g * PER_GROUP]
                    for g in range(start // PER_GROUP, -(-end // PER_GROUP))
                ]
                return pieces[0] if len(pieces) == 1 else np.concatenate(pieces)
            return self.read(index // PER_GROUP)[index % PER_GROUP]

        def read(self, number: int) -> Any:
            if number != self.number:
                table = self.file.read_row_group(number, columns=self.names)
                self.number, self.group = number, arrays(table, np.float64)[0]
            return self.group

    def run() -> int:
        paths = files_of(folder)
        labels = [parquet.read_table(p, columns=["y"])["y"].to_numpy() for p in paths]
        parameters = lightgbm_parameters(threads)
        data = lgb.Dataset([Rows(p) for p in paths], np.concatenate(labels), params=parameters)
        model = lgb.train(parameters, data, 1)
        return int(model.dump_model()["tree_info"][0]["num_leaves"])

    return run


def lightgbm_two_round(folder: Path, threads: int, cache: str) -> Callable[[], int]:
    """One tree of LightGBM on a CSV file that is read twice instead of held in memory."""
    import lightgbm as lgb  # noqa: PLC0415

    path = Path(cache) / "rows.csv"
    with path.open("wb") as file:
        for source in files_of(folder):
            for batch in parquet.ParquetFile(source).iter_batches(100_000):
                csv.write_csv(batch, file, csv.WriteOptions(include_header=False))

    def run() -> int:
        parameters = lightgbm_parameters(threads) | {"two_round": True, "label_column": COLUMNS}
        model = lgb.train(parameters, lgb.Dataset(str(path), params=parameters), 1)
        return int(model.dump_model()["tree_info"][0]["num_leaves"])

    return run


def lightgbm_parameters(threads: int) -> dict[str, Any]:
    """Return the parameters of one tree of LightGBM."""
    return {
        "objective": "binary",
        "num_leaves": LEAVES,
        "max_bin": MAX_BINS,
        "num_threads": threads,
        "verbosity": -1,
    }


def arrays(table: Any, dtype: Any = np.float32) -> tuple[Any, Any]:
    """Return the columns as a matrix, and the target if the table has it.

    XGBoost takes floats of 32 bits; LightGBM insists on 64.
    """
    names = [name for name in table.column_names if name != "y"]
    X = np.empty((len(table), len(names)), dtype=dtype)
    for j, name in enumerate(names):
        X[:, j] = table[name].to_numpy()
    return X, table["y"].to_numpy() if "y" in table.column_names else None


CONTENDERS: dict[str, Callable[[Path, int, str], Callable[[], int]]] = {
    OURS: polytomy_in("memory"),
    f"{OURS} cache": polytomy_in("cache"),
    "xgboost": xgboost,
    "lightgbm": lightgbm,
    "lightgbm two-round": lightgbm_two_round,
}

if __name__ == "__main__":
    sys.exit(main())
