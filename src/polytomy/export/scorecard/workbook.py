"""A scorecard as a workbook: a sheet with the points, and one whose formulas look them up."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from polytomy._types import FloatArray
from polytomy.encode import ColumnSpec, OrderedColumn
from polytomy.ensemble import ScoreFunction
from polytomy.export.code.conditions import is_boolean, is_labelled, plain_value, values_of
from polytomy.export.excel import blank_input, check_rows, plain_cells, workbook_threshold
from polytomy.export.phrasing import Range, describe_range
from polytomy.export.xlsx import Bold, Cell, Formula, Input, Sheet, cell_name, workbook
from polytomy.table import Table

if TYPE_CHECKING:
    from .card import Scorecard

_POINTS = "Points"
_HEAD = 7  # rows of the sheet of points before the table


def scorecard_workbook(card: "Scorecard", table: Table | None, rows: int) -> bytes:
    """Return a workbook that computes the scores of rows.

    Parameters
    ----------
    card : Scorecard
        The scorecard.
    table : Table or None
        Rows to fill in.
    rows : int
        The number of rows to prepare if there are none to fill in.
    """
    check_rows(rows)
    points, formulas = _points_sheet(card)
    filled = None if table is None else [plain_cells(table, f.feature) for f in card.functions]
    n = rows if table is None else table.n_rows
    return workbook([_score_sheet(card, formulas, filled, n), points])


@dataclass(frozen=True, slots=True)
class _Lookup:
    """The formula of a column's points, with ``{x}`` in place of the cell."""

    template: str

    def at(self, cell: str) -> str:
        return self.template.replace("{x}", cell)


def _score_sheet(
    card: "Scorecard", formulas: Sequence[_Lookup], filled: Sequence[Sequence[Any]] | None, n: int
) -> Sheet:
    names, wide = card.columns, len(card.columns)
    columns = [card.schema[function.feature] for function in card.functions]
    heads = [*names, *(f"points: {name}" for name in names), "score", "odds", "probability"]
    rows: list[list[Cell]] = [[Bold(head) for head in heads]]
    base, odds, score, double = (f"{_POINTS}!$B${i}" for i in (1, 4, 3, 5))
    for i in range(n):
        at = i + 1
        given = [
            blank_input(columns[j]) if filled is None else Input(filled[j][i]) for j in range(wide)
        ]
        used = f"COUNTA({cell_name(at, 0)}:{cell_name(at, max(wide - 1, 0))})=0"
        points = [Formula(f.at(cell_name(at, j))) for j, f in enumerate(formulas)]
        total, ratio = cell_name(at, 2 * wide), cell_name(at, 2 * wide + 1)
        summed = f"SUM({cell_name(at, wide)}:{cell_name(at, 2 * wide - 1)})" if wide else "0"
        # A row of which nothing is filled in has no score, unless it was given as such.
        blank = filled is None and wide
        rows.append(
            [
                *given,
                *points,
                Formula(f'IF({used},"",{base}+{summed})' if blank else f"{base}+{summed}"),
                Formula(f'IF({total}="","",{odds}*EXP(({total}-{score})/{double}*LN(2)))'),
                Formula(f'IF({total}="","",{ratio}/(1+{ratio}))'),
            ]
        )
    return Sheet("Score", rows)


def _points_sheet(card: "Scorecard") -> tuple[Sheet, list[_Lookup]]:
    rows: list[list[Cell]] = [
        [Bold("base points"), card.plain(card.base_points)],
        [Bold("odds of"), str(card.favours)],
        [Bold("base score"), card.base_score],
        [Bold("base odds"), card.base_odds],
        [Bold("points to double the odds"), card.points_to_double_odds],
        [],
        [Bold(head) for head in ("column", "points", "up to, or equal to", "in words")],
    ]
    assert len(rows) == _HEAD
    formulas = []
    for function in card.functions:
        column = card.schema[function.feature]
        listed, formula = _block(card, function, column, len(rows))
        rows += listed
        formulas.append(formula)
    return Sheet(_POINTS, rows, _HEAD), formulas


def _block(
    card: "Scorecard", function: ScoreFunction, column: ColumnSpec, first: int
) -> tuple[list[list[Cell]], _Lookup]:
    """Return the rows of a column from a row of the sheet on, and the formula that reads them."""
    if is_labelled(column):
        values = [plain_value(v) for v in values_of(column)]
        points, words = _points_of_values(function, len(values)), [str(v) for v in values]
    elif is_boolean(column):
        values, words = [False, True], ["False", "True"]
        points = _points_of_values(function, 2)
    else:
        assert isinstance(column, OrderedColumn)
        assert function.thresholds is not None
        cuts = function.thresholds.tolist()
        ends = [None, *cuts, None]
        ranges = [Range(ends[i], ends[i + 1], missing=False) for i in range(len(cuts) + 1)]
        words = [describe_range(r, column) for r in ranges]
        values = [*(workbook_threshold(cut, column) for cut in cuts), None]
        points = function.scores[:, 0]
    listed: list[list[Cell]] = [
        [column.name, card.plain(float(p)), value, text]
        for p, value, text in zip(points, values, words, strict=True)
    ]
    listed.append([column.name, card.plain(float(function.missing[0])), None, "missing"])
    if is_labelled(column):
        listed.append([column.name, card.plain(float(function.unseen[0])), None, "any other"])
    return listed, _formula(column, values, first)


def _points_of_values(function: ScoreFunction, n: int) -> FloatArray:
    """Return the points of each category or label."""
    if function.thresholds is None:
        return function.scores[:, 0]
    return np.asarray(function.scores[np.searchsorted(function.thresholds, np.arange(n)), 0])


def _formula(column: ColumnSpec, values: Sequence[Any], first: int) -> _Lookup:
    n = len(values)
    points, held = _range(first, n, 1), _range(first, n, 2)
    missing, other = _range(first + n, 1, 1), _range(first + n + 1, 1, 1)
    if is_boolean(column):
        no, yes = _range(first, 1, 1), _range(first + 1, 1, 1)
        return _Lookup(f"IF(ISLOGICAL({{x}}),IF({{x}},{yes},{no}),{missing})")
    if not is_labelled(column):
        below = f"SUMPRODUCT(--({_range(first, max(n - 1, 1), 2)}<{{x}}))"
        found = points if n == 1 else f"INDEX({points},1+{below})"
        return _Lookup(f"IF(ISNUMBER({{x}}),{found},{missing})")
    texts = all(isinstance(v, str) for v in values)
    same = f"--EXACT({{x}},{held})" if texts else f"--({held}={{x}})"
    found = f"IF(SUMPRODUCT({same})=0,{other},SUMPRODUCT({same},{points}))"
    return _Lookup(f"IF(ISBLANK({{x}}),{missing},{found})")


def _range(first: int, n: int, column: int) -> str:
    top, bottom = cell_name(first, column, fixed=True), cell_name(first + n - 1, column, fixed=True)
    return f"{_POINTS}!{top}" + ("" if n == 1 else f":{bottom}")
