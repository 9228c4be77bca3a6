"""Chi-square pruning against scipy's test on each node's table, and p-values of chosen splits."""

from math import comb, exp, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import gammaln, logsumexp
from scipy.stats import chi2, chi2_contingency

from polytomy import ParameterError
from polytomy.encode import OrderedColumn, Schema, Target, encode
from polytomy.grow import GrowParams, grow
from polytomy.prune import ChiSquare, Evidence, adjusted_p_chance, chi_square, p_chance
from polytomy.prune.chi_square import log_tail
from polytomy.prune.split_options import split_options
from polytomy.table import Table
from polytomy.tree import CustomSplit, TreeBuilder
from tests.naive.pruning import subtree
from tests.strategies import grown_trees, random_cases, tree_of


def ordered(bins):
    return OrderedColumn("x", np.arange(float(bins)), np.arange(float(bins)), has_missing=False)


def tables(tree):
    """Yield each inner node's table of children against the classes it has."""
    for node in range(tree.n_nodes):
        if not tree.is_leaf(node):
            yield node, tree.counts[tree.children(node)][:, tree.counts[node] > 0]


@given(grown_trees(most=12, unit=1.0))
def test_p_chance_equals_pearsons_test_without_correction(grown):
    found = p_chance(grown.tree)
    assert np.isnan(found.p[grown.tree.leaves()]).all()
    assert not found.few[grown.tree.leaves()].any()
    for node, table in tables(grown.tree):
        theirs = chi2_contingency(table, correction=False)
        assert found.p[node] == pytest.approx(theirs.pvalue, rel=1e-9, abs=1e-300)
        assert found.few[node] == (theirs.expected_freq < 5).any()


def test_p_chance_equals_a_value_computed_by_hand():
    """(8, 2) and (2, 8): every cell is 3 off an expected 5, so chi-square is 4 * 9/5."""
    tree = tree_of([[1, 2], [], []], np.array([[10, 10], [8, 2], [2, 8]]))
    found = p_chance(tree)
    assert found.p[0] == pytest.approx(0.0072903, rel=1e-4)  # the tail of 7.2 at one degree
    assert not found.few[0]
    assert chi_square(tree, 0.01).tolist() == []
    assert chi_square(tree, 0.007).tolist() == [0]


def test_p_chance_ignores_absent_classes_and_is_one_at_pure_nodes():
    tree = tree_of([[1, 2], [], []], np.array([[9, 0], [4, 0], [5, 0]]))
    assert p_chance(tree).p[0] == 1
    assert chi_square(tree, 0.99).tolist() == [0]
    assert chi_square(tree, 1).tolist() == []  # only p-values above the limit are pruned
    two = tree_of([[1, 2], [], []], np.array([[10, 10], [8, 2], [2, 8]]))
    three = tree_of([[1, 2], [], []], np.array([[10, 0, 10], [8, 0, 2], [2, 0, 8]]))
    assert p_chance(two).p[0] == p_chance(three).p[0]
    assert not p_chance(three).few[0]


@given(grown_trees(max_inner=12, most=12, unit=1.0), st.sampled_from([0.0, 0.05, 0.3, 0.7, 1.0]))
def test_chi_square_removes_splits_whose_children_are_leaves(grown, most):
    tree, chance = grown.tree, p_chance(grown.tree).p
    cut = set()
    while True:
        leaves, inner = subtree(tree, 0, cut)
        ready = [v for v in inner if set(tree.children(v).tolist()) <= set(leaves)]
        gone = [v for v in ready if chance[v] > most]
        if not gone:
            break
        cut.add(gone[0])
    leaves, _ = subtree(tree, 0, cut)
    want = [v for v in leaves if not tree.is_leaf(v)]
    assert chi_square(tree, most).tolist() == sorted(want)
    assert ChiSquare(most).cut(tree, Evidence()).tolist() == sorted(want)


@given(grown_trees(unit=0.1))
def test_chi_square_warns_about_weights_below_case_counts(grown):
    with pytest.warns(UserWarning, match="case counts"):
        p_chance(grown.tree)


@given(random_cases(max_rows=60), st.sampled_from([2, 8]))
def test_adjusted_p_chance_equals_its_formula(case, max_arity):
    target = Target.of(np.array(case.labels), case.n_classes)  # unweighted
    tree = grow(case.coded, target, GrowParams(max_leaves=None, max_arity=max_arity)).tree
    schema = case.coded.schema
    found, plain = adjusted_p_chance(tree, schema), p_chance(tree)
    np.testing.assert_array_equal(found.plain, plain.p)
    np.testing.assert_array_equal(found.few, plain.few)
    assert np.isnan(found.p[tree.leaves()]).all()
    assert found.n_columns == max(1, sum(n > 1 for n in schema.n_codes()))
    options = split_options(tree, schema, at_node=True)
    np.testing.assert_array_equal(found.log_options, options.log_count)
    for node, table in tables(tree):
        x = chi2_contingency(table, correction=False).statistic
        degrees = table.shape[1] - 1
        either = [
            exp(options.log_count[node]) * chi2.sf(x, degrees * (len(table) - 1)),
            chi2.sf(x, degrees * (options.n_values[node] - 1)),
        ]
        p = min(1, found.n_columns * min(either)) if degrees else 1
        assert found.p[node] == pytest.approx(p, rel=1e-9)
        assert found.p[node] >= plain.p[node] * (1 - 1e-12)


