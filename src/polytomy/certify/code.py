"""A prefix code for trees: what it takes to tell a tree to someone who knows only the columns.

The decoder knows the schema's columns (how many, their kinds, categories and labels, what their
numbers stand for) and the number of classes. It does not know what was computed from the sample:
neither bins nor which columns had missing cells. So the length of a code word is a description
length in the sense of Occam's razor. Counts are not told; a leaf's label is, the class that weighs
most there, the lower of equals.

A tree is::

    tree       habits node                       habits in gamma code, as 1 + a sum of
                                                 1 some node is wide, 2 missing cells were seen,
                                                 4 some threshold is negative, 8 own questions
    node       0 label                           one of the classes
             | 1 column question node node ...   one of the columns, and one more if own questions
                                                 occur: it stands for them
    intervals  missing count thresholds joins default
    codes      seen missing branches default
    own        its plain data as JSON, 7 bits a character, after their number in delta code

- A habit that a tree does not have costs nothing at its nodes: without missing cells no node says
  where they go, without a wide node every count of thresholds is 1 and every number of groups 2.
- *missing* (intervals): not seen 0, into a range 10, into a branch of their own 110, and 111 if
  that is all that is asked. *joins* is the range, if any.
- *count* of thresholds in gamma code. *thresholds* of numbers: ``BitWriter.floats``, which makes
  decimals and points half-way between them cheap. Of ordered labels: 0 and places among the
  half-way points, whole and half. Of times: 0, the unit of the clock (a tick, a millisecond, ..., a
  day) and how many half units each is. 1 in both cases goes before plain floats.
- *seen* categories: 0 all, or 1, their number, and which (interpolative code). *missing*: 0 not
  seen, 1 seen: then they count as one more category, the last.
- *branches* of the categories: 0 each its own, in order; or 10, how many there are, and, numbered
  as they first appear, the branch of each category: one of those met so far or the next; or 11, how
  many, and one of them for each.
- *default*, where unseen values go: one of the branches.

Every part says itself where it ends, so no code word is the beginning of another (Kraft's
inequality holds), and the decoder refuses what is too short or too long.
"""

import json
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from polytomy._errors import FamilyError, TreeError
from polytomy._types import UNSEEN
from polytomy.encode import NominalColumn, OrderedColumn, Schema
from polytomy.table import Numbers, Ranks, Times
from polytomy.tree import (
    CODES,
    INTERVALS,
    CodeQuestion,
    IntervalQuestion,
    OwnQuestion,
    Question,
    Tree,
    TreeBuilder,
    check_tree,
    from_plain,
    to_plain,
)

from .bits import BitReader, Bits, BitWriter, Words

_NOT_SEEN, _JOINS, _APART, _ALONE = range(4)  # missing cells at an interval question
_EACH, _APPEARING, _ANY = range(3)  # how categories are told to branches
_SECOND = 10**9
_CLOCK = {"ns": 1, "us": 10**3, "ms": 10**6, "s": _SECOND}
_CLOCK |= {"m": 60 * _SECOND, "h": 3600 * _SECOND, "D": 86400 * _SECOND}


class _Habits(NamedTuple):
    """What occurs somewhere in a tree; what does not costs nothing at its nodes.

    Not an IntFlag: asking one takes 0.2 us, four times a question, a tenth of what writing takes.
    """

    wide: bool
    missing: bool
    negative: bool
    own: bool


def encode_tree(tree: Tree, schema: Schema, words: Words | None = None) -> Bits:
    """Return a tree's code word; its ``len`` is the number of bits.

    Trees that share thresholds may share ``words``, those of the thresholds written so far.
    Raises ``FamilyError`` for a user's own question of an unregistered kind, whose data nobody
    could read, and ``TreeError`` where the schema is not the tree's.
    """
    out = BitWriter(words)
    habits = _habits(tree)
    out.gamma(1 + sum(habit << i for i, habit in enumerate(habits)))
    labels = tree.counts.argmax(axis=1).tolist()
    starts, children = tree.child_start.tolist(), tree.child.tolist()
    waiting = [0]
    while waiting:
        node = waiting.pop()
        question = tree.question(node)
        out.flag(question is not None)
        if question is None:
            out.below(labels[node], tree.n_classes)
        else:
            _write_question(out, question, schema, habits)
            waiting.extend(reversed(children[starts[node] : starts[node + 1]]))
    return out.done()


def decode_tree(bits: Bits, schema: Schema, n_classes: int) -> Tree:
    """Return the tree of a code word, with one row of its label in each leaf.

    Nodes are numbered anew, and categories unseen at a node after the last seen one are left out;
    both change no prediction.
    """
    source = BitReader(bits)
    number = source.gamma() - 1
    if number >> len(_Habits._fields):
        raise TreeError(f"not the code of a tree: no habits are numbered {number}")
    habits = _Habits(*(bool(number >> i & 1) for i in range(len(_Habits._fields))))
    nodes = list(_read_nodes(source, schema, habits, n_classes))
    source.finish()
    tree = _built(nodes, n_classes)
    check_tree(tree)
    return tree


