"""The engine: the tree does not depend on tuning or threads; steps, restarts, layers, leaves."""

import gc
import pickle
import signal
import weakref
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from polytomy import theory
from polytomy._errors import FamilyError, ParameterError, TargetError
from polytomy.encode import Target, encode
from polytomy.grow import Grower, GrowParams, Tuning, grow
from polytomy.grow.options import IntervalCut, OwnCut
from polytomy.grow.record import Expansions
from polytomy.predict import apply
from polytomy.reference import Run
from polytomy.table import Table
from tests.grow.test_same_tree import PROCEDURES, mixed, table_of
from tests.naive.runs import quiet
from tests.strategies import cases, grow_params, random_cases

MANY = settings(
    max_examples=120,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
PLAIN = Tuning(small=0, apart=0, subtree=0)
# Compact histograms for no, some and all nodes; subtrees apart likewise; found at once; batches;
# threads.
TUNINGS = (
    *(Tuning(small=small, apart=apart) for small in (0, 7, 1 << 20) for apart in (0, 9, 1 << 20)),
    Tuning(subtree=0),
    Tuning(subtree=9),
    Tuning(batch=5, apart=0),
    Tuning(threads=3),
    Tuning(threads=3, small=7, apart=9),
)


def grown_with(coded, target, params, tuning, on_step=None):
    return quiet(lambda: Grower(coded, target, params, tuning=tuning).grow(on_step))


def cut_of(option):
    cut = option.cut
    if isinstance(cut, IntervalCut):
        return cut.left, cut.right, cut.missing_branch
    assert cut.codes.dtype == cut.branches.dtype == np.int32
    return cut.codes.tolist(), cut.branches.tolist()


def as_plain(expansion):
    """All facts about an expansion, in a form to compare with ==."""
    option = expansion.option
    own = (option.arity, option.gain, option.feature, option.family, cut_of(option))
    rest = {
        f.name: getattr(expansion, f.name)
        for f in fields(expansion)
        if f.name not in ("option", "counts")
    }
    return own, rest, expansion.counts.tolist()


def assert_same(one, other):
    for name, array in one.tree._parts().items():
        same = getattr(other.tree, name)
        assert array.dtype == same.dtype, name
        assert array.shape == same.shape, name
        assert array.tobytes() == same.tobytes(), name
    assert [as_plain(e) for e in one.expansions] == [as_plain(e) for e in other.expansions]
    assert list(one.facts()) == list(other.facts())
    assert one.retirements == other.retirements
    for name in ("params", "index", "weight", "root_impurity", "stopped"):
        assert getattr(one, name) == getattr(other, name), name


@MANY
@given(cases() | random_cases(max_rows=120), grow_params(), st.sampled_from(TUNINGS))
def test_tuning_changes_nothing_on_small_tables(case, params, tuning):
    plain = grown_with(case.coded, case.target, params, PLAIN)
    assert_same(plain, grown_with(case.coded, case.target, params, tuning))


@settings(MANY, max_examples=60)
@given(random_cases(max_rows=60), grow_params(), st.integers(1, 6), st.sampled_from(TUNINGS))
def test_callback_receives_every_step_and_may_stop(case, params, most, tuning):
    heard = ([], [])

    def listener(to):
        def on_step(expansion):
            to.append(as_plain(expansion))
            return len(to) == most

        return on_step

    one = grown_with(case.coded, case.target, params, PLAIN, listener(heard[0]))
    other = grown_with(case.coded, case.target, params, tuning, listener(heard[1]))
    assert heard[0] == heard[1] == [as_plain(e) for e in one.expansions]
    assert one.stopped == (len(heard[0]) == most)
    assert_same(one, other)


@pytest.mark.parametrize("name", PROCEDURES)
@pytest.mark.parametrize("weighted", [False, True])
def test_tuning_changes_nothing_on_mixed_columns(name, weighted):
    x, town, labels = mixed(3000)
    weights = np.random.default_rng(3).exponential(size=3000) + 0.01 if weighted else None
    target = Target.of(labels, 3, weights)
    coded = encode(table_of(x, town), target.units)
    for budget in (PROCEDURES[name].max_leaves, None):
        params = replace(PROCEDURES[name], max_leaves=budget, min_samples_leaf=2)
        plain = grown_with(coded, target, params, PLAIN)
        assert plain.tree.n_leaves > 10
        for tuning in TUNINGS[1:]:
            assert_same(plain, grown_with(coded, target, params, tuning))


def many_categories(n_rows=4000, n_values=700, seed=5):
    rng = np.random.default_rng(seed)
    names = np.array([f"v{v}" for v in range(n_values)], dtype=object)
    effect = rng.standard_normal((3, n_values))
    codes = rng.integers(0, n_values, (3, n_rows)) ** 2 // n_values
    score = sum(effect[j][codes[j]] for j in range(3)) + rng.standard_normal(n_rows) / 2
    columns = {f"c{j}": names[codes[j]] for j in range(3)}
    columns["c1"][rng.random(n_rows) < 0.1] = None
    return Table.of(columns), np.digitize(score, [-1.0, 1.0])


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_tuning_changes_nothing_with_many_categories(n_classes, weighted):
    table, labels = many_categories()
    weights = np.random.default_rng(0).exponential(size=len(labels)) if weighted else None
    target = Target.of(np.minimum(labels, n_classes - 1), n_classes, weights)
    for params in (
        GrowParams(max_leaves=60),
        GrowParams(max_leaves=300, procedure="hatano", index="entropy"),
        GrowParams(max_leaves=None, families=("values", "groups"), min_samples_leaf=5),
    ):
        plain = grown_with(encode(table), target, params, PLAIN)
        for tuning in (Tuning(), Tuning(small=1 << 20, apart=100), Tuning(small=40, batch=4)):
            assert_same(plain, grown_with(encode(table), target, params, tuning))


def test_pool_too_small_for_its_histograms_changes_nothing():
    """33 columns of 255 codes and 400 classes: a histogram takes 27 of the pool's 32 MB."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((3000, 33))
    coded = encode(Table.of({f"c{j}": column for j, column in enumerate(x.T)}))
    target = Target.of(rng.integers(0, 400, 3000), 400)
    params = GrowParams(max_leaves=12, procedure="kearns-mansour", leaf_order="steepest")
    compact = Tuning(small=1 << 20)  # compact histograms are not kept in the pool
    assert_same(
        grown_with(coded, target, params, PLAIN), grown_with(coded, target, params, compact)
    )


def test_thresholds_lie_between_extreme_values():
    x = np.array([-np.inf, -1e308, -5e-324, -0.0, 5e-324, 1e308, np.inf, np.nan] * 4)
    coded = encode(Table.of({"x": x}))
    target = Target.of(np.tile([0, 1, 0, 1, 0, 1, 0, 1], 4))
    for params in (GrowParams(), GrowParams(procedure="hatano"), GrowParams(max_arity=2)):
        growth = grow(coded, target, params)
        for expansion in growth.expansions:
            split = expansion.option.cut.split(0, coded.schema, 0)
            expected = growth.tree.split(expansion.leaf).thresholds
            np.testing.assert_array_equal(split.thresholds, expected)


def test_record_is_a_sequence_that_can_be_pickled():
    x, town, labels = mixed(500)
    growth = grow(encode(table_of(x, town)), Target.of(labels, 3))
    record = growth.expansions
    assert isinstance(record, Expansions)
    assert len(record) == len(list(record)) > 3
    assert as_plain(record[-1]) == as_plain(record[len(record) - 1])
    assert [e.leaf for e in record[1:3]] == [record[1].leaf, record[2].leaf]
    with pytest.raises(IndexError):
        record[len(record)]


def test_limits_beyond_the_number_of_rows_limit_nothing_or_everything():
    coded = encode(Table.of({"x": np.arange(6.0)}))
    target = Target.of([0, 0, 1, 1, 0, 0])
    assert grow(coded, target, GrowParams(max_depth=10**30, max_arity=10**30)).tree.n_leaves == 3
    assert grow(coded, target, GrowParams(max_leaves=10**30)).tree.n_leaves == 3
    for params in (
        GrowParams(min_samples_leaf=10**30),
        GrowParams(min_samples_split=10**30),
        GrowParams(max_leaves=1),
    ):
        assert grow(coded, target, params).tree.n_leaves == 1


def test_labels_must_match_the_rows():
    coded = encode(Table.of({"x": np.arange(6.0)}))
    with pytest.raises(TargetError, match="6 rows but 2 labels"):
        grow(coded, Target.of([0, 1]))


def test_error_in_a_callback_reaches_the_caller():
    coded = encode(Table.of({"x": np.arange(6.0)}))

    def on_step(expansion):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        grow(coded, Target.of([0, 0, 1, 1, 0, 0]), on_step=on_step)


def test_error_in_an_index_function_reaches_the_caller():
    def gini(c):
        n = c.sum(axis=-1)
        if n.max() == 8:
            raise ZeroDivisionError("broken index")
        return 2 * (n - (c**2).sum(axis=-1) / np.where(n > 0, n, 1))

    coded = encode(Table.of({"x": np.arange(8.0)}))
    with pytest.raises(ZeroDivisionError, match="broken index"):
        grow(coded, Target.of([0, 0, 1, 1, 0, 0, 1, 1]), GrowParams(index=gini))


def test_recorded_prices_are_those_of_the_procedure():
    x, town, labels = mixed(800)
    params = PROCEDURES["mansour-mcallester"]
    growth = grow(encode(table_of(x, town)), Target.of(labels, 3), params)
    for e in growth.expansions:
        assert e.price == theory.price("mansour-mcallester", e.arity, params.gamma)


def test_price_function_replaces_the_prices_of_the_procedure():
    x, town, labels = mixed(1500)
    coded, target = encode(table_of(x, town)), Target.of(labels, 3)
    params = GrowParams(max_leaves=30)
    linear = Grower(coded, target, params, price=lambda k: k - 1.0).grow()
    assert_same(linear, grow(coded, target, params))
    asked = []

    def flat(k):
        asked.append(k)
        return 1.0

    wide = Grower(coded, target, params, price=flat).grow()
    assert max(e.arity for e in wide.expansions) > max(e.arity for e in linear.expansions)
    assert {e.price for e in wide.expansions} == {1.0}
    with pytest.raises(ZeroDivisionError):
        Grower(coded, target, params, price=lambda k: k / 0).grow()


@settings(max_examples=40, deadline=None)
@given(random_cases(max_rows=40), st.integers(0, 2**32 - 1), st.sampled_from(TUNINGS[:3]))
def test_layers_add_up_and_rows_count_once(case, seed, tuning):
    rng = np.random.default_rng(seed)
    n = len(case.labels)
    layers = [(rng.integers(0, 4, n).astype(np.uint16), rng.integers(1, 99, n)) for _ in range(3)]
    target = Target(*layers[0], 1.0, 4, tuple(layers[1:]))
    params = GrowParams(max_leaves=4, families=("intervals", "groups"))
    grower = Grower(case.coded, target, params, tuning=replace(tuning, apart=0))
    tree, leaf = grower.finish(), grower.leaves()
    whole = np.zeros((n, 4))
    for labels, units in layers:
        whole[np.arange(n), labels] += units
    for node in tree.leaves().tolist():
        np.testing.assert_array_equal(tree.counts[node], whole[leaf == node].sum(axis=0))
        assert tree.rows[node] == (leaf == node).sum()
    np.testing.assert_array_equal(target.total(), whole.sum(axis=0))


@settings(max_examples=60, deadline=None)
@given(random_cases(max_rows=60), grow_params(), st.sampled_from([PLAIN, Tuning(apart=0, batch=4)]))
def test_leaves_are_those_that_the_cells_lead_to(case, params, tuning):
    grower = quiet(lambda: Grower(case.coded, case.target, params, tuning=tuning))
    tree = grower.finish()
    np.testing.assert_array_equal(grower.leaves(), apply(tree, case.coded.schema, case.table))
    out = np.zeros(len(case.labels), dtype=np.int32)
    assert grower.leaves(out) is out


def test_restart_equals_a_new_run():
    rng = np.random.default_rng(0)
    coded = encode(Table.of(rng.integers(0, 9, (200, 3)).astype(float)))
    params = GrowParams(max_leaves=5)
    reused = None
    for _ in range(4):
        target = Target.of(rng.integers(0, 2, 200), 2, rng.uniform(1, 2, 200))
        if reused is None:
            reused = Grower(coded, target, params)
        else:
            reused.restart(target)
        fresh = Grower(coded, target, params)
        assert_same(reused.grow(), fresh.grow())
        np.testing.assert_array_equal(reused.leaves(), fresh.leaves())
    with pytest.raises(TargetError, match="rows, classes and layers of the first"):
        reused.restart(Target.of([0, 1]))


@MANY
@given(random_cases(max_rows=40, follows=True), st.sampled_from([None, 0.0, 0.05]))
def test_root_options_are_the_best_of_each_column(case, branch_price):
    rules = {"procedure": "priced", "max_leaves": 9, "max_arity": 4, "branch_price": branch_price}
    grower = Grower(case.coded, case.target, GrowParams(**rules))
    found = {}
    for option in grower.root_options():
        found.setdefault(option.feature, {})[option.arity] = option.gain
    rules["unit"] = case.target.unit
    for column, (name, cells) in enumerate(case.columns.items()):
        run = Run({name: cells}, case.labels, case.units, **rules)
        chosen = run.candidate(run.tree)
        gains = {} if run.tree.pure or chosen is None else {chosen.split.arity: chosen.split.gain}
        if gains and 2 in run.menu(run.tree):
            gains[2] = run.menu(run.tree)[2].gain
        assert found.get(column, {}) == pytest.approx(gains, abs=1e-9 * sum(case.units))


def test_run_goes_on_from_a_given_split_of_its_root():
    *table, labels = mixed(300)
    coded, target = encode(table_of(*table)), Target.of(labels)
    grower = Grower(coded, target, GrowParams(max_leaves=12))
    whole = grower.finish()
    grower.restart(target)
    options = grower.root_options()
    best = max(options, key=lambda option: option.gain / (option.arity - 1))
    grower.split_root(best)
    assert grower.finish() == whole
    for option in options:
        grower.restart(target)
        grower.split_root(option)
        assert grower.tree().n_leaves == option.arity
        tree = grower.finish()
        assert (tree.feature[0], tree.n_leaves) == (option.feature, 12)


def test_fractions_of_the_weight_may_refer_to_more_than_the_rows():
    rng = np.random.default_rng(0)
    coded, target = (
        encode(Table.of(rng.standard_normal((400, 2)))),
        Target.of(rng.integers(0, 2, 400)),
    )
    grower = Grower(coded, target, GrowParams(max_leaves=None, min_weight_fraction_leaf=0.1))
    half = np.arange(200, dtype=np.uint32)
    grower.restart(target, half)
    assert 20 <= grower.finish().rows.min() < 40
    grower.restart(target, half, weight=400)
    assert grower.finish().rows.min() >= 40


def test_root_is_split_only_before_the_run_and_only_by_its_own_codes():
    coded = encode(Table.of({"x": np.arange(6.0), "c": np.array(list("aabbcc"), dtype=object)}))
    target = Target.of([0, 0, 1, 1, 0, 0])
    grower = Grower(coded, target)
    first, second = (next(o for o in grower.root_options() if o.feature == j) for j in (0, 1))
    grower.finish()
    for late in (grower.root_options, lambda: grower.split_root(first)):
        with pytest.raises(ValueError, match="has begun"):
            late()
    grower.restart(target, np.array([0, 1, 2], dtype=np.uint32))
    with pytest.raises(ValueError, match="an empty branch"):
        grower.split_root(first)
    with pytest.raises(ValueError, match="has begun"):
        grower.split_root(first)
    grower.restart(target)
    unlisted = replace(second.cut, codes=second.cut.codes[:-1], branches=second.cut.branches[:-1])
    with pytest.raises(ValueError, match="a row without a branch"):
        grower.split_root(replace(second, cut=unlisted))
    for cut in (IntervalCut((0,), (99,), -1), IntervalCut((-1,), (1,), -1)):
        grower.restart(target)
        with pytest.raises(ValueError, match="no such"):
            grower.split_root(replace(first, arity=2, cut=cut))
    grower.restart(target)
    with pytest.raises(FamilyError, match="own family"):
        grower.split_root(replace(first, cut=OwnCut(None)))


def test_restart_may_change_between_weights_and_none():
    rng = np.random.default_rng(1)
    coded = encode(Table.of(rng.standard_normal((300, 3))))
    params = GrowParams(max_leaves=9, min_samples_leaf=3)
    labels = rng.integers(0, 2, 300)
    targets = [
        Target.of(labels, 2),
        Target.of(labels, 2, rng.uniform(1, 2, 300)),
        Target.of(labels, 2),
    ]
    reused = Grower(coded, targets[0], params)
    for target in targets:
        reused.restart(target)
        assert_same(reused.grow(), Grower(coded, target, params).grow())


def test_grower_before_its_first_step_has_one_leaf():
    coded = encode(Table.of(np.arange(6.0)[:, None]))
    target = Target.of([0, 0, 1, 1, 0, 0])
    grower = Grower(coded, target)
    for _ in range(2):
        assert grower.tree().n_leaves == 1
        assert grower.leaves().tolist() == [0] * 6
        assert grower.finish().n_leaves == 3
        grower.restart(target)


def test_run_that_failed_does_not_continue():
    calls = []

    class Fails:
        name = "fails"

        def propose(self, node, query):
            calls.append(1)
            if len(calls) == 3:
                raise OSError("gone")
            return []

    rng = np.random.default_rng(0)
    table = Table.of(rng.standard_normal((200, 2)))
    target = Target.of(rng.integers(0, 2, 200))
    params = GrowParams(families=("intervals", Fails()), max_leaves=10)
    grower = Grower(encode(table), target, params, table=table)
    with pytest.raises(OSError, match="gone"):
        grower.grow()
    with pytest.raises(ValueError, match="ended with an error"):
        grower.step()
    grower.restart(target)
    assert grower.grow().tree == grow(encode(table), target, GrowParams(max_leaves=10)).tree


def test_run_cannot_be_used_by_its_own_callbacks():
    held = []

    class Reenters:
        name = "reenters"

        def propose(self, node, query):
            held[0].restart(target)
            return []

    table = Table.of(np.arange(8.0)[:, None])
    target = Target.of([0, 0, 1, 1, 0, 0, 1, 1])
    params = GrowParams(families=(Reenters(),))
    held.append(Grower(encode(table), target, params, table=table))
    with pytest.raises(ValueError, match="in use"):
        held[0].grow()


@pytest.mark.parametrize("price", [0, -1.0, np.inf, np.nan, 10**400, True, "2", None])
def test_price_must_be_positive(price):
    coded = encode(Table.of(np.arange(8.0)[:, None]))
    with pytest.raises(ParameterError, match="price of 2 branches must be positive"):
        Grower(coded, Target.of([0, 0, 1, 1, 0, 0, 1, 1]), price=lambda k: price).grow()


@pytest.mark.parametrize("scale", [0.01, 1.0, 10.0])
def test_price_scale_changes_nothing(scale):
    x, town, labels = mixed(900)
    coded, target = encode(table_of(x, town)), Target.of(labels, 3)
    params = GrowParams(max_leaves=25)
    scaled = Grower(coded, target, params, price=lambda k: scale * (k - 1)).grow()
    assert scaled.tree == grow(coded, target, params).tree


@pytest.mark.parametrize(
    "wrong",
    [{"threads": 0}, {"batch": 0}, {"batch": 1.5}, {"small": -1}, {"apart": "x"}, {"batch": None}],
)
def test_tuning_is_checked(wrong):
    with pytest.raises(ParameterError, match="must be an integer of at least"):
        Tuning(**wrong)


def test_grower_in_a_reference_cycle_is_freed():
    coded = encode(Table.of(np.arange(8.0)[:, None]))

    def price(k):
        return k - 1.0

    price.grower = Grower(coded, Target.of([0, 0, 1, 1, 0, 0, 1, 1]), price=price)
    price.grower.grow()
    gone = weakref.ref(price.grower)
    del price
    gc.collect()
    assert gone() is None


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timer that interrupts")
@pytest.mark.parametrize("threads", [1, 2])
def test_interrupt_ends_a_long_run(threads):
    rng = np.random.default_rng(0)
    columns = {f"c{j}": rng.standard_normal(60_000) for j in range(20)}
    coded, target = encode(Table.of(columns)), Target.of(rng.integers(0, 2, 60_000))

    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(KeyboardInterrupt):
            grow(coded, target, GrowParams(max_leaves=None), threads=threads)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_growth_can_be_pickled():
    x, town, labels = mixed(300)
    growth = grow(encode(table_of(x, town)), Target.of(labels, 3), PROCEDURES["kearns-mansour"])
    back = pickle.loads(pickle.dumps(growth.tree))
    assert back == growth.tree
