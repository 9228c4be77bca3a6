"""Score functions in words: exact, complete, and short enough."""

import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polytomy import ParameterError
from polytomy._types import UNSEEN
from polytomy.encode import encode
from polytomy.ensemble import Ensemble, Member
from polytomy.export import join_neighbours, scores_to_text
from polytomy.export.scores import score_rows
from polytomy.table import Nominal, Ordered, Ranks, Table, Times
from polytomy.tree import CategorySplit, IntervalSplit, TreeBuilder
from tests.ensemble.random_ensembles import random_ensemble


def member(split, *scores):
    builder = TreeBuilder(np.ones(2), 2)
    k = split.arity
    builder.split(0, split, np.ones((k, 2)), [1] * k)
    rows = [np.broadcast_to(s, (1, np.size(scores[0]))) for s in scores]
    return Member(builder.finish(), np.concatenate([np.zeros_like(rows[0], dtype=float), *rows]))


def ensemble_of(table, *members, classes=("no", "yes"), algorithm="adaboost-real"):
    n_outputs = members[0].scores.shape[1]
    start = np.full(n_outputs, 0.25)
    return Ensemble(encode(table).schema, np.array(classes), members, start, algorithm)


MIXED = Table(
    (
        Ordered("age", np.array([10.0, 20.0, 30.0, np.nan])),
        Ordered("day", np.array([0, 31, 60, 91]), Times("datetime64[D]")),
        Ordered(
            "size", np.array([0, 1, 2, 1], dtype=np.int32), Ranks(("small", "middle", "large"))
        ),
        Nominal("city", np.array([0, 1, 2, -1], dtype=np.int32), ("Bern", "Zug", "Ulm")),
    ),
    4,
)


def test_scores_text_has_a_table_for_each_column():
    ensemble = ensemble_of(
        MIXED,
        member(IntervalSplit(0, np.array([15.0]), 1, 0), -1.0, 1.5),
        member(IntervalSplit(0, np.array([25.0]), 2, 0), 0.0, 0.5, 1.0),
        member(IntervalSplit(1, np.array([15.5]), UNSEEN, 0), 0.5, -0.5),
        member(IntervalSplit(2, np.array([0.5, 1.5]), UNSEEN, 0), -0.25, 0.0, 0.25),
        member(CategorySplit(3, np.array([0, 1, 0], dtype=np.int32), 1, 0), 4.0, -4.0),
    )
    assert scores_to_text(ensemble).splitlines() == [
        "adaboost-real: 5 stumps on 4 of 4 columns",
        "A row's votes: the start plus its score in each table.",
        "Votes above 0 are for yes, below for no.",
        "",
        "  start  +0.250              │█",
        "",
        "city: moves votes by up to 8, 1 stump",
        "  city in {Bern, Zug} (or unseen)  +4.000              │████████████",
        "  city is Ulm (or missing)         -4.000  ████████████│",
        "",
        "age: moves votes by up to 3.5, 2 stumps",
        "  age <= 15       -1.000           ███│",
        "  15 < age <= 25  +1.500              │████",
        "  age > 25        +2.000              │██████",
        "  age is missing  +2.500              │████████",
        "",
        "day: moves votes by up to 1, 1 stump",
        "  day <= 1970-01-16  +0.500              │██",
        "  day > 1970-01-16   -0.500            ██│",
        "",
        "size: moves votes by up to 0.5, 1 stump",
        "  size is small   -0.250             █│",
        "  size is middle  +0.000              │",
        "  size is large   +0.250              │█",
    ]


def test_scores_text_shows_missing_and_new_values_once():
    table = Table.of({"c": np.array(["a", "b", None], dtype=object)})
    first = CategorySplit(0, np.array([0, 1], dtype=np.int32), 2, 2)
    text = scores_to_text(ensemble_of(table, member(first, 1.0, -1.0, 0.5)))
    assert "  c is missing or unseen  +0.500" in text
    second = CategorySplit(0, np.array([0, 1], dtype=np.int32), 2, 1)
    text = scores_to_text(ensemble_of(table, member(second, 1.0, -1.0, 0.5)))
    assert "  c is b (or unseen)  -1.000" in text
    assert "  c is missing        +0.500" in text
    whole = Table.of({"c": np.array(["a", "b"])})
    text = scores_to_text(ensemble_of(whole, member(second, 1.0, -1.0, 0.5)))
    assert "missing" not in text


def test_scores_text_gives_a_few_classes_a_column_each():
    split = IntervalSplit(0, np.array([15.0]), 0, 0)
    scores = [np.array([1.0, 0.0, -1.0]), np.array([-0.5, 0.25, 0.5])]
    ensemble = ensemble_of(MIXED, member(split, *scores), classes=("a", "middle", "very very long"))
    lines = scores_to_text(ensemble).splitlines()
    assert lines[2] == "The class with the most votes wins."
    assert lines[-3:] == [
        "                                a   middle  very very l…",
        "  age <= 15 (or missing)   +1.000   +0.000        -1.000",
        "  age > 15                 -0.500   +0.250        +0.500",
    ]


def test_scores_text_shows_the_extremes_of_many_classes():
    split = IntervalSplit(0, np.array([15.0]), 0, 0)
    scores = [np.arange(8.0), -np.arange(8.0)]
    ensemble = ensemble_of(MIXED, member(split, *scores), classes=tuple("abcdefgh"))
    assert scores_to_text(ensemble).splitlines()[-2:] == [
        "  age <= 15 (or missing)  h +7.000, g +6.000, ..., a +0.000",
        "  age > 15                a +0.000, b -1.000, ..., h -7.000",
    ]


