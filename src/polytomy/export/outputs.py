"""The numbers that the nodes of a tree predict: class shares, means or log-densities."""

import numpy as np

from polytomy._errors import ParameterError, TreeError
from polytomy._types import FloatArray
from polytomy.density import DensityModel
from polytomy.model import Model

from .phrasing import AnyModel, class_shares


def node_outputs(model: AnyModel, smoothing: float = 0.0) -> FloatArray:
    """Return the numbers that each node predicts.

    Parameters
    ----------
    model : Model or DensityModel
        The model.
    smoothing : float, default=0.0
        Weight added to each class; not to honest shares, nor to means.

    Returns
    -------
    ndarray of shape (n_nodes, n_outputs)
        The class shares, as ``predict_proba`` returns them for leaves. For a numeric target, one
        column with the means that ``predict`` returns; for a density tree, the log-densities.
    """
    if isinstance(model, Model) and not model.is_numeric:
        return class_shares(model, smoothing)
    if smoothing:
        raise ParameterError("smoothing is for class shares, but the tree predicts numbers")
    return node_numbers(model)[:, None]


def predicts_numbers(model: AnyModel) -> bool:
    """Return whether the leaves of a tree predict a number each, rather than a class."""
    return isinstance(model, DensityModel) or model.is_numeric


def node_numbers(model: AnyModel) -> FloatArray:
    """Return the number that each node predicts, if they predict numbers.

    Parameters
    ----------
    model : Model or DensityModel
        A model of a numeric target, or a density tree.

    Returns
    -------
    ndarray of shape (n_nodes,)
        The means that ``predict`` returns, or the log-densities inside the boxes.
    """
    if isinstance(model, DensityModel):
        return model.log_density
    return model.node_means.expected


def leaf_numbers(model: AnyModel) -> dict[int, float]:
    """Return the number of each leaf for code, which has no literal for an infinite one."""
    leaves = model.tree.leaves()
    numbers = node_numbers(model)[leaves]
    if not np.isfinite(numbers).all():
        raise TreeError(
            "an empty box without smoothing has the log-density -inf, which code cannot express; "
            "fit with smoothing > 0"
        )
    return dict(zip(leaves.tolist(), numbers.tolist(), strict=True))


def refuse_probabilities(model: AnyModel, parameter: str) -> None:
    """Raise an error if ``parameter`` asks for probabilities, but there are no classes."""
    if isinstance(model, DensityModel):
        raise ParameterError(f"{parameter} is for classifiers: a density tree has no classes")
    if model.is_numeric:
        raise ParameterError(
            f"{parameter} is for classifiers: a regression tree predicts a number and has no "
            "class probabilities"
        )
