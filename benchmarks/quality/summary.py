"""The summary of a study: means, wins and losses, and a paired test over tables."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.stats import wilcoxon

SHOWN = ["error", "log_loss", "auc", "leaves", "questions", "depth", "coverage", "width", "seconds"]
TESTED = ["error", "log_loss", "auc", "questions"]
DIGITS = {"leaves": 1, "questions": 2, "depth": 1, "width": 2, "coverage": 3, "ratio": 1}
TIE = 1e-9
CELL = 35  # width of a comparison
DETAILS = 16  # leaves of the trees whose further measures the document lists
DOCUMENTED = {"error": 0, "leaves": 1, "questions": 2, "log_loss": 3}  # with digits


def table_means(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the mean over the folds, for each budget, learner and table.

    Coverage and width are means over the judged leaves of all folds.
    """
    keys = ["budget", "learner", "table"]
    plain = [name for name in SHOWN if name not in ("coverage", "width")]
    grouped = rows.groupby(keys)
    means = grouped[plain].mean()
    means["judged"] = grouped["judged"].sum()
    for name in ("coverage", "width"):
        total = (rows[name].fillna(0) * rows["judged"]).groupby([rows[k] for k in keys]).sum()
        means[name] = total / means["judged"].where(means["judged"] > 0)
    return means


def learner_means(means: pd.DataFrame) -> pd.DataFrame:
    """Return the mean over the tables, for each budget and learner.

    Coverage and width are means over the judged leaves of all tables.
    """
    grouped = means.groupby(level=["budget", "learner"])
    result = grouped[[name for name in SHOWN if name not in ("coverage", "width")]].mean()
    result["tables"] = grouped.size()
    judged = grouped["judged"].sum()
    for name in ("coverage", "width"):
        total = (means[name] * means["judged"]).groupby(level=["budget", "learner"]).sum()
        result[name] = total / judged.where(judged > 0)
    return result


def compare(means: pd.DataFrame, learner: str, baseline: str, measure: str) -> pd.DataFrame:
    """Compare a learner with a baseline, by budget, over the tables that both have.

    Returns
    -------
    DataFrame
        Indexed by budget: ``tables``; ``difference``, the mean of learner minus baseline, and its
        standard error ``se`` over the tables; ``wins``, ``ties`` and ``losses``, where a win is a
        smaller value, or a larger one of ``auc``; ``p`` of the two-sided Wilcoxon signed-rank test,
        without the ties.
    """
    found = {}
    for budget in means.index.unique("budget"):
        pair = [means.loc[(budget, name)][measure] for name in (learner, baseline)]
        difference = (pair[0] - pair[1]).dropna().to_numpy()
        difference = np.where(np.abs(difference) < TIE, 0.0, difference)
        better = difference > 0 if measure == "auc" else difference < 0
        found[budget] = {
            "tables": len(difference),
            "difference": difference.mean() if len(difference) else np.nan,
            "se": difference.std(ddof=1) / len(difference) ** 0.5
            if len(difference) > 1
            else np.nan,
            "wins": int(better.sum()),
            "ties": int((difference == 0).sum()),
            "losses": int((difference != 0).sum() - better.sum()),
            "p": float(wilcoxon(difference).pvalue) if difference.any() else 1.0,
        }
    return pd.DataFrame.from_dict(found, orient="index").rename_axis("budget")


def time_ratios(means: pd.DataFrame, baseline: str) -> pd.Series:
    """Return the time of a fit as a multiple of the baseline's, for each budget and learner.

    It is the median over the tables, so that neither the largest table nor a disturbance decides.
    """
    seconds = means["seconds"]
    usual = seconds.xs(baseline, level="learner")
    keys = seconds.index.droplevel("learner")
    ratios = pd.Series(seconds.to_numpy() / usual.loc[keys].to_numpy(), seconds.index)
    return ratios.groupby(level=["budget", "learner"]).median()


def complete_rows(rows: pd.DataFrame, learners: Sequence[str]) -> pd.DataFrame:
    """Return the fits of the (table, budget, fold) that every learner has finished."""
    keys = ["table", "budget", "repeat", "fold"]
    rows = rows[rows["learner"].isin(learners)]
    finished = rows.groupby(keys)["learner"].transform("nunique") == len(learners)
    return rows[finished]


