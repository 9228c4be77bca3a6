"""Other libraries' trees, as ``compare`` takes them."""

from typing import TYPE_CHECKING, Any

import numpy as np

from polytomy.table import Column, Nominal, Ranks, Table, Times

from .contest import Fitted, Stopwatch

if TYPE_CHECKING:
    from polytomy._types import AnyArray, FloatArray

    from .sample import Sample

_MOST_ONE_HOT = 64  # categories that get a column of their own; the rest share none


def sklearn_tree(sample: "Sample", leaves: int) -> Fitted:
    """Fit scikit-learn's tree; it takes no categories, so they are one-hot, which is not timed."""
    from sklearn.tree import DecisionTreeClassifier

    table = Table.of(sample.X)
    shown = {c.name: _commonest(c) for c in table.columns if isinstance(c, Nominal)}
    numbers = _one_hot(table, shown)
    tree = DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0)
    with Stopwatch() as watch:
        tree.fit(numbers, sample.labels, sample_weight=sample.weights)
    asked = float(tree.decision_path(numbers).sum(axis=1).mean()) - 1

    def predict(held: "Sample") -> "AnyArray":
        return np.asarray(tree.predict(_one_hot(Table.of(held.X), shown)))

    return Fitted(predict, watch.seconds, int(tree.get_n_leaves()), asked)


def lightgbm_tree(sample: "Sample", leaves: int, jobs: int | None) -> Fitted:
    """Fit one round of LightGBM: a tree, or with over two classes one for each of them."""
    from lightgbm import LGBMClassifier  # type: ignore[import-not-found,unused-ignore]

    table = Table.of(sample.X)
    known = {c.name: list(c.categories) for c in table.columns if isinstance(c, Nominal)}
    numbers = _coded(table, known)
    places = [j for j, c in enumerate(table.columns) if isinstance(c, Nominal)]
    model = LGBMClassifier(
        n_estimators=1,
        num_leaves=leaves,
        learning_rate=1.0,
        min_child_samples=1,
        min_child_weight=0.0,
        n_jobs=jobs or 1,
        random_state=0,
        verbose=-1,
    )
    with Stopwatch() as watch:
        model.fit(numbers, sample.labels, sample_weight=sample.weights, categorical_feature=places)

    def predict(held: "Sample") -> "AnyArray":
        shares = np.asarray(model.booster_.predict(_coded(Table.of(held.X), known)))
        chosen = shares.argmax(axis=1) if shares.ndim == 2 else (shares > 0.5).astype(int)
        return np.asarray(model.classes_[chosen])

    return Fitted(predict, watch.seconds, *_lightgbm_size(model.booster_, numbers))


def _lightgbm_size(booster: Any, numbers: "FloatArray") -> tuple[int, float]:
    """Return the leaves of all trees, and how many questions they ask of a row together."""
    trees = booster.dump_model()["tree_info"]
    reached = booster.predict(numbers, pred_leaf=True).reshape(len(numbers), -1)
    asked = 0.0
    for t, tree in enumerate(trees):
        depth: dict[int, int] = {}
        waiting = [(tree["tree_structure"], 0)]
        while waiting:
            node, deep = waiting.pop()
            if "split_index" not in node:
                depth[node.get("leaf_index", 0)] = deep
                continue
            waiting += [(node["left_child"], deep + 1), (node["right_child"], deep + 1)]
        asked += float(np.mean([depth[leaf] for leaf in reached[:, t].tolist()]))
    return sum(tree["num_leaves"] for tree in trees), asked


def _commonest(column: Nominal) -> list[Any]:
    counts = np.bincount(column.codes[column.codes >= 0], minlength=len(column.categories))
    return [column.categories[i] for i in np.argsort(-counts, kind="stable")[:_MOST_ONE_HOT]]


def _one_hot(table: Table, shown: dict[str, list[Any]]) -> "FloatArray":
    """Return a matrix with a column for each of the categories shown, and the numbers as is."""
    parts = []
    for column in table.columns:
        if isinstance(column, Nominal):
            place = _places(column, shown[column.name])
            parts.append(np.arange(len(shown[column.name])) == place[:, None])
        else:
            parts.append(_numbers(column)[:, None])
    return np.concatenate(parts, axis=1, dtype=np.float64)


def _coded(table: Table, known: dict[str, list[Any]]) -> "FloatArray":
    """Return a matrix with the numbers of categories, NaN for what is missing or not known."""
    parts = []
    for column in table.columns:
        if isinstance(column, Nominal):
            place = _places(column, known[column.name]).astype(np.float64)
            parts.append(np.where(place < 0, np.nan, place))
        else:
            parts.append(_numbers(column))
    return np.column_stack(parts)


def _places(column: Nominal, known: list[Any]) -> "AnyArray":
    """Return each cell's place among the known categories, -1 where it is none of them."""
    place = {category: i for i, category in enumerate(known)}
    of_code = [place.get(category, -1) for category in column.categories]
    return np.array([*of_code, -1])[column.codes]  # a missing cell, -1, reads the last entry


def _numbers(column: Column) -> "FloatArray":
    """Return an ordered column as floats, NaN where missing."""
    values = np.asarray(column.values, dtype=np.float64)
    if isinstance(column, Nominal):
        return values
    if isinstance(column.scale, Times):
        return np.where(column.values == np.iinfo(np.int64).min, np.nan, values)
    if isinstance(column.scale, Ranks) and column.values.dtype == np.int32:
        return np.where(column.values < 0, np.nan, values)
    return values
