"""Origins are validated and described, and certificates of their trees claim no theorem."""

from dataclasses import replace
from math import inf, isnan, log, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_diabetes

from polytomy import TreeClassifier, TreeRegressor, theory
from polytomy._errors import ParameterError
from polytomy.certify import Rules, origin_sentences, replayed
from polytomy.index import resolve
from polytomy.model import Lesson, Origin
from polytomy.tree import IntervalSplit, TreeBuilder
from tests.found_trees import FOREST, TAUGHT, with_origin

X, y = load_breast_cancer(return_X_y=True)
RULES = Rules("priced", "steepest", None, 8, ("intervals",), False)


@pytest.fixture(scope="module")
def taught():
    return with_origin(TreeClassifier(8).fit(X, y))


@pytest.fixture(scope="module")
def taught_numbers():
    return with_origin(TreeRegressor(8).fit(*load_diabetes(return_X_y=True)))


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("name", "", "name of a teacher"),
        ("name", 7, "name of a teacher"),
        ("validation", "resubstitution", "out-of-bag, out-of-fold"),
        ("error", -0.1, "error must be a finite number >= 0"),
        ("error", inf, "error must be a finite number >= 0"),
        ("error", nan, "error must be a finite number >= 0"),
        ("error", "0.1", "error must be a finite number >= 0"),
        ("mix", 1.5, "mix must be a number from 0 to 1"),
        ("mix", True, "mix must be a number from 0 to 1"),
        ("synthetic_rows", -1, "synthetic_rows must be an integer of at least 0"),
        ("synthetic_rows", 2.5, "synthetic_rows must be an integer of at least 0"),
        ("fidelity", 1.01, "fidelity must be a number of at most 1"),
        ("fidelity", -inf, "fidelity must be a number of at most 1"),
    ],
)
def test_lesson_refuses_invalid_fields(field, value, message):
    with pytest.raises(ParameterError, match=message):
        replace(FOREST, **{field: value})


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"lesson": "forest"}, "lesson must be a Lesson or None"),
        ({"search": 2}, "search must be two integers"),
        ({"search": (6,)}, "search must be two integers"),
        ({"search": (0, 2)}, "the number of candidates must be an integer of at least 1"),
        ({"search": (6, 0)}, "the number of levels must be an integer of at least 1"),
        ({"polishing": -1}, "polishing must be an integer of at least 0"),
        ({"polishing": True}, "polishing must be an integer of at least 0"),
    ],
)
def test_origin_refuses_invalid_fields(fields, message):
    with pytest.raises(ParameterError, match=message):
        Origin(**fields)


def test_lesson_of_classes_has_shares():
    with pytest.raises(ParameterError, match="error must be a share"):
        replace(FOREST, error=3.2).check_classes()
    with pytest.raises(ParameterError, match="fidelity must be a share"):
        replace(FOREST, fidelity=-0.5).check_classes()
    replace(FOREST, fidelity=nan).check_classes()  # not known of a later pruning


def test_origin_in_words():
    assert origin_sentences(TAUGHT) == [
        "Grown with a teacher: forest of 200 trees, out-of-bag error 4.1%, and 8,000 synthetic "
        "rows that it labelled; the tree agrees with it on 95.3% of the rows.",
        "Found by search: 6 candidates at the root and fewer below, 2 levels deep.",
        "Polished: 2 passes changed splits of the finished tree.",
    ]
    assert origin_sentences(Origin(search=(1, 1), polishing=1)) == [
        "Found by search: 1 candidate at the root.",
        "Polished: 1 pass changed splits of the finished tree.",
    ]
    lesson = Lesson("a\nb", "out-of-fold", 12.5, 1.0, 0, nan)
    assert origin_sentences(Origin(lesson), "squared error") == [
        "Grown with a teacher: a\\nb, out-of-fold mean squared error 12.5."
    ]


