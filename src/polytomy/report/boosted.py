"""The facts of a report on boosted trees: one plain dict, which the page shows."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from polytomy._text import one_line
from polytomy._types import FloatArray
from polytomy.ensemble import Additive, Ensemble
from polytomy.export import scores_to_text
from polytomy.export.members import members_in_words

from .boosted_columns import columns_facts, listed_categories
from .boosted_rounds import Certificate, RoundFigures, certificate_facts, rounds_facts
from .boosted_rows import Judged, margin_curves
from .boosted_scores import BUDGET, scores_facts
from .numbers import plain

FORMAT = 1
SIZE = 1_650_000  # characters of JSON; categories and ranges are left out until they fit
_LEAST = 250_000  # characters that columns and scores may take whatever the rest takes
_MOST = 4000  # categories of a column, where not all fit
_FEWEST = 16  # and these at least
_WIDTH = 100  # characters of a line of text
_TEXT = 60_000  # characters of the scores in text

_ABOUT = {
    "adaboost": "Each tree votes for one class, with a weight that grows as its error shrinks.",
    "adaboost-real": "Each leaf votes with its own confidence: half the log odds of its rows.",
    "adaboost-mh": "Each leaf votes for or against every class, with its own confidence.",
    "samme": "Each tree votes for one class, with a weight that grows as its error shrinks.",
    "logitboost": "Each leaf adds to the votes what brings the log loss down most.",
}


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """What a report reads of a fitted ensemble; ``rounds`` may go on after the last that votes."""

    ensemble: Ensemble
    rounds: Sequence[RoundFigures]
    n_rounds: int
    certificate: Certificate
    importances: FloatArray
    learning_rate: float
    ended: str | None = None


@dataclass(frozen=True, slots=True)
class Naming:
    """What a page is called: by a title, or by what is told."""

    version: str
    title: str | None = None
    target: str | None = None

    def facts(self) -> dict[str, Any]:
        """Return title and target as a page shows them."""
        told = {} if self.target is None else {"target": one_line(self.target)}
        usual = "Boosted trees" + (f" for {told['target']}" if told else "")
        title = usual if self.title is None else one_line(self.title)
        return {"version": self.version, "title": title, **told}


def boosted_facts(
    fitted: Fitted,
    naming: Naming,
    training: Judged | None = None,
    test: Judged | None = None,
    note: str | None = None,
) -> dict[str, Any]:
    """Return all that a page tells of an ensemble, as plain data.

    Parameters
    ----------
    fitted : Fitted
        The ensemble and its record.
    naming : Naming
        What the page is called.
    training, test : Judged, optional
        What the ensemble makes of the rows it was fitted on, and of others.
    note : str, optional
        A sentence about the rows given, where they are not those it was fitted on.
    """
    ensemble = fitted.ensemble
    merged = ensemble.additive
    classes = [one_line(c) for c in np.asarray(ensemble.classes).tolist()]
    given = {name: rows for name, rows in (("training", training), ("test", test)) if rows}
    facts = {
        "kind": "boosted",
        "format": FORMAT,
        **naming.facts(),
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
        "text": _cut(scores_to_text(ensemble, _WIDTH)),
    }
    if note is not None:
        facts["rows_note"] = note
    if merged is None:
        facts["members"] = [line for line in members_in_words(ensemble, 10_000) if line]
    return facts | _within(fitted, merged, max(SIZE - _size(facts), _LEAST))


def _within(fitted: Fitted, merged: Additive | None, room: int) -> dict[str, Any]:
    """Return columns and scores; where they do not fit, those of fewer categories and ranges."""
    ensemble = fitted.ensemble
    numbers, most = BUDGET, None
    while True:
        listed = listed_categories(ensemble, most)
        facts: dict[str, Any] = {"columns": columns_facts(ensemble, fitted.importances, listed)}
        if merged is not None:
            facts["scores"] = scores_facts(ensemble, merged, numbers, listed)
        size = _size(facts)
        by_categories = most != _FEWEST and 2 * _size_of_categories(facts) > size
        if size <= room or (numbers < _FEWEST and not by_categories):
            return facts
        if by_categories:
            most = _MOST if most is None else max(_FEWEST, most // 2)
        else:
            numbers //= 2


def _size_of_categories(facts: dict[str, Any]) -> int:
    functions = facts.get("scores", {}).get("functions", [])
    named = [one for one in facts["columns"] if "categories" in one]
    return _size(named) + _size([one for one in functions if "place" in one])


def _size(facts: Any) -> int:
    return len(json.dumps(facts, ensure_ascii=False, separators=(",", ":")).encode())


def _cut(text: str) -> str:
    """Return a text without the lines a page has no room for."""
    if len(text) <= _TEXT:
        return text
    return text[:_TEXT].rpartition("\n")[0] + "\n…"


def _votes(ensemble: Ensemble, classes: list[str]) -> dict[str, Any]:
    """Return how votes are read: how many there are, who wins, and what probabilities they give."""
    if ensemble.n_outputs == 1:
        link = "one"
        wins = f"Votes above 0 are for {classes[1]}, below for {classes[0]}."
        means = "Votes of f give it the probability 1/(1 + exp(-2f))."
    elif ensemble.algorithm == "adaboost-mh":
        link, wins = "each", "The class with the most votes wins."
        means = "Probabilities are 1/(1 + exp(-2f)) of each class's votes f, over their sum."
    else:
        link, wins = "softmax", "The class with the most votes wins."
        means = "Probabilities are the softmax of the votes."
    return {"outputs": ensemble.n_outputs, "link": link, "wins": wins, "means": means}


def _summary(fitted: Fitted, training: Judged | None, test: Judged | None) -> dict[str, Any]:
    trees = [member.tree for member in fitted.ensemble.members]
    leaves = sorted(tree.n_leaves for tree in trees)
    summary: dict[str, Any] = {
        "rounds": fitted.n_rounds,
        "rounds_run": len(fitted.rounds),
        "trees": len(trees),
        "leaves": [leaves[0], leaves[-1]] if leaves else [1, 1],
        "depth": fitted.ensemble.depth,
        "learning_rate": plain(fitted.learning_rate),
    }
    if fitted.n_rounds:
        summary["train_error"] = plain(fitted.rounds[fitted.n_rounds - 1].training_error)
    if fitted.ended is not None:
        summary["ended"] = fitted.ended
    for name, rows in (("train", training), ("test", test)):
        if rows is not None:
            summary |= {f"{name}_rows": len(rows.labels), f"{name}_rows_error": plain(rows.error)}
    return summary
