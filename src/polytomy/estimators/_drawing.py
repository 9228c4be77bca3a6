"""What a fitted classifier can draw."""

from typing import Any

from sklearn.utils.validation import check_is_fitted

from polytomy.model import Model
from polytomy.plot import plot_growth, plot_importances, plot_pruning_path, plot_tree


class Drawing:
    """Figures of a fitted classifier; they need matplotlib (``pip install "polytomy[plot]"``)."""

    _model: Model

    def plot(
        self,
        ax: Any = None,
        *,
        max_depth: int | None = None,
        orientation: str = "auto",
        legend: bool = True,
    ) -> Any:
        """Draw the tree: what nodes ask, what branches answer, and the classes of the leaves.

        Branches are as wide as their share of the training rows. Colours are the classes', the
        stronger the larger the share, and a bar in each node shows the shares of all classes.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; the tree is made to fit. By default on a new figure, as large as the
            tree needs.
        max_depth : int, optional
            Below so many questions, a dashed node says how many leaves follow.
        orientation : {"auto", "down", "right"}
            Where the tree grows to; by default down where it fits on a page, and else to the right.
        legend : bool
            Whether to show which colour is which class.
        """
        check_is_fitted(self)
        look: dict[str, Any] = {"orientation": orientation, "legend": legend}
        return plot_tree(self._model, ax, max_depth=max_depth, **look)

    def plot_importances(self, ax: Any = None, most: int = 20) -> Any:
        """Draw how much each column gained, as a share of what all did, the largest on top.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default on a new figure.
        most : int
            The most bars; the last is then the sum of the others. Columns not asked have none.
        """
        check_is_fitted(self)
        shares = self.feature_importances_  # type: ignore[attr-defined]
        return plot_importances(self._model.schema.names, shares, ax, most)

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
