"""Ensembles: forests and boosted trees of polytomy and of other libraries.

The budget is the number of leaves of each of 100 trees, or 0 for the defaults of the library. With
more than two classes, boosting grows a tree for each class in every round, as each library does.
All run in one thread. Libraries are loaded inside the functions, so that each is needed only if it
is used.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from tables import Data

from polytomy import BoostedTreeClassifier, ForestClassifier
from quality.learners.one_hot_cart import one_hot
from quality.learners.tree import Answers, Learner, Tree

DEFAULTS = 0  # the budget that stands for the defaults of a library
TREES = 100
EIGHT = 8  # the leaves of boosted trees that are larger than stumps
TIME_LIMIT = 60.0  # seconds of a fit of YDF, the only library that has a limit


class Ensemble(Tree):
    """A fitted ensemble; the questions that it asks are not counted."""

    depth = np.nan

    def __init__(
        self,
        classes: np.ndarray,
        n_leaves: int,
        probabilities: Callable[[pd.DataFrame], np.ndarray],
    ) -> None:
        self.classes, self.n_leaves, self.probabilities = classes, n_leaves, probabilities

    def answer(self, x: pd.DataFrame) -> Answers:
        """Return the probabilities of rows."""
        return Answers(self.probabilities(x), None, np.full(len(x), np.nan))


def leaf_limit(budget: int, /, **named: Any) -> dict[str, Any]:
    """Return parameters that apply to a limit of leaves, and none to the defaults."""
    return {} if budget == DEFAULTS else named


# ---- polytomy ----------------------------------------------------------------------------------


def grow_forest(data: Data, max_leaves: int) -> Ensemble:
    """Fit a ForestClassifier."""
    limit = leaf_limit(max_leaves, max_leaves=max_leaves)
    model = ForestClassifier(TREES, n_jobs=1, random_state=0, **limit).fit(data.x, data.y)
    n_leaves = sum(tree.n_leaves_ for tree in model)
    return Ensemble(model.classes_, n_leaves, model.predict_proba)


def grow_boosted(data: Data, max_leaves: int, **params: Any) -> Ensemble:
    """Fit a BoostedTreeClassifier."""
    limit = leaf_limit(max_leaves, max_leaves=max_leaves)
    model = BoostedTreeClassifier(TREES, n_jobs=1, **limit | params).fit(data.x, data.y)
    n_leaves = int(np.sum(model.rounds_.columns()["leaves"]))
    return Ensemble(model.classes_, n_leaves, model.predict_proba)


def grow_boosted_trees(data: Data, max_leaves: int) -> Ensemble:
    """Fit a BoostedTreeClassifier of trees with 8 leaves, unless told otherwise."""
    return grow_boosted(data, EIGHT if max_leaves == DEFAULTS else max_leaves)


def grow_ada_boost(data: Data, max_leaves: int) -> Ensemble:
    """Fit a BoostedTreeClassifier by confidence-rated AdaBoost, of stumps unless told otherwise."""
    algorithm = "adaboost-real" if len(np.unique(data.y)) == 2 else "adaboost-mh"
    return grow_boosted(data, max_leaves, algorithm=algorithm)


# ---- scikit-learn ------------------------------------------------------------------------------


def grow_random_forest(data: Data, max_leaves: int) -> Ensemble:
    """Fit scikit-learn's RandomForestClassifier on one-hot columns."""
    from sklearn.ensemble import RandomForestClassifier  # noqa: PLC0415

    limit = leaf_limit(max_leaves, max_leaf_nodes=max_leaves)
    model = RandomForestClassifier(TREES, n_jobs=1, random_state=0, **limit)
    model.fit(one_hot(data.x), data.y)
    n_leaves = sum(tree.get_n_leaves() for tree in model.estimators_)
    return Ensemble(model.classes_, n_leaves, lambda x: model.predict_proba(one_hot(x)))


def grow_hist_boosting(data: Data, max_leaves: int) -> Ensemble:
    """Fit scikit-learn's HistGradientBoostingClassifier with native categories."""
    from sklearn.ensemble import HistGradientBoostingClassifier  # noqa: PLC0415
    from threadpoolctl import threadpool_limits  # noqa: PLC0415

    limit = leaf_limit(max_leaves, max_leaf_nodes=max_leaves, early_stopping=False)
    model = HistGradientBoostingClassifier(max_iter=TREES, random_state=0, **limit)
    with threadpool_limits(limits=1, user_api="openmp"):
        model.fit(data.x, data.y)
    n_leaves = sum(tree.get_n_leaf_nodes() for trees in model._predictors for tree in trees)
    return Ensemble(model.classes_, n_leaves, model.predict_proba)


