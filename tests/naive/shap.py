"""Shapley values of one row by their definition: a sum over all subsets of the columns."""

from itertools import combinations
from math import factorial

import numpy as np

from tests.naive.route import naive_branch


def naive_value(tree, schema, row, known, values, cover, node=0):
    """Return the expected prediction for a row if only some of its columns are known.

    At a split by an unknown column, the children are averaged with the weights ``cover``.
    """
    split = tree.split(node)
    if split is None:
        return values[node]
    children = tree.children(node).tolist()
    if split.feature in known:
        child = children[naive_branch(split, schema, row)]
        return naive_value(tree, schema, row, known, values, cover, child)
    below = [naive_value(tree, schema, row, known, values, cover, child) for child in children]
    return np.average(below, axis=0, weights=cover[children])


def naive_shap(tree, schema, row, values, cover):
    """Return the Shapley values of one row, an array of shape (columns, outputs)."""
    n = len(schema)
    out = np.zeros((n, values.shape[1]))
    for column in range(n):
        others = [j for j in range(n) if j != column]
        for size in range(n):
            share = factorial(size) * factorial(n - size - 1) / factorial(n)
            for known in combinations(others, size):
                more = naive_value(tree, schema, row, {*known, column}, values, cover)
                less = naive_value(tree, schema, row, set(known), values, cover)
                out[column] += share * (more - less)
    return out
