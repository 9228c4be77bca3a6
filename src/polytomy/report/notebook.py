"""A tree as a small piece of HTML for notebooks: nodes that expand and collapse, no scripts."""

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from html import escape

import numpy as np

from polytomy._text import before_number, count, percent, shorten
from polytomy._types import IntArray
from polytomy.density import DensityModel
from polytomy.export import (
    AnyModel,
    Caption,
    MeanScale,
    captions,
    describe_costs,
    describe_origin,
    mean_colour,
    node_colour,
    node_mean,
)
from polytomy.model import Model
from polytomy.tree import Tree, leaves_below

MOST_NODES = 150
_OPEN_LEVELS = 3  # expanded at first
_LEAST_SHARE = 0.004  # smaller shares are invisible in a bar
_LONGEST = 160  # characters of a condition

_STYLE = """\
<style>
.polytomy-tree { font: 13px/1.6 system-ui, sans-serif; margin: 0.5em 0; overflow-x: auto; }
.polytomy-tree details, .polytomy-tree .leaf { margin-left: 0.6em; padding-left: 0.7em;
  border-left: 1px solid color-mix(in srgb, currentColor 25%, transparent); white-space: nowrap; }
.polytomy-tree > details { margin-left: 0; border-left: none; padding-left: 0; }
.polytomy-tree summary { cursor: pointer; }
.polytomy-tree .leaf { padding-left: 1.7em; }
.polytomy-tree .bar { display: inline-flex; width: 6em; height: 0.8em; margin: 0 0.5em;
  vertical-align: -0.1em; border-radius: 2px; overflow: hidden;
  background: color-mix(in srgb, currentColor 15%, transparent); }
.polytomy-tree .support { opacity: 0.75; }
@media (prefers-color-scheme: dark) { .polytomy-tree .bar { filter: brightness(0.85); } }
</style>"""


def compact_html(model: AnyModel, most: int = MOST_NODES) -> str:
    """Return a model's tree as a piece of HTML.

    Parameters
    ----------
    model : Model
        The tree.
    most : int, default=150
        The approximate number of nodes to show; other nodes only show how many leaves are below.

    Returns
    -------
    str
        A style element and a ``div`` with the tree.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from polytomy import TreeClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> html = compact_html(TreeClassifier(max_leaves=3).fit(X, y)._model)
    >>> html.count("<details"), html.count('class="leaf"'), "&lt;= 2.45" in html
    (2, 3, True)
    """
    drawing = _Drawing(
        model, captions(model), _expandable(model.tree, most), leaves_below(model.tree)
    )
    lines = [_STYLE, '<div class="polytomy-tree">', *drawing.lines()]
    prediction = drawing.captions[0].prediction
    if prediction.is_forecast:
        words = f"Leaves: {prediction.short_legend}; ! where they disagree."
        lines.append(f'<div class="support">{words}</div>')
    notes = [*describe_origin(model), *describe_costs(model)]
    lines += [f'<div class="support">{escape(fact)}</div>' for fact in notes]
    return "\n".join([*lines, "</div>"])


@dataclass(frozen=True, slots=True, eq=False)
class _Drawing:
    """A tree, the captions of its nodes, and the nodes that can be expanded."""

    model: AnyModel
    captions: list[Caption]
    expandable: set[int]
    n_leaves: IntArray  # below each node

    def lines(self) -> Iterator[str]:
        """Yield the lines of HTML, depth first."""
        tree = self.model.tree
        pending: list[tuple[int, str] | str] = [(0, "")]
        while pending:
            step = pending.pop()
            if isinstance(step, str):
                yield step
                continue
            node, condition = step
            line = self._line(node, condition)
            if tree.is_leaf(node):
                yield f'<div class="leaf">{line}</div>'
            elif node not in self.expandable:
                more = count(int(self.n_leaves[node]), "more leaf", "more leaves")
                yield f'<div class="leaf">{line} … {more}</div>'
            else:
                is_open = " open" if tree.depth[node] < _OPEN_LEVELS else ""
                yield f"<details{is_open}><summary>{line}</summary>"
                pending.append("</details>")
                conditions = self._conditions(node)
                pending += reversed(
                    list(zip(tree.children(node).tolist(), conditions, strict=True))
                )

    def _conditions(self, node: int) -> list[str]:
        caption = self.captions[node]
        if node in self.model.tree.own:
            return [f"{caption.title}: {branch}" for branch in caption.branches]
        return list(caption.branches)

    def _line(self, node: int, condition: str) -> str:
        caption = self.captions[node]
        text = escape(shorten(condition if node else "All rows", _LONGEST))
        rows, said = caption.rows, caption.prediction
        trained = caption.title or node == 0
        support = said.of_training(rows) if trained else said.of(rows, interval=False)
        return f'{text}{self._bar(node)}<span class="support">{escape(support)}</span>'

    def _bar(self, node: int) -> str:
        if isinstance(self.model, DensityModel):
            part = MeanScale.of(self.model).position(float(self.model.log_density[node]))
            caption = self.captions[node]
            return _bar([(part, mean_colour(1.0))], caption.prediction.of(caption.rows))
        if self.model.is_numeric:
            return _mean_bar(self.model, node, self.captions[node].rows)
        return _share_bar(self.model, node)


def _mean_bar(model: Model, node: int, rows: int) -> str:
    """Return the mean as a bar between the lowest and the highest leaf, and a tooltip."""
    mean = node_mean(model, node)
    part = MeanScale.of(model).position(mean.mean)
    deviation = mean.format(mean.deviation)
    tooltip = f"{mean.of_training(rows)}, standard deviation {deviation}"
    return _bar([(part, mean_colour(1.0))], tooltip)


def _share_bar(model: Model, node: int) -> str:
    """Return the class shares of the training rows as a bar, and the largest in a tooltip."""
    shares, names = model.training_shares[node].tolist(), model.class_names
    n = max(len(names), 2)
    parts = [(share, node_colour(c, 1.0, n)) for c, share in enumerate(shares)]
    largest = np.argsort(-model.training_shares[node], kind="stable")[:6].tolist()
    tooltip = ", ".join(
        f"{before_number(names[c])} {percent(shares[c])}" for c in largest if shares[c] > 0
    )
    return _bar(parts, tooltip)


def _bar(parts: list[tuple[float, str]], tooltip: str) -> str:
    """Return a bar of parts, each with its share of the width and its colour."""
    drawn = "".join(
        f'<i style="width:{100 * share:.3g}%;background:{colour}"></i>'
        for share, colour in parts
        if share >= _LEAST_SHARE
    )
    return f'<span class="bar" title="{escape(tooltip)}">{drawn}</span>'


def _expandable(tree: Tree, most: int) -> set[int]:
    """Return the nodes that can be expanded: the root, and those with the most rows that fit."""
    expandable: set[int] = set()
    room = most - 1
    pending = [(-int(tree.rows[0]), 0)]
    while pending:
        _, node = heappop(pending)
        children = tree.children(node).tolist()
        if not children or (expandable and len(children) > room):
            continue
        expandable.add(node)
        room -= len(children)
        for child in children:
            heappush(pending, (-int(tree.rows[child]), child))
    return expandable
