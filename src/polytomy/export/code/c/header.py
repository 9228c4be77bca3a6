"""A tree or an ensemble as a C header: C99 or C++, with no needs but the standard library."""

from collections.abc import Sequence
from textwrap import wrap
from typing import Any

import numpy as np

from polytomy._errors import ParameterError
from polytomy.density import DensityModel
from polytomy.encode import Schema
from polytomy.ensemble import Ensemble
from polytomy.export.code.conditions import (
    caution,
    ensemble_title,
    leaf_rules,
    leaf_support,
    refuse_leaves,
    refuse_own_splits,
    result_of,
    split_columns,
    title_of,
)
from polytomy.export.code.decision_list import block_lines
from polytomy.export.code.vote_sum import VoteSum, vote_sum
from polytomy.export.links import ONE_VOTE, link_of
from polytomy.export.outputs import (
    leaf_numbers,
    node_outputs,
    predicts_numbers,
    refuse_probabilities,
)
from polytomy.export.phrasing import AnyModel, SchemaTree
from polytomy.model import Model

from .columns import code_lookups, row_field, set_tables, step_tester
from .lexis import c_comment, c_number, c_string, field_names, is_c_name

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
        *_declarations(model.schema, named, name, title_of(model), result if is_number else None),
        *(
            []
            if isinstance(model, DensityModel) or model.is_numeric
            else [_class_names(model.classes, name)]
        ),
        *code_lookups(model.schema, named, name),
        *set_tables(model, name),
        *functions,
    ]
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
    fields = [row_field(schema[j], field, name) for j, field in named.items()]
    return [
        _head(title, name, result or _CLASS_RESULT.format(name=name)),
        "\n".join(["typedef struct {", *(fields or ["    char none;"]), f"}} {name}_row;"]),
    ]


def _ensemble_header(model: Ensemble, name: str, proba: bool) -> str:
    summed = vote_sum(model, "C")
    named = field_names(model.schema, split_columns(*summed.trees))
    result = "the predicted number" if model.is_numeric else None
    parts = [
        *_declarations(model.schema, named, name, ensemble_title(model), result),
        *([] if model.is_numeric else [_class_names(model.classes, name)]),
        *code_lookups(model.schema, named, name),
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
        body = block_lines(tree.tree, step_tester(tree, prefix, named), scores.__getitem__, "}")
        taken = f"const {name}_row *row, double *votes"
        parts += set_tables(tree, prefix)
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
    n, is_one = model.n_outputs, link_of(model) in ONE_VOTE
    kind = "double" if model.is_numeric else "int"
    lines = [
        f"static inline {kind} {name}(const {name}_row *row) {{",
        f"    double votes[{n}];",
        *([] if is_one else ["    int best = 0, k;"]),
        f"    {name}_votes(row, votes);",
    ]
    if model.scale is not None:
        centre, unit = c_number(model.scale.centre), c_number(model.scale.unit)
        lines.append(f"    return {centre} + {unit} * (votes[0] / {float(len(model))});")
    elif is_one:
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
    return "\n".join([head, f"    {name}_votes(row, p);", body.format(n=n).rstrip(), "}"])


def _shares_function(model: Model, name: str, named: dict[int, str], smoothing: float) -> str:
    shares = node_outputs(model, smoothing)
    results = {
        leaf: " ".join(f"p[{k}] = {x!r};" for k, x in enumerate(shares[leaf].tolist())) + " return;"
        for leaf in model.tree.leaves().tolist()
    }
    lines = [f"static inline void {name}_proba(const {name}_row *row, double *p) {{"]
    if model.tree.n_nodes == 1:
        lines.append("    (void)row;")
    body = block_lines(model.tree, step_tester(model, name, named), results.__getitem__, "}")
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
    test = step_tester(model, prefix, named)
    body = block_lines(model.tree, test, lambda leaf: f"return {results[leaf]}", "}")
    return "\n".join([*lines, *body, "}"])


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
