"""Users' own families: proposed, weighed, grown, routed; and refused when they break rules."""

import runpy
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from polytomy import FamilyError
from polytomy.encode import Target, encode
from polytomy.grow import GrowParams, best_thresholds, grow
from polytomy.predict import apply
from polytomy.table import Table
from polytomy.tree import OWN, check_tree, contract

EXAMPLE = Path(__file__).parents[2] / "examples" / "hyperplanes.py"


@dataclass(frozen=True)
class SameSign:
    """Do two columns have the same sign? The question XOR needs."""

    kind: ClassVar[str] = "test-same-sign"
    arity: ClassVar[int] = 2
    a: int
    b: int

    def route(self, table):
        return (np.sign(table.column(self.a)) == np.sign(table.column(self.b))).astype(int)

    def describe(self, names):
        return f"do {names[self.a]} and {names[self.b]} have the same sign?", ["no", "yes"]

    def to_plain(self):
        return {"a": self.a, "b": self.b}

    @classmethod
    def from_plain(cls, data):
        return cls(**data)


class Signs:
    name = "signs"

    def propose(self, node, ask):
        for a in range(len(node.table.columns)):
            for b in range(a):
                question = SameSign(b, a)
                if len(set(question.route(node.table).tolist())) == 2:
                    yield question


def xor(n=400, noise=0.1, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, 4))
    labels = ((x[:, 1] > 0) == (x[:, 3] > 0)).astype(int)
    return x, np.where(rng.random(n) < noise, 1 - labels, labels)


@pytest.mark.parametrize("procedure", ["per-leaf", "hatano", "kearns-mansour"])
@pytest.mark.parametrize("weighted", [False, True])
def test_an_own_question_is_asked_where_it_gains_most(procedure, weighted):
    x, labels = xor()
    weights = np.random.default_rng(1).random(400) + 0.5 if weighted else None
    table = Table.of(x)
    target = Target.of(labels, weights=weights)
    params = GrowParams(procedure=procedure, max_leaves=10, families=("intervals", Signs()))
    coded = encode(table, target.units)
    growth = grow(coded, target, params, table)
    tree = growth.tree
    check_tree(tree)
    assert tree.own[0] == SameSign(1, 3)
    assert growth.expansions[0].option.family == "signs"
    assert tree.kind[0] == OWN
    leaves = apply(tree, coded.schema, table)
    rows = np.bincount(leaves, minlength=tree.n_nodes)
    np.testing.assert_array_equal(rows[tree.leaves()], tree.rows[tree.leaves()])
    for node in tree.leaves().tolist():
        held = np.bincount(
            labels[leaves == node], None if weights is None else weights[leaves == node], 2
        )
        np.testing.assert_allclose(held, tree.counts[node], rtol=1e-12)
    short = contract(tree)
    np.testing.assert_array_equal(
        short.counts[apply(short, coded.schema, table)], tree.counts[leaves]
    )


@dataclass(frozen=True)
class Fixed:
    """A question that answers what it was told, for breaking the contract."""

    kind: ClassVar[str] = "test-fixed"
    answer: Any
    arity: int = 2

    def route(self, table):
        return self.answer(table.n_rows)

    def describe(self, names):
        return "?", ["0", "1"]

    def to_plain(self):
        return {}

    @classmethod
    def from_plain(cls, data):
        return cls(None)


class Proposes:
    name = "proposes"

    def __init__(self, *questions):
        self.questions = questions

    def propose(self, node, ask):
        return self.questions


BROKEN = {
    "one branch": (Fixed(lambda n: np.zeros(n, dtype=int)), r"sends the node's rows to \[0\]"),
    "branch out of range": (Fixed(lambda n: np.arange(n) % 2 * 2), r"rows to \[0, 2\]"),
    "negative branch": (Fixed(lambda n: np.arange(n) % 2 - 1), r"rows to \[-1, 0\]"),
    "arity no number": (Fixed(lambda n: np.arange(n) % 2, "2"), "at least two branches, not '2'"),
    "too few rows": (Fixed(lambda n: np.arange(n - 1) % 2), "must route 20 rows to integers"),
    "floats": (Fixed(lambda n: np.arange(n) % 2 + 0.0), "got float64"),
    "arity one": (Fixed(lambda n: np.zeros(n, dtype=int), 1), "at least two branches"),
    "not a question": ("a string", "proposed a str, which lacks one of kind"),
}


@pytest.mark.parametrize("how", BROKEN)
def test_a_broken_contract_gets_one_sentence(how):
    question, sentence = BROKEN[how]
    table = Table.of(np.arange(20.0)[:, None])
    params = GrowParams(families=(Proposes(question),))
    with pytest.raises(FamilyError, match=sentence):
        grow(encode(table), Target.of(np.arange(20) // 7 % 2), params, table)


def test_a_question_that_breaks_only_at_prediction_is_told_so():
    table = Table.of(np.arange(20.0)[:, None])
    shifted = Fixed(lambda n: np.arange(n) % 2 + (n != 20))
    params = GrowParams(families=(Proposes(shifted),), max_leaves=2)
    coded = encode(table)
    tree = grow(coded, Target.of(np.arange(20) % 2), params, table).tree
    with pytest.raises(FamilyError, match=r"has 2 branches but sends rows to \[1, 2\]"):
        apply(tree, coded.schema, table.take(np.arange(5)))


def test_a_family_that_proposes_nothing_at_all_is_told_so():
    class Silent:
        name = "silent"

        def propose(self, node, ask):
            return None

    table = Table.of(np.arange(4.0)[:, None])
    with pytest.raises(FamilyError, match="must propose a list, not None"):
        grow(encode(table), Target.of([0, 1, 0, 1]), GrowParams(families=(Silent(),)), table)


def test_limits_hold_for_own_questions_too():
    table = Table.of(np.arange(20.0)[:, None])
    lopsided = Fixed(lambda n: (np.arange(n) == 0).astype(int))
    wide = Fixed(np.arange, 20)
    params = GrowParams(families=(Proposes(lopsided, wide),), min_samples_leaf=2, max_leaves=5)
    growth = grow(encode(table), Target.of(np.arange(20) // 7 % 2), params, table)
    assert growth.tree.n_leaves == 1


def test_own_families_need_the_raw_table():
    coded = encode(Table.of(np.arange(4.0)[:, None]))
    with pytest.raises(FamilyError, match="own families need the raw table"):
        grow(coded, Target.of([0, 1, 0, 1]), GrowParams(families=(Signs(),)))


def test_best_thresholds_are_those_of_a_column():
    rng = np.random.default_rng(0)
    x = rng.standard_normal(500)
    labels = (np.floor(x * 2) % 2).astype(int)
    seen = []

    class Spy:
        name = "spy"

        def propose(self, node, ask):
            seen.extend(best_thresholds(node.table.column(0), node, ask))
            return []

    table = Table.of({"x": x})
    params = GrowParams(procedure="hatano", max_leaves=8, families=(Spy(), "intervals"))
    growth = grow(encode(table), Target.of(labels), params, table)
    by_arity = {len(t) + 1: t for t in seen[:7]}
    chosen = growth.expansions[0].arity
    np.testing.assert_array_equal(by_arity[chosen], growth.tree.split(0).thresholds)


def test_the_worked_example_runs(capsys):
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    printed = capsys.readouterr().out
    assert "z = " in printed
    assert "read back, it is equal: True" in printed
