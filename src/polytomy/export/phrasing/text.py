"""A tree drawn as text: one line per branch, with the leaves aligned in a column."""

from collections.abc import Mapping
from dataclasses import dataclass
from textwrap import wrap

from polytomy._errors import ParameterError
from polytomy._text import before_number, count, percent, shorten
from polytomy.density import DensityModel
from polytomy.tree import leaves_below

from .captions import describe_branches
from .costs import describe_costs
from .origin import describe_origin
from .p_values import describe_p_values
from .predictions import (
    AnyModel,
    Prediction,
    exp_or_inf,
    node_mean,
    node_prediction,
    shares_note,
)

_MOST_CLASSES = 6  # in the first line
_LEAST_WIDTH = 20


@dataclass(frozen=True, slots=True)
class _Line:
    """A branch; ``leaf`` is the text of its leaf, or empty if it leads to another split."""

    branch: str
    leaf: str
    prediction: Prediction | None = None


def to_text(
    model: AnyModel,
    max_width: int = 100,
    max_depth: int | None = None,
    p_chance: bool = False,
    node_numbers: bool = False,
) -> str:
    """Return a model's tree drawn as text.

    Each leaf shows its predicted class, the share of the class to expect of new rows with its 95 %
    interval, and in parentheses the share of the class among the training rows of the leaf and
    their number. ``!`` marks leaves whose shares disagree: they are at least 20 percentage points
    apart, or new rows favour another class. Without honest shares, a leaf only shows the share of
    its training rows, and Wilson's interval.

    For a numeric target, each leaf shows the mean to expect of new rows with its 95 % interval, in
    parentheses the mean of its training rows, and their number. ``!`` marks leaves whose means are
    at least a fifth of the target's standard deviation apart.

    Each leaf of a density tree shows its share of the rows, its density, in parentheses the density
    as a multiple of the mean, and its training rows.

    The drawing of a tree that was found with a teacher, by search or by polishing, or edited by
    hand, is followed by its origin.

    Parameters
    ----------
    model : Model or DensityModel
        The model to draw.
    max_width : int, default=100
        Maximum number of characters per line; longer lines are truncated.
    max_depth : int, default=None
        Maximum depth of the drawing. Deeper subtrees are replaced by their number of leaves. None
        draws the whole tree.
    p_chance : bool, default=False
        Whether to show the p-value of each split, from a chi-square test of its branches against
        the classes: adjusted for the choice of the split, and that of the split alone if it
        differs. They are marked "rough" if an expected count of the test is below 5. A numeric
        target is tested by one-way analysis of variance; "rough" marks branches of fewer than 5
        rows. Not for a density tree.
    node_numbers : bool, default=False
        Whether to write the number of each node in brackets before its branch.

    Returns
    -------
    str
        The drawing, without a final line break.
    """
    if max_width < _LEAST_WIDTH:
        raise ParameterError(f"a text needs a width of at least {_LEAST_WIDTH}, got {max_width}")
    if max_depth is not None and max_depth < 1:
        raise ParameterError(f"a text needs a depth of at least 1, got {max_depth}")
    notes = _p_values(model) if p_chance else {}
    head = f"{count(int(model.tree.rows[0]), 'row')}: {_target(model)}{notes.get(0, '')}"
    head = f"[0] {head}" if node_numbers else head
    lines = _lines(model, max_width, max_depth, notes, node_numbers)
    wide = max((len(line.branch) for line in lines if line.leaf), default=0)
    room = max_width - max((len(line.leaf) for line in lines), default=0) - 2
    column = min(wide, max(room, 20))
    drawn = [
        f"{shorten(line.branch, column):<{column}}  {line.leaf}".rstrip()
        if line.leaf
        else line.branch
        for line in lines
    ]
    drawn = [shorten(line, max_width) for line in [head, *drawn]]
    return "\n".join([*drawn, *_legend(model, lines, max_width)])


def _p_values(model: AnyModel) -> Mapping[int, str]:
    if isinstance(model, DensityModel):
        raise ParameterError("p_chance is for models with a target, but this is a density tree")
    return describe_p_values(model)


def _target(model: AnyModel) -> str:
    """Return the target of the training rows: the shares of the classes, or mean and deviation.

    A density tree has none; its text starts with the mean density.
    """
    if isinstance(model, DensityModel):
        return f"mean density {exp_or_inf(-float(model.boxes.log_volume[0])):.3g}"
    if model.is_numeric:
        root = node_mean(model, 0)
        mean, deviation = root.format(root.training), root.format(root.deviation)
        return f"mean {mean}, standard deviation {deviation}"
    names, held = model.class_names, model.training_shares[0]
    largest = sorted(zip(names, held, strict=True), key=lambda p: -p[1])[:_MOST_CLASSES]
    shares = ", ".join(f"{before_number(name)} {percent(share)}" for name, share in largest)
    more = f", +{len(names) - _MOST_CLASSES} classes" if len(names) > _MOST_CLASSES else ""
    return f"{shares}{more}"


def _legend(model: AnyModel, lines: list[_Line], width: int) -> list[str]:
    """Return how the tree was found, and what the numbers of the leaves mean.

    Both are left out if there is nothing to say: the tree was grown, and the numbers are simply
    those of the training rows.
    """
    leaves = [line.prediction for line in lines if line.prediction is not None]
    notes = [" ".join(describe_origin(model)), " ".join(describe_costs(model))]
    if not isinstance(model, DensityModel) and model.honesty is not None and leaves:
        notes += [f"Leaves: {leaves[0].legend}.", shares_note(model)]
        if any(leaf.is_doubtful for leaf in leaves):
            notes.append(f"! {leaves[0].doubt}.")
    return [line for note in notes for line in wrap(note, width, break_on_hyphens=False)]


def _lines(
    model: AnyModel,
    max_width: int,
    max_depth: int | None,
    notes: Mapping[int, str],
    node_numbers: bool,
) -> list[_Line]:
    """Return the lines of the drawing, depth first; a stack holds the branches still to draw."""
    tree, below = model.tree, leaves_below(model.tree)
    lines: list[_Line] = []
    waiting = _branches(model, 0, "", max_width)
    while waiting:
        node, words, indent, last = waiting.pop()
        number = f"[{node}] " if node_numbers else ""
        branch = f"{indent}{'└' if last else '├'}─ {number}{words}"
        if tree.is_leaf(node):
            prediction = node_prediction(model, node)
            lines.append(_Line(branch, prediction.of(int(tree.rows[node])), prediction))
        elif max_depth is not None and tree.depth[node] >= max_depth:
            lines.append(_Line(branch, f"... {below[node]} leaves"))
        else:
            lines.append(_Line(branch + notes.get(node, ""), ""))
            waiting += _branches(model, node, indent + ("   " if last else "│  "), max_width)
    return lines


def _branches(
    model: AnyModel, node: int, indent: str, max_width: int
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
