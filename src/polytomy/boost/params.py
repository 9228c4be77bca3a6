"""Every parameter of boosting, checked once, and the algorithms by name."""

from dataclasses import dataclass, field
from numbers import Real
from typing import Any

from polytomy._errors import ParameterError
from polytomy.grow import GrowParams
from polytomy.index import LAYERED, Index, resolve

from .algorithm import Algorithm
from .logit import LogitBoost, LogitBoostMany
from .many import AdaBoostMH, Samme
from .sample import Sample
from .two import AdaBoost, RealAdaBoost

_TWO: dict[str, type[Algorithm]] = {
    a.name: a for a in (AdaBoost, RealAdaBoost, AdaBoostMH, Samme, LogitBoost)
}
_MANY: dict[str, type[Algorithm]] = {a.name: a for a in (AdaBoostMH, Samme, LogitBoostMany)}
ALGORITHMS = ("auto", *_TWO)
"""The algorithms' names."""
FASTEST = 1000  # the most a learning rate may be; far beyond what makes sense, and still finite


@dataclass(frozen=True, kw_only=True, slots=True)
class BoostParams:
    """How to boost.

    Parameters
    ----------
    algorithm : str
        ``adaboost``, ``adaboost-real``, ``adaboost-mh``, ``samme`` or ``logitboost``; ``auto`` is
        ``adaboost-real`` for two classes and ``adaboost-mh`` for more.
    index : str or callable
        By what trees are grown. ``auto``: sqrt for ``adaboost-real``, whose Z it is; gini for
        ``adaboost`` and ``samme``. The other algorithms have an index of their own and no choice.
    learning_rate : float
        What every vote is multiplied by, at most 1 in the theorems.
    smoothing : float or "auto"
        What ``adaboost-real`` and ``adaboost-mh`` add to the weights in a leaf, where those of all
        rows add up to 1; ``auto`` is half of what one row weighs.
    grow : GrowParams
        How each tree is grown.
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
        if not _is_number(self.learning_rate) or not 0 < self.learning_rate <= FASTEST:
            raise ParameterError(
                f"learning_rate must be a number above 0 and at most {FASTEST}, "
                f"got {self.learning_rate!r}; 1 is the algorithms' own, less is more careful"
            )
        if not _is_word(self.smoothing, "auto") and (
            not _is_number(self.smoothing) or not 0 <= self.smoothing < float("inf")
        ):
            raise ParameterError(
                f"smoothing must be 'auto' or a number of at least 0, got {self.smoothing!r}"
            )

    def kind(self, n_classes: int) -> type[Algorithm]:
        """Return the class of the algorithm for so many classes."""
        name = self.algorithm
        if name == "auto":
            name = "adaboost-real" if n_classes == 2 else "adaboost-mh"
        known = _TWO if n_classes == 2 else _MANY
        if name not in known:
            raise ParameterError(
                f"{name} knows two classes and y has {n_classes}: take 'adaboost-mh', 'samme' or "
                "'logitboost'"
            )
        kind = known[name]
        if not kind.smooths and not _is_word(self.smoothing, "auto"):
            raise ParameterError(
                f"smoothing is for adaboost-real and adaboost-mh; {name} has no use for it"
            )
        return kind

    def algorithm_on(self, sample: Sample, threads: int = 1) -> Algorithm:
        """Return the algorithm, ready to boost on a sample."""
        smoothing = None if _is_word(self.smoothing, "auto") else float(self.smoothing)
        kind = self.kind(sample.n_classes)
        algorithm = kind(sample, float(self.learning_rate), smoothing)
        algorithm.threads = threads
        return algorithm

    def index_for(self, n_classes: int) -> Index:
        """Return the index trees are grown by."""
        kind = self.kind(n_classes)
        auto = _is_word(self.index, "auto") or _is_word(self.index, kind.index)
        if auto and kind.index in LAYERED:
            return LAYERED[kind.index]
        if auto:
            return resolve(kind.index)
        if not kind.free_index:
            raise ParameterError(
                f"{kind.name} grows its trees by the {kind.index!r} index; leave index='auto'"
            )
        return resolve(self.index, n_classes)


def _is_number(value: Any) -> bool:
    return type(value) is not bool and isinstance(value, Real)


def _is_word(value: Any, word: str) -> bool:
    return isinstance(value, str) and value == word
