"""The Mermaid flowchart has the tree's nodes and edges, with any names."""

import re

import pandas as pd
import pytest
from hypothesis import given, settings

from polytomy.export import node_mean, to_mermaid
from tests.export.awkward_tables import NASTY, bushy, chain, fitted, nasty_frame, random_labels
from tests.export.number_trees import NAMES, case
from tests.export.own_split import own_model
from tests.export.random_models import random_models

TEXT = r'"([^"<>`&\\\[\]{}|]*(?:<br/>[^"<>`&\\\[\]{}|]*)?)"'  # nothing that could be markup
INNER = re.compile(rf"    n(\d+)\[{TEXT}\]")
LEAF = re.compile(rf"    n(\d+)\(\[{TEXT}\]\)")
EDGE = re.compile(rf"    n(\d+) -->\|{TEXT}\| n(\d+)")
STYLE = re.compile(r"    style n(\d+) fill:#[0-9a-f]{6},stroke:#333,color:#000")


def shown(text):
    """Return text with numeric entities decoded, as Mermaid shows it."""
    return re.sub(r"#(\d+);", lambda m: chr(int(m[1])), text.replace("<br/>", "\n"))


def parsed(text):
    """Return inner nodes, leaves and edges; every line must be one of them, or a colour."""
    lines = text.splitlines()
    assert lines[0] == "flowchart TD"
    inner, leaves, edges, styles = {}, {}, {}, []
    for line in lines[1:]:
        if match := INNER.fullmatch(line):
            inner[int(match[1])] = shown(match[2])
        elif match := LEAF.fullmatch(line):
            leaves[int(match[1])] = shown(match[2])
        elif match := EDGE.fullmatch(line):
            edges[int(match[1]), int(match[3])] = shown(match[2])
        else:
            match = STYLE.fullmatch(line)
            assert match, line
            styles.append(int(match[1]))
    assert sorted(styles) == sorted([*inner, *leaves])
    return inner, leaves, edges


def check(model):
    tree = model.tree
    inner, leaves, edges = parsed(to_mermaid(model))
    assert sorted(leaves) == tree.leaves().tolist()
    assert len(inner) + len(leaves) == tree.n_nodes
    assert set(edges) == {(int(tree.parent[v]), v) for v in range(1, tree.n_nodes)}
    return inner, leaves, edges


@settings(max_examples=30)
@given(random_models())
def test_mermaid_draws_random_trees(drawn):
    check(drawn[0])


def test_mermaid_draws_every_kind_of_column():
    frame = nasty_frame(300)
    check(fitted(frame, random_labels(300, NASTY))._model)


def test_mermaid_escapes_names():
    frame = pd.DataFrame({'a "b" `c` #35; <d>': ["x[", "y]|", "z&amp;"] * 8})
    inner, leaves, edges = check(fitted(frame, ["u;", "v}", "end"] * 8)._model)
    assert inner[0].split("\n")[0] == 'a "b" `c` #35; <d>?'
    shown = {answer.split(" is ")[1].removesuffix(" (or unseen)") for answer in edges.values()}
    assert shown == {"x[", "y]|", "z&amp;"}
    assert {text.split(" ")[0] for text in leaves.values()} == {"u;", "v}", "end"}


def test_mermaid_shows_the_words_of_own_splits():
    inner, _, edges = check(own_model())
    assert inner[0].startswith('are x0 and x1 "alike"?\n')
    assert list(edges.values()) == ["no", "yes"]


def test_mermaid_draws_deep_and_large_trees():
    check(chain(5000)[1])
    check(bushy(1500)[0]._model)


@pytest.mark.parametrize("name", NAMES)
def test_mermaid_of_a_numeric_target_shows_means(name):
    reg, _ = case(name)
    leaves = parsed(reg.to_mermaid())[1]
    assert sorted(leaves) == reg.tree_.leaves().tolist()
    for leaf, text in leaves.items():
        mean = node_mean(reg._model, leaf)
        assert text == mean.in_full(int(reg.tree_.rows[leaf]))