def long_ensemble(n_outputs=1):
    table = Table.of({"x": np.arange(100.0)})
    cuts = np.arange(0.5, 60.0)
    curve = np.round(np.sin(np.arange(61) / 8) * 64) / 16
    scores = [np.full(n_outputs, s) for s in curve]
    return ensemble_of(
        table,
        member(IntervalSplit(0, cuts, UNSEEN, 0), *scores),
        classes=range(max(n_outputs, 2)),
    )


def test_scores_text_joins_rows_of_long_tables():
    ensemble = long_ensemble()
    (function,) = ensemble.additive.functions
    for most in (2, 5, 16):
        rows = score_rows(function, ensemble.schema[0], most)
        assert len(rows) == most
        assert min(row.low[0] for row in rows) == function.scores.min()
        assert max(row.high[0] for row in rows) == function.scores.max()
    text = scores_to_text(ensemble, max_rows=5)
    assert len(re.findall(r"[+-]\d\.\d+ to [+-]\d\.\d+", text)) >= 4
    assert "~" in scores_to_text(long_ensemble(3), max_rows=5)


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 3, 7]), st.integers(2, 30))
def test_score_rows_hold_every_score_of_a_function(seed, n_outputs, most):
    ensemble = random_ensemble(np.random.default_rng(seed), n_outputs=n_outputs, own=True)
    for function in ensemble.additive.functions:
        column = ensemble.schema[function.feature]
        rows = score_rows(function, column, most)
        known = [function.scores]
        if column.name == "size":  # a range may hold no label
            known = [function.scores[np.searchsorted(function.thresholds, np.arange(3))]]
        known += [function.missing[np.newaxis]] if function.has_missing else []
        known += [function.unseen[np.newaxis]] if column.kind == "nominal" else []
        for score in np.concatenate(known):
            assert any((row.low <= score).all() and (score <= row.high).all() for row in rows)
        assert len({row.words for row in rows}) == len(rows) <= most + 2
    text = scores_to_text(ensemble, max_width=70)
    assert max(map(len, text.splitlines())) <= 70


def test_scores_text_shows_own_splits():
    ensemble = random_ensemble(np.random.default_rng(4), 30, own=True)
    text = scores_to_text(ensemble)
    assert "is number even?: moves votes by up to" in text
    assert "  is number even? is missing  " in text


def test_scores_text_keeps_four_digits_of_small_scores():
    split = IntervalSplit(0, np.array([15.0]), 0, 0)
    ensemble = ensemble_of(MIXED, member(split, 2.0**-12, -(2.0**-10)))
    ensemble = Ensemble(
        ensemble.schema, ensemble.classes, ensemble.members, np.zeros(1), ensemble.algorithm
    )
    assert "-0.0009766" in scores_to_text(ensemble)


def test_scores_text_of_an_empty_ensemble_is_the_start():
    ensemble = random_ensemble(np.random.default_rng(0), 0)
    lines = scores_to_text(ensemble).splitlines()
    assert lines[0] == "by chance: 0 stumps on 0 of 5 columns"
    assert len(lines) == 5


def test_scores_text_summarizes_deeper_trees():
    ensemble = random_ensemble(np.random.default_rng(1), 20, splits=6, own=True)
    text = scores_to_text(ensemble, max_width=80)
    assert text.startswith("by chance: 20 trees of 1 to ")
    assert f"up to {ensemble.depth} splits deep" in " ".join(text.split())
    assert "boost with max_depth=1" in text
    assert "user-defined splits" in " ".join(text.split())
    assert max(map(len, text.splitlines())) <= 80


def test_scores_text_refuses_too_small_sizes():
    ensemble = random_ensemble(np.random.default_rng(0), 3)
    for wrong in ({"max_width": 39}, {"max_rows": 1}):
        with pytest.raises(ParameterError, match="a width of at least 40 and at least 2 rows"):
            scores_to_text(ensemble, **wrong)


@pytest.mark.parametrize("width", [40, 60, 70, 76, 100])
def test_scores_text_shortens_bars_to_fit(width):
    names = [f"category number {i}" for i in range(3)]
    table = Table.of({"kind": np.array(names)})
    split = CategorySplit(0, np.array([0, 1, 1], dtype=np.int32), UNSEEN, 0)
    lines = scores_to_text(ensemble_of(table, member(split, 2.0, -1.0)), width).splitlines()
    bars = [line.count("█") for line in lines if "kind i" in line]
    assert max(map(len, lines)) <= width
    if width >= 70:
        assert bars[0] > bars[1] > 0
    else:  # no room for bars
        assert bars == [0, 0]


def test_scores_text_explains_the_tilde_if_there_is_one():
    split = IntervalSplit(0, np.array([15.0, 25.0]), 0, 0)
    one = member(split, (1.0, 2.0, 3.0), (-1.0, 0.0, 2.0), (0.0, 0.0, 1.0))
    ensemble = ensemble_of(MIXED, one, classes=("a", "b", "c"))
    assert "~" not in scores_to_text(ensemble)
    assert "~ marks the midpoint of several scores" in scores_to_text(ensemble, max_rows=2)


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=1), st.integers(1, 9))
def test_join_neighbours_joins_the_closest_runs_first(scores, most):
    values = np.array(scores, dtype=np.float64)
    expected = [slice(i, i + 1) for i in range(len(values))]
    while len(expected) > most:
        spans = [np.ptp(values[a.start : b.stop], axis=0).max() for a, b in pairwise(expected)]
        at = int(np.argmin(spans))
        expected[at : at + 2] = [slice(expected[at].start, expected[at + 1].stop)]
    assert join_neighbours(values, most) == expected
