"""Certificates: numbers by hand, covered and uncovered runs, the text, and the bounds."""

from dataclasses import dataclass, replace
from math import inf, isnan, log, sqrt
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_digits, load_iris

from polytomy import ParameterError, TreeClassifier, theory
from polytomy.certify import issue_certificate
from polytomy.estimators import run_of
from polytomy.grow import GrowParams, grow
from polytomy.index import INDICES
from tests.certify.planted_runs import SCHEMA, planted_run
from tests.strategies import case_of, cases, grow_params, random_cases

CANCER = load_breast_cancer(return_X_y=True)


def certified(moves, **rules):
    run, tree = planted_run(moves, **rules)
    return issue_certificate(run, tree, SCHEMA)


class HeaviestFirst:
    """Yield the moves of a player who always splits the heaviest leaf."""

    def __init__(self):
        self.moves, self.weights, self.n_nodes = [], {0: 1.0}, 1

    def split(self, k, advantage):
        leaf = max(self.weights, key=lambda node: (self.weights[node], -node))
        self.moves.append((leaf, k, advantage))
        half = self.weights.pop(leaf) * (1 - advantage) / 2
        one, other = k // 2, k - k // 2
        children = [half / one] * one + [half / other] * other
        self.weights.update(enumerate(children, self.n_nodes))
        self.n_nodes += k


BINARY = [(0, 2, 0.1), (1, 2, 0.1), (2, 2, 0.1)]  # four equal leaves, nodes 3 to 6


def test_certificate_bound_is_exact_for_a_halving_run():
    c = certified(BINARY)
    assert c.covered
    assert c.why_not is None
    assert c.gamma == pytest.approx(0.1)
    assert c.index == pytest.approx(0.81) == pytest.approx(c.bound)
    assert c.error_bound == pytest.approx(0.405)
    assert c.power_bound == pytest.approx(4**-0.1)
    assert c.fallback_bound == pytest.approx(0.81)
    assert c.achieved_gamma == pytest.approx(-log(0.81) / log(4))
    np.testing.assert_allclose(c.index_curve, [1, 0.9, 0.855, 0.81])
    np.testing.assert_array_equal(c.leaves_curve, [1, 2, 3, 4])
    np.testing.assert_allclose(c.bound_curve, [1, 0.9, 0.855, 0.81])


def test_certificate_does_not_cover_a_wide_step_if_growth_stops_early():
    c = certified([*BINARY, (3, 11, 0.4)], max_leaves=44)
    assert c.leaves == 14
    assert c.gamma == pytest.approx(0.1)
    assert c.index / theory.phi(14, 0.1) == pytest.approx(1.081, abs=5e-4)  # the bound is violated
    assert not c.covered
    assert "stopped at 14 leaves, short of its budget of 44" in c.why_not
    assert "11 branches of step 4, taken at 4 leaves" in c.why_not
    assert c.fallback_bound == pytest.approx(c.index)
    assert "not guaranteed" in str(c)


def test_certificate_covers_a_wide_step_if_growth_reaches_the_budget():
    game = HeaviestFirst()
    for k, advantage in [(2, 0.1)] * 3 + [(11, 0.4)] + [(2, 0.1)] * 30:
        game.split(k, advantage)
    c = certified(game.moves, max_leaves=44)
    assert c.leaves == 44
    assert c.covered
    assert c.index <= c.bound


def test_certificate_does_not_cover_a_step_that_skips_the_heaviest_leaf():
    c = certified([(0, 2, 0.1), (1, 2, 0.1), (3, 2, 0.1)])  # node 2 was heavier than node 3
    assert not c.covered
    assert (
        "Step 3 did not split the heaviest leaf: it split leaf 3, but leaf 2 was heavier"
        in c.why_not
    )
    assert [step.heaviest for step in c.steps] == [True, True, False]


def test_certificate_covers_steepest_order_for_any_leaf():
    moves = [(0, 2, 0.1), (1, 2, 0.1), (3, 2, 0.1)]
    c = certified(moves, procedure="kearns-mansour", order="steepest")
    assert c.covered
    # gain divided by the mean leaf impurity: 0.1; 0.045/0.45; 0.02025/(0.855/3)
    np.testing.assert_allclose([s.gamma for s in c.steps], [0.1, 0.1, 0.02025 / 0.285])
    assert c.bound == pytest.approx(theory.e(4, 0.02025 / 0.285))
    assert c.index <= c.bound


