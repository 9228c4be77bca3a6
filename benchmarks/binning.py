"""The best bins of columns: information value and time beside OptBinning, and the time of a table.

``python benchmarks/binning.py`` compares the two on columns of real tables, with at most 6 bins of
at least 5% of the rows and an event and another row in each:

- same cuts: both choose among the same 30 quantiles, so both should find the same value;
- raw: each with its own way to the candidate cuts, by default 20 for OptBinning (those of a tree)
  and up to 500 distinct values or 255 quantiles for polytomy.

Information values are computed here, from the thresholds of both. ``--table 100000 1000`` measures
``polytomy.binning`` on a random table of that size instead, and OptBinning on its first columns.
OptBinning is installed separately.
"""

import argparse
import warnings
from importlib.util import find_spec
from time import perf_counter

import numpy as np
from tables import Recipe, draw_numbers, has_real_table, real_table

import polytomy

COLUMNS = {
    "adult": ["age", "fnlwgt", "education_num", "hours_per_week"],
    "telco_churn": ["tenure", "MonthlyCharges"],
    "credit_g": ["duration", "credit_amount"],
    "diabetes_pima": ["plas", "pedi"],
}
TRENDS = {  # ours: theirs
    "ascending": "ascending",
    "descending": "descending",
    "auto": "auto_asc_desc",
    "peak": "peak",
    None: None,
}
MAX_BINS, MIN_SHARE, CUTS = 6, 0.05, 30
SOME = 10  # columns that OptBinning is measured on
Found = tuple[np.ndarray, float]


def information_value(bins: np.ndarray, y: np.ndarray) -> float:
    """Return the information value of bins, from its definition."""
    counts = np.zeros((bins.max() + 1, 2))
    np.add.at(counts, (bins, y), 1)
    shares = counts / counts.sum(axis=0)
    return float(((shares[:, 1] - shares[:, 0]) * np.log(shares[:, 1] / shares[:, 0])).sum())


def ours(x: np.ndarray, y: np.ndarray, trend: str | None) -> Found:
    """Return the bin of each row by polytomy, and the seconds."""
    start = perf_counter()
    model = polytomy.binning(
        x[:, None], y, MAX_BINS, monotonic=trend, min_bin_share=MIN_SHARE, smoothing=0
    )
    seconds = perf_counter() - start
    return model.transform(x[:, None], metric="bin")[:, 0], seconds


def theirs(x: np.ndarray, y: np.ndarray, trend: str | None, cuts: np.ndarray | None) -> Found:
    """Return the bin of each row by OptBinning, and the seconds."""
    from optbinning import OptimalBinning  # noqa: PLC0415  # only for the comparison

    given = {} if cuts is None else {"user_splits": cuts}
    start = perf_counter()
    model = OptimalBinning(
        max_n_bins=MAX_BINS, min_bin_size=MIN_SHARE, monotonic_trend=TRENDS[trend], **given
    ).fit(x, y)
    seconds = perf_counter() - start
    return np.digitize(x, model.splits), seconds


def compare() -> None:
    """Print the information values and times of both, for each column and trend."""
    print(
        "| column | trend | same cuts: OptBinning | polytomy | raw: OptBinning | polytomy | ",
        end="",
    )
    print("ms: OptBinning | polytomy |")
    print("|---|---|---:|---:|---:|---:|---:|---:|", flush=True)
    lines = []
    for table, names in COLUMNS.items():
        if not has_real_table(table):
            continue
        data = real_table(table)
        for name in names:
            whole = data.x[name].to_numpy(dtype=np.float64)
            x, y = whole[~np.isnan(whole)], data.y[~np.isnan(whole)]
            cuts = np.unique(np.quantile(x, np.linspace(0, 1, CUTS + 2)[1:-1]))
            cuts = cuts[cuts > x.min()]
            for trend in TRENDS:
                same = np.digitize(x, cuts).astype(np.float64)
                found = [
                    theirs(x, y, trend, cuts),
                    ours(same, y, trend),
                    theirs(x, y, trend, None),
                    ours(x, y, trend),
                ]
                values = [information_value(bins, y) for bins, _ in found]
                seconds = [found[2][1], found[3][1]]
                lines.append((*values, *seconds))
                cells = [f"{v:.4f}" for v in values] + [f"{1000 * s:.1f}" for s in seconds]
                print(f"| {table} {name} | {trend} | {' | '.join(cells)} |", flush=True)
    held = np.array(lines)
    same, raw = held[:, 1] - held[:, 0], held[:, 3] - held[:, 2]
    print(f"\nsame cuts: better in {(same > 1e-9).sum()} of {len(same)}, ", end="")
    print(f"worse in {(same < -1e-9).sum()}; at most {same.max():.4f} better")
    print(
        f"raw: better in {(raw > 1e-9).sum()} of {len(raw)}, worse in {(raw < -1e-9).sum()}; ",
        end="",
    )
    some = held[:, 2] > 1e-3
    print(f"median ratio {np.median(held[some, 3] / held[some, 2]):.3f}")
    print(f"median ratio of times {np.median(held[:, 4] / held[:, 5]):.0f}")


def measure(rows: int, columns: int, jobs: int) -> None:
    """Print the time for a random table."""
    data = draw_numbers(Recipe(rows, columns))
    polytomy.binning(data.x[:1000, :2], data.y[:1000])  # imports
    start = perf_counter()
    model = polytomy.binning(data.x, data.y, n_jobs=jobs)
    print(f"fit: {perf_counter() - start:.2f} s", flush=True)
    start = perf_counter()
    model.summary()
    print(f"summary: {perf_counter() - start:.2f} s")
    start = perf_counter()
    model.transform(data.x)
    print(f"transform: {perf_counter() - start:.2f} s", flush=True)
    if find_spec("optbinning") is None:
        return
    first = [data.x[:, j].astype(np.float64) for j in range(min(columns, SOME))]
    theirs(first[0][:1000], data.y[:1000], "auto", None)  # imports
    seconds = [theirs(x, data.y, "auto", None)[1] for x in first]
    print(f"OptBinning, a column: {np.mean(seconds):.2f} s")


def main() -> None:
    """Run the comparison, or measure a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--table", nargs=2, type=int, metavar=("ROWS", "COLUMNS"))
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.table:
        measure(*options.table, options.jobs)
    else:
        compare()


if __name__ == "__main__":
    main()
