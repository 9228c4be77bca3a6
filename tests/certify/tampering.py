"""Estimators fitted on a mixed table, and ways to tamper with their runs and trees."""

from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

from polytomy.certify import issue_certificate
from polytomy.certify.verify import verify_run
from polytomy.estimators import TreeClassifier, TreeRegressor
from polytomy.table import Table
from polytomy.tree import TreeBuilder

N = 400


@cache
def mixed_table():
    """Return a table of numbers, dates, labels and categories with missing cells, and classes."""
    rng = np.random.default_rng(11)
    day = pd.to_datetime("2024-01-01") + pd.to_timedelta(rng.integers(0, 60, N), "D")
    frame = pd.DataFrame(
        {
            "x": rng.integers(0, 40, N) / 4,
            "day": day,
            "size": pd.Categorical(rng.choice(["S", "M", "L"], N), ["S", "M", "L"], ordered=True),
            "town": rng.choice(["Ulm", "Rom", "Wien", "Bern", "Graz"], N),
        }
    )
    score = frame["x"] // 3 + (frame["town"] < "R") * 2 + (day.day > 15)
    labels = np.where(rng.random(N) < 0.25, rng.integers(0, 4, N), score.astype(int) % 4)
    for name in frame.columns:
        frame.loc[rng.random(N) < 0.1, name] = None
    return frame, labels


FITS = {
    "per-leaf": ({"procedure": "per-leaf", "max_leaves": 12, "min_samples_leaf": 4}, 2, True),
    "hatano": ({"procedure": "hatano", "index": "entropy", "max_leaves": 30}, 3, False),
    "kearns-mansour": (
        {"procedure": "kearns-mansour", "index": "sqrt", "max_leaves": 14, "max_depth": 4},
        4,
        True,
    ),
    "steepest": (
        {"procedure": "kearns-mansour", "leaf_order": "steepest", "max_leaves": 10},
        3,
        False,
    ),
    "mansour-mcallester": (
        {"procedure": "mansour-mcallester", "gamma": 0.4, "max_leaves": 60, "index": "sqrt"},
        2,
        False,
    ),
    "id3": ({"procedure": "id3", "max_leaves": 16}, 3, True),
    "gain-ratio": ({"procedure": "gain-ratio", "max_leaves": 16}, 3, False),
    "squared error": ({"procedure": "per-leaf", "max_leaves": 12, "min_samples_leaf": 4}, 0, True),
    "poisson": ({"procedure": "hatano", "max_leaves": 40, "criterion": "poisson"}, 0, False),
}


every_fit = pytest.mark.parametrize("name", FITS)


@cache
def fitted(name):
    """Return an estimator and its training data; 0 classes are numbers."""
    parameters, n_classes, weighted = FITS[name]
    frame, labels = mixed_table()
    weights = np.random.default_rng(2).exponential(size=N) if weighted else None
    if n_classes == 0:
        y = labels + np.random.default_rng(3).integers(0, 50, N) / 20
        return TreeRegressor(**parameters).fit(frame, y, weights), frame, y, weights
    y = np.array(["no", "yes", "so", "else"])[labels % n_classes]
    return TreeClassifier(**parameters).fit(frame, y, weights), frame, y, weights


@dataclass(frozen=True)
class Evidence:
    """The arguments of ``verify_run``, so that single ones can be replaced."""

    run: Any
    certificate: Any
    tree: Any
    schema: Any
    table: Any
    labels: Any
    weights: Any

    def but(self, **changes):
        """Return a copy with arguments replaced; the certificate refers to the new run and tree."""
        changed = replace(self, **changes)
        if "certificate" in changes:
            return changed
        certificate = replace(self.certificate, run=changed.run, tree=changed.tree)
        return replace(changed, certificate=certificate)

    def report(self):
        return verify_run(*(getattr(self, f.name) for f in fields(self)))


@cache
def evidence(name):
    clf, frame, y, weights = fitted(name)
    model = clf._model
    labels = y if model.is_numeric else np.searchsorted(clf.classes_, y)
    table = Table.of(frame)
    return Evidence(model.run, clf.certificate_, model.grown, model.schema, table, labels, weights)


def counted(name):
    """Return what findings call the counts of a fit."""
    return "moments" if FITS[name][1] == 0 else "class weights"


def with_entry(array, at, value):
    """Return a copy of an array with one entry replaced."""
    changed = np.array(array)
    changed[at] = value
    return changed


def with_split(run, at, **changes):
    """Return a run with one split changed."""
    splits = list(run.splits)
    splits[at] = replace(splits[at], **changes)
    return replace(run, splits=tuple(splits))


def found(report, sentence):
    """Assert that a report has a finding with this text."""
    assert not report
    findings = [str(finding) for finding in report.findings]
    assert any(sentence in finding for finding in findings), findings[:5]


def rebuilt(given, order):
    """Return evidence of the same splits in another order, with consistent numbers."""
    tree = given.tree
    builder = TreeBuilder(tree.counts[0], tree.rows[0], tree.centre)
    renamed, splits = {0: 0}, []
    for at in order:
        split = given.run.splits[at]
        was = list(split.children)
        before = builder.n_leaves
        new = builder.split(
            renamed[split.leaf], tree.split(split.leaf), tree.counts[was], tree.rows[was]
        )
        renamed.update(zip(was, new, strict=True))
        leaf, children = renamed[split.leaf], tuple(new)
        splits.append(replace(split, leaf=leaf, children=children, leaves_before=before))
    retired = tuple(replace(r, leaf=renamed[r.leaf]) for r in given.run.retired)
    run = replace(given.run, splits=tuple(splits), retired=retired)
    grown = builder.finish()
    return given.but(run=run, tree=grown, certificate=issue_certificate(run, grown, given.schema))


def swapped_steps(given, least_difference=0):
    """Return a step that can be swapped with the next, and the order after the swap."""
    splits = given.run.splits
    at = next(
        at
        for at in range(1, len(splits) - 1)
        if splits[at + 1].leaf not in splits[at].children
        and abs(splits[at + 1].arity - splits[at].arity) >= least_difference
    )
    return at, [*range(at), at + 1, at, *range(at + 2, len(splits))]
