"""Average ranks, Friedman's test and critical differences."""

from math import sqrt

import pandas as pd
import pytest
from scipy.stats import friedmanchisquare

# The example of Demšar (2006): four learners on 14 tables.
RANKS = pd.Series({"C4.5": 44 / 14, "m": 28 / 14, "cf": 40.5 / 14, "m+cf": 27.5 / 14})


@pytest.fixture(scope="module")
def ranks(_path):
    from quality import ranks  # noqa: PLC0415

    return ranks


def test_published_example_is_reproduced(ranks):
    """By hand: 12 * 14 / 20 * (3.143^2 + 2^2 + 2.893^2 + 1.964^2 - 25) = 9.28."""
    found = ranks.friedman(RANKS, 14)
    assert found.chi2 == pytest.approx(9.28, abs=0.01)
    assert found.f == pytest.approx(3.69, abs=0.01)
    assert 0.01 < found.p < 0.05  # the critical value of F(3, 39) at 0.05 is 2.85
    assert ranks.critical_difference(4, 14) == pytest.approx(2.569 * sqrt(20 / 84), abs=1e-3)
    assert ranks.critical_difference(4, 14, 0.1) == pytest.approx(1.12, abs=0.005)


def test_equal_values_share_their_rank(ranks):
    values = pd.DataFrame({"a": [0.1, 0.1, 0.3], "b": [0.1, 0.2, 0.2], "c": [0.1, 0.3, 0.1]})
    assert ranks.average_ranks(values).to_dict() == {"a": 2.0, "b": 2.0, "c": 2.0}
    with pytest.raises(ValueError, match="every learner"):
        ranks.average_ranks(values.mask(values == 0.3))


def test_friedman_is_that_of_scipy_without_ties(ranks):
    values = pd.DataFrame(
        {"a": [1.0, 2, 3, 1, 5, 2], "b": [2.0, 1, 4, 3, 6, 3], "c": [3.0, 5, 9, 2, 7, 9]}
    )
    found = ranks.friedman(ranks.average_ranks(values), len(values))
    expected = friedmanchisquare(*(values[name] for name in values)).statistic
    assert found.chi2 == pytest.approx(expected)


def test_groups_join_learners_that_do_not_differ(ranks):
    assert ranks.groups(RANKS, 1.25) == [("m+cf", "C4.5")]
    assert ranks.groups(RANKS, 1.0) == [("m+cf", "cf"), ("cf", "C4.5")]
    assert ranks.groups(RANKS, 0.1) == [("m+cf", "m")]
    assert ranks.groups(RANKS, 0.01) == []
