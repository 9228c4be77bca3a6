"""Branches of splits; user-defined splits are registered, stored as plain data, and read back."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from polytomy import FamilyError
from polytomy._types import UNSEEN
from polytomy.tree import (
    KINDS,
    Branching,
    CategorySplit,
    IntervalSplit,
    from_plain,
    register_kind,
    to_plain,
)


@dataclass(frozen=True)
class Parity:
    """A binary split by the parity of an integer."""

    kind: ClassVar[str] = "test-parity"
    column: int

    @property
    def arity(self):
        return 2

    def route(self, table):
        return np.nan_to_num(table.column(self.column)).astype(int) % 2

    def describe(self, names):
        return f"is {names[self.column]} odd?", ["no", "yes"]

    def to_plain(self):
        return {"column": self.column}

    @classmethod
    def from_plain(cls, data):
        return cls(data["column"])


@pytest.fixture
def registered():
    register_kind(Parity)
    yield Parity
    KINDS.pop("test-parity", None)


def test_custom_split_round_trips_through_plain_data(registered):
    split = registered(3)
    assert isinstance(split, Branching)
    assert to_plain(split) == {"kind": "test-parity", "column": 3}
    assert from_plain(to_plain(split)) == split


def test_unregistered_kinds_are_rejected():
    with pytest.raises(FamilyError, match=r"put @polytomy\.tree\.register_kind above class Parity"):
        to_plain(Parity(0))
    with pytest.raises(FamilyError, match="unknown kind of split 'nowhere'"):
        from_plain({"kind": "nowhere"})


def test_register_kind_rejects_incomplete_classes():
    class Half:
        kind = "half"

    with pytest.raises(FamilyError, match="Half cannot be registered: it has no 'arity'"):
        register_kind(Half)


def test_missing_cells_take_their_own_branch_or_the_default():
    for missing, expected in ((UNSEEN, 1), (0, 0)):
        assert IntervalSplit(0, np.array([0.5]), missing, 1).branch_of_missing == expected
        codes = np.array([0, 1], dtype=np.int32)
        assert CategorySplit(0, codes, missing, 1).branch_of_missing == expected


def test_categories_without_training_rows_take_the_default_branch():
    split = CategorySplit(0, np.array([0, UNSEEN, 2], dtype=np.int32), UNSEEN, 1)
    assert split.branch_of_codes(3).tolist() == [0, 1, 2]
    assert split.branch_of_codes(5).tolist() == [0, 1, 2, 1, 1]
