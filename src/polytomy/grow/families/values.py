"""One child for each category present at the node: ID3's split."""

import numpy as np

from polytomy._types import UNSEEN
from polytomy.encode import Schema
from polytomy.grow.ask import Ask
from polytomy.grow.menu import CodeCut, Option
from polytomy.grow.stats import Stats


class Values:
    """A column's only two options: missing cells as a child of their own, or with a category."""

    name = "values"

    def __init__(self, schema: Schema) -> None:
        self._columns = np.array(schema.of_kind("nominal"), dtype=np.int32)

    @property
    def n_columns(self) -> int:
        """How many columns the family can ask about."""
        return len(self._columns)

    def options(self, ask: Ask) -> list[Option]:
        """Return every column's options that could be taken."""
        return [
            Option(arity, gain, column, self.name, _cut(ask.stats, column, joins))
            for arity, gain, column, joins in ask.query.value_options(self._columns, ask.largest)
        ]


def _cut(stats: Stats, column: int, joins: int) -> CodeCut:
    counts, _ = stats.column(column)
    codes = np.flatnonzero(counts.any(axis=1)).astype(np.int32)
    branches = np.arange(len(codes), dtype=np.int32)
    if joins != UNSEEN:
        branches[-1] = joins
    return CodeCut(codes, branches)
