"""The parameters of boosting, validated, and the algorithms by name."""

from collections.abc import Callable
from dataclasses import dataclass, field
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
        ``adaboost-real`` for two classes and ``adaboost-mh`` for more.
    index : str or callable, default="auto"
        The index to grow trees by. ``auto`` is sqrt for ``adaboost-real``, where it equals Z, and
        gini for ``adaboost`` and ``samme``. The other algorithms have a fixed index.
    learning_rate : float, default=1.0
        The factor of every vote; at most 1 in the theorems.
    smoothing : float or "auto", default="auto"
        The weight that ``adaboost-real`` and ``adaboost-mh`` add to each class in a leaf, relative
        to a total weight of 1. ``auto`` is half the mean weight of a row.
    grow : GrowParams, default=GrowParams(max_leaves=2)
        The growth parameters of each tree.
    """

    algorithm: str = "auto"
    index: Any = "auto"
    learning_rate: float = 1.0
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
        if not is_real(self.learning_rate) or not 0 < self.learning_rate <= MAX_LEARNING_RATE:
            raise ParameterError(
                f"learning_rate must be a number above 0 and at most {MAX_LEARNING_RATE}, "
                f"got {self.learning_rate!r}; 1 is the standard, smaller values shrink the votes"
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
        if name == "auto":
            name = "adaboost-real" if n_classes == 2 else "adaboost-mh"
        known = _TWO_CLASSES if n_classes == 2 else _MORE_CLASSES
        if name not in known:
            raise ParameterError(
                f"{name} supports two classes only and y has {n_classes}: use 'adaboost-mh', "
                "'samme' or 'logitboost'"
            )
        kind = known[name]
        if not kind.smooths and not _is_word(self.smoothing, "auto"):
            raise ParameterError(
                f"smoothing applies to adaboost-real and adaboost-mh only, not to {name}"
            )
        return kind

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
        algorithm = kind(sample, float(self.learning_rate), smoothing)
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
            raise ParameterError(
                f"{kind.name} always uses the {kind.index!r} index; leave index='auto'"
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


def _is_word(value: Any, word: str) -> bool:
    return isinstance(value, str) and value == word
