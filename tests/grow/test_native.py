"""The loop in C++ against the loop in Python: the whole growth, bit for bit."""

import pickle
import signal
import warnings
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from polytomy.grow.expansion import RecordedExpansions
from polytomy.grow.menu import IntervalCut
from polytomy.grow.native import NativeGrower, Sizes, can_grow_natively

from polytomy._errors import TargetError
from polytomy.encode import Target, encode
from polytomy.grow import Grower, GrowParams, LocalStats, Procedure, grow
from polytomy.index import resolve
from polytomy.table import Table
from tests.grow.test_same_tree import PROCEDURES, mixed, table_of
from tests.strategies import cases, grow_params, random_cases

MANY = settings(
    max_examples=300,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
# All nodes as large ones, some of each, and all as small ones; subtrees likewise.
SIZES = tuple(Sizes(small, apart) for small in (0, 7, 1 << 20) for apart in (0, 9, 1 << 20))


def index_of(params, n_classes):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the error index says it is for teaching
        return resolve(params.index, n_classes)


def both(coded, target, params, sizes=Sizes(), threads=1, on_steps=(None, None)):  # noqa: B008
    """Grow by both engines."""
    index = index_of(params, target.n_classes)
    assert can_grow_natively(target, params, index)
    source = LocalStats(coded, target, threads=threads)
    slow = Grower(source, coded.schema, params, index, target.unit, threads).grow(on_steps[0])
    fast = NativeGrower(coded, target, params, index, threads, on_steps[1], sizes).grow()
    return slow, fast


def cut_of(option):
    cut = option.cut
    if isinstance(cut, IntervalCut):
        return cut.left, cut.right, cut.missing_branch
    assert cut.codes.dtype == cut.branches.dtype == np.int32
    return cut.codes.tolist(), cut.branches.tolist()


def as_plain(expansion):
    """Everything an expansion says, to be compared with ==."""
    option = expansion.option
    own = (option.arity, option.gain, option.feature, option.family, cut_of(option))
    rest = {
        f.name: getattr(expansion, f.name)
        for f in fields(expansion)
        if f.name not in ("option", "counts")
    }
    return own, rest, expansion.counts.tolist()


def assert_same(slow, fast):
    for name, array in slow.tree._parts().items():
        other = getattr(fast.tree, name)
        assert array.dtype == other.dtype, name
        assert array.shape == other.shape, name
        assert array.tobytes() == other.tobytes(), name
    assert [as_plain(e) for e in fast.expansions] == [as_plain(e) for e in slow.expansions]
    assert list(fast.facts()) == list(slow.facts())
    assert fast.retirements == slow.retirements
    for name in ("params", "index", "weight", "root_value", "stopped"):
        assert getattr(fast, name) == getattr(slow, name), name


@MANY
@given(cases() | random_cases(max_rows=120), grow_params(), st.sampled_from(SIZES))
def test_small_tables(case, params, sizes):
    assert_same(*both(case.coded, case.target, params, sizes))


@settings(MANY, max_examples=60)
@given(random_cases(max_rows=120), grow_params(), st.sampled_from(SIZES))
def test_threads_change_nothing(case, params, sizes):
    slow, fast = both(case.coded, case.target, params, sizes, threads=3)
    assert_same(slow, fast)
    assert_same(slow, both(case.coded, case.target, params, sizes, threads=1)[1])


@settings(MANY, max_examples=60)
@given(random_cases(max_rows=60), grow_params(), st.integers(1, 6), st.sampled_from(SIZES))
def test_a_callback_hears_of_every_step_and_may_stop(case, params, most, sizes):
    heard = ([], [])

    def listener(to):
        def on_step(expansion):
            to.append(as_plain(expansion))
            return len(to) == most

        return on_step

    on_steps = (listener(heard[0]), listener(heard[1]))
    slow, fast = both(case.coded, case.target, params, sizes, on_steps=on_steps)
    assert heard[0] == heard[1]
    assert_same(slow, fast)


@pytest.mark.parametrize("name", PROCEDURES)
@pytest.mark.parametrize("sizes", [Sizes(), *SIZES])
@pytest.mark.parametrize("weighted", [False, True])
def test_mixed_columns(name, sizes, weighted):
    x, town, labels = mixed(3000)
    weights = np.random.default_rng(3).exponential(size=3000) + 0.01 if weighted else None
    target = Target.of(labels, 3, weights)
    coded = encode(table_of(x, town), target.units)
    for budget in (PROCEDURES[name].max_leaves, None):
        params = replace(PROCEDURES[name], max_leaves=budget, min_samples_leaf=2)
        slow, fast = both(coded, target, params, sizes, threads=3)
        assert slow.tree.n_leaves > 10
        assert_same(slow, fast)


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
@pytest.mark.parametrize("sizes", [Sizes(), Sizes(0, 0), Sizes(1 << 20, 100)])
def test_many_categories(n_classes, sizes):
    table, labels = many_categories()
    target = Target.of(np.minimum(labels, n_classes - 1), n_classes)
    for params in (
        GrowParams(max_leaves=60),
        GrowParams(max_leaves=900, procedure="hatano", index="entropy"),
        GrowParams(max_leaves=None, families=("values", "groups"), min_samples_leaf=5),
    ):
        assert_same(*both(encode(table), target, params, sizes))


def test_thresholds_beside_infinity_and_zero():
    x = np.array([-np.inf, -1e308, -5e-324, -0.0, 5e-324, 1e308, np.inf, np.nan] * 4)
    coded = encode(Table.of({"x": x}))
    labels = np.tile([0, 1, 0, 1, 0, 1, 0, 1], 4)
    for params in (GrowParams(), GrowParams(procedure="hatano"), GrowParams(max_arity=2)):
        assert_same(*both(coded, Target.of(labels), params))


def test_a_pool_too_small_for_its_histograms():
    """33 columns of 255 codes and 400 classes: each histogram takes 27 of the pool's 32 MB."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((3000, 33))
    labels = rng.integers(0, 400, 3000)
    coded = encode(Table.of({f"c{j}": column for j, column in enumerate(x.T)}))
    target = Target.of(labels, 400)
    params = GrowParams(max_leaves=12, procedure="kearns-mansour", leaf_order="steepest")
    assert_same(*both(coded, target, params, Sizes(0, 0)))


def test_the_record_is_a_sequence_that_can_be_pickled():
    x, town, labels = mixed(500)
    growth = grow(encode(table_of(x, town)), Target.of(labels, 3))
    record = growth.expansions
    assert isinstance(record, RecordedExpansions)
    assert len(record) == len(list(record)) > 3
    assert as_plain(record[-1]) == as_plain(record[len(record) - 1])
    assert [e.leaf for e in record[1:3]] == [record[1].leaf, record[2].leaf]
    with pytest.raises(IndexError):
        record[len(record)]
    back = pickle.loads(pickle.dumps(growth))
    assert_same(growth, back)


@pytest.mark.parametrize(
    "params",
    [
        GrowParams(index=lambda c: 2 * (c.sum(axis=-1) - (c**2).sum(axis=-1) / c.sum(axis=-1))),
        GrowParams(min_gain=np.float32(0.01)),
        GrowParams(families=("intervals", "sideways")),
    ],
)
def test_what_needs_python_stays_there(params):
    index = resolve(params.index, 2)
    assert not can_grow_natively(Target.of([0, 1]), params, index)


def test_limits_beyond_all_rows():
    coded = encode(Table.of({"x": np.arange(6.0)}))
    target = Target.of([0, 0, 1, 1, 0, 0])
    for params in (
        GrowParams(min_samples_leaf=10**30),
        GrowParams(min_samples_split=10**30),
        GrowParams(max_depth=10**30, max_arity=10**30),
        GrowParams(max_leaves=1),
    ):
        assert_same(*both(coded, target, params))


def test_rows_must_agree():
    coded = encode(Table.of({"x": np.arange(6.0)}))
    with pytest.raises(TargetError, match="6 rows but 2 labels"):
        grow(coded, Target.of([0, 1]))


def test_an_error_in_a_callback_is_the_callers():
    coded = encode(Table.of({"x": np.arange(6.0)}))

    def on_step(expansion):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        grow(coded, Target.of([0, 0, 1, 1, 0, 0]), on_step=on_step)


def test_prices_are_the_procedures():
    x, town, labels = mixed(800)
    params = PROCEDURES["mansour-mcallester"]
    growth = grow(encode(table_of(x, town)), Target.of(labels, 3), params)
    price = Procedure.of(params).price
    assert [e.price for e in growth.expansions] == [price(e.arity) for e in growth.expansions]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timer that interrupts")
@pytest.mark.parametrize("threads", [1, 2])
def test_an_interrupt_is_heard(threads):
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
