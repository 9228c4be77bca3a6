"""The numbers that the nodes of a tree predict: class shares, or the mean of a numeric target."""

from polytomy._errors import ParameterError
from polytomy._types import FloatArray
from polytomy.model import Model

from .phrasing import class_shares


def node_outputs(model: Model, smoothing: float = 0.0) -> FloatArray:
    """Return the numbers that each node predicts.

    Parameters
    ----------
    model : Model
        The model.
    smoothing : float, default=0.0
        Weight added to each class; not to honest shares, nor to means.

    Returns
    -------
    ndarray of shape (n_nodes, n_outputs)
        The class shares, as ``predict_proba`` returns them for leaves. For a numeric target, one
        column with the means that ``predict`` returns.
    """
    if not model.is_numeric:
        return class_shares(model, smoothing)
    if smoothing:
        raise ParameterError("smoothing is for class shares, but the target is numeric")
    return model.node_means.expected[:, None]


def refuse_probabilities(model: Model, parameter: str) -> None:
    """Raise an error if ``parameter`` asks for probabilities and the target is numeric."""
    if model.is_numeric:
        raise ParameterError(
            f"{parameter} is for classifiers: a regression tree predicts a number and has no "
            "class probabilities"
        )
