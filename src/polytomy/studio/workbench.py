"""The tree that the studio edits: its rows, its sessions of editing, and what was asked of it."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sklearn.base import clone

from polytomy._files import write_atomically
from polytomy.encode import Schema
from polytomy.estimators import EditSession, edit, record_of, remember
from polytomy.estimators.base.files import load_bytes, to_file_bytes
from polytomy.estimators.fitting.constraints import class_order, constraints_of, directions_of
from polytomy.estimators.trees.single_tree import SingleTree
from polytomy.io import LabelledTable, TrainingRecord
from polytomy.report import render
from polytomy.report.facts.json_values import rounded
from polytomy.report.facts.tree.edits import figure_facts
from polytomy.tree import Tree

from .constraints import CONSTRAINTS
from .server import StaleError, StudioError

FILES = {"model": "model.json", "log": "log.json", "report": "report.html"}
"""The files that the studio saves."""
AUTOSAVE = "autosave.json"
"""The model file that is written after every change, if the studio has a folder."""


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

    def arguments(self, *, with_held_out: bool) -> dict[str, Any]:
        """Return the rows as the arguments of ``report_facts``."""
        rows = self.training
        given = {"X": rows.table, "y": rows.labels, "sample_weight": rows.weights}
        if with_held_out and self.held_out is not None:
            held = self.held_out
            given |= {"X_test": held.table, "y_test": held.labels}
            given |= {"sample_weight_test": held.weights}
        return given


@dataclass(frozen=True, slots=True, eq=False)
class _Tree:
    """A session of editing, and the constraints of the tree that it began with."""

    session: EditSession
    constraints: dict[str, Any]
    chosen_leaves: int | None = None  # by cross-validation


class Workbench:
    """A tree that is grown and edited by hand.

    Its version changes with every change, so that a tab which shows an older one can be told. Its
    held-out error is computed only if it is asked for, and is counted then.

    Parameters
    ----------
    rows : StudioRows
        The rows.
    estimator : TreeClassifier or TreeRegressor
        A fitted estimator to edit, or one that is not fitted: editing then begins with one leaf.
    folder : Path or None, default=None
        An existing folder for files; None if they are downloaded by the browser only.
    reopen : str, default=""
        The command that opens a saved model again.
    record : TrainingRecord or None, default=None
        What the models of these rows remember of their file. None: what the estimator remembers.
    """

    def __init__(
        self,
        rows: StudioRows,
        estimator: Any,
        folder: Path | None = None,
        reopen: str = "",
        record: TrainingRecord | None = None,
    ) -> None:
        self.rows, self.folder, self.reopen = rows, folder, reopen
        known = record_of(estimator) if record is None else record
        self._record = None if known is None else replace(known, chosen_on=None)
        self.version = 1
        self._trees, self._at = [self._begin(estimator)], 0
        self._asked: list[tuple[Tree, float]] = []  # trees with their error on held-out rows
        self._autosave_error: str | None = None

    @property
    def session(self) -> EditSession:
        """The session of editing as it is now."""
        return self._trees[self._at].session

    @property
    def schema(self) -> Schema:
        """The columns."""
        schema: Schema = self.session.estimator()._model.schema
        return schema

    def _begin(self, estimator: Any) -> "_Tree":
        training = self.rows.training
        session = edit(estimator, training.table, training.labels, training.weights)
        if record_of(session._base) is None:
            remember(session._base, self._record)
        constraints = {c.name: getattr(estimator, c.name) for c in CONSTRAINTS}
        chosen = None
        if constraints["max_leaves"] == "cv" and estimator.__sklearn_is_fitted__():
            model = estimator._model
            edits = None if model.origin is None else model.origin.edits
            chosen = (model.tree if edits is None else edits.start).n_leaves
        return _Tree(session, constraints, chosen)

    # ---- changes ---------------------------------------------------------------------------------

    def check_version(self, version: Any) -> None:
        """Raise an error if a request was made on another version than this one."""
        if version != self.version:
            raise StaleError("the tree was changed in another tab; this one now shows it as it is")

    def change(self, work: Callable[[EditSession], Any]) -> Any:
        """Carry out an edit, and count a new version."""
        done = work(self.session)
        del self._trees[self._at + 1 :]
        self._changed()
        return done

    def undo(self) -> None:
        """Take the last change back: an edit, or a tree that was grown, begun or opened."""
        if self.session.can_undo or self._at == 0:
            self.session.undo()
        else:
            self._at -= 1
        self._changed()

    def redo(self) -> None:
        """Repeat the change that was taken back last."""
        if self.session.can_redo or self._at + 1 == len(self._trees):
            self.session.redo()
        else:
            self._at += 1
        self._changed()

    def limit(self, constraints: dict[str, Any]) -> None:
        """Change the constraints of suggestions and of regrowing, and keep the tree."""
        self._asked_of(constraints)
        live = {
            c.name: constraints[c.name] for c in CONSTRAINTS if c.is_live and c.name in constraints
        }
        self.session.limit(**live)
        self._trees[self._at].constraints.update(live)
        self._changed()

    def grow(self, constraints: dict[str, Any], *, by_hand: bool) -> None:
        """Grow a tree under constraints, or begin one with a leaf."""
        estimator = self._asked_of(constraints)
        if not by_hand:
            training = self.rows.training
            estimator.fit(training.table, training.labels, sample_weight=training.weights)
        self._take(estimator)

    def _asked_of(self, constraints: dict[str, Any]) -> Any:
        """Return an unfitted estimator with constraints, or raise the error of its fit."""
        fitted = self.session.estimator()
        estimator = clone(fitted).set_params(**constraints)
        schema, classes = fitted._model.schema, fitted._classes_of_model()
        constraints_of(estimator, schema, classes)
        labels, asked = self.rows.training.labels, estimator.monotonic_cst
        dtype = getattr(labels, "dtype", None)
        order = 1 if fitted._is_numeric else class_order(asked, dtype, classes)
        directions_of(asked, schema, classes, order)
        return estimator

    def open_model(self, text: str) -> None:
        """Open a model file, given as text."""
        estimator = load_bytes(text.encode("utf-8", errors="replace"))
        if not isinstance(estimator, SingleTree):
            raise StudioError("the studio edits single trees; this file holds another model")
        self._take(estimator)

    def _take(self, estimator: Any) -> None:
        """Go on with another tree."""
        self._trees = [*self._trees[: self._at + 1], self._begin(estimator)]
        self._at += 1
        self._changed()

    def _changed(self) -> None:
        self.version += 1
        if self.folder is not None:
            try:
                self.session.estimator().save(self.folder / AUTOSAVE)
                self._autosave_error = None
            except (OSError, ValueError) as error:
                self._autosave_error = f"the last change was not saved to {AUTOSAVE}: {error}"

    # ---- the held-out error ----------------------------------------------------------------------

    def ask_held_out(self) -> float:
        """Return the error on the held-out rows; the first time for a tree, it is counted."""
        known = self._known_error()
        if known is not None:
            return known
        held = self.rows.held_out
        if held is None:
            raise StudioError(
                "no rows are held out; start the studio with --test-fraction 0.25 or --test"
            )
        error = self.session.error(held.table, held.labels, held.weights)
        self._asked.append((self.session.tree_, error))
        return error

    @property
    def n_asked(self) -> int:
        """How often the held-out error was asked for."""
        return len(self._asked)

    def _known_error(self) -> float | None:
        tree = self.session.tree_
        return next((error for asked, error in self._asked if asked is tree), None)

    # ---- files -----------------------------------------------------------------------------------

    def file(self, kind: str) -> str:
        """Return the text of a file: the model, the log or the report."""
        if kind == "log":
            return json.dumps(self._log(), ensure_ascii=False, indent=1)
        estimator = self.session.estimator()
        if kind == "model":
            return to_file_bytes(estimator).decode("utf-8")
        rows = self.rows.arguments(with_held_out=self._known_error() is not None)
        title = self.session.facts(self.rows.training.target)["title"]
        return render(estimator.report_facts(**rows, title=title))

    def save(self, kind: str) -> dict[str, Any]:
        """Return a file for the browser, and write it to the folder if there is one."""
        if kind not in FILES:
            raise StudioError(f"there is no file {kind!r}; there are {', '.join(FILES)}")
        text = self.file(kind)
        if self.folder is None:
            return {"name": FILES[kind], "text": text}
        path = self.folder / FILES[kind]
        try:
            write_atomically(path, text.encode("utf-8", errors="replace"))
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise StudioError(f"cannot write {path}: {reason}") from None
        return {"name": FILES[kind], "path": str(path)}

    def _log(self) -> dict[str, Any]:
        asked = {"held_out_rows": self._held_out_rows(), "held_out_error_asked": len(self._asked)}
        return {"target": self.rows.training.target, **asked, "edits": self.session.log}

    def _held_out_rows(self) -> int:
        return 0 if self.rows.held_out is None else len(self.rows.held_out)

    # ---- what the page shows ---------------------------------------------------------------------

    def cost_figure(self) -> dict[str, Any]:
        """Return the mean cost of a training row, if mistakes have costs."""
        cost = self.session.training_cost
        return {} if cost is None else {"cost": rounded(cost)}

    def hold_out(self, rows: LabelledTable) -> None:
        """Take rows for the held-out error.

        Parameters
        ----------
        rows : LabelledTable
            The rows, which the tree was not grown on.
        """
        self.rows = replace(self.rows, held_out=rows)

    def state(self) -> dict[str, Any]:
        """Return everything that the page shows of the tree."""
        session = self.session
        known, names = self._known_error(), self.schema.names
        facts = session.facts(self.rows.training.target)
        facts["title"] = f"Studio: {facts['title'][:1].lower()}{facts['title'][1:]}"
        return {
            **facts,
            "library": facts["version"],
            "version": self.version,
            "figures": figure_facts(session.figures) | self.cost_figure(),
            "log": [_step(entry) for entry in session.log],
            "can_undo": session.can_undo or self._at > 0,
            "can_redo": session.can_redo or self._at + 1 < len(self._trees),
            "held_out": {
                "rows": self._held_out_rows(),
                "asked": len(self._asked),
                "error": None if known is None else rounded(known),
            },
            "constraints": [
                c.facts(self._trees[self._at].constraints[c.name], names) for c in CONSTRAINTS
            ],
            "chosen_leaves": self._trees[self._at].chosen_leaves,
            "folder": None if self.folder is None else str(self.folder),
            "autosave_error": self._autosave_error,
            "reopen": self.reopen,
        }


def _step(entry: dict[str, Any]) -> dict[str, Any]:
    """Return a step of the log as the page shows it."""
    cost = entry["cost"]
    names = {"leaves": "leaves", "questions": "questions", "error": "training_error"}
    names |= {"index": "index", "bound": "bound"}
    before, after = (
        {short: rounded(cost[when][long]) for short, long in names.items()}
        for when in ("before", "after")
    )
    return {
        "text": entry["text"],
        "operation": entry["operation"],
        "forgone": rounded(cost["gain_forgone"]),
        "before": before,
        "after": after,
    }
