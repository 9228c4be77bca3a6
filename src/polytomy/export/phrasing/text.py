"""A tree drawn as text: one line per branch, with the leaves aligned in a column."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from textwrap import wrap
from types import MappingProxyType
from typing import Any

from polytomy._errors import ParameterError
from polytomy._text import count, shorten
from polytomy.model import Model
from polytomy.prune import adjusted_p_chance
from polytomy.tree import leaves_below

from .captions import describe_branches
from .shares import DOUBTFUL_NOTE, node_share, shares_note

_MOST_CLASSES = 6  # in the first line


@dataclass(frozen=True, slots=True)
class Line:
    """A branch; ``leaf`` is the text of its leaf, or empty if it leads to another split."""

    branch: str
    leaf: str
    is_doubtful: bool = False


def to_text(
    model: Model, max_width: int = 100, max_depth: int | None = None, p_chance: bool = False
) -> str:
    """Return a model's tree drawn as text.

    Each leaf shows its predicted class, the share of the class to expect of new rows with its 95 %
    interval, and in parentheses the share of the class among the training rows of the leaf and
    their number. ``!`` marks leaves whose shares disagree: they are at least 20 percentage points
    apart, or new rows favour another class. Without honest shares, a leaf only shows the share of
    its training rows, and Wilson's interval.

    Parameters
    ----------
    model : Model
        The model to draw.
    max_width : int, default=100
        Maximum number of characters per line; longer lines are truncated.
    max_depth : int, default=None
        Maximum depth of the drawing. Deeper subtrees are replaced by their number of leaves. None
        draws the whole tree.
    p_chance : bool, default=False
        Whether to show the p-value of each split, from a chi-square test of its branches against
        the classes: adjusted for the choice of the split, and that of the split alone if it
        differs. They are marked "rough" if an expected count of the test is below 5.

    Returns
    -------
    str
        The drawing, without a final line break.
    """
    tree, names = model.tree, model.class_names
    held = model.training_shares[0]
    largest = sorted(zip(names, held, strict=True), key=lambda p: -p[1])[:_MOST_CLASSES]
    shares = ", ".join(f"{name} {share:.0%}" for name, share in largest)
    more = f", +{len(names) - _MOST_CLASSES} classes" if len(names) > _MOST_CLASSES else ""
    notes = _p_values(model) if p_chance else {}
    head = f"{count(int(tree.rows[0]), 'row')}: {shares}{more}{notes.get(0, '')}"

    def leaf_text(leaf: int) -> tuple[str, bool]:
        share = node_share(model, leaf)
        return share.of(tree.rows[leaf]), share.is_doubtful

    drawn, lines = draw_text(model, head, leaf_text, max_width, max_depth, notes)
    return "\n".join([*drawn, *_legend(model, lines, max_width)])


def draw_text(
    model: Any,
    head: str,
    leaf_text: Callable[[int], tuple[str, bool]],
    max_width: int,
    max_depth: int | None,
    notes: Mapping[int, str] = MappingProxyType({}),
) -> tuple[list[str], list[Line]]:
    """Return the drawing of a tree line by line, and its branches.

    Parameters
    ----------
    model : Model or DensityModel
        The tree and its columns.
    head : str
        The first line.
    leaf_text : callable
        Returns the text of a leaf, and whether it is doubtful.
    max_width : int
        Maximum number of characters per line.
    max_depth : int or None
        Maximum depth of the drawing; None draws the whole tree.
    notes : mapping of int to str, default={}
        What to append to the splits of nodes.
    """
    if max_width < 20 or (max_depth is not None and max_depth < 1):
        raise ParameterError("a drawing needs a width of at least 20 and a depth of at least 1")
    lines = _lines(model, leaf_text, max_width, max_depth, notes)
    wide = max((len(line.branch) for line in lines if line.leaf), default=0)
    room = max_width - max((len(line.leaf) for line in lines), default=0) - 2
    column = min(wide, max(room, 20))
    drawn = [
        f"{shorten(line.branch, column):<{column}}  {line.leaf}".rstrip()
        if line.leaf
        else line.branch
        for line in lines
    ]
    return [shorten(line, max_width) for line in [head, *drawn]], lines


def _legend(model: Model, lines: list[Line], width: int) -> list[str]:
    """Return what the shares of the leaves mean, if they are not simply the training shares."""
    if model.honesty is None or not any(line.leaf for line in lines):
        return []
    notes = ["Leaves: class, expected share of new rows [95% interval] (share of training rows)."]
    notes.append(shares_note(model))
    if any(line.is_doubtful for line in lines):
        notes.append(f"! {DOUBTFUL_NOTE}.")
    return [line for note in notes for line in wrap(note, width)]


def _p_values(model: Model) -> dict[int, str]:
    """Return the text of each split's p-value, by node."""
    found = adjusted_p_chance(model.tree, model.schema)
    notes = {}
    for node in range(model.tree.n_nodes):
        if not model.tree.is_leaf(node):
            adjusted, plain = _format_p(found.p[node]), _format_p(found.plain[node])
            alone = "" if plain == adjusted else f", alone {plain}"
            rough = ", rough" if found.few[node] else ""
            notes[node] = f"  (p_chance {adjusted}{alone}{rough})"
    return notes


def _format_p(p: float) -> str:
    return "< 0.0001" if p < 0.0001 else f"{p:.4f}"


def _lines(
    model: Any,
    leaf_text: Callable[[int], tuple[str, bool]],
    max_width: int,
    max_depth: int | None,
    notes: Mapping[int, str],
) -> list[Line]:
    """Return the lines of the drawing, depth first; a stack holds the branches still to draw."""
    tree, below = model.tree, leaves_below(model.tree)
    lines: list[Line] = []
    waiting = _branches(model, 0, "", max_width)
    while waiting:
        node, words, indent, last = waiting.pop()
        branch = f"{indent}{'└' if last else '├'}─ {words}"
        if tree.is_leaf(node):
            lines.append(Line(branch, *leaf_text(node)))
        elif max_depth is not None and tree.depth[node] >= max_depth:
            lines.append(Line(branch, f"... {below[node]} leaves"))
        else:
            lines.append(Line(branch + notes.get(node, ""), ""))
            waiting += _branches(model, node, indent + ("   " if last else "│  "), max_width)
    return lines


def _branches(
    model: Any, node: int, indent: str, max_width: int
) -> list[tuple[int, str, str, bool]]:
    """Return a node's children with their branches in words, in reverse order for the stack."""
    split = model.tree.split(node)
    if split is None:
        return []
    width = max(24, max_width - len(indent) - 48)
    words = describe_branches(split, model.schema, width)
    children = model.tree.children(node).tolist()
    pairs = list(zip(children, words, strict=True))
    return [(c, w, indent, i == 0) for i, (c, w) in enumerate(reversed(pairs))]
