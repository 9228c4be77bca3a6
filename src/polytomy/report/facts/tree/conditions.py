"""The condition on each edge of a tree, and on each path from the root, as text."""

from dataclasses import dataclass

import numpy as np

from polytomy._text import one_line
from polytomy._types import UNSEEN
from polytomy.encode import ColumnSpec, Schema
from polytomy.export import (
    CategorySubset,
    PathCondition,
    conditions_after,
    describe_branches,
    describe_condition,
)
from polytomy.export.phrasing import SET_WIDTH
from polytomy.tree import OWN, CategorySplit, CustomSplit, IntervalSplit, Tree

_LABEL = 30  # characters of a set of categories in a label


@dataclass(frozen=True, slots=True)
class NodeConditions:
    """The condition on the edge to a node, and what the whole path implies for the same column.

    ``label`` is the condition on the edge without the column's name, for drawings.
    """

    edge: str
    path: str
    label: str


def is_merged(tree: Tree, node: int) -> bool:
    """Return whether contraction merges an inner node into its parent."""
    parent = int(tree.parent[node])
    if parent < 0 or tree.is_leaf(node) or tree.kind[node] == OWN:
        return False
    same = tree.kind[node] == tree.kind[parent] and tree.feature[node] == tree.feature[parent]
    return bool(same)


def conditions(tree: Tree, schema: Schema, *, contracted: bool) -> list[NodeConditions | None]:
    """Return the conditions of each node of a tree; None for the root.

    Nodes are visited depth first. The condition of each column on the current path is kept in one
    dictionary and restored on the way up, so a long chain costs no more than a wide tree.
    """
    texts: list[NodeConditions | None] = [None] * tree.n_nodes
    on_path: dict[int, PathCondition] = {}
    chains: dict[int, _Chain] = {}
    pending: list[tuple[int, int, PathCondition | None]] = [(0, -1, None)]
    while pending:
        node, column, condition = pending.pop()
        if column >= 0:
            _restore(on_path, column, condition)
        split = None if node < 0 else tree.split(node)
        if split is None:
            continue
        children = tree.children(node).tolist()
        if isinstance(split, CustomSplit):
            for child, text in zip(children, _own_conditions(schema, split), strict=True):
                texts[child] = text
                pending.append((child, -1, None))
            continue
        spec = schema[split.feature]
        after = conditions_after(split, spec, on_path.get(split.feature))
        merged = contracted and is_merged(tree, node)
        above = chains.pop(node, None)
        extended = _extended(above if merged else None, split, spec)
        # Popped after the children: restores the condition that held above this node.
        pending.append((-1, split.feature, on_path.get(split.feature)))
        for child, chain, path in zip(children, extended, after, strict=True):
            chains[child] = chain
            words = chain.text(spec), describe_condition(path, spec), chain.text(spec, named=False)
            texts[child] = NodeConditions(*words)
            pending.append((child, split.feature, path))
    return texts


@dataclass(frozen=True, slots=True)
class _Chain:
    """The condition since the top of a chain of merged nodes, and the split of the top node."""

    condition: PathCondition
    top: IntervalSplit | CategorySplit

    def text(self, spec: ColumnSpec, *, named: bool = True) -> str:
        """Return the condition on the edge once the chain is contracted into one node."""
        seen, condition = self.top.missing_branch != UNSEEN, self.condition
        if isinstance(condition, CategorySubset) and isinstance(self.top, CategorySplit):
            held = np.zeros(spec.n_values, dtype=bool)
            held[: len(self.top.code_to_branch)] = self.top.code_to_branch != UNSEEN
            codes = condition.codes[held[condition.codes]]
            condition = CategorySubset(codes, condition.missing, condition.unseen)
        width = SET_WIDTH if named else _LABEL
        return describe_condition(condition, spec, width, missing=seen, named=named)


def _extended(
    chain: _Chain | None, split: IntervalSplit | CategorySplit, spec: ColumnSpec
) -> list[_Chain]:
    """Return the chain of each branch of a split."""
    top = split if chain is None else chain.top
    before = None if chain is None else chain.condition
    return [_Chain(condition, top) for condition in conditions_after(split, spec, before)]


def _own_conditions(schema: Schema, split: CustomSplit) -> list[NodeConditions]:
    _, branches = split.branching.describe(schema.names)
    paths = describe_branches(split, schema)
    words = [one_line(branch) for branch in branches]
    return [NodeConditions(w, path, w) for w, path in zip(words, paths, strict=True)]


def _restore(
    on_path: dict[int, PathCondition], column: int, condition: PathCondition | None
) -> None:
    if condition is None:
        on_path.pop(column, None)
    else:
        on_path[column] = condition
