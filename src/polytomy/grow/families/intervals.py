"""Consecutive ranges of a number, a time or an ordered category, any arity up to the cap."""

import numpy as np

from polytomy.encode import Schema
from polytomy.grow.ask import Ask
from polytomy.grow.menu import IntervalCut, Option


class Intervals:
    """Exact for the given bins: a dynamic program for every arity places missing cells jointly."""

    name = "intervals"

    def __init__(self, schema: Schema) -> None:
        self._columns = np.array(schema.of_kind("ordered"), dtype=np.int32)

    @property
    def n_columns(self) -> int:
        """How many columns the family can ask about."""
        return len(self._columns)

    def options(self, ask: Ask) -> list[Option]:
        """Return the best option of each arity that could win."""
        found = ask.query.interval_menu(self._columns, ask.prices, ask.floor)
        return [
            Option(arity, gain, column, self.name, IntervalCut(tuple(left), tuple(right), missing))
            for arity, gain, column, left, right, missing in found
        ]
