"""Search beyond greedy growth: the least cost, budgets, threads, interrupts and awkward tables."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris, load_wine

from polytomy._errors import ParameterError
from polytomy.encode import NumericTarget, encode
from polytomy.grow import GrowParams
from polytomy.index import resolve
from polytomy.predict import apply
from polytomy.priced import (
    Sample,
    Search,
    TwoPrices,
    grow_priced,
    leaves_to_grow,
    levels,
    plain_runs,
    search_priced,
)
from polytomy.priced.levels import KeptSplit, Levels
from polytomy.table import Table
from polytomy.theory import Prices, tree_cost
from polytomy.tree import Constraints, check_tree
from tests.grow.test_own_family import Signs
from tests.naive.polishing import inner_nodes
from tests.naive.search import cheapest_binary_tree, search_of_one_level
from tests.priced.test_growing import sample_of, shops, towns
from tests.priced.test_polishing import naive_problem, naive_tree
from tests.strategies import case_of, random_cases

PARAMS = GrowParams(procedure="priced")
SLOW = settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
LOADERS = {
    "iris": load_iris,
    "wine": load_wine,
}


def wanted(budget, question=0.02, *, contract=True):
    return TwoPrices(budget, leaves_to_grow(budget), question, 2.0, contract)


def numbers_sample(X, y, criterion):
    table = Table.of(X)
    target = NumericTarget.of_numbers(np.asarray(y, dtype=float), None, criterion)
    return Sample(encode(table), target, table)


def interaction(n_rows):
    """Return a table whose class is that of two signs together; a third column says a little."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (n_rows, 5)).astype(float)
    y = (X[:, 0] != X[:, 1]).astype(int)
    X[:, 2] = np.where(rng.random(n_rows) < 0.2, y, X[:, 2])
    return X, y


def soft(sample, seed=0):
    """Return the sample with a second class for every row, with weights in thousandths."""
    target = sample.target
    rng = np.random.default_rng(seed)
    share = rng.integers(1, 500, target.n_rows)
    others = rng.integers(0, target.n_classes, target.n_rows).astype(np.uint16)
    layer = (others, share.astype(np.int64))
    units = (1000 - share).astype(np.int64)
    return replace(sample, target=replace(target, units=units, unit=0.001, more=(layer,)))


def samples():
    found = {name: sample_of(*load(return_X_y=True)) for name, load in LOADERS.items()}
    found["towns"] = sample_of(*towns())
    found["weighted towns"] = sample_of(*towns(), np.random.default_rng(0).random(300) + 0.5)
    found["soft towns"] = soft(found["towns"])
    return found


SAMPLES = samples()
every_sample = pytest.mark.parametrize("name", SAMPLES)


# ---- the parameter


@pytest.mark.parametrize(
    ("value", "widths"),
    [
        (0, ()),
        (1, (6,)),
        (2, (6, 3)),
        ((6, 2), (6, 3)),
        ((1, 3), (1, 1, 1)),
        ([8, 4], (8, 4, 2, 2)),
        (np.int64(2), (6, 3)),
    ],
)
def test_search_of_gives_the_splits_of_each_level(value, widths):
    assert Search.of(value).widths == widths


@pytest.mark.parametrize(
    ("search", "completions"),
    [
        (Search(()), 0),
        (Search((6, 3)), 6 + 12 * 3),
        (Search((6, 3, 2), followed=(2, 1)), 6 + 4 * 3 + 8 * 2),
    ],
)
def test_search_counts_the_trees_that_it_completes(search, completions):
    assert search.completions == completions


@pytest.mark.parametrize("value", [-1, 3, True, 1.0, "2", None, (6,), (6, 0), (0, 2), (2.0, 1)])
def test_search_of_refuses_other_values(value):
    with pytest.raises(ParameterError, match="search"):
        Search.of(value)


@pytest.mark.parametrize("limit", [-1, "1", float("nan"), True])
def test_time_limit_is_checked(limit):
    with pytest.raises(ParameterError, match="time_limit"):
        search_priced(SAMPLES["iris"], PARAMS, wanted(4), Search.of(1), time_limit=limit)


