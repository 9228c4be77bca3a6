"""A tree as a workbook: formulas that find the leaf of each row, and look up what it predicts."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf, isnan
from typing import Any

import numpy as np

from polytomy._errors import ParameterError, TreeError
from polytomy._numbers import is_integer
from polytomy._text import one_line
from polytomy.density import DensityModel
from polytomy.encode import ColumnSpec, OrderedColumn
from polytomy.table import Ordered, Ranks, Table, Times

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
from .xlsx import Bold, Cell, Formula, Input, Sheet, cell_name, workbook

_MOST_NESTED = 50  # Excel nests 64 functions, and a test may use a few
_LONGEST = 4_000  # characters of a formula; Excel allows 8,192, and names of cells may grow
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
    for j in columns:
        refuse_times(model.schema[j])
    splits = _Splits()
    leaf, helpers = _leaf_formula(model, columns, splits)
    leaves = _leaves_sheet(model, smoothing)
    filled = None if table is None else [plain_cells(table, j) for j in columns]
    n = rows if table is None else table.n_rows
    names = [model.schema[j].name for j in columns]
    predict = _predict_sheet(names, [*helpers, leaf], leaves, filled, n)
    return workbook([predict, Sheet(_SPLITS, splits.rows), leaves])


def check_rows(rows: Any) -> None:
    """Raise an error if a number of rows to prepare is none."""
    if not is_integer(rows) or rows < 1:
        raise ParameterError(f"rows must be an integer of at least 1, got {rows!r}")


def refuse_times(column: ColumnSpec) -> None:
    """Raise an error for a column of times."""
    if isinstance(column, OrderedColumn) and isinstance(column.scale, Times):
        raise TreeError(
            f"column {column.name!r} holds times, which Excel rounds; for a workbook, fit without "
            "it, or on a number such as days"
        )


def plain_cells(table: Table, feature: int) -> list[Any]:
    """Return the cells of a column of a table as a workbook holds them; None if missing."""
    column = table.columns[feature]
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
            bounds.append(f"{x}{operator}{splits.add(node, column, words, [bound])}")
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
    names: Sequence[str],
    formulas: Sequence[str],
    leaves: Sheet,
    filled: Sequence[Sequence[Any]] | None,
    n: int,
) -> Sheet:
    """Return the sheet with a row for each prediction; the last formula is that of the leaf."""
    wide, helpers = len(names), len(formulas) - 1
    found = [str(head.text) for head in leaves.rows[0][1:] if isinstance(head, Bold)]
    heads = [*names, *(f"part {i + 1}" for i in range(helpers)), "leaf", *found]
    rows: list[list[Cell]] = [[Bold(head) for head in heads]]
    numbers = _column_range(0, len(leaves.rows))
    for i in range(1, n + 1):
        given = [Input(None if filled is None else filled[j][i - 1]) for j in range(wide)]
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


def _column_range(column: int, rows: int) -> str:
    top, bottom = cell_name(1, column, fixed=True), cell_name(rows - 1, column, fixed=True)
    return f"{_LEAVES}!{top}:{bottom}"


def _placed(formula: str, row: int, wide: int) -> str:
    """Return a formula for a row of the sheet."""

    def name(found: re.Match[str]) -> str:
        number = int(found[2])
        return cell_name(row, number + (wide if found[1] else 0))

    return re.sub(r"\{(h?)(\d+)\}", name, formula)