NAME = "mansour-mcallester"
MANSOUR = {"procedure": NAME, "gamma": 0.3}


@pytest.mark.parametrize("given", [0.08, 0.11])
def test_gamma_of_mansour_mcallester_is_the_largest_possible_whatever_was_given(given):
    moves = [(0, 2, 0.1), (1, 2, 0.12), (2, 2, 0.1)]
    c = certified(moves, procedure="mansour-mcallester", gamma=given)
    assert c.covered
    assert c.gamma == pytest.approx(0.1)
    assert c.bound == pytest.approx(theory.e(4, 0.1))


def test_gamma_of_a_multi_way_step_solves_one_minus_e():
    c = certified([(0, 3, 0.3)], procedure="mansour-mcallester", gamma=0.9)
    gamma = c.steps[0].gamma
    assert 1 - theory.e(3, gamma) == pytest.approx(0.3)
    assert c.covered  # one leaf of 0.35 is below e(2) / 2, the last key of the root
    assert c.gamma == gamma


def test_gamma_of_mansour_mcallester_is_limited_by_the_heaviest_leaf():
    moves = [(0, 2, 0.4), (1, 4, 0.7), (2, 2, 0.5)]  # nodes 1 and 2 have 0.3, leaf 7 has 0.075
    c = certified(moves, **MANSOUR)
    assert c.covered
    assert 0.3 * theory.e(3, c.gamma) / 3 == pytest.approx(0.075)  # the key before the last visit
    assert c.gamma < min(step.gamma for step in c.steps)
    assert c.vw_tree().globally_safe
    assert c.index <= c.bound == pytest.approx(theory.e(6, c.gamma))


def test_certificate_does_not_cover_a_step_too_wide_for_every_gamma():
    c = certified([(0, 2, 0.1), (1, 4, 0.2)], **MANSOUR)  # node 2 has the weight 0.45
    assert not c.covered
    assert c.gamma == pytest.approx(0.1)
    assert (
        "The heaviest leaf at the end has 1 times the impurity of the node that step 2 split "
        "4 ways; at most 1/3 would be safe." in c.why_not
    )


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(2, 9), st.floats(0.0, 0.95)), min_size=1, max_size=25))
def test_gamma_of_mansour_mcallester_is_the_largest_with_a_safe_and_well_formed_vw_tree(steps):
    game = HeaviestFirst()
    for k, advantage in steps:
        game.split(k, advantage)
    c = certified(game.moves, **MANSOUR)
    safe = [
        gamma
        for gamma in np.linspace(0, 1, 201)
        if (vw := replace(c.vw_tree(), gamma=gamma)).globally_safe and vw.locally_well_formed
    ]
    assert c.covered == bool(safe)
    if c.covered:
        assert theory.VWGrowth.like(c.vw_tree()).tree.index == pytest.approx(c.index)
        assert safe[-1] - 1e-6 <= c.gamma < safe[-1] + 1 / 200 + 1e-6
        assert c.index <= c.bound * (1 + 1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_conditions_of_theorem_4_1_for_some_gamma_are_covered_with_at_least_that_gamma(seed):
    rng = np.random.default_rng(seed)
    game, s = HeaviestFirst(), 120
    while (leaves := len(game.weights)) < s:
        gamma = 0.5
        wide = [k for k in (3, 4, 5) if theory.acceptable(NAME, k, leaves, s, gamma)]
        k = int(rng.choice([2, *wide]))
        game.split(k, 1 - theory.e(k, gamma) * rng.uniform(0.8, 1))
    c = certified(game.moves, procedure=NAME, gamma=0.01)  # whatever the run was given
    assert any(step.arity > 2 for step in c.steps)
    assert c.covered
    assert c.gamma >= gamma - 1e-9


def test_why_not_mentions_a_depth_limit():
    X, y = load_digits(return_X_y=True)
    c = TreeClassifier(30, procedure="hatano", index="sqrt", max_depth=4).fit(X, y).certificate_
    assert not c.covered
    assert "given up (max_depth)" in c.why_not
    assert "NOT covered" in str(c)


def test_why_not_mentions_a_leaf_without_options():
    x = np.array([0] * 40 + [1, 2, 3, 4] * 5)
    y = np.array(
        [0, 1] * 20 + [1, 0, 1, 1] * 2 + [1] * 12
    )  # rows with x = 0 are equal in all columns
    c = TreeClassifier(5, procedure="kearns-mansour").fit(x[:, None], y).certificate_
    assert not c.covered
    assert "given up (no acceptable option)" in c.why_not


def test_why_not_mentions_an_invalid_user_index():
    X, y = CANCER

    def nearly_gini(counts):  # random count vectors never sum to 569
        total = counts.sum(axis=-1)
        return INDICES["gini"].value(counts) * np.where(total == 569, 0.5, 1.0)

    c = TreeClassifier(4, index=nearly_gini).fit(X, y).certificate_
    assert not c.covered
    assert "nearly_gini is not an index function: at node 0 it is" in c.why_not


def test_coverage_without_a_budget_uses_the_final_size():
    X, y = CANCER
    c = TreeClassifier(None, procedure="hatano", index="entropy").fit(X, y).certificate_
    assert c.run.rules.max_leaves is None
    assert not c.covered
    assert "Growth stopped at 19 leaves: for a tree of that size" in c.why_not
    assert TreeClassifier(None).fit(X, y).certificate_.covered  # per-leaf has no such condition


def test_certificate_is_not_changed_by_contraction():
    X, y = CANCER
    params = {"procedure": "hatano", "max_bins": 255}  # with these bins there is a node to merge
    merged, plain = (TreeClassifier(12, **params, contract=c).fit(X, y) for c in (True, False))
    assert merged.tree_.n_nodes < plain.tree_.n_nodes
    assert str(merged.certificate_) == str(plain.certificate_)
    assert len(merged.certificate_.steps) == len(plain.certificate_.steps)


def test_certificate_is_vacuous_if_a_step_gains_nothing():
    x = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5)
    c = TreeClassifier(4, procedure="hatano", max_arity=2).fit(x, x.sum(axis=1) % 2).certificate_
    assert c.covered
    assert c.gamma == 0
    assert c.bound == c.index_curve[0]
    assert c.index == 0
    assert c.achieved_gamma == inf
    assert "vacuously" in str(c)


