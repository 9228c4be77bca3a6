"""The Graphviz graph has the tree's nodes and edges, with any names."""

import re

import pandas as pd
import pytest
from hypothesis import given, settings

from polytomy.export import node_mean, to_dot
from tests.export.awkward_tables import NASTY, bushy, chain, fitted, nasty_frame, random_labels
from tests.export.number_trees import NAMES, case
from tests.export.own_split import own_model
from tests.export.random_models import random_models

STRING = r'"((?:[^"\\]|\\.)*)"'
NODE = re.compile(
    rf'    n(\d+) \[label={STRING}, fillcolor="(#[0-9a-f]{{6}})"(, shape=ellipse)?\];'
)
EDGE = re.compile(rf"    n(\d+) -> n(\d+) \[label={STRING}\];")


def parsed(text):
    """Return the nodes and edges of a graph; every line must be one of them."""
    lines = text.splitlines()
    assert lines[0] == "digraph tree {"
    assert lines[-1] == "}"
    nodes, edges = {}, {}
    for line in lines[3:-1]:
        if match := NODE.fullmatch(line):
            nodes[int(match[1])] = (shown(match[2]), match[3], bool(match[4]))
        else:
            match = EDGE.fullmatch(line)
            assert match, line
            edges[int(match[1]), int(match[2])] = shown(match[3])
    return nodes, edges


def shown(label):
    """Return a label as Graphviz shows it."""
    turned = re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], label)
    return turned.replace("&amp;", "&")


def check(model):
    tree = model.tree
    nodes, edges = parsed(to_dot(model))
    assert sorted(nodes) == list(range(tree.n_nodes))
    assert set(edges) == {(int(tree.parent[v]), v) for v in range(1, tree.n_nodes)}
    assert [nodes[v][2] for v in range(tree.n_nodes)] == [
        tree.is_leaf(v) for v in range(tree.n_nodes)
    ]
    return nodes, edges


@settings(max_examples=30)
@given(random_models())
def test_dot_draws_random_trees(drawn):
    check(drawn[0])


def test_dot_draws_every_kind_of_column():
    frame = nasty_frame(300)
    check(fitted(frame, random_labels(300, NASTY))._model)


def test_dot_escapes_names():
    frame = pd.DataFrame({'a "b" \\N &lt;': ["x\\n", 'y"', "z&amp;"] * 8})
    nodes, edges = check(fitted(frame, ["u\\", 'v"', "w"] * 8)._model)
    assert nodes[0][0].split("\n")[0] == 'a "b" \\N &lt;?'
    answers = sorted(edges.values())
    assert [a.split(" is ")[1].removesuffix(" (or unseen)") for a in answers] == [
        "x\\n",
        'y"',
        "z&amp;",
    ]
    assert {text.split(" ")[0] for text, _, leaf in nodes.values() if leaf} == {"u\\", 'v"', "w"}


def test_dot_colours_show_class_and_share():
    frame = pd.DataFrame({"x": [0.0] * 8 + [1.0] * 8 + [2.0] * 8})
    nodes, _ = check(fitted(frame, [0] * 8 + [1] * 8 + [0, 1] * 4, honest=False)._model)
    colours = {text: colour for text, colour, leaf in nodes.values() if leaf}
    assert colours == {
        "class 0: 100% of 8 rows": "#4c9cc9",
        "class 1: 100% of 8 rows": "#e28e4c",
        "class 0: 50% of 8 rows": "#ffffff",
    }


def test_dot_shows_the_words_of_own_splits():
    nodes, edges = check(own_model())
    assert nodes[0][0].startswith('are x0 and x1 "alike"?\n')
    assert list(edges.values()) == ["no", "yes"]


def test_dot_draws_deep_and_large_trees():
    check(chain(5000)[1])
    check(bushy(1500)[0]._model)


@pytest.mark.parametrize("name", NAMES)
def test_dot_of_a_numeric_target_shows_means(name):
    reg, _ = case(name)
    nodes, edges = parsed(reg.to_dot())
    assert len(nodes) == reg.tree_.n_nodes
    assert len(edges) == reg.tree_.n_nodes - 1
    for leaf in reg.tree_.leaves().tolist():
        mean = node_mean(reg._model, leaf)
        assert nodes[leaf][0] == mean.in_full(int(reg.tree_.rows[leaf]))
