"""Runs under constraints on columns and branches, against a run that lists every split."""

from dataclasses import fields, replace
from math import pi

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from polytomy._errors import ParameterError
from polytomy.grow import Grower, GrowParams, grow
from polytomy.grow.rules import Tuning
from polytomy.tree import Constraints
from tests.naive.constrained import ConstrainedRun
from tests.strategies import cases, grow_params, random_cases

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # the error index warns

SLOW = settings(
    max_examples=70,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
# gain-ratio compares columns with their mean, which the naive run does not.
PROCEDURES = ["per-leaf", "hatano", "kearns-mansour", "priced", "id3"]


@st.composite
def path_constraints(draw, n_columns):
    """Constraints on the columns of a path; some columns may be out of reach."""
    some = st.lists(st.integers(0, n_columns - 1), max_size=2, unique=True).map(sorted)
    after = draw(st.lists(some, min_size=n_columns, max_size=n_columns))
    # No difference of gains of whole counts equals such a charge exactly.
    costs = st.sampled_from([0.0, pi / 100, pi / 30, pi / 8])
    charged = draw(st.lists(costs, min_size=n_columns, max_size=n_columns))
    return Constraints(
        never=tuple(draw(some)) if n_columns > 2 else (),
        first=tuple(draw(some)),
        after=tuple(map(tuple, after)) if draw(st.booleans()) else (),
        costs=tuple(charged) if draw(st.booleans()) else (),
        cost_unit=draw(st.sampled_from([None, pi / 4])),
    )


def assert_same_run(case, params, threads=1):
    growth = grow(case.coded, case.target, params, case.table, threads)
    names = [f.name for f in fields(params) if f.name not in ("monotonic", "constraints")]
    rules = {name: getattr(params, name) for name in names}
    sample = case.columns, case.labels, case.units, case.target.unit
    run = ConstrainedRun(*sample, constraints=params.constraints, **rules)
    run.grow()
    assert [e.leaf for e in growth.expansions] == [s.leaf.number for s in run.steps]
    unit = case.target.unit
    for fast, slow in zip(growth.expansions, run.steps, strict=True):
        assert (fast.arity, fast.option.feature) == (slow.split.arity, slow.split.column)
        scale = 1e-9 * fast.impurity
        assert fast.gain == pytest.approx(slow.split.gain * unit, abs=scale)
        if slow.best_binary is None:
            assert fast.best_binary_gain is None
        else:
            assert fast.best_binary_gain == pytest.approx(slow.best_binary * unit, abs=scale)
    return growth


@SLOW
@given(st.data(), cases() | random_cases(), grow_params(procedures=PROCEDURES))
def test_grow_observes_constraints_on_paths(data, case, params):
    held = data.draw(path_constraints(len(case.columns)))
    assert_same_run(case, replace(params, constraints=held))


@SLOW
@given(st.data(), cases() | random_cases(), grow_params(procedures=PROCEDURES))
def test_grow_observes_the_least_share_of_a_branch(data, case, params):
    share = data.draw(st.sampled_from([0.1, 0.2, 1 / 3, 0.5]))
    held = Constraints(min_child_share=share)
    assert_same_run(case, replace(params, constraints=held))


two_classes = cases(max_classes=2) | random_cases(max_rows=60, max_classes=2)


@SLOW
@given(st.data(), two_classes, grow_params(procedures=PROCEDURES))
def test_grow_observes_the_least_difference_of_neighbours(data, case, params):
    # Ranges and single categories: of groups, those along the order of shares are searched.
    params = replace(params, families=("intervals", "values"))
    least = data.draw(st.sampled_from([pi / 50, pi / 20, pi / 8, pi / 5]))
    share = data.draw(st.sampled_from([0.0, 0.2]))
    held = Constraints(min_difference=least, min_child_share=share)
    assert_same_run(case, replace(params, constraints=held))


@settings(SLOW, max_examples=30)
@given(st.data(), two_classes, grow_params(procedures=["per-leaf", "priced"]))
def test_groups_differ_by_the_least_difference(data, case, params):
    params = replace(params, families=("groups", "intervals"))
    least = data.draw(st.sampled_from([pi / 50, pi / 20, pi / 8]))
    held = Constraints(min_difference=least)
    growth = grow(case.coded, case.target, replace(params, constraints=held))
    tree = growth.tree
    for expansion in growth.expansions:
        if expansion.option.family != "groups":
            continue
        children = tree.children(expansion.leaf)
        values = np.sort(tree.counts[children, 1] / tree.weight[children])
        assert np.diff(values).min() >= least - 1e-9


@settings(SLOW, max_examples=30)
@given(st.data(), random_cases(max_rows=80), grow_params(procedures=["per-leaf", "priced"]))
def test_a_planned_run_observes_constraints_too(data, case, params):
    assume(len(case.columns) > 1)
    held = data.draw(path_constraints(len(case.columns)))
    params = replace(params, max_leaves=None, constraints=held)
    plain = grow(case.coded, case.target, params, case.table)

    tuning = Tuning(threads=2, apart=20)
    planned = Grower(case.coded, case.target, params, tuning=tuning).grow()
    assert planned.tree == plain.tree


def test_constraints_need_columns_that_all_can_see():
    class Own:
        name = "own"

        def propose(self, node, query):
            return []

    with pytest.raises(ParameterError, match="need built-in families"):
        GrowParams(families=(Own(),), constraints=Constraints(never=(0,)))
    with pytest.raises(ParameterError, match="draws at random"):
        GrowParams(columns_per_node=1, constraints=Constraints(first=(0,)))
    for bad in ({"min_child_share": 0.6}, {"min_difference": -1.0}, {"costs": (-1.0,)}):
        with pytest.raises(ParameterError, match="must be"):
            Constraints(**bad)