def test_own_families_are_refused():
    params = replace(PARAMS, families=("intervals", Signs()))
    with pytest.raises(ParameterError, match="search needs built-in families"):
        search_priced(SAMPLES["iris"], params, wanted(4), Search.of(1))


# ---- the least cost


@SLOW
@given(st.data(), st.integers(1, 3), st.integers(2, 24), st.integers(1, 6), st.booleans())
def test_search_of_every_split_finds_the_cheapest_tree(data, n_columns, n_rows, budget, weighted):
    bit = st.lists(st.integers(0, 1), min_size=n_rows, max_size=n_rows)
    columns = [data.draw(bit) for _ in range(n_columns)]
    labels = data.draw(st.lists(st.integers(0, 2), min_size=n_rows, max_size=n_rows))
    weights = data.draw(st.lists(st.integers(1, 3), min_size=n_rows, max_size=n_rows))
    weights = weights if weighted else [1] * n_rows
    case = case_of({f"x{j}": c for j, c in enumerate(columns)}, labels, weights, 3)
    sample = Sample(case.coded, case.target, case.table)
    question = data.draw(st.sampled_from([0.0, 0.05, 0.3]))
    plan = Search((n_columns,) * n_columns)
    found = search_priced(sample, PARAMS, wanted(budget, question), plan)
    prices = found.prices.leaf, found.prices.question
    least = cheapest_binary_tree(columns, labels, weights, prices, budget)
    assert found.cost == pytest.approx(least, abs=1e-9 * sum(weights))


@SLOW
@given(st.data(), st.integers(2, 3), st.integers(4, 24), st.integers(2, 6))
def test_search_finds_the_cheapest_tree_that_observes_constraints(data, n_columns, n_rows, budget):
    bit = st.lists(st.integers(0, 1), min_size=n_rows, max_size=n_rows)
    columns, labels = [data.draw(bit) for _ in range(n_columns)], data.draw(bit)
    places = st.integers(0, n_columns - 1)
    first = tuple(sorted(data.draw(st.sets(places, max_size=2))))
    late = data.draw(places)  # the others are free, so that every column can be asked
    needed = data.draw(st.sets(places.filter(lambda j: j != late), max_size=2))
    after = {late: tuple(sorted(needed))}
    held = Constraints(first=first, after=tuple(after.get(j, ()) for j in range(n_columns)))
    case = case_of({f"x{j}": c for j, c in enumerate(columns)}, labels, [1] * n_rows, 2)
    sample = Sample(case.coded, case.target, case.table)
    params = replace(PARAMS, constraints=held)
    found = search_priced(sample, params, wanted(budget), Search((n_columns,) * n_columns))
    prices = found.prices.leaf, found.prices.question
    rules = {"first": first, "after": after}
    least = cheapest_binary_tree(columns, labels, [1] * n_rows, prices, budget, **rules)
    assert found.cost == pytest.approx(least, abs=1e-9 * n_rows)


@pytest.mark.parametrize("first", [(), (3,), (2, 4)])
def test_every_candidate_of_a_search_observes_constraints(monkeypatch, first):
    X, y = interaction(120)
    sample = sample_of(X + np.random.default_rng(1).integers(0, 2, X.shape) / 4, y)
    held = Constraints(first=first, after=((), (0, 2), (), (), (1,)))
    candidates, way = [], Levels._way

    def collected(self, piece, cap):
        candidates.append(piece.tree)
        return way(self, piece, cap)

    monkeypatch.setattr(Levels, "_way", collected)
    params, prices = replace(PARAMS, constraints=held), Prices(0.0, 0.0)
    found = search_priced(sample, params, wanted(4), Search.of((4, 3)))
    problem = naive_problem(sample, resolve("gini", 2), prices)
    problem.first, problem.after = first, dict(enumerate(held.after))
    whole = [tree for tree in candidates if tree.rows[0] == len(y)]
    assert len(whole) > 2
    for tree in [*whole, found.tree]:
        root = naive_tree(tree, sample.coded.schema)
        assert not any(problem.breaks(root, *pair) for pair in inner_nodes(root))


