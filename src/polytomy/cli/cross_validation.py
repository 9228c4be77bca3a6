"""Cross-validation of trees of polytomy, scikit-learn and LightGBM on the same folds."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from time import perf_counter
from typing import Any

import numpy as np

from polytomy._resample import assign_folds
from polytomy._text import percent
from polytomy._types import AnyArray, FloatArray, IntArray
from polytomy.costs import Costs
from polytomy.io import LabelledTable
from polytomy.table import Column, Nominal, Ranks, Table, Times

from .errors import CommandError
from .rows import error_rate, fit_rows, mean_absolute_error, mean_squared_error, r2

_PROCEDURES = ("priced", "per-leaf", "hatano", "kearns-mansour")
_FLOOR = 1e-3  # of a probability in the log loss: leaves of other libraries may have shares of 0
_MAX_ONE_HOT = 64  # categories that get an indicator column; rarer ones get none


@dataclass(frozen=True, slots=True)
class FittedTree:
    """A fitted tree of any library; ``questions`` is the mean number of splits per training row."""

    predict: Callable[[Table], AnyArray]
    shares: Callable[[Table], FloatArray] | None  # of the classes in ascending order
    seconds: float
    leaves: int
    questions: float


@dataclass(frozen=True, slots=True)
class Candidate:
    """A way to fit a tree."""

    name: str
    budget: str
    fit: Callable[[LabelledTable], FittedTree]


@dataclass(frozen=True, slots=True)
class Result:
    """Means over the folds; ``deviation`` is the standard deviation of the score."""

    name: str
    budget: str
    score: float
    deviation: float
    leaves: float
    questions: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Measure:
    """What trees are compared by.

    ``score`` takes a fitted tree, the classes and the test rows; ``scoring`` is its name as a
    parameter of polytomy's estimators.
    """

    heading: str
    form: Callable[[float], str]
    score: Callable[[FittedTree, AnyArray, LabelledTable], float]
    scoring: str
    larger_is_better: bool = False


def _log_loss(fitted: FittedTree, classes: AnyArray, test: LabelledTable) -> float:
    from sklearn.metrics import log_loss

    assert fitted.shares is not None
    shares = np.maximum(fitted.shares(test.table), _FLOOR)
    shares = shares / shares.sum(axis=1, keepdims=True)
    return float(log_loss(test.labels, shares, sample_weight=test.weights, labels=classes))


def _area(fitted: FittedTree, classes: AnyArray, test: LabelledTable) -> float:
    from sklearn.metrics import roc_auc_score

    assert fitted.shares is not None
    shares = fitted.shares(test.table)
    areas = []
    for c in [1] if len(classes) == 2 else range(len(classes)):
        is_class = test.labels == classes[c]
        if 0 < is_class.sum() < len(is_class):
            areas.append(roc_auc_score(is_class, shares[:, c], sample_weight=test.weights))
    return float(np.mean(areas)) if areas else np.nan


def _of_predictions(
    score: Callable[[AnyArray, LabelledTable], float],
) -> Callable[[FittedTree, AnyArray, LabelledTable], float]:
    """Return a score of fitted trees, given one of predictions."""
    return lambda fitted, _, test: score(fitted.predict(test.table), test)


def _scientific(value: float) -> str:
    """Return four digits of a number of any size in few characters, such as 2.059e9."""
    return f"{value:.4g}".replace("e+0", "e").replace("e+", "e")


_PERCENT = partial(percent, digits=1)

MEASURES: dict[str, dict[str, Measure]] = {
    "classification": {
        "error": Measure("error", _PERCENT, _of_predictions(error_rate), "error"),
        "log_loss": Measure("log loss", "{:.3f}".format, _log_loss, "log_loss"),
        "roc_auc": Measure("AUC", _PERCENT, _area, "roc_auc", larger_is_better=True),
    },
    "regression": {
        "squared_error": Measure(
            "MSE", _scientific, _of_predictions(mean_squared_error), "squared_error"
        ),
        "absolute_error": Measure(
            "MAE", _scientific, _of_predictions(mean_absolute_error), "neg_mean_absolute_error"
        ),
        "r2": Measure("R2", "{:.3f}".format, _of_predictions(r2), "r2", larger_is_better=True),
    },
}
"""What trees may be compared by, for each task; the first is the default."""


def costs_of(pairs: dict[tuple[Any, Any], float], rows: LabelledTable) -> Costs:
    """Return the costs of mistakes, in the order of the classes of all rows."""
    return Costs.of(pairs, np.unique(rows.labels))


def cost_measure(costs: Costs) -> Measure:
    """Return the mean cost of a row as a measure."""

    def score(fitted: FittedTree, classes: AnyArray, test: LabelledTable) -> float:
        said = np.searchsorted(classes, fitted.predict(test.table))
        amounts = costs.matrix[np.searchsorted(classes, test.labels), said]
        return float(np.average(amounts, weights=test.weights))

    return Measure("cost", "{:.4g}".format, score, "error")


def measure_of(scoring: str | None, task: str) -> Measure:
    """Return a measure by name, None for the default of the task, auto for any task."""
    known = {
        name: measure
        for own, measures in MEASURES.items()
        if task in ("auto", own)
        for name, measure in measures.items()
    }
    if scoring is None:
        return next(iter(known.values()))
    if scoring not in known:
        of_task = "" if task == "auto" else f" for {task}"
        raise CommandError(f"--scoring must be one of {', '.join(known)}{of_task}; got {scoring!r}")
    return known[scoring]


def folds_of(strata: AnyArray, n_folds: int, seed: int) -> list[IntArray]:
    """Return the row numbers of each fold, stratified."""
    numbers = np.unique(strata, return_inverse=True)[1]
    folds = assign_folds(numbers, n_folds, np.random.RandomState(seed))
    return [np.flatnonzero(folds == fold) for fold in range(n_folds)]


def cross_validate(
    candidate: Candidate,
    rows: LabelledTable,
    folds: Sequence[IntArray],
    step: Callable[[], None],
    measure: Measure,
) -> Result:
    """Fit on all folds but one and score on that one, for each; ``step`` after each."""
    scores, fits = [], []
    classes = np.unique(rows.labels)
    for fold in folds:
        test = rows.take(fold)
        fitted = candidate.fit(rows.take(np.delete(np.arange(len(rows)), fold)))
        scores.append(measure.score(fitted, classes, test))
        fits.append(fitted)
        step()
    return Result(
        candidate.name,
        candidate.budget,
        float(np.mean(scores)),
        float(np.std(scores, ddof=1)),
        float(np.mean([f.leaves for f in fits])),
        float(np.mean([f.questions for f in fits])),
        float(np.mean([f.seconds for f in fits])),
    )


def candidates(
    budgets: Sequence[int],
    gamma: float | None,
    jobs: int | None,
    categorical: Sequence[str],
    measure: Measure,
    efforts: Sequence[str] = (),
    costs: Costs | None = None,
) -> list[Candidate]:
    """Return the trees to compare, for each maximum number of leaves."""
    common: dict[str, Any] = {"n_jobs": jobs}
    if costs is not None:
        common["cost_matrix"] = costs.matrix
    if categorical:
        common["categorical_features"] = list(categorical)
    trees: list[Candidate] = []
    for budget in budgets:
        trees += [_polytomy(procedure, budget, common) for procedure in _PROCEDURES]
        trees += [_of_effort(effort, budget, common) for effort in efforts]
        if gamma is not None:
            trees.append(_polytomy("mansour-mcallester", budget, {**common, "gamma": gamma}))
        fit = partial(fit_sklearn, leaves=budget, costs=costs)
        trees.append(Candidate("scikit-learn", str(budget), fit))
        if find_spec("lightgbm") is not None:
            fit = partial(fit_lightgbm, leaves=budget, jobs=jobs, costs=costs)
            trees.append(Candidate("LightGBM", str(budget), fit))
    by_cv = {**common, "random_state": 0, "scoring": measure.scoring}
    return [*trees, _polytomy("priced", "cv", by_cv)]


def _polytomy(procedure: str, budget: int | str, more: dict[str, Any]) -> Candidate:
    params = {"max_leaves": budget, "procedure": procedure, **more}
    return Candidate(f"polytomy {procedure}", str(budget), partial(fit_polytomy, params=params))


def _of_effort(effort: str, budget: int, more: dict[str, Any]) -> Candidate:
    params = {"max_leaves": budget, "effort": effort, **more}
    return Candidate(f"polytomy {effort}", str(budget), partial(fit_polytomy, params=params))


def fit_polytomy(rows: LabelledTable, params: dict[str, Any]) -> FittedTree:
    """Fit a tree of polytomy."""
    from polytomy import TreeClassifier, TreeRegressor

    kind = TreeRegressor if rows.task == "regression" else TreeClassifier
    begin = perf_counter()
    tree = fit_rows(kind(**params), rows)
    seconds = perf_counter() - begin
    shares = getattr(tree, "predict_proba", None)
    return FittedTree(tree.predict, shares, seconds, tree.n_leaves_, tree.n_questions_)


def _weights_with(costs: Costs | None, rows: LabelledTable) -> FloatArray | None:
    """Return the weights of rows times those of the worst mistakes of their classes."""
    if costs is None:
        return rows.weights
    own = costs.worst[np.unique(rows.labels, return_inverse=True)[1]]
    return own if rows.weights is None else np.asarray(rows.weights * own)


def _cheapest(costs: Costs, classes: AnyArray, weighted: FloatArray) -> AnyArray:
    """Return the class of least cost, given shares of rows with weights of their classes."""
    cost = weighted / costs.worst @ costs.matrix
    return np.asarray(classes[cost.argmin(axis=1)])


def fit_sklearn(rows: LabelledTable, leaves: int, costs: Costs | None = None) -> FittedTree:
    """Fit a tree of scikit-learn on one-hot categories; the time excludes the encoding."""
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    categories = {c.name: _most_common(c) for c in rows.table.columns if isinstance(c, Nominal)}
    matrix = one_hot_matrix(rows.table, categories)
    kind = DecisionTreeRegressor if rows.task == "regression" else DecisionTreeClassifier
    tree = kind(max_leaf_nodes=leaves, random_state=0)
    begin = perf_counter()
    tree.fit(matrix, rows.labels, sample_weight=_weights_with(costs, rows))
    seconds = perf_counter() - begin
    questions = float(tree.decision_path(matrix).sum(axis=1).mean()) - 1

    def shares(table: Table) -> FloatArray:
        return np.asarray(tree.predict_proba(one_hot_matrix(table, categories)))

    def predict(table: Table) -> AnyArray:
        if costs is not None:
            return _cheapest(costs, tree.classes_, shares(table))
        return np.asarray(tree.predict(one_hot_matrix(table, categories)))

    return FittedTree(predict, shares, seconds, int(tree.get_n_leaves()), questions)


def fit_lightgbm(
    rows: LabelledTable, leaves: int, jobs: int | None, costs: Costs | None = None
) -> FittedTree:
    """Fit one round of LightGBM: one tree, or one for each class if there are more than two."""
    from lightgbm import (  # type: ignore[import-not-found,unused-ignore]
        LGBMClassifier,
        LGBMRegressor,
    )

    columns = rows.table.columns
    categories = {c.name: list(c.categories) for c in columns if isinstance(c, Nominal)}
    matrix = code_matrix(rows.table, categories)
    nominal = [j for j, c in enumerate(columns) if isinstance(c, Nominal)]
    model = (LGBMRegressor if rows.task == "regression" else LGBMClassifier)(
        n_estimators=1,
        num_leaves=leaves,
        learning_rate=1.0,
        min_child_samples=1,
        min_child_weight=0.0,
        n_jobs=jobs or 1,
        random_state=0,
        verbose=-1,
    )
    begin = perf_counter()
    weights = _weights_with(costs, rows)
    model.fit(matrix, rows.labels, sample_weight=weights, categorical_feature=nominal)
    seconds = perf_counter() - begin

    def output(table: Table) -> FloatArray:
        return np.asarray(model.booster_.predict(code_matrix(table, categories)))

    def shares(table: Table) -> FloatArray:
        found = output(table)
        return found if found.ndim == 2 else np.column_stack([1 - found, found])

    def classes(table: Table) -> AnyArray:
        if costs is not None:
            return _cheapest(costs, model.classes_, shares(table))
        return np.asarray(model.classes_[shares(table).argmax(axis=1)])

    predict = output if rows.task == "regression" else classes
    return FittedTree(predict, shares, seconds, *_lightgbm_size(model.booster_, matrix))


def _lightgbm_size(booster: Any, matrix: FloatArray) -> tuple[int, float]:
    """Return the leaves of all trees, and the mean number of splits per row in all of them."""
    trees = booster.dump_model()["tree_info"]
    leaves = booster.predict(matrix, pred_leaf=True).reshape(len(matrix), -1)
    questions = 0.0
    for t, tree in enumerate(trees):
        depth_of: dict[int, int] = {}
        stack = [(tree["tree_structure"], 0)]
        while stack:
            node, depth = stack.pop()
            if "split_index" not in node:
                depth_of[node.get("leaf_index", 0)] = depth
                continue
            stack += [(node["left_child"], depth + 1), (node["right_child"], depth + 1)]
        questions += float(np.mean([depth_of[leaf] for leaf in leaves[:, t].tolist()]))
    return sum(tree["num_leaves"] for tree in trees), questions


def _most_common(column: Nominal) -> list[Any]:
    counts = np.bincount(column.codes[column.codes >= 0], minlength=len(column.categories))
    return [column.categories[i] for i in np.argsort(-counts, kind="stable")[:_MAX_ONE_HOT]]


def one_hot_matrix(table: Table, categories: dict[str, list[Any]]) -> FloatArray:
    """Return a matrix with an indicator column for each category; ordered columns are kept."""
    parts = []
    for column in table.columns:
        if isinstance(column, Nominal):
            known = categories[column.name]
            parts.append(np.arange(len(known)) == _codes_among(column, known)[:, None])
        else:
            parts.append(_as_floats(column)[:, None])
    return np.concatenate(parts, axis=1, dtype=np.float64)


def code_matrix(table: Table, categories: dict[str, list[Any]]) -> FloatArray:
    """Return a matrix with the codes of categories, NaN for missing and unknown ones."""
    parts = []
    for column in table.columns:
        if isinstance(column, Nominal):
            codes = _codes_among(column, categories[column.name]).astype(np.float64)
            parts.append(np.where(codes < 0, np.nan, codes))
        else:
            parts.append(_as_floats(column))
    return np.column_stack(parts)


def _codes_among(column: Nominal, categories: list[Any]) -> AnyArray:
    """Return the position of each cell in a list of categories, or -1."""
    position = {category: i for i, category in enumerate(categories)}
    of_code = [position.get(category, -1) for category in column.categories]
    return np.array([*of_code, -1])[column.codes]  # the code of a missing cell, -1, is the last


def _as_floats(column: Column) -> FloatArray:
    """Return an ordered column as floats, NaN for missing cells."""
    values = np.asarray(column.values, dtype=np.float64)
    if isinstance(column, Nominal):
        return values
    if isinstance(column.scale, Times):
        return np.where(column.values == np.iinfo(np.int64).min, np.nan, values)
    if isinstance(column.scale, Ranks) and column.values.dtype == np.int32:
        return np.where(column.values < 0, np.nan, values)
    return values
