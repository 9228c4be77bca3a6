"""The prefix code of trees: round trips, prefix-freeness, words by hand and lengths."""

from dataclasses import dataclass, replace
from itertools import pairwise, product
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_iris

from polytomy import FamilyError, TreeError
from polytomy._types import UNSEEN
from polytomy.certify.description import encode_tree
from polytomy.certify.description.bits import Bits
from polytomy.certify.description.generalization import _merge_equal_leaves, generalize
from polytomy.encode import NominalColumn, OrderedColumn, Schema, Target, encode
from polytomy.grow import GrowParams, grow
from polytomy.predict import apply
from polytomy.table import Numbers, Ordered, Ranks, Table, Times
from polytomy.tree import (
    KINDS,
    CategorySplit,
    CustomSplit,
    IntervalSplit,
    TreeBuilder,
    check_tree,
    contract,
    register_kind,
)
from tests.certify.description.decoder import decode_tree
from tests.strategies import grow_params

pytestmark = pytest.mark.filterwarnings("ignore:the 'error' index is not strictly")

LABELS = ("none", "mild", "bad", "awful")
DAYS = np.arange("1969-12-20", "1970-01-20", dtype="datetime64[D]")


@dataclass(frozen=True)
class Thirds:
    """A three-way custom split of the first column around a centre, with a non-ASCII name."""

    kind: ClassVar[str] = "test-thirds"
    arity: ClassVar[int] = 3
    centre: float
    name: str = "größe"

    def route(self, table):
        x = np.nan_to_num(table.column(0).astype(float), posinf=9.0, neginf=-9.0)
        return np.sign(np.trunc(x - self.centre)).astype(int) + 1

    def describe(self, names):
        return self.name, ["low", "middle", "high"]

    def to_plain(self):
        return {"centre": self.centre, "name": self.name}

    @classmethod
    def from_plain(cls, data):
        return cls(**data)


class Proposer:
    name = "thirds"

    def propose(self, node, ask):
        for centre in (0.1, -1.0):
            if len(set(Thirds(centre).route(node.table).tolist())) == 3:
                yield Thirds(centre)


@pytest.fixture(autouse=True)
def _registered():
    register_kind(Thirds)
    yield
    KINDS.pop("test-thirds", None)


def column(name, kind, rng, n, fresh=False):
    """A column of a kind with missing cells; ``fresh`` columns also have unseen values."""
    gone = rng.random(n) < rng.choice([0.0, 0.2])
    if kind == "ranks":
        ranks = rng.choice([0, 1, 3] if not fresh else [0, 1, 2, 3, -2], n)
        return Ordered(name, np.where(gone, -1, ranks).astype(np.int32), Ranks(LABELS))
    if kind == "dates":
        unit = "D" if name[-1] in "02" else "s"
        days = rng.choice(DAYS if fresh else DAYS[:: rng.integers(1, 9)], n).astype(f"M8[{unit}]")
        days[gone] = "NaT"
        return Table.of({name: days}).columns[0]
    if kind == "nominal":
        cells = rng.choice(list("abcdefgh")[: 8 if fresh else rng.integers(2, 7)], n).astype(object)
        cells[gone] = None
        return Table.of({name: cells}, nominal=[name]).columns[0]
    values = {
        "decimals": rng.integers(-20, 30, n) / 10,
        "whole": rng.integers(0, 5, n).astype(float),
        "floats": rng.standard_normal(n),
        "singles": rng.standard_normal(n).astype(np.float32).astype(float),
        "infinite": rng.choice([-np.inf, -1.0, 0.0, 2.5, np.inf], n),
    }[kind]
    return Ordered(name, np.where(gone, np.nan, values))


KIND_NAMES = ("decimals", "whole", "floats", "singles", "infinite", "ranks", "dates", "nominal")


