"""The reference's two runs and their prunings, against those of the estimators."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from polytomy.grow import GrowParams
from polytomy.index import resolve
from polytomy.predict import apply
from polytomy.priced import Sample, TwoPrices, cheaper_run, grow_priced, leaves_to_grow
from polytomy.reference import Run, two_prices
from polytomy.reference.two_prices import prunings
from tests.strategies import case_of, random_cases

SLOW = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@SLOW
@given(
    random_cases(max_rows=50, max_columns=3, follows=True),
    st.sampled_from([1, 2, 4, 7]),
    st.sampled_from([0.0, 0.02, 0.1]),
    st.sampled_from([0.5, 2.0]),
    st.sampled_from(["gini", "entropy"]),
)
def test_estimators_keep_a_tree_of_the_least_cost(case, budget, question, branch, index):
    params = GrowParams(procedure="priced", max_arity=4, index=index)
    sample = Sample(case.coded, case.target, case.table)
    wanted = TwoPrices(budget, leaves_to_grow(budget), question, branch, contract=True)
    best = cheaper_run(sample, params, resolve(index, case.n_classes), wanted)
    kept = two_prices(
        case.columns,
        case.labels,
        case.units,
        unit=case.target.unit,
        max_leaves=budget,
        question_price=question,
        branch_price=branch,
        index=index,
    )
    assert len(kept.leaves) <= budget
    assert sorted(row for rows in kept.leaves for row in rows) == list(range(len(case.labels)))
    assert best.cost == pytest.approx(kept.cost, abs=1e-9 * sum(case.units))


def test_leaves_hold_the_rows_that_the_kept_tree_sends_there():
    rng = np.random.default_rng(0)
    x, town = rng.integers(0, 9, 200), rng.choice(list("abcde"), 200)
    labels = np.where(rng.random(200) < 0.2, 0, x // 3 % 2 + (town > "c"))
    case = case_of({"x": x.astype(float).tolist(), "town": town.tolist()}, labels.tolist())
    kept = two_prices(case.columns, case.labels, max_leaves=6, max_arity=4)
    wanted = TwoPrices(6, leaves_to_grow(6), 0.13, 2.0, contract=True)
    sample = Sample(case.coded, case.target, case.table)
    tree = grow_priced(sample, replace(GrowParams(procedure="priced"), max_arity=4), wanted).tree
    leaf = apply(tree, case.coded.schema, case.table)
    rows = {tuple(np.flatnonzero(leaf == v).tolist()) for v in np.unique(leaf)}
    assert rows == {tuple(sorted(held)) for held in kept.leaves}


def test_merging_gives_prunings_of_every_size():
    x = list(range(5)) * 4
    run = Run({"x": x}, [v % 2 for v in x], procedure="priced", max_leaves=None, max_arity=5)
    run.grow()
    found = prunings(run, run.tree, 0.0)
    assert sorted(found) == [1, 2, 3, 4, 5]
    assert [round(found[k].cost, 9) for k in (1, 5)] == [8 / 2 + run.value(run.tree) / 4, 0.0]
