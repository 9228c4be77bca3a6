"""A prefix code for trees whose decoder knows only the columns and the number of classes.

The decoder knows the columns of the schema (how many there are, their kinds, categories, labels and
units) and the number of classes, but nothing that was computed from the sample: neither the bins
nor which columns have missing cells. So the length of a code word is a description length in the
sense of Occam's razor. Counts are not encoded, but each leaf's label is: its majority class, the
lower one on a tie.

The code of a tree is::

    tree       flags node                        flags in gamma code, as 1 + a sum of
                                                 1 some node is wide, 2 missing cells were seen,
                                                 4 some threshold is negative, 8 custom splits
    node       0 label                           one of the classes
             | 1 column split node node ...      one of the columns; if the tree has custom splits,
                                                 one more value stands for them
    intervals  missing count thresholds joins default
    categories seen missing branches default
    custom     length in delta code, then the plain data as JSON with 7 bits for each character

- A flag that is not set saves bits at the nodes: without missing cells no node encodes their
  branch; without a wide node every split has one threshold or two groups.
- *missing* (intervals): 0 not seen, 10 joins a range, 110 has a branch of its own, 111 has a branch
  of its own and there are no thresholds. *joins* is the range that missing cells join, if any.
- *count* is the number of thresholds in gamma code. *thresholds* of numbers: ``BitWriter.floats``,
  for which decimals and the points half-way between them are short. Of ordered labels: 0 and the
  positions among the labels and half-way points. Of times: 0, the unit (a tick, a millisecond, ...,
  a day) and each threshold in half units. In both cases 1 introduces plain floats.
- *seen* categories: 0 for all, or 1, their number, and which (interpolative code). *missing*: 0 not
  seen, 1 seen; missing then counts as one more category, the last.
- *branches* of the categories: 0 for one branch per category, in order; or 10, the number of
  branches and the branch of each category, numbered in the order of first appearance (one of those
  seen so far, or the next); or 11, the number of branches and any branch for each category.
- *default* is the branch of unseen values.

Every part marks its own end, so no code word is a prefix of another (Kraft's inequality holds). The
tests contain a decoder.
"""

import json
from typing import NamedTuple

import numpy as np

from polytomy._errors import FamilyError, TreeError
from polytomy._types import UNSEEN
from polytomy.encode import NominalColumn, OrderedColumn, Schema
from polytomy.table import Numbers, Ranks, Times
from polytomy.tree import (
    CODES,
    INTERVALS,
    CategorySplit,
    CustomSplit,
    IntervalSplit,
    NodeSplit,
    Tree,
    to_plain,
)

from .bits import Bits, BitWriter, CodeWords

_NOT_SEEN, _JOINS, _APART, _ALONE = range(4)  # missing cells at an interval split
_EACH, _APPEARING, _ANY = range(3)  # how the branches of categories are encoded
_SECOND = 10**9
_TIME_UNITS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": _SECOND}
_TIME_UNITS |= {"m": 60 * _SECOND, "h": 3600 * _SECOND, "D": 86400 * _SECOND}


class _Flags(NamedTuple):
    """Properties of a tree that save bits at its nodes if they are absent.

    Not an IntFlag: testing one takes 0.2 us, four times per split, a tenth of the encoding time.
    """

    wide: bool
    missing: bool
    negative: bool
    custom: bool


def encode_tree(tree: Tree, schema: Schema, words: CodeWords | None = None) -> Bits:
    """Return the code word of a tree; its ``len`` is the number of bits.

    Raises ``FamilyError`` for a custom split of an unregistered kind, which no decoder could read,
    and ``TreeError`` if the schema does not match the tree.

    Parameters
    ----------
    tree : Tree
        The tree.
    schema : Schema
        Its columns.
    words : CodeWords or None, default=None
        A cache of the code words of thresholds, to be shared by trees with common thresholds.

    Returns
    -------
    Bits
        The code word.
    """
    out = BitWriter(words)
    flags = _tree_flags(tree)
    out.gamma(1 + sum(flag << i for i, flag in enumerate(flags)))
    labels = tree.counts.argmax(axis=1).tolist()
    starts, children = tree.child_start.tolist(), tree.child.tolist()
    waiting = [0]
    while waiting:
        node = waiting.pop()
        split = tree.split(node)
        out.flag(split is not None)
        if split is None:
            out.below(labels[node], tree.n_classes)
        else:
            _write_split(out, split, schema, flags)
            waiting.extend(reversed(children[starts[node] : starts[node + 1]]))
    return out.done()


def _tree_flags(tree: Tree) -> _Flags:
    """Return the flags of a tree, from its arrays: 0.2 ms for 36,000 nodes; a loop took 44 ms."""
    codes = np.flatnonzero(tree.kind == CODES).tolist()
    has_column = (tree.kind == INTERVALS) | (tree.kind == CODES)
    wide = (np.diff(tree.threshold_start) > 1).any()
    return _Flags(
        wide=bool(wide) or any(_is_wide(tree.split(node)) for node in codes),
        missing=bool((tree.missing_branch[has_column] != UNSEEN).any()),
        negative=bool((np.isfinite(tree.threshold) & (tree.threshold < 0)).any()),
        custom=bool(tree.own),
    )


