"""The nodes of a tree: rows, class counts, prediction, split, and the condition on each edge."""

from dataclasses import dataclass
from math import exp, log
from typing import Any

from polytomy._text import count
from polytomy.encode import Schema
from polytomy.export import split_title
from polytomy.model import Model
from polytomy.prune import AdjustedPChance
from polytomy.report.facts.columns import Listing
from polytomy.report.facts.json_values import rounded, unrounded
from polytomy.tree import (
    CategorySplit,
    CustomSplit,
    IntervalSplit,
    Tree,
    contraction,
    split_gains,
)

from .conditions import NodeConditions, conditions, is_merged
from .target import TargetFacts


@dataclass(frozen=True, slots=True, eq=False)
class Context:
    """A model, the categories its report lists, and the facts of its target."""

    model: Model
    listing: Listing
    target: TargetFacts


def node_facts(context: Context) -> list[dict[str, Any]]:
    """Return the facts of each node of ``model.kept``."""
    model, tree = context.model, context.model.kept
    texts = conditions(tree, model.schema, contracted=model.contracted)
    steps = growth_steps(model)
    ids = contraction(tree)[1] if model.contracted else {node: node for node in range(tree.n_nodes)}
    chance = context.target.p_chance
    gains = split_gains(tree, model.run.index) / float(tree.weight[0])
    nodes = []
    for node in range(tree.n_nodes):
        facts = _rows(context, node) | condition_facts(texts[node])
        if node in ids:
            facts["id"] = ids[node]
        if model.contracted and is_merged(tree, node):
            facts["joins"] = True
        if node in steps:
            facts["step"] = steps[node]
        if not tree.is_leaf(node):
            facts |= _p_value(chance, node, tree.children(node).size)
            facts |= split_facts(tree, model.schema, context.listing, node)
            facts["gain"] = rounded(gains[node])
        nodes.append(facts)
    return nodes


def _p_value(chance: AdjustedPChance, node: int, arity: int) -> dict[str, Any]:
    """Return the p-value of a split alone, the adjusted one, and what it was chosen among."""
    splits = _splits_text(float(chance.log_options[node]), arity)
    return {
        "p_chance": rounded(float(chance.plain[node]), 4),
        "p_adjusted": rounded(float(chance.p[node]), 4),
        "among": f"{splits} and {count(chance.n_columns, 'column')}",
    }


def _splits_text(log_n: float, arity: int) -> str:
    """Return the number of splits of an arity in words, given its logarithm.

    >>> _splits_text(log(1), 4), _splits_text(log(1240), 3), _splits_text(1000, 2)
    ('1 4-way split', '1,240 3-way splits', '10^434 2-way splits')
    """
    number = f"{round(exp(log_n)):,}" if log_n < log(1e6) else f"10^{log_n / log(10):.0f}"
    return f"{number} {arity}-way split{'' if number == '1' else 's'}"


def _rows(context: Context, node: int) -> dict[str, Any]:
    """Return the rows of a node, and what it predicts."""
    tree = context.model.kept
    facts = {"parent": int(tree.parent[node]), "rows": int(tree.rows[node])}
    return facts | context.target.node(node)


def condition_facts(texts: NodeConditions | None) -> dict[str, str]:
    """Return the condition on the edge to a node, its label, and that of the path if it differs."""
    if texts is None:
        return {}
    facts = {"answer": texts.edge, "branch": texts.label}
    return facts if texts.path == texts.edge else {**facts, "known": texts.path}


def split_facts(tree: Tree, schema: Schema, listing: Listing, node: int) -> dict[str, Any]:
    """Return the column, children, thresholds or categories of a node's split."""
    split = tree.split(node)
    children = tree.children(node).tolist()
    if isinstance(split, CustomSplit):
        facts = {"column": -1, "asks": split_title(split, schema), "children": children}
        return facts | {"missing": -1, "default": 0, "own": True}
    assert isinstance(split, IntervalSplit | CategorySplit)
    facts = {
        "column": split.feature,
        "asks": split_title(split, schema),
        "children": children,
        "missing": split.missing_branch,
        "default": split.default_branch,
    }
    if isinstance(split, IntervalSplit):
        return facts | {"thresholds": [unrounded(t) for t in split.thresholds.tolist()]}
    return facts | {"categories": listing[split.feature].branches(split)}


def growth_steps(model: Model) -> dict[int, int]:
    """Return the step of the run at which each inner node of ``model.kept`` was split.

    A pruned tree is compared with the grown tree from the root down, as long as both hold the same
    rows; nodes below the first difference have no step. A tree that was found has no steps.
    """
    if model.run.found:
        return {}
    number = {split.leaf: i for i, split in enumerate(model.run.splits, 1)}
    kept, grown = model.kept, model.grown
    if kept is grown:
        return number
    steps: dict[int, int] = {}
    pending = [(0, 0)]
    while pending:
        node, in_grown = pending.pop()
        if kept.is_leaf(node) or not _same_split(kept, node, grown, in_grown):
            continue
        if in_grown in number:
            steps[node] = number[in_grown]
        pending += zip(kept.children(node).tolist(), grown.children(in_grown).tolist(), strict=True)
    return steps


def _same_split(tree: Tree, node: int, other: Tree, other_node: int) -> bool:
    """Return whether two nodes split on the same column into children with equal counts."""
    here, there = tree.children(node), other.children(other_node)
    return bool(
        tree.feature[node] == other.feature[other_node]
        and len(here) == len(there)
        and (tree.counts[here] == other.counts[there]).all()
        and (tree.rows[here] == other.rows[there]).all()
    )
