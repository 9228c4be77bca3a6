"""How scores are set: digits that fit the largest, columns that line up, and bars about 0."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import floor, log10

import numpy as np

from polytomy._types import FloatArray

from .score_rows import ScoreRow

_BAR = 12  # characters of the longest bar
_MOST_CLASSES = 5  # that get a column each; of more, only the extremes are shown
_NAME = 12  # characters of a class in the head of its column


@dataclass(frozen=True, slots=True)
class Style:
    """One scale for all tables of an ensemble, so that their digits and bars compare."""

    largest: float
    bar: int = _BAR  # characters of the longest bar

    @classmethod
    def of(cls, rows: Sequence[ScoreRow], width: int) -> "Style":
        """Return the style that fits these rows; bars are as long as lines of a width allow."""
        style = cls(max((float(np.abs((row.low, row.high)).max()) for row in rows), default=0.0))
        words = max((len(row.words) for row in rows), default=0)
        cells = max((len(style._range(row)) for row in rows), default=0)
        room = width - len("  ") - words - len("  ") - cells - len("  │")
        return replace(style, bar=min(_BAR, max(room // 2, 0)))

    def number(self, score: float) -> str:
        """Return a score with its sign; the largest has four digits."""
        digits = 3 - floor(log10(self.largest)) if self.largest > 0 else 3
        return f"{score:+.{min(max(digits, 0), 12)}f}"

    def table(self, rows: Sequence[ScoreRow], classes: Sequence[str]) -> list[str]:
        """Return the lines of one column's table; ``classes`` are those of the outputs."""
        wide = max(len(row.words) for row in rows)
        words = [f"  {row.words:<{wide}}" for row in rows]
        if len(classes) == 1:
            cells = [self._range(row) for row in rows]
            most = max(map(len, cells))
            bars = [self._bar(row) if self.bar else "" for row in rows]
            parts = zip(words, cells, bars, strict=True)
            return [f"{w}  {cell:>{most}}  {bar}".rstrip() for w, cell, bar in parts]
        if len(classes) > _MOST_CLASSES:
            told = [self._extremes(row, classes) for row in rows]
            return [f"{w}  {t}" for w, t in zip(words, told, strict=True)]
        heads = [_shortened(name) for name in classes]
        wides = [max(len(head), len(self.number(-self.largest)) + 1) for head in heads]
        head = "".join(f"  {name:>{w}}" for name, w in zip(heads, wides, strict=True))
        lines = [f"  {'':<{wide}}{head}"]
        for row, w in zip(rows, words, strict=True):
            cells = self._middles(row)
            lines.append(w + "".join(f"  {c:>{n}}" for c, n in zip(cells, wides, strict=True)))
        return lines

    def _range(self, row: ScoreRow) -> str:
        low, high = self.number(row.low[0]), self.number(row.high[0])
        return low if low == high else f"{low} to {high}"

    def _middles(self, row: ScoreRow) -> list[str]:
        """Return a number for each output, marked where it stands for several."""
        pairs = zip(row.low.tolist(), row.high.tolist(), strict=True)
        return [("" if low == high else "~") + self.number((low + high) / 2) for low, high in pairs]

    def _extremes(self, row: ScoreRow, classes: Sequence[str]) -> str:
        """Return the two classes that gain most and the one that loses most."""
        order = np.argsort(-(row.low + row.high), kind="stable")
        cells = self._middles(row)
        first, second, last = (f"{classes[o]} {cells[o]}" for o in (order[0], order[1], order[-1]))
        return f"{first}, {second}, ..., {last}"

    def _bar(self, row: ScoreRow) -> str:
        """Return a bar from the line of 0 to the left where a score is below it, else right."""
        middle = float(row.low[0] + row.high[0]) / 2
        length = round(self.bar * abs(middle) / self.largest) if self.largest > 0 else 0
        bar = "█" * length
        return f"{bar:>{self.bar}}│" if middle < 0 else f"{'':{self.bar}}│{bar}"


def start_row(start: FloatArray) -> ScoreRow:
    """Return the start of the votes as a row, so that it is set like the scores."""
    return ScoreRow("start", start, start)


def _shortened(name: str) -> str:
    return name if len(name) <= _NAME else name[: _NAME - 1] + "…"
