"""Score functions are exact: the start plus one score for each column gives the votes."""

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from polytomy import BoostedTreeClassifier
from polytomy._types import UNSEEN
from polytomy.encode import encode
from polytomy.ensemble import Ensemble, Member, staged_votes, votes
from polytomy.table import Table
from polytomy.tree import CategorySplit, IntervalSplit, TreeBuilder
from tests.ensemble.random_ensembles import probe_table, random_ensemble
from tests.naive.votes import naive_scores


@settings(max_examples=100)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 1, 3]))
def test_additive_start_and_functions_sum_to_the_votes(seed, n_outputs):
    rng = np.random.default_rng(seed)
    ensemble = random_ensemble(rng, n_outputs=n_outputs)
    table = probe_table(rng)
    summed = naive_scores(ensemble.additive, ensemble.schema, table)
    assert votes(ensemble, table).tobytes() == summed.tobytes()


def stump(split, scores):
    builder = TreeBuilder(np.ones(2), 2)
    k = split.arity
    builder.split(0, split, np.ones((k, 2)), [1] * k)
    return Member(builder.finish(), np.vstack(([[0.0]], np.reshape(scores, (k, 1)))))


def ensemble_of(table, *members):
    return Ensemble(encode(table).schema, np.arange(2), members, np.array([0.5]), "a")


def test_additive_merges_thresholds_and_drops_those_without_effect():
    table = Table.of({"x": np.arange(6.0)})
    low, middle, high = (IntervalSplit(0, np.array([t]), UNSEEN, 1) for t in (0.5, 2.5, 3.5))
    ensemble = ensemble_of(
        table,
        stump(high, [-1.0, 1.0]),
        stump(low, [-2.0, 2.0]),
        stump(middle, [0.25, 0.5]),
        stump(middle, [0.5, 0.25]),
    )
    (function,) = ensemble.additive.functions
    assert function.thresholds.tolist() == [0.5, 3.5]
    assert function.scores[:, 0].tolist() == [-2.25, 1.75, 3.75]
    assert function.missing.tolist() == function.unseen.tolist() == [3.75]
    assert (function.members, function.spread, function.has_missing) == (4, 6.0, False)


def test_additive_scores_each_category_and_unseen_values():
    table = Table.of({"c": np.array(["a", "b", "c", None], dtype=object)})
    first = CategorySplit(0, np.array([0, 1, UNSEEN], dtype=np.int32), 0, 1)
    second = CategorySplit(0, np.array([0, 0, 1], dtype=np.int32), UNSEEN, 0)
    ensemble = ensemble_of(table, stump(first, [1.0, -1.0]), stump(second, [0.25, -0.5]))
    (function,) = ensemble.additive.functions
    assert function.thresholds is None
    assert function.scores[:, 0].tolist() == [1.25, -0.75, -1.5]
    assert function.missing.tolist() == [1.25]
    assert function.unseen.tolist() == [-0.75]
    assert function.spread == 2.75


def test_spread_includes_missing_only_if_the_training_table_had_missing_cells():
    split = IntervalSplit(0, np.array([0.5]), 2, 0)
    for last, spread in ((np.nan, 6.0), (2.0, 2.0)):
        table = Table.of({"x": np.array([0.0, 1.0, last])})
        member = stump(split, [-1.0, 1.0, 5.0])
        assert ensemble_of(table, member).additive.functions[0].spread == spread


def test_additive_adds_a_single_leaf_to_the_start():
    table = Table.of({"x": np.arange(3.0)})
    leaf = Member(TreeBuilder(np.ones(2), 2).finish(), np.array([[0.25]]))
    merged = ensemble_of(table, leaf, leaf).additive
    assert merged.start.tolist() == [1.0]
    assert merged.functions == ()


def test_by_spread_sorts_the_widest_function_first():
    functions = random_ensemble(np.random.default_rng(0), 40).additive.by_spread()
    assert len(functions) == 5
    spreads = [f.spread for f in functions]
    assert spreads == sorted(spreads, reverse=True)


def test_additive_is_none_for_deeper_trees():
    rng = np.random.default_rng(1)
    assert random_ensemble(rng, 20, splits=3).additive is None


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_additive_merges_trees_on_one_column(seed):
    rng = np.random.default_rng(seed)
    n = 60
    column = rng.normal(size=n).round(1)
    if rng.random() < 0.5:
        column[rng.random(n) < 0.2] = np.nan
    names = np.array(list("abcdef"), dtype=object)[rng.integers(0, 6, n)]
    names[rng.random(n) < 0.1] = None
    for cells in (column, names):
        clf = BoostedTreeClassifier(4, max_leaves=5, max_arity=2)
        clf.fit(pd.DataFrame({"x": cells}), rng.integers(0, 2, n))
        ensemble = clf.ensemble_
        given_cells = [*cells, None if cells is names else np.nan]
        given_cells += ["new"] if cells is names else [-np.inf, np.inf]
        table = clf._read_table(pd.DataFrame({"x": pd.Series(given_cells, dtype=cells.dtype)}))
        summed = naive_scores(ensemble.additive, ensemble.schema, table)
        (*_, last) = staged_votes(ensemble, table)
        assert summed.tobytes() == last.tobytes() == votes(ensemble, table).tobytes()