@pytest.mark.parametrize("procedure", ["per-leaf", "hatano", "kearns-mansour"])
def test_certificate_of_one_leaf_has_no_gamma(procedure):
    X, y = CANCER
    c = TreeClassifier(1, procedure=procedure).fit(X, y).certificate_
    assert c.covered
    assert c.steps == ()
    assert isnan(c.gamma)
    assert isnan(c.weak_gamma)
    assert isnan(c.achieved_gamma)
    assert c.bound == c.index == c.fallback_bound
    assert c.power_bound == 1
    assert "nothing was split" in str(c)


def test_certificate_of_one_class_has_no_steps():
    c = TreeClassifier(4).fit([[0.0], [1.0]], [7, 7]).certificate_
    assert c.covered
    assert c.index == c.bound == c.training_error == 0


def test_bounds_of_more_classes_start_at_the_index_of_the_root():
    X, y = load_iris(return_X_y=True)
    c = TreeClassifier(3, index="sqrt", procedure="hatano").fit(X, y).certificate_
    assert c.index_curve[0] == pytest.approx(2)  # (3 sqrt(1/3))^2 - 1
    assert c.covered
    assert c.bound == pytest.approx(2 * theory.phi(3, c.gamma))
    assert c.power_bound == pytest.approx(2 * 3**-c.gamma)
    assert c.error_curve[0] == pytest.approx(2 / 3)


def test_gamma_exceeds_weak_gamma_with_multi_way_steps():
    # Four ranges of alternating classes: one four-way split separates them, but no binary split
    # gains more than a third.
    x = np.repeat(np.arange(4.0), 25)
    c = TreeClassifier(4, procedure="hatano").fit(x[:, None], x % 2).certificate_
    assert [s.arity for s in c.steps] == [4]
    assert c.gamma == pytest.approx(0.5)
    assert c.weak_gamma == pytest.approx(1 / 3)
    assert c.covered