@st.composite
def grown(draw):
    """A tree grown on a table with columns of every kind, its schema, and fresh rows."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = int(rng.integers(4, 50))
    kinds = ["decimals", *rng.choice(KIND_NAMES, rng.integers(1, 5)).tolist()]
    table, fresh = (
        Table(tuple(column(f"c{j}", kind, rng, n, new) for j, kind in enumerate(kinds)), n)
        for new in (False, True)
    )
    n_classes = int(rng.integers(2, 6))
    params = draw(grow_params())
    if params.procedure != "gain-ratio" and draw(st.booleans()):
        params = replace(params, families=(*params.families, Proposer()))
    coded = encode(table)
    target = Target.of(rng.integers(0, n_classes, n), n_classes)
    tree = grow(coded, target, params, table).tree
    return contract(tree) if draw(st.booleans()) else tree, coded.schema, fresh


def blinded(schema):
    """The same columns without anything computed from a sample."""

    def other(spec):
        if isinstance(spec, NominalColumn):
            return NominalColumn("?", spec.categories, not spec.has_missing)
        return OrderedColumn(
            "?", np.array([7.0]), np.array([8.0]), not spec.has_missing, spec.scale
        )

    return Schema(tuple(map(other, schema)))


def assert_same(tree, other):
    """Assert the same splits, bit for bit, and the same labels, regardless of node numbers."""
    waiting = [(0, 0)]
    while waiting:
        a, b = waiting.pop()
        mine, theirs = tree.split(a), other.split(b)
        assert type(mine) is type(theirs)
        if mine is None:
            assert tree.counts[a].argmax() == other.counts[b].argmax()
        elif isinstance(mine, CustomSplit):
            assert mine.branching == theirs.branching
        else:
            for name in ("feature", "missing_branch", "default_branch"):
                assert getattr(mine, name) == getattr(theirs, name)
            if isinstance(mine, IntervalSplit):
                assert mine.thresholds.tobytes() == theirs.thresholds.tobytes()
            else:
                assert mine.code_to_branch.tolist() == theirs.code_to_branch.tolist()
        waiting.extend(zip(tree.children(a).tolist(), other.children(b).tolist(), strict=True))


@settings(max_examples=200)
@given(grown())
def test_tree_code_round_trips_given_the_columns_alone(case):
    tree, schema, fresh = case
    bits = encode_tree(tree, schema)
    assert len(bits) == len(str(bits))
    other = decode_tree(bits, blinded(schema), tree.n_classes)
    check_tree(other)
    assert_same(tree, other)
    assert other.counts[other.leaves()].sum(axis=1).tolist() == [1.0] * tree.n_leaves
    ends, others = (apply(t, schema, fresh) for t in (tree, other))
    assert (tree.counts.argmax(axis=1)[ends] == other.counts.argmax(axis=1)[others]).all()
    assert str(encode_tree(other, schema)) == str(bits)  # nothing is lost


@settings(max_examples=100)
@given(grown())
def test_description_length_is_the_shortest_of_four_trees(case):
    tree, schema, _ = case
    agreed = _merge_equal_leaves(tree)
    alike = (tree, contract(tree), agreed, contract(agreed))
    words = {}
    found = [encode_tree(each, schema, words) for each in alike]
    assert found == [
        encode_tree(each, schema) for each in alike
    ]  # sharing code words changes nothing
    assert generalize(tree, schema).bits == min(map(len, found))
    assert len(found[2]) <= len(found[0])


@settings(max_examples=60)
@given(grown(), st.data())
def test_decoder_rejects_too_few_and_too_many_bits(case, data):
    tree, schema, _ = case
    text = str(encode_tree(tree, schema))
    kept = data.draw(st.integers(0, len(text) - 1))
    with pytest.raises(TreeError, match=f"ends early, after {kept} bits"):
        decode_tree(Bits.of(text[:kept]), schema, tree.n_classes)
    with pytest.raises(TreeError, match="has 2 bits after its end"):
        decode_tree(Bits.of(text + "01"), schema, tree.n_classes)


def assert_prefix_free(texts):
    for a, b in pairwise(sorted(texts)):
        assert not b.startswith(a)


@pytest.mark.parametrize("seed", range(5))
def test_tree_code_is_prefix_free(seed):
    rng = np.random.default_rng(seed)
    table = Table(tuple(column(f"c{j}", k, rng, 60) for j, k in enumerate(KIND_NAMES)), 60)
    coded = encode(table)
    texts = set()
    for leaves in range(1, 25):
        for n_classes_seen in (2, 3):
            target = Target.of(rng.integers(0, n_classes_seen, 60), 3)
            tree = grow(coded, target, GrowParams(max_leaves=leaves), table).tree
            texts |= {str(encode_tree(t, coded.schema)) for t in (tree, contract(tree))}
    assert len(texts) > 40
    assert_prefix_free(texts)


SMALL = Schema(
    (
        NominalColumn("n", ("a", "b", "c"), False),
        OrderedColumn("r", np.empty(0), np.empty(0), False, Ranks(LABELS)),
        OrderedColumn("x", np.empty(0), np.empty(0), False, Numbers()),
    )
)


def test_tree_code_satisfies_krafts_inequality_for_all_short_strings():
    words = []
    for length in range(1, 14):
        for bits in product("01", repeat=length):
            text = "".join(bits)
            try:
                tree = decode_tree(Bits.of(text), SMALL, 2)
            except TreeError:
                continue
            words.append(text)
            assert (
                len(encode_tree(tree, SMALL)) <= length
            )  # the encoder finds a word that is no longer
    assert len(words) > 30
    assert_prefix_free(words)
    assert sum(2.0 ** -len(w) for w in words) <= 1


@settings(max_examples=300)
@given(st.text("01", max_size=200), st.booleans())
def test_decoder_accepts_or_rejects_noise(text, own):
    start = "0001001" if own else ""  # flags: custom splits
    try:
        tree = decode_tree(Bits.of(start + text), SMALL, 3)
    except (TreeError, FamilyError):
        return
    check_tree(tree)
    assert_same(tree, decode_tree(encode_tree(tree, SMALL), SMALL, 3))


def stump(split):
    counts = np.eye(2)[np.arange(split.arity) % 2]
    builder = TreeBuilder(counts.sum(axis=0), split.arity)
    builder.split(0, split, counts, [1] * split.arity)
    return builder.finish()


def cuts(*values, missing=UNSEEN, default=0, feature=0):
    return IntervalSplit(feature, np.array(values, dtype=float), missing, default)


def groups(*branches, missing=UNSEEN, default=0):
    return CategorySplit(0, np.array(branches, dtype=np.int32), missing, default)


def ordered(scale):
    return Schema((OrderedColumn("x", np.empty(0), np.empty(0), False, scale),))


def nominal(n):
    return Schema((NominalColumn("x", tuple(range(n)), False),))


# flags, 1 for a split, the split, the default; then the leaves, 0 and a label each
BY_HAND = {
    "each its own": (groups(0, 1), nominal(2), "1 1 0 0 0  00 01"),
    "default": (groups(0, 1, default=1), nominal(2), "1 1 0 0 1  00 01"),
    "grouped": (groups(0, 1, 0), nominal(3), "1 1 0 10 10 0  00 01"),
    "three groups": (groups(0, 1, 2, 0), nominal(4), "010 1 0 10 010 1110 0  00 01 00"),
    "in any order": (groups(1, 0), nominal(2), "1 1 0 11 10 0  00 01"),
    "two seen of three": (groups(0, -1, 1), nominal(3), "1 1 1 11 10 0 0  00 01"),
    "missing as a category": (groups(0, missing=1), nominal(1), "011 1 0 1 0 0  00 01"),
    "labels": (cuts(1.5), ordered(Ranks(LABELS)), "1 1 0 10 0  00 01"),
    "wide": (cuts(1.5, 2.5), ordered(Ranks(LABELS)), "010 1 010 0 1110 0  00 01 00"),
    "yes or no": (cuts(0.5), ordered(Ranks((False, True))), "1 1 0 0  00 01"),
    "missing joins": (
        cuts(0.5, missing=1),
        ordered(Ranks((False, True))),
        "011 1 10 0 1 0  00 01",
    ),
    "number": (cuts(0.5), ordered(Numbers()), "1 1 0 1 1010 0  00 01"),
    "negative": (cuts(-0.5), ordered(Numbers()), "00101 1 0 1 1010 0  00 01"),
    "is it missing": (cuts(missing=1), ordered(Numbers()), "011 1 111 0  00 01"),
}


@pytest.mark.parametrize("what", BY_HAND)
def test_tree_code_equals_words_computed_by_hand(what):
    split, schema, text = BY_HAND[what]
    tree = stump(split)
    check_tree(tree)
    assert str(encode_tree(tree, schema)) == text.replace(" ", "")
    assert_same(tree, decode_tree(Bits.of(text.replace(" ", "")), schema, 2))


BROKEN = {
    "nan": (f"1 1 111 {0x7FF8 << 48:064b} 0 00 01", ordered(Numbers()), "not a tree"),
    "flags": ("000010001", ordered(Numbers()), "invalid flags 16"),
    "too many groups": ("010 1 0 10 010", nominal(2), "2 categories in 3 branches"),
    "one category": ("1 1 0 0", nominal(1), "1 categories in 1 branches"),
    "empty branch": ("1 1 0 11 00 0 00", nominal(2), "not a tree: node 0 has only one child"),
    "too many labels": ("010 1 00111 0", ordered(Ranks("abc")), "7 of 3 places"),
    "custom": ("0001001 1 1 1 0110000", ordered(Numbers()), "'0' is not the data of a split"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_decoder_rejects_invalid_trees(what):
    text, schema, sentence = BROKEN[what]
    with pytest.raises(TreeError, match=sentence):
        decode_tree(Bits.of(text.replace(" ", "")), schema, 2)


def test_tree_code_of_one_leaf_is_its_label_and_two_bits():
    tree = TreeBuilder(np.array([1.0, 5.0, 5.0]), 11).finish()
    assert str(encode_tree(tree, SMALL)) == "1" + "0" + "10"  # ties go to the lower class


def length(split, schema):
    tree = stump(split)
    bits = encode_tree(tree, schema)
    assert_same(tree, decode_tree(bits, schema, 2))
    return len(bits)


def test_tree_code_of_days_is_equally_long_in_any_unit():
    noon = 39475  # half days since 1970
    in_days = length(cuts(noon / 2), ordered(Times("datetime64[D]")))
    for unit, ticks in {"s": 86400, "us": 86400 * 10**6, "ns": 86400 * 10**9}.items():
        in_ticks = length(cuts(noon / 2 * ticks), ordered(Times(f"datetime64[{unit}]")))
        assert in_days <= in_ticks <= in_days + 3
    assert length(cuts(noon / 2), ordered(Times("datetime64[25s]"))) <= in_days + 3
    assert length(cuts(noon / 2), ordered(Times("timedelta64[M]"))) == in_days


ODD = {
    "-inf first": (cuts(-np.inf, 1.5), Numbers()),
    "-0.0": (cuts(-0.0), Numbers()),
    "label that is none": (cuts(-0.5, 0.5), Ranks(LABELS)),
    "a third of a label": (cuts(1 / 3), Ranks(LABELS)),
    "more cuts than places": (cuts(0.25, 0.5, 0.75), Ranks((False, True))),
    "one label": (cuts(0.5), Ranks(("only",))),
    "a third of a tick": (cuts(1 / 3), Times("datetime64[s]")),
    "no time, minus": (cuts(-0.0), Times("datetime64[s]")),
    "a far time": (cuts(2.0**62), Times("datetime64[ns]")),
    "largest": (cuts(0.5, np.finfo(float).max, missing=3, default=3), Numbers()),
}


@pytest.mark.parametrize("what", ODD)
def test_tree_code_round_trips_odd_thresholds_bit_for_bit(what):
    split, scale = ODD[what]
    assert length(split, ordered(scale)) < 64 * len(split.thresholds) + 30


def test_tree_code_handles_chains_beyond_the_recursion_limit():
    n = 2000
    builder = TreeBuilder(np.array([float(n), 1.0]), n + 1)
    node = 0
    for i in range(n):
        rest = np.array([float(n - i - 1), 1.0])
        made = builder.split(node, cuts(i + 0.5), np.array([[1.0, 0.0], rest]), [1, n - i])
        node = made[1]
    tree = builder.finish()
    bits = encode_tree(tree, ordered(Numbers()))
    assert_same(tree, decode_tree(bits, ordered(Numbers()), 2))


def test_tree_code_leaves_out_unseen_categories_at_the_end():
    long = stump(groups(0, 1, UNSEEN, UNSEEN))
    short = decode_tree(encode_tree(long, nominal(4)), nominal(4), 2)
    assert short.code_to_branch.tolist() == [0, 1]


def test_tree_code_writes_custom_splits_as_plain_data():
    tree = stump(CustomSplit(Thirds(0.25)))
    bits = encode_tree(tree, SMALL)
    plain = '{"kind":"test-thirds","centre":0.25,"name":"gr\\u00f6\\u00dfe"}'
    assert 7 * len(plain) < len(bits) < 7 * len(plain) + 40
    assert decode_tree(bits, SMALL, 2).own[0] == Thirds(0.25)
    KINDS.pop("test-thirds")
    with pytest.raises(FamilyError, match="'test-thirds' are not registered"):
        encode_tree(tree, SMALL)
    with pytest.raises(FamilyError, match="unknown kind of split 'test-thirds'"):
        decode_tree(bits, SMALL, 2)


def test_tree_code_rejects_custom_splits_without_plain_data():
    with pytest.raises(FamilyError, match="'test-thirds' is not plain data"):
        encode_tree(stump(CustomSplit(Thirds(object()))), SMALL)


def test_tree_code_rejects_the_schema_of_another_tree():
    for schema, sentence in [
        (ordered(Numbers()), "column 0 is ordered"),
        (Schema(()), "column 0 is missing"),
        (nominal(1), "'x' has 1 categories"),
    ]:
        with pytest.raises(TreeError, match=f"the schema does not match the tree: {sentence}"):
            encode_tree(stump(groups(0, 1)), schema)
    with pytest.raises(TreeError, match="column 3 is missing"):
        encode_tree(stump(cuts(0.5, feature=3)), ordered(Numbers()))


@pytest.mark.parametrize(
    ("load", "leaves", "most"),
    [(load_iris, 4, 67), (load_iris, 16, 176), (load_breast_cancer, 4, 103)],
)
def test_tree_code_of_real_trees_is_short(load, leaves, most):
    frame, labels = load(return_X_y=True, as_frame=True)
    coded = encode(Table.of(frame))
    tree = grow(coded, Target.of(labels.to_numpy()), GrowParams(max_leaves=leaves)).tree
    assert len(encode_tree(tree, coded.schema)) <= most
