"""The edits that people made to a tree by hand, with their prices."""

from typing import Any

from polytomy._text import shorten
from polytomy.certify import Figures
from polytomy.export import edit_text
from polytomy.model import Model
from polytomy.report.facts.json_values import rounded

_MOST = 200  # edits
_LONGEST = 300  # characters of an edit


def edits_facts(model: Model) -> dict[str, Any]:
    """Return the edits of a tree and, if there are too many, how many are left out.

    Parameters
    ----------
    model : Model
        The tree.

    Returns
    -------
    dict
        ``edits`` and perhaps ``edits_left_out``; empty for a tree that was not edited.
    """
    log = None if model.origin is None else model.origin.edits
    if log is None or not log.steps:
        return {}
    listed = [
        {
            "text": shorten(edit_text(step, model.schema, model.classes), _LONGEST),
            "forgone": rounded(step.cost.gain_forgone),
            "before": figure_facts(step.cost.before),
            "after": figure_facts(step.cost.after),
        }
        for step in log.steps[:_MOST]
    ]
    left_out = len(log.steps) - len(listed)
    return {"edits": listed, **({"edits_left_out": left_out} if left_out else {})}


def figure_facts(figures: Figures) -> dict[str, Any]:
    """Return the figures of a tree, without its error on held-out rows."""
    return {
        "leaves": figures.leaves,
        "questions": rounded(figures.questions),
        "error": rounded(figures.training_error),
        "index": rounded(figures.index),
        "bound": rounded(figures.bound),
    }
