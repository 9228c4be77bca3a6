"""Held-out log-likelihood of density trees, kernel densities and histograms.

Five folds on each table, columns of numbers with at least 20 distinct values: the mean log-density
of the held-out rows in nats, larger is better. All densities are per unit of the columns as they
are.

- tree: ``DensityTree()``, its number of boxes chosen by cross-validation within the training rows,
  and trees of at most 16 boxes.
- kernel: scikit-learn's ``KernelDensity`` with a Gaussian kernel on standardised columns, its
  bandwidth one of 20 chosen by five-fold cross-validation within the training rows.
- histogram: the product of one histogram for each column, as if columns were independent; for
  tables of two columns also a joint one. The number of bins, the same for all columns, is chosen in
  the same way. A row is added to the bins in all, and a row beyond the range counts as one in the
  nearest bin.
"""

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter

import numpy as np
import pandas as pd
from sklearn.datasets import load_diabetes, load_iris, load_wine
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.neighbors import KernelDensity
from tables import data_folder

from polytomy import DensityTree

DISTINCT = 20  # values of a column: the density of fewer depends on how narrow a method dares to be
FILES = {  # table: columns and rows that are used, None for all
    "banknote": (None, None),
    "glass": (None, None),
    "ecoli": (None, None),
    "auto_mpg_392": (None, None),
    "wdbc": ([0, 1, 4, 5, 6], None),
    "waveform_5000": ([3, 6, 10, 14, 17], 1000),
    "california_housing": (None, 1000),
}
PAIRS = {"california_housing": ([0, 1], 2000), "banknote": ([0, 1], None)}
Score = Callable[[np.ndarray, np.ndarray], np.ndarray]


def tables(folder: Path) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the tables by name: those of scikit-learn, and those of a folder if it exists."""
    yield "iris", load_iris().data
    yield "iris, petals", load_iris().data[:, 2:]
    yield "wine", load_wine().data
    yield "diabetes", np.delete(load_diabetes().data, 1, axis=1)  # without the sex
    for files, note in ((FILES, ""), (PAIRS, ", two columns")):
        for name, (columns, rows) in files.items():
            path = folder / f"{name}.csv.gz"
            if not path.exists():
                continue
            frame = pd.read_csv(path).select_dtypes("number").dropna()
            frame = frame if columns is None else frame.iloc[:, columns]
            frame = frame.loc[:, frame.nunique() >= DISTINCT]
            frame = frame if rows is None else frame.sample(rows, random_state=0)
            yield name + note, frame.to_numpy(dtype=np.float64)


def by_tree(max_leaves: int | str) -> Score:
    """Return the score of a density tree."""

    def score(train: np.ndarray, test: np.ndarray) -> np.ndarray:
        return DensityTree(max_leaves).fit(train).score_samples(test)

    return score


def by_kernel(train: np.ndarray, test: np.ndarray) -> np.ndarray:
    """Return the log-densities by a kernel density with the best bandwidth."""
    mean, scale = train.mean(axis=0), train.std(axis=0)
    scale[scale == 0] = 1.0
    grid = {"bandwidth": np.geomspace(0.05, 2, 20)}
    search = GridSearchCV(KernelDensity(), grid, cv=KFold(5, shuffle=True, random_state=0))
    model = search.fit((train - mean) / scale).best_estimator_
    return model.score_samples((test - mean) / scale) - np.log(scale).sum()


def by_histogram(joint: bool) -> Score:
    """Return the score of the histograms with the best number of bins."""

    def score(train: np.ndarray, test: np.ndarray) -> np.ndarray:
        def held_out(bins: int) -> float:
            folds = KFold(5, shuffle=True, random_state=0).split(train)
            return sum(float(binned(train[a], train[b], bins, joint).sum()) for a, b in folds)

        return binned(train, test, max((2, 3, 5, 8, 12, 20, 32, 50), key=held_out), joint)

    return score


def binned(train: np.ndarray, test: np.ndarray, bins: int, joint: bool) -> np.ndarray:
    """Return the log-densities by histograms with equal bins."""
    low, high = train.min(axis=0), train.max(axis=0)
    width = np.where(high > low, (high - low) / bins, 1.0)
    places = [np.clip(((x - low) / width).astype(np.int64), 0, bins - 1) for x in (train, test)]
    blocks = [places] if joint else [[p[:, [j]] for p in places] for j in range(train.shape[1])]
    total = np.full(len(test), -np.log(width).sum())
    for inside, outside in blocks:
        shape = (bins,) * inside.shape[1]
        counts = np.zeros(shape)
        np.add.at(counts, tuple(inside.T), 1)
        total += np.log((counts + 1 / counts.size) / (len(train) + 1))[tuple(outside.T)]
    return total


def main() -> None:
    """Print the table of scores."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=data_folder(), help="folder with tables")
    folder = parser.parse_args().data
    ways: dict[str, Score] = {
        "tree": by_tree("cv"),
        "16 boxes": by_tree(16),
        "kernel": by_kernel,
        "histogram": by_histogram(False),
        "joint": by_histogram(True),
    }
    print(f"| table | rows x columns | {' | '.join(ways)} | seconds: tree, kernel |")
    print("|---|---|" + "---:|" * (len(ways) + 1), flush=True)
    for name, X in tables(folder):
        scores: dict[str, list[float]] = {way: [] for way in ways}
        seconds = dict.fromkeys(ways, 0.0)
        for a, b in KFold(5, shuffle=True, random_state=1).split(X):
            for way, score in ways.items():
                if way == "joint" and X.shape[1] != 2:
                    continue
                start = perf_counter()
                scores[way].append(float(score(X[a], X[b]).mean()))
                seconds[way] += perf_counter() - start
        cells = [f"{np.mean(found):.2f}" if found else "" for found in scores.values()]
        size = f"{X.shape[0]:,} x {X.shape[1]}"
        times = f"{seconds['tree'] / 5:.2f}, {seconds['kernel'] / 5:.2f}"
        print(f"| {name} | {size} | {' | '.join(cells)} | {times} |", flush=True)


if __name__ == "__main__":
    main()
