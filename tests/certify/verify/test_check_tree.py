"""The verifier finds tampered trees: thresholds, branches, counts, edges."""

from copy import copy
from dataclasses import replace

import numpy as np
import pytest

from polytomy import verify
from polytomy.tree import CODES, INTERVALS, OWN
from tests.certify.tampering import FITS, counted, every_fit, evidence, fitted, found, with_entry


def node_where(tree, holds):
    return next(v for v in range(tree.n_nodes) if not tree.is_leaf(v) and holds(v))


def tampered(name, **arrays):
    given = evidence(name)
    changed = {key: with_entry(getattr(given.tree, key), *at) for key, at in arrays.items()}
    return given.but(tree=replace(given.tree, **changed)).report()


@every_fit
def test_check_finds_a_threshold_that_moves_rows(name):
    tree = evidence(name).tree
    node = node_where(tree, lambda v: tree.kind[v] == INTERVALS and tree.feature[v] == 0)
    at, child = tree.threshold_start[node], int(tree.children(node)[0])
    report = tampered(name, threshold=(at, tree.threshold[at] - 1))
    found(report, f"tree, node {child}: the number of rows")


@every_fit
def test_check_finds_a_threshold_that_moves_no_rows(name):
    tree = evidence(name).tree
    node = node_where(tree, lambda v: tree.kind[v] == INTERVALS and tree.feature[v] == 0)
    at = tree.threshold_start[node]
    report = tampered(name, threshold=(at, tree.threshold[at] + 1e-6))
    found(report, f"tree, node {node}: a threshold is stated as")
    assert len(report.findings) == 1


@every_fit
def test_check_finds_a_category_in_another_branch(name):
    tree = evidence(name).tree
    node = node_where(tree, lambda v: tree.kind[v] == CODES)
    start, stop = tree.code_to_branch_start[node : node + 2]
    at = next(i for i in range(start, stop) if tree.code_to_branch[i] >= 0)
    other = (tree.code_to_branch[at] + 1) % tree.arity(node)
    child = int(tree.children(node)[other])
    found(tampered(name, code_to_branch=(at, other)), f"tree, node {child}: the number of rows")
    report = tampered(name, code_to_branch=(at, -1))
    found(report, f"tree, node {node}: the list of categories with a branch")
    found(report, "training rows take the default branch")


@every_fit
def test_check_finds_missing_cells_in_another_branch(name):
    tree = evidence(name).tree
    node = node_where(tree, lambda v: tree.missing_branch[v] >= 0)
    other = (tree.missing_branch[node] + 1) % tree.arity(node)
    child = int(tree.children(node)[other])
    found(tampered(name, missing_branch=(node, other)), f"tree, node {child}: the number of rows")
    report = tampered(name, missing_branch=(node, -1))
    found(report, f"tree, node {node}: the node has missing cells, but missing_branch is -1")


@pytest.mark.parametrize("name", ["hatano", "mansour-mcallester"])
def test_check_finds_a_branch_for_unseen_missing_cells(name):
    tree = evidence(name).tree
    node = node_where(tree, lambda v: tree.missing_branch[v] == -1)
    report = tampered(name, missing_branch=(node, 0))
    found(report, f"tree, node {node}: the node has no missing cells, but missing_branch is 0")


@every_fit
def test_check_finds_another_default_branch(name):
    tree = evidence(name).tree
    other = (tree.default_branch[0] + 1) % tree.arity(0)
    found(tampered(name, default_branch=(0, other)), "tree, node 0: default_branch")


@every_fit
@pytest.mark.parametrize("node", [0, 1, -1])
def test_check_finds_a_changed_count(name, node):
    tree = evidence(name).tree
    at = range(tree.n_nodes)[node]
    weight = tree.counts[at].sum()
    changed = tampered(name, counts=((at, 0), tree.counts[at, 0] + 1e-6 * weight))
    found(changed, f"tree, node {at}: the {counted(name)}")
    found(tampered(name, rows=(at, tree.rows[at] + 1)), f"tree, node {at}: the number of rows")


def test_check_finds_scaled_counts():
    given = evidence("hatano")
    tree = replace(given.tree, counts=given.tree.counts * 2)
    found(given.but(tree=tree).report(), "tree, node 0: the class weights")


@every_fit
def test_check_finds_another_column(name):
    tree = evidence(name).tree
    for kind, wrong in ((INTERVALS, 3), (CODES, 0)):
        node = node_where(tree, lambda v, kind=kind: tree.kind[v] == kind)
        report = tampered(name, feature=(node, wrong))
        found(
            report,
            f"tree: rows cannot be routed: the split of node {node} does not fit column {wrong}",
        )
    node = node_where(tree, lambda v: tree.kind[v] == INTERVALS)
    found(tampered(name, feature=(node, (tree.feature[node] + 1) % 3)), "the number of rows")


@every_fit
def test_check_finds_changed_edges(name):
    tree = evidence(name).tree
    found(tampered(name, child=(0, 2)), "tree: not a tree: a node does not have exactly one parent")
    found(tampered(name, child=(0, 2)), "tree: rows cannot be routed")
    found(tampered(name, parent=(2, 1)), "tree: not a tree: parent and child disagree")
    swapped = given_with_swapped_children(name)
    found(swapped.report(), "children are not numbered consecutively from 1")
    assert tree.parent[2] == 0


def given_with_swapped_children(name):
    given = evidence(name)
    child = given.tree.child.copy()
    child[[0, 1]] = child[[1, 0]]
    return given.but(tree=replace(given.tree, child=child))


def test_check_finds_missing_custom_splits():
    tree = evidence("hatano").tree
    node = node_where(tree, lambda v: tree.kind[v] == INTERVALS)
    report = tampered("hatano", kind=(node, OWN))
    found(report, f"tree: the nodes with a user-defined split is stated as [{node}], found []")
    found(report, "tree: rows cannot be routed")


@pytest.mark.parametrize("array", ["feature", "missing_branch", "default_branch"])
def test_check_finds_a_leaf_with_a_split(array):
    leaf = int(evidence("hatano").tree.leaves()[0])
    found(tampered("hatano", **{array: (leaf, 0)}), f"tree, node {leaf}: its column and branches")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan, -3.0])
def test_check_finds_an_invalid_count(value):
    for name in FITS:
        found(tampered(name, counts=((2, 0), value)), f"tree, node 2: the {counted(name)}")


@every_fit
def test_check_finds_changes_in_the_tree_that_predicts(name):
    clf, frame, y, weights = fitted(name)
    tree = clf.tree_
    forged = copy(clf)
    forged._model = replace(clf._model)
    node = int(np.flatnonzero(tree.feature == 0)[0])
    start = tree.threshold_start[node]
    cuts = with_entry(tree.threshold, start, tree.threshold[start] - 1e-6)
    forged._model.__dict__["tree"] = replace(tree, threshold=cuts)
    found(verify(forged, frame, y, weights), "tree that predicts: it is not the tree that was kept")
    counts = with_entry(tree.counts, (1, 0), 1e6)
    forged._model.__dict__["tree"] = replace(tree, counts=counts)
    found(verify(forged, frame, y, weights), f"tree that predicts, node 1: the {counted(name)}")
