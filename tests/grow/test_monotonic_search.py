"""The search under directions of columns against all cuts of all nodes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polytomy.encode import Target, encode
from polytomy.grow import Grower, GrowParams
from polytomy.table import Table
from tests.naive.monotonic import MonotonicReplay


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 100_000),
    st.sampled_from([2, 3]),
    st.tuples(*[st.sampled_from([-1, 0, 1])] * 3).filter(any),
    st.sampled_from([3, 6, 15]),
    st.sampled_from(["gini", "entropy"]),
)
def test_binary_splits_are_the_best_that_the_directions_allow(
    seed, n_classes, directions, n_values, index
):
    random = np.random.default_rng(seed)
    n = int(random.integers(20, 150))
    values = random.integers(0, n_values, size=(3, n))
    trend = values.T @ np.array(directions) + random.normal(0, n_values / 2, n)
    labels = np.digitize(trend, np.quantile(trend, [0.4, 0.8])[: n_classes - 1])
    coded = encode(Table.of({name: values[j].astype(float) for j, name in enumerate("abc")}))
    target = Target.of(labels)
    params = GrowParams(max_leaves=14, max_arity=2, monotonic=directions, index=index)
    growth = Grower(coded, target, params).grow()
    columns = [np.asarray(codes, dtype=np.int64) for codes in coded.columns]
    replay = MonotonicReplay(
        columns, labels, coded.schema.n_codes(), directions, growth.index, target.n_classes
    )
    for expansion in growth.expansions:
        best = replay.best_gain(expansion.leaf)
        assert expansion.gain == pytest.approx(best, abs=1e-9 * expansion.impurity)
        cut = expansion.option.cut
        replay.expand(expansion.leaf, expansion.option.feature, (cut.left[0], cut.right[0]))
    for retired in growth.retirements:
        assert replay.best_gain(retired.leaf) == -1.0


def test_columns_with_a_direction_are_split_in_two_at_a_branch_price():
    # The first column has three levels, which only three branches tell apart.
    x = np.repeat([0.0, 1.0, 2.0], 60)
    labels = (np.arange(180) % 60 >= np.repeat([57, 30, 3], 60)).astype(int)
    coded = encode(Table.of({"x": x, "z": np.arange(180) % 7 + 0.0}))
    widest = []
    for directions in ((), (1, 0)):
        params = GrowParams(
            max_leaves=6, procedure="priced", branch_price=1e-4, monotonic=directions
        )
        growth = Grower(coded, Target.of(labels), params).grow()
        widest.append(max(e.arity for e in growth.expansions if e.option.feature == 0))
    assert widest == [3, 2]
