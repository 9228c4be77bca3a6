"""The verifier finds tampered records: steps, their order, retired leaves, rules."""

from copy import copy
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from polytomy import TreeClassifier, verify
from polytomy.certify import Retired, issue_certificate
from polytomy.certify.verify import verify_run
from polytomy.table import Table
from polytomy.tree import IntervalSplit, TreeBuilder
from tests.certify.tampering import (
    every_fit,
    evidence,
    fitted,
    found,
    rebuilt,
    swapped_steps,
    with_split,
)

STEP = {
    "leaf": (lambda s: s.leaf + 1, "the leaf is stated as"),
    "children": (lambda s: s.children[::-1], "children is stated as"),
    "gain": (lambda s: s.gain + 1e-6 * s.weight, "gain is stated as"),
    "weight": (lambda s: s.weight * (1 + 1e-6), "the leaf's impurity is stated as"),
    "price": (lambda s: s.price + 1e-6, "price is stated as"),
    "leaves_before": (lambda s: s.leaves_before + 1, "leaves_before is stated as"),
    "best_binary_gain": (lambda s: s.best_binary_gain - 1e-6 * s.weight, "best_binary_gain is"),
}


@every_fit
@pytest.mark.parametrize("field", STEP)
def test_check_finds_a_changed_step(name, field):
    given = evidence(name)
    change, sentence = STEP[field]
    for at in (0, len(given.run.splits) - 1):
        split = given.run.splits[at]
        run = with_split(given.run, at, **{field: change(split)})
        report = given.but(run=run).report()
        found(report, f"step {at + 1}, leaf {split.leaf}: {sentence}")


@every_fit
@pytest.mark.parametrize("gain", [None, float("nan"), 1e9])
def test_check_finds_a_changed_binary_gain(name, gain):
    given = evidence(name)
    run = with_split(given.run, 1, best_binary_gain=gain)
    found(given.but(run=run).report(), f"best_binary_gain is {gain}")


@every_fit
def test_check_finds_swapped_steps(name):
    given = evidence(name)
    splits = list(given.run.splits)
    splits[1], splits[2] = splits[2], splits[1]
    report = given.but(run=replace(given.run, splits=tuple(splits))).report()
    found(report, f"step 2, leaf {splits[2].leaf}: the leaf is stated as {splits[1].leaf}")


@every_fit
def test_check_finds_missing_and_added_steps(name):
    given = evidence(name)
    for splits in (given.run.splits[:-1], (*given.run.splits, given.run.splits[-1]), ()):
        report = given.but(run=replace(given.run, splits=splits)).report()
        found(report, f"run: the number of steps is stated as {len(splits)}")


def heaviest_passed_over():
    """Return evidence in which a leaf was passed over because it had been given up."""
    given = evidence("kearns-mansour")
    heavier = [s.number for s in given.certificate.steps if not s.heaviest]
    assert heavier
    return given


def test_check_needs_the_retired_leaves_that_were_passed_over():
    given = heaviest_passed_over()
    found(given.but(run=replace(given.run, retired=())).report(), "was passed over")
    later = tuple(replace(r, leaves=given.tree.n_leaves) for r in given.run.retired)
    found(given.but(run=replace(given.run, retired=later)).report(), "was passed over")


@every_fit
def test_check_finds_invalid_retired_leaves(name):
    given = evidence(name)
    leaf = int(np.argmax(np.where(given.tree.kind == 0, given.tree.rows, 0)))
    final = given.tree.n_leaves
    for retired, sentence in [
        (Retired(0, "max_depth", 1), "leaf 0, given up: the tree has no such leaf"),
        (Retired(999, "max_depth", 1), "leaf 999, given up: the tree has no such leaf"),
        (Retired(leaf, "max_depth", 1), "it did not exist when the tree had 1 leaves"),
        (Retired(leaf, "max_depth", final + 9), f"it did not exist when the tree had {final + 9}"),
        (Retired(leaf, "no acceptable option", final), "it had a binary option"),
    ]:
        run = replace(given.run, retired=(*given.run.retired, retired))
        found(given.but(run=run).report(), sentence)
    run = replace(given.run, retired=(Retired(leaf, "min_gain", final),) * 2)
    found(given.but(run=run).report(), "run: a leaf was given up twice")


@pytest.mark.parametrize("name", ["kearns-mansour", "steepest"])
def test_check_finds_a_wrong_leaf_order_with_consistent_numbers(name):
    given = evidence(name)
    free, order = swapped_steps(given)
    assert rebuilt(given, sorted(order)).report().ok
    report = rebuilt(given, order).report()
    found(report, f"step {free + 1}, leaf")
    assert all("was passed over" in str(finding) for finding in report.findings)


def test_check_finds_a_poor_split_with_consistent_numbers():
    x = np.arange(40.0)
    frame = pd.DataFrame({"x": x})
    clf = TreeClassifier(max_leaves=2, procedure="per-leaf").fit(frame, (x >= 20).astype(int))
    model = clf._model
    builder = TreeBuilder(model.grown.counts[0], 40)
    split = IntervalSplit(0, np.array([9.5]), -1, 1)
    builder.split(0, split, np.array([[10.0, 0.0], [10.0, 20.0]]), [10, 30])
    tree = builder.finish()
    gain = float(model.run.index.value(tree.counts) @ [1, -1, -1])
    run = with_split(model.run, 0, gain=gain)
    certificate = issue_certificate(run, tree, model.schema)
    report = verify_run(
        run, certificate, tree, model.schema, Table.of(frame), (x >= 20).astype(int)
    )
    found(report, f"its gain / price is {gain:.10g}, but a binary option has 40")
    assert len(report.findings) == 1


def test_check_finds_a_tree_beyond_its_budget():
    clf, frame, y, _ = fitted("steepest")
    forged = copy(clf)
    forged._model = replace(clf._model)
    rules = replace(clf._model.run.rules, max_leaves=9)
    forged._model.__dict__["run"] = replace(clf._model.run, rules=rules)
    report = verify(forged, frame, y)
    found(report, "tree: 10 leaves, but max_leaves is 9")
    found(report, "step 9, leaf")


RULES = {
    "procedure": ("best", "unknown procedure 'best'"),
    "order": ("wildest", "has no leaf order 'wildest'"),
    "gamma": (7.0, "cannot have gamma = 7.0"),
    "max_leaves": (4, "but max_leaves is 4"),
    "min_samples_leaf": (300, "a child has fewer than 300 rows"),
    "min_weight_fraction_leaf": (0.5, "the weight of a child is below min_weight_fraction_leaf"),
    "families": (("intervals",), "best_binary_gain is"),
}


@every_fit
@pytest.mark.parametrize("rule", RULES)
def test_check_finds_changed_rules(name, rule):
    given = evidence(name)
    value, sentence = RULES[rule]
    if rule == "families" and "groups" not in given.run.rules.families:
        return  # no column has two categories, so intervals offer all binary splits
    run = replace(given.run, rules=replace(given.run.rules, **{rule: value}))
    found(given.but(run=run).report(), sentence)
