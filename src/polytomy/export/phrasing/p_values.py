"""The p-value of each split as text: how easily chance would make a split look as good."""

from dataclasses import replace
from math import inf, log

import numpy as np
from scipy.special import betainc

from polytomy.index import squared_error
from polytomy.model import Model
from polytomy.prune import AdjustedPChance, adjusted_p_chance
from polytomy.prune.split_options import split_options
from polytomy.theory import cases_per_weight
from polytomy.tree import LEAF

_FEW = 5  # with fewer cases than this in a branch, the F test is approximate
_LEAST_LOG = -690.0  # of a p-value; smaller ones underflow


def describe_p_values(model: Model) -> dict[int, str]:
    """Return the text of each split's p-value, by node.

    Parameters
    ----------
    model : Model
        The model; its classes are tested by chi-square, a numeric target by ``anova_p_chance``.

    Returns
    -------
    dict
        From the nodes of ``model.tree`` that are not leaves.
    """
    tree = model.tree
    if model.is_numeric:
        found = anova_p_chance(model)
    else:  # a test counts cases, whatever their mistakes cost
        tested = tree if model.costs is None else replace(tree, counts=model.case_counts)
        found = adjusted_p_chance(tested, model.schema)
    notes = {}
    for node in np.flatnonzero(tree.kind != LEAF).tolist():
        adjusted, plain = format_p(found.p[node]), format_p(found.plain[node])
        alone = "" if plain == adjusted else f", alone {plain}"
        rough = ", rough" if found.few[node] else ""
        notes[node] = f"  (p_chance {adjusted}{alone}{rough})"
    return notes


def anova_p_chance(model: Model) -> AdjustedPChance:
    """Return the p-values of the splits of a numeric target by one-way analysis of variance.

    The plain p-value is that of the F test of the means of k branches, written as a test of the
    fraction R of the node's squared error that the split removes: if the target is normal and
    independent of the split, R has a beta distribution with parameters (k - 1) / 2 and (n - k) / 2.
    It is adjusted for the choice of the split as ``polytomy.prune.adjusted_p_chance`` is: by the
    number of splits of the column, or by a test of R as that of the finest split, which removes at
    least as much, whichever is smaller, times the number of columns.

    Parameters
    ----------
    model : Model
        A model of a numeric target.

    Returns
    -------
    AdjustedPChance
        The p-values of each node of ``model.tree``. They are approximate if a branch has fewer
        than 5 cases.
    """
    tree, schema = model.tree, model.schema
    cases = tree.weight * cases_per_weight(int(tree.rows[0]), float(tree.weight[0]))
    errors, options = squared_error(tree.counts), split_options(tree, schema, at_node=True)
    n_columns = max(1, sum(n > 1 for n in schema.n_codes()))
    plain = np.where(tree.kind == LEAF, np.nan, 1.0)
    p, few = plain.copy(), np.zeros(tree.n_nodes, dtype=bool)
    for node in np.flatnonzero(tree.kind != LEAF).tolist():
        children = tree.children(node)
        few[node] = bool((cases[children] < _FEW).any())
        if not errors[node] > 0:
            continue
        left = float(errors[children].sum() / errors[node])
        alone = _log_tail(len(children), float(cases[node]), left)
        finest = _log_tail(float(options.n_values[node]), float(cases[node]), left)
        chosen = min(options.log_count[node] + alone, finest)
        plain[node], p[node] = np.exp(alone), np.exp(min(0.0, log(n_columns) + chosen))
    return AdjustedPChance(p, plain, few, options.log_count, n_columns)


def _log_tail(groups: float, cases: float, left: float) -> float:
    """Return the log of the probability that random groups leave at most this error, or less."""
    if not groups < min(cases, inf):
        return 0.0
    p = float(betainc((cases - groups) / 2, (groups - 1) / 2, min(max(left, 0.0), 1.0)))
    return log(p) if p > np.exp(_LEAST_LOG) else _LEAST_LOG


def format_p(p: float) -> str:
    """Return a p-value as text."""
    return "< 0.0001" if p < 0.0001 else f"{p:.4f}"
