"""Fit random small tables, and compare every step and prediction with the slow oracles.

A table has columns of numbers, with infinities, and of text, missing cells, classes or a numeric
target, weights, and random parameters. There are four checks:

- ``classes``: each step, split, gain and leaf of the grower is that of ``polytomy.reference``;
- ``numbers``: each step with a numeric target takes the best split that brute force finds;
- ``runtimes``: the leaf of every row, known or new, is the one that following the splits by hand
  gives, and the estimator, its saved file, its pickle and its exported Python predict the same;
- ``compiled``: so does the exported C, if there is a compiler.

The oracles and the generators of tables are those of the tests. ``tools/fuzz.py`` runs it.
"""

import pickle
import sys
import warnings
from collections.abc import Callable, Iterator
from math import inf
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]

sys.path.insert(0, str(Path(__file__).parent.parent))  # for the oracles under tests

from polytomy import (
    BoostedTreeClassifier,
    ForestClassifier,
    TreeClassifier,
    TreeRegressor,
    load,
    verify,
)
from polytomy.export import to_c, to_python
from polytomy.grow import GrowParams
from polytomy.table import Table
from tests.naive.route import naive_leaf
from tests.naive.runs import assert_best_steps, assert_same_leaves, assert_same_run
from tests.strategies import case_of, chosen_params, random_classes, random_columns

Record = dict[str, Any]
_PROCEDURES = ("per-leaf", "kearns-mansour", "hatano", "priced")
_NUMBERS = (0.0, 1.0, 2.0, 2.5, 7.0, 40.0)
_PROBES = 30


# ---- making tables -------------------------------------------------------------------------------


def table_records(check: str, rng: np.random.Generator) -> Iterator[Record]:
    """Yield an endless sequence of tables for a check."""
    make = _MAKERS[check]
    while True:
        yield {"kind": "table", "check": check, **make(rng)}


def _choose(rng: np.random.Generator) -> Callable[[Any], Any]:
    return lambda values: values[int(rng.integers(len(values)))]


def _columns(rng: np.random.Generator, max_rows: int, max_columns: int) -> dict[str, list[Any]]:
    """Return random columns; infinities replace the ends of some columns of numbers."""
    columns: dict[str, list[Any]] = random_columns(rng, max_rows, max_columns)
    for name, cells in columns.items():
        if rng.random() < 0.3 and not any(isinstance(cell, str) for cell in cells):
            ends = {-2.0: -inf, 5.5: inf}
            columns[name] = [ends.get(cell, cell) for cell in cells]
    return columns


def _for_classes(rng: np.random.Generator) -> Record:
    columns = _columns(rng, 24, 3)
    labels, n_classes, weights = random_classes(rng, columns, follows=bool(rng.random() < 0.3))
    params = chosen_params(_choose(rng), rng.uniform, drawn=True)
    return {
        "columns": columns,
        "labels": labels,
        "n_classes": n_classes,
        "weights": weights,
        "params": params,
    }


def _for_numbers(rng: np.random.Generator) -> Record:
    columns = random_columns(rng, 10, 2)
    n = len(columns["c0"])
    choose = _choose(rng)
    name, order = choose([("per-leaf", "auto"), ("kearns-mansour", "heaviest"), ("hatano", "auto")])
    return {
        "columns": columns,
        "numbers": [choose(_NUMBERS) for _ in range(n)],
        "weights": choose([None, [choose([1.0, 2.0, 0.3]) for _ in range(n)]]),
        "params": {
            "procedure": name,
            "leaf_order": order,
            "max_leaves": choose(range(2, 7)),
            "max_arity": choose(range(2, 5)),
            "index": choose(["squared_error", "poisson"]),
        },
    }


def _for_runtimes(rng: np.random.Generator) -> Record:
    columns = _columns(rng, 40, 4)
    labels, _, weights = random_classes(rng, columns)
    choose = _choose(rng)
    estimator = choose(["tree", "tree", "regressor", "forest", "boosted"])
    params: Record = {"max_leaves": choose([2, 5, 12])}
    if estimator == "tree":
        params |= {
            "max_leaves": choose([1, 4, 12, None]),
            "procedure": choose(_PROCEDURES),
            "index": choose(["sqrt", "gini", "entropy"]),
            "max_arity": choose(range(2, 9)),
            "min_samples_leaf": choose([1, 1, 3]),
            "honest": choose([False, True]),
            "class_weight": choose([None, None, "balanced"]),
        }
    elif estimator == "regressor":
        params |= {
            "max_arity": choose(range(2, 9)),
            "criterion": choose(["squared_error", "poisson"]),
        }
    probes = [[_probe(rng, cells) for cells in columns.values()] for _ in range(_PROBES)]
    return {
        "columns": columns,
        "labels": labels,
        "weights": weights,
        "estimator": estimator,
        "params": params,
        "probes": probes,
    }


def _probe(rng: np.random.Generator, cells: list[Any]) -> Any:
    """Return a cell that is known, missing, new or near a known one."""
    cell = cells[int(rng.integers(len(cells)))]
    if rng.random() < 0.5:
        return cell
    if any(isinstance(known, str) for known in cells):
        return [None, "never seen"][int(rng.integers(2))]
    near = [] if cell is None else [np.nextafter(cell, -inf), np.nextafter(cell, inf)]
    choices = [None, -inf, inf, float(rng.uniform(-5, 9)), *map(float, near)]
    return choices[int(rng.integers(len(choices)))]


