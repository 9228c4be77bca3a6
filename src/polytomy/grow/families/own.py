"""Users' own families: objects that look at a node's rows and propose questions.

The gain of what they propose is computed here, from the branches their questions give the node's
rows; nothing is taken on trust.
"""

from collections.abc import Iterable
from typing import Protocol, runtime_checkable

import numpy as np

from polytomy._errors import FamilyError
from polytomy._types import TIE, BranchArray
from polytomy.grow.ask import Ask
from polytomy.grow.menu import Option, OwnCut
from polytomy.grow.stats import NodeRows
from polytomy.tree import Branching, checked_route


@runtime_checkable
class Family(Protocol):
    """A user's branching family."""

    name: str

    def propose(self, node: NodeRows, ask: Ask) -> Iterable[Branching]:
        """Propose questions for a node, given its rows; every branch must hold some of them."""


def own_options(family: Family, node: NodeRows, ask: Ask, feature: int) -> list[Option]:
    """Return what a user's family proposes as options, with their gains."""
    options = []
    weights = node.class_weights
    proposed = family.propose(node, ask)
    if not isinstance(proposed, Iterable):
        raise FamilyError(f"family {family.name!r} must propose a list, not {proposed!r}")
    for place, branching in enumerate(proposed):
        if not isinstance(branching, Branching):
            raise FamilyError(
                f"family {family.name!r} proposed a {type(branching).__name__}, which lacks one of "
                "kind, arity, route, describe, to_plain, from_plain"
            )
        branches = _branches(family.name, branching, node)
        rows = np.bincount(branches, minlength=branching.arity)
        counts = np.zeros((branching.arity, weights.shape[1]))
        np.add.at(counts, branches, weights)
        fits = rows.min() >= ask.least[0] and counts.sum(axis=1).min() >= ask.least[1]
        if branching.arity > ask.largest or not fits:
            continue
        gain = ask.node_value - float(ask.index.value(counts).sum())
        gain = gain if gain > TIE * ask.node_value else 0.0
        cut = OwnCut(branching, place, branches)
        options.append(Option(branching.arity, gain, feature, family.name, cut))
    return options


def _branches(name: str, branching: Branching, node: NodeRows) -> BranchArray:
    if not isinstance(branching.arity, int | np.integer) or branching.arity < 2:
        raise FamilyError(
            f"a question of family {name!r} must have at least two branches, "
            f"not {branching.arity!r}"
        )
    branches = checked_route(branching, node.table)
    held = np.unique(branches)
    if len(held) < branching.arity:
        raise FamilyError(
            f"a question of family {name!r} has {branching.arity} branches but sends the node's "
            f"rows to {held.tolist()}; each branch must hold a row"
        )
    return branches