@pytest.mark.parametrize(
    ("origin", "reason"),
    [
        (
            TAUGHT,
            "The tree was grown on a teacher's targets, chosen by search and polished, not by this "
            "procedure on the labels.",
        ),
        (Origin(search=(6, 2)), "The tree was chosen by search, not grown by this procedure."),
        (Origin(polishing=1), "The tree was polished, not grown by this procedure."),
        (Origin(), "The tree was not grown by this procedure."),
    ],
)
def test_certificate_of_a_found_tree_says_why_it_is_not_covered(taught, origin, reason):
    certificate = replace(taught._model, origin=origin).certificate
    assert (certificate.covered, certificate.why_not) == (False, reason)
    assert certificate.origin == origin
    assert str(certificate).startswith("Certificate: NOT covered by any theorem about growth\n")


@pytest.mark.parametrize("name", ["taught", "taught_numbers"])
def test_certificate_of_a_found_tree_keeps_what_holds_for_any_tree(name, request):
    fitted = request.getfixturevalue(name)
    c, tree = fitted.certificate_, fitted._model.grown
    index = c.run.index.value(tree.counts)
    total = index[tree.leaves()].sum()
    assert c.index == pytest.approx(total / tree.weight[0])
    assert c.achieved_gamma == pytest.approx(-log(total / index[0]) / log(tree.n_leaves))
    assert c.training_error <= c.index / (1 if tree.is_numeric else 2) + 1e-12
    assert c.bound_holds
    assert c.index <= c.bound == c.per_leaf_bound
    assert c.gamma == c.per_leaf_gamma
    assert isnan(c.weak_gamma)
    assert c.generalization().leaves == tree.n_leaves
    assert ("weak gamma" in str(c), "not guaranteed" in str(c)) == (False, False)
    assert "Grown with a teacher" in str(c)


def test_certificate_of_a_found_tree_does_not_depend_on_the_procedure(taught):
    model = taught._model
    rules = [
        replace(model.run.rules, procedure=name, order=orders[0], gamma=gamma)
        for name, orders in theory.LEAF_ORDERS.items()
        for gamma in [0.9 if name == "mansour-mcallester" else None]
    ]
    runs = [replayed(model.grown, model.run.index, one) for one in rules]
    bounds = {replace(model, run=run).certificate.bound for run in runs}
    assert len(rules) > 3
    assert bounds == {taught.certificate_.bound}


def test_certificate_of_a_found_leaf():
    clf = with_origin(TreeClassifier(1).fit(X, y))
    assert (clf.certificate_.leaves, clf.certificate_.covered) == (1, False)
    assert "nothing was split" in str(clf.certificate_)


def gini(counts):
    n = sum(counts)
    return 2 * (n - sum(c * c for c in counts) / n)


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(2, 4)), max_size=8), st.randoms())
def test_replayed_lists_every_split_after_its_parent_with_its_gain(moves, random):
    counts, leaves, children = [(40.0, 50.0, 60.0)], [0], {}
    builder = TreeBuilder(np.array(counts[0]), 5 ** len(moves))
    rows = [5 ** len(moves)]
    for at, arity in moves:
        leaf = leaves.pop(at % len(leaves))
        shares = [random.random() + 0.1 for _ in range(3 * arity)]
        parts = [
            tuple(c * shares[3 * b + j] / sum(shares[j::3]) for j, c in enumerate(counts[leaf]))
            for b in range(arity)
        ]
        held = [rows[leaf] - (arity - 1) * (rows[leaf] // 5), *[rows[leaf] // 5] * (arity - 1)]
        split = IntervalSplit(0, np.arange(arity - 1.0), -1, 0)
        children[leaf] = builder.split(leaf, split, np.array(parts), held)
        leaves += children[leaf]
        counts += parts
        rows += held
    run = replayed(builder.finish(), resolve("gini"), RULES, "rows")
    assert (run.found, run.weighting, run.retired, run.rules) == (True, "rows", (), RULES)
    assert {s.leaf: list(s.children) for s in run.splits} == children
    made, size = {0}, 1
    for s in run.splits:
        assert s.leaf in made
        made |= set(s.children)
        assert (s.leaves_before, s.best_binary_gain, s.price) == (size, None, s.arity - 1)
        size += s.arity - 1
        assert s.weight == pytest.approx(gini(counts[s.leaf]))
        gain = gini(counts[s.leaf]) - sum(gini(counts[c]) for c in s.children)
        assert s.gain == pytest.approx(gain, rel=1e-6, abs=1e-9)
