"""The libraries that are compared: a small adapter each, loaded when it is first needed."""

import os
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pkgutil import resolve_name

from contenders.job import Contender, Job

__all__ = ["CONTENDERS", "WAITING", "Contender", "Job", "contender", "is_installed", "version_of"]

# By default, waiting threads of OpenMP spin, which distorts the times of the next library; with
# this setting they sleep. OpenMP reads it when the first library that uses it is loaded.
WAITING = os.environ.setdefault("OMP_WAIT_POLICY", "passive")

# Name in the tables -> (distribution, adapter).
CONTENDERS = {
    "ours": ("polytomy", "contenders.ours:PER_LEAF"),
    "ours, default": ("polytomy", "contenders.ours:DEFAULT"),
    "ours, hatano": ("polytomy", "contenders.ours:HATANO"),
    "ours, mansour-mcallester": ("polytomy", "contenders.ours:MANSOUR"),
    "ours, kearns-mansour": ("polytomy", "contenders.ours:KEARNS"),
    "ours, adaboost": ("polytomy", "contenders.ours:ADABOOST"),
    "ours, adaboost-real": ("polytomy", "contenders.ours:ADABOOST_REAL"),
    "ours, logitboost": ("polytomy", "contenders.ours:LOGITBOOST"),
    "LightGBM": ("lightgbm", "contenders.light_gbm:PLAIN"),
    "LightGBM col-wise": ("lightgbm", "contenders.light_gbm:TUNED"),
    "XGBoost": ("xgboost", "contenders.xg_boost:XGBOOST"),
    "HistGradientBoosting": ("scikit-learn", "contenders.hist_boosting:HIST"),
    "YDF CART": ("ydf", "contenders.ydf_cart:CART"),
    "DecisionTree": ("scikit-learn", "contenders.sklearn_tree:TREE"),
    "AdaBoost": ("scikit-learn", "contenders.ada_boost:ADABOOST"),
}


@lru_cache
def contender(name: str) -> Contender:
    """Return the adapter of a library, and load the library."""
    return resolve_name(CONTENDERS[name][1])


def is_installed(name: str) -> bool:
    """Return whether a library is installed."""
    return version_of(CONTENDERS[name][0]) is not None


def version_of(package: str) -> str | None:
    """Return the version of a distribution, or None if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None
