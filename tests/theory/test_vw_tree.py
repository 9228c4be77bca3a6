"""Visited weighted trees: conditions by hand and by a slow oracle, lemmas by growing trees."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polytomy._errors import ParameterError
from polytomy.encode import Target, encode
from polytomy.grow import GrowParams, grow
from polytomy.index import INDICES, functions
from polytomy.table import Table
from polytomy.theory import e
from polytomy.theory.branching_game import BranchingGame
from polytomy.theory.vw_tree import VWTree
from polytomy.tree import IntervalSplit, TreeBuilder

seeds = st.integers(0, 2**32 - 1)


class Growing:
    """A growing VW-tree, as lists."""

    def __init__(self, w, gamma):
        self.w, self.v, self.parent, self.gamma = [w], [1], [-1], gamma

    @property
    def leaves(self):
        return [m for m in range(len(self.w)) if m not in self.parent]

    def share(self, m):
        return e(self.v[m], self.gamma) * self.w[m] / self.v[m]

    def grow(self, m, weights):
        self.w += list(weights)
        self.v += [1] * len(weights)
        self.parent += [m] * len(weights)

    def finish(self):
        return VWTree(self.w, self.v, self.parent, self.gamma)


@given(st.floats(0.1, 2), st.floats(0, 1), st.integers(1, 30), seeds)
def test_vw_growth_procedure_keeps_the_invariant(w, gamma, steps, seed):
    """Lemma 5.1, with leaves that were visited and did not grow."""
    rng = np.random.default_rng(seed)
    tree = Growing(w, gamma)
    for _ in range(steps):
        leaf = max(tree.leaves, key=tree.share)
        tree.v[leaf] += 1
        if rng.random() < 0.5:
            k = tree.v[leaf]
            most = e(k, gamma) * tree.w[leaf]
            tree.grow(leaf, rng.dirichlet(np.ones(k)) * most * rng.choice([1, 1, 0.7]))
        done = tree.finish()
        assert done.invariant_holds
        assert done.locally_well_formed
    assert done.size == steps + 1


def well_formed(seed, gamma, alpha):
    """Grow a well-formed tree at its heaviest leaf, sometimes wider than is safe."""
    rng = np.random.default_rng(seed)
    tree = Growing(1.0, gamma)
    for _ in range(rng.integers(1, 16)):
        leaf = max(tree.leaves, key=tree.share)
        k = int(rng.choice([2, 2, 2, 3, 4]))
        tree.grow(leaf, rng.dirichlet(np.full(k, alpha)) * e(k, gamma) * tree.w[leaf])
        tree.v[leaf] = k
    return tree.finish()


def test_well_formed_and_safe_trees_keep_the_invariant():
    """Lemma 5.2, which needs safety."""
    trees = [
        well_formed(seed, gamma, alpha)
        for seed in range(120)
        for gamma in (0.1, 0.3, 0.6)
        for alpha in (0.3, 20)
    ]
    assert all(tree.locally_well_formed for tree in trees)
    safe = [tree for tree in trees if tree.globally_safe]
    assert all(tree.invariant_holds for tree in safe)
    assert sum(tree.arity.max() > 2 for tree in safe) > 40
    assert any(not tree.invariant_holds for tree in trees)


def test_vw_invariant_needs_leaves_that_are_visited_once():
    """Well formed and safe, but a light leaf was visited before a heavy one: not a valid run."""
    tree = VWTree([1.0, 0.49, 0.01], [2, 1, 5], [-1, 0, 0], gamma=0.5)
    assert tree.locally_well_formed
    assert tree.globally_safe
    assert not tree.invariant_holds
    assert (tree.size, tree.bound) == (6, pytest.approx(e(6, 0.5)))


@given(seeds, st.floats(0, 1))
def test_conditions_equal_a_slow_oracle(seed, gamma):
    rng = np.random.default_rng(seed)
    tree = Growing(rng.uniform(0.1, 2), gamma)
    for _ in range(rng.integers(0, 12)):
        leaf = int(rng.choice(tree.leaves))
        k = int(rng.integers(2, 5))
        tree.grow(leaf, rng.dirichlet(np.ones(k)) * tree.w[leaf] * rng.uniform(0.2, 1))
        tree.v[leaf] = k
    done, leaves = tree.finish(), tree.leaves
    inner = sorted(set(tree.parent) - {-1})
    below = {m: [c for c, p in enumerate(tree.parent) if p == m] for m in inner}
    total = {m: sum(tree.w[c] for c in below[m]) for m in inner}
    heaviest = max(tree.w[leaf] for leaf in leaves)

    def floor(m):
        return e(tree.v[m] - 1, gamma) * tree.w[m] / (tree.v[m] - 1)

    assert done.leaves.tolist() == leaves
    assert done.internal.tolist() == inner
    assert done.size == len(leaves)
    assert done.index == pytest.approx(sum(tree.w[leaf] for leaf in leaves))
    assert done.unformed.tolist() == [
        m for m in inner if total[m] > e(tree.v[m], gamma) * tree.w[m] * (1 + 2e-9)
    ]
    assert done.unsafe.tolist() == [m for m in inner if heaviest > floor(m) * (1 + 2e-9)]
    assert done.bound == pytest.approx(tree.w[0] * e(len(leaves), gamma))
    for m in inner:
        assert done.child[done.child_start[m] : done.child_start[m + 1]].tolist() == below[m]


def split_twice():
    builder = TreeBuilder(np.array([6.0, 4.0]), 10)
    thirds = IntervalSplit(0, np.array([1.0, 2.0]), -1, 0)
    builder.split(0, thirds, np.array([[4.0, 0], [1, 1], [1, 3]]), [4, 2, 4])
    builder.split(3, IntervalSplit(1, np.array([1.0]), -1, 0), np.array([[1.0, 0], [0, 3]]), [1, 3])
    return builder.finish()


def test_vw_tree_of_a_decision_tree_equals_values_computed_by_hand():
    """Gini: 2 (n - sum of squares / n): 9.6, 0, 2, 3, 0, 0 of a weight of 10."""
    tree = VWTree.from_tree(split_twice(), "gini", 0.2)
    assert tree.w == pytest.approx(np.array([0.96, 0, 0.2, 0.3, 0, 0]))
    assert tree.v.tolist() == [3, 1, 1, 2, 1, 1]
    assert tree.parent.tolist() == [-1, 0, 0, 0, 3, 3]
    assert tree.size == 4
    assert tree.index == pytest.approx(0.2)
    assert tree.bound == pytest.approx(0.96 * 0.8 * 0.9 * (1 - 0.2 / 3))
    assert tree.locally_well_formed  # 0.5 <= e(3) 0.96 = 0.6912
    assert tree.globally_safe  # 0.2 <= e(2) 0.96 / 2 = 0.384, and <= 0.3
    assert tree.invariant_holds
    assert str(tree) == (
        "VW-tree of 4 leaves for gamma = 0.2: I(T) = 0.2 <= 0.6451 = w(root) e(4)\n"
        "locally well formed: yes\nglobally safe: yes"
    )


def test_vw_tree_text_names_the_failing_nodes():
    tree = VWTree.from_tree(split_twice(), "gini", 0.5)  # 0.5 > 0.96 * 0.5 * 0.75
    assert tree.unformed.tolist() == [0]
    assert "locally well formed: no, 1 of 2 internal nodes lose less than" in str(tree)
    waited = VWTree([1, 0.5, 0.4, 0.2, 0.2], [2, 1, 2, 1, 1], [-1, 0, 0, 2, 2], 0.1)
    assert waited.unsafe.tolist() == [2]  # its sibling was heavier and was not split
    assert not waited.globally_safe
    assert str(waited).endswith("no, 1 of 2 internal nodes are too light for the heaviest leaf: 2")
    wide = VWTree([1, 0.3, 0.2, 0.1], [3, 1, 1, 1], [-1, 0, 0, 0], 0.1)
    assert wide.globally_safe  # 0.3 <= e(2) / 2 = 0.45
    assert VWTree([1, 0.46, 0.2, 0.1], [3, 1, 1, 1], [-1, 0, 0, 0], 0.1).unsafe.tolist() == [0]
    visited = VWTree([1, 0.46, 0.2, 0.1], [3, 2, 1, 1], [-1, 0, 0, 0], 0.1)
    assert visited.globally_safe  # e(2) 0.46 / 2 = 0.207
    assert VWTree([1, 0.1, 0.1], [3, 1, 1], [-1, 0, 0], 0.1).unformed.tolist() == [0]  # v is not k


def test_conditions_tolerate_rounding_only():
    for excess, fine in ((5e-10, True), (5e-9, False)):
        w = 0.45 * (1 + excess)
        assert VWTree([1, w, w], [2, 1, 1], [-1, 0, 0], 0.1).locally_well_formed == fine
        assert VWTree([1, w, w], [2, 1, 1], [-1, 0, 0], 0.1).invariant_holds == fine
        assert VWTree([1, w, 0, 0], [3, 1, 1, 1], [-1, 0, 0, 0], 0.1).globally_safe == fine


def test_vw_tree_text_is_short_with_many_failing_nodes():
    chain = VWTree(np.ones(41), [2, 1] * 20 + [1], [-1, *np.repeat(range(0, 40, 2), 2)], 0.1)
    assert len(chain.unformed) == 20
    assert "0, 2, 4, 6, 8, 10, 12, 14, ...\n" in str(chain)
    assert "I(T) = 21 > 0.692" in str(chain)


@pytest.mark.parametrize("index", [*INDICES, INDICES["error"], lambda c: 2 * functions.gini(c)])
def test_vw_tree_accepts_any_index_without_a_warning(index):
    tree = VWTree.from_tree(split_twice(), index, 0.0)
    assert (
        tree.locally_well_formed
    )  # gamma = 0: an index never increases from a node to its children
    assert tree.invariant_holds


def test_vw_tree_rejects_an_unknown_index():
    with pytest.raises(ParameterError, match="index must be one of"):
        VWTree.from_tree(split_twice(), "twoing", 0.1)


def test_vw_tree_of_a_single_leaf_keeps_the_invariant():
    leaf = TreeBuilder(np.array([2.0, 2.0, 2.0]), 6).finish()
    tree = VWTree.from_tree(leaf, "sqrt", float("nan"))
    assert tree.gamma == 0
    assert tree.w.tolist() == pytest.approx(
        [2]
    )  # with three classes the root may have the weight 2
    assert tree.size == 1
    assert tree.index == tree.bound == tree.w[0]
    assert tree.locally_well_formed
    assert tree.globally_safe
    assert tree.invariant_holds
    assert str(tree).startswith("VW-tree of 1 leaf for gamma = 0: I(T) = 2 <= 2")


def run(procedure, order="auto", n_classes=2, **others):
    rng = np.random.default_rng(0)
    x = rng.random((3000, 3))
    labels = ((x[:, 0] * 48).astype(int) + (x[:, 1] > 0.6)) % n_classes
    params = GrowParams(procedure=procedure, leaf_order=order, index="sqrt", **others)
    return grow(encode(Table.of(x)), Target.of(labels), params)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_binary_trees_in_heaviest_order_meet_both_conditions(n_classes):
    growth = run("kearns-mansour", n_classes=n_classes, max_leaves=60)
    gamma = min(step.advantage for step in growth.expansions)
    tree = VWTree.from_tree(growth.tree, "sqrt", gamma)
    assert tree.locally_well_formed
    assert tree.globally_safe
    assert tree.invariant_holds
    assert not VWTree.from_tree(growth.tree, "sqrt", gamma * 1.01).locally_well_formed
    steep = run("kearns-mansour", "steepest", n_classes, max_leaves=60)
    assert not VWTree.from_tree(steep.tree, "sqrt", 0.0).globally_safe


@pytest.mark.parametrize("adversary", ["log-price", "linear-price", "peeling", "random"])
def test_boosting_runs_of_mansour_mcallester_meet_both_conditions(adversary):
    """Lemmas 5.3 and 5.4, for the trees of their game."""
    game = BranchingGame(1.0, 300, 0.2, adversary=adversary, random_state=1)
    tree = Growing(1.0, 0.2)
    for move in game.play("mansour-mcallester").moves:
        tree.grow(move.leaf, move.option.children)
        tree.v[move.leaf] = move.arity
    assert max(tree.v) > 2
    done = tree.finish()
    assert done.index == pytest.approx(game.weight)
    assert done.locally_well_formed
    assert done.globally_safe
    assert done.invariant_holds


def test_vw_tree_of_a_large_tree_is_fast():
    n = 40001
    parent = np.concatenate([[-1], np.arange(n - 1) // 2])
    w = 0.5 ** np.floor(np.log2(np.arange(1, n + 1))) * 0.9 ** np.floor(
        np.log2(np.arange(1, n + 1))
    )
    v = np.where(np.bincount(parent[1:], minlength=n) > 0, 2, 1)
    tree = VWTree(w, v, parent, 0.1)
    assert tree.size == 20001
    assert tree.locally_well_formed
    assert tree.globally_safe
    assert tree.invariant_holds
    assert tree.bound == pytest.approx(e(20001, 0.1))


def test_vw_tree_arrays_are_frozen_copies():
    w = np.array([1.0, 0.4, 0.4])
    tree = VWTree(w, [2, 1, 1], [-1, 0, 0], 0.2)
    w[0] = 5
    assert tree.w[0] == 1
    with pytest.raises(ValueError, match="read-only"):
        tree.w[0] = 2
    with pytest.raises(AttributeError):
        tree.gamma = 0.1


REFUSED = {
    "lengths": (([1, 1], [1], [-1, 0], 0.1), "one entry for each node"),
    "no nodes": (([], [], [], 0.1), "one entry for each node"),
    "negative": (([1, -1], [1, 1], [-1, 0], 0.1), "finite and at least 0"),
    "infinite": (([1, np.inf], [1, 1], [-1, 0], 0.1), "finite and at least 0"),
    "unvisited": (([1, 1], [1, 0], [-1, 0], 0.1), "counts v must be at least 1"),
    "rootless": (([1, 1], [1, 1], [0, 0], 0.1), "parent must be -1 at node 0"),
    "later parent": (([1, 1, 1], [1, 1, 1], [-1, 2, 0], 0.1), "an earlier node"),
    "two roots": (([1, 1], [1, 1], [-1, -1], 0.1), "an earlier node"),
    "gamma": (([1, 1, 1], [2, 1, 1], [-1, 0, 0], 1.2), "gamma must be from 0 to 1"),
    "gamma nan": (([1, 1, 1], [2, 1, 1], [-1, 0, 0], np.nan), "of more than one node, got nan"),
}


@pytest.mark.parametrize("why", REFUSED)
def test_vw_tree_rejects_invalid_arrays(why):
    arguments, sentence = REFUSED[why]
    with pytest.raises(ParameterError, match=sentence):
        VWTree(*arguments)
