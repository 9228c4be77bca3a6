"""What a fitted classifier can draw."""

from typing import Any

from sklearn.utils.validation import check_is_fitted

from polytomy.model import Model
from polytomy.plot import plot_growth


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