_MAKERS: dict[str, Callable[[np.random.Generator], Record]] = {
    "classes": _for_classes,
    "numbers": _for_numbers,
    "runtimes": _for_runtimes,
}
if which("cc") is not None:
    _MAKERS["compiled"] = _for_runtimes
CHECKS = tuple(_MAKERS)


# ---- checking them -------------------------------------------------------------------------------


def table_outcome(record: Record) -> str:
    """Fit a table and compare: "equal", or "ACCEPTED" or "WRONG" with the difference or error."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            _CHECKS[record["check"]](record)
    except AssertionError as error:
        return f"ACCEPTED a wrong result: {' '.join(str(error).split())[:200]}"
    except BaseException as error:  # any other exception is a failure
        return f"WRONG {type(error).__name__}: {error}"
    return "equal"


def _check_classes(record: Record) -> None:
    case = case_of(record["columns"], record["labels"], record["weights"], record["n_classes"])
    params = GrowParams(**{**record["params"], "families": tuple(record["params"]["families"])})
    assert_same_leaves(case, *assert_same_run(case, params))


def _check_numbers(record: Record) -> None:
    weights = record["weights"]
    assert_best_steps(
        record["columns"],
        np.array(record["numbers"]),
        None if weights is None else np.array(weights),
        GrowParams(**record["params"]),
    )


def _check_runtimes(record: Record) -> None:
    model, rows, expected = _fitted(record)
    space: Record = {}
    exec(compile(to_python(model._model), "exported", "exec"), space)
    exported = [space["predict"](row) for row in rows.to_dict("records")]
    again = {
        "pickle": pickle.loads(pickle.dumps(model)).predict(rows).tolist(),
        "file": _reloaded(model).predict(rows).tolist(),
        "Python": exported,
    }
    for runtime, found in again.items():
        assert found == expected, f"{runtime} predicts otherwise"


def _fitted(record: Record) -> tuple[Any, pd.DataFrame, list[Any]]:
    """Fit an estimator, compare its predictions with the oracle, and return them."""
    columns = record["columns"]
    labels, weights = np.array(record["labels"]), record["weights"]
    name, params = record["estimator"], record["params"]
    X = _frame(columns)
    if name == "regressor":
        model: Any = TreeRegressor(**params)
        labels = labels * 1.5
    elif name == "tree":
        model = TreeClassifier(**params)
    else:
        kind = ForestClassifier if name == "forest" else BoostedTreeClassifier
        model = kind(3, random_state=0, **params)
    if name == "boosted" and len(set(labels.tolist())) < 2:
        labels = np.arange(len(labels)) % 2
    model.fit(X, labels, weights)
    probes = _frame(dict(zip(columns, zip(*record["probes"], strict=True), strict=True)), columns)
    expected = model.predict(probes).tolist()
    if name in ("tree", "regressor"):
        _compare_with_oracle(model, record["probes"], probes)
    report = verify(model, X, labels, sample_weight=weights)
    assert report.ok, str(report)
    return model, probes, expected


def _compare_with_oracle(model: Any, cells: list[list[Any]], probes: pd.DataFrame) -> None:
    inner = model._model
    leaves = [naive_leaf(inner.tree, inner.schema, row) for row in cells]
    assert model.apply(probes).tolist() == leaves, "rows reach other leaves"
    if inner.is_numeric:
        labels = inner.node_means.expected[leaves].tolist()
    else:
        labels = inner.classes[inner.tree.label[leaves]].tolist()
    assert model.predict(probes).tolist() == labels, "leaves predict otherwise"


def _frame(columns: Any, typed_like: Any = None) -> pd.DataFrame:
    like = columns if typed_like is None else typed_like
    return pd.DataFrame(
        {
            name: pd.Series(
                list(cells),
                dtype=object if any(isinstance(cell, str) for cell in like[name]) else float,
            )
            for name, cells in columns.items()
        }
    )


def _reloaded(model: Any) -> Any:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        model.save(path)
        return load(path)


def _check_compiled(record: Record) -> None:
    from tests.export.code.test_c import filled, run_c  # noqa: PLC0415

    if record["estimator"] not in ("tree", "regressor"):
        record = {**record, "estimator": "regressor", "params": {"max_leaves": 6}}
    model, rows, expected = _fitted(record)
    inner = model._model
    if inner.tree.n_leaves == 1:
        return
    table = Table.of(rows, nominal=inner.schema.of_kind("nominal"))
    with TemporaryDirectory() as folder:
        found = run_c(to_c(inner), filled(inner, table), Path(folder))
    shown = found if inner.is_numeric else [type(expected[0])(label) for label in found]
    assert shown == expected, "C predicts otherwise"


_CHECKS: dict[str, Callable[[Record], None]] = {
    "classes": _check_classes,
    "numbers": _check_numbers,
    "runtimes": _check_runtimes,
    "compiled": _check_compiled,
}
