"""Check the log of a tree that was edited by hand: replay every step on the training rows."""

from dataclasses import replace

import numpy as np

from polytomy._errors import FamilyError, PolytomyError, TreeError
from polytomy.certify.certificate import Certificate
from polytomy.certify.edits import EditLog, Figures
from polytomy.certify.origin import edited_text
from polytomy.certify.record import Run
from polytomy.tree import LEAF, Tree

from .recount import Recount, Sample, recount
from .report import TOLERANCE, Ledger


def check_edits(ledger: Ledger, run: Run, certificate: Certificate, sample: Sample) -> None:
    """Check that the steps follow, lead to the tree, and cost what they say.

    Parameters
    ----------
    ledger : Ledger
        Where findings are collected.
    run : Run
        The record of the tree.
    certificate : Certificate
        Its certificate, whose origin has the log.
    sample : Sample
        The training rows.
    """
    log = None if certificate.origin is None else certificate.origin.edits
    if log is None:
        return
    tree = _replayed(ledger, run, log, sample)
    ledger.begin("edits: they lead to the tree, and to its bound")
    if tree is None:
        return
    ledger.holds(tree == certificate.tree, "edits", "they lead to another tree than this one")
    if log.steps:
        stated = log.steps[-1].cost.after.bound
        ledger.close(stated, float(certificate.bound), "edits", "the bound after the last step")
    ledger.note(
        f"{edited_text(log)}. The gain forgone by each step, its held-out errors and the "
        "bounds in between are not checked."
    )


def _replayed(ledger: Ledger, run: Run, log: EditLog, sample: Sample) -> Tree | None:
    """Replay all steps; return the tree without classes given by hand, or None at a bad step."""
    states = log.states()
    state = next(states)
    counted = _counted(ledger, state.tree, sample, "edits, before step 1")
    figures = None if counted is None else _figures(run, state.tree, counted)
    for number, step in enumerate(log.steps, 1):
        where = f"edits, step {number} ({step.operation} of node {step.node})"
        ledger.begin("edits: every step follows, figures before and after")
        try:
            replace(step)  # checks the fields again
            state = next(states)
        except PolytomyError as error:
            ledger.holds(False, where, f"it does not follow: {error}")
            return None
        ledger.count(1)
        if figures is not None:
            _check_figures(ledger, f"{where}, before", step.cost.before, figures, run)
        counted = _counted(ledger, state.tree, sample, where)
        ledger.begin("edits: every step follows, figures before and after")
        figures = None if counted is None else _figures(run, state.tree, counted)
        if figures is not None:
            _check_figures(ledger, f"{where}, after", step.cost.after, figures, run)
    return replace(state.tree, relabelled={})


def _counted(ledger: Ledger, tree: Tree, sample: Sample, where: str) -> Recount | None:
    """Route the rows through the tree of a step and compare its counts."""
    ledger.begin("edits: counts of every node after every step")
    try:
        counted = recount(tree, sample)
    except (FamilyError, TreeError) as broken:
        ledger.holds(False, where, f"rows cannot be routed: {broken}")
        return None
    off = (np.abs(tree.counts - counted.counts) > TOLERANCE * counted.scale).any(axis=1)
    wrong = np.flatnonzero(off | (tree.rows != counted.rows))
    ledger.count(tree.n_nodes - len(wrong))
    for node in wrong.tolist():
        ledger.holds(False, where, f"the counts of node {node} are not those of its rows")
    return counted


def _figures(run: Run, tree: Tree, counted: Recount) -> dict[str, float]:
    """Return the figures that follow from the counts; the error only without class weights."""
    leaves = np.flatnonzero(tree.kind == LEAF)
    counts, weight = counted.counts[leaves], float(counted.weight[0])
    impurity = float(run.index.value(counts).sum())
    figures = {
        "leaves": float(len(leaves)),
        "questions": float(counted.weight[tree.kind != LEAF].sum()) / weight,
        "index": impurity / weight,
    }
    if tree.is_numeric:
        figures["training_error"] = impurity / weight
    elif run.weighting not in ("classes", "costs"):
        label = tree.label[leaves]
        right = float(counts[np.arange(len(leaves)), label].sum())
        figures["training_error"] = (weight - right) / weight
    return figures


def _check_figures(
    ledger: Ledger, where: str, stated: Figures, found: dict[str, float], run: Run
) -> None:
    scale = max(found["index"], 1.0) if run.index.is_numeric else 1.0
    for name, value in found.items():
        ledger.close(float(getattr(stated, name)), value, where, name.replace("_", " "), scale)
