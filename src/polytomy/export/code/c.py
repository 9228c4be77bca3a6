"""A tree or an ensemble as a C header: C99 or C++, with no needs but the standard library."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import inf
from textwrap import wrap
from typing import Any

import numpy as np

from polytomy._errors import ParameterError, TreeError
from polytomy._text import one_line
from polytomy.density import DensityModel
from polytomy.encode import ColumnSpec, OrderedColumn, Schema
from polytomy.ensemble import Ensemble
from polytomy.export.links import link_of
from polytomy.export.outputs import (
    leaf_numbers,
    node_outputs,
    predicts_numbers,
    refuse_probabilities,
)
from polytomy.export.phrasing import AnyModel, Range, SchemaTree, is_duration
from polytomy.model import Model
from polytomy.table import Times

from .conditions import (
    OneOf,
    caution,
    ensemble_title,
    is_boolean,
    is_labelled,
    leaf_rules,
    leaf_support,
    plain_value,
    refuse_leaves,
    refuse_own_splits,
    result_of,
    split_columns,
    step_condition,
    title_of,
    values_of,
)
from .decision_list import BranchStep, block_lines, decision_list
from .names import unique_identifiers
from .times import last_tick
from .vote_sum import VoteSum, vote_sum

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
        "max min minor near noreturn offsetof small stderr stdin stdout unix "
        "math_errhandling h_errno d_fileno h_addr s_addr cdecl pascal huge in out optional hyper",
    )
)
_POSIX = re.compile(r"(s6|sa|sched|si|sigev|st)_\w*")  # names that POSIX headers may define

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


# The bodies of functions from votes to probabilities, in the order of the classes.
_LINKS = {
    "shares": """\
    double total = 0.0;
    int k;
    for (k = 0; k < {n}; ++k) {{
        total += p[k];
    }}
    for (k = 0; k < {n}; ++k) {{
        p[k] /= total;
    }}
""",
    "logistic": """\
    const double small = exp(-2.0 * fabs(p[0]));
    const double low = small / (1.0 + small), high = 1.0 / (1.0 + small);
    const int yes = p[0] > 0.0;
    p[0] = yes ? low : high;
    p[1] = yes ? high : low;
""",
    "softmax": """\
    double top = p[0], total = 0.0;
    int k;
    for (k = 1; k < {n}; ++k) {{
        top = p[k] > top ? p[k] : top;
    }}
    for (k = 0; k < {n}; ++k) {{
        p[k] = exp(p[k] - top);
        total += p[k];
    }}
    for (k = 0; k < {n}; ++k) {{
        p[k] /= total;
    }}