def test_weak_gamma_is_zero_without_a_binary_option():
    x = np.array([["a"], ["b"], ["c"]] * 4)
    y = [0, 1, 1] * 4
    c = TreeClassifier(3, families=("values",), procedure="hatano").fit(x, y).certificate_
    assert [s.arity for s in c.steps] == [3]
    assert c.weak_gamma == 0
    assert c.gamma > 0


def test_certificate_text_fits_one_screen_and_names_the_weakest_steps():
    data = load_breast_cancer(as_frame=True)
    clf = TreeClassifier(16, procedure="hatano", index="sqrt").fit(data.data, data.target)
    text = str(clf.certificate_)
    lines = text.splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 100
    weakest = min(clf.certificate_.steps, key=lambda s: s.gamma)
    step = f"step {weakest.number} split {weakest.rows} rows on `{weakest.column}`"
    assert f"{step} with an advantage of {weakest.advantage:.4f}" in text
    assert lines[0].startswith("Certificate: covered by Hatano's Theorem")


def test_per_leaf_bound_holds_for_any_run():
    X, y = load_digits(return_X_y=True)
    c = TreeClassifier(30, procedure="hatano", index="sqrt", max_depth=4).fit(X, y).certificate_
    assert not c.covered
    assert c.index <= c.per_leaf_bound < c.index_curve[0]
    assert f"at most {c.per_leaf_bound:.4f}" in str(c)
    steepest = TreeClassifier(30).fit(X, y).certificate_
    assert (steepest.per_leaf_gamma, steepest.per_leaf_bound) == (steepest.gamma, steepest.bound)


def test_certificate_text_mentions_weights():
    X, y = CANCER
    weights = np.random.default_rng(0).integers(1, 5, len(y))
    assert "weighted" not in str(TreeClassifier(4).fit(X, y).certificate_)
    assert "weighted" not in str(TreeClassifier(4).fit(X, y, np.full(len(y), 2.0)).certificate_)
    rows = TreeClassifier(4).fit(X, y, weights).certificate_
    assert "Rows are weighted: errors are fractions of the weight" in str(rows)
    classes = TreeClassifier(4, class_weight="balanced").fit(X, y).certificate_
    assert "Classes are weighted" in str(classes)


def test_certificate_text_mentions_a_callback_that_stopped_the_run():
    case = case_of({"x": [0, 1, 2, 3]}, [0, 1, 0, 1])
    growth = grow(case.coded, case.target, GrowParams(max_arity=2), on_step=lambda _: True)
    run = run_of(growth)
    assert run.stopped == "callback"
    assert "A callback stopped the run" in str(
        issue_certificate(run, growth.tree, case.coded.schema)
    )


def test_certificate_text_escapes_line_breaks_in_names():
    frame = pd.DataFrame({"city\nname": ["a", "b"] * 10})
    text = str(TreeClassifier(4).fit(frame, [0, 1] * 10).certificate_)
    assert "`city\\nname`" in text


@settings(max_examples=150)
@given(st.one_of(cases(), random_cases()), grow_params())
@pytest.mark.filterwarnings("ignore:the 'error' index")
def test_bounds_hold_for_every_covered_run(case, params):
    growth = grow(case.coded, case.target, params, case.table)
    c = issue_certificate(run_of(growth), growth.tree, case.coded.schema)
    counts = growth.tree.counts[growth.tree.leaves()]
    weight = counts.sum()
    index = growth.index.value(counts).sum() / weight
    error = (counts.sum(axis=1) - counts.max(axis=1)).sum() / weight
    assert c.index == pytest.approx(index, abs=1e-12)
    assert c.training_error == pytest.approx(error, abs=1e-12)
    assert c.fallback_bound == pytest.approx(index, abs=1e-9)
    assert (c.why_not is None) == c.covered
    assert 0 <= c.gamma <= 1 + 1e-9 or isnan(c.gamma)
    if params.order == "steepest":
        assert c.covered
    if c.covered:
        assert (c.index_curve[-1] <= c.bound_curve[-1] + 1e-9).all()
        assert index <= c.bound + 1e-9
        assert error <= c.error_bound + 1e-9
        assert c.bound <= c.power_bound + 1e-9
    assert index <= c.per_leaf_bound + 1e-9