def _habits(tree: Tree) -> _Habits:
    """Find a tree's habits from its arrays: asking each of 36,000 nodes took 44 ms, this 0.2."""
    codes = np.flatnonzero(tree.kind == CODES).tolist()
    asks = (tree.kind == INTERVALS) | (tree.kind == CODES)
    wide = (np.diff(tree.threshold_start) > 1).any()
    return _Habits(
        wide=bool(wide) or any(_is_wide(tree.question(node)) for node in codes),
        missing=bool((tree.missing_branch[asks] != UNSEEN).any()),
        negative=bool((np.isfinite(tree.threshold) & (tree.threshold < 0)).any()),
        own=bool(tree.own),
    )


def _is_wide(question: Question | None) -> bool:
    return isinstance(question, CodeQuestion) and question.arity > 2 and _form(question) != _EACH


def _read_nodes(
    source: BitReader, schema: Schema, habits: _Habits, n_classes: int
) -> Iterator[Question | int]:
    """Yield the questions and the leaves' labels in preorder."""
    waiting = 1
    while waiting:
        waiting -= 1
        if source.flag():
            question = _read_question(source, schema, habits)
            waiting += question.arity
            yield question
        else:
            yield source.below(n_classes)


def _built(nodes: list[Question | int], n_classes: int) -> Tree:
    counts = np.zeros((len(nodes), n_classes))
    children: list[list[int]] = [[] for _ in nodes]
    ready: list[int] = []  # subtrees read from the right, the leftmost on top
    for i in reversed(range(len(nodes))):
        node = nodes[i]
        if isinstance(node, int):
            counts[i, node] = 1.0
        else:
            children[i] = [ready.pop() for _ in range(node.arity)]
            counts[i] = counts[children[i]].sum(axis=0)
        ready.append(i)
    rows = counts.sum(axis=1).astype(np.int64)
    builder = TreeBuilder(counts[0], int(rows[0]))
    waiting = [(0, 0)]  # (place in preorder, leaf of the new tree)
    while waiting:
        i, leaf = waiting.pop()
        node = nodes[i]
        if not isinstance(node, int):
            made = builder.split(leaf, node, counts[children[i]], rows[children[i]])
            waiting.extend(zip(children[i], made, strict=True))
    return builder.finish()


def _write_question(out: BitWriter, question: Question, schema: Schema, habits: _Habits) -> None:
    feature = len(schema) if isinstance(question, OwnQuestion) else question.feature
    column = schema[feature] if 0 <= feature < len(schema) else None
    choices = len(schema) + habits.own
    if isinstance(question, OwnQuestion):
        out.below(feature, choices)
        _write_own(out, question)
    elif isinstance(question, IntervalQuestion) and isinstance(column, OrderedColumn):
        out.below(feature, choices)
        _write_intervals(out, question, column, habits)
    elif isinstance(question, CodeQuestion) and isinstance(column, NominalColumn):
        out.below(feature, choices)
        _write_codes(out, question, column, habits)
    else:
        kind = "missing" if column is None else column.kind
        raise TreeError(f"the schema is not this tree's: column {feature}, asked about, is {kind}")


def _read_question(source: BitReader, schema: Schema, habits: _Habits) -> Question:
    feature = source.below(len(schema) + habits.own)
    if feature == len(schema):
        return _read_own(source)
    column = schema[feature]
    if isinstance(column, OrderedColumn):
        return _read_intervals(source, feature, column, habits)
    return _read_codes(source, feature, column, habits)


def _write_intervals(
    out: BitWriter, question: IntervalQuestion, column: OrderedColumn, habits: _Habits
) -> None:
    cuts, missing = question.thresholds.tolist(), question.missing_branch
    if missing == UNSEEN:
        mode = _NOT_SEEN
    elif missing <= len(cuts):
        mode = _JOINS
    else:
        mode = _APART if cuts else _ALONE
    if habits.missing:
        out.unary(mode, _ALONE)
    if habits.wide and mode != _ALONE:
        out.gamma(len(cuts))
    if cuts:
        _write_cuts(out, cuts, column, habits)
    if mode == _JOINS:
        out.below(missing, len(cuts) + 1)
    out.below(question.default_branch, question.arity)


def _read_intervals(
    source: BitReader, feature: int, column: OrderedColumn, habits: _Habits
) -> IntervalQuestion:
    mode = source.unary(_ALONE) if habits.missing else _NOT_SEEN
    count = source.gamma() if habits.wide and mode != _ALONE else 1
    cuts = [] if mode == _ALONE else _read_cuts(source, count, column, habits)
    missing = UNSEEN
    if mode == _JOINS:
        missing = source.below(len(cuts) + 1)
    elif mode != _NOT_SEEN:
        missing = len(cuts) + 1
    arity = len(cuts) + 1 + (mode in (_APART, _ALONE))
    return IntervalQuestion(feature, np.array(cuts), missing, source.below(arity))