@settings(SLOW, max_examples=12)
@given(
    random_cases(max_rows=25, max_columns=3, follows=True),
    st.sampled_from([2, 4, 7]),
    st.sampled_from([0.0, 0.05]),
)
def test_one_level_completes_the_splits_of_every_column(case, budget, question):
    params = replace(PARAMS, max_arity=4)
    sample, asked = Sample(case.coded, case.target, case.table), wanted(budget, question)
    runs = plain_runs(sample, params, resolve("gini", case.n_classes), asked)
    found = search_priced(sample, params, asked, Search((99,)))
    unit = case.target.unit
    costs = search_of_one_level(
        (case.columns, case.labels, case.units, unit),
        (found.prices.leaf / unit, found.prices.question),
        budget,
        [run.params.branch_price for run in runs],
        max_leaves=asked.grown,
        max_arity=4,
    )
    plain, near = min(run.cost for run in runs), 1e-9 * sum(case.units)
    least = min((charged for charged, _ in costs), default=plain)
    best = [cost for charged, cost in costs if charged <= least + near] if least < plain else []
    best += [plain] if plain <= least + near else []
    assert any(abs(found.cost / unit - cost) <= near for cost in best)


@pytest.mark.parametrize("n_shops", [60, 300])
@pytest.mark.parametrize("widths", [(3,), (3, 3, 3)])
def test_groupings_of_a_search_pay_for_their_description(monkeypatch, n_shops, widths):
    sample = sample_of(*shops(600, n_shops))
    found = search_priced(sample, PARAMS, wanted(8), Search(widths))
    assert set(found.tree.feature.tolist()) <= {-1, 0, 1}
    monkeypatch.setattr(levels, "KeptSplit", lambda option, charge: KeptSplit(option))
    uncharged = search_priced(sample, PARAMS, wanted(8), Search(widths))
    assert 2 in uncharged.tree.feature
    assert uncharged.cost < found.cost


def test_search_goes_on_below_the_cheapest_splits(monkeypatch):
    sample, followed, children = SAMPLES["wine"], [], levels._children

    def collected(tasks, constraints):
        followed.append([split.option for _, split in tasks])
        assert all(
            min(way.costs.min() for way in split.ways) <= min(way.costs.min() for way in other.ways)
            for node, split in tasks
            for other in node.splits
            if other.option not in followed[-1]
        )
        return children(tasks, constraints)

    monkeypatch.setattr(levels, "_children", collected)
    asked = replace(wanted(12), leaf=0.0)
    plan = Search((5, 3, 2), followed=(2, 1))
    found = search_priced(sample, PARAMS, asked, plan)
    assert len(followed[0]) == 2
    assert len(followed[1]) <= 2 * 8  # one at each child
    every = search_priced(sample, PARAMS, asked, Search((5, 3, 2)))
    assert found.candidates < every.candidates


@every_sample
@pytest.mark.parametrize(("budget", "contract"), [(1, True), (2, True), (5, False), (12, True)])
def test_wider_searches_never_cost_more(name, budget, contract):
    sample, asked = SAMPLES[name], wanted(budget, contract=contract)
    index = resolve("gini", sample.target.n_classes)
    plain = grow_priced(sample, PARAMS, asked)
    costs = [tree_cost(plain.tree, index, plain.prices)]
    for value in (1, 2, (6, 3)):
        found = search_priced(sample, PARAMS, asked, Search.of(value))
        assert found.prices == plain.prices
        assert found.plain.tree == plain.tree
        assert found.tree.n_leaves <= budget
        assert found.cost == pytest.approx(tree_cost(found.tree, index, found.prices))
        check_tree(found.tree)
        costs.append(found.cost)
    assert all(b <= a * (1 + 1e-12) for a, b in pairwise(costs)), costs


def test_search_finds_an_interaction_that_greedy_growth_misses():
    found = search_priced(sample_of(*interaction(500)), PARAMS, wanted(4), Search.of(2))
    assert found.cost < 0.1 * tree_cost(found.plain.tree, resolve("gini", 2), found.prices)
    assert set(found.tree.feature.tolist()) == {-1, 0, 1}