def test_adjusted_p_chance_equals_a_value_computed_by_hand():
    """(8, 2) and (2, 8) have p = 0.0072903: twice by Bonferroni with 3 bins and one column."""
    tree = tree_of([[1, 2], [], []], np.array([[10, 10], [8, 2], [2, 8]]))
    schema = Schema((ordered(3),))
    assert adjusted_p_chance(tree, schema).p[0] == pytest.approx(2 * 0.0072903, rel=1e-4)
    assert chi_square(tree, 0.01).tolist() == []
    assert chi_square(tree, 0.01, schema).tolist() == [0]
    assert chi_square(tree, 0.02, schema).tolist() == []
    # a second column doubles it, one of a single value does not
    wider = Schema((ordered(3), ordered(2), ordered(1)))
    assert adjusted_p_chance(tree, wider).p[0] == pytest.approx(4 * 0.0072903, rel=1e-4)
    # 20 bins in 4 ranges: C(19, 3) = 969 splits, where the tail of 19 degrees is smaller
    units = np.array([[10, 10], [5, 0], [0, 5], [5, 0], [0, 5]])
    tree = tree_of([[1, 2, 3, 4], [], [], [], []], units)
    found = adjusted_p_chance(tree, Schema((ordered(20),)))
    assert exp(found.log_options[0]) == pytest.approx(comb(19, 3))
    assert comb(19, 3) * chi2.sf(20, 3) < chi2.sf(20, 19)
    assert found.p[0] == pytest.approx(comb(19, 3) * chi2.sf(20, 3))
    tree = tree_of(
        [[1, 2, 3, 4], [], [], [], []], np.array([[10, 10], [4, 1], [1, 4], [4, 1], [1, 4]])
    )
    found = adjusted_p_chance(tree, Schema((ordered(20),)))
    assert found.p[0] == pytest.approx(chi2.sf(7.2, 19))


class Own:
    kind = "own"
    arity = 2
    n_options = 12


def test_adjusted_p_chance_of_a_user_defined_split_counts_its_options():
    builder = TreeBuilder(np.array([10.0, 10]), 20)
    builder.split(0, CustomSplit(Own()), np.array([[8.0, 2], [2, 8]]), [10, 10])
    found = adjusted_p_chance(builder.finish(), Schema((ordered(5),)))
    assert found.p[0] == pytest.approx(12 * 0.0072903, rel=1e-4)


@given(st.integers(1, 300), st.floats(1, 20_000))
def test_log_tail_equals_a_sum_of_poisson_probabilities(half, x):
    """Chi-square with 2a degrees is at least x if and only if Poisson(x/2) is below a."""
    terms = np.arange(half)
    exact = logsumexp(terms * log(x / 2) - x / 2 - gammaln(terms + 1))
    assert log_tail(2 * half, x) == pytest.approx(exact, rel=1e-10, abs=1e-12)


@given(st.integers(1, 600), st.floats(1, 20_000))
def test_log_tail_obeys_its_recurrence(degrees, x):
    half = degrees / 2
    more = half * log(x / 2) - x / 2 - gammaln(half + 1)
    expected = np.logaddexp(log_tail(degrees, x), more)
    assert log_tail(degrees + 2, x) == pytest.approx(expected, rel=1e-10, abs=1e-12)


def test_chi_square_takes_adjusted_p_values():
    tree = tree_of([[1, 2], [], []], np.array([[10, 10], [8, 2], [2, 8]]))
    evidence = Evidence(schema=Schema((ordered(3),)))
    assert ChiSquare(0.01).cut(tree, evidence).tolist() == []
    assert ChiSquare(0.01, adjusted=True).cut(tree, evidence).tolist() == [0]
    with pytest.raises(ParameterError, match="chi-square pruner needs the schema"):
        ChiSquare(adjusted=True).cut(tree, Evidence())
    with pytest.raises(ParameterError, match="adjusted must be True or False, got 'yes'"):
        ChiSquare(adjusted="yes")


def root_p_values(columns, labels, max_leaves):
    coded = encode(Table.of({name: cells.tolist() for name, cells in columns.items()}))
    target = Target.of(labels, int(labels.max()) + 1)
    tree = grow(coded, target, GrowParams(max_leaves=max_leaves)).tree
    found = adjusted_p_chance(tree, coded.schema)
    return found.plain[0], found.p[0]


NOISE = {
    "50 categories": lambda rng: {"c": rng.integers(0, 50, 400).astype("U2")},
    "numbers": lambda rng: {"x": rng.normal(size=400)},
    "both": lambda rng: {
        "c": rng.integers(0, 50, 400).astype("U2"),
        "x": rng.normal(size=400),
        "z": rng.normal(size=400),
    },
}


@pytest.mark.parametrize("max_leaves", [2, 8])
@pytest.mark.parametrize("columns", NOISE)
def test_adjusted_p_values_of_pure_noise_are_rarely_small(columns, max_leaves):
    """At most 5 % should be below 0.05; more than 6 of 50 have a probability of 1.2 % then."""
    found = []
    for seed in range(50):
        rng = np.random.default_rng(seed)
        found.append(root_p_values(NOISE[columns](rng), rng.integers(0, 2, 400), max_leaves))
    plain, adjusted = np.transpose(found)
    assert np.count_nonzero(adjusted < 0.05) < 7
    assert np.count_nonzero(plain < 0.05) >= (30 if columns == "numbers" else 48)


def test_adjusted_p_values_find_categories_that_matter():
    """In every other category of 50, three quarters of the rows have class 1, else one quarter."""
    small = 0
    for seed in range(50):
        rng = np.random.default_rng(seed)
        codes = rng.integers(0, 50, 400)
        labels = (rng.random(400) < np.where(codes % 2, 0.75, 0.25)).astype(int)
        small += root_p_values({"c": codes.astype("U2")}, labels, 2)[1] < 0.05
    assert small >= 45
