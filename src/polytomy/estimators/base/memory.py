"""What a fitted estimator remembers of its training data, for its model file."""

from typing import TYPE_CHECKING

from polytomy.io import TrainingRecord

if TYPE_CHECKING:
    from .models import BaseTreeModel


def remember(clf: "BaseTreeModel", record: TrainingRecord | None) -> None:
    """Attach what is known of the training data to a fitted estimator.

    Parameters
    ----------
    clf : TreeClassifier, ForestRegressor, DensityTree, ...
        The estimator.
    record : TrainingRecord or None
        The record; it holds for this fit only.
    """
    clf._remembered = (clf._model, record)


def record_of(clf: "BaseTreeModel") -> TrainingRecord | None:
    """Return what is known of the training data of a fitted estimator, or None.

    Parameters
    ----------
    clf : TreeClassifier, ForestRegressor, DensityTree, ...
        The estimator.

    Returns
    -------
    TrainingRecord or None
        The record, unless the estimator was fitted again.
    """
    model, record = getattr(clf, "_remembered", (None, None))
    return record if model is clf._model else None
