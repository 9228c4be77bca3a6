"""The nodes of a report: what each holds, what leads to it, and what it asks."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isnan
from typing import Any

from polytomy._text import one_line
from polytomy._types import FloatArray
from polytomy.export.shares import wilson
from polytomy.model import Model
from polytomy.prune import p_chance
from polytomy.tree import CodeQuestion, IntervalQuestion, OwnQuestion, Tree, contraction

from .columns import Listed
from .importances import gains_of
from .known import EdgeWords, edge_words, joins
from .numbers import exact, plain, plain_list

_DIGITS = 8  # of shares, which a page shows as percents: a rounded half must not tip them


@dataclass(frozen=True, slots=True, eq=False)
class Context:
    """What the nodes of one model need."""

    model: Model
    listed: Mapping[int, Listed]
    test: FloatArray | None  # weight of each class of the test rows at each node


def node_facts(context: Context) -> list[dict[str, Any]]:
    """Return what a report says of each node of ``model.kept``."""
    model, tree = context.model, context.model.kept
    words, steps = edge_words(model), growth_steps(model)
    ids = contraction(tree)[1] if model.contracted else {node: node for node in range(tree.n_nodes)}
    chance = p_chance(tree).p.tolist()
    gains = gains_of(tree, model.run.index) / float(tree.counts[0].sum())
    nodes = []
    for node in range(tree.n_nodes):
        facts = _held(context, node) | _led_to(words[node])
        if node in ids:
            facts["id"] = ids[node]
        if model.contracted and joins(tree, node):
            facts["joins"] = True
        if node in steps:
            facts["step"] = steps[node]
        if not isnan(chance[node]):
            facts["p_chance"] = plain(chance[node], 4)
        if not tree.is_leaf(node):
            facts |= _asked(context, node) | {"gain": plain(gains[node])}
        nodes.append(facts)
    return nodes


def _held(context: Context, node: int) -> dict[str, Any]:
    tree = context.model.kept
    counts = tree.counts[node]
    label, weight = int(tree.label[node]), float(counts.sum())
    share = float(counts[label]) / weight
    facts: dict[str, Any] = {
        "parent": int(tree.parent[node]),
        "rows": int(tree.rows[node]),
        "counts": plain_list(counts),
    }
    if context.test is not None:
        facts["test"] = plain_list(context.test[node])
    facts |= {"label": label, "share": plain(share, _DIGITS)}
    facts["interval"] = plain_list(wilson(share, weight), _DIGITS)
    return facts


def _led_to(words: EdgeWords | None) -> dict[str, str]:
    if words is None:
        return {}
    facts = {"answer": words.answer}
    return facts if words.known == words.answer else {**facts, "known": words.known}


def _asked(context: Context, node: int) -> dict[str, Any]:
    model, tree = context.model, context.model.kept
    question = tree.question(node)
    children = tree.children(node).tolist()
    if isinstance(question, OwnQuestion):
        asked, _ = question.branching.describe(model.schema.names)
        words = one_line(asked).rstrip("?")
        facts = {"column": -1, "asks": words, "children": children}
        return facts | {"missing": -1, "default": 0, "own": True}
    assert isinstance(question, IntervalQuestion | CodeQuestion)
    facts = {
        "column": question.feature,
        "asks": one_line(model.schema[question.feature].name),
        "children": children,
        "missing": question.missing_branch,
        "default": question.default_branch,
    }
    if isinstance(question, IntervalQuestion):
        return facts | {"thresholds": [exact(t) for t in question.thresholds.tolist()]}
    return facts | {"categories": context.listed[question.feature].branches(question)}


def growth_steps(model: Model) -> dict[int, int]:
    """Return which step of the run split each inner node of ``model.kept``, where that is known.

    A pruned tree is walked beside the grown one, for as long as both hold the same rows.
    """
    number = {split.leaf: i for i, split in enumerate(model.run.splits, 1)}
    kept, grown = model.kept, model.grown
    if kept is grown:
        return number
    steps: dict[int, int] = {}
    waiting = [(0, 0)]
    while waiting:
        mine, theirs = waiting.pop()
        if kept.is_leaf(mine) or not _same(kept, mine, grown, theirs):
            continue
        if theirs in number:
            steps[mine] = number[theirs]
        waiting += zip(kept.children(mine).tolist(), grown.children(theirs).tolist(), strict=True)
    return steps


def _same(tree: Tree, node: int, other: Tree, its: int) -> bool:
    """Say whether two nodes ask the same of the same rows, as far as counts can tell."""
    here, there = tree.children(node), other.children(its)
    return bool(
        tree.feature[node] == other.feature[its]
        and len(here) == len(there)
        and (tree.counts[here] == other.counts[there]).all()
        and (tree.rows[here] == other.rows[there]).all()
    )
