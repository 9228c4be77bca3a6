"""All facts of a report on boosted trees in one dictionary of plain data."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from polytomy._text import class_title, one_line
from polytomy._types import FloatArray
from polytomy.certify import BoostedCertificate, RoundRecord
from polytomy.ensemble import Additive, Ensemble
from polytomy.export import scores_to_text
from polytomy.report.facts.columns import Listing, categories_in_ensemble, column_facts
from polytomy.report.facts.heading import LEAST_BUDGET, PAGE_BUDGET, TEXT_BUDGET, Heading
from polytomy.report.facts.json_values import json_size, rounded

from .effects import ColumnRows, rows_by_column
from .evaluation import Evaluated, margin_curves
from .rounds import certificate_facts, rounds_facts
from .scores import MOST_NUMBERS, score_facts

_MOST_LISTED = 4000  # categories of a column if not all fit
_FEWEST_LISTED = 16
_TEXT_WIDTH = 100  # characters of a line

_ABOUT = {
    "adaboost": "Each tree votes for one class; the lower its weighted error, the larger its vote.",
    "adaboost-real": "Each leaf votes with its own confidence: half the log-odds of its classes.",
    "adaboost-mh": "Each leaf votes for or against every class, each with its own confidence.",
    "samme": "Each tree votes for one class; the lower its weighted error, the larger its vote.",
    "logitboost": "Each leaf adds the votes that reduce the log loss most.",
}


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """A fitted ensemble with the record of its rounds.

    Parameters
    ----------
    ensemble : Ensemble
        The trees that vote.
    rounds : sequence of RoundRecord
        The record of every round, including those after the last one that votes.
    n_rounds : int
        The number of rounds that vote.
    certificate : BoostedCertificate
        The bound on the training error.
    importances : array
        The importance of each column.
    learning_rate : float
        The learning rate.
    ended : str, optional
        Why boosting ended early, if it did.
    """

    ensemble: Ensemble
    rounds: Sequence[RoundRecord]
    n_rounds: int
    certificate: BoostedCertificate
    importances: FloatArray
    learning_rate: float
    ended: str | None = None


def boosted_facts(
    fitted: Fitted,
    heading: Heading,
    training: Evaluated | None = None,
    test: Evaluated | None = None,
    note: str | None = None,
) -> dict[str, Any]:
    """Return all facts of a report on boosted trees.

    Parameters
    ----------
    fitted : Fitted
        The ensemble and its record.
    heading : Heading
        The title and target of the report.
    training, test : Evaluated, optional
        The predictions for the training rows and for test rows. By default the report is about
        the model alone.
    note : str, optional
        A sentence for the page if the training rows are not those the model was fitted on.

    Returns
    -------
    dict
        Plain data, ready for JSON and for ``polytomy.report.page.render``.
    """
    ensemble = fitted.ensemble
    classes = [one_line(c) for c in np.asarray(ensemble.classes).tolist()]
    given = {name: rows for name, rows in (("training", training), ("test", test)) if rows}
    facts = {
        **heading.facts("boosted", "Boosted trees"),
        "classes": classes,
        "weighted": any(bool((rows.weights != 1).any()) for rows in given.values()),
        "algorithm": ensemble.algorithm,
        "about": _ABOUT.get(ensemble.algorithm, ""),
        "votes": _votes(ensemble, classes),
        "summary": _summary(fitted, training, test),
        "rounds": rounds_facts(
            fitted.rounds, fitted.n_rounds, None if test is None else test.errors
        ),
        "certificate": certificate_facts(fitted.certificate, ensemble.algorithm),
        "margins": [c for name, rows in given.items() for c in margin_curves(name, rows)],
        "confusion": {name: rows.confusion(len(classes)) for name, rows in given.items()},
        "text": _cut(scores_to_text(ensemble, _TEXT_WIDTH)),
    }
    if note is not None:
        facts["rows_note"] = note
    room = max(PAGE_BUDGET - json_size(facts), LEAST_BUDGET)
    return facts | _within_budget(fitted, room, _rows(ensemble, training or test))


def _rows(ensemble: Ensemble, given: Evaluated | None) -> dict[int, ColumnRows] | None:
    """Return the rows by column if they are given and the trees are stumps."""
    merged: Additive | None = ensemble.additive
    if merged is None or given is None or given.table is None:
        return None
    return rows_by_column(ensemble, merged, given.table, given.weights)


def _within_budget(fitted: Fitted, room: int, rows: dict[int, ColumnRows] | None) -> dict[str, Any]:
    """Return columns and scores, with fewer categories and ranges if they do not all fit."""
    ensemble = fitted.ensemble
    merged: Additive | None = ensemble.additive
    numbers, most = MOST_NUMBERS, None
    while True:
        listing = categories_in_ensemble(ensemble, most)
        facts: dict[str, Any] = {"columns": _columns(fitted, listing)}
        if merged is not None:
            facts["scores"] = score_facts(ensemble, merged, numbers, listing, rows)
        size = json_size(facts)
        mostly_categories = most != _FEWEST_LISTED and 2 * _size_of_categories(facts) > size
        if size <= room or (numbers < _FEWEST_LISTED and not mostly_categories):
            return facts
        if mostly_categories:
            most = _MOST_LISTED if most is None else max(_FEWEST_LISTED, most // 2)
        else:
            numbers //= 2


def _columns(fitted: Fitted, listing: Listing) -> list[dict[str, Any]]:
    """Return the columns' facts and, as ``questions``, how many splits use each column."""
    ensemble = fitted.ensemble
    splits = ensemble.splits_per_column.tolist()
    columns = column_facts(ensemble.schema, np.asarray(fitted.importances), listing)
    return [column | {"questions": splits[j]} for j, column in enumerate(columns)]


