"""The labels of a drawn tree: a card for each node, and a short label for each branch."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from polytomy._cancellation import check
from polytomy._text import before_number, one_line, percent, percent_number, shorten_middle
from polytomy._types import UNSEEN
from polytomy.density import DensityModel
from polytomy.encode import NominalColumn, OrderedColumn, Schema
from polytomy.export import (
    AnyModel,
    branch_categories,
    branch_range,
    format_threshold,
    format_time,
    is_duration,
    labels_in_range,
    node_density,
    node_mean,
    node_share,
    phrase_bounds,
    split_title,
)
from polytomy.model import Model
from polytomy.plot.names import wrapped
from polytomy.table import Ranks, Times
from polytomy.tree import CategorySplit, CustomSplit, IntervalSplit, NodeSplit, leaves_below

from .look import LINE, NARROW_LINE, Look

BRANCH_LABEL = 32  # characters
_CATEGORY = 18  # characters of a category in a branch label
_TIMES = 20  # characters; a longer range of times takes two lines
_DIGITS = 4  # of a threshold, if they suffice
_DASH = " \N{EN DASH} "


@dataclass(slots=True)
class Card:
    """The card of a node: ``head`` is the lines in bold, ``tail`` the smaller line below them.

    ``hidden`` is the number of leaves below a node whose children are not drawn. ``split`` is the
    label of the node's split for narrow lines, or empty if none is shown.
    """

    node: int
    branch: str  # the label of the branch that leads here; empty at the root
    depth: int
    head: list[str]
    tail: str
    is_leaf: bool
    hidden: int = 0
    split: str = ""
    children: list[int] = field(default_factory=list)  # their positions in the list of cards


def cards_of(model: AnyModel, max_depth: int | None, look: Look | None = None) -> list[Card]:
    """Return the cards of a model's tree, each before its children."""
    look = Look.of(model) if look is None else look
    tree = model.tree
    below = leaves_below(tree)
    cards = [_card(model, 0, "", 0, look)]
    for card in cards:
        check()
        if card.is_leaf:
            continue
        if max_depth is not None and card.depth >= max_depth:
            n = int(below[card.node])
            card.hidden, card.head, card.split = n, [f"… ({n} leaves)"], ""
            continue
        split = tree.split(card.node)
        assert split is not None
        labels = branch_labels(split, model.schema)
        for child, branch in zip(tree.children(card.node).tolist(), labels, strict=True):
            card.children.append(len(cards))
            cards.append(_card(model, child, branch, card.depth + 1, look))
    return cards


def _card(model: AnyModel, node: int, branch: str, depth: int, look: Look) -> Card:
    split = model.tree.split(node)
    head, tail = _words(model, node, look, is_leaf=split is None)
    if split is None:
        return Card(node, branch, depth, [head], tail, is_leaf=True)
    title = split_label(split, model.schema, look.columns)
    narrow = split_label(split, model.schema, look.narrow_columns)
    return Card(node, branch, depth, wrapped(title, LINE, 2), tail, is_leaf=False, split=narrow)


def _words(model: AnyModel, node: int, look: Look, *, is_leaf: bool) -> tuple[str, str]:
    """Return what a leaf predicts, and the line below; see ``Card``."""
    if isinstance(model, DensityModel):
        return _density_words(model, node, is_leaf=is_leaf)
    words = _mean_words if model.is_numeric else _share_words
    return words(model, node, look, is_leaf=is_leaf)


def _density_words(model: DensityModel, node: int, *, is_leaf: bool) -> tuple[str, str]:
    """Return the density of a leaf, and the line below; see ``Card``."""
    box = node_density(model, node)
    density, tail = f"density {box.density:.3g}", f"{percent(box.share)} of rows"
    return (density, tail) if is_leaf else ("", f"{density}, {tail}")


def _share_words(model: Model, node: int, look: Look, *, is_leaf: bool) -> tuple[str, str]:
    """Return the predicted class of a leaf with its share, and the line below; see ``Card``."""
    rows, share = int(model.tree.rows[node]), node_share(model, node)
    name = before_number(look.short_names[model.tree.label[node]])
    trained = percent(share.training)
    if not is_leaf:
        return "", f"{name} {trained} of {rows:,}"
    tail = f"of {_rows(rows)}"
    tail = f"({trained} {tail})" if share.is_forecast else tail
    ends = f" [{percent_number(share.low)}-{percent_number(share.high)}]" if look.intervals else ""
    return f"{name} {percent(share.share)}{ends}{share.mark}", tail


def _mean_words(model: Model, node: int, look: Look, *, is_leaf: bool) -> tuple[str, str]:
    """Return the mean of a leaf, and the line below; see ``Card``."""
    rows, mean = _rows(int(model.tree.rows[node])), node_mean(model, node)
    trained = mean.format(mean.training)
    if not is_leaf:
        return "", f"mean {trained}, {rows}"
    tail = f"({trained} in {rows})" if mean.is_forecast else rows
    return f"{mean if look.intervals else mean.format(mean.mean)}{mean.mark}", tail


def _rows(n: int) -> str:
    return f"{n:,} {'row' if n == 1 else 'rows'}"