def summary_lines(rows: pd.DataFrame, learners: Sequence[str], baseline: str) -> list[str]:
    """Return the summary as lines of text."""
    rows = complete_rows(rows, learners)
    if rows.empty:
        return ["no fold has been finished by every learner"]
    means = table_means(rows)
    overall = learner_means(means).assign(ratio=time_ratios(means, baseline))
    several = rows.groupby("table")["classes"].first() > 2
    lines = [f"{len(several)} tables, {several.sum()} of them with more than two classes", ""]
    width, shown = max(map(len, learners)) + 1, [*SHOWN, "ratio"]
    lines.append(f"{'leaves':>6}  {'learner':<{width}}" + "".join(f"{n:>10}" for n in shown))
    for budget in means.index.unique("budget"):
        for name in learners:
            values = overall.loc[(budget, name)]
            cells = "".join(f"{values[n]:>10.{DIGITS.get(n, 4)}f}" for n in shown)
            lines.append(f"{budget:>6}  {name:<{width}}{cells}")
        lines.append("")
    lines += [
        "error, log_loss, auc: on held-out rows, mean over tables",
        "leaves, questions: of the trees, and asked of a held-out row",
        "coverage: fraction of leaves of 20 or more held-out rows whose 95 % interval holds",
        "width: of the intervals, relative to Wilson's on the training rows",
        f"ratio: time of a fit as a multiple of that of {baseline}, median over tables",
        "",
        f"against {baseline}: mean difference, its standard error, wins-ties-losses over tables, p "
        "(Wilcoxon)",
    ]
    others = [name for name in learners if name != baseline]
    for measure in TESTED:
        if means[measure].isna().all():  # the questions of ensembles are not counted
            continue
        lines += ["", f"{measure:>6}  {'':<{width}}" + budget_heads(means)]
        for name in others:
            found = compare(means, name, baseline, measure)
            lines.append(
                f"{'':>6}  {name:<{width}}" + "".join(map(compare_cell, found.itertuples()))
            )
    return lines


def budget_heads(means: pd.DataFrame) -> str:
    """Return the heads of the columns of comparisons."""
    return "".join(f"{f'{budget} leaves':>{CELL}}" for budget in means.index.unique("budget"))


def compare_cell(found: object) -> str:
    """Return a comparison as text."""
    counts = f"{found.wins}-{found.ties}-{found.losses}"
    p = f"p={found.p:.3f}" if found.p >= 0.0005 else "p<0.001"
    return f"{f'{found.difference:+.4f} ±{found.se:.4f} {counts:>8} {p}':>{CELL}}"


def markdown_table(
    rows: pd.DataFrame, learners: Sequence[str], budgets: Sequence[int]
) -> list[str]:
    """Return error and questions of each learner, by budget, as a Markdown table."""
    rows = complete_rows(rows, learners)
    overall = learner_means(table_means(rows))
    have = [budget for budget in budgets if budget in overall.index.unique("budget")]
    heads = [f"{budget} leaves: error | questions" for budget in have]
    lines = ["| | " + " | ".join(heads) + " |", "| --- |" + " ---: | ---: |" * len(have)]
    for name in learners:
        values = [overall.loc[(budget, name)] for budget in have]
        cells = [f"{100 * v['error']:.1f} % | {v['questions']:.2f}" for v in values]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return lines


# ---- the document ------------------------------------------------------------------------------


def document_tables(
    rows: pd.DataFrame, learners: Sequence[str], baseline: str
) -> dict[str, list[str]]:
    """Return the tables of docs/evidence/small-trees.md by the name of their markers.

    Slow learners may have finished fewer folds. Each is compared with the baseline on the folds of
    both; its mean is that of the baseline on all folds plus the mean difference.
    """
    usual = learner_means(table_means(rows[rows["learner"] == baseline])).droplevel("learner")
    budgets = list(usual.index)
    details = DETAILS if DETAILS in budgets else budgets[-1]
    heads = [f"{budget} leaves" for budget in budgets]
    errors = [
        row("", [*heads, "leaves", "questions", "log loss", "time"]),
        row("---", ["---:"] * (len(heads) + 4)),
    ]
    differences = [row("", heads), row("---", ["---:"] * len(heads))]
    for name in learners:
        means = table_means(complete_rows(rows, list({name, baseline})))
        if list(means.index.unique("budget")) != budgets:
            raise SystemExit(f"{name} has not finished a fold of every size")
        found = {n: compare(means, name, baseline, n) for n in DOCUMENTED}
        value = {n: usual[n] + found[n]["difference"] for n in DOCUMENTED}
        cells = [f"{100 * value['error'][budget]:.1f} %" for budget in budgets]
        cells += [f"{value[n][details]:.{digits}f}" for n, digits in DOCUMENTED.items() if digits]
        time = time_ratios(means, baseline).xs(name, level="learner").median()
        errors.append(row(name, [*cells, f"{time:.0f}" if time >= 100 else f"{time:.2g}"]))
        if name != baseline:
            differences.append(row(name, list(map(point_cell, found["error"].itertuples()))))
    return {"errors": errors, "differences": differences}


def row(head: str, cells: Sequence[str]) -> str:
    """Return a row of a Markdown table."""
    return "| " + " | ".join([head, *cells]) + " |"


def point_cell(found: object) -> str:
    """Return a difference of errors in percentage points as text."""
    return f"{100 * found.difference:+z.1f} ± {100 * found.se:.1f} ({found.wins}-{found.losses})"
