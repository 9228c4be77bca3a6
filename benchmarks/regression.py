"""Held-out error of regression trees of equal size, on real tables: ours and those of others.

The tables are those of the data folder with a numeric target, and others whose most predictable
numeric column serves as one. Errors are relative: the mean squared error over the variance of the
held-out rows, so that 1 is the error of the mean. Settings may be chosen on every other table.

    python benchmarks/regression.py [--half choose|report|all] [--leaves 8 16 32] [--folds 5]
        [--ours NAME:key=value,...]
"""

import argparse
import json
import sys
from ast import literal_eval
from functools import lru_cache
from itertools import product

import numpy as np
import pandas as pd
from contenders import version_of
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeRegressor
from tables import catalog_entry, data_folder

import polytomy

MAX_ROWS = 5000
# Tables of classes, with a numeric column that takes the place of the class.
OTHERS = [
    "adult",
    "balance_scale",
    "banknote",
    "breast_w",
    "covertype",
    "credit_g",
    "diabetes_pima",
    "ecoli",
    "glass",
    "heart_cleveland",
    "ionosphere",
    "letter",
    "optdigits",
    "telco_churn",
    "titanic",
    "waveform_5000",
    "wdbc",
    "wine",
    "wine_quality",
]


def frame_of(name: str) -> tuple[pd.DataFrame, dict]:
    """Read a table of the data folder."""
    entry = catalog_entry(name)
    if entry is None:
        raise SystemExit(f"{name} is not in {data_folder()}")
    kinds = dict.fromkeys(entry["categorical_columns"], "str")
    kinds |= dict.fromkeys(entry["numeric_columns"], "float64")
    options = {"dtype": kinds, "keep_default_na": False, "na_values": [""]}
    parts = [pd.read_csv(data_folder() / f, **options) for f in entry["files"]]
    frame = pd.concat(parts, ignore_index=True)
    for column in entry["categorical_columns"]:
        if column in frame and column != "target":
            frame[column] = frame[column].astype("category")
    return frame, entry


@lru_cache(maxsize=4)
def regression_table(name: str, max_rows: int = MAX_ROWS) -> tuple[pd.DataFrame, np.ndarray]:
    """Return the columns and the numeric target of a table, at most ``max_rows`` rows of it."""
    frame, entry = frame_of(name)
    target = "target"
    if entry["task"] != "regression":
        numeric = [c for c in entry["numeric_columns"] if frame[c].notna().all()]
        target = max(numeric, key=lambda c: (frame[c].nunique(), c))
        frame = frame.drop(columns="target")
    y = frame.pop(target).astype(float).to_numpy()
    keep = np.flatnonzero(np.isfinite(y))
    if len(keep) > max_rows:
        keep = np.sort(np.random.default_rng(0).choice(keep, max_rows, replace=False))
    return frame.iloc[keep].reset_index(drop=True), y[keep]


def names_of(half: str) -> list[str]:
    """Return the names of the tables: all, or every other one."""
    sets = json.loads((data_folder() / "catalog.json").read_text(encoding="utf-8"))["sets"]
    own = [s["name"] for s in sets if s["task"] == "regression"]
    names = sorted([n for n in own if not n.startswith("auto_mpg_")] + OTHERS)
    return names if half == "all" else names[0 if half == "choose" else 1 :: 2]


def one_hot_cart(leaves: int):
    """Return scikit-learn's tree with its usual preparation of categories and missing cells."""
    return one_hot(DecisionTreeRegressor(max_leaf_nodes=leaves, random_state=0))


def one_hot(regressor):
    """Return a regressor of scikit-learn with one-hot columns and missing cells filled."""
    is_number = lambda f: f.select_dtypes("number").columns  # noqa: E731
    is_category = lambda f: f.select_dtypes("category").columns  # noqa: E731
    prepare = make_column_transformer(
        (SimpleImputer(strategy="median", keep_empty_features=True), is_number),
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), is_category),
    )
    return make_pipeline(prepare, regressor)


def light_tree(leaves: int):
    """Return one round of LightGBM: a tree with the means of its leaves, and native categories."""
    import lightgbm  # noqa: PLC0415

    return lightgbm.LGBMRegressor(
        n_estimators=1,
        num_leaves=leaves,
        learning_rate=1.0,
        min_child_samples=5,
        min_data_per_group=5,
        n_jobs=1,
        verbose=-1,
    )