def narrowed(cards: list[Card]) -> list[Card]:
    """Return cards with the labels of splits on more and shorter lines."""
    return [
        replace(card, head=wrapped(card.split, NARROW_LINE, 3)) if card.split else card
        for card in cards
    ]


def split_label(split: NodeSplit, schema: Schema, names: Sequence[str]) -> str:
    """Return the label of a split: its column, with the zone that branch labels leave out."""
    if isinstance(split, CustomSplit):
        return f"{split_title(split, schema)}?"
    column = schema[split.feature]
    name = names[split.feature]
    if isinstance(column, OrderedColumn) and isinstance(column.scale, Times) and column.scale.zone:
        name += f" ({format_time(0, column.scale, column).rpartition(' ')[2]})"
    return f"{name}?"


def branch_labels(split: NodeSplit, schema: Schema) -> list[str]:
    """Return a short label for each branch, without the column: ``<= 2.45``, ``{a, b}``.

    A range of times may take two lines.
    """
    if isinstance(split, CustomSplit):
        words = split.branching.describe(schema.names)[1]
        return [shorten_middle(one_line(branch), BRANCH_LABEL) for branch in words]
    column = schema[split.feature]
    if isinstance(split, CategorySplit):
        assert isinstance(column, NominalColumn)
        return _category_labels(split, column)
    assert isinstance(column, OrderedColumn)
    return [_range_label(split, branch, column) for branch in range(split.arity)]


def _category_labels(split: CategorySplit, column: NominalColumn) -> list[str]:
    """Return the sets of categories; the default branch is "others" if only its set is too long."""
    categories = [branch_categories(split, b, column) for b in range(split.arity)]
    labels = [short_set(names) if names else "" for names in categories]
    shortened = [b for b, label in enumerate(labels) if label.endswith(" more}")]
    if shortened == [split.default_branch]:
        labels[split.default_branch] = "others"
    if split.missing_branch != UNSEEN:
        label = labels[split.missing_branch]
        labels[split.missing_branch] = f"{label} or missing" if label else "missing"
    return labels


def _range_label(split: IntervalSplit, branch: int, column: OrderedColumn) -> str:
    values = branch_range(split, branch)
    if not values.present:
        return "missing"
    if isinstance(column.scale, Ranks):
        held = labels_in_range(values, column.scale)
        names = [shorten_middle(one_line(x), _CATEGORY) for x in held]
        label = names[0] if len(names) == 1 else f"{names[0]}{_DASH}{names[-1]}"
    else:
        bound, between = partial(_bound, column=column), partial(_between, column=column)
        label = phrase_bounds(values, bound, between=between)
    seen = split.missing_branch != UNSEEN
    return f"{label} or missing" if seen and values.missing else label


def _bound(x: float, column: OrderedColumn) -> str:
    """Return a threshold without its time zone, which the label of the split includes."""
    text = format_threshold(x, column, _DIGITS)
    zoned = isinstance(column.scale, Times) and column.scale.zone is not None
    return text.rpartition(" ")[0] if zoned else text


def _between(low: str, high: str, column: OrderedColumn) -> str:
    """Return the range between two thresholds; a long range of times takes two lines."""
    if isinstance(column.scale, Times) and not is_duration(column):
        high = without_shared_date(low, high)
        if len(low) + len(high) > _TIMES:
            return f"{low}{_DASH.rstrip()}\n{high}"
    return f"{low}{' to ' if high.startswith('-') else _DASH}{high}"


def without_shared_date(first: str, second: str) -> str:
    """Return the second of two times without the year, or the day, that it shares with the first.

    >>> without_shared_date("2020-04-09", "2020-07-18")
    '07-18'
    >>> without_shared_date("2020-04-09 12:00", "2020-04-09 13:30")
    '13:30'
    """
    day, _, clock = second.partition(" ")
    if clock and first.startswith(f"{day} "):
        return clock
    year = day[: day.find("-", 1) + 1]  # a year BC begins with a dash
    return second.removeprefix(year) if first.startswith(year) else second


def short_set(names: list[str], width: int = BRANCH_LABEL) -> str:
    """Return ``a`` or ``{a, b, +3 more}``, in about ``width`` characters.

    >>> short_set([f"n{i}" for i in range(40)])
    '{n0, n1, n2, n3, n4, +35 more}'
    >>> short_set(["a"]), short_set(["a", "b"])
    ('a', '{a, b}')
    """
    names = [shorten_middle(name, _CATEGORY) for name in names]
    if len(names) == 1:
        return names[0]
    whole = "{" + ", ".join(names) + "}"
    if len(whole) <= width:
        return whole
    if len(names) == 2:  # "+1 more" would not be shorter
        return "{" + ", ".join(shorten_middle(name, width // 2 - 2) for name in names) + "}"
    kept, room = 1, width - len(names[0]) - len("{, +10 more}")
    while kept < len(names) and len(names[kept]) + 2 <= room:
        room -= len(names[kept]) + 2
        kept += 1
    return "{" + ", ".join([*names[:kept], f"+{len(names) - kept} more"]) + "}"
