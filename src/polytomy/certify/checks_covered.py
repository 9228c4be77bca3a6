"""Checks of what a certificate says in words: its steps, its theorem, and whether that covers."""

from collections.abc import Sequence
from dataclasses import fields
from re import search

from polytomy import theory
from polytomy.encode import Schema
from polytomy.tree import OwnQuestion, Tree

from .certificate import Certificate, Step
from .checks_bounds import Gammas
from .checks_run import is_heavier, place
from .recount import Recount
from .replay import Replay, largest_leaves
from .report import TOLERANCE, Ledger
from .run import Rules, Run

_HERE = "certificate"
_NUMBERS = ("advantage", "price", "gamma")
_AUTHORS = {
    "kearns-mansour": "Kearns and Mansour",
    "hatano": "Hatano",
    "mansour-mcallester": "Mansour and McAllester",
}


def check_steps(
    ledger: Ledger, certificate: Certificate, own: Sequence[Step], played: Replay
) -> None:
    """Check the certificate's own list of steps, field by field."""
    ledger.begin("certificate: list of steps")
    ledger.same(len(certificate.steps), len(own), _HERE, "the number of steps")
    for at, (stated, found) in enumerate(zip(certificate.steps, own, strict=False)):
        where = f"{_HERE}, {place(at, played)}"
        for field in fields(Step):
            told, true = getattr(stated, field.name), getattr(found, field.name)
            if field.name in _NUMBERS:
                ledger.close(told, true, where, field.name, 1.0)
            else:
                ledger.same(told, true, where, field.name)


def steps_of(
    rules: Rules, tree: Tree, schema: Schema, held: Recount, played: Replay, own: Gammas
) -> list[Step]:
    """Write the list of steps from recounted numbers."""
    return [
        Step(
            number=step + 1,
            leaf=node,
            column=_asked(tree, schema, node),
            rows=int(held.rows[node]),
            arity=played.arity(step),
            leaves_before=int(played.leaves[step]),
            advantage=played.advantage(step),
            price=theory.price(rules.procedure, played.arity(step), rules.gamma),
            gamma=own.of_step[step],
            heaviest=leaf is None or not _outweighs(played, leaf, node),
        )
        for step, (node, leaf) in enumerate(
            zip(played.nodes, largest_leaves(played, played.values), strict=True)
        )
    ]


def check_covered(
    ledger: Ledger, run: Run, certificate: Certificate, held: Recount, played: Replay, own: Gammas
) -> None:
    """Check whether a theorem covers the run, and which steps are named where none does."""
    ledger.begin("certificate: theorem, covered, why not")
    authors = _AUTHORS.get(run.rules.procedure, "")
    if run.rules.order == "steepest":
        authors = "Theorem 3.2"
    named = authors in certificate.theorem
    ledger.holds(named, _HERE, f"the theorem should be by {authors}, not {certificate.theorem!r}")
    objections = _no_index(run, held, played)
    if run.rules.order == "heaviest":
        objections += _against_heaviest(run.rules, played, own)
    covered = not objections
    told = "; ".join(sentence for _, sentence in objections) or "nothing is against it"
    ledger.holds(
        certificate.covered == covered, _HERE, f"covered is {certificate.covered}, but {told}"
    )
    why = certificate.why_not
    given = why is not None
    ledger.holds(given != covered, _HERE, f"why_not is {why!r}, but {told}")
    for place_in_words, sentence in objections:
        says = search(rf"(?i)\b{place_in_words}\b", why or "") is not None
        ledger.holds(says, _HERE, f"why_not does not name {place_in_words}, where {sentence}")


def _no_index(run: Run, held: Recount, played: Replay) -> list[tuple[str, str]]:
    """Object to the first node at which the index is none, with the place to be named."""
    weights = held.counts.sum(axis=1)
    slack = TOLERANCE * weights
    low = played.values < 2 * played.misses - slack
    high = (played.misses == 0) & (played.values > slack)
    if (low | high).any():
        node = int((low | high).argmax())
        return [(f"node {node}", f"{run.index.name} is no index function at node {node}")]
    for step, node in enumerate(played.nodes):
        if played.gains[step] < -slack[node]:
            return [(f"step {step + 1}", f"{run.index.name} grew at step {step + 1}")]
    return []


def _against_heaviest(rules: Rules, played: Replay, own: Gammas) -> list[tuple[str, str]]:
    """Object to the first step of each kind that breaks a condition of the published theorems."""
    size = int(played.leaves[-1])
    steps = range(len(played.nodes))
    tops = largest_leaves(played, played.values)
    lighter = [
        step
        for step in steps
        if (leaf := tops[step]) is not None and _outweighs(played, leaf, played.nodes[step])
    ]
    wide = [
        step
        for step in steps
        if (k := played.arity(step)) > 2
        and not theory.acceptable(rules.procedure, k, int(played.leaves[step]), size, rules.gamma)
    ]
    kinds = (
        (own.short, "had less advantage than gamma asks for"),
        (lighter, "did not split the heaviest leaf"),
        (wide, f"had more branches than a tree of {size} leaves allows"),
    )
    return [
        (f"step {found[0] + 1}", f"step {found[0] + 1} {what}") for found, what in kinds if found
    ]


def _outweighs(played: Replay, leaf: int, node: int) -> bool:
    values = played.values
    return is_heavier(float(values[leaf]), float(values[node]), float(values[0]))


def _asked(tree: Tree, schema: Schema, node: int) -> str:
    question = tree.question(node)
    if isinstance(question, OwnQuestion):
        return str(question.branching.describe(schema.names)[0])
    return schema[int(tree.feature[node])].name
