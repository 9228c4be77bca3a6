"""The exported header compiles without warnings as C99 and C++ and predicts like the tree."""

import re
import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings

from polytomy import TreeClassifier
from polytomy._errors import ParameterError, TreeError
from polytomy.encode import aligned
from polytomy.export.code.c import field_names, is_c_name, to_c
from polytomy.export.code.conditions import is_labelled, plain_value, split_columns, values_of
from polytomy.predict import apply
from polytomy.table import Table, Times
from tests.export.awkward_tables import (
    TARGETS,
    asks_about,
    bushy,
    chain,
    fitted,
    fitted_to,
    nasty_frame,
    random_labels,
    with_new_values,
)
from tests.export.own_split import own_model
from tests.export.random_models import predictions, random_models

CC = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
CXX = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
needs_cc = pytest.mark.skipif(CC is None, reason="no C compiler")
needs_cxx = pytest.mark.skipif(CXX is None, reason="no C++ compiler")
STRICT = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-Wshadow", "-O0"]
MISSING, UNKNOWN = -1, -2


def literal(text):
    data = text.encode()
    return '"' + "".join(f"\\{byte:03o}" for byte in data) + '"'


def filled(model, table):
    """Return a C array of all rows: numbers, ticks, and calls that look up codes."""
    return filled_columns(model.schema, split_columns(model), table)


def filled_columns(schema, columns, table):
    named = field_names(schema, columns)
    cells = [[] for _ in range(table.n_rows)]
    for j in columns:
        column = aligned(table, schema)[j]
        name = f"polytomy_predict_{named[j]}"
        for i, row in enumerate(cells):
            row.append(_cell(schema[j], column, i, name))
    return ",\n".join("{" + ", ".join(row) + "}" for row in cells)


def _cell(spec, column, i, name):
    if is_labelled(spec):
        code = int(column[i] if isinstance(column, np.ndarray) else column.values[i])
        return "-1" if code == MISSING else f"{name}_code({_value(spec, code)})"
    value = column.values[i]
    if isinstance(spec.scale, Times):
        return "INT64_MIN" if np.isnat(value.view("M8[us]")) else f"INT64_C({value})"
    if np.isnan(value) or (column.values.dtype == np.int32 and value < 0):
        return "NAN"
    if column.values.dtype.kind == "i":
        return f"(double)INT64_C({value})"
    return repr(float(value)).replace("inf", "INFINITY")


def _value(spec, code):
    """Return the C literal of a value, or of an unknown value."""
    value = plain_value(values_of(spec)[max(code, 0)])
    if isinstance(value, str):
        return literal("never seen" if code == UNKNOWN else value)
    return str(-5 if code == UNKNOWN else value + 0)


_PRINT_CLASS = 'printf("%s%c", polytomy_predict_class_name(polytomy_predict(&rows[i])), 0);'
_PRINT_NUMBER = 'printf("%a%c", polytomy_predict(&rows[i]), 0);'
_IS_A_CLASS = "polytomy_predict_class_name(polytomy_predict_n_classes) != NULL"


_PRINT_PROBABILITIES = """double p[{n}]; int k; polytomy_predict_proba(&rows[i], p);
        for (k = 0; k < {n}; ++k) printf("%a%c", p[k], 0);"""


def run_c(header, rows, folder, compiler=CC, standard="-std=c99", proba=0, shown=None):
    """Compile a program around a header, and return the classes or numbers it prints.

    ``proba``: the number of classes whose probabilities to return instead; ``shown``: a statement
    that prints something else.
    """
    is_numeric = "polytomy_predict_class_name" not in header
    shown = shown or (_PRINT_NUMBER if is_numeric else _PRINT_CLASS)
    if proba:
        shown = _PRINT_PROBABILITIES.format(n=proba)
    (folder / "tree.h").write_text(header, encoding="utf-8")
    suffix = "c" if standard.startswith("-std=c9") else "cpp"
    source = folder / f"main.{suffix}"
    source.write_text(
        f"""#include "tree.h"
#include "tree.h"
#include <stdio.h>
int main(void) {{
    const polytomy_predict_row rows[] = {{
{rows}}};
    const int n = (int)(sizeof rows / sizeof rows[0]);
    int i;
    for (i = 0; i < n; ++i) {{
        {shown}
    }}
    return {0 if is_numeric else _IS_A_CLASS};
}}
"""
    )
    command = [compiler, standard, *STRICT, str(source), "-o", str(folder / "main"), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:2000]
    ran = subprocess.run([str(folder / "main")], capture_output=True, check=True)
    printed = ran.stdout.decode().split("\0")[:-1]
    if proba:
        return np.array([float.fromhex(x) for x in printed]).reshape(-1, proba)
    return [float.fromhex(x) for x in printed] if is_numeric else printed