def _write_cuts(out: BitWriter, cuts: list[float], column: OrderedColumn, habits: _Habits) -> None:
    """Write thresholds on their column's scale; whatever is not on it as plain floats."""
    scale = column.scale
    halves = [] if isinstance(scale, Numbers) else _halves(cuts)
    if isinstance(scale, Ranks):
        between = 2 * len(scale.labels) - 3  # half places strictly between the first and the last
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
            out.ascending([h // unit for h in halves], signed=habits.negative)
            return
    out.floats(cuts, signed=habits.negative)


def _read_cuts(
    source: BitReader, count: int, column: OrderedColumn, habits: _Habits
) -> list[float]:
    scale = column.scale
    if isinstance(scale, Ranks) and not source.flag():
        return [(item + 1) / 2 for item in source.subset(count, 2 * len(scale.labels) - 3)]
    if isinstance(scale, Times) and not source.flag():
        units = _units(scale)
        unit = units[source.below(len(units))]
        try:
            return [h * unit / 2 for h in source.ascending(count, signed=habits.negative)]
        except OverflowError:
            raise TreeError("not the code of a tree: a time beyond all times") from None
    return source.floats(count, signed=habits.negative)


def _halves(cuts: list[float]) -> list[int]:
    """Return twice the thresholds as whole numbers; none if one of them is not exactly that."""
    exact = all((2 * t).is_integer() and str(t) != "-0.0" for t in cuts)
    return [int(2 * t) for t in cuts] if exact else []


def _units(scale: Times) -> list[int]:
    """Return the units of the clock that are whole numbers of ticks, in ticks; the first is 1."""
    name, count = np.datetime_data(np.dtype(scale.dtype))
    if name not in _CLOCK:
        return [1]
    tick = _CLOCK[name] * count
    return [1, *(u // tick for u in _CLOCK.values() if u > tick and u % tick == 0)]


def _items(question: CodeQuestion) -> list[int]:
    """Return the branches of the categories seen, in order, and last that of missing cells."""
    seen = [b for b in question.code_to_branch.tolist() if b != UNSEEN]
    return seen if question.missing_branch == UNSEEN else [*seen, question.missing_branch]


def _form(question: CodeQuestion) -> int:
    branches = _items(question)
    if branches == list(range(len(branches))):
        return _EACH
    first = list(dict.fromkeys(branches))
    return _APPEARING if first == sorted(first) else _ANY


def _write_codes(
    out: BitWriter, question: CodeQuestion, column: NominalColumn, habits: _Habits
) -> None:
    seen = np.flatnonzero(question.code_to_branch != UNSEEN).tolist()
    n = column.n_values
    if seen and seen[-1] >= n:
        raise TreeError(f"the schema is not this tree's: {column.name!r} has {n} categories")
    out.flag(len(seen) < n)
    if len(seen) < n:
        out.below(len(seen), n)
        out.subset(seen, n)
    if habits.missing:
        out.flag(question.missing_branch != UNSEEN)
    branches, arity = _items(question), question.arity
    form = _form(question)
    out.unary(form, _ANY)
    if form != _EACH and habits.wide:
        out.gamma(arity - 1)
    if form == _APPEARING:
        out.appearing(branches, arity)
    elif form == _ANY:
        for branch in branches:
            out.below(branch, arity)
    out.below(question.default_branch, arity)


def _read_codes(
    source: BitReader, feature: int, column: NominalColumn, habits: _Habits
) -> CodeQuestion:
    n = column.n_values
    seen = source.subset(source.below(n), n) if source.flag() else list(range(n))
    with_missing = habits.missing and source.flag()
    n_items = len(seen) + with_missing
    form = source.unary(_ANY)
    arity = n_items
    if form != _EACH:
        arity = source.gamma() + 1 if habits.wide else 2
    if not 2 <= arity <= n_items:
        raise TreeError(f"not the code of a tree: {n_items} categories in {arity} branches")
    if form == _APPEARING:
        branches = source.appearing(n_items, arity)
    elif form == _ANY:
        branches = [source.below(arity) for _ in range(n_items)]
    else:
        branches = list(range(arity))
    missing = branches.pop() if with_missing else UNSEEN
    code_to_branch = np.full(seen[-1] + 1 if seen else 0, UNSEEN, dtype=np.int32)
    code_to_branch[seen] = branches
    return CodeQuestion(feature, code_to_branch, missing, source.below(arity))


def _write_own(out: BitWriter, question: OwnQuestion) -> None:
    plain = to_plain(question.branching)
    try:
        text = json.dumps(plain, separators=(",", ":"))
    except (TypeError, ValueError) as why:
        raise FamilyError(
            f"a question of kind {question.branching.kind!r} is not plain data: {why}"
        ) from None
    out.delta(len(text))
    for character in text.encode("ascii"):
        out.fixed(character, 7)


def _read_own(source: BitReader) -> OwnQuestion:
    text = bytes(source.fixed(7) for _ in range(source.delta())).decode("ascii")
    try:
        plain = json.loads(text)
    except ValueError:
        plain = None
    if not isinstance(plain, dict):
        raise TreeError(f"not the code of a tree: {text[:40]!r} is no question's data")
    return OwnQuestion(from_plain(plain))
