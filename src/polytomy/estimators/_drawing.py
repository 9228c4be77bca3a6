"""What a fitted classifier can draw."""

from typing import Any

from sklearn.utils.validation import check_is_fitted

from polytomy.model import Model
from polytomy.plot import plot_growth, plot_pruning_path


class Drawing:
    """Figures of a fitted classifier; they need matplotlib (``pip install "polytomy[plot]"``)."""

    _model: Model

    def plot_growth(self, ax: Any = None) -> Any:
        """Draw I(T) and the training error against the leaves, with the certificate's bounds.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default on a new figure.
        """
        check_is_fitted(self)
        return plot_growth(self._model.certificate, ax)

    def plot_pruning_path(
        self,
        X_val: Any = None,
        y_val: Any = None,
        max_size: int | None = None,
        *,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        ax: Any = None,
    ) -> Any:
        """Draw training and held-out error of the best pruning of every size.

        What each way of selecting would choose is marked.

        Parameters
        ----------
        X_val, y_val
            Held-out rows and their classes.
        max_size : int, optional
            The most leaves drawn; by default all.
        X, y, sample_weight
            The training rows, to mark what cross-validation chooses too.
        ax : matplotlib Axes, optional
            Where to draw; by default on a new figure.
        """
        path = self.pruning_path(X_val, y_val, max_size)  # type: ignore[attr-defined]
        return plot_pruning_path(path.facts(X, y, sample_weight), ax)