""",
}
_LOG_LOGISTIC = """\
    int at;
    for (at = 0; at < {n}; ++at) {{
        const double f = 2.0 * p[at];
        p[at] = (f < 0.0 ? f : 0.0) - log1p(exp(-fabs(f)));
    }}
    {{
"""


def to_c(
    model: AnyModel | Ensemble,
    name: str = "polytomy_predict",
    *,
    proba: bool = False,
    leaf: bool = False,
    rule: bool = False,
    smoothing: float = 0.0,
) -> str:
    """Return a model as a self-contained header that is valid C99 and C++.

    A row is a struct with a field for each column that the model splits on: a double for numbers
    and booleans (NAN if missing), an int64_t number of ticks for times (INT64_MIN if missing), and
    an int for categories and ordered labels: the result of ``<name>_<column>_code(value)``, -1 if
    missing, -2 for a value that is not in the training table. The function returns the number of
    the class, whose name is ``<name>_class_name(number)``, or a double: the number for a numeric
    target, or the log-density of the row's box for a density tree.

    For an ensemble there is also ``<name>_votes(row, votes)``, which writes the votes of each
    output.

    Parameters
    ----------
    model : Model, DensityModel or Ensemble
        The model to export.
    name : str, default="polytomy_predict"
        The name of the function, and the prefix of all other names in the header.
    proba : bool, default=False
        Whether to add ``<name>_proba(row, probabilities)``, which writes the probability of each
        class. Not for a numeric target.
    leaf : bool, default=False
        Whether to add ``<name>_leaf(row)``, the number of a row's leaf. For single trees.
    rule : bool, default=False
        Whether to add ``<name>_rule(row)``, the conditions of a row's leaf in words. For single
        trees.
    smoothing : float, default=0.0
        Weight added to each class for the probabilities, as in ``predict_proba``. Not to honest
        shares.

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
        if (row->petal_width_cm <= 1.75 || isnan(row->petal_width_cm)) {
            return 1; /* 1: 88% (91% of 54 training rows) */
        }
        return 2; /* 2: 95% (98% of 46 training rows) */
    }
    """
    if not is_c_name(name):
        raise ParameterError(f"name must be a valid C identifier, got {name!r}")
    if isinstance(model, Ensemble):
        refuse_leaves(leaf=leaf, rule=rule)
        return _ensemble_header(model, name, proba)
    refuse_own_splits(model, "C")
    named = field_names(model.schema, split_columns(model))
    more = "\n * ".join(["", *wrap(caution(model).removesuffix("."), 96)])
    result = f"the {result_of(model)}{'.' if more else ''}{more}"
    is_number = isinstance(model, DensityModel) or model.is_numeric
    results, kind = _results(model), "double" if predicts_numbers(model) else "int"
    functions = [_function(model, f"{kind} {name}", name, named, results)]
    if proba:
        refuse_probabilities(model, "proba")
        assert isinstance(model, Model)
        functions.append(_shares_function(model, name, named, smoothing))
    if leaf:
        numbers = {v: f"{v};" for v in results}
        functions.append(_function(model, f"int {name}_leaf", name, named, numbers))
    if rule:
        words = leaf_rules(model)
        rules = {v: f"{c_string(words[v], 'a rule')};" for v in results}
        functions.append(_function(model, f"const char *{name}_rule", name, named, rules))
    parts = [
        *_declarations(model.schema, named, name, title_of(model), None if is_number else result),
        *([] if is_number else [_class_names(model.classes, name)]),
        *_lookups(model.schema, named, name),
        *_set_tables(model, name),
        *functions,
    ]
    if is_number:
        parts[0] = _head(title_of(model), name, result)
    return _header(parts, name)


def _head(title: str, name: str, result: str) -> str:
    return _HEAD.format(title=title, name=name, guard=_guard(name), result=result)


def _guard(name: str) -> str:
    return f"{name.upper()}_H"


def _header(parts: Sequence[str], name: str) -> str:
    return "\n\n".join([*parts, f"#endif /* {_guard(name)} */"]) + "\n"


def _declarations(
    schema: Schema, named: dict[int, str], name: str, title: str, result: str | None
) -> list[str]:
    """Return the head and the struct of a row; ``result`` is None if it is the class."""
    fields = [_field(schema[j], field, name) for j, field in named.items()]
    return [
        _head(title, name, result or _CLASS_RESULT.format(name=name)),
        "\n".join(["typedef struct {", *(fields or ["    char none;"]), f"}} {name}_row;"]),
    ]


def _lookups(schema: Schema, named: dict[int, str], name: str) -> list[str]:
    """Return the functions from the values of categories and labels to codes, and back."""
    labelled = [(schema[j], f"{name}_{n}") for j, n in named.items() if is_labelled(schema[j])]
    return [
        *(_code_function(column, prefix) for column, prefix in labelled),
        *(_name_function(column, prefix) for column, prefix in labelled),
    ]


def _ensemble_header(model: Ensemble, name: str, proba: bool) -> str:
    summed = vote_sum(model, "C")
    named = field_names(model.schema, split_columns(*summed.trees))
    result = "the predicted number" if model.is_numeric else None
    parts = [
        *_declarations(model.schema, named, name, ensemble_title(model), result),
        *([] if model.is_numeric else [_class_names(model.classes, name)]),
        *_lookups(model.schema, named, name),
    ]
    for t, tree in enumerate(summed.trees, 1):
        prefix = f"{name}_tree_{t}"
        scores = {
            leaf: " ".join(
                f"votes[{k}] += {c_number(x)};" for k, x in enumerate(tree.scores[leaf].tolist())
            )
            + " return;"
            for leaf in tree.tree.leaves().tolist()
        }
        body = block_lines(tree.tree, _tester(tree, prefix, named), scores.__getitem__, "}")
        taken = f"const {name}_row *row, double *votes"
        parts += _set_tables(tree, prefix)
        parts.append("\n".join([f"static inline void {prefix}({taken}) {{", *body, "}"]))
    parts += [_votes_function(summed, name), _ensemble_function(model, name)]
    if proba:
        if model.is_numeric:
            raise ParameterError("proba is for classifiers: this model predicts a number")
        parts.append(_link_function(model, name))
    return _header(parts, name)


def _votes_function(summed: VoteSum, name: str) -> str:
    starts = [f"    votes[{k}] = {c_number(x)};" for k, x in enumerate(summed.start.tolist())]
    calls = [f"    {name}_tree_{t}(row, votes);" for t in range(1, len(summed.trees) + 1)]
    head = f"static inline void {name}_votes(const {name}_row *row, double *votes) {{"
    return "\n".join([head, *((calls and []) or ["    (void)row;"]), *starts, *calls, "}"])


def _ensemble_function(model: Ensemble, name: str) -> str:
    n = model.n_outputs
    kind = "double" if model.is_numeric else "int"
    lines = [
        f"static inline {kind} {name}(const {name}_row *row) {{",
        f"    double votes[{n}];",
        *([] if n == 1 else ["    int best = 0, k;"]),
        f"    {name}_votes(row, votes);",
    ]
    if model.scale is not None:
        centre, unit = c_number(model.scale.centre), c_number(model.scale.unit)
        lines.append(f"    return {centre} + {unit} * (votes[0] / {float(len(model))});")
    elif n == 1:
        lines.append("    return votes[0] > 0.0;")
    else:
        lines += [
            f"    for (k = 1; k < {n}; ++k) {{",
            "        best = votes[k] > votes[best] ? k : best;",
            "    }",
            "    return best;",
        ]
    return "\n".join([*lines, "}"])


def _link_function(model: Ensemble, name: str) -> str:
    n, link = len(model.classes), link_of(model)
    body = _LINKS.get(link, _LINKS["softmax"])
    if link == "logistic-shares":
        inner = "".join(f"    {line}\n" for line in body.splitlines())
        body = _LOG_LOGISTIC + inner + "    }}\n"
    head = f"static inline void {name}_proba(const {name}_row *row, double *p) {{"
    return "\n".join([head, _votes_call(name, body.format(n=n)), "}"])


def _votes_call(name: str, body: str) -> str:
    """Return a body with the call that computes the votes after its declarations."""
    return f"    {name}_votes(row, p);\n{body.rstrip()}"


def _shares_function(model: Model, name: str, named: dict[int, str], smoothing: float) -> str:
    shares = node_outputs(model, smoothing)
    results = {
        leaf: " ".join(f"p[{k}] = {x!r};" for k, x in enumerate(shares[leaf].tolist())) + " return;"
        for leaf in model.tree.leaves().tolist()
    }
    lines = [f"static inline void {name}_proba(const {name}_row *row, double *p) {{"]
    if model.tree.n_nodes == 1:
        lines.append("    (void)row;")
    body = block_lines(model.tree, _tester(model, name, named), results.__getitem__, "}")
    return "\n".join([*lines, *body, "}"])


def _class_names(given: Any, name: str) -> str:
    classes = [c_string(str(c), "the target") for c in np.asarray(given).tolist()]
    rows = ",\n".join(f"        {c}" for c in classes)
    return (
        f"enum {{ {name}_n_classes = {len(classes)} }};\n\n"
        f"static inline const char *{name}_class_name(int number) {{\n"
        f"    static const char *const names[] = {{\n{rows}}};\n"
        f"    return number >= 0 && number < {len(classes)} ? names[number] : NULL;\n}}"
    )


def _function(
    model: SchemaTree, declared: str, prefix: str, named: dict[int, str], results: dict[int, str]
) -> str:
    """Return a function of a row; ``results`` are the values of the leaves with a semicolon."""
    lines = [f"static inline {declared}(const {prefix}_row *row) {{"]
    if model.tree.n_nodes == 1:
        lines.append("    (void)row;")
    test = _tester(model, prefix, named)
    body = block_lines(model.tree, test, lambda leaf: f"return {results[leaf]}", "}")
    return "\n".join([*lines, *body, "}"])


def _tester(model: SchemaTree, prefix: str, named: dict[int, str]) -> Callable[[BranchStep], str]:
    """Return a function from a step to the line that opens its block."""

    def test(step: BranchStep) -> str:
        feature = int(model.tree.feature[step.node])
        condition = step_condition(model, step)
        column, cell = model.schema[feature], f"row->{named[feature]}"
        return f"if ({_condition(cell, column, condition, _table_name(prefix, step))}) {{"

    return test


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


def _set_tables(model: SchemaTree, name: str) -> Iterator[str]:
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
    if re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name) is None or _POSIX.fullmatch(name):
        return False
    return name not in _RESERVED


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
