"""What is drawn of a tree: a card for each node that is shown, with its words and its class."""

from dataclasses import dataclass, field, replace

import numpy as np

from polytomy._types import IntArray
from polytomy.model import Model
from polytomy.tree import LEAF, Tree

from .names import cut, wrapped
from .tree_labels import asked, short_answers

_NAME = 24  # characters of a class, and on a line of a question
_NARROW = 14  # on a line of a question where there is little room


@dataclass(slots=True)
class Card:
    """A node as it is drawn; ``head`` is in bold and may have lines, ``tail`` is smaller.

    ``hidden`` is the number of leaves below a node whose children are not drawn, and ``asked`` the
    question in full, which is empty where none is shown.
    """

    node: int
    answer: str  # which leads here; empty at the root
    depth: int
    head: list[str]
    tail: str
    is_leaf: bool
    hidden: int = 0
    asked: str = ""
    children: list[int] = field(default_factory=list)  # places among the cards


def cards_of(model: Model, max_depth: int | None) -> list[Card]:
    """Return the cards of a model's tree, the root first, parents before their children."""
    tree, names = model.tree, model.class_names
    below = _leaves_below(tree)
    cards = [_card(model, names, 0, "", 0)]
    for card in cards:
        if card.is_leaf:
            continue
        if max_depth is not None and card.depth >= max_depth:
            n = int(below[card.node])
            card.hidden, card.head, card.asked = n, [f"… ({n} leaves)"], ""
            continue
        question = tree.question(card.node)
        assert question is not None
        words = short_answers(question, model.schema)
        for child, answer in zip(tree.children(card.node).tolist(), words, strict=True):
            card.children.append(len(cards))
            cards.append(_card(model, names, child, answer, card.depth + 1))
    return cards


def _card(model: Model, names: list[str], node: int, answer: str, depth: int) -> Card:
    tree = model.tree
    label, rows = int(tree.label[node]), int(tree.rows[node])
    share = tree.counts[node, label] / tree.counts[node].sum()
    name = cut(names[label], _NAME)
    verdict = f"{name}{':' if name[-1:].isdigit() else ''} {_percent(share)}"  # "3: 98%"
    question = tree.question(node)
    if question is None:
        counted = f"of {rows:,} row{'' if rows == 1 else 's'}"
        return Card(node, answer, depth, [verdict], counted, is_leaf=True)
    words = asked(question, model.schema)
    tail = f"{verdict} of {rows:,}"
    return Card(node, answer, depth, wrapped(words, _NAME, 2), tail, is_leaf=False, asked=words)


def narrowed(cards: list[Card]) -> list[Card]:
    """Return cards with their questions on more and shorter lines."""
    return [
        replace(card, head=wrapped(card.asked, _NARROW, 3)) if card.asked else card
        for card in cards
    ]


def _percent(share: float) -> str:
    """Return a share in per cent; 100 only where it is all.

    >>> _percent(0.999), _percent(1.0), _percent(0.5)
    ('99.9%', '100%', '50%')
    """
    text = f"{share:.0%}"
    return text if text != "100%" or share == 1 else f"{np.floor(1000 * share) / 10:.1f}%"


def _leaves_below(tree: Tree) -> IntArray:
    below: IntArray = (tree.kind == LEAF).astype(np.int64)
    for node in range(tree.n_nodes - 1, 0, -1):  # children come after their parents
        below[tree.parent[node]] += below[node]
    return below
