"""An ensemble as text: a table of scores per column for stumps, else a summary of its trees."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import floor, log10
from textwrap import wrap

import numpy as np

from polytomy._errors import ParameterError
from polytomy._text import count, one_line, shorten
from polytomy.ensemble import Additive, Ensemble

from .rows import ScoreRow, own_split_scores, score_rows

_LONGEST_BAR = 12  # characters
_MOST_CLASSES = 5  # with a column each; of more, only the extreme scores are shown
_LONGEST_NAME = 12  # characters of a class in the head of its column
_MOST_COLUMNS = 8  # in the summary of an ensemble of deeper trees

_NO_TABLE = (
    "Trees this deep are not a sum of scores per column, so there is no table. Instead:",
    "- boost with max_depth=1: stumps, with any number of branches, add up to one table per column",
    "- or grow a single readable tree with TreeClassifier",
)
_MEAN_OF_SHARES = "The probability of a class is its mean share in the leaves that a row reaches."
_MEAN_OF_MEANS = "The prediction is the mean over the trees of the mean in the leaf of a row."

_Table = tuple[str, list[ScoreRow]]  # the title and the rows


def scores_to_text(ensemble: Ensemble, max_width: int = 100, max_rows: int = 16) -> str:
    """Return the scores that each column adds to the votes, as text.

    Columns are sorted by the largest difference they can make. Only the scores of stumps, trees
    with one split, add up in this way; for deeper trees, a summary is returned.

    Parameters
    ----------
    ensemble : Ensemble
        The ensemble.
    max_width : int, default=100
        Maximum number of characters per line; longer lines are truncated.
    max_rows : int, default=16
        Maximum number of rows per column; if there are more, the neighbours that differ least are
        joined, and their row shows the range of their scores.

    Returns
    -------
    str
        The text, without a final line break.
    """
    if max_width < 40 or max_rows < 2:
        raise ParameterError("scores need a width of at least 40 and at least 2 rows per column")
    merged = ensemble.additive
    if merged is None:
        lines = describe_members(ensemble, max_width)
    else:
        lines = _score_lines(ensemble, merged, max_width, max_rows)
    return "\n".join(shorten(line, max_width) for line in lines)


def members_to_text(ensemble: Ensemble, max_width: int = 100) -> str:
    """Return a summary of the trees of a forest, as text.

    Parameters
    ----------
    ensemble : Ensemble
        The forest.
    max_width : int, default=100
        Maximum number of characters per line.

    Returns
    -------
    str
        The text, without a final line break.
    """
    if max_width < 40:
        raise ParameterError("the summary needs a width of at least 40")
    return "\n".join(shorten(line, max_width) for line in describe_members(ensemble, max_width))


def describe_members(ensemble: Ensemble, width: int) -> list[str]:
    """Return a summary of an ensemble of deeper trees, as lines of at most ``width`` characters."""
    trees = [member.tree for member in ensemble.members]
    leaves = sorted(tree.n_leaves for tree in trees)
    splits = ensemble.splits_per_column
    custom = sum(len(tree.own) for tree in trees)
    names = ensemble.schema.names
    mean = _MEAN_OF_MEANS if ensemble.is_numeric else _MEAN_OF_SHARES
    most = np.argsort(-splits, kind="stable")[: np.count_nonzero(splits)].tolist()
    shown = ", ".join(f"{one_line(names[j])} {splits[j]}" for j in most[:_MOST_COLUMNS])
    more = f", +{len(most) - _MOST_COLUMNS} columns" if len(most) > _MOST_COLUMNS else ""
    size = f"{leaves[0]}" if leaves[0] == leaves[-1] else f"{leaves[0]} to {leaves[-1]}"
    paragraphs = [
        f"{ensemble.algorithm}: {count(len(trees), 'tree')} of {size} leaves, "
        f"up to {count(ensemble.depth, 'split')} deep",
        f"They have {count(int(splits.sum()) + custom, 'split')} on {len(most)} of "
        f"{len(names)} columns: {shown}{more}"
        + (f"; {count(custom, 'user-defined split')}" if custom else ""),
        *([mean] if ensemble.is_forest else ["", *_NO_TABLE]),
    ]
    wrapped = (wrap(text, width, subsequent_indent="  ") or [""] for text in paragraphs)
    return [line for lines in wrapped for line in lines]


def _score_lines(ensemble: Ensemble, merged: Additive, max_width: int, max_rows: int) -> list[str]:
    names = [one_line(c) for c in np.asarray(ensemble.classes).tolist()]
    tables = _tables(ensemble, merged, max_rows)
    start = ScoreRow("start", merged.start, merged.start)
    every = [start, *(row for _, rows in tables for row in rows)]
    layout = _Layout.of(every, max_width)
    if ensemble.n_outputs == 1:
        decision = f"Votes above 0 are for {names[1]}, below for {names[0]}."
        names = names[1:]
    else:
        decision = "The class with the most votes wins."
        if not all(row.exact for row in every):
            decision += " ~ marks the midpoint of several scores."
    lines = [
        f"{ensemble.algorithm}: {count(len(ensemble), 'stump')} {_asked(ensemble, merged)}",
        "A row's votes: the start plus its score in each table.",
        decision,
        "",
        *layout.table([start], names),
    ]
    for title, rows in tables:
        lines += ["", title, *layout.table(rows, names)]
    return lines


def _asked(ensemble: Ensemble, merged: Additive) -> str:
    """Return what the stumps ask: columns, user-defined splits, or both."""
    if merged.own and not merged.functions:
        return "with user-defined splits"
    columns = f"on {len(merged.functions)} of {len(ensemble.schema)} columns"
    own = f"; {count(len(merged.own), 'user-defined split')}" if merged.own else ""
    return columns + own


def _tables(ensemble: Ensemble, merged: Additive, max_rows: int) -> list[_Table]:
    """Return the tables of the columns, then those of user-defined splits."""
    tables = []
    for function in merged.by_spread():
        column = ensemble.schema[function.feature]
        title = _title(one_line(column.name), function.spread, function.members)
        tables.append((title, score_rows(function, column, max_rows)))
    for member in merged.own:
        title, words, added = own_split_scores(member, ensemble.schema)
        rows = [ScoreRow(text, score, score) for text, score in zip(words, added, strict=True)]
        tables.append((_title(title, float(np.ptp(added, axis=0).max()), 1), rows))
    return tables


def _title(name: str, spread: float, stumps: int) -> str:
    return f"{name}: moves votes by up to {spread:.3g}, {count(stumps, 'stump')}"


@dataclass(frozen=True, slots=True)
class _Layout:
    """One scale for all tables of an ensemble, so that digits and bars are comparable."""

    largest: float
    bar: int = _LONGEST_BAR  # characters of the longest bar

    @classmethod
    def of(cls, rows: Sequence[ScoreRow], width: int) -> "_Layout":
        """Return the layout for all rows; bars take the width that the words leave."""
        layout = cls(max((float(np.abs((row.low, row.high)).max()) for row in rows), default=0.0))
        words = max((len(row.words) for row in rows), default=0)
        cells = max((len(layout._range(row)) for row in rows), default=0)
        room = width - len("  ") - words - len("  ") - cells - len("  │")
        return replace(layout, bar=min(_LONGEST_BAR, max(room // 2, 0)))

    def number(self, score: float) -> str:
        """Return a score with its sign, with as many decimals as give the largest four digits."""
        digits = 3 - floor(log10(self.largest)) if self.largest > 0 else 3
        return f"{score:+.{min(max(digits, 0), 12)}f}"

    def table(self, rows: Sequence[ScoreRow], classes: Sequence[str]) -> list[str]:
        """Return the lines of one table; ``classes`` are the names of the outputs."""
        wide = max(len(row.words) for row in rows)
        words = [f"  {row.words:<{wide}}" for row in rows]
        if len(classes) == 1:
            cells = [self._range(row) for row in rows]
            most = max(map(len, cells))
            bars = [self._bar(row) if self.bar else "" for row in rows]
            parts = zip(words, cells, bars, strict=True)
            return [f"{w}  {cell:>{most}}  {bar}".rstrip() for w, cell, bar in parts]
        if len(classes) > _MOST_CLASSES:
            extremes = [self._extremes(row, classes) for row in rows]
            return [f"{w}  {text}" for w, text in zip(words, extremes, strict=True)]
        heads = [shorten(name, _LONGEST_NAME) for name in classes]
        wides = [max(len(head), len(self.number(-self.largest)) + 1) for head in heads]
        head = "".join(f"  {name:>{w}}" for name, w in zip(heads, wides, strict=True))
        lines = [f"  {'':<{wide}}{head}"]
        for row, w in zip(rows, words, strict=True):
            cells = self._midpoints(row)
            lines.append(w + "".join(f"  {c:>{n}}" for c, n in zip(cells, wides, strict=True)))
        return lines

    def _range(self, row: ScoreRow) -> str:
        low, high = self.number(row.low[0]), self.number(row.high[0])
        return low if low == high else f"{low} to {high}"

    def _midpoints(self, row: ScoreRow) -> list[str]:
        """Return a number for each output, marked with ~ if it stands for several scores."""
        pairs = zip(row.low.tolist(), row.high.tolist(), strict=True)
        return [("" if low == high else "~") + self.number((low + high) / 2) for low, high in pairs]

    def _extremes(self, row: ScoreRow, classes: Sequence[str]) -> str:
        """Return the two classes with the highest scores and the one with the lowest."""
        order = np.argsort(-(row.low + row.high), kind="stable")
        cells = self._midpoints(row)
        first, second, last = (f"{classes[o]} {cells[o]}" for o in (order[0], order[1], order[-1]))
        return f"{first}, {second}, ..., {last}"

    def _bar(self, row: ScoreRow) -> str:
        """Return a bar that extends from 0 to the left for a negative score, else to the right."""
        middle = float(row.low[0] + row.high[0]) / 2
        length = round(self.bar * abs(middle) / self.largest) if self.largest > 0 else 0
        bar = "█" * length
        return f"{bar:>{self.bar}}│" if middle < 0 else f"{'':{self.bar}}│{bar}"
