"""The kernels for votes: small cases computed by hand, and wrong types and shapes."""

import numpy as np
import pytest

from polytomy import kernels

NUMBERS = np.array([0.0, 1.0, 2.0, np.nan, np.inf])
CODES = np.array([0, 1, -1, -2, 5], dtype=np.int32)


def table_of(*columns):
    return kernels.value_table(columns, [kernels.PLAIN] * len(columns), len(columns[0]))


def lookups_of(column=0, by_code=0, thresholds=(0.5, 1.0), scores=(1.0, 2.0, 3.0, 4.0, 5.0)):
    return kernels.Lookups(
        np.array([column], dtype=np.int32),
        np.array([by_code], dtype=np.uint8),
        np.array([0, len(thresholds)]),
        np.array(thresholds, dtype=np.float64),
        np.array([0, len(scores)]),
        np.array(scores).reshape(-1, 1),
    )


def stump():
    """Arrays of two trees: x <= 1 or not, missing with the latter; and a leaf."""
    int32 = np.int32
    return kernels.TreeArrays(
        np.array([1, 0, 0, 0], dtype=np.int8),
        np.array([0, -1, -1, -1], dtype=int32),
        np.array([0, 2, 2, 2, 2]),
        np.array([1, 2], dtype=int32),
        np.array([0, 1, 1, 1, 1]),
        np.array([1.0]),
        np.zeros(5, dtype=np.int64),
        np.empty(0, dtype=int32),
        np.array([1, -1, -1, -1], dtype=int32),
        np.array([0, -1, -1, -1], dtype=int32),
    )


ROOTS = np.array([0, 3], dtype=np.int32)
SCORES = np.array([[0.0], [10.0], [20.0], [1.0]])


def test_look_up_adds_the_score_of_each_place():
    votes = np.full((5, 1), 100.0)
    kernels.look_up(lookups_of(), table_of(NUMBERS), votes, 1)
    assert votes[:, 0].tolist() == [101.0, 102.0, 103.0, 104.0, 103.0]
    codes = lookups_of(by_code=1, thresholds=(), scores=(1.0, 2.0, 3.0, 4.0))
    kernels.look_up(codes, table_of(CODES), votes, 1)
    assert votes[:, 0].tolist() == [102.0, 104.0, 106.0, 108.0, 107.0]


def test_vote_adds_the_scores_of_the_leaves():
    votes = np.full((5, 1), 100.0)
    kernels.vote(stump(), ROOTS, SCORES, table_of(NUMBERS), votes, 1)
    assert votes[:, 0].tolist() == [111.0, 111.0, 121.0, 121.0, 121.0]


def test_look_up_distinguishes_missing_and_new_labels():
    ranks = kernels.value_table([np.array([0, 1, -1, -2], dtype=np.int32)], [kernels.RANKS], 4)
    votes = np.zeros((4, 1))
    kernels.look_up(lookups_of(), ranks, votes, 1)
    assert votes[:, 0].tolist() == [1.0, 2.0, 4.0, 5.0]
    votes = np.zeros((4, 1))
    kernels.vote(stump(), ROOTS, SCORES, ranks, votes, 1)
    assert votes[:, 0].tolist() == [11.0, 11.0, 21.0, 11.0]


def test_voting_refuses_wrong_dtypes_instead_of_copying():
    table = table_of(NUMBERS)
    for votes in (np.zeros((5, 1), dtype=np.float32), np.zeros(5), np.zeros((5, 2))[:, :1]):
        with pytest.raises(TypeError):
            kernels.look_up(lookups_of(), table, votes, 1)
        with pytest.raises(TypeError):
            kernels.vote(stump(), ROOTS, SCORES, table, votes, 1)
    with pytest.raises(TypeError):
        kernels.vote(stump(), ROOTS.astype(np.int64), SCORES, table, np.zeros((5, 1)), 1)


def test_voting_refuses_wrong_shapes():
    table, votes = table_of(NUMBERS), np.zeros((5, 1))
    for wrong in (np.zeros((4, 1)), np.zeros((5, 2))):
        with pytest.raises(ValueError, match=r"shape \(rows, outputs\)"):
            kernels.look_up(lookups_of(), table, wrong, 1)
        with pytest.raises(ValueError, match=r"shape \(rows, outputs\)"):
            kernels.vote(stump(), ROOTS, SCORES, table, wrong, 1)
    for column in (1, -1):
        with pytest.raises(ValueError, match="no such column"):
            kernels.look_up(lookups_of(column), table, votes, 1)
    codes = lookups_of(by_code=1, thresholds=())
    with pytest.raises(ValueError, match="codes must be int32"):
        kernels.look_up(codes, table, votes, 1)
    with pytest.raises(ValueError, match="one row of scores per node"):
        kernels.vote(stump(), ROOTS, SCORES[:2], table, votes, 1)
    for root in (4, -1):
        with pytest.raises(ValueError, match="no such root"):
            kernels.vote(stump(), np.array([root], dtype=np.int32), SCORES, table, votes, 1)


@pytest.mark.parametrize(
    "wrong",
    [{"scores": (1.0, 2.0)}, {"by_code": 1}, {"by_code": 1, "thresholds": (), "scores": ()}],
)
def test_lookups_refuse_wrong_numbers_of_places(wrong):
    with pytest.raises(ValueError, match="a place for each value"):
        lookups_of(**wrong)
