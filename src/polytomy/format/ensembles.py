"""The trees of an ensemble and their votes, to plain data and back."""

from math import isfinite
from typing import Any

from polytomy._errors import PolytomyError
from polytomy._types import AnyArray
from polytomy.encode import Schema
from polytomy.ensemble import Ensemble, Member

from .node import Node, plain_numbers
from .trees import from_tree, to_tree


def to_ensemble(ensemble: Ensemble) -> dict[str, Any]:
    """Return the members, and where votes start, as plain data."""
    return {
        "algorithm": ensemble.algorithm,
        "start": plain_numbers(ensemble.start),
        "members": [
            {"tree": to_tree(m.tree), "scores": [plain_numbers(s) for s in m.scores]}
            for m in ensemble.members
        ],
    }


def from_ensemble(held: dict[str, Node], schema: Schema, classes: AnyArray) -> Ensemble:
    """Return the ensemble that ``to_ensemble`` wrote."""
    start = held["start"].numbers()
    members: list[Member] = []
    for node in held["members"].items():
        tree, scores = node.fields("tree", "scores")
        counted = members[0].tree.n_classes if members else None
        grown = from_tree(tree, schema, counted)
        votes = scores.rows(grown.n_nodes, len(start) or None)
        try:
            members.append(Member(grown, votes))
        except PolytomyError as error:
            scores.fail(str(error))
    name = held["algorithm"].text()
    try:
        made = Ensemble(schema, classes, tuple(members), start, name)
    except PolytomyError as error:
        held["start"].fail(str(error))
    if not isfinite(made.reach):
        held["members"].fail("their votes add up to more than a number can be")
    return made
