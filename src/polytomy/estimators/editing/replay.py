"""Repeating the edits of a session on other rows."""

from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from polytomy._text import count, one_line
from polytomy.certify import NOTHING, Edit, EditLog, EditState, Graft, replayed
from polytomy.edits import EditRows, Transferred, transferred
from polytomy.encode import NumericTarget, encode
from polytomy.estimators.base.files import record_of, remember
from polytomy.estimators.base.rows import LabelledRows, class_factors, with_costs
from polytomy.estimators.trees.single_tree import SingleTree
from polytomy.tree import GONE, Tree, subtree_at

if TYPE_CHECKING:
    from .session import EditSession

_ELSEWHERE = " on other rows"


@dataclass(frozen=True, slots=True, eq=False)
class Replay:
    """A session whose edits were repeated on other rows.

    Parameters
    ----------
    session : EditSession
        The session on the other rows, with new counts and costs.
    findings : tuple of str
        What no longer holds, one sentence each.
    """

    session: "EditSession"
    findings: tuple[str, ...]

    def estimator(self) -> Any:
        """Return the tree with the counts of the other rows as an estimator.

        Returns
        -------
        TreeClassifier or TreeRegressor
            The fitted estimator.
        """
        return self.session.estimator()

    def __str__(self) -> str:
        """Return the session, followed by what no longer holds."""
        n = len(self.findings)
        head = f"What no longer holds: {count(n, 'fact')}." if n else "Everything still holds."
        return "\n".join([str(self.session), head, *(f"- {f}" for f in self.findings)])

    __repr__ = __str__


def replay_session(session: "EditSession", X: Any, y: Any, sample_weight: Any) -> Replay:
    """Repeat the edits of a session on other rows; see ``EditSession.replay``."""
    base, now = session._base, session._now
    given = base._read_rows(X, y, sample_weight)
    labelled = given.with_weight()[0]
    rows = _encoded(base, labelled)
    log = replace(session._log, steps=now.steps)
    every, old = np.arange(rows.n_rows), session._rows.schema
    states = list(log.states())
    trees = [transferred(state.tree, old, rows, every) for state in states]
    grown_by = log.grown_by
    if grown_by != NOTHING and not grown_by.endswith(_ELSEWHERE):
        grown_by += _ELSEWHERE
    begun = EditLog(trees[0].tree, grown_by)
    estimator = _refitted(base, rows, labelled, len(given.labels), begun)
    made = type(session)(estimator, rows, None, begun, EditState(begun.start, ()))
    made._is_replayed = True
    findings = []
    for number, step in enumerate(now.steps):
        pair = states[number], states[number + 1]
        finding = _repeat(made, step, pair, (trees[number], trees[number + 1]))
        if finding is not None:
            findings.append(f"step {number + 1} ({step.operation}) {finding}")
    findings += trees[-1].findings
    findings += _other_classes(session, made, trees[-1])
    return Replay(made, tuple(findings))


def _encoded(base: SingleTree, labelled: LabelledRows) -> EditRows:
    """Return new rows with codes of their own."""
    max_bins = base._fit_record.max_bins
    coded = encode(labelled.table, labelled.case_units, max_bins, base._threads())
    target = labelled.target
    centre = target.centre if isinstance(target, NumericTarget) else None
    return EditRows(labelled.table, coded, target, centre)


def _refitted(
    base: SingleTree, rows: EditRows, labelled: LabelledRows, n_rows: int, log: EditLog
) -> SingleTree:
    """Return the estimator with the tree that editing began with, filled with new rows."""
    model, record = base._model, base._fit_record
    factors = None
    if not model.is_numeric:
        factors = class_factors(model.classes, labelled.labels, record.class_weight)
        factors = with_costs(model.costs, factors)
    weighting = base._weighting(weighted=labelled.case_units is not None)
    other = copy(base)
    other._fit_record = replace(record, n_rows=n_rows, held_out=None)
    other._model = replace(
        model,
        schema=rows.schema,
        grown=log.start,
        run=replayed(log.start, model.run.index, model.run.rules, weighting),
        contracted=False,
        pruning=None,
        class_factors=factors,
    )
    known = record_of(base)
    if known is not None:
        remember(other, known.on_other_rows(n_rows))
    return other


