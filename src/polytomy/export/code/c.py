"""A tree as a C header: C99 or C++, without dependencies besides the standard library."""

import re
from collections.abc import Iterable, Iterator, Sequence
from math import inf
from textwrap import wrap
from typing import Any

import numpy as np

from polytomy._errors import ParameterError, TreeError
from polytomy._text import one_line
from polytomy.density import DensityModel
from polytomy.encode import ColumnSpec, OrderedColumn, Schema
from polytomy.export.outputs import leaf_numbers, predicts_numbers
from polytomy.export.phrasing import AnyModel, Range, is_duration
from polytomy.model import Model
from polytomy.table import Times

from .conditions import (
    OneOf,
    branch_condition,
    caution,
    is_boolean,
    is_labelled,
    leaf_support,
    plain_value,
    refuse_own_splits,
    result_of,
    split_columns,
    title_of,
    values_of,
)
from .decision_list import BranchStep, decision_list
from .names import unique_identifiers
from .times import last_tick

_LONGEST_STRING = 4095  # bytes; C99 guarantees no more
_MOST_RUNS = 6  # runs of consecutive codes in a condition; more are looked up in a table
_LAST = 2**63 - 1
_PER_ROW = 16  # numbers in a row of an array

# Keywords of C and C++, and lower-case macros of common headers and compilers.
_RESERVED = frozenset(
    re.findall(
        r"\w+",
        "alignas alignof and and_eq asm atomic_cancel atomic_commit atomic_noexcept auto bitand "
        "bitor bool break case catch char char8_t char16_t char32_t class co_await co_return "
        "co_yield compl complex concept const const_cast consteval constexpr constinit continue "
        "decltype default delete do double dynamic_cast else enum explicit export extern false "
        "float for friend goto if imaginary inline int long mutable namespace new noexcept not "
        "not_eq nullptr operator or or_eq private protected public reflexpr register "
        "reinterpret_cast requires restrict return short signed sizeof static static_assert "
        "static_cast struct switch synchronized template this thread_local throw true try "
        "typedef typeid typename typeof typeof_unqual union unsigned using virtual void "
        "volatile wchar_t while xor xor_eq assert errno far i386 interface linux major makedev "
        "max min minor near noreturn offsetof small stderr stdin stdout unix ",
    )
)

_HEAD = """\
/* {title}. C99 or C++.
 * Fill a {name}_row, call {name}(&row): it returns {result}. */
#ifndef {guard}
#define {guard}

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/* Numbers must be compared as doubles, and NAN must be distinguishable. */
#if defined(__FAST_MATH__) || (defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD == 2)
#error "{name} needs plain doubles: compile without -ffast-math, with -msse2 -mfpmath=sse"
#endif"""
_CLASS_RESULT = """\
the number of the class;
 * {name}_class_name(number) returns its name"""


def to_c(model: AnyModel, name: str = "polytomy_predict") -> str:
    """Return a model's tree as a self-contained header that is valid C99 and C++.

    A row is a struct with a field for each column that the tree splits on: a double for numbers and
    booleans (NAN if missing), an int64_t number of ticks for times (INT64_MIN if missing), and an
    int for categories and ordered labels: the result of ``<name>_<column>_code(value)``, -1 if
    missing, -2 for a value that is not in the training table. The function returns the number of
    the class, whose name is ``<name>_class_name(number)``, or a double: the number for a numeric
    target, or the log-density of the row's box for a density tree.

    Parameters
    ----------
    model : Model or DensityModel
        The model to export.
    name : str, default="polytomy_predict"
        The name of the function, and the prefix of all other names in the header.

    Returns
    -------
    str
        The header.

    Raises
    ------
    TreeError
        If the tree has a user-defined split, or values that C cannot represent.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from polytomy import TreeClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> header = to_c(TreeClassifier(max_leaves=3).fit(X, y)._model, "iris")
    >>> print(header[header.index("static inline int iris(") : header.rindex("#endif") - 2])
    static inline int iris(const iris_row *row) {
        if (row->petal_length_cm <= 2.45) {
            return 0; /* 0: 98% (100% of 50 training rows) */
        }
        if (row->petal_width_cm > 1.75) {
            return 2; /* 2: 95% (98% of 46 training rows) */
        }
        return 1; /* 1: 88% (91% of 54 training rows) */
    }
    """
    refuse_own_splits(model, "C")
    if not is_c_name(name):
        raise ParameterError(f"name must be a valid C identifier, got {name!r}")
    schema, columns = model.schema, split_columns(model)
    named = field_names(schema, columns)
    guard = f"{name.upper()}_H"
    fields = [_field(schema[j], named[j], name) for j in columns]
    labelled = [j for j in columns if is_labelled(schema[j])]
    more = "\n * ".join(["", *wrap(caution(model).removesuffix("."), 96)])
    result, names = f"the {result_of(model)}{'.' if more else ''}{more}", []
    if not isinstance(model, DensityModel) and not model.is_numeric:
        result, names = _CLASS_RESULT.format(name=name), [_class_names(model, name)]
    parts = [
        _HEAD.format(title=title_of(model), name=name, guard=guard, result=result),
        "\n".join(["typedef struct {", *(fields or ["    char none;"]), f"}} {name}_row;"]),
        *names,
        *(_code_function(schema[j], f"{name}_{named[j]}") for j in labelled),
        *(_name_function(schema[j], f"{name}_{named[j]}") for j in labelled),
        *_set_tables(model, name),
        _function(model, name, named),
        f"#endif /* {guard} */",
    ]
    return "\n\n".join(parts) + "\n"


