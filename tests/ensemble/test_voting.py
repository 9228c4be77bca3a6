"""All ways to vote give the same bits: merged, tree by tree, staged, with any number of threads."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polytomy import ParameterError, TableError
from polytomy.ensemble import Ensemble, Member, staged_votes, votes, votes_after
from polytomy.ensemble.voting import MergedStumps, TreeGroup, UserTree, VotingTable, plan_by_trees
from polytomy.tree import IntervalSplit, TreeBuilder
from tests.ensemble.random_ensembles import probe_table, random_ensemble
from tests.naive.votes import naive_stages

seeds = st.integers(0, 2**32 - 1)


def by_trees(ensemble, table, threads=1):
    plan = plan_by_trees(ensemble.schema, ensemble.members, ensemble.start)
    return plan.votes(VotingTable.of(table, ensemble.schema, threads))


@settings(max_examples=200)
@given(seeds, st.sampled_from([1, 1, 2, 3]), st.booleans(), st.sampled_from([1, 3]))
def test_votes_of_merged_stumps_equal_votes_tree_by_tree(seed, n_outputs, own, threads):
    rng = np.random.default_rng(seed)
    ensemble = random_ensemble(rng, n_outputs=n_outputs, own=own)
    table = probe_table(rng)
    expected = naive_stages(ensemble, table)[-1]
    assert not any(isinstance(part, TreeGroup) for part in ensemble.voting_plan.parts)
    assert votes(ensemble, table, threads).tobytes() == expected.tobytes()
    assert by_trees(ensemble, table, threads).tobytes() == expected.tobytes()


@settings(max_examples=150)
@given(seeds, st.sampled_from([1, 1, 2, 4]), st.booleans(), st.sampled_from([1, 3]))
def test_votes_of_trees_equal_the_oracle(seed, n_outputs, own, threads):
    rng = np.random.default_rng(seed)
    ensemble = random_ensemble(rng, splits=6, n_outputs=n_outputs, own=own)
    table = probe_table(rng)
    expected = naive_stages(ensemble, table)[-1]
    assert votes(ensemble, table, threads).tobytes() == expected.tobytes()


@settings(max_examples=60)
@given(seeds, st.sampled_from([1, 4]), st.sampled_from([1, 3]))
def test_staged_votes_equal_votes_of_the_first_members(seed, splits, n_outputs):
    rng = np.random.default_rng(seed)
    ensemble = random_ensemble(rng, splits=splits, n_outputs=n_outputs, own=True)
    table = probe_table(rng, 20)
    naive = naive_stages(ensemble, table)
    staged = [votes(ensemble, table, members=0), *staged_votes(ensemble, table)]
    assert len(staged) == len(ensemble) + 1
    for n, (stage, expected) in enumerate(zip(staged, naive, strict=True)):
        assert stage.tobytes() == expected.tobytes()
        assert votes(ensemble, table, members=n).tobytes() == expected.tobytes()
    assert len(list(staged_votes(ensemble, table, members=min(2, len(ensemble))))) <= 2
    counts = sorted({0, len(ensemble) // 2, len(ensemble)})
    for n, stage in zip(counts, votes_after(ensemble, table, counts), strict=True):
        assert stage.tobytes() == naive[n].tobytes()


def test_votes_do_not_depend_on_the_order_of_members():
    rng = np.random.default_rng(0)
    ensemble = random_ensemble(rng, 200, splits=3)
    table = probe_table(rng, 300)
    backwards = Ensemble(
        ensemble.schema, ensemble.classes, ensemble.members[::-1], ensemble.start, "by chance"
    )
    assert votes(ensemble, table).tobytes() == votes(backwards, table).tobytes()


def test_staged_votes_are_independent_copies():
    rng = np.random.default_rng(1)
    ensemble = random_ensemble(rng, 3)
    table = probe_table(rng)
    kept = [stage for stage in staged_votes(ensemble, table) if stage.fill(0.0) is None]
    assert not any(stage.any() for stage in kept)
    assert votes(ensemble, table).any()


def test_votes_do_not_depend_on_the_number_of_threads():
    rng = np.random.default_rng(2)
    table = probe_table(rng, 30_500)
    for splits in (1, 5):
        ensemble = random_ensemble(rng, 30, splits)
        expected = naive_stages(ensemble, table)[-1]
        for threads in (1, 2, 3):
            assert votes(ensemble, table, threads).tobytes() == expected.tobytes()


def test_inexact_votes_are_added_in_order():
    rng = np.random.default_rng(3)
    ensemble = random_ensemble(rng, 40)
    huge = [type(m)(m.tree, m.scores * 2.0**12) for m in ensemble.members]
    ensemble = Ensemble(ensemble.schema, ensemble.classes, huge, ensemble.start, "by chance")
    assert not ensemble.exact
    assert [type(part) for part in ensemble.voting_plan.parts] == [TreeGroup]
    table = probe_table(rng)
    assert votes(ensemble, table).tobytes() == naive_stages(ensemble, table)[-1].tobytes()


def test_voting_plan_merges_stumps_and_keeps_user_defined_splits():
    rng = np.random.default_rng(4)
    ensemble = random_ensemble(rng, 30, own=True)
    kinds = [type(part) for part in ensemble.voting_plan.parts]
    assert kinds.count(MergedStumps) == 1
    assert kinds.count(UserTree) == len(ensemble.additive.own) > 0


def test_votes_refuse_wrong_input_before_the_first_stage():
    rng = np.random.default_rng(5)
    ensemble, table = random_ensemble(rng, 3), probe_table(rng)
    for vote in (votes, staged_votes):
        with pytest.raises(ParameterError, match="the ensemble has 3 members, not 4"):
            vote(ensemble, table, members=4)
        with pytest.raises(ParameterError, match="threads must be"):
            vote(ensemble, table, threads=0)
        with pytest.raises(TableError, match="does not have the columns"):
            vote(ensemble, table.with_names("abcde"))


def test_votes_of_a_deep_chain_equal_the_oracle():
    rng = np.random.default_rng(8)
    schema = random_ensemble(rng, 0).schema
    builder = TreeBuilder(np.ones(2), 2)
    leaf = 0
    for depth in range(40):
        split = IntervalSplit(depth % 2, np.array([4.0 - 0.2 * depth]), 0, 1)
        leaf = builder.split(leaf, split, np.ones((2, 2)), [1, 1])[0]
    tree = builder.finish()
    scores = np.zeros((tree.n_nodes, 1))
    scores[tree.leaves(), 0] = np.arange(tree.n_leaves)
    member = Member(tree, scores)
    ensemble = Ensemble(schema, np.arange(2), (member,), np.zeros(1), "by hand")
    table = probe_table(rng, 600)
    voted = votes(ensemble, table)
    assert voted.tobytes() == naive_stages(ensemble, table)[-1].tobytes()
    assert len(np.unique(voted)) > 15
