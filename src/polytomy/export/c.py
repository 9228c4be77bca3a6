"""A tree as a C header: C99 or C++, no library but the standard one."""

import numpy as np

from polytomy._errors import ParameterError
from polytomy.model import Model

from .branch_test import asked_columns, branch_test, is_labelled, refuse_own_questions
from .c_columns import code_function, field, name_function
from .c_names import c_comment, c_string, field_names, is_c_name
from .c_test import c_test, set_tables
from .ladder import Rung, ladder

_HEAD = """\
/* A decision tree of {leaves} leaves, written by polytomy. C99 or C++.
 * Fill a {name}_row, call {name}(&row): it returns the number of the class, and
 * {name}_class_name(number) says which that is. */
#ifndef {guard}
#define {guard}

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/* Numbers must be compared as doubles, and NAN must be told from numbers. */
#if defined(__FAST_MATH__) || (defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD == 2)
#error "{name} needs plain doubles: compile without -ffast-math, with -msse2 -mfpmath=sse"
#endif"""


def to_c(model: Model, name: str = "polytomy_predict") -> str:
    """Return a model's tree as a self-contained C99 header, which is C++ too.

    A row is a struct with a field for each column the tree asks about: a double for numbers and
    booleans (NAN is missing), an int64_t of ticks for times (INT64_MIN is missing), and an int for
    categories and labels in order: what ``<name>_<column>_code(value)`` returns, -1 is missing and
    -2 a value the training table did not have.

    Parameters
    ----------
    model : Model
        What to write.
    name : str
        The function's name, and the beginning of every other name in the header.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from polytomy import TreeClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> header = to_c(TreeClassifier(max_leaves=3).fit(X, y)._model, "iris")
    >>> print(header[header.index("static inline int iris(") : header.rindex("#endif") - 2])
    static inline int iris(const iris_row *row) {
        if (row->petal_length_cm <= 2.45) {
            return 0; /* 0: 100% of 50 rows */
        }
        if (row->petal_width_cm > 1.75) {
            return 2; /* 2: 98% of 46 rows */
        }
        return 1; /* 1: 91% of 54 rows */
    }
    """
    refuse_own_questions(model, "C")
    if not is_c_name(name):
        raise ParameterError(f"name must be a plain C name, got {name!r}")
    schema, columns = model.schema, asked_columns(model)
    named = field_names(schema, columns)
    guard = f"{name.upper()}_H"
    fields = [field(schema[j], named[j], name) for j in columns]
    labelled = [j for j in columns if is_labelled(schema[j])]
    parts = [
        _HEAD.format(leaves=model.tree.n_leaves, name=name, guard=guard),
        "\n".join(["typedef struct {", *(fields or ["    char none;"]), f"}} {name}_row;"]),
        _class_names(model, name),
        *(code_function(schema[j], f"{name}_{named[j]}") for j in labelled),
        *(name_function(schema[j], f"{name}_{named[j]}") for j in labelled),
        *set_tables(model, name),
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


def _function(model: Model, name: str, named: dict[int, str]) -> str:
    lines = [f"static inline int {name}(const {name}_row *row) {{"]
    if model.tree.n_nodes == 1:
        lines.append("    (void)row;")
    open_to, names = 0, model.class_names
    for step in ladder(model.tree):
        lines += ["    " * (at + 1) + "}" for at in range(open_to - 1, step.indent - 1, -1)]
        open_to = step.indent
        margin = "    " * (step.indent + 1)
        if isinstance(step, Rung):
            feature = int(model.tree.feature[step.node])
            test = branch_test(model, step.node, step.branch)
            asked = c_test(f"row->{named[feature]}", model.schema[feature], test, (name, step))
            lines.append(f"{margin}if ({asked}) {{")
            open_to += 1
        else:
            lines.append(f"{margin}return {_result(model, step.leaf, names)}")
    return "\n".join([*lines, "}"])


def _result(model: Model, leaf: int, names: list[str]) -> str:
    tree = model.tree
    label = int(tree.label[leaf])
    share = tree.counts[leaf, label] / tree.counts[leaf].sum()
    said = c_comment(f"{names[label]}: {share:.0%} of {tree.rows[leaf]} rows")
    return f"{label}; {said}"
