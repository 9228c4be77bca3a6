"""Prunings of trees whose mistakes have costs, against all prunings."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polytomy import ParameterError
from polytomy.grow import GrowParams, grow
from polytomy.index import resolve
from polytomy.prune import (
    CostComplexity,
    Evidence,
    PricedPath,
    PruningPath,
    reduced_error,
)
from polytomy.prune import (
    resolve as pruner_of,
)
from polytomy.theory import Prices, losses, tree_cost
from polytomy.tree import pruned
from tests.naive import merging
from tests.naive.pruning import all_prunings, best_of_size, smallest_best
from tests.strategies import grown_trees, random_cases


@st.composite
def trees_with_costs(draw):
    grown = draw(grown_trees(max_inner=8, unit=1.0))
    return replace(
        grown, tree=replace(grown.tree, costs=draw(relative_costs(grown.tree.n_classes)))
    )


@st.composite
def relative_costs(draw, n_classes):
    """Costs that are multiples of 1/4, with a cost of 1 for each class."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    costs = rng.integers(0, 5, (n_classes, n_classes)) / 4
    costs[np.arange(n_classes), (np.arange(n_classes) + 1) % n_classes] = 1.0
    np.fill_diagonal(costs, 0.0)
    return costs


def by_label(counts, costs):
    """The cost of every label at every node, as exact multiples of 1/4."""
    return [
        [sum(n * costs[i, j] for i, n in enumerate(row)) for j in range(len(row))] for row in counts
    ]


def costs_of(grown):
    found = by_label(grown.units, grown.tree.costs)
    labels = [row.index(min(row)) for row in found]
    held = by_label(grown.held, grown.tree.costs)
    return [min(row) for row in found], [held[v][j] for v, j in enumerate(labels)]


@settings(max_examples=150)
@given(trees_with_costs())
def test_tree_has_the_label_and_the_cost_of_the_definition(grown):
    errors, _ = costs_of(grown)
    found = by_label(grown.units, grown.tree.costs)
    assert grown.tree.label.tolist() == [row.index(min(row)) for row in found]
    assert grown.tree.errors.tolist() == errors


@settings(max_examples=150)
@given(trees_with_costs())
def test_path_has_the_least_cost_at_each_size(grown):
    tree, (errors, held) = grown.tree, costs_of(grown)
    prunings = all_prunings(tree)
    best = [best_of_size(prunings, errors, k) for k in range(1, tree.n_leaves + 1)]
    distinct = sorted({p.size: p for p in best}.items())
    path = PruningPath(tree, held=grown.held)
    assert path.sizes.tolist() == [k for k, _ in distinct]
    assert path.training_errors.tolist() == [p.total(errors) for _, p in distinct]
    assert path.validation_errors.tolist() == [p.total(held) for _, p in distinct]


@settings(max_examples=100)
@given(trees_with_costs())
def test_reduced_error_has_the_least_held_out_cost(grown):
    _, held = costs_of(grown)
    kept = pruned(grown.tree, reduced_error(grown.tree, grown.held))[0]
    assert kept.n_leaves == smallest_best(all_prunings(grown.tree), held).size


@settings(max_examples=60)
@given(trees_with_costs(), st.sampled_from([0.01, 0.05, 0.2]))
def test_cost_complexity_has_the_least_cost_at_its_price(grown, alpha):
    errors, _ = costs_of(grown)
    weight = float(grown.units[0].sum())
    evidence = Evidence(schema=None, index=resolve("gini", 2))
    kept = CostComplexity(alpha=alpha, cost="error").prune(grown.tree, evidence)[0]
    total = float(kept.errors[kept.leaves()].sum()) / weight + alpha * kept.n_leaves
    want = min(p.total(errors) / weight + alpha * p.size for p in all_prunings(grown.tree))
    assert total == pytest.approx(want)


@settings(max_examples=60, deadline=None)
@given(random_cases(max_rows=25), st.data(), st.sampled_from([0.0, 0.01]))
def test_priced_path_has_the_least_cost_of_every_size(case, data, question):
    costs = data.draw(relative_costs(case.n_classes))
    target = replace(case.target, costs=costs)
    params = GrowParams(max_leaves=7, procedure="priced", max_arity=4)
    tree = grow(case.coded, target, params, case.table).tree
    assert np.array_equal(tree.costs, costs)
    index = resolve("gini", case.n_classes)
    path = PricedPath(tree, index, Prices(0.0, question), 7)

    def loss(counts, _index):
        wrong = min(float(counts @ costs[:, j]) for j in range(len(costs)))
        return 0.5 * wrong + 0.25 * float(index.value(counts[None])[0])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(merging, "loss", loss)
        want = merging.least_costs(tree, index, question)
    weight = float(tree.counts[0].sum())
    np.testing.assert_allclose(path.costs, [want[k] for k in path.sizes], atol=1e-9 * weight)
    best = path.at(path.best_size())
    at = np.searchsorted(path.sizes, best.n_leaves)
    assert tree_cost(best, index, path.prices) == pytest.approx(path.costs[at], abs=1e-9 * weight)


def test_losses_count_costs():
    costs = np.array([[0.0, 1.0, 0.25], [1.0, 0.0, 1.0], [1.0, 0.5, 0.0]])
    counts, index = np.array([[4.0, 2.0, 1.0]]), resolve("gini", 3)
    wrong = min([2 + 1.0, 4 + 0.5, 1.0 + 2.0])
    assert losses(counts, index, costs)[0] == pytest.approx(
        0.5 * wrong + index.value(counts)[0] / 4
    )


@pytest.mark.parametrize("name", ["pessimistic", "conservative"])
def test_pruners_of_error_rates_refuse_costs(name):
    with pytest.raises(ParameterError, match="error rates of cases, which costs are not"):
        pruner_of(name).check_costs()
