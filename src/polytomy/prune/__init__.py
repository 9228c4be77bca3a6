"""Pruning of trees of any arity; the size of a tree is its number of leaves.

A **cut** is the set of nodes that become leaves. **Errors** are weighted, and counted in integer
units so that ties are exact. The label of a node is its training majority, the lower class on a
tie. **Held** rows were held out from growing. A **path** holds a pruning for every size, or for
every price of a leaf.

>>> resolve("chi-square")
ChiSquare(max_p_chance=0.05, adjusted=False)
"""

from typing import Any

from polytomy._errors import ParameterError

from .chi_square import AdjustedPChance, ChiSquare, PChance, adjusted_p_chance, chi_square, p_chance
from .conservative import Conservative, conservative
from .cost_complexity import CostComplexity, CostPath
from .error_budget import (
    ErrorBudget,
    PruningPath,
    first_least,
    one_standard_error,
    srm_scores,
)
from .pessimistic import Pessimistic, pessimistic, upper_limit
from .priced_path import MergedNodes, PricedPath, SizeFigures
from .pruner import Evidence, Pruner, Rows
from .reduced_error import ReducedError, reduced_error
from .units import held_losses, node_counts

PRUNERS: dict[str, type[Pruner]] = {
    cls.name: cls
    for cls in (ReducedError, Conservative, ErrorBudget, ChiSquare, CostComplexity, Pessimistic)
}


def resolve(pruner: Any) -> Pruner:
    """Return a pruner from its name or from a pruner object.

    Parameters
    ----------
    pruner : str or Pruner
        A name in ``PRUNERS``, which gives the pruner with its default parameters, or a pruner.

    Returns
    -------
    Pruner
        The pruner.
    """
    if isinstance(pruner, Pruner):
        return pruner
    if isinstance(pruner, str) and pruner in PRUNERS:
        return PRUNERS[pruner]()
    raise ParameterError(
        f"pruner must be one of {', '.join(PRUNERS)}, or a pruner from polytomy.prune such as "
        f"ReducedError(fraction=0.3); got {pruner!r}"
    )


__all__ = [
    "PRUNERS",
    "AdjustedPChance",
    "ChiSquare",
    "Conservative",
    "CostComplexity",
    "CostPath",
    "ErrorBudget",
    "Evidence",
    "MergedNodes",
    "PChance",
    "Pessimistic",
    "PricedPath",
    "Pruner",
    "PruningPath",
    "ReducedError",
    "Rows",
    "SizeFigures",
    "adjusted_p_chance",
    "chi_square",
    "conservative",
    "first_least",
    "held_losses",
    "node_counts",
    "one_standard_error",
    "p_chance",
    "pessimistic",
    "reduced_error",
    "resolve",
    "srm_scores",
    "upper_limit",
]
