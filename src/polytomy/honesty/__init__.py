"""Honest leaves: what to expect of new rows, learned by cross-fitting."""

from .learning import FoldLeaves, Honesty
from .means import honest_means, learn_honest_means, mean_intervals, variances
from .shares import honest_intervals, honest_shares, learn_honesty, wilson

__all__ = [
    "FoldLeaves",
    "Honesty",
    "honest_intervals",
    "honest_means",
    "honest_shares",
    "learn_honest_means",
    "learn_honesty",
    "mean_intervals",
    "variances",
    "wilson",
]
