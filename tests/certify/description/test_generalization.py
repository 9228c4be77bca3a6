"""Bounds on new rows: by hand, in simulation, and when they do not apply."""

from math import isnan, log, log2, nan, sqrt
from typing import ClassVar

import numpy as np
import pytest

from polytomy import ParameterError, TreeClassifier
from polytomy._types import UNSEEN
from polytomy.certify.description import encode_tree, generalize
from polytomy.encode import NominalColumn, OrderedColumn, Schema, Target, encode
from polytomy.grow import GrowParams, grow
from polytomy.predict import apply
from polytomy.table import Numbers, Ranks, Table
from polytomy.theory.bounds import VCBounds
from polytomy.tree import CategorySplit, CustomSplit, IntervalSplit, TreeBuilder, contract


def boolean(n):
    return Schema(tuple(NominalColumn(f"b{j}", ("no", "yes"), False) for j in range(n)))


def asks(feature):
    return CategorySplit(feature, np.array([0, 1], dtype=np.int32), UNSEEN, 0)


def three_leaves():
    """Two splits on Boolean columns; 100 cases, of which 3 + 2 + 2 are wrong."""
    builder = TreeBuilder(np.array([52.0, 48.0]), 100)
    builder.split(0, asks(2), np.array([[47.0, 3.0], [5.0, 45.0]]), [50, 50])
    builder.split(2, asks(0), np.array([[3.0, 2.0], [2.0, 43.0]]), [5, 45])
    return builder.finish()


def test_generalization_equals_values_computed_by_hand():
    tree = three_leaves()
    found = generalize(tree, boolean(4), delta=0.1)
    assert found.training_error == pytest.approx((3 + 2 + 2) / 100)
    assert (found.m, found.rows, found.leaves, found.delta) == (100.0, 100, 3, 0.1)
    # flags 1; two splits of 1 bit, 2 for the column, 1 + 1 + 1; three leaves of 2 bits
    assert found.bits == 1 + 2 * 6 + 3 * 2 == len(encode_tree(tree, boolean(4)))
    assert found.occam == pytest.approx(0.07 + sqrt((19 * log(2) + log(10)) / 200))
    assert found.vc == VCBounds(3, 3 * log2(32))
    assert found.rule_of_thumb == pytest.approx(sqrt(3 / 100))
    assert found.rule_of_thumb_error == pytest.approx(0.07 + sqrt(3 / 100))
    assert found.occam_why_not is None
    assert found.vc_why_not is None
    assert not found.vacuous


def test_generalization_reads_weights_as_case_counts():
    tree = three_leaves()
    heavy = TreeBuilder(tree.counts[0] * 10, 100).finish()
    found = generalize(heavy, boolean(4))
    assert (found.m, found.rows) == (1000.0, 100)
    assert found.occam == pytest.approx(0.48 + sqrt((3 * log(2) + log(20)) / 2000))


def test_generalization_warns_about_weights_below_the_number_of_rows():
    light = TreeBuilder(np.array([3.0, 6.5]), 10).finish()
    with pytest.warns(UserWarning, match=r"10 rows sum to 9.5; .* weights as case counts"):
        found = generalize(light, boolean(1))
    assert found.m == 9.5
    rounded = TreeBuilder(np.array([0.1 * 3, 9.7]) - 1e-12, 10).finish()
    generalize(rounded, boolean(1))  # no warning: the sum is 10 up to rounding


@pytest.mark.parametrize("delta", [0, 1, -0.1, 2, nan, "0.05", None, True])
def test_generalization_rejects_an_invalid_delta(delta):
    with pytest.raises(ParameterError, match="delta must be a number above 0 and below 1"):
        generalize(three_leaves(), boolean(4), delta)


