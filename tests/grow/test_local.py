"""Histograms by subtraction equal those by counting, and passes over rows are few."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polytomy import kernels
from polytomy.encode import Target, encode
from polytomy.grow import Grower, GrowParams, LocalStats
from polytomy.index import resolve
from polytomy.predict import apply
from polytomy.table import Table
from tests.strategies import random_cases


def naive_histogram(codes, labels, units, rows, n_codes, n_classes):
    counts = np.zeros((n_codes, n_classes), dtype=np.int64)
    n = np.zeros(n_codes, dtype=np.int64)
    for row in rows:
        counts[codes[row], labels[row]] += units[row]
        n[codes[row]] += 1
    return counts, n


@settings(max_examples=80, deadline=None)
@given(
    random_cases(max_rows=50), st.sampled_from(["per-leaf", "hatano"]), st.sampled_from([None, 0])
)
def test_every_node_is_what_its_rows_say(case, procedure, pool_bytes):
    source = LocalStats(case.coded, case.target, pool_bytes=pool_bytes)
    params = GrowParams(procedure=procedure, max_leaves=None)
    members = {0: list(range(len(case.labels)))}
    grower = Grower(source, case.coded.schema, params, resolve("gini"))
    while (expansion := grower.step()) is not None:
        feature = expansion.option.feature
        branch = expansion.option.cut.branch_of_code(case.coded.schema[feature])
        codes = case.coded.columns[feature]
        for j, child in enumerate(expansion.children):
            members[child] = [r for r in members[expansion.leaf] if branch[codes[r]] == j]
    for (
        node,
        held,
    ) in members.items():  # in any order, long after the run: dropped ones are counted again
        stats = source.collect(node)
        for j, codes in enumerate(case.coded.columns):
            n_codes = case.coded.schema.n_codes()[j]
            counts, rows = naive_histogram(
                codes, case.labels, case.units, held, n_codes, case.n_classes
            )
            np.testing.assert_array_equal(stats.column(j)[0], counts)
            own = stats.column(j)[1]
            np.testing.assert_array_equal(counts.sum(axis=1) if own is None else own, rows)


def test_statistics_of_two_halves_add_up_to_those_of_all():
    rng = np.random.default_rng(0)
    table = Table.of(rng.integers(0, 9, (200, 3)))
    labels, weights = rng.integers(0, 3, 200), rng.integers(1, 5, 200)
    coded = encode(table)
    whole = LocalStats(coded, Target.of(labels, 3, weights)).collect(0)
    parts = []
    for half in (slice(0, 90), slice(90, 200)):
        columns = tuple(c[half].copy() for c in coded.columns)
        part = type(coded)(coded.schema, columns, len(columns[0]))
        parts.append(LocalStats(part, Target.of(labels[half], 3, weights[half])).collect(0))
    both = parts[0] + parts[1]
    np.testing.assert_array_equal(both.counts, whole.counts)
    np.testing.assert_array_equal(both.rows, whole.rows)


@pytest.mark.parametrize("procedure", ["per-leaf", "hatano", "kearns-mansour"])
def test_the_largest_child_is_never_counted(monkeypatch, procedure):
    """The cost of an expansion is the rows of its children but the largest, at most."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((4000, 4))
    labels = (x.sum(axis=1) + rng.standard_normal(4000) > 0).astype(int)
    coded = encode(Table.of(x))
    counted = []
    accumulate = kernels.accumulate

    def spy(table, which, members, *rest):
        counted.append(4000 if members is None else len(members))
        accumulate(table, which, members, *rest)

    monkeypatch.setattr(kernels, "accumulate", spy)
    source = LocalStats(coded, Target.of(labels))
    params = GrowParams(procedure=procedure, max_leaves=30)
    tree = Grower(source, coded.schema, params, resolve("gini")).grow().tree
    inner = np.flatnonzero(tree.kind != 0).tolist()
    smaller = sum(
        int(tree.rows[tree.children(v)].sum() - tree.rows[tree.children(v)].max()) for v in inner
    )
    assert sum(counted) <= 4000 + smaller


def test_lazy_leaves_are_never_counted(monkeypatch):
    """In heaviest order the last leaves are not looked at: two leaves cost one pass."""
    calls = []
    accumulate = kernels.accumulate
    monkeypatch.setattr(kernels, "accumulate", lambda *a: (calls.append(1), accumulate(*a)))
    x = np.random.default_rng(0).standard_normal((500, 3))
    coded = encode(Table.of(x))
    source = LocalStats(coded, Target.of((x[:, 0] + x[:, 1] > 0).astype(int)))
    params = GrowParams(procedure="hatano", max_leaves=2)
    assert Grower(source, coded.schema, params, resolve("gini")).grow().tree.n_leaves == 2
    assert len(calls) == 1


@settings(max_examples=40, deadline=None)
@given(random_cases(max_rows=40), st.integers(0, 2**32 - 1))
def test_layers_add_up_and_rows_count_once(case, seed):
    rng = np.random.default_rng(seed)
    n = len(case.labels)
    layers = [(rng.integers(0, 4, n).astype(np.uint16), rng.integers(1, 99, n)) for _ in range(3)]
    target = Target(*layers[0], 1.0, 4, tuple(layers[1:]))
    source = LocalStats(case.coded, target)
    params = GrowParams(max_leaves=4, families=("intervals", "groups"))
    tree = Grower(source, case.coded.schema, params, resolve("gini")).grow().tree
    leaf = source.leaves()
    whole = np.zeros((n, 4))
    for labels, units in layers:
        whole[np.arange(n), labels] += units
    for node in tree.leaves().tolist():
        np.testing.assert_array_equal(tree.counts[node], whole[leaf == node].sum(axis=0))
        assert tree.rows[node] == (leaf == node).sum()
    np.testing.assert_array_equal(target.total(), whole.sum(axis=0))
    fresh = LocalStats(case.coded, target)
    again = source.collect(0)
    np.testing.assert_array_equal(again.counts, fresh.collect(0).counts)
    np.testing.assert_array_equal(again.rows, fresh.collect(0).rows)


@settings(max_examples=40, deadline=None)
@given(random_cases(max_rows=40))
def test_every_row_is_in_the_leaf_its_cells_lead_to(case):
    source = LocalStats(case.coded, case.target)
    params = GrowParams(max_leaves=6)
    tree = Grower(source, case.coded.schema, params, resolve("gini")).grow().tree
    np.testing.assert_array_equal(source.leaves(), apply(tree, case.coded.schema, case.table))


def test_another_target_begins_anew():
    rng = np.random.default_rng(0)
    coded = encode(Table.of(rng.integers(0, 9, (200, 3)).astype(float)))
    params = GrowParams(max_leaves=5)
    source = None
    for _ in range(3):
        target = Target.of(rng.integers(0, 2, 200), 2, rng.uniform(1, 2, 200))
        if source is None:
            source = LocalStats(coded, target)
        else:
            source.restart(target)
        alone = LocalStats(coded, target)
        one, other = (
            Grower(s, coded.schema, params, resolve("gini"), target.unit).grow().tree
            for s in (source, alone)
        )
        assert one == other
        np.testing.assert_array_equal(source.leaves(), alone.leaves())
    with pytest.raises(ValueError, match="rows and classes of the one before"):
        source.restart(Target.of([0, 1]))
