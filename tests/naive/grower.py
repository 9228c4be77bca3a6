"""Prices and acceptability of ``polytomy.reference`` for the parameters of ``polytomy.grow``."""

from math import inf

from polytomy.reference import acceptable, price
from polytomy.reference import e as naive_e


def naive_price(params, k):
    return price(params.procedure, k, params.gamma)


def naive_acceptable(params, k, leaves):
    s = inf if params.max_leaves is None else params.max_leaves
    return acceptable(params.procedure, k, leaves, s, params.gamma)


__all__ = ["naive_acceptable", "naive_e", "naive_price"]