@given(st.integers(0, 2**32 - 1), st.floats(0.01, 0.9), st.integers(2, 24))
def test_covered_runs_of_hatanos_game_stay_below_phi(seed, most, s):
    """Planted runs have random advantages and arities and split heaviest leaves."""
    rng = np.random.default_rng(seed)
    game = HeaviestFirst()
    while (leaves := len(game.weights)) < s:
        wide = [k for k in range(2, 9) if theory.acceptable("hatano", k, leaves, s)]
        k = int(rng.choice(wide))
        game.split(k, min(0.99, theory.price("hatano", k) * rng.uniform(0.005, most)))
    c = certified(game.moves, max_leaves=s)
    assert c.covered
    assert c.index <= c.bound + 1e-9


@dataclass(frozen=True)
class Flipped:
    """A custom split with the predictions of a fixed weak learner, by row number."""

    kind: ClassVar[str] = "test-flipped"
    arity: ClassVar[int] = 2
    answers: tuple[int, ...]

    def route(self, table):
        return np.array(self.answers)[np.asarray(table.column(0)).astype(int)]

    def describe(self, names):
        return "what does the weak learner say?", ["0", "1"]

    def to_plain(self):
        return {"answers": list(self.answers)}

    @classmethod
    def from_plain(cls, data):
        return cls(tuple(data["answers"]))


class WeakLearner:
    """Proposes the label, flipped for a fraction 1/2 - delta of the node's rows."""

    name = "weak-learner"

    def __init__(self, labels, delta):
        self.labels, self.delta = labels, delta

    def propose(self, node, ask):
        answers = self.labels.copy()
        rows = np.asarray(node.table.column(0)).astype(int)
        for label in (0, 1):
            of_class = rows[self.labels[rows] == label]
            flipped = of_class[: int(len(of_class) * (0.5 - self.delta))]
            answers[flipped] = 1 - label
        yield Flipped(tuple(answers.tolist()))


@pytest.mark.parametrize("delta", [0.1, 0.2, 0.3])
@pytest.mark.parametrize("procedure", ["kearns-mansour", "hatano", "per-leaf"])
def test_planted_weak_learner_gives_the_gamma_it_implies(delta, procedure):
    """Counts (a, b) go to ((1/2 + delta) a, (1/2 - delta) b) and the rest: sqrt(1 - 4 delta^2) of
    the weight is left, an advantage of about 2 delta^2, well above Lemma 3.1's delta^2/16.
    """
    rng = np.random.default_rng(0)
    labels = (rng.random(8000) < 0.4).astype(int)
    X = np.arange(8000.0)[:, None]
    family = WeakLearner(labels, delta)
    clf = TreeClassifier(16, procedure=procedure, index="sqrt", families=(family,)).fit(X, labels)
    c = clf.certificate_
    assert c.leaves == 16
    assert c.covered
    assert (c.index_curve <= c.bound_curve + 1e-12).all()
    assert c.gamma >= theory.weak_to_growth(delta)
    implied = 1 - sqrt(1 - 4 * delta**2)
    if procedure != "per-leaf":  # whose gamma refers to the mean leaf, not to the leaf itself
        assert c.gamma == pytest.approx(implied, rel=0.05)
    assert c.weak_gamma == pytest.approx(implied, rel=0.05)
    for weak, step in zip(c.weak_learners(), c.steps, strict=True):
        assert (weak.step, weak.node, weak.advantage) == (step.number, step.leaf, step.advantage)
        assert weak.edge == pytest.approx(delta, abs=0.02)
        assert weak.predicted == pytest.approx(theory.edge_to_advantage(weak.edge))
        assert weak.advantage >= weak.predicted - 1e-9


def test_weak_learners_state_the_edge_of_every_split():
    X, y = CANCER
    clf = TreeClassifier(12, procedure="hatano", index="gini", class_weight="balanced").fit(X, y)
    found = clf.certificate_.weak_learners()
    assert [weak.predicted for weak in found] == [None] * len(found)  # the lemma is about sqrt
    left = X[:, clf.tree_.feature[0]] <= clf.tree_.split(0).thresholds[0]
    edge = abs(left[y == 1].mean() - left[y == 0].mean()) / 2  # class weights do not matter
    assert len(clf.tree_.children(0)) == 2
    assert found[0].edge == pytest.approx(edge)
    iris = TreeClassifier(4).fit(*load_iris(return_X_y=True))
    with pytest.raises(ParameterError, match="two classes; the target is 3 classes"):
        iris.certificate_.weak_learners()
