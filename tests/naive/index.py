"""Index functions as the books print them, one count vector at a time."""

from math import log2, sqrt


def naive_sqrt(counts):
    return sum(sqrt(c) for c in counts) ** 2 - sum(counts)


def naive_gini(counts):
    n = sum(counts)
    return 2 * (n - sum(c * c for c in counts) / n) if n else 0.0


def naive_entropy(counts):
    n = sum(counts)
    return -sum(c * log2(c / n) for c in counts if c)


def naive_error(counts):
    return 2 * (sum(counts) - max(counts))


NAIVE_INDEX = {
    "sqrt": naive_sqrt,
    "gini": naive_gini,
    "entropy": naive_entropy,
    "error": naive_error,
}