@every_sample
def test_counts_are_those_of_the_rows_that_reach_the_nodes(name):
    sample = SAMPLES[name]
    tree = search_priced(sample, PARAMS, wanted(9), Search.of(2)).tree
    leaf = apply(tree, sample.coded.schema, sample.table)
    counts = np.zeros_like(tree.counts)
    for labels, units in sample.target.layers:
        weights = np.ones(len(labels)) if units is None else units
        np.add.at(counts, (leaf, labels), weights * sample.target.unit)
    leaves = tree.leaves()
    np.testing.assert_allclose(counts[leaves], tree.counts[leaves], rtol=1e-9)
    assert (np.bincount(leaf, minlength=tree.n_nodes)[leaves] == tree.rows[leaves]).all()


@pytest.mark.parametrize("index", ["squared_error", "poisson"])
def test_numbers_are_searched_in_the_same_way(index):
    X, y = interaction(300)
    y = 1.0 + y + np.arange(300) % 7 / 10
    sample = numbers_sample(X, y, index)
    params = replace(PARAMS, index=index)
    found = [search_priced(sample, params, wanted(4), Search.of(q)) for q in (0, 1, 2)]
    assert found[2].cost <= found[1].cost <= found[0].cost
    assert found[2].cost < 0.5 * found[0].cost
    tree = found[2].tree
    leaf = apply(tree, sample.coded.schema, sample.table)
    for v in tree.leaves().tolist():
        assert tree.mean[v] == pytest.approx(y[leaf == v].mean())


# ---- limits of growth


@pytest.mark.parametrize(
    "rules",
    [
        {"max_depth": 1},
        {"max_depth": 2},
        {"max_depth": 3},
        {"min_samples_leaf": 40},
        {"min_weight_fraction_leaf": 0.1},
        {"min_samples_split": 150},
        {"min_gain": 0.01},
        {"max_arity": 2},
        {"families": ("intervals",)},
    ],
    ids=str,
)
def test_limits_hold_for_searched_trees(rules):
    sample = SAMPLES["towns"]
    params = replace(PARAMS, **rules)
    tree = search_priced(sample, params, wanted(10, contract=False), Search.of((6, 3))).tree
    depth = np.zeros(tree.n_nodes, dtype=int)
    for node in range(1, tree.n_nodes):
        depth[node] = depth[tree.parent[node]] + 1
    splits = np.setdiff1d(np.arange(tree.n_nodes), tree.leaves())
    assert depth.max() <= rules.get("max_depth", 99)
    assert tree.rows.min() >= rules.get("min_samples_leaf", 1)
    assert tree.weight.min() >= rules.get("min_weight_fraction_leaf", 0) * 300
    assert tree.rows[splits].min(initial=300) >= rules.get("min_samples_split", 2)
    assert max(np.diff(tree.child_start)) <= rules.get("max_arity", 8)


# ---- awkward tables


@pytest.mark.parametrize(
    ("X", "y"),
    [
        ([[1.0]], [0]),
        ([[1.0], [2.0]], [0, 1]),
        ([[1.0], [2.0], [3.0]], [0, 0, 0]),
        ([[7.0]] * 20, [0, 1] * 10),
        ([[np.nan]] * 20, [0, 1] * 10),
        ([[np.nan, 1.0], [1.0, np.inf], [-np.inf, 2.0], [0.0, np.nan]], [0, 1, 1, 0]),
    ],
    ids=["one row", "two rows", "one class", "constant", "all missing", "infinities"],
)
@pytest.mark.parametrize("value", [1, 2, (4, 4)])
def test_awkward_tables_are_searched(X, y, value):
    sample = sample_of(np.array(X), np.array(y))
    found = search_priced(sample, PARAMS, wanted(4), Search.of(value))
    check_tree(found.tree)
    plain = tree_cost(found.plain.tree, resolve("gini", sample.target.n_classes), found.prices)
    assert found.cost <= plain * (1 + 1e-12)


# ---- threads, time and interrupts


@every_sample
def test_threads_do_not_change_the_tree(name):
    one, two = (
        search_priced(SAMPLES[name], PARAMS, wanted(9), Search.of((4, 3)), threads)
        for threads in (1, 2)
    )
    assert one.tree == two.tree
    assert (one.cost, one.candidates) == (two.cost, two.candidates)