def _repeat(
    made: "EditSession",
    step: Edit,
    states: tuple[EditState, EditState],
    filled: tuple[Transferred, Transferred],
) -> str | None:
    """Repeat one step; return what does not hold, or None.

    ``states`` are those of the other session before and after the step, and ``filled`` their trees
    with the new rows. If branches without rows were left out, or values are new, the step may lead
    elsewhere. Then the subtree of the node is put in as it is.
    """
    (old, then), (before, after) = states, filled
    node, tree = int(before.place[step.node]), made.tree_
    if node == GONE or (after.tree == tree and step.operation != "ban"):
        return "has no effect on these rows"
    assert then.place is not None
    part = subtree_at(after.tree, int(after.place[then.place[step.node]]))
    part = replace(part, counts=np.vstack([tree.counts[node], part.counts[1:]]), relabelled={})
    begun = made._at
    _carry_out(made, step, node, part, _branches(step, old.tree, before))
    _restore_labels(made, after.tree, step.reason)
    if made.tree_ == after.tree:
        return None
    while made._at > begun:
        made.undo()
    made._do("regrow", node, grafts=(Graft(node, part),), reason=step.reason)
    _restore_labels(made, after.tree, step.reason)
    return "leads elsewhere on these rows, so the splits below the node were put in as they are"


def _restore_labels(made: "EditSession", tree: Tree, reason: str) -> None:
    """Give leaves their classes again that were below a subtree that was put in."""
    if replace(made.tree_, relabelled={}) == replace(tree, relabelled={}):
        for leaf, label in tree.relabelled.items():
            if made.tree_.relabelled.get(leaf) != label:
                made._do("relabel", leaf, label=label, reason=reason)


def _carry_out(
    made: "EditSession", step: Edit, node: int, part: Tree, branches: tuple[int, ...]
) -> None:
    """Repeat a step at a node, if that is possible; ``part`` is the subtree that it leads to."""
    tree, why = made.tree_, step.reason
    if step.operation == "relabel":
        made._do("relabel", node, label=step.label, reason=why)
    elif step.operation == "ban":
        is_same = replace(subtree_at(tree, node), relabelled={}) == part
        grafts = () if is_same else (Graft(node, part),)
        made._do("ban", node, column=step.column, grafts=grafts, reason=why)
    elif step.operation == "split" and part.n_nodes == part.arity(0) + 1 > 1:
        rivals = made._rivals(node, made._rows_of(node))
        made._put_split(node, part, rivals, is_searched=step.is_searched, reason=why)
    elif step.operation == "collapse" and not tree.is_leaf(node):
        made._do("collapse", node, reason=why)
    elif step.operation == "regrow":
        made._do("regrow", node, grafts=(Graft(node, part),), reason=why)
    elif branches:
        made._do("merge", node, branches=branches, reason=why)


def _branches(step: Edit, tree: Tree, filled: Transferred) -> tuple[int, ...]:
    """Return the branches to merge among those that have rows; none if there are too few."""
    if step.operation != "merge":
        return ()
    children = tree.children(step.node).tolist()
    kept = [b for b, child in enumerate(children) if filled.place[child] != GONE]
    chosen = tuple(kept.index(b) for b in step.branches if b in kept)
    return chosen if 2 <= len(chosen) < len(kept) else ()


def _other_classes(session: "EditSession", made: "EditSession", last: Transferred) -> list[str]:
    """Return the leaves that predict another class than in the other session."""
    tree, new = session.tree_, made.tree_
    if tree.is_numeric or new != last.tree:
        return []
    names = [one_line(c) for c in np.asarray(session._classes).tolist()]
    return [
        f"node {leaf} predicts {names[new.label[at]]} now, not {names[tree.label[leaf]]}"
        for leaf in tree.leaves().tolist()
        if (at := int(last.place[leaf])) >= 0
        and new.is_leaf(at)
        and new.label[at] != tree.label[leaf]
    ]
