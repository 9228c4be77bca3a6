"""The results of the study by table, as docs/evidence/results.csv keeps them, and their tables."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from quality.learners import BASELINE, ENSEMBLE_BASELINE, ENSEMBLES
from quality.learners.ensembles import DEFAULTS
from quality.ranks import average_ranks, critical_difference, friedman
from quality.summary import SHOWN, compare, complete_rows, row, table_means, time_ratios

SIZE = 16  # leaves of the trees that tables and figures compare
SINGLE = {  # learner -> its name on the pages; a few configurations of each library
    "fast": "polytomy, default",
    "balanced": 'polytomy, `effort="balanced"`',
    "thorough": 'polytomy, `effort="thorough"`',
    "one-hot CART": "scikit-learn CART, one-hot",
    "pruned CART": "scikit-learn CART, cost-complexity",
    "rpart": "rpart (R)",
    "YDF CART": "YDF CART",
    "LightGBM shares": "LightGBM, one round",
    "C5.0": "C5.0",
    "LicketySPLIT": "LicketySPLIT",
    "STreeD": "STreeD, 2 s",
    "ConTree": "ConTree, 2 s",
}
OURS = ("fast", "balanced", "thorough")
PEERS = tuple(name for name in SINGLE if name not in OURS)
MANY = {
    "forest": "polytomy forest",
    "boosted": "polytomy boosted stumps",
    "boosted trees": "polytomy boosted trees",
    "AdaBoost": "polytomy AdaBoost",
    "RandomForest": "scikit-learn RandomForest",
    "HistGradientBoosting": "scikit-learn HistGradientBoosting",
    "LightGBM GBDT": "LightGBM",
    "XGBoost": "XGBoost",
    "YDF GBT": "YDF gradient boosted trees",
    "YDF forest": "YDF random forest",
}
OUR_MANY = ("forest", "boosted", "boosted trees", "AdaBoost")
LARGER = {name: label for name, label in MANY.items() if name != "boosted"}  # than stumps
ONE_TREE, ONE_TREE_LEAVES = "balanced", 32  # the single tree that stands beside the ensembles
COLUMNS = ["table", "rows", "classes", "learner", "budget", *SHOWN, "judged", "fits"]
ORDER, ASCENDING = ["rows", "table", "budget"], [False, True, True]
OWN_FOLDS = ["coverage", "width", "seconds", "judged"]  # measures of a learner's own folds
DIGITS = 7
NO_BREAK = "\N{NO-BREAK SPACE}"  # in cells that should stay on one line
SIZE_NAMES = ["up to 9", "10 to 29", "30 to 99", "100 or more"]  # training rows of judged leaves


# ---- collecting --------------------------------------------------------------------------------


def collect(fits: pd.DataFrame) -> pd.DataFrame:
    """Return the results of every learner by table and budget, from a line per fit.

    A learner that finished fewer folds than its baseline is compared with it on the folds of both:
    its result is that of the baseline on all folds plus the mean difference. Coverage, width and
    times are those of its own folds.
    """
    is_ensemble = fits["learner"].isin(ENSEMBLES)
    one_tree = fits[(fits["learner"] == ONE_TREE) & (fits["budget"] == ONE_TREE_LEAVES)]
    one_tree = one_tree.assign(budget=DEFAULTS)  # beside the ensembles, on their folds
    many = pd.concat([fits[is_ensemble], one_tree])
    parts = [by_table(fits[~is_ensemble], BASELINE), by_table(many, ENSEMBLE_BASELINE)]
    return pd.concat(parts).sort_values(ORDER, ascending=ASCENDING)[COLUMNS].reset_index(drop=True)


def update(known: pd.DataFrame, fits: pd.DataFrame) -> pd.DataFrame:
    """Return collected results, with those of single trees that were measured on more folds.

    The baseline is among the fits. Learners that are not keep their difference to it, as if they
    had been collected with these folds. Times keep their ratio to that of the baseline.
    """
    if BASELINE not in set(fits["learner"]):
        raise SystemExit(f"the fits lack {BASELINE!r}, which the others are compared with")
    fits = fits[~fits["learner"].isin(ENSEMBLES)]
    key = ["table", "budget", "learner"]
    new, old = by_table(fits, BASELINE).set_index(key), known.set_index(key)
    usual_new, usual_old = (m.xs(BASELINE, level="learner") for m in (new, old))
    scale = usual_old["seconds"] / usual_new["seconds"]
    new["seconds"] *= scale.reindex(new.index.droplevel("learner")).to_numpy()
    is_single = (~known["learner"].isin(ENSEMBLES) & (known["budget"] != DEFAULTS)).to_numpy()
    measures = [name for name in SHOWN if name not in OWN_FOLDS]
    change = (usual_new - usual_old)[measures].reindex(old.index[is_single].droplevel("learner"))
    old.loc[is_single, measures] += change.fillna(0.0).to_numpy()
    made = pd.concat([new, old[~old.index.isin(new.index)]])[old.columns]
    order = old.index.append(new.index[~new.index.isin(old.index)])  # new learners come last
    made = made.loc[order].round(DIGITS).reset_index()
    return made.sort_values(ORDER, ascending=ASCENDING, kind="stable")[COLUMNS]


def by_table(fits: pd.DataFrame, baseline: str) -> pd.DataFrame:
    """Return the adjusted results by table, budget and learner."""
    usual = table_means(fits[fits["learner"] == baseline]).droplevel("learner")
    found = []
    for name in fits["learner"].unique():
        shared = complete_rows(fits, list({name, baseline}))
        means = table_means(shared)
        mine = means.xs(name, level="learner")
        value = usual + (mine - means.xs(baseline, level="learner"))
        value[OWN_FOLDS] = mine[OWN_FOLDS]
        counted = shared[shared["learner"] == name].groupby(["budget", "table"]).size()
        found.append(value.loc[mine.index].assign(learner=name, fits=counted))
    facts = fits.groupby("table")[["rows", "classes"]].first()
    return pd.concat(found).reset_index().join(facts, on="table").round(DIGITS)


def read(path: Path) -> pd.DataFrame:
    """Return collected results, indexed as the means of the summary are."""
    return pd.read_csv(path).set_index(["budget", "learner", "table"]).sort_index()


def errors_of(
    means: pd.DataFrame, budget: int, learners: Sequence[str], measure: str = "error"
) -> pd.DataFrame:
    """Return a measure by table (rows, largest first) and learner (columns)."""
    wide = means.loc[budget][measure].unstack("learner")
    wide = wide[[name for name in learners if name in wide]]
    sizes = means.loc[budget].groupby("table")["rows"].first()
    return wide.loc[sizes.sort_values(ascending=False, kind="stable").index]


# ---- tables ------------------------------------------------------------------------------------


def main_table(
    means: pd.DataFrame,
    budget: int,
    names: dict[str, str],
    baseline: str,
    left_out: Sequence[str] = (),
) -> list[str]:
    """Return the Markdown table of the measures of learners at one size, without some of them."""
    ranks = average_ranks(errors_of(means, budget, names))
    ratios = time_ratios(means.loc[[budget]], baseline)
    lines = []
    for name, label in names.items():
        value = means.loc[(budget, name)].mean(numeric_only=True)
        found = next(compare(means.loc[[budget]], name, baseline, "error").itertuples())
        ratio = ratios[(budget, name)]
        cells = {
            "error, %": f"{100 * value['error']:.1f}",
            "difference": f"{100 * found.difference:+z.1f} ± {100 * found.se:.1f}",
            "wins": f"{found.wins}-{found.losses}",
            "rank": f"{ranks[name]:.1f}",
            "log loss": f"{value['log_loss']:.3f}",
            "AUC": f"{value['auc']:.3f}",
            "leaves": f"{value['leaves']:,.{0 if value['leaves'] >= 100 else 1}f}",
            "questions": f"{value['questions']:.2f}",
            "time": f"{ratio:.0f}" if ratio >= 100 else f"{ratio:.2g}",
        }
        if name == baseline:
            cells |= {"difference": "", "wins": ""}
        cells = {head: cell for head, cell in cells.items() if head not in left_out}
        if not lines:
            lines += [row("", list(cells)), row("---", ["---:"] * len(cells))]
        values = [cell.replace(" ", NO_BREAK) for cell in cells.values()]
        lines.append(row(f"**{label}**" if "polytomy" in label else label, values))
    return lines


def rank_table(means: pd.DataFrame, budgets: Sequence[int], names: dict[str, str]) -> list[str]:
    """Return the average ranks of the error by size, with the tests, as a Markdown table."""
    heads = ["defaults" if budget == DEFAULTS else f"{budget} leaves" for budget in budgets]
    lines = [row("", heads), row("---", ["---:"] * len(heads))]
    ranks, tests, limits = {}, [], []
    for budget in budgets:
        errors = errors_of(means, budget, names)
        ranks[budget] = average_ranks(errors)
        p = friedman(ranks[budget], len(errors)).p
        tests.append(f"{p:.1g}" if p >= 1e-4 else "< 0.0001")
        limits.append(f"{critical_difference(errors.shape[1], len(errors)):.1f}")
    for name, label in names.items():
        known = [ranks[budget].get(name) for budget in budgets]
        lines.append(row(label, ["" if rank is None else f"{rank:.1f}" for rank in known]))
    lines.append(row("*p of Friedman's test*", tests))
    lines.append(row("*critical difference, 5 %*", limits))
    return lines


def pair_table(
    means: pd.DataFrame, budget: int, names: dict[str, str], ours: Sequence[str]
) -> list[str]:
    """Return wins, ties and losses of our learners against each other one, as a Markdown table."""
    lines = [row("", [names[name] for name in ours]), row("---", ["---:"] * len(ours))]
    for other, label in names.items():
        if other in ours:
            continue
        cells = []
        for name in ours:
            found = next(compare(means.loc[[budget]], name, other, "error").itertuples())
            p = f"p = {found.p:.2g}" if found.p >= 0.001 else "p < 0.001"
            cells.append(f"{found.wins}-{found.ties}-{found.losses}, {p.replace(' ', NO_BREAK)}")
        lines.append(row(label, cells))
    return lines


def error_table(means: pd.DataFrame, budget: int, names: dict[str, str]) -> list[str]:
    """Return the error in percent of each learner on each table; the best of a table is bold."""
    errors = (100 * errors_of(means, budget, names)).round(1)
    facts = means.loc[budget].groupby("table")[["rows", "classes"]].first()
    heads = ["rows", "classes", *names.values()]
    lines = [row("", heads), row("---", ["---:"] * len(heads))]
    for table, values in errors.iterrows():
        best = values.min()
        cells = [f"**{v:.1f}**" if v == best else f"{v:.1f}" for v in values]
        sizes = [f"{facts.loc[table, 'rows']:,}", f"{facts.loc[table, 'classes']}"]
        lines.append(row(str(table), [*sizes, *cells]))
    return lines


def interval_table(leaves: pd.DataFrame) -> list[str]:
    """Return the judged leaves of ``benchmarks/intervals.py`` as a Markdown table."""
    shown = {
        ("fast", "stated"): "**polytomy, default: stated**",
        ("fast", "training"): "the same leaves, Wilson's interval of the training rows",
        ("balanced", "stated"): '**polytomy, `effort="balanced"`: stated**',
        ("balanced", "training"): "the same leaves, Wilson's interval",
        (BASELINE, "training"): "scikit-learn CART, one-hot, Wilson's interval",
    }
    lines = [row("training rows in the leaf", SIZE_NAMES), row("---", ["---:"] * len(SIZE_NAMES))]
    for key, label in shown.items():
        part = leaves.loc[key].loc[SIZE_NAMES]
        cells = [
            f"{100 * p.holds:.0f} % ({100 * p.claimed:.0f} / {100 * p.actual:.0f})"
            for p in part.itertuples()
        ]
        lines.append(row(label, cells))
    return lines