def test_nodes_with_the_same_rows_are_searched_once(monkeypatch):
    seen = []
    keep = Levels._keep

    def counted(self, node, **how):
        seen.append((how["depth"], None if node.rows is None else node.rows.tobytes()))
        keep(self, node, **how)

    monkeypatch.setattr(Levels, "_keep", counted)
    found = search_priced(SAMPLES["iris"], PARAMS, wanted(8), Search.of(2))
    assert len(seen) == len(set(seen))
    assert len(seen) < 1 + found.candidates


@pytest.mark.parametrize("threads", [1, 2])
def test_no_time_gives_the_plain_tree(threads):
    sample = SAMPLES["wine"]
    found = search_priced(sample, PARAMS, wanted(6), Search.of(2), threads, time_limit=0)
    assert found.tree == grow_priced(sample, PARAMS, wanted(6)).tree
    assert (found.candidates, found.stopped) == (0, True)


@pytest.mark.parametrize("during", ["the first run", "the second run"])
def test_a_callback_that_stops_a_run_leaves_out_the_search(during):
    sample = samples()["wine"]
    split = []
    plain_runs(sample, PARAMS, resolve("gini"), wanted(8), 1, lambda step: split.append(step.leaf))
    first, second = (i + 1 for i, leaf in enumerate(split) if leaf == 0)
    stop = first if during == "the first run" else second
    seen = []

    def count(_):
        seen.append(0)
        return len(seen) == stop

    found = search_priced(sample, PARAMS, wanted(8), Search.of(2), on_step=count)
    assert found.run_stopped
    assert found.tree == found.plain.tree
    assert len(seen) == stop


def test_no_search_gives_the_plain_tree():
    found = search_priced(SAMPLES["wine"], PARAMS, wanted(6), Search.of(0))
    assert found.tree == found.plain.tree
    assert (found.candidates, found.stopped) == (0, False)


@pytest.mark.parametrize("threads", [1, 2])
def test_progress_counts_candidates_and_never_loses_ground(threads):
    calls = []
    found = search_priced(
        SAMPLES["wine"],
        PARAMS,
        wanted(6),
        Search.of(2),
        threads,
        on_progress=lambda *call: calls.append(call),
    )
    done, total, cost = zip(*calls, strict=True)
    assert done == tuple(range(1, found.candidates + 1))
    assert total[-1] == found.candidates
    assert all(b <= a * (1 + 1e-12) for a, b in pairwise(cost))
    assert found.cost <= cost[-1] * (1 + 1e-12)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("after", [1, 6, 9])
def test_interrupt_keeps_the_best_tree_so_far(threads, after):
    costs = []

    def interrupt(done, _total, cost):
        costs.append(cost)
        if done == after:
            raise KeyboardInterrupt

    sample = SAMPLES["wine"]
    with pytest.warns(UserWarning, match=rf"interrupted after {after} of \d+ splits; the best"):
        found = search_priced(
            sample, PARAMS, wanted(6), Search.of((6, 3)), threads, on_progress=interrupt
        )
    assert found.stopped
    assert found.candidates == after
    assert found.cost <= costs[-1] * (1 + 1e-12)
    check_tree(found.tree)


def test_errors_of_the_callback_are_raised():
    def fail(*_):
        raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        search_priced(SAMPLES["wine"], PARAMS, wanted(6), Search.of(1), 2, on_progress=fail)


def test_large_tables_are_searched_on_a_sample(monkeypatch):
    sample = sample_of(*interaction(3000))
    whole = search_priced(sample, PARAMS, wanted(4), Search.of(2))
    for part in ("growing", "search"):
        monkeypatch.setattr(f"polytomy.priced.{part}.LARGE", 1000)
    monkeypatch.setattr("polytomy.priced.growing.SAMPLED", 800)
    found = search_priced(sample, PARAMS, wanted(4), Search.of(2))
    assert found.candidates < whole.candidates + 8
    assert found.tree.rows[0] == 3000
    assert found.cost < 0.1 * tree_cost(found.plain.tree, resolve("gini", 2), found.prices)
