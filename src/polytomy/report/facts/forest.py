"""All facts of a report on a forest in one dictionary of plain data."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from polytomy._text import one_line
from polytomy._types import FloatArray
from polytomy.ensemble import Ensemble
from polytomy.export import members_to_text
from polytomy.export.phrasing import format_for

from .boosted import Evaluated
from .columns import categories_in_ensemble, column_facts
from .heading import Heading
from .json_values import rounded
from .predicted import PredictedNumbers, number_facts

_MOST_LISTED = 50  # categories of a column
_TEXT_WIDTH = 100  # characters of a line


@dataclass(frozen=True, slots=True, eq=False)
class FittedForest:
    """A fitted forest with its figures.

    Parameters
    ----------
    ensemble : Ensemble
        The trees that vote.
    importances : array
        The importance of each column.
    oob_error : float or None
        The out-of-bag error; None if it was not computed, NaN if no row is out of bag.
    oob_errors : mapping of int to float
        The out-of-bag error after some numbers of trees.
    oob_score : float or None, default=None
        R2 out of bag, for a numeric target.
    """

    ensemble: Ensemble
    importances: FloatArray
    oob_error: float | None
    oob_errors: Mapping[int, float]
    oob_score: float | None = None


def forest_facts(
    fitted: FittedForest,
    heading: Heading,
    out_of_bag: Evaluated | PredictedNumbers | None = None,
    test: Evaluated | PredictedNumbers | None = None,
    note: str | None = None,
) -> dict[str, Any]:
    """Return all facts of a report on a forest.

    Parameters
    ----------
    fitted : FittedForest
        The forest.
    heading : Heading
        The title and target of the report.
    out_of_bag, test : Evaluated or PredictedNumbers, optional
        The out-of-bag predictions for the training rows, and the predictions for test rows. By
        default the report is about the model alone.
    note : str, optional
        A sentence for the page if the training rows are not those the model was fitted on.

    Returns
    -------
    dict
        Plain data, ready for JSON and for ``polytomy.report.page.render``.
    """
    ensemble = fitted.ensemble
    given = {k: rows for k, rows in (("out-of-bag", out_of_bag), ("test", test)) if rows}
    listing = categories_in_ensemble(ensemble, _MOST_LISTED)
    columns = column_facts(ensemble.schema, np.asarray(fitted.importances), listing)
    splits = ensemble.splits_per_column.tolist()
    curve = {n: error for n, error in fitted.oob_errors.items() if np.isfinite(error)}
    facts = {
        **heading.facts("forest", "Regression forest" if ensemble.is_numeric else "Forest"),
        **(_numbers(ensemble, given) if ensemble.is_numeric else _classes(ensemble, given)),
        "weighted": any(bool((rows.weights != 1).any()) for rows in given.values()),
        "summary": _summary(fitted, test),
        "out_of_bag": {"trees": list(curve), "error": [rounded(e) for e in curve.values()]},
        "columns": [column | {"questions": splits[j]} for j, column in enumerate(columns)],
        "text": members_to_text(ensemble, _TEXT_WIDTH),
    }
    if note is not None:
        facts["rows_note"] = note
    return facts


def _classes(ensemble: Ensemble, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the names of the classes, and the confusion matrices of rows."""
    names = [one_line(c) for c in np.asarray(ensemble.classes).tolist()]
    matrices = {which: rows.confusion(len(names)) for which, rows in given.items()}
    return {"classes": names, "confusion": matrices}


def _numbers(ensemble: Ensemble, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return how numbers are written, and the predictions for rows."""
    trees = [member.tree for member in ensemble.members]
    roots = [(float(tree.mean[0]), float(tree.deviation[0])) for tree in trees]
    form = format_for(*np.mean(roots, axis=0).tolist())
    leaves = np.concatenate([tree.mean[tree.leaves()] for tree in trees])
    return {
        "numbers": number_facts(form, float(leaves.min()), float(leaves.max())),
        "predicted": {which: rows.facts() for which, rows in given.items()},
    }


def _summary(fitted: FittedForest, test: Evaluated | PredictedNumbers | None) -> dict[str, Any]:
    trees = [member.tree for member in fitted.ensemble.members]
    leaves = sorted(tree.n_leaves for tree in trees)
    summary: dict[str, Any] = {
        "trees": len(trees),
        "leaves": [leaves[0], leaves[-1]],
        "depth": fitted.ensemble.depth,
        "bag_rows": int(np.median([tree.rows[0] for tree in trees])),
    }
    if fitted.oob_error is not None and np.isfinite(fitted.oob_error):
        summary["oob_error"] = rounded(fitted.oob_error)
        if fitted.oob_score is not None:
            summary["oob_r2"] = rounded(fitted.oob_score)
    if test is not None:
        summary |= {"test_rows": len(test.weights), "test_rows_error": rounded(test.error)}
    return summary