def questions_of(learner) -> float:
    """Return the mean number of questions asked of a training row; NaN if unknown."""
    if isinstance(learner, polytomy.TreeRegressor):
        return learner.n_questions_
    if not hasattr(learner, "steps"):
        return np.nan
    tree = learner[-1].tree_
    depth = np.zeros(tree.node_count)
    for v in range(tree.node_count):
        for c in (tree.children_left[v], tree.children_right[v]):
            if c >= 0:
                depth[c] = depth[v] + 1
    leaf = tree.children_left < 0
    return float(np.average(depth[leaf], weights=tree.n_node_samples[leaf]))


def coverage_of(learner, X, y) -> tuple[int, int]:
    """Return the leaves with 20 or more held-out rows, and those whose interval holds."""
    if not isinstance(learner, polytomy.TreeRegressor):
        return 0, 0
    leaf, means = learner.apply(X), learner._model.node_means
    judged = held = 0
    for v in np.unique(leaf):
        rows = y[leaf == v]
        if len(rows) < 20:
            continue
        judged += 1
        noise = 1.96 * rows.std(ddof=1) / np.sqrt(len(rows))
        low = means.expected[v] - np.hypot(means.expected[v] - means.low[v], noise)
        high = means.expected[v] + np.hypot(means.high[v] - means.expected[v], noise)
        held += low <= rows.mean() <= high
    return judged, held


def learners_of(own: list[str]) -> dict:
    """Return makers of learners, by name."""
    made = {
        "one-hot CART": one_hot_cart,
        "per-leaf": lambda s: polytomy.TreeRegressor(s, procedure="per-leaf", honest=False),
        "ours": polytomy.TreeRegressor,
    }
    if version_of("lightgbm") is not None:
        made["LightGBM"] = light_tree
    for text in own:
        name, _, rest = text.partition(":")
        options = {k: _value(v) for k, v in (part.split("=") for part in rest.split(",") if part)}
        made[name] = lambda s, o=options: polytomy.TreeRegressor(s, **o)
    return made


def _value(text: str):
    try:
        return literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def measured(name: str, learners: dict, leaves: list[int], folds: int) -> list[tuple]:
    """Return a row of figures for each fold, size and learner."""
    X, y = regression_table(name)
    rows = []
    parts = KFold(folds, shuffle=True, random_state=0).split(X)
    for fold, (inside, outside) in enumerate(parts):
        new, actual = X.iloc[outside], y[outside]
        for size, who in product(leaves, learners):
            learner = learners[who](size).fit(X.iloc[inside], y[inside])
            error = ((learner.predict(new) - actual) ** 2).mean() / actual.var()
            intervals = coverage_of(learner, new, actual)
            rows.append((name, fold, size, who, error, questions_of(learner), *intervals))
    print(f"{name}: {len(y)} rows, {X.shape[1]} columns", file=sys.stderr, flush=True)
    return rows


def summary(found: pd.DataFrame, size: int, who: str) -> str:
    """Return a line with the means of a learner, and its difference from CART."""
    part = found[found.leaves == size]
    error = part.groupby(["table", "learner"]).error.mean().unstack()
    off = error[who] - error["one-hot CART"]
    own = part[part.learner == who]
    asked = own.groupby("table").questions.mean().mean()
    held = f"{own.held.sum() / own.judged.sum():.3f}" if own.judged.sum() else ""
    better = f"{(off < 0).sum()} of {len(off)}"
    figures = f"{error[who].mean():>8.4f}{off.mean():>+10.4f}{better:>11}{asked:>10.2f}{held:>10}"
    return f"  {who:<16}{figures}"


def main() -> None:
    """Run the study and print a table of means and paired differences."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=("choose", "report", "all"), default="all")
    parser.add_argument("--leaves", type=int, nargs="+", default=[8, 16, 32])
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--ours", nargs="*", default=[])
    parser.add_argument("--tables", action="store_true", help="print every table, too")
    options = parser.parse_args()
    learners, names = learners_of(options.ours), names_of(options.half)
    rows = [r for n in names for r in measured(n, learners, options.leaves, options.folds)]
    columns = ["table", "fold", "leaves", "learner", "error", "questions", "judged", "held"]
    found = pd.DataFrame(rows, columns=columns)
    if options.tables:
        means = found.groupby(["table", "leaves", "learner"]).error.mean()
        print(means.unstack(["leaves", "learner"]).round(3).to_string())
    for size in options.leaves:
        print(f"\n{size} leaves, {len(names)} tables")
        print(f"  {'':<16}   error   to CART     better questions intervals")
        for who in learners:
            print(summary(found, size, who))


if __name__ == "__main__":
    main()