@needs_cc
@pytest.mark.parametrize("target", TARGETS)
def test_c_predicts_from_every_kind_of_column(tmp_path, target):
    frame = nasty_frame(400)
    clf = fitted_to(target, frame, max_leaves=150)
    model = clf._model
    assert asks_about(model) == set(frame.columns)
    every = pd.concat([frame, with_new_values(frame, clf)])
    table = Table.of(every)
    assert run_c(to_c(model), filled(model, table), tmp_path) == clf.predict(every).tolist()


@needs_cxx
@pytest.mark.parametrize(
    ("standard", "target"),
    [("-std=c++11", "classes"), ("-std=c++20", "classes"), ("-std=c++20", "poisson")],
)
def test_c_compiles_as_cpp(tmp_path, standard, target):
    frame = nasty_frame(60)
    clf = fitted_to(target, frame)
    rows = filled(clf._model, Table.of(frame))
    predicted = run_c(to_c(clf._model), rows, tmp_path, CXX, standard)
    assert predicted == clf.predict(frame).tolist()


@needs_cc
@settings(
    max_examples=8,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(random_models(max_inner=40, or_numbers=True))
def test_c_predicts_like_random_trees(tmp_path, drawn):
    model, table, _ = drawn
    if model.tree.n_leaves == 1:
        return
    assert run_c(to_c(model), filled(model, table), tmp_path) == predictions(model, table)


@needs_cc
@pytest.mark.parametrize("cells", [[1, 2, -3, 2**60], [0.1, 0.5, 1 / 3, 2.0], [True, False]])
def test_c_compares_categories_that_are_not_text(tmp_path, cells):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"c": np.array(cells)[rng.integers(0, len(cells), 60)]})
    clf = TreeClassifier(procedure="per-leaf", categorical_features=[0]).fit(
        frame, rng.integers(0, 2, 60)
    )
    table = Table.of(frame, nominal=[0])
    predicted = run_c(to_c(clf._model), filled(clf._model, table), tmp_path)
    assert predicted == [str(c) for c in clf.predict(frame).tolist()]


@needs_cc
def test_c_looks_up_large_sets_in_tables(tmp_path):
    rng = np.random.default_rng(0)
    names = [f"c{i:03d}" for i in range(500)]
    says = dict(zip(names, rng.integers(0, 3, 500), strict=True))
    frame = pd.DataFrame({"c": names * 2})
    clf = TreeClassifier(procedure="per-leaf", max_leaves=3).fit(
        frame, [says[c] for c in frame["c"]]
    )
    every = pd.DataFrame({"c": [*names, "new", None]})
    header = to_c(clf._model)
    assert "bits[]" in header
    predicted = run_c(header, filled(clf._model, Table.of(every)), tmp_path)
    assert predicted == [str(c) for c in clf.predict(every).tolist()]


@needs_cc
def test_c_predicts_from_deep_and_large_trees(tmp_path):
    _, model = chain(5000)
    table = Table.of({"a": np.array([-1.0, 11.5, 3000.0]), "b": np.array([1e9, 1e9, 7.0])})
    expected = model.classes[model.tree.label[apply(model.tree, model.schema, table)]]
    assert run_c(to_c(model), filled(model, table), tmp_path) == expected.astype(str).tolist()
    clf, frame = bushy(1500)
    some = frame.head(50)
    predicted = run_c(to_c(clf._model), filled(clf._model, Table.of(some)), tmp_path)
    assert predicted == clf.predict(some).astype(str).tolist()


