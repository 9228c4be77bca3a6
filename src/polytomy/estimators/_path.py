"""The pruning path of a fitted classifier: the best tree of every size, and ways to choose."""

from typing import Any

import numpy as np

from polytomy._errors import ParameterError
from polytomy._types import FloatArray, IntArray
from polytomy.prune import ErrorBudget, PruningPath
from polytomy.table import frame_of

_SHOWN = 12  # sizes that a printed path shows


class ClassifierPath:
    """For every number of leaves the pruning with the fewest training errors.

    Sizes that no pruning has, or that save no error, are left out. Errors are weights of rows.

    Attributes
    ----------
    sizes : ndarray of int
        Leaves, ascending from 1.
    training_errors : ndarray of float
        The fewest training errors with at most so many leaves.
    validation_errors : ndarray of float or None
        The errors of the same trees on the held-out rows, if there were any.
    srm_scores : ndarray of float
        Training error + sqrt(leaves/m), as rates: what structural risk minimisation compares.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from polytomy import TreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> path = TreeClassifier(max_leaves=None).fit(X, y).pruning_path()
    >>> path.sizes[:4].tolist(), path.training_errors[:4].tolist()
    ([1, 2, 3, 4], [100.0, 50.0, 6.0, 4.0])
    >>> path.select("srm").n_leaves_
    3
    """

    def __init__(
        self,
        path: PruningPath,
        weights: tuple[float, float | None],
        classifier: Any,
    ) -> None:
        self._path, self._classifier = path, classifier
        self._weight, self._held_weight = weights
        self.sizes: IntArray = path.sizes
        self.training_errors: FloatArray = path.training_errors
        self.validation_errors: FloatArray | None = path.validation_errors

    def __len__(self) -> int:
        return len(self.sizes)

    def __repr__(self) -> str:
        return f"<pruning path of {len(self)} sizes, from 1 to {self.sizes[-1]} leaves>"

    @property
    def srm_scores(self) -> FloatArray:
        """Training error + sqrt(leaves/m) of each tree."""
        return self._path.srm_scores()

    def at(self, k: int) -> Any:
        """Return the classifier pruned to the best tree of at most ``k`` leaves."""
        self._path.nodes_at(k)  # says what is wrong with k in its own words
        return self._classifier.prune(ErrorBudget(select=int(k)))

    def for_errors(self, errors: float) -> Any:
        """Return the classifier with the smallest tree of at most so many training errors."""
        return self.at(self._path.for_errors(errors))

    def select(self, how: str, X: Any = None, y: Any = None, sample_weight: Any = None) -> Any:
        """Return the classifier that a criterion chooses, the smaller tree on a tie.

        Parameters
        ----------
        how : {"holdout", "srm", "cv"}
            The fewest errors on the held-out rows the path was made with; the least of
            ``srm_scores``; or cross-validation with the one-standard-error rule, which needs the
            training rows.
        X, y, sample_weight
            The training rows, for "cv".
        """
        if how not in ("holdout", "srm", "cv"):
            raise ParameterError(f"select must be 'holdout', 'srm' or 'cv', got {how!r}")
        if how == "cv":
            budget = ErrorBudget(select="cv", max_size=int(self.sizes[-1]))
            return self._classifier.prune(budget, X=X, y=y, sample_weight=sample_weight)
        return self.at(self._path.select(how))

    def to_frame(self) -> Any:
        """Return the path as a data frame: pandas, polars or pyarrow, whichever is installed."""
        columns: dict[str, Any] = {
            "leaves": self.sizes,
            "training_errors": self.training_errors,
            "training_error": self.training_errors / self._weight,
            "srm_score": self.srm_scores,
        }
        if self.validation_errors is not None and self._held_weight is not None:
            columns["validation_errors"] = self.validation_errors
            columns["validation_error"] = self.validation_errors / self._held_weight
        return frame_of({name: list(values) for name, values in columns.items()})

    def facts(self, X: Any = None, y: Any = None, sample_weight: Any = None) -> dict[str, Any]:
        """Return the path as error rates and choices, for drawing; "cv" if training rows come."""
        held, choices = self.validation_errors, self.choices()
        if X is not None:
            choices["cv"] = self.select("cv", X, y, sample_weight).n_leaves_
        return {
            "leaves": self.sizes,
            "training_error": self.training_errors / self._weight,
            "validation_error": None if held is None else held / (self._held_weight or 1.0),
            "choices": choices,
        }

    def choices(self) -> dict[str, int]:
        """Return the sizes that the criteria choose which need no further rows."""
        chosen = {"srm": self._path.select("srm")}
        if self.validation_errors is not None:
            chosen["holdout"] = self._path.select("holdout")
        return chosen

    def __str__(self) -> str:
        chosen: dict[int, list[str]] = {}
        for how, size in self.choices().items():
            chosen.setdefault(size, []).append(how)
        held, scores = self.validation_errors, self.srm_scores
        head = f"{'leaves':>8}{'training error':>17}{'SRM score':>12}"
        lines = [head + (f"{'held-out error':>17}" if held is not None else "")]
        for i in _shown(self.sizes, list(chosen)):
            if i < 0:
                lines.append(f"{'...':>8}")
                continue
            line = f"{self.sizes[i]:>8}{self.training_errors[i] / self._weight:>17.4f}"
            line += f"{scores[i]:>12.4f}"
            if held is not None and self._held_weight is not None:
                line += f"{held[i] / self._held_weight:>17.4f}"
            mark = ", ".join(chosen.get(int(self.sizes[i]), []))
            lines.append(f"{line}  <- {mark}" if mark else line)
        return "\n".join(lines)


def _shown(sizes: IntArray, always: list[int]) -> list[int]:
    """Return places to print, evenly spread in the logarithm, -1 where some are left out."""
    spread = np.geomspace(1, len(sizes), min(_SHOWN, len(sizes))).round().astype(int) - 1
    places = sorted({*spread.tolist(), *np.searchsorted(sizes, always).tolist()})
    out: list[int] = []
    for place in places:
        if out and place > out[-1] + 1:
            out.append(-1)
        out.append(place)
    return out
