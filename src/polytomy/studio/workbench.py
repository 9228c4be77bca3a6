"""The tree that the studio edits: its rows, its sessions of editing, and what was asked of it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from polytomy.estimators import EditSession, edit
from polytomy.estimators.edit_result import EditResult
from polytomy.io import LabelledTable

from .server import StaleError, StudioError


@dataclass(frozen=True, slots=True, eq=False)
class StudioRows:
    """The rows of a studio.

    Parameters
    ----------
    training : LabelledTable
        The rows that the tree is grown on.
    held_out : LabelledTable or None, default=None
        Rows for the held-out error.
    """

    training: LabelledTable
    held_out: LabelledTable | None = None


class Workbench:
    """A tree that is grown and edited by hand.

    Its version changes with every change, so that a tab which shows an older one can be told.

    Parameters
    ----------
    rows : StudioRows
        The rows.
    estimator : TreeClassifier or TreeRegressor
        A fitted estimator to edit, or one that is not fitted: editing then begins with one leaf.
    """

    def __init__(self, rows: StudioRows, estimator: Any) -> None:
        self.rows = rows
        self.version = 1
        self.session: EditSession = self._begin(estimator)

    def _begin(self, estimator: Any) -> EditSession:
        training = self.rows.training
        return edit(estimator, training.table, training.labels, training.weights)

    def check_version(self, version: Any) -> None:
        """Raise an error if a request was made on another version than this one."""
        if version != self.version:
            raise StaleError("the tree was changed in another tab; this one now shows it as it is")

    def change(self, work: Callable[[EditSession], Any]) -> Any:
        """Carry out an edit, and count a new version."""
        done = work(self.session)
        self.version += 1
        return done

    def state(self) -> dict[str, Any]:
        """Return everything that the page shows of the tree."""
        session = self.session
        return {
            **session.facts(self.rows.training.target),
            "version": self.version,
            "log": session.log,
        }


def price_facts(done: EditResult) -> dict[str, Any]:
    """Return the price of an edit as plain data."""
    return {"entry": done.entry, "node": done.node, "nodes": list(done.nodes)}


def integer(given: dict[str, Any], name: str, default: int | None = None) -> int:
    """Return an integer argument of a request."""
    value = given.get(name, default)
    if not isinstance(value, int) or isinstance(value, bool):
        raise StudioError(f"{name} must be an integer, got {value!r}")
    return value
