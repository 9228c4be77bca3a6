"""Ensembles and their members check their arrays, copy and compare."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from polytomy import ParameterError, TreeError
from polytomy.encode import NumericTarget, encode
from polytomy.ensemble import FOREST, Ensemble, Member, VoteScale, means_member, quantized, votes
from polytomy.grow import grow
from polytomy.table import Table
from tests.ensemble.random_ensembles import (
    probe_table,
    random_ensemble,
    random_tree,
    training_table,
)


@given(st.lists(st.floats(-15, 15), min_size=1, max_size=200), st.integers(0, 2**32 - 1))
def test_quantized_scores_sum_exactly_in_any_order(scores, seed):
    rounded = quantized(scores)
    assert np.abs(rounded - scores).max() <= 2.0**-41
    np.testing.assert_array_equal(quantized(rounded), rounded)
    whole = [int(s * 2**40) for s in rounded]
    exact = sum(whole) / 2**40
    shuffled = np.random.default_rng(seed).permutation(rounded)
    assert sum(rounded.tolist()) == sum(shuffled.tolist()) == rounded.sum() == exact


def test_quantized_has_no_negative_zero_and_refuses_infinity():
    assert not np.signbit(quantized([-0.0, -1e-20])).any()
    with pytest.raises(ParameterError, match="finite"):
        quantized([1.0, np.inf])


@pytest.fixture
def schema():
    return encode(training_table(np.random.default_rng(0))).schema


@pytest.fixture
def stump(schema):
    return random_tree(np.random.default_rng(0), schema, 1)


def test_member_needs_a_quantized_row_of_scores_for_each_node(stump):
    n = stump.n_nodes
    with pytest.raises(TreeError, match=f"a tree of {n} nodes needs a row"):
        Member(stump, np.zeros((n + 1, 1)))
    with pytest.raises(TreeError, match="needs a row"):
        Member(stump, np.zeros(n))
    with pytest.raises(TreeError, match="quantized"):
        Member(stump, np.full((n, 1), 0.1))
    with pytest.raises(TreeError, match="only leaves vote"):
        Member(stump, np.ones((n, 1)))


def test_member_copies_and_freezes_scores(stump):
    scores = np.zeros((stump.n_nodes, 1))
    member = Member(stump, scores)
    scores[1] = 1.0
    assert not member.scores.any()
    with pytest.raises(ValueError, match="read-only"):
        member.scores[1] = 1.0


def test_ensemble_checks_outputs_against_classes(schema, stump):
    member = Member(stump, np.zeros((stump.n_nodes, 1)))
    for n_classes, n_outputs in ((2, 1), (2, 2), (3, 3), (1, 1)):
        members = (Member(stump, np.zeros((stump.n_nodes, n_outputs))),)
        made = Ensemble(schema, np.arange(n_classes), members, np.zeros(n_outputs), "a")
        assert made.n_outputs == n_outputs
    for n_classes, n_outputs in ((3, 1), (3, 2), (1, 2)):
        with pytest.raises(TreeError, match=rf"{n_classes} classes, but votes of shape"):
            Ensemble(schema, np.arange(n_classes), (), np.zeros(n_outputs), "a")
    with pytest.raises(TreeError, match="member 0 has scores for 1 outputs, not 3"):
        Ensemble(schema, np.arange(3), (member,), np.zeros(3), "a")
    with pytest.raises(TreeError, match="start votes must be quantized"):
        Ensemble(schema, np.arange(2), (member,), np.array([0.1]), "a")


def test_ensemble_refuses_another_schema(stump):
    narrow = encode(Table.of({"a": np.array(["u", "v"])})).schema
    member = Member(stump, np.zeros((stump.n_nodes, 1)))
    with pytest.raises(TreeError, match="does not belong to this tree"):
        Ensemble(narrow, np.arange(2), (member,), np.zeros(1), "a")


def test_truncated_keeps_the_first_members():
    ensemble = random_ensemble(np.random.default_rng(0), 5)
    short = ensemble.truncated(2)
    assert short.members == ensemble.members[:2]
    assert len(ensemble.truncated(0)) == 0
    for n in (-1, 6):
        with pytest.raises(ParameterError, match=f"the ensemble has 5 members, not {n}"):
            ensemble.truncated(n)


@pytest.mark.parametrize("clone", [copy.deepcopy, lambda e: pickle.loads(pickle.dumps(e))])
@pytest.mark.parametrize("splits", [1, 4])
def test_copied_ensemble_is_equal_read_only_and_votes_the_same(clone, splits):
    rng = np.random.default_rng(6)
    ensemble, table = random_ensemble(rng, 10, splits), probe_table(rng)
    expected = votes(ensemble, table)  # fills the cached properties
    other = clone(ensemble)
    assert other == ensemble
    assert other != ensemble.truncated(9)
    assert not other.start.flags.writeable
    assert not other.members[0].scores.flags.writeable
    assert votes(other, table).tobytes() == expected.tobytes()


def test_reach_bounds_every_vote():
    rng = np.random.default_rng(7)
    ensemble = random_ensemble(rng, 30, splits=3, n_outputs=3)
    assert np.abs(votes(ensemble, probe_table(rng, 400))).max() <= ensemble.reach
    assert ensemble.exact
    assert (ensemble.depth, ensemble.truncated(0).depth) == (3, 0)


@pytest.mark.parametrize("seed", range(5))
def test_splits_per_column_counts_the_splits_of_all_members(seed):
    ensemble = random_ensemble(np.random.default_rng(seed), splits=4, own=True)
    used = [j for member in ensemble.members for j in member.tree.feature.tolist() if j >= 0]
    expected = [used.count(j) for j in range(len(ensemble.schema))]
    assert ensemble.splits_per_column.tolist() == expected
    assert ensemble.truncated(0).splits_per_column.tolist() == [0] * len(ensemble.schema)


@given(st.lists(st.floats(-1e100, 1e100), min_size=1, max_size=9))
def test_votes_for_numbers_are_in_reach_and_scaling_does_not_round(numbers):
    values = np.array(numbers)
    assume(not 0 < np.ptp(values) <= 1e-140)
    scale = VoteScale.of(NumericTarget.of_numbers(values))
    off = np.abs(values - scale.centre)
    assume(not (off > 0).any() or off[off > 0].min() >= np.finfo(float).tiny * scale.unit)
    far = (values - scale.centre) / scale.unit
    assert (np.abs(far) < 1).all()
    assert np.array_equal(far * scale.unit, values - scale.centre)
    found = scale.mean(far[:, None] * 3, 3)
    np.testing.assert_allclose(found, values, rtol=1e-12, atol=1e-12 * scale.unit)


def test_numeric_ensembles_have_one_vote_and_trees_about_their_centre():
    table = Table.of({"x": np.arange(6.0)})
    target = NumericTarget.of_numbers([1.0, 1.0, 4.0, 4.0, 2.5, 2.5])
    coded, scale = encode(table), VoteScale.of(target)
    tree = grow(coded, target, table=table).tree
    member = means_member(tree, scale)
    forest = Ensemble(coded.schema, np.empty(0), (member,), np.zeros(1), FOREST, scale)
    assert forest.is_numeric
    assert forest.mean_numbers(votes(forest, table)).tolist() == [1, 1, 4, 4, 2.5, 2.5]
    assert forest != Ensemble(coded.schema, np.arange(2), (member,), np.zeros(1), FOREST)
    other = VoteScale(scale.centre + 1, scale.unit)
    with pytest.raises(TreeError, match="its votes about"):
        means_member(tree, other)
    with pytest.raises(TreeError, match="not about"):
        Ensemble(coded.schema, np.empty(0), (member,), np.zeros(1), FOREST, other)
    with pytest.raises(TreeError, match="no classes"):
        Ensemble(coded.schema, np.arange(2), (member,), np.zeros(1), FOREST, scale)
    with pytest.raises(ParameterError, match="is a class"):
        Ensemble(coded.schema, np.arange(2), (), np.zeros(2), FOREST).mean_numbers(np.zeros((1, 2)))
