"""The pruning path as differences, also of trees with too many sizes to store."""

from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

from polytomy.prune import PruningPath
from polytomy.report.facts.tree import pruning_path as module
from polytomy.report.facts.tree.pruning_path import path_facts
from polytomy.report.facts.tree.target import ClassFacts
from polytomy.tree import IntervalSplit, TreeBuilder
from tests.export.awkward_tables import bushy, chain
from tests.report.facts_reader import prunings_of
from tests.report.tree_cases import NAMES, case, facts_of


def facts_of_tree(tree, held=None):
    """Return the path of a tree whose counts are without class weights."""
    model = SimpleNamespace(kept=tree, kept_shares=SimpleNamespace(counts=tree.counts))
    return path_facts(tree, ClassFacts(model, held), held)


@pytest.mark.parametrize("limit", ["sizes", "toggles"])
def test_path_drops_sizes_above_the_limit(limit, monkeypatch):
    if limit == "sizes":
        monkeypatch.setattr(module, "_MOST_SIZES", 40)
    else:
        monkeypatch.setattr(module, "_MOST_TOGGLES", 300)
    tree = bushy(300)[0]._model.kept
    whole, facts = PruningPath(tree), facts_of_tree(tree)
    assert len(facts["sizes"]) < len(whole)
    assert facts["sizes"][:5] == whole.sizes[:5].tolist()
    assert facts["sizes"][-1] == tree.n_leaves
    assert facts["choices"]["srm"] == whole.select("srm")
    assert facts["choices"]["srm"] in facts["sizes"]
    for size, _, leaves in prunings_of({"path": facts}):
        assert len(leaves) == size
        if size in whole.sizes:
            inner = {v for v in leaves if not tree.is_leaf(v)}
            assert inner == set(whole.nodes_at(size).tolist())


def test_path_ends_with_the_whole_tree():
    builder = TreeBuilder(np.array([6.0, 2.0]), 8)
    cut = IntervalSplit(0, np.array([0.5]), -1, 0)
    builder.split(0, cut, np.array([[4.0, 0.0], [2.0, 2.0]]), [4, 4])
    builder.split(2, cut, np.array([[1.0, 1.0], [1.0, 1.0]]), [2, 2])
    tree = builder.finish()
    assert PruningPath(tree).sizes.tolist() == [1]
    held = np.array([[3.0, 3.0], [1.0, 1.0], [2.0, 2.0], [1.0, 1.0], [1.0, 1.0]])
    assert facts_of_tree(tree, held) == {
        "sizes": [1, 3],
        "errors": [2, 2],
        "test_errors": [3, 3],
        "toggles": [[0], [0, 1, 3, 4]],
        "choices": {"srm": 1, "holdout": 1},
        "total": 8,
        "test_total": 6,
    }


def test_path_of_a_long_chain_is_computed():
    tree = chain(3000)[1].kept
    facts = facts_of_tree(tree)
    *_, (size, _, leaves) = prunings_of({"path": facts})
    assert size == len(leaves) == 3001


every = pytest.mark.parametrize("name", NAMES)


@every
def test_path_gives_the_prunings(name):
    facts, model = facts_of(name), case(name).clf._model
    tree = model.kept
    path = PruningPath(tree)
    expected = dict(zip(path.sizes.tolist(), path.training_errors, strict=True))
    nodes = facts["nodes"]
    assert facts["path"]["toggles"][0] == [0]
    for size, errors, leaves in prunings_of(facts):
        assert len(leaves) == size
        wrong = sum(sum(nodes[v]["counts"]) - nodes[v]["counts"][nodes[v]["label"]] for v in leaves)
        assert wrong == pytest.approx(errors, rel=1e-9, abs=1e-9 * facts["path"]["total"])
        if size in expected:
            if model.class_factors is None:
                assert errors == pytest.approx(expected[size])
            cut = {v for v in leaves if "children" in nodes[v]}
            assert cut == set(path.nodes_at(size).tolist())
    assert leaves == set(tree.leaves().tolist())
    assert all(a < b for a, b in pairwise(facts["path"]["sizes"]))
    assert facts["path"]["choices"]["srm"] in facts["path"]["sizes"]