def test_bits_are_those_of_the_shortest_tree_with_the_same_predictions():
    builder = TreeBuilder(np.array([20.0, 20.0]), 40)
    cut = IntervalSplit(0, np.array([3.5]), UNSEEN, 0)
    builder.split(0, cut, np.array([[20.0, 5.0], [0.0, 15.0]]), [25, 15])
    lower = IntervalSplit(0, np.array([1.5]), UNSEEN, 0)
    builder.split(1, lower, np.array([[15.0, 5.0], [5.0, 0.0]]), [20, 5])  # both predict class 0
    tree = builder.finish()
    schema = Schema((OrderedColumn("x", np.empty(0), np.empty(0), False, Numbers()),))
    single = TreeBuilder(np.array([20.0, 20.0]), 40)
    single.split(0, cut, np.array([[20.0, 5.0], [0.0, 15.0]]), [25, 15])
    found = generalize(tree, schema)
    assert found.bits == len(encode_tree(single.finish(), schema))
    assert found.bits < len(encode_tree(contract(tree), schema))
    assert found.bits < len(encode_tree(tree, schema))
    assert found.leaves == 3  # the tree's own
    pure = TreeBuilder(np.array([9.0, 1.0]), 10)
    pure.split(0, cut, np.array([[5.0, 1.0], [4.0, 0.0]]), [6, 4])
    assert generalize(pure.finish(), schema).bits == 3  # one leaf has the same predictions


def test_bits_merge_equal_leaves_before_contraction():
    def chain():
        builder = TreeBuilder(np.array([5.0, 6.0]), 11)
        for node, high, left, right in [
            (0, 9.5, [3.0, 6.0], [2.0, 0.0]),
            (1, 7.5, [3.0, 4.0], [0.0, 2.0]),
            (3, 5.5, [1.0, 4.0], [2.0, 0.0]),
        ]:
            cut = IntervalSplit(0, np.array([high]), UNSEEN, 0)
            builder.split(node, cut, np.array([left, right]), [int(sum(left)), int(sum(right))])
        return builder

    schema = Schema((column_of("two bins"), *boolean(1)))
    longer = chain()
    longer.split(5, asks(1), np.array([[1.0, 2.0], [0.0, 2.0]]), [3, 2])  # both predict class 1
    merged = len(encode_tree(contract(chain().finish()), schema))
    assert merged < len(encode_tree(chain().finish(), schema))
    assert generalize(longer.finish(), schema).bits == merged


def test_bits_merge_tied_leaves_to_the_lower_class():
    builder = TreeBuilder(np.array([4.0, 4.0]), 8)
    builder.split(0, asks(0), np.array([[2.0, 2.0], [2.0, 2.0]]), [4, 4])
    found = generalize(builder.finish(), boolean(1))
    assert found.bits == 3
    assert found.training_error == 0.5


class Nameless:
    kind: ClassVar[str] = "test-nameless"
    arity = 2


def test_occam_bound_needs_registered_custom_splits():
    builder = TreeBuilder(np.array([2.0, 2.0]), 4)
    builder.split(0, CustomSplit(Nameless()), np.eye(2) * 2, [2, 2])
    found = generalize(builder.finish(), boolean(1))
    assert found.bits is None
    assert isnan(found.occam)
    assert found.vacuous
    assert "'test-nameless' are not registered" in found.occam_why_not
    assert found.vc is None
    assert found.rule_of_thumb == pytest.approx(sqrt(0.5))
    assert "none   a split cannot be encoded" in str(found)


def column_of(kind):
    return {
        "two numbers": OrderedColumn("x", np.array([0.0, 1]), np.array([0.0, 1]), False),
        "two bins": OrderedColumn("x", np.array([0.0, 5]), np.array([4.0, 9]), False),
        "three numbers": OrderedColumn("x", np.arange(3.0), np.arange(3.0), False),
        "two numbers or none": OrderedColumn("x", np.array([0.0, 1]), np.array([0.0, 1]), True),
        "two labels": OrderedColumn("x", np.arange(2.0), np.arange(2.0), False, Ranks("ab")),
        "two of three labels": OrderedColumn(
            "x", np.arange(2.0), np.arange(2.0), False, Ranks("abc")
        ),
    }[kind]


@pytest.mark.parametrize(
    ("kind", "holds"),
    [
        ("two numbers", True),
        ("two labels", True),
        ("two bins", False),
        ("three numbers", False),
        ("two numbers or none", False),
        ("two of three labels", False),
    ],
)
def test_vc_bounds_need_boolean_columns(kind, holds):
    schema = Schema((column_of(kind), *boolean(2)))
    builder = TreeBuilder(np.array([2.0, 2.0]), 4)
    builder.split(0, IntervalSplit(0, np.array([0.5]), UNSEEN, 0), np.eye(2) * 2, [2, 2])
    found = generalize(builder.finish(), schema)
    assert (found.vc is not None) == holds
    if holds:
        assert found.vc == VCBounds(2, 8)  # 2 log2(24) = 9.2, but there are 8 examples
    else:
        assert found.vc_why_not.endswith("'x' is not two-valued")


