"""The class shares of the nodes, as ``predict_proba`` gives them."""

import numpy as np

from polytomy._errors import ParameterError
from polytomy._types import FloatArray
from polytomy.model import Model


def shares_of(model: Model, smoothing: float = 0.0) -> FloatArray:
    """Return the class shares of each node, (nodes, classes); ``smoothing`` adds to each weight."""
    if not 0 <= smoothing < np.inf:
        raise ParameterError(f"smoothing must be a number of at least 0, got {smoothing!r}")
    counts = model.tree.counts + smoothing
    return np.asarray(counts / counts.sum(axis=1, keepdims=True))
