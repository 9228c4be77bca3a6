"""Columns in C: the fields of a row, the codes of categories, and the conditions on them."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from polytomy._errors import TreeError
from polytomy.encode import ColumnSpec, OrderedColumn, Schema
from polytomy.export.code.conditions import (
    OneOf,
    is_boolean,
    is_labelled,
    plain_value,
    step_condition,
    values_of,
)
from polytomy.export.code.decision_list import BranchStep, decision_list
from polytomy.export.code.times import last_tick
from polytomy.export.phrasing import Range, SchemaTree, is_duration
from polytomy.table import Times

from .lexis import array_rows, c_comment, c_number, c_string

_MOST_RUNS = 6  # runs of consecutive codes in a condition; more are looked up in a table
_LAST = 2**63 - 1
_C_TYPES: dict[type, str] = {int: "int64_t", float: "double"}


def row_field(column: ColumnSpec, named: str, name: str) -> str:
    """Return the declaration of a column's field, with a comment on its values."""
    if is_labelled(column):
        what = f"{column.name!r}: {name}_{named}_code(value), -1 missing, -2 unknown"
        return f"    int {named}; {c_comment(what)}"
    assert isinstance(column, OrderedColumn)
    if isinstance(column.scale, Times):
        since = "" if is_duration(column) else " since 1970-01-01"
        utc = " UTC" if column.scale.zone else ""
        what = f"{column.name!r}: ticks of {column.scale.dtype}{since}{utc}, INT64_MIN missing"
        return f"    int64_t {named}; {c_comment(what)}"
    what = f"{column.name!r}: {'1 true, 0 false, ' if is_boolean(column) else ''}NAN missing"
    return f"    double {named}; {c_comment(what)}"


def code_lookups(schema: Schema, named: dict[int, str], name: str) -> list[str]:
    """Return the functions from the values of categories and labels to codes, and back."""
    labelled = [(schema[j], f"{name}_{n}") for j, n in named.items() if is_labelled(schema[j])]
    return [
        *(_code_function(column, prefix) for column, prefix in labelled),
        *(_name_function(column, prefix) for column, prefix in labelled),
    ]


def _code_function(column: ColumnSpec, name: str) -> str:
    """Return a C function from a value to its code, by binary search."""
    kind, values = _typed(column)
    order = sorted(range(len(values)), key=values.__getitem__)
    listed = ",\n".join(f"        {_literal(kind, values[i], column)}" for i in order)
    codes = array_rows(order)
    taken = "const char *value" if kind is str else f"{_C_TYPES[kind]} value"
    held = "const char *const" if kind is str else f"const {_C_TYPES[kind]}"
    missing = {str: "if (value == NULL) {", float: "if (value != value) {"}.get(kind)
    lines = [
        f"static inline int {name}_code({taken}) {{",
        f"    static {held} values[] = {{\n{listed}}};",
        f"    static const int codes[] = {{\n{codes}}};",
        f"    int low = 0, high = {len(values)};",
        *((f"    {missing}", "        return -1;", "    }") if missing else ()),
        "    while (low < high) {",
        "        const int middle = low + (high - low) / 2;",
    ]
    if kind is str:
        lines += [
            "        const int order = strcmp(values[middle], value);",
            "        if (order == 0) {",
        ]
    else:
        lines.append("        if (values[middle] == value) {")
    smaller = "order < 0" if kind is str else "values[middle] < value"
    lines += [
        "            return codes[middle];",
        "        }",
        f"        if ({smaller}) {{",
        "            low = middle + 1;",
        "        } else {",
        "            high = middle;",
        "        }",
        "    }",
        "    return -2;",
        "}",
    ]
    return "\n".join(lines)


def _name_function(column: ColumnSpec, name: str) -> str:
    """Return a C function from a code to its value as text."""
    _, values = _typed(column)
    what = f"column {column.name!r}"
    listed = ",\n".join(f"        {c_string(str(v), what)}" for v in values)
    return (
        f"static inline const char *{name}_name(int code) {{\n"
        f"    static const char *const names[] = {{\n{listed}}};\n"
        f"    return code >= 0 && code < {len(values)} ? names[code] : NULL;\n}}"
    )


def _typed(column: ColumnSpec) -> tuple[type, list[Any]]:
    """Return the Python type that stands for a column's type in C, and the column's values."""
    values = [plain_value(v) for v in values_of(column)]
    types = {type(v) for v in values}
    if types <= {str} and values:
        return str, values
    if types <= {int, bool} and all(-(2**63) < v < 2**63 for v in values) and values:
        return int, [int(v) for v in values]
    if types <= {float, int} and all(float(v) == v for v in values) and values:
        return float, [float(v) for v in values]
    named = " and ".join(sorted(t.__name__ for t in types)) or "no"
    raise TreeError(
        f"column {column.name!r} has {named} values, which have no common type in C; convert them "
        "to text before growing the tree"
    )


