"""How many branching functions a node could have asked: what its question costs to say."""

import json
from functools import lru_cache
from math import comb, inf, log

import numpy as np

from polytomy._errors import TreeError
from polytomy._types import UNSEEN, FloatArray
from polytomy.encode import Schema
from polytomy.tree import Branching, CodeQuestion, IntervalQuestion, OwnQuestion, Question, Tree


def log_options(tree: Tree, schema: Schema) -> FloatArray:
    """Return, for each node, the log of how many questions of its arity its column has.

    - b bins of an ordered column in k ranges: C(b-1, k-1).
    - c categories in k groups: the Stirling number S(c, k).
    - one branch for each category at the node, in their order: 1. A tree does not say which family
      asked; this is what ``values`` asks.

    Where the column has missing cells they may join any branch or have their own, which are more
    questions: k C(b-1, k-1) + C(b-1, k-2); S(c+1, k), missing being one more category; and k + 1. A
    user's own question costs what its ``n_options`` says, if it has that, else its description: 8
    bits for each character of its plain data. Leaves cost nothing.
    """
    out = np.zeros(tree.n_nodes)
    for node in range(tree.n_nodes):
        question = tree.question(node)
        if question is not None:
            out[node] = _of_question(question, schema)
            if out[node] == -inf:
                raise TreeError(
                    f"the schema is not this tree's: node {node} cannot ask what it asks"
                )
    return out


def _of_question(question: Question, schema: Schema) -> float:
    if isinstance(question, OwnQuestion):
        return _of_own(question.branching)
    spec, k = schema[question.feature], question.arity
    if isinstance(question, IntervalQuestion):
        return log_ranges(spec.n_values, k, spec.has_missing)
    if _is_values(question):
        return log(k + 1) if spec.has_missing else 0.0
    return log_stirling(spec.n_values + spec.has_missing, k)


def _is_values(question: CodeQuestion) -> bool:
    seen = question.code_to_branch[question.code_to_branch != UNSEEN]
    return bool((seen == np.arange(len(seen))).all())


def _of_own(branching: Branching) -> float:
    told = getattr(branching, "n_options", None)
    if told is not None:
        return log(told)
    return 8 * len(json.dumps(branching.to_plain(), default=str)) * log(2)


@lru_cache(maxsize=4096)
def log_ranges(bins: int, k: int, has_missing: bool) -> float:
    """Return the log of the number of ways to cut bins into k ranges, missing cells placed.

    >>> from math import exp
    >>> round(exp(log_ranges(5, 3, False))), round(exp(log_ranges(5, 3, True)))
    (6, 22)
    """
    ways = comb(bins - 1, k - 1)
    if has_missing:
        ways = k * ways + comb(bins - 1, k - 2)
    return log(ways) if ways else -inf  # Python's log takes integers of any size


@lru_cache(maxsize=4096)
def log_stirling(n: int, k: int) -> float:
    """Return the log of the Stirling number S(n, k): partitions of n things into k groups.

    >>> from math import exp
    >>> round(exp(log_stirling(5, 3)))
    25
    """
    if not 1 <= k <= n:
        return -inf
    size = np.log(np.arange(1, k + 1))
    row = np.full(k + 1, -inf)  # of 0, 1, ..., k groups
    row[1] = 0.0
    for _ in range(n - 1):  # S(n, k) = k S(n-1, k) + S(n-1, k-1), in logs: they outgrow floats
        row[1:] = np.logaddexp(size + row[1:], row[:-1])
    return float(row[k])
