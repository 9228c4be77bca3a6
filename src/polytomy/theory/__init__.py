"""The boosting theorems for trees: rates, prices, bounds, numbers of splits, and the games.

>>> round(e(4, 0.3), 4), round(phi(6, 0.2), 3)
(0.5355, 0.576)
"""

from .bounds import (
    Plan,
    VCBounds,
    occam_bound,
    plan,
    sample_size,
    srm_gap,
    tree_size_bound,
    vc_bounds,
)
from .branching_game import BranchingGame
from .prices import (
    Prices,
    cases_per_weight,
    column_cost,
    impurity_share,
    loss_index,
    losses,
    mean_mistake,
    questions,
    tree_cost,
)
from .rates import (
    BY_GAIN,
    LEAF_ORDERS,
    PROCEDURES,
    acceptable,
    e,
    g,
    phi,
    price,
    steps_for,
)
from .split_counts import log_n_splits
from .vw_growth import VWGrowth
from .vw_tree import VWTree
from .weak_learning import balanced_edge, edge_to_advantage, weak_to_growth
from .weight_game import WeightDistributionGame

__all__ = [
    "BY_GAIN",
    "LEAF_ORDERS",
    "PROCEDURES",
    "BranchingGame",
    "Plan",
    "Prices",
    "VCBounds",
    "VWGrowth",
    "VWTree",
    "WeightDistributionGame",
    "acceptable",
    "balanced_edge",
    "cases_per_weight",
    "column_cost",
    "e",
    "edge_to_advantage",
    "g",
    "impurity_share",
    "log_n_splits",
    "loss_index",
    "losses",
    "mean_mistake",
    "occam_bound",
    "phi",
    "plan",
    "price",
    "questions",
    "sample_size",
    "srm_gap",
    "steps_for",
    "tree_cost",
    "tree_size_bound",
    "vc_bounds",
    "weak_to_growth",
]
