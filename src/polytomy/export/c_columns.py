"""The columns of a row in C: a field each, and codes for categories and labels in order."""

from typing import Any

from polytomy._errors import TreeError
from polytomy.encode import ColumnSpec, OrderedColumn
from polytomy.table import Times

from .branch_test import is_labelled, is_yes_no, plain_value, values_of
from .c_names import c_comment, c_string


def field(column: ColumnSpec, named: str, name: str) -> str:
    """Return the declaration of a column's field, with what it holds."""
    if is_labelled(column):
        what = f"{column.name!r}: {name}_{named}_code(value), -1 missing, -2 not known"
        return f"    int {named}; {c_comment(what)}"
    assert isinstance(column, OrderedColumn)
    if isinstance(column.scale, Times):
        since = " since 1970-01-01" if column.scale.dtype.startswith("datetime") else ""
        utc = " UTC" if column.scale.zone else ""
        what = f"{column.name!r}: ticks of {column.scale.dtype}{since}{utc}, INT64_MIN missing"
        return f"    int64_t {named}; {c_comment(what)}"
    what = f"{column.name!r}: {'1 yes, 0 no, ' if is_yes_no(column) else ''}NAN missing"
    return f"    double {named}; {c_comment(what)}"


def code_function(column: ColumnSpec, name: str) -> str:
    """Return a function from a value to its code: a search in the sorted values."""
    kind, values = _typed(column)
    order = sorted(range(len(values)), key=values.__getitem__)
    listed = ",\n".join(f"        {_literal(kind, values[i], column)}" for i in order)
    codes = _wrapped([str(i) for i in order])
    taken = "const char *value" if kind is str else f"{_C_TYPES[kind]} value"
    held = "const char *const" if kind is str else f"const {_C_TYPES[kind]}"
    gone = {str: "if (value == NULL) {", float: "if (value != value) {"}.get(kind)
    lines = [
        f"static inline int {name}_code({taken}) {{",
        f"    static {held} values[] = {{\n{listed}}};",
        f"    static const int codes[] = {{\n{codes}}};",
        f"    int low = 0, high = {len(values)};",
        *((f"    {gone}", "        return -1;", "    }") if gone else ()),
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


def name_function(column: ColumnSpec, name: str) -> str:
    """Return a function from a code to its value as text, for reading."""
    _, values = _typed(column)
    what = f"column {column.name!r}"
    listed = ",\n".join(f"        {c_string(str(v), what)}" for v in values)
    return (
        f"static inline const char *{name}_name(int code) {{\n"
        f"    static const char *const names[] = {{\n{listed}}};\n"
        f"    return code >= 0 && code < {len(values)} ? names[code] : NULL;\n}}"
    )


_C_TYPES: dict[type, str] = {int: "int64_t", float: "double"}


def _typed(column: ColumnSpec) -> tuple[type, list[Any]]:
    """Return the type of a column's values in C, and the values: text, int64_t or double."""
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
        f"column {column.name!r} has {named} values, which have no one type in C; turn them into "
        "text before growing the tree"
    )


def _literal(kind: type, value: Any, column: ColumnSpec) -> str:
    if kind is str:
        return c_string(value, f"column {column.name!r}")
    return f"INT64_C({value})" if kind is int else c_number(value)


def c_number(x: float) -> str:
    """Return a double as the shortest decimal that is it."""
    if x in (float("inf"), float("-inf")):
        return "INFINITY" if x > 0 else "-INFINITY"
    return repr(x)


def _wrapped(items: list[str], each: int = 16) -> str:
    rows = [", ".join(items[i : i + each]) for i in range(0, len(items), each)]
    return ",\n".join(f"        {row}" for row in rows)
