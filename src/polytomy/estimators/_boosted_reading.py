"""What a fitted ensemble can print and draw."""

from typing import Any

from sklearn.utils.validation import check_is_fitted

from polytomy.boost import Rounds
from polytomy.ensemble import Ensemble
from polytomy.export import scores_to_text
from polytomy.plot import plot_importances, plot_margins, plot_rounds, plot_scores


class BoostedReading:
    """Ways to read an ensemble; figures need matplotlib (``pip install "polytomy[plot]"``)."""

    _model: Ensemble
    rounds_: Rounds
    n_rounds_: int

    def to_text(self, max_width: int = 100, max_rows: int = 16) -> str:
        """Return what each column adds to the votes, as a table; of stumps, that is all there is.

        Parameters
        ----------
        max_width : int
            Lines are cut to so many characters.
        max_rows : int
            The most rows a column gets; neighbours that differ least are joined.
        """
        check_is_fitted(self)
        return scores_to_text(self._model, max_width, max_rows)

    def plot_scores(self, most: int = 12, wide: int = 3) -> list[Any]:
        """Draw what each column adds to the votes, one panel each; of stumps only."""
        check_is_fitted(self)
        return plot_scores(self._model, most, wide)

    def plot_importances(self, ax: Any = None, most: int = 20) -> Any:
        """Draw how much each column gained, as a share of what all did, the largest on top."""
        check_is_fitted(self)
        shares = self.feature_importances_  # type: ignore[attr-defined]
        return plot_importances(self._model.schema.names, shares, ax, most)

    def plot_rounds(self, ax: Any = None) -> Any:
        """Draw the errors and their bounds against the rounds."""
        check_is_fitted(self)
        best = self.n_rounds_ if self.n_rounds_ < len(self.rounds_) else None
        return plot_rounds(self.rounds_, ax, best)

    def plot_margins(self, X: Any, y: Any, ax: Any = None) -> Any:
        """Draw which share of the rows has at most each margin."""
        return plot_margins(self.margins(X, y), ax)  # type: ignore[attr-defined]