def _size_of_categories(facts: dict[str, Any]) -> int:
    functions = facts.get("scores", {}).get("functions", [])
    columns = [column for column in facts["columns"] if "categories" in column]
    return json_size(columns) + json_size([one for one in functions if "place" in one])


def _cut(text: str) -> str:
    """Return a text up to the last line that fits into the page."""
    if len(text) <= TEXT_BUDGET:
        return text
    return text[:TEXT_BUDGET].rpartition("\n")[0] + "\n…"


def _votes(ensemble: Ensemble, classes: list[str]) -> dict[str, Any]:
    """Return how predictions and probabilities follow from the votes."""
    if ensemble.n_outputs == 1:
        link = "one"
        first, second = (class_title(name) for name in classes)
        wins = f"Votes above 0 predict {second}, other votes predict {first}."
        means = f"If the votes are f, the probability of {second} is 1/(1 + exp(-2f))."
    elif ensemble.algorithm == "adaboost-mh":
        link, wins = "each", "The class with the most votes is predicted."
        means = (
            "Probabilities are 1/(1 + exp(-2f)) for the votes f of each class, scaled to sum to 1."
        )
    else:
        link, wins = "softmax", "The class with the most votes is predicted."
        means = "Probabilities are the softmax of the votes."
    return {"outputs": ensemble.n_outputs, "link": link, "wins": wins, "means": means}


def _summary(fitted: Fitted, training: Evaluated | None, test: Evaluated | None) -> dict[str, Any]:
    trees = [member.tree for member in fitted.ensemble.members]
    leaves = sorted(tree.n_leaves for tree in trees)
    summary: dict[str, Any] = {
        "rounds": fitted.n_rounds,
        "rounds_run": len(fitted.rounds),
        "trees": len(trees),
        "leaves": [leaves[0], leaves[-1]] if leaves else [1, 1],
        "depth": fitted.ensemble.depth,
        "learning_rate": rounded(fitted.learning_rate),
    }
    if fitted.n_rounds:
        summary["train_error"] = rounded(fitted.rounds[fitted.n_rounds - 1].training_error)
    if fitted.ended is not None:
        summary["ended"] = fitted.ended
    for name, rows in (("train", training), ("test", test)):
        if rows is not None:
            summary |= {f"{name}_rows": len(rows.labels), f"{name}_rows_error": rounded(rows.error)}
    return summary
