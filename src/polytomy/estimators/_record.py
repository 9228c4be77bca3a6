"""From the grower's record to the certificate's, which knows nothing of growing."""

from itertools import starmap

from polytomy.certify import Retired, Rules, Run, Split, Weighting
from polytomy.grow import Growth


def run_of(growth: Growth, weighting: Weighting = "none") -> Run:
    """Return a growth's record as plain facts."""
    params = growth.params
    built_in = tuple(family for family in params.families if isinstance(family, str))
    rules = Rules(
        procedure=params.procedure,
        order=params.order,
        gamma=None if params.gamma is None else float(params.gamma),
        max_leaves=params.max_leaves,
        families=built_in,
        own_families=len(built_in) < len(params.families),
        min_samples_leaf=params.min_samples_leaf,
        min_weight_fraction_leaf=float(params.min_weight_fraction_leaf),
    )
    splits = tuple(starmap(Split, growth.facts()))
    retired = tuple(Retired(r.leaf, r.reason, r.leaves) for r in growth.retirements)
    return Run(
        rules, growth.index, splits, retired, weighting, "callback" if growth.stopped else None
    )
