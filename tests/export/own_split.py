"""A model with a user-defined split."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from polytomy import TreeClassifier


@dataclass(frozen=True)
class SameSign:
    """A split on whether two columns have the same sign."""

    kind: ClassVar[str] = "test-export-same-sign"
    arity: ClassVar[int] = 2

    def route(self, table):
        return (np.sign(table.column(0)) == np.sign(table.column(1))).astype(int)

    def describe(self, names):
        return f'are {names[0]} and {names[1]} "alike"?', ["no", "yes"]

    def to_plain(self):
        return {}

    @classmethod
    def from_plain(cls, data):
        return cls()


class Signs:
    name = "signs"

    def propose(self, node, ask):
        if len(set(SameSign().route(node.table).tolist())) == 2:
            yield SameSign()


def own_model():
    x = np.random.default_rng(0).standard_normal((200, 2))
    labels = (x[:, 0] > 0) == (x[:, 1] > 0)
    clf = TreeClassifier(families=(Signs(),), max_leaves=2).fit(x, labels)
    assert clf.tree_.own
    return clf._model