# ---- LightGBM, XGBoost and YDF -----------------------------------------------------------------


def grow_light_gbm(data: Data, max_leaves: int) -> Ensemble:
    """Fit an LGBMClassifier with native categories."""
    import lightgbm  # noqa: PLC0415

    from quality.learners.light_gbm import plain_names  # noqa: PLC0415

    limit = leaf_limit(max_leaves, num_leaves=max_leaves)
    model = lightgbm.LGBMClassifier(n_estimators=TREES, n_jobs=1, verbose=-1, **limit)
    model.fit(plain_names(data.x), data.y)
    trees = model.booster_.dump_model()["tree_info"]
    n_leaves = sum(tree["num_leaves"] for tree in trees)
    return Ensemble(model.classes_, n_leaves, lambda x: model.predict_proba(plain_names(x)))


def grow_xgboost(data: Data, max_leaves: int) -> Ensemble:
    """Fit an XGBClassifier with native categories."""
    import xgboost  # noqa: PLC0415

    from quality.learners.light_gbm import plain_names  # noqa: PLC0415

    limit = leaf_limit(max_leaves, max_leaves=max_leaves, max_depth=0, grow_policy="lossguide")
    model = xgboost.XGBClassifier(
        n_estimators=TREES, n_jobs=1, enable_categorical=True, tree_method="hist", **limit
    )
    classes, y = np.unique(data.y, return_inverse=True)
    model.fit(plain_names(data.x), y)
    n_leaves = sum(text.count("leaf=") for text in model.get_booster().get_dump())
    return Ensemble(classes, n_leaves, lambda x: model.predict_proba(plain_names(x)))


def grow_ydf(data: Data, max_leaves: int, kind: str) -> Ensemble:
    """Fit YDF's learner of a kind, ``"GradientBoostedTrees"`` or ``"RandomForest"``."""
    import ydf  # noqa: PLC0415
    from contenders.ydf_cart import LABEL, columns_of  # noqa: PLC0415

    ydf.verbose(0)
    limit = leaf_limit(
        max_leaves,
        num_trees=TREES,
        growing_strategy="BEST_FIRST_GLOBAL",
        max_num_nodes=max_leaves,
        max_depth=-1,
    )
    learner = getattr(ydf, f"{kind}Learner")(
        label=LABEL,
        task=ydf.Task.CLASSIFICATION,
        num_threads=1,
        maximum_training_duration_seconds=TIME_LIMIT,
        **limit,
    )
    model = learner.train(columns_of(data) | {LABEL: data.y})
    names = [int(name) for name in model.label_classes()]

    def probabilities(x: pd.DataFrame) -> np.ndarray:
        columns = columns_of(Data(x, np.zeros(len(x), dtype=np.int64)))
        scores = model.predict(columns, num_threads=1)
        if scores.ndim == 1:
            scores = np.stack([1 - scores, scores], axis=1)
        return scores[:, np.argsort(names)]

    n_leaves = (model.num_nodes() + model.num_trees()) // 2  # the trees are binary
    return Ensemble(np.sort(names), n_leaves, probabilities)


FOREST = Learner(f"ForestClassifier({TREES}, max_leaves=s)", grow_forest)
BOOSTED = Learner(f"BoostedTreeClassifier({TREES}, max_leaves=s)", grow_boosted)
BOOSTED_TREES = Learner(
    f"BoostedTreeClassifier({TREES}, max_leaves=s, or {EIGHT} by default)", grow_boosted_trees
)
ADA_BOOST = Learner(
    f'BoostedTreeClassifier({TREES}, max_leaves=s), "adaboost-real" or "adaboost-mh"',
    grow_ada_boost,
)
RANDOM_FOREST = Learner(
    f"RandomForestClassifier({TREES}, max_leaf_nodes=s) on one-hot columns", grow_random_forest
)
HIST = Learner(
    f"HistGradientBoostingClassifier(max_iter={TREES}, max_leaf_nodes=s), native categories",
    grow_hist_boosting,
)
LIGHT_GBM = Learner(f"LGBMClassifier({TREES}, num_leaves=s), native categories", grow_light_gbm)
XGBOOST = Learner(f"XGBClassifier({TREES}, max_leaves=s), native categories", grow_xgboost)
YDF_BOOSTED = Learner(
    f"ydf.GradientBoostedTreesLearner(max_num_nodes=s), at most {TIME_LIMIT:g} s",
    partial(grow_ydf, kind="GradientBoostedTrees"),
)
YDF_FOREST = Learner(
    f"ydf.RandomForestLearner(max_num_nodes=s), at most {TIME_LIMIT:g} s",
    partial(grow_ydf, kind="RandomForest"),
)