def test_vc_bounds_need_two_classes_and_binary_trees():
    three = NominalColumn("n", ("a", "b", "c"), False)
    wide = CategorySplit(0, np.arange(3, dtype=np.int32), UNSEEN, 0)
    builder = TreeBuilder(np.array([2.0, 1.0]), 3)
    builder.split(0, wide, np.array([[1.0, 0], [0, 1], [1, 0]]), [1, 1, 1])
    assert "more than two branches" in generalize(builder.finish(), Schema((three,))).vc_why_not
    leaf = TreeBuilder(np.array([2.0, 1.0, 1.0]), 4).finish()
    assert "not 3" in generalize(leaf, boolean(1)).vc_why_not
    alone = TreeBuilder(np.array([2.0, 1.0]), 3).finish()
    assert "no column is two-valued" in generalize(alone, Schema((three,))).vc_why_not
    assert generalize(alone, boolean(3)).vc == VCBounds(1, log2(24))


def test_generalization_text_fits_the_screen_and_states_assumptions():
    found = generalize(three_leaves(), boolean(4))
    text = str(found)
    assert max(map(len, text.splitlines())) <= 100
    assert len(text.splitlines()) <= 12
    for word in ("0.0700", "19 bits", "independently", "0.95", "not proved", "3..15"):
        assert word in text
    assert set(found.assumptions) == {"training_error", "m", "occam", "vc", "rule_of_thumb"}
    few = generalize(TreeBuilder(np.array([1.0, 1.0]), 2).finish(), boolean(4))
    assert few.vacuous
    assert "vacuous" in str(few)
    assert "1 leaf" in str(few)


def planted(rng, m, noise):
    """Rows over five Boolean columns; the class is x0 or (x1 and x2), flipped by the noise."""
    rows = rng.integers(0, 2, (m, 5))
    truth = rows[:, 0] | (rows[:, 1] & rows[:, 2])
    return rows, np.where(rng.random(m) < noise, 1 - truth, truth)


EVERY = np.array([[x >> j & 1 for j in range(5)] for x in range(32)])
TRUTH = EVERY[:, 0] | (EVERY[:, 1] & EVERY[:, 2])


@pytest.mark.parametrize(("noise", "leaves"), [(0.2, 4), (0.5, 12), (0.4, 32)])
def test_occam_bound_holds_with_its_probability(noise, leaves):
    rng = np.random.default_rng(7)
    delta, m, held, naive = 0.2, 120, [], []
    for _ in range(100):
        rows, labels = planted(rng, m, noise)
        coded = encode(Table.of(rows))
        tree = grow(coded, Target.of(labels, 2), GrowParams(max_leaves=leaves)).tree
        predicted = tree.counts.argmax(axis=1)[apply(tree, coded.schema, Table.of(EVERY))]
        wrong = (predicted != TRUTH).mean()
        true_error = wrong * (1 - noise) + (1 - wrong) * noise  # over all possible rows
        found = generalize(tree, coded.schema, delta)
        held.append(true_error <= found.occam)
        naive.append(true_error <= found.training_error + sqrt(log(1 / delta) / (2 * m)))
    assert np.mean(held) >= 1 - delta
    if leaves > 4:  # a bound that ignores the choice of the tree fails
        assert np.mean(naive) < 1 - delta


def test_occam_bound_does_not_exist_with_class_weights():
    x, labels = np.random.default_rng(0).normal(size=(500, 2)), np.arange(500) % 2
    clf = TreeClassifier(max_leaves=8, class_weight={0: 1, 1: 1000}).fit(x, labels)
    told = clf.certificate_.generalization()
    assert isnan(told.occam)
    assert "class weights are not case counts" in str(told)
    weights = np.random.default_rng(1).integers(1, 4, 500)
    rows = TreeClassifier(max_leaves=8).fit(x, labels, weights).certificate_.generalization()
    assert "weights count cases" in str(rows)
    plain = TreeClassifier(max_leaves=8).fit(x, labels).certificate_.generalization()
    assert "weights" not in str(plain)
