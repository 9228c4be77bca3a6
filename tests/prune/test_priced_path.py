"""The cheapest prunings with merged branches: against all of them, and as trees."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polytomy._errors import ParameterError
from polytomy.grow import GrowParams, grow
from polytomy.index import resolve
from polytomy.predict import apply
from polytomy.prune import PricedPath
from polytomy.theory import Prices, tree_cost
from polytomy.tree import check_tree, contract, pruned
from tests.naive.merging import least_costs
from tests.strategies import case_of, random_cases

GINI = resolve("gini", 2)


@settings(max_examples=150, deadline=None)
@given(
    random_cases(max_rows=30),
    st.sampled_from([0.0, 0.003, 0.02, 0.2]),
    st.booleans(),
    st.sampled_from([None, 0.0, 0.01]),
    st.lists(st.sampled_from([0.0, 0.01, 0.1]), min_size=4, max_size=4),
)
def test_priced_path_has_the_least_cost_of_every_size(
    case, question, contracts, branch_price, costs
):
    params = GrowParams(max_leaves=9, procedure="priced", branch_price=branch_price, max_arity=4)
    tree = grow(case.coded, case.target, params, case.table).tree
    weight = float(tree.counts[0].sum())
    columns = tuple(costs[: len(case.columns)]) if any(costs) else ()
    prices = Prices(0.0, question, columns)
    path = PricedPath(tree, GINI, prices, 9, contract=contracts)
    want = least_costs(tree, GINI, question, contracts, columns)
    assert path.sizes.tolist() == sorted(want)
    np.testing.assert_allclose(path.costs, [want[k] for k in path.sizes], atol=1e-9 * weight)


@settings(max_examples=100, deadline=None)
@given(random_cases(max_rows=40), st.sampled_from([0.0, 0.01]), st.booleans())
def test_priced_path_trees_have_the_stated_size_cost_and_rows(case, question, contracts):
    tree = grow(
        case.coded, case.target, GrowParams(max_leaves=16, procedure="priced"), case.table
    ).tree
    path = PricedPath(tree, GINI, Prices(0.0, question), 16, contract=contracts)
    grown_leaf = apply(tree, case.coded.schema, case.table, 1)
    for size, cost in zip(path.sizes.tolist(), path.costs.tolist(), strict=True):
        if size != path.best_size(size):  # a smaller tree costs no more
            continue
        kept = path.at(size)
        check_tree(kept)
        assert kept.n_leaves == size
        assert tree_cost(kept, GINI, path.prices) == pytest.approx(cost, abs=1e-9 * tree.rows[0])
        leaf = apply(kept, case.coded.schema, case.table, 1)
        counts = np.zeros_like(kept.counts)
        units = 1 if case.target.units is None else case.target.units
        np.add.at(counts, (leaf, case.target.labels), units * case.target.unit)
        leaves = kept.leaves()
        np.testing.assert_allclose(counts[leaves], kept.counts[leaves], rtol=1e-9)
        number = path.nodes_at(size).number[grown_leaf]
        assert len({*zip(number.tolist(), leaf.tolist(), strict=True)}) == size


def test_priced_path_contains_every_prefix_of_the_run():
    rng = np.random.default_rng(5)
    columns = {
        "g": rng.choice(list("abcdef"), 120).tolist(),
        "x": rng.integers(0, 12, 120).astype(float).tolist(),
    }
    case = case_of(columns, rng.integers(0, 3, 120).tolist())
    params = GrowParams(max_leaves=24, procedure="priced", branch_price=0.001)
    grown = grow(case.coded, case.target, params)
    index = resolve("gini", 3)
    prices = Prices(0.5, 0.004)
    for budget in range(2, 24):
        path = PricedPath(grown.tree, index, prices, budget)
        own = contract(_prefix(grown, budget))
        best = path.at(budget)
        assert tree_cost(best, index, prices) <= tree_cost(own, index, prices) + 1e-9
        assert best.n_leaves <= budget


def _prefix(growth, budget):
    later = [e.leaf for e in growth.expansions if e.leaves_before + e.arity - 1 > budget]
    return pruned(growth.tree, later)[0]


@pytest.mark.parametrize("size", [0, -1, 2.5, True])
def test_priced_path_refuses_bad_sizes(size):
    case_tree = grow(*_small()).tree
    path = PricedPath(case_tree, GINI, Prices(0.0, 0.0), 4)
    with pytest.raises(ParameterError, match="integer of at least 1"):
        path.at(size)
    with pytest.raises(ParameterError, match="max_size"):
        PricedPath(case_tree, GINI, Prices(0.0, 0.0), size)


def _small():
    case = case_of({"x": [1.0, 2.0, 3.0, 4.0]}, [0, 1, 0, 1])
    return case.coded, case.target
