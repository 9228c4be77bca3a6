"""A tree as a workbook: formulas that find the leaf of each row, and look up what it predicts."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import inf, isnan
from typing import Any

import numpy as np

from polytomy._errors import ParameterError, TreeError
from polytomy._numbers import is_integer
from polytomy._text import one_line
from polytomy.density import DensityModel
from polytomy.encode import ColumnSpec, OrderedColumn, missing_cells
from polytomy.table import Column, Ordered, Ranks, Table, Times

from .code.conditions import (
    OneOf,
    is_boolean,
    leaf_rules,
    plain_value,
    refuse_own_splits,
    split_columns,
    step_condition,
)
from .code.decision_list import BranchStep
from .outputs import leaf_numbers, node_outputs
from .phrasing import AnyModel, Range, describe_branches
from .phrasing.times import NANOSECONDS, is_duration
from .xlsx import Bold, Cell, Formula, Input, Moment, Sheet, cell_name, workbook

_MOST_NESTED = 50  # Excel nests 64 functions, and a test may use a few
_LONGEST = 4_000  # characters of a formula; Excel allows 8,192, and names of cells may grow
_EPOCH = 25_569  # the day of 1970 began, as Excel counts
_FIRST_DAY, _LAST_DAY = 61, 2_958_466  # March 1900, and the first day of the year 10000
_FINEST_DAYS = 1e-10  # about 9 microseconds: times in 2026 are rounded to less than one
_LARGEST = 1.7976931348623157e308
_SPLITS, _LEAVES = "Splits", "Leaves"


def tree_workbook(
    model: AnyModel, table: Table | None = None, rows: int = 100, smoothing: float = 0.0
) -> bytes:
    """Return a workbook that predicts the rows that are typed into it.

    The sheet "Predict" has a cell for each column of a row, and formulas for its leaf, prediction,
    probabilities and rule. Where nested IFs would exceed Excel's limits, parts of the tree are in
    cells of their own. Thresholds and categories are in the sheet "Splits", what the leaves predict
    in "Leaves"; formulas refer to them. Numbers are compared with 15 digits, as Excel does.

    Parameters
    ----------
    model : Model or DensityModel
        The model to export.
    table : Table or None, default=None
        Rows to fill in; None leaves the cells empty.
    rows : int, default=100
        The number of rows to prepare, if there is no table.
    smoothing : float, default=0.0
        Weight added to each class for the probabilities. Not to honest shares.

    Returns
    -------
    bytes
        The .xlsx file.
    """
    refuse_own_splits(model, "a workbook")
    check_rows(rows)
    columns = split_columns(model)
    splits = _Splits()
    leaf, helpers = _leaf_formula(model, columns, splits)
    leaves = _leaves_sheet(model, smoothing)
    filled = None if table is None else [plain_cells(table, j) for j in columns]
    n = rows if table is None else table.n_rows
    inputs = [model.schema[j] for j in columns]
    predict = _predict_sheet(inputs, [*helpers, leaf], leaves, filled, n)
    return workbook([predict, Sheet(_SPLITS, splits.rows), leaves])


def check_rows(rows: Any) -> None:
    """Raise an error if a number of rows to prepare is none."""
    if not is_integer(rows) or rows < 1:
        raise ParameterError(f"rows must be an integer of at least 1, got {rows!r}")


def is_time(column: ColumnSpec | Column) -> bool:
    """Return whether a column holds times or durations."""
    return isinstance(column, OrderedColumn | Ordered) and isinstance(column.scale, Times)


def days_of(ticks: float, column: OrderedColumn | Ordered) -> float:
    """Return a time or a duration as the number of days that a workbook holds.

    Excel counts days from the end of 1899, and dates only from March 1900 on, because it takes
    1900 for a leap year.

    Parameters
    ----------
    ticks : float
        The ticks of the column's time unit.
    column : OrderedColumn or Ordered
        The column.
    """
    assert isinstance(column.scale, Times)
    dtype = np.dtype(column.scale.dtype)
    unit, each = np.datetime_data(dtype)
    if unit not in NANOSECONDS:
        raise TreeError(
            f"column {column.name!r} has times of type {column.scale.dtype}, which a workbook "
            "cannot hold; convert it to dates, for example with .astype('datetime64[s]')"
        )
    days = Fraction(ticks) * each * NANOSECONDS[unit] / NANOSECONDS["D"]
    if dtype.kind == "m":
        return float(days)
    return float(days + _EPOCH)


def as_workbook_time(ticks: float, column: OrderedColumn | Ordered) -> Moment | float:
    """Return a time as a date of a workbook, and a duration as days; see ``days_of``."""
    days = days_of(ticks, column)
    assert isinstance(column.scale, Times)
    if np.dtype(column.scale.dtype).kind == "m":
        return days
    if not _FIRST_DAY <= days < _LAST_DAY:
        raise TreeError(
            f"column {column.name!r} has dates outside the years 1900 to 9999, which a workbook "
            "cannot hold; clip such dates before growing the tree"
        )
    return Moment(days)


def workbook_threshold(threshold: float, column: OrderedColumn) -> Moment | float:
    """Return a threshold on a column as a workbook holds it.

    Raises an error if training values on both sides of it are closer than the times of a workbook,
    which are rounded to microseconds.
    """
    if not is_time(column):
        return max(threshold, -_LARGEST)
    below, above = column.high[column.high <= threshold], column.low[column.low > threshold]
    near = [days_of(float(ends), column) for ends in (*below[-1:], *above[:1])]
    if len(near) == 2 and near[1] - near[0] < _FINEST_DAYS:
        raise TreeError(
            f"column {column.name!r} is split between times that Excel rounds to the same; for a "
            "workbook, round them to milliseconds before fitting"
        )
    return as_workbook_time(threshold, column)


def plain_cells(table: Table, feature: int) -> list[Any]:
    """Return the cells of a column of a table as a workbook holds them; None if missing."""
    column = table.columns[feature]
    if isinstance(column, Ordered) and is_time(column):
        missing = missing_cells(column)
        ticks = column.values.view(np.int64).tolist()
        return [
            None if gone else as_workbook_time(tick, column)
            for tick, gone in zip(ticks, missing.tolist(), strict=True)
        ]
    values = column.values.tolist()
    if isinstance(column, Ordered) and isinstance(column.scale, Ranks):
        labels = column.scale.labels
        return [None if v < 0 else plain_value(labels[int(v)]) for v in values]
    return [
        None if v is None or (isinstance(v, float) and isnan(v)) else plain_value(v) for v in values
    ]


@dataclass(slots=True)
class _Splits:
    """The sheet of thresholds and categories, which grows as formulas ask for them."""

    rows: list[list[Cell]] = field(
        default_factory=lambda: [[Bold(head) for head in ("node", "column", "branch", "value")]]
    )

    def add(self, node: int, column: ColumnSpec, words: str, values: Sequence[Any]) -> str:
        """Add values; return the name of their cells."""
        first = len(self.rows)
        for value in values:
            self.rows.append([node, column.name, words, value])
        top, bottom = (cell_name(i, 3, fixed=True) for i in (first, len(self.rows) - 1))
        return f"{_SPLITS}!{top}" + ("" if len(values) == 1 else f":{bottom}")


def _leaf_formula(
    model: AnyModel, columns: Sequence[int], splits: _Splits
) -> tuple[str, list[str]]:
    """Return the formula of the leaf, and those of the parts of the tree in other cells.

    ``{3}`` stands for the cell of the fourth column, ``{h3}`` for that of the fourth part.
    """
    tree, place = model.tree, {j: i for i, j in enumerate(columns)}
    parts: dict[int, tuple[str, int]] = {}  # the formula of each node, and how deep it is nested
    helpers: list[str] = []

    def within(formula: str, nested: int) -> tuple[str, int]:
        if nested < _MOST_NESTED and len(formula) < _LONGEST:
            return formula, nested
        helpers.append(formula)
        return f"{{h{len(helpers) - 1}}}", 0

    for node in range(tree.n_nodes - 1, -1, -1):  # children come after their parents
        split = tree.split(node)
        if split is None:
            parts[node] = str(node), 0
            continue
        *tested, last = tree.children(node).tolist()
        feature = int(tree.feature[node])
        words = describe_branches(split, model.schema)
        formula, nested = parts.pop(last)
        for branch in range(len(tested) - 1, -1, -1):
            step = BranchStep(0, node, branch, tested[branch], after_lower=True)
            column, condition = model.schema[feature], step_condition(model, step)
            test = _test(f"{{{place[feature]}}}", column, condition, node, words[branch], splits)
            yes, deep = parts.pop(tested[branch])
            formula, nested = within(formula, nested)
            if len(formula) + len(yes) > _LONGEST:
                yes, deep = within(yes, _MOST_NESTED)
            formula, nested = f"IF({test},{yes},{formula})", 1 + max(deep, nested)
        parts[node] = within(formula, nested)
    return parts[0][0], helpers


def _test(
    x: str, column: ColumnSpec, condition: Range | OneOf, node: int, words: str, splits: _Splits
) -> str:
    """Return a condition as an Excel formula."""
    if isinstance(condition, OneOf):
        return _set_test(x, column, condition, node, words, splits)
    missing = str(condition.missing).upper()
    is_known = f"ISLOGICAL({x})" if is_boolean(column) else f"ISNUMBER({x})"
    if not condition.present:
        return f"NOT({is_known})" if condition.missing else "FALSE"
    if is_boolean(column):
        low = -inf if condition.low is None else condition.low
        high = inf if condition.high is None else condition.high
        no, yes = (low < value <= high for value in (0, 1))
        held = ("TRUE" if yes else f"NOT({x})") if no else (x if yes else "FALSE")
        return f"IF({is_known},{held},{missing})"
    bounds = []
    for bound, operator in ((condition.low, ">"), (condition.high, "<=")):
        if bound == -inf:  # no cell is that small
            bounds.append("TRUE" if operator == ">" else "FALSE")
        elif bound is not None:
            assert isinstance(column, OrderedColumn)
            limit = workbook_threshold(bound, column)
            bounds.append(f"{x}{operator}{splits.add(node, column, words, [limit])}")
    held = bounds[0] if len(bounds) == 1 else f"AND({','.join(bounds)})" if bounds else "TRUE"
    return f"IF({is_known},{held},{missing})"


def _set_test(
    x: str, column: ColumnSpec, condition: OneOf, node: int, words: str, splits: _Splits
) -> str:
    missing = str(condition.missing).upper()
    values = [plain_value(v) for v in condition.values]
    if not values:
        return f"IF(ISBLANK({x}),{missing},{str(not condition.inside).upper()})"
    cells = splits.add(node, column, words, values)
    same = f"EXACT({x},{cells})" if isinstance(values[0], str) else f"({cells}={x})"
    found = f"SUMPRODUCT(--{same})"
    return f"IF(ISBLANK({x}),{missing},{found}{'>' if condition.inside else '='}0)"


def _leaves_sheet(model: AnyModel, smoothing: float) -> Sheet:
    """Return the sheet with the prediction, the probabilities and the rule of each leaf."""
    leaves, rules = model.tree.leaves().tolist(), leaf_rules(model)
    names: list[str] = []
    predicted: list[list[Cell]]
    if isinstance(model, DensityModel) or model.is_numeric:
        numbers = leaf_numbers(model)
        predicted = [[numbers[leaf]] for leaf in leaves]
    else:
        classes = [plain_value(c) for c in np.asarray(model.classes).tolist()]
        names = [f"p_{one_line(c)}" for c in classes]
        shares = node_outputs(model, smoothing)
        predicted = [[classes[model.tree.label[v]], *shares[v].tolist()] for v in leaves]
    heads = ["leaf", "prediction", *names, "rule"]
    rows: list[list[Cell]] = [[Bold(head) for head in heads]]
    for leaf, cells in zip(leaves, predicted, strict=True):
        rows.append([leaf, *cells, rules[leaf][:32_767]])
    return Sheet(_LEAVES, rows)


def _predict_sheet(
    columns: Sequence[ColumnSpec],
    formulas: Sequence[str],
    leaves: Sheet,
    filled: Sequence[Sequence[Any]] | None,
    n: int,
) -> Sheet:
    """Return the sheet with a row for each prediction; the last formula is that of the leaf."""
    wide, helpers = len(columns), len(formulas) - 1
    found = [str(head.text) for head in leaves.rows[0][1:] if isinstance(head, Bold)]
    heads = [
        *(column.name for column in columns),
        *(f"part {i + 1}" for i in range(helpers)),
        "leaf",
        *found,
    ]
    rows: list[list[Cell]] = [[Bold(head) for head in heads]]
    numbers = _column_range(0, len(leaves.rows))
    for i in range(1, n + 1):
        given = [
            blank_input(columns[j]) if filled is None else Input(filled[j][i - 1])
            for j in range(wide)
        ]
        made = [_placed(formula, i, wide) for formula in formulas]
        if filled is None and wide:  # a row of which nothing is filled in has no prediction
            used = f"{cell_name(i, 0)}:{cell_name(i, wide - 1)}"
            made[-1] = f'IF(COUNTA({used})=0,"",{made[-1]})'
        leaf = cell_name(i, wide + helpers)
        looked_up = [
            Formula(
                f'IF({leaf}="","",INDEX({_column_range(k, len(leaves.rows))},'
                f"MATCH({leaf},{numbers},0)))"
            )
            for k in range(1, len(found) + 1)
        ]
        rows.append([*given, *map(Formula, made), *looked_up])
    return Sheet("Predict", rows)


def blank_input(column: ColumnSpec) -> Input:
    """Return an empty cell to fill in; that of a column of dates shows what is typed as a date."""
    is_date = isinstance(column, OrderedColumn) and is_time(column) and not is_duration(column)
    return Input(Moment() if is_date else None)


def _column_range(column: int, rows: int) -> str:
    top, bottom = cell_name(1, column, fixed=True), cell_name(rows - 1, column, fixed=True)
    return f"{_LEAVES}!{top}:{bottom}"


def _placed(formula: str, row: int, wide: int) -> str:
    """Return a formula for a row of the sheet."""

    def name(found: re.Match[str]) -> str:
        number = int(found[2])
        return cell_name(row, number + (wide if found[1] else 0))

    return re.sub(r"\{(h?)(\d+)\}", name, formula)
