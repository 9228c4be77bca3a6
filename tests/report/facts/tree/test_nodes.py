"""The nodes of a tree's report."""

import re

import numpy as np
import pytest

from polytomy.export import captions, node_share
from polytomy.prune import adjusted_p_chance
from tests.report.facts_reader import conditions_of, merged_children, tree_of
from tests.report.tree_cases import NAMES, case, facts_of

every = pytest.mark.parametrize("name", NAMES)


def pairs(facts, model):
    """Yield pairs of nodes of the facts and of a contracted tree, from the root down."""
    tree, counts = model.tree, model.case_counts
    waiting = [(0, 0)]
    while waiting:
        mine, theirs = waiting.pop()
        yield mine, theirs
        children = tree.children(theirs).tolist()
        waiting += match(facts, merged_children(facts, mine), tree, counts, children)


def match(facts, mine, tree, counts, theirs):
    """Pair children by their rows; the order differs if a branch receives missing cells only."""
    assert len(mine) == len(theirs)
    held = [(tree.rows[t], tuple(counts[t])) for t in theirs]
    found = []
    for m in mine:
        node = facts["nodes"][m]
        at = next(
            i
            for i, h in enumerate(held)
            if h is not None and h[0] == node["rows"] and np.allclose(h[1], node["counts"])
        )
        held[at] = None
        found.append((m, theirs[at]))
    return found


@every
def test_nodes_give_the_contracted_tree(name):
    facts, model = facts_of(name), case(name).clf._model
    tree = model.tree
    assert len(tree_of(facts)) == tree.n_nodes
    written = captions(model)
    for mine, theirs in pairs(facts, model):
        node = facts["nodes"][mine]
        assert node["label"] == tree.label[theirs]
        assert node["rows"] == tree.rows[theirs]
        if "children" in node:
            assert node["asks"] == written[theirs].title
            own = sorted(facts["nodes"][c]["answer"] for c in merged_children(facts, mine))
            assert own == sorted(written[theirs].branches)


@every
def test_nodes_have_the_shares_of_the_predicting_tree(name):
    facts, model = facts_of(name), case(name).clf._model
    assert ("honesty" in facts) == (model.honesty is not None)
    for mine, theirs in pairs(facts, model):
        node, share = facts["nodes"][mine], node_share(model, theirs)
        assert node["counts"] == pytest.approx(model.case_counts[theirs], rel=1e-8)
        assert node["share"] == pytest.approx(share.share, abs=1e-8)
        assert node["interval"] == pytest.approx([share.low, share.high], abs=1e-8)
        assert node.get("doubtful", False) == share.is_doubtful


@every
def test_nodes_give_the_rules(name):
    facts, clf = facts_of(name), case(name).clf
    leaves = [n for n, below in tree_of(facts).items() if not below]
    mine = sorted(conditions_of(facts, leaf) for leaf in leaves)
    assert mine == sorted(rule.conditions for rule in clf.to_rules())


@every
def test_nodes_have_counts_that_add_up(name):
    nodes = facts_of(name)["nodes"]
    for node in nodes:
        if "children" in node:
            below = [nodes[c] for c in node["children"]]
            for what in ("counts", "test"):
                total = np.sum([child[what] for child in below], axis=0)
                assert total == pytest.approx(np.array(node[what]), rel=1e-8)
            assert sum(child["rows"] for child in below) == node["rows"]
        assert node["counts"] == pytest.approx(node["test"], rel=1e-8) or name in (
            "held out",
            "weighted",
        )


@every
def test_nodes_have_the_steps_of_the_run(name):
    c, facts = case(name), facts_of(name)
    model = c.clf._model
    steps = {i: n["step"] for i, n in enumerate(facts["nodes"]) if "step" in n}
    for node, step in steps.items():
        split = model.run.splits[step - 1]
        assert len(split.children) == len(facts["nodes"][node]["children"])
        total = model.grown.counts[0].sum()
        assert facts["nodes"][node]["gain"] == pytest.approx(split.gain / total, abs=1e-9)
    inner = sum("children" in n for n in facts["nodes"])
    if name not in ("raised", "priced"):  # pruning merges branches of the latter
        assert len(steps) == inner
    assert len(set(steps.values())) == len(steps)


@pytest.mark.parametrize("name", ["plain", "uncontracted", "pruned", "own"])
def test_nodes_have_the_numbers_of_the_predicting_tree(name):
    c = case(name)
    numbers = {n["id"]: n for n in facts_of(name)["nodes"] if "id" in n}
    tree = c.clf.tree_
    assert sorted(numbers) == list(range(tree.n_nodes))
    for node, facts in numbers.items():
        assert facts["rows"] == tree.rows[node]
        np.testing.assert_allclose(facts["counts"], tree.counts[node])
        assert ("children" in facts) != tree.is_leaf(node)


@every
def test_nodes_have_p_values_with_the_number_of_options(name):
    model = case(name).clf._model
    found = adjusted_p_chance(model.kept, model.schema)
    for i, node in enumerate(facts_of(name)["nodes"]):
        if "children" not in node:
            assert not {"p_chance", "p_adjusted", "among"} & set(node)
            continue
        assert node["p_chance"] == pytest.approx(found.plain[i], rel=1e-3)
        assert node["p_adjusted"] == pytest.approx(found.p[i], rel=1e-3)
        number, arity, rest = re.fullmatch(
            r"(\S+) (\d+)-way splits? and (.*)", node["among"]
        ).groups()
        assert int(arity) == len(node["children"])
        assert rest == f"{found.n_columns} column{'s' * (found.n_columns > 1)}"
        n = 10.0 ** int(number[3:]) if number.startswith("10^") else int(number.replace(",", ""))
        assert np.log(n) == pytest.approx(found.log_options[i], abs=np.log(10) / 2 + 1e-9)
