"""Sources of histograms: partitions of the rows lead to the same tree, in few requests."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polytomy._errors import FamilyError, TargetError
from polytomy.encode import Target, encode
from polytomy.grow import (
    Grower,
    GrowParams,
    Histograms,
    Partition,
    SampleTotals,
    SummedSource,
    Tuning,
    grow,
)
from polytomy.index import resolve
from polytomy.table import Table
from tests.grow.test_engine import assert_same
from tests.grow.test_same_tree import PROCEDURES, mixed, table_of
from tests.naive.runs import quiet
from tests.strategies import grow_params, random_cases


class Recorded:
    """A source that counts the requests it passes on."""

    def __init__(self, source):
        self.source, self.rounds, self.nodes = source, 0, 0

    def totals(self):
        return self.source.totals()

    def histograms(self, requests):
        self.rounds += 1
        self.nodes += len(requests)
        return self.source.histograms(requests)

    def move(self, moves):
        self.source.move(moves)

    def release(self, node):
        self.source.release(node)


def parted(coded, target, part_of_row):
    parts = []
    for part in np.unique(part_of_row):
        rows = np.flatnonzero(part_of_row == part)
        units = None if target.units is None else target.units[rows]
        layers = tuple((labels[rows], weights[rows]) for labels, weights in target.more)
        own = Target(target.labels[rows], units, target.unit, target.n_classes, layers)
        parts.append(Partition(coded.take(rows), own))
    return SummedSource(parts)


@settings(max_examples=80, deadline=None)
@given(
    random_cases(max_rows=60),
    grow_params(),
    st.integers(0, 2**32 - 1),
    st.sampled_from([1, 3, 50]),
)
def test_partitions_lead_to_the_same_growth(case, params, seed, batch):
    local = quiet(lambda: Grower(case.coded, case.target, params).grow())
    part_of_row = np.random.default_rng(seed).integers(0, 3, len(case.labels))
    source = parted(case.coded, case.target, part_of_row)
    tuning = Tuning(batch=batch)
    remote = quiet(
        lambda: Grower.from_source(
            source, case.coded.schema, params, unit=case.target.unit, tuning=tuning
        ).grow()
    )
    assert_same(local, remote)


@pytest.mark.parametrize("name", PROCEDURES)
def test_batches_need_fewer_rounds_and_change_nothing(name):
    x, town, labels = mixed(2000)
    target = Target.of(labels, 3)
    coded = encode(table_of(x, town))
    expected = grow(coded, target, PROCEDURES[name])
    rounds = []
    for batch in (1, 8, 64):
        source = Recorded(parted(coded, target, np.arange(2000) % 2))
        run = Grower.from_source(source, coded.schema, PROCEDURES[name], tuning=Tuning(batch=batch))
        assert_same(expected, run.grow())
        rounds.append(source.rounds)
    assert max(rounds[1:]) * 2 < rounds[0]


@pytest.mark.parametrize("max_leaves", [16, 64, 256])
def test_rounds_grow_with_depth_and_not_with_leaves(max_leaves):
    """At the end of the budget, a few leaves are searched again for splits that still fit."""
    random = np.random.default_rng(0)
    x = random.standard_normal((5000, 4))
    y = (x[:, 0] * x[:, 1] > 0) ^ (x[:, 2] > 0.3) ^ (random.random(5000) < 0.1)
    coded, target = encode(Table.of(x)), Target.of(y.astype(int), 2)
    params = GrowParams(max_leaves=max_leaves, procedure="per-leaf")
    source = Recorded(parted(coded, target, np.arange(5000) % 2))
    run = Grower.from_source(source, coded.schema, params, tuning=Tuning(batch=256))
    growth = run.grow()
    assert_same(growth, grow(coded, target, params))
    assert source.rounds <= depth_of(growth.tree) + params.max_arity + 1


def depth_of(tree):
    depth = np.zeros(tree.n_nodes, dtype=int)
    for node in range(1, tree.n_nodes):
        depth[node] = depth[tree.parent[node]] + 1
    return int(depth.max())


def test_largest_child_is_subtracted_rather_than_counted():
    x, town, labels = mixed(3000)
    coded, target = encode(table_of(x, town)), Target.of(labels, 3)
    source = Recorded(parted(coded, target, np.zeros(3000)))
    growth = Grower.from_source(source, coded.schema, GrowParams(max_leaves=20)).grow()
    searched = growth.tree.n_nodes
    assert source.nodes < searched * 0.75


def test_layers_work_in_partitions():
    rng = np.random.default_rng(0)
    coded = encode(Table.of(rng.standard_normal((300, 3))))
    layers = [
        (rng.integers(0, 3, 300).astype(np.uint16), rng.integers(1, 9, 300)) for _ in range(3)
    ]
    target = Target(*layers[0], 0.5, 3, tuple(layers[1:]))
    local = Grower(coded, target, GrowParams(max_leaves=9)).grow()
    source = parted(coded, target, rng.integers(0, 4, 300))
    remote = Grower.from_source(source, coded.schema, GrowParams(max_leaves=9), unit=0.5).grow()
    assert_same(local, remote)


def test_histograms_of_parts_add_up():
    rng = np.random.default_rng(0)
    coded = encode(Table.of(rng.integers(0, 9, (200, 3))))
    target = Target.of(rng.integers(0, 3, 200), 3, rng.integers(1, 5, 200))
    (whole,) = Partition(coded, target).histograms([[0]])
    (summed,) = parted(coded, target, np.arange(200) % 3).histograms([[0]])
    np.testing.assert_array_equal(whole.counts, summed.counts)
    np.testing.assert_array_equal(whole.rows, summed.rows)
    for j, codes in enumerate(coded.columns):
        start, stop = coded.schema.code_start()[j : j + 2]
        naive = np.zeros((stop - start, 3), dtype=np.int64)
        for code, label, weight in zip(codes, target.labels, target.units, strict=True):
            naive[code, label] += weight
        np.testing.assert_array_equal(whole.counts[start:stop], naive)
        np.testing.assert_array_equal(
            whole.rows[start:stop], np.bincount(codes, minlength=stop - start)
        )


class Broken(Recorded):
    """A source whose answers do not fit."""

    def __init__(self, source, answer):
        super().__init__(source)
        self.answer = answer

    def histograms(self, requests):
        return self.answer(super().histograms(requests))


def test_batches_change_nothing_in_heaviest_order():
    """Subtractions of one request may need the same histograms."""
    params = GrowParams(procedure="hatano", max_leaves=40)
    for seed in range(150):
        rng = np.random.default_rng(seed)
        coded = encode(Table.of(rng.normal(size=(80, 2)).round(1)))
        target = Target.of(rng.integers(0, 3, 80), 3)
        run = Grower.from_source(
            Partition(coded, target), coded.schema, params, tuning=Tuning(batch=3)
        )
        assert_same(grow(coded, target, params), run.grow())


def test_pool_too_small_for_a_batch_changes_nothing():
    """A histogram takes 19 of the pool's 32 MB, so that a batch of two cannot be kept."""
    rng = np.random.default_rng(0)
    coded = encode(Table.of(rng.standard_normal((4000, 14))), max_bins=4000)
    target = Target.of(rng.integers(0, 50, 4000), 50)
    params = GrowParams(max_leaves=6, max_arity=2)
    expected = grow(coded, target, params)
    run = Grower.from_source(Partition(coded, target), coded.schema, params, tuning=Tuning(batch=2))
    assert run.grow().tree == expected.tree


