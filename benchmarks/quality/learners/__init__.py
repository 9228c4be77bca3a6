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

__all__ = ["BASELINE", "DEFAULT", "NAMES", "Answers", "Learner", "Tree", "learners_of"]

BASELINE = "one-hot CART"
OURS: dict[str, dict[str, Any]] = {
    "ours": {},
    "per-leaf": {"procedure": "per-leaf"},
    "overgrow": {"overgrow": 4},
    "binary": {"max_arity": 2},
}
# Name -> (distribution, learner); a library is loaded when it is first needed.
PEERS = {
    BASELINE: ("scikit-learn", "quality.learners.one_hot_cart:CART"),
    "one-hot CART 5": ("scikit-learn", "quality.learners.one_hot_cart:CART_5"),
    "pruned CART": ("scikit-learn", "quality.learners.one_hot_cart:PRUNED"),
    "YDF CART": ("ydf", "quality.learners.ydf_cart:CART"),
    "LightGBM": ("lightgbm", "quality.learners.light_gbm:ROUND"),
    "LightGBM shares": ("lightgbm", "quality.learners.light_gbm:SHARES"),
}
INSTALLED = [name for name, (package, _) in PEERS.items() if version_of(package) is not None]
NAMES = [*OURS, *INSTALLED]
DEFAULT = [name for name in NAMES if name != "per-leaf"]


def learners_of(names: Iterable[str], further: Iterable[str] = ()) -> dict[str, Learner]:
    """Return learners by name: registered ones, and ``NAME:KEY=VALUE,...`` for polytomy."""
    found = {n: ours(**OURS[n]) if n in OURS else resolve_name(PEERS[n][1]) for n in names}
    return found | dict(map(parse_ours, further))