def _is_wide(split: NodeSplit | None) -> bool:
    return isinstance(split, CategorySplit) and split.arity > 2 and _form(split) != _EACH


def _write_split(out: BitWriter, split: NodeSplit, schema: Schema, flags: _Flags) -> None:
    feature = len(schema) if isinstance(split, CustomSplit) else split.feature
    column = schema[feature] if 0 <= feature < len(schema) else None
    choices = len(schema) + flags.custom
    if isinstance(split, CustomSplit):
        out.below(feature, choices)
        _write_custom(out, split)
    elif isinstance(split, IntervalSplit) and isinstance(column, OrderedColumn):
        out.below(feature, choices)
        _write_intervals(out, split, column, flags)
    elif isinstance(split, CategorySplit) and isinstance(column, NominalColumn):
        out.below(feature, choices)
        _write_codes(out, split, column, flags)
    else:
        kind = "missing" if column is None else column.kind
        raise TreeError(f"the schema does not match the tree: column {feature} is {kind}")


def _write_intervals(
    out: BitWriter, split: IntervalSplit, column: OrderedColumn, flags: _Flags
) -> None:
    cuts, missing = split.thresholds.tolist(), split.missing_branch
    if missing == UNSEEN:
        mode = _NOT_SEEN
    elif missing <= len(cuts):
        mode = _JOINS
    else:
        mode = _APART if cuts else _ALONE
    if flags.missing:
        out.unary(mode, _ALONE)
    if flags.wide and mode != _ALONE:
        out.gamma(len(cuts))
    if cuts:
        _write_cuts(out, cuts, column, flags)
    if mode == _JOINS:
        out.below(missing, len(cuts) + 1)
    out.below(split.default_branch, split.arity)


def _write_cuts(out: BitWriter, cuts: list[float], column: OrderedColumn, flags: _Flags) -> None:
    """Write thresholds on the scale of their column, or as plain floats if they are not on it."""
    scale = column.scale
    halves = [] if isinstance(scale, Numbers) else _halves(cuts)
    if isinstance(scale, Ranks):
        between = (
            2 * len(scale.labels) - 3
        )  # half positions strictly between the first and the last
        inside = bool(halves) and halves[0] > 0 and halves[-1] <= between
        out.flag(not inside)
        if inside:
            out.subset([h - 1 for h in halves], between)
            return
    elif isinstance(scale, Times):
        out.flag(not halves)
        if halves:
            units = _units(scale)
            unit = max(u for u in units if all(h % u == 0 for h in halves))
            out.below(units.index(unit), len(units))
            out.ascending([h // unit for h in halves], signed=flags.negative)
            return
    out.floats(cuts, signed=flags.negative)


def _halves(cuts: list[float]) -> list[int]:
    """Return twice the thresholds as integers; empty if one of them is not an exact half."""
    exact = all((2 * t).is_integer() and str(t) != "-0.0" for t in cuts)
    return [int(2 * t) for t in cuts] if exact else []


def _units(scale: Times) -> list[int]:
    """Return the units of time that are whole numbers of ticks, in ticks; the first is 1."""
    name, count = np.datetime_data(np.dtype(scale.dtype))
    if name not in _TIME_UNITS:
        return [1]
    tick = _TIME_UNITS[name] * count
    return [1, *(u // tick for u in _TIME_UNITS.values() if u > tick and u % tick == 0)]


def _item_branches(split: CategorySplit) -> list[int]:
    """Return the branches of the seen categories in order, and that of missing cells last."""
    seen = [b for b in split.code_to_branch.tolist() if b != UNSEEN]
    return seen if split.missing_branch == UNSEEN else [*seen, split.missing_branch]


def _form(split: CategorySplit) -> int:
    branches = _item_branches(split)
    if branches == list(range(len(branches))):
        return _EACH
    first = list(dict.fromkeys(branches))
    return _APPEARING if first == sorted(first) else _ANY


def _write_codes(
    out: BitWriter, split: CategorySplit, column: NominalColumn, flags: _Flags
) -> None:
    seen = np.flatnonzero(split.code_to_branch != UNSEEN).tolist()
    n = column.n_values
    if seen and seen[-1] >= n:
        raise TreeError(f"the schema does not match the tree: {column.name!r} has {n} categories")
    out.flag(len(seen) < n)
    if len(seen) < n:
        out.below(len(seen), n)
        out.subset(seen, n)
    if flags.missing:
        out.flag(split.missing_branch != UNSEEN)
    branches, arity = _item_branches(split), split.arity
    form = _form(split)
    out.unary(form, _ANY)
    if form != _EACH and flags.wide:
        out.gamma(arity - 1)
    if form == _APPEARING:
        out.appearing(branches, arity)
    elif form == _ANY:
        for branch in branches:
            out.below(branch, arity)
    out.below(split.default_branch, arity)


def _write_custom(out: BitWriter, split: CustomSplit) -> None:
    plain = to_plain(split.branching)
    try:
        text = json.dumps(plain, separators=(",", ":"))
    except (TypeError, ValueError) as why:
        raise FamilyError(
            f"a split of kind {split.branching.kind!r} is not plain data: {why}"
        ) from None
    out.delta(len(text))
    for character in text.encode("ascii"):
        out.fixed(character, 7)
