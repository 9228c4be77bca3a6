"""The record of a growth in the form that certificates use."""

from dataclasses import replace
from itertools import starmap
from math import fsum

from polytomy._types import TIE, FloatArray
from polytomy.certify import Retired, Rules, Run, Split, Weighting
from polytomy.grow import GrowParams, Growth


def run_of(growth: Growth, weighting: Weighting = "none") -> Run:
    """Return the record of a growth in the form that certificates use.

    Parameters
    ----------
    growth : Growth
        A finished growth.
    weighting : {"none", "rows", "classes", "costs"}, default="none"
        How the rows were weighted: equally, by case counts, by class weights, or by costs.

    Returns
    -------
    Run
        The record.
    """
    splits = tuple(starmap(Split, growth.facts()))
    if growth.index.is_numeric:
        splits = _by_moments(splits, growth.index.value(growth.tree.counts))
    retired = tuple(Retired(r.leaf, r.reason, r.leaves) for r in growth.retirements)
    rules, stopped = rules_of(growth.params), "callback" if growth.stopped else None
    return Run(rules, growth.index, splits, retired, weighting, stopped)


def rules_of(params: GrowParams) -> Rules:
    """Return growth parameters in the form that certificates use."""
    built_in = tuple(family for family in params.families if isinstance(family, str))
    return Rules(
        procedure=params.procedure,
        order=params.order,
        gamma=None if params.gamma is None else float(params.gamma),
        max_leaves=params.max_leaves,
        families=built_in,
        own_families=len(built_in) < len(params.families),
        min_samples_leaf=params.min_samples_leaf,
        min_weight_fraction_leaf=float(params.min_weight_fraction_leaf),
        monotonic=params.monotonic,
        constraints=params.constraints,
    )


def _by_moments(splits: tuple[Split, ...], impurity: FloatArray) -> tuple[Split, ...]:
    """Return the splits with impurities and gains from the moments of the nodes.

    The engine subtracts residues from sums that may be much larger, so its own are less accurate.
    """
    exact = []
    for split in splits:
        whole = float(impurity[split.leaf])
        gain = whole - fsum(impurity[list(split.children)])
        gain = gain if gain > TIE * whole else 0.0
        binary = split.best_binary_gain
        if binary is not None:
            binary = gain if split.arity == 2 and binary == split.gain else min(binary, whole)
        exact.append(replace(split, weight=whole, gain=gain, best_binary_gain=binary))
    return tuple(exact)