@pytest.mark.parametrize(
    "totals",
    [
        SampleTotals(np.array([4.0, 4.0]), 8, False),
        SampleTotals(np.array([[4, 4]]), 8, False),
        SampleTotals(np.array([-1, 9]), 8, False),
        SampleTotals(np.array([4, 4]), 0, True),
        SampleTotals(np.array([4, 5]), 8, False),
    ],
)
def test_totals_of_a_source_are_checked(totals):
    coded = encode(Table.of(np.arange(8.0)[:, None]))
    source = Recorded(Partition(coded, Target.of([0, 0, 1, 1, 0, 0, 1, 1])))
    source.totals = lambda: totals
    with pytest.raises(TargetError, match=r"totals\(\)|rows without weights"):
        Grower.from_source(source, coded.schema)


BROKEN = {
    "not arrays": (lambda found: [None for _ in found], "pairs of int64 arrays"),
    "floats": (lambda found: [Histograms(f.counts + 0.5, f.rows) for f in found], "pairs of int64"),
    "negative": (lambda found: [Histograms(-f.counts, f.rows) for f in found], "negative or do"),
    "doubled": (lambda found: [Histograms(f.counts, 2 * f.rows) for f in found], "do not add up"),
    "too few": (lambda found: found[:-1], "one pair per request"),
    "wrong shape": (lambda found: [Histograms(f.counts[1:], f.rows) for f in found], "of shape"),
    "no rows": (lambda found: [Histograms(f.counts, None) for f in found], "because rows have"),
}


@pytest.mark.parametrize("how", BROKEN)
def test_answers_of_a_source_are_checked(how):
    answer, sentence = BROKEN[how]
    rng = np.random.default_rng(0)
    coded = encode(Table.of(rng.standard_normal((60, 2))))
    target = Target.of(rng.integers(0, 2, 60), 2, rng.integers(1, 5, 60))
    run = Grower.from_source(Broken(Partition(coded, target), answer), coded.schema)
    with pytest.raises(ValueError, match=sentence):
        run.grow()


def test_error_of_a_source_reaches_the_caller():
    def unreachable(found):
        raise ConnectionError("worker 3 does not answer")

    coded = encode(Table.of(np.arange(8.0)[:, None]))
    target = Target.of([0, 0, 1, 1, 0, 0, 1, 1])
    run = Grower.from_source(Broken(Partition(coded, target), unreachable), coded.schema)
    with pytest.raises(ConnectionError, match="worker 3"):
        run.grow()


def test_source_has_no_rows_for_families_restarts_and_leaves():
    coded = encode(Table.of(np.arange(8.0)[:, None]))
    target = Target.of([0, 0, 1, 1, 0, 0, 1, 1])

    class Own:
        name = "own"

        def propose(self, node, query):
            return []

    with pytest.raises(FamilyError, match="need the raw table"):
        Grower.from_source(Partition(coded, target), coded.schema, GrowParams(families=(Own(),)))
    run = Grower.from_source(Partition(coded, target), coded.schema, index=resolve("sqrt"))
    assert run.finish().n_leaves == 4
    with pytest.raises(ValueError, match="rows in memory"):
        run.leaves()
    with pytest.raises(TargetError, match="rows, classes and layers"):
        run.restart(target)


def test_parts_with_and_without_weights_are_refused():
    coded = encode(Table.of(np.arange(4.0)[:, None]))
    one, other = Target.of([0, 1, 0, 1]), Target.of([0, 1, 0, 1], 2, [1, 2, 1, 1])
    with pytest.raises(TargetError, match="all or none"):
        SummedSource([Partition(coded, one), Partition(coded, other)]).totals()
    with pytest.raises(ValueError, match="at least one part"):
        SummedSource([])
    with pytest.raises(TargetError, match="4 rows but 2 labels"):
        Partition(coded, Target.of([0, 1]))
