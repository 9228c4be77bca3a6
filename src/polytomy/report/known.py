"""What leads to each node, in words: the answer on its edge, and all that its path says."""

from dataclasses import dataclass

import numpy as np

from polytomy._text import one_line
from polytomy._types import UNSEEN
from polytomy.encode import ColumnSpec
from polytomy.export.known import Known, Reaching, knows, said, say_known
from polytomy.export.words import answers
from polytomy.model import Model
from polytomy.tree import OWN, CodeQuestion, IntervalQuestion, OwnQuestion, Tree


@dataclass(frozen=True, slots=True)
class EdgeWords:
    """What the edge to a node says, and what its whole path says, about the parent's column."""

    answer: str
    known: str


def joins(tree: Tree, node: int) -> bool:
    """Say whether contraction merges an inner node into its parent."""
    parent = int(tree.parent[node])
    if parent < 0 or tree.is_leaf(node) or tree.kind[node] == OWN:
        return False
    same = tree.kind[node] == tree.kind[parent] and tree.feature[node] == tree.feature[parent]
    return bool(same)


def edge_words(model: Model) -> list[EdgeWords | None]:
    """Return the words of the edge to each node of ``model.kept``; None at the root.

    Nodes are walked depth first. What is known of each column is kept for the path at hand, and
    put back on the way up, so that a long chain costs no more than a wide tree.
    """
    tree = model.kept
    words: list[EdgeWords | None] = [None] * tree.n_nodes
    known: dict[int, Known] = {}
    chains: dict[int, Chain] = {}  # of merged nodes: what is known since their top
    waiting: list[tuple[int, int, Known | None]] = [(0, -1, None)]
    while waiting:
        node, column, value = waiting.pop()
        if column >= 0:
            _put(known, column, value)
        question = None if node < 0 else tree.question(node)
        if question is None:
            continue
        children = tree.children(node).tolist()
        if isinstance(question, OwnQuestion):
            for child, told in zip(children, _own(model, question), strict=True):
                words[child] = told
                waiting.append((child, -1, None))
            continue
        spec = model.schema[question.feature]
        after = knows(question, spec, known.get(question.feature))
        merged = model.contracted and joins(tree, node)
        above = chains.pop(node, None)
        chain = _lengthened(above if merged else None, question, spec)
        # Back on the way up: what was known before the first child is taken.
        waiting.append((-1, question.feature, known.get(question.feature)))
        for child, since, path in zip(children, chain, after, strict=True):
            chains[child] = since
            words[child] = EdgeWords(since.words(spec), say_known(path, spec))
            waiting.append((child, question.feature, path))
    return words


@dataclass(frozen=True, slots=True)
class Chain:
    """What is known since the top of a chain of merged nodes, and what that node had seen."""

    known: Known
    top: IntervalQuestion | CodeQuestion

    def words(self, spec: ColumnSpec) -> str:
        """Return what the edge says once the chain is one node."""
        seen, known = self.top.missing_branch != UNSEEN, self.known
        if isinstance(known, Reaching) and isinstance(self.top, CodeQuestion):
            held = np.zeros(spec.n_values, dtype=bool)
            held[: len(self.top.code_to_branch)] = self.top.code_to_branch != UNSEEN
            known = Reaching(known.codes[held[known.codes]], known.missing, known.other)
        return said(known, spec, missing=seen)


def _lengthened(
    chain: Chain | None, question: IntervalQuestion | CodeQuestion, spec: ColumnSpec
) -> list[Chain]:
    top = question if chain is None else chain.top
    before = None if chain is None else chain.known
    return [Chain(known, top) for known in knows(question, spec, before)]


def _own(model: Model, question: OwnQuestion) -> list[EdgeWords]:
    _, own = question.branching.describe(model.schema.names)
    whole = answers(question, model.schema)
    return [EdgeWords(one_line(a), w) for a, w in zip(own, whole, strict=True)]


def _put(known: dict[int, Known], column: int, value: Known | None) -> None:
    if value is None:
        known.pop(column, None)
    else:
        known[column] = value