def _class_names(model: Model, name: str) -> str:
    classes = [c_string(str(c), "the target") for c in np.asarray(model.classes).tolist()]
    rows = ",\n".join(f"        {c}" for c in classes)
    return (
        f"enum {{ {name}_n_classes = {len(classes)} }};\n\n"
        f"static inline const char *{name}_class_name(int number) {{\n"
        f"    static const char *const names[] = {{\n{rows}}};\n"
        f"    return number >= 0 && number < {len(classes)} ? names[number] : NULL;\n}}"
    )


def _function(model: AnyModel, name: str, named: dict[int, str]) -> str:
    kind = "double" if predicts_numbers(model) else "int"
    lines = [f"static inline {kind} {name}(const {name}_row *row) {{"]
    if model.tree.n_nodes == 1:
        lines.append("    (void)row;")
    open_to, results = 0, _results(model)
    for step in decision_list(model.tree):
        lines += ["    " * (at + 1) + "}" for at in range(open_to - 1, step.indent - 1, -1)]
        open_to = step.indent
        margin = "    " * (step.indent + 1)
        if isinstance(step, BranchStep):
            feature = int(model.tree.feature[step.node])
            condition = branch_condition(model, step.node, step.branch)
            column, cell = model.schema[feature], f"row->{named[feature]}"
            tested = _condition(cell, column, condition, _table_name(name, step))
            lines.append(f"{margin}if ({tested}) {{")
            open_to += 1
        else:
            lines.append(f"{margin}return {results[step.leaf]}")
    return "\n".join([*lines, "}"])


def _results(model: AnyModel) -> dict[int, str]:
    """Return the result of each leaf, and a comment on it."""
    supports = {leaf: leaf_support(model, leaf) for leaf in model.tree.leaves().tolist()}
    if isinstance(model, DensityModel) or model.is_numeric:
        numbers = leaf_numbers(model)
        return {leaf: f"{c_number(numbers[leaf])}; {c_comment(s)}" for leaf, s in supports.items()}
    labels = {leaf: int(model.tree.label[leaf]) for leaf in supports}
    return {
        leaf: f"{label}; {c_comment(f'{model.class_names[label]}: {supports[leaf]}')}"
        for leaf, label in labels.items()
    }


def _field(column: ColumnSpec, named: str, name: str) -> str:
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


def _code_function(column: ColumnSpec, name: str) -> str:
    """Return a C function from a value to its code, by binary search."""
    kind, values = _typed(column)
    order = sorted(range(len(values)), key=values.__getitem__)
    listed = ",\n".join(f"        {_literal(kind, values[i], column)}" for i in order)
    codes = _array_rows(order)
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


_C_TYPES: dict[type, str] = {int: "int64_t", float: "double"}


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


def c_number(x: float) -> str:
    """Return a double as the shortest decimal that is equal to it."""
    if x in (inf, -inf):
        return "INFINITY" if x > 0 else "-INFINITY"
    return repr(x)


def _array_rows(numbers: Iterable[int]) -> str:
    """Return the rows of an array of numbers."""
    items = list(map(str, numbers))
    rows = [", ".join(items[i : i + _PER_ROW]) for i in range(0, len(items), _PER_ROW)]
    return ",\n".join(f"        {row}" for row in rows)


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


def _set_tables(model: AnyModel, name: str) -> Iterator[str]:
    """Yield a function with a lookup table for each set of codes with too many runs."""
    for step in decision_list(model.tree):
        if not isinstance(step, BranchStep):
            continue
        condition = branch_condition(model, step.node, step.branch)
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
        f"    static const unsigned char bits[] = {{\n{_array_rows(data)}}};\n"
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


def is_c_name(name: str) -> bool:
    """Return whether a name is a valid identifier in C and in C++."""
    return re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name) is not None and name not in _RESERVED


def field_names(schema: Schema, columns: Sequence[int]) -> dict[int, str]:
    """Return the name of each column's field, in lower case."""
    return unique_identifiers(schema, columns, is_c_name, {"row", "class", "n"}, lower=True)


def c_string(text: str, what: str) -> str:
    r"""Return text as a string literal of UTF-8 bytes.

    >>> print(c_string('é"?', "x"))
    "\303\251\"\?"
    """
    try:
        data = text.encode()
    except UnicodeEncodeError:
        data = b"\0"
    if b"\0" in data or len(data) > _LONGEST_STRING:
        raise TreeError(
            f"{what} has the value {one_line(text)[:60]!r}, which a C string literal cannot hold; "
            "replace it before growing the tree"
        )
    return '"' + "".join(map(_escaped, data)) + '"'


def c_comment(text: str) -> str:
    """Return text as a C comment that cannot end early."""
    safe = one_line(text).replace("*/", "* /").replace("/*", "/ *").replace("??/", "? ?/")
    safe = "".join(c if " " <= c <= "~" else f"U+{ord(c):04X}" for c in safe)
    return f"/* {safe.rstrip(chr(92))} */"


def _escaped(byte: int) -> str:
    char = chr(byte)
    if char in '"\\?':  # ? may begin a trigraph
        return "\\" + char
    return char if " " <= char <= "~" else f"\\{byte:03o}"