def _literal(kind: type, value: Any, column: ColumnSpec) -> str:
    if kind is str:
        return c_string(value, f"column {column.name!r}")
    return f"INT64_C({value})" if kind is int else c_number(value)


def step_tester(
    model: SchemaTree, prefix: str, named: dict[int, str]
) -> Callable[[BranchStep], str]:
    """Return a function from a step to the line that opens its block."""

    def test(step: BranchStep) -> str:
        feature = int(model.tree.feature[step.node])
        condition = step_condition(model, step)
        column, cell = model.schema[feature], f"row->{named[feature]}"
        return f"if ({_condition(cell, column, condition, _table_name(prefix, step))}) {{"

    return test


def _condition(x: str, column: ColumnSpec, condition: Range | OneOf, table: str) -> str:
    """Return a condition in C; ``table`` is the name of the function that holds a large set."""
    if isinstance(condition, OneOf):
        return _set_condition(x, column, condition, table)
    assert isinstance(column, OrderedColumn)
    timed = isinstance(column.scale, Times)
    missing = f"{x} == INT64_MIN" if timed else f"isnan({x})"
    if not condition.present:
        return missing if condition.missing else "0"
    held = _time_condition(x, column, condition) if timed else _number_condition(x, condition)
    if not condition.missing:
        return held
    return f"({held}) || {missing}" if "&&" in held else f"{held} || {missing}"


def _number_condition(x: str, condition: Range) -> str:
    """Compare numbers; every comparison with NAN is false."""
    parts = []
    if condition.low is not None:
        parts.append(f"{x} > {c_number(condition.low)}")
    if condition.high is not None:
        parts.append(f"{x} <= {c_number(condition.high)}")
    return " && ".join(parts) or f"!isnan({x})"


def _time_condition(x: str, column: OrderedColumn, condition: Range) -> str:
    """Compare ticks; INT64_MIN, which marks missing cells, is below every bound."""
    parts = []
    if condition.low is not None:
        parts.append(f"{x} > {_tick(condition.low, column)}")
    elif condition.missing:
        return "1" if condition.high is None else f"{x} <= {_tick(condition.high, column)}"
    else:
        parts.append(f"{x} != INT64_MIN")
    if condition.high is not None:
        parts.append(f"{x} <= {_tick(condition.high, column)}")
    return " && ".join(parts)


def _tick(threshold: float, column: OrderedColumn) -> str:
    tick = last_tick(threshold)
    if not -_LAST <= tick <= _LAST:
        raise TreeError(
            f"column {column.name!r} is split at a time that does not fit in int64_t; clip such "
            "times before growing the tree"
        )
    return f"INT64_C({tick})"


def _set_condition(x: str, column: ColumnSpec, condition: OneOf, table: str) -> str:
    """Compare codes; -1 is missing, and a code outside the set may be an unknown value."""
    runs = _runs(condition.codes)
    if len(runs) > _MOST_RUNS:
        among = f"{x} >= 0 && {x} < {len(values_of(column))} && {table}({x})"
    else:
        among = " || ".join(_run_condition(x, first, last) for first, last in runs)
    if condition.inside:
        if not condition.missing:
            return among or "0"
        return f"{x} == -1 || ({among})" if among else f"{x} == -1"
    outside = f"!({among})" if among else "1"
    if condition.missing:  # -1 is outside the set as well
        return outside
    return f"{x} != -1 && {outside}" if among else f"{x} != -1"


def _run_condition(x: str, first: int, last: int) -> str:
    return f"{x} == {first}" if first == last else f"({x} >= {first} && {x} <= {last})"


def set_tables(model: SchemaTree, name: str) -> Iterator[str]:
    """Yield a function with a lookup table for each set of codes with too many runs."""
    for step in decision_list(model.tree):
        if not isinstance(step, BranchStep):
            continue
        condition = step_condition(model, step)
        if isinstance(condition, OneOf) and len(_runs(condition.codes)) > _MOST_RUNS:
            column = model.schema[int(model.tree.feature[step.node])]
            yield _table(_table_name(name, step), condition.codes, len(values_of(column)))


def _table_name(name: str, step: BranchStep) -> str:
    return f"{name}_node_{step.node}_branch_{step.branch}"


def _table(name: str, codes: Iterable[int], n: int) -> str:
    """Return a C function that looks a code up in a bit map."""
    data = bytearray(n // 8 + 1)
    for code in codes:
        data[code // 8] |= 1 << code % 8
    return (
        f"static inline int {name}(int code) {{\n"
        f"    static const unsigned char bits[] = {{\n{array_rows(data)}}};\n"
        "    return (bits[code / 8] >> (code % 8)) & 1;\n}"
    )


def _runs(codes: Iterable[int]) -> list[tuple[int, int]]:
    """Return the first and last code of each run of consecutive codes."""
    runs: list[tuple[int, int]] = []
    for code in codes:
        if runs and runs[-1][1] == code - 1:
            runs[-1] = (runs[-1][0], code)
        else:
            runs.append((code, code))
    return runs
