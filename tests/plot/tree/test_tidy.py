"""Tidy layouts have no overlaps, keep the order, centre parents and are as narrow as possible."""

import time
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from polytomy.plot.tree.tidy import tidy
from tests.naive.tidy import naive_tidy


@st.composite
def trees(draw, most=24):
    """The children of each node, and widths in quarters, which floats represent exactly."""
    n = draw(st.integers(1, most))
    children = [[] for _ in range(n)]
    for node in range(1, n):
        children[draw(st.integers(max(0, node - 6), node - 1))].append(node)
    widths = draw(st.lists(st.integers(1, 40).map(lambda w: w / 4), min_size=n, max_size=n))
    return children, widths


gaps = st.integers(0, 12).map(lambda g: g / 4)


def levels_of(children):
    """Return the nodes of each level from left to right."""
    level = [0]
    while level:
        yield level
        level = [child for node in level for child in children[node]]


@given(trees(), gaps, gaps)
def test_tidy_equals_the_naive_layout(tree, gap, apart):
    children, widths = tree
    naive = np.array([float(x) for x in naive_tidy(children, widths, gap, apart)])
    np.testing.assert_allclose(tidy(children, widths, gap, apart), naive, atol=1e-9)


@given(trees(60), gaps, gaps)
def test_tidy_keeps_order_and_distance_in_a_level(tree, gap, apart):
    children, widths = tree
    at = tidy(children, widths, gap, apart)
    parent = {child: node for node, below in enumerate(children) for child in below}
    for level in levels_of(children):
        for a, b in pairwise(level):
            space = gap if parent[a] == parent[b] else apart
            assert at[b] - at[a] >= (widths[a] + widths[b]) / 2 + space - 1e-9
    assert abs(min(at - np.array(widths) / 2)) < 1e-9


@given(trees(60), gaps)
def test_tidy_centres_parents_above_their_children(tree, gap):
    children, widths = tree
    at = tidy(children, widths, gap)
    for node, below in enumerate(children):
        if below:
            assert abs(at[node] - (at[below[0]] + at[below[-1]]) / 2) < 1e-9


@given(trees(40), gaps, gaps)
def test_tidy_mirrors_a_mirrored_tree(tree, gap, apart):
    children, widths = tree
    at = tidy(children, widths, gap, apart)
    mirrored = tidy([below[::-1] for below in children], widths, gap, apart)
    np.testing.assert_allclose(at - at[0], -(mirrored - mirrored[0]), atol=1e-9)


@given(trees(12), st.integers(2, 4), gaps)
def test_tidy_draws_equal_subtrees_alike(tree, copies, gap):
    children, widths = tree
    n = len(children)
    whole, all_widths = [[1 + i * n for i in range(copies)]], [1.0]
    for i in range(copies):
        whole += [[1 + i * n + child for child in below] for below in children]
        all_widths += widths
    at = tidy(whole, all_widths, gap)
    alone = tidy(children, widths, gap)
    shapes = [at[1 + i * n : 1 + (i + 1) * n] - at[1 + i * n] for i in range(copies)]
    for shape in shapes:
        np.testing.assert_allclose(shape, alone - alone[0], atol=1e-9)


def test_tidy_centres_small_subtrees_between_large_ones():
    # a leaf between two wide families is centred between them
    children = [[1, 2, 3], [4, 5, 6], [], [7, 8, 9], *[[]] * 6]
    at = tidy(children, [1.0] * 10)
    assert at[2] == (at[1] + at[3]) / 2


def test_tidy_takes_linear_time_on_deep_trees():
    n = 40_000  # a chain of splits, each with one leaf
    children = [[] for _ in range(2 * n + 1)]
    for i in range(n):
        children[2 * i] = [2 * i + 1, 2 * i + 2]
    started = time.process_time()
    at = tidy(children, [1.0] * (2 * n + 1))
    assert time.process_time() - started < 20  # a quadratic algorithm takes hours
    assert np.ptp(at) == n * 1.0 + 1


def test_tidy_places_a_single_node():
    assert tidy([[]], [3.0]).tolist() == [1.5]
