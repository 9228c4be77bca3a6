"""The costs of mistakes in words."""

import numpy as np

from polytomy._text import class_title
from polytomy.costs import Costs
from polytomy.density import DensityModel

from .predictions import AnyModel

_MOST = 4  # pairs of classes that are listed


def describe_costs(model: AnyModel) -> list[str]:
    """Return what mistakes cost, and what those of a tree cost, one sentence for each fact.

    Parameters
    ----------
    model : Model or DensityModel
        The model.

    Returns
    -------
    list of str
        The sentences; none for a tree without costs.
    """
    if isinstance(model, DensityModel) or model.costs is None or model.training_cost is None:
        return []
    mean = f"The training rows cost {model.training_cost:.4g} on average"
    if model.expected_cost is not None:
        mean += f"; {model.expected_cost:.4g} is to be expected of new rows"
    listed = _listed(model.costs, [class_title(name) for name in model.class_names])
    return [f"Leaves predict the class of least cost: {listed}.", f"{mean}."]


def _listed(costs: Costs, names: list[str]) -> str:
    """Return the largest costs, each with its pair of classes, and the range of the others."""
    off = ~np.eye(len(names), dtype=bool)
    pairs = np.argwhere(off | (costs.matrix > 0))
    amounts = costs.matrix[tuple(pairs.T)]
    order = np.argsort(-amounts, kind="stable")
    shown = order if len(order) <= _MOST else order[: _MOST - 1]
    words = [
        f"{names[i]} predicted as {names[j]} costs {costs.matrix[i, j]:.6g}"
        for i, j in pairs[shown].tolist()
    ]
    rest = amounts[order[len(shown) :]]
    if len(rest):
        least, most = float(rest.min()), float(rest.max())
        span = f"{most:.6g}" if least == most else f"{least:.6g} to {most:.6g}"
        words.append(f"the {len(rest)} other mistakes {span}")
    return ", ".join(words)
