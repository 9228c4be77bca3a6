"""Categories packed into k groups."""

import numpy as np

from polytomy.encode import Schema
from polytomy.grow.ask import Ask
from polytomy.grow.menu import CodeCut, Option


class Groups:
    """Exact for two classes and for up to eight categories; beyond, a heuristic.

    Two classes: sorted by class share, an optimal grouping is contiguous. More classes: all set
    partitions up to eight categories; beyond, the order along the first principal component of the
    class shares is searched, which may miss the best grouping. Missing is one more category.
    """

    name = "groups"

    def __init__(self, schema: Schema) -> None:
        self._columns = np.array(schema.of_kind("nominal"), dtype=np.int32)

    @property
    def n_columns(self) -> int:
        """How many columns the family can ask about."""
        return len(self._columns)

    def options(self, ask: Ask) -> list[Option]:
        """Return the best option of each arity that could win."""
        found = ask.query.group_menu(self._columns, ask.prices, ask.floor)
        return [
            Option(arity, gain, column, self.name, CodeCut(codes.astype(np.int32), branches))
            for arity, gain, column, codes, branches in found
        ]
