"""The parameters of boosting, validated, and the algorithms by name."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from polytomy._errors import ParameterError
from polytomy._numbers import is_real
from polytomy.grow import GrowParams
from polytomy.index import LAYERED, Index, resolve

from .adaboost import AdaBoost, AdaBoostMH, RealAdaBoost, Samme
from .algorithm import Algorithm
from .logitboost import MulticlassLogitBoost, TwoClassLogitBoost
from .sample import BoostingSample

_TWO_CLASSES: dict[str, type[Algorithm]] = {
    a.name: a for a in (AdaBoost, RealAdaBoost, AdaBoostMH, Samme, TwoClassLogitBoost)
}
_MORE_CLASSES: dict[str, type[Algorithm]] = {
    a.name: a for a in (AdaBoostMH, Samme, MulticlassLogitBoost)
}
ALGORITHMS = ("auto", *_TWO_CLASSES)
"""The names of the algorithms."""
MAX_LEARNING_RATE = 1000  # far beyond useful values, but votes stay finite


@dataclass(frozen=True, kw_only=True, slots=True)
class BoostParams:
    """The parameters of boosting.

    Parameters
    ----------
    algorithm : str, default="auto"
        ``adaboost``, ``adaboost-real``, ``adaboost-mh``, ``samme`` or ``logitboost``; ``auto`` is
        ``logitboost``. If an index is given or a family needs classes, neither of which it allows,
        ``auto`` is ``adaboost-real`` for two classes and ``adaboost-mh`` for more.
    index : str or callable, default="auto"
        The index to grow trees by. ``auto`` is sqrt for ``adaboost-real``, where it equals Z, and
        gini for ``adaboost`` and ``samme``. The other algorithms have a fixed index.
    learning_rate : float or "auto", default="auto"
        The factor of every vote; at most 1 in the theorems. ``auto`` is 1 for AdaBoost. For
        ``logitboost`` it is 0.3 with stumps, and 0.1 with larger trees.
    smoothing : float or "auto", default="auto"
        The weight that ``adaboost-real``, ``adaboost-mh`` and ``logitboost`` add to each class in a
        leaf, relative to a total weight of 1. ``auto`` is half the mean weight of a row.
    grow : GrowParams, default=GrowParams(max_leaves=2)
        The growth parameters of each tree.
    """

    algorithm: str = "auto"
    index: Any = "auto"
    learning_rate: Any = "auto"
    smoothing: Any = "auto"
    grow: GrowParams = field(default_factory=lambda: GrowParams(max_leaves=2))

    def __post_init__(self) -> None:
        if self.algorithm not in ALGORITHMS:
            raise ParameterError(
                f"algorithm must be one of {', '.join(ALGORITHMS)}; got {self.algorithm!r}"
            )
        if self.grow.procedure == "priced":
            raise ParameterError(
                "procedure='priced' is for single trees; use 'per-leaf' for boosting"
            )
        rate = self.learning_rate
        if not _is_word(rate, "auto") and (not is_real(rate) or not 0 < rate <= MAX_LEARNING_RATE):
            raise ParameterError(
                "learning_rate must be 'auto' or a number above 0 and at most "
                f"{MAX_LEARNING_RATE}, got {rate!r}; 1 is the standard of AdaBoost, smaller values "
                "shrink the votes"
            )
        if not _is_word(self.smoothing, "auto") and (
            not is_real(self.smoothing) or not 0 <= self.smoothing < float("inf")
        ):
            raise ParameterError(
                f"smoothing must be 'auto' or a number of at least 0, got {self.smoothing!r}"
            )

    def kind(self, n_classes: int) -> type[Algorithm]:
        """Return the algorithm's class for a number of classes.

        Parameters
        ----------
        n_classes : int
            The number of classes.

        Returns
        -------
        type
            A subclass of ``Algorithm``.

        Raises
        ------
        ParameterError
            If the algorithm does not support that many classes.
        """
        name = self.algorithm
        if name == "auto" and self._can_fit_numbers():
            name = TwoClassLogitBoost.name
        elif name == "auto":
            name = RealAdaBoost.name if n_classes == 2 else AdaBoostMH.name
        known = _TWO_CLASSES if n_classes == 2 else _MORE_CLASSES
        if name not in known:
            raise ParameterError(
                f"{name} supports two classes only and y has {n_classes}: use 'adaboost-mh', "
                "'samme' or 'logitboost'"
            )
        kind = known[name]
        if not kind.smooths and not _is_word(self.smoothing, "auto"):
            raise ParameterError(
                "smoothing applies to adaboost-real, adaboost-mh and logitboost only, not to "
                f"{name}"
            )
        return kind

    def _can_fit_numbers(self) -> bool:
        """Return whether trees can be grown on responses, which ``logitboost`` has for classes."""
        by_classes = any(getattr(family, "needs_classes", False) for family in self.grow.families)
        return _is_word(self.index, "auto") and not by_classes

    def resolved(self, sample: BoostingSample) -> "BoostParams":
        """Return the parameters with the values that ``auto`` stands for on a sample.

        Parameters
        ----------
        sample : BoostingSample
            The training rows.

        Returns
        -------
        BoostParams
            Parameters that name the algorithm, its learning rate, and the smoothing if it smooths.
        """
        kind = self.kind(sample.n_classes)
        smoothing = self.smoothing
        if kind.smooths and _is_word(smoothing, "auto"):
            smoothing = kind.default_smoothing(sample)
        rate = self._rate_of(kind)
        return replace(self, algorithm=kind.name, learning_rate=rate, smoothing=smoothing)

    def _rate_of(self, kind: type[Algorithm]) -> float:
        if not _is_word(self.learning_rate, "auto"):
            return float(self.learning_rate)
        are_stumps = self.grow.max_leaves == 2 or self.grow.max_depth == 1
        return kind.rate_of_stumps if are_stumps else kind.rate_of_trees

    def algorithm_on(self, sample: BoostingSample, threads: int = 1) -> Algorithm:
        """Return the algorithm for a sample.

        Parameters
        ----------
        sample : BoostingSample
            The training rows.
        threads : int, default=1
            The number of threads. Results do not depend on it.

        Returns
        -------
        Algorithm
            The algorithm.
        """
        smoothing = None if _is_word(self.smoothing, "auto") else float(self.smoothing)
        kind = self.kind(sample.n_classes)
        algorithm = kind(sample, self._rate_of(kind), smoothing)
        algorithm.threads = threads
        return algorithm

    def index_for(self, n_classes: int) -> Index:
        """Return the index to grow trees by.

        Parameters
        ----------
        n_classes : int
            The number of classes.

        Returns
        -------
        Index
            The index.
        """
        kind = self.kind(n_classes)
        auto = _is_word(self.index, "auto") or _is_word(self.index, kind.index)
        if auto and kind.index in LAYERED:
            return LAYERED[kind.index]
        if auto:
            return resolve(kind.index)
        if not kind.free_index:
            known = _TWO_CLASSES if n_classes == 2 else _MORE_CLASSES
            free = " or ".join(repr(a.name) for a in known.values() if a.free_index)
            raise ParameterError(
                f"{kind.name} always uses the {kind.index!r} index; leave index='auto', or choose "
                f"another algorithm: {free}"
            )
        return resolve(self.index, n_classes)

    @property
    def price(self) -> Callable[[int], float] | None:
        """The price of k branches, instead of the procedure's own; None for that one.

        A tree of one split has nothing else to spend its leaves on: every arity costs the same.
        """
        flat = self.grow.procedure == "per-leaf" and self.grow.max_depth == 1
        return _flat_price if flat else None


def _flat_price(_k: int) -> float:
    return 1.0


def resolve_earlier(values: dict[str, Any], n_classes: int) -> dict[str, Any]:
    """Return the values of a fit's parameters as its model file means them.

    Files of earlier versions keep ``auto``, which was AdaBoost; their LogitBoost did not smooth.

    Parameters
    ----------
    values : dict
        The parameters in the file.
    n_classes : int
        The number of classes.

    Returns
    -------
    dict
        The values, without an algorithm ``auto``.
    """
    if values["algorithm"] == "auto":
        name = RealAdaBoost.name if n_classes == 2 else AdaBoostMH.name
        return values | {"algorithm": name}
    if values["algorithm"] == TwoClassLogitBoost.name and values["smoothing"] == "auto":
        return values | {"smoothing": 0.0}
    return values


def _is_word(value: Any, word: str) -> bool:
    return isinstance(value, str) and value == word