@needs_cc
def test_c_field_names_avoid_reserved_words(tmp_path):
    names = ["class", "int", "a b", "A-B", "1", "", "é", "row", "linux", "small", "*/ ??/ \\", "_x"]
    names += ["math_errhandling", "st_mtime", "x" * 300]
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.integers(0, 2, (600, len(names))), columns=names)
    clf = fitted(frame, random_labels(600), max_leaves=600)
    assert asks_about(clf._model) == set(names)
    some = frame.head(100)
    header = to_c(clf._model)
    rows = filled(clf._model, Table.of(some))
    assert run_c(header, rows, tmp_path) == clf.predict(some).tolist()
    if CXX:
        assert run_c(header, rows, tmp_path, CXX, "-std=c++17") == clf.predict(some).tolist()


@needs_cc
def test_c_predicts_from_a_single_leaf(tmp_path):
    clf = TreeClassifier(procedure="per-leaf").fit([[1.0], [2.0]], ["only", "only"])
    assert run_c(to_c(clf._model), "{0}", tmp_path) == ["only"]


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (["a", "b\0"], "a C string literal cannot hold"),
        (["a", "b" * 5000], "a C string literal cannot hold"),
        (["a", 1], "no common type in C"),
        ([2**70, 1], None),
    ],
)
def test_c_refuses_values_it_cannot_represent(cells, message):
    frame = pd.DataFrame({"c": pd.Series(cells * 3, dtype=object)})
    clf = TreeClassifier(procedure="per-leaf", categorical_features=[0]).fit(frame, [0, 1] * 3)
    if message is None:
        assert "1.1805916207174113e+21" in to_c(clf._model)  # exact as a double
        return
    with pytest.raises(TreeError, match=message):
        to_c(clf._model)


def test_c_refuses_own_splits_and_invalid_names():
    with pytest.raises(TreeError, match="user-defined split"):
        to_c(own_model())
    clf = TreeClassifier(procedure="per-leaf").fit([[1.0], [2.0]], [0, 1])
    for name in ("a b", "class", "_x", "é", "1a"):
        with pytest.raises(ParameterError, match="valid C identifier"):
            to_c(clf._model, name)


@needs_cc
def test_c_field_names_are_no_macros():
    headers = "assert complex ctype errno fenv float inttypes limits locale math setjmp signal "
    headers += "stdarg stdbool stddef stdint stdio stdlib string tgmath time wchar wctype"
    included = "".join(f"#include <{name}.h>\n" for name in headers.split())
    command = [CC, "-dM", "-E", "-x", "c", "-"]
    done = subprocess.run(command, input=included, capture_output=True, text=True, check=True)
    macros = re.findall(r"^#define ([a-z]\w*) ", done.stdout, re.M)  # those without arguments
    assert "errno" in macros
    assert [name for name in macros if is_c_name(name)] == []


_PRINT_ALL = """{ double p[3]; polytomy_predict_proba(&rows[i], p);
        printf("%a%c%a%c%a%c%d%c%s%c", p[0], 0, p[1], 0, p[2], 0,
               polytomy_predict_leaf(&rows[i]), 0, polytomy_predict_rule(&rows[i]), 0); }"""


@needs_cc
def test_c_gives_probabilities_leaves_and_rules(tmp_path):
    frame = nasty_frame(120)
    clf = fitted(frame, random_labels(120), max_leaves=12)
    header = clf.to_c(proba=True, leaf=True, rule=True)
    printed = run_c(header, filled(clf._model, Table.of(frame)), tmp_path, shown=_PRINT_ALL)
    rows = [printed[i : i + 5] for i in range(0, len(printed), 5)]
    leaves = clf.apply(frame).tolist()
    assert [[float.fromhex(x) for x in row[:3]] for row in rows] == (
        clf.predict_proba(frame).tolist()
    )
    assert [int(row[3]) for row in rows] == leaves
    rules = {rule.leaf: rule.condition for rule in clf.to_rules()}
    assert [row[4] for row in rows] == [rules[leaf] for leaf in leaves]
