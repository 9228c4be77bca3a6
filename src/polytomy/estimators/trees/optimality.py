"""Comparing a fitted tree with the best tree of its size."""

from time import perf_counter
from typing import Any

import numpy as np

from polytomy._errors import ParameterError
from polytomy._numbers import is_integer, is_real
from polytomy.encode import Target, encode_with
from polytomy.estimators.base.rows import LabelledRows
from polytomy.grow import FAMILIES, GrowParams
from polytomy.model import Model
from polytomy.optimal import MAX_LEAVES, DistinctRows, Optimality, SearchLimits, bound_errors
from polytomy.predict import apply

_FAMILIES_OF_KIND = {"ordered": ("intervals",), "nominal": ("values", "groups")}
_RESTRICTIONS: dict[str, Any] = {  # parameters that restrict trees, and their values if they do not
    "max_depth": None,
    "min_samples_split": 2,
    "min_samples_leaf": 1,
    "min_weight_fraction_leaf": 0.0,
}


def optimality_of(
    model: Model,
    rows: LabelledRows,
    params: GrowParams,
    limits: tuple[Any, Any],
    threads: int,
) -> Optimality:
    """Return the training error of a tree and bounds on that of the best tree.

    ``limits`` are the most leaves (None for those of the tree) and the time limit, not yet checked.
    """
    begin = perf_counter()
    max_leaves, seconds = _checked_limits(*limits)
    own = [family for family in params.families if not isinstance(family, str)]
    if own:
        raise ParameterError(
            f"optimality needs the built-in families {', '.join(FAMILIES)}: it cannot list all "
            f"splits that {own[0].name!r} might propose"
        )
    if model.tree.costs is not None:
        raise ParameterError(
            "optimality bounds errors that cost the same whatever is predicted instead; the costs "
            "of this tree depend on the predicted class"
        )
    n_leaves = model.tree.n_leaves
    leaves = n_leaves if max_leaves is None else max_leaves
    if leaves < n_leaves:
        raise ParameterError(
            f"the tree has {n_leaves} leaves, more than max_leaves={leaves}: prune it first, for "
            f"example with pruning_path().at({leaves})"
        )
    target, coded = rows.target, encode_with(model.schema, rows.table)
    kinds = tuple(k for k, f in _FAMILIES_OF_KIND.items() if set(f) & set(params.families))
    distinct = DistinctRows.of(coded, target, kinds)
    wrong = model.tree.label[apply(model.tree, model.schema, rows.table, threads)] != rows.labels
    errors = _weight_of(target, wrong)
    left = max(0.0, seconds - (perf_counter() - begin))
    found = bound_errors(distinct, SearchLimits(leaves, left), errors)
    total = _weight_of(target, np.ones_like(wrong))
    return Optimality(
        leaves=leaves,
        error=errors / total,
        bound=found.lower / total,
        best=found.upper / total,
        unavoidable=distinct.unavoidable / total,
        relaxed=_relaxed(params, "nominal" in kinds and bool(model.schema.of_kind("nominal"))),
        seconds=perf_counter() - begin,
    )


def _checked_limits(max_leaves: Any, seconds: Any) -> tuple[int | None, float]:
    if max_leaves is not None and not (is_integer(max_leaves) and 1 <= max_leaves <= MAX_LEAVES):
        raise ParameterError(
            f"max_leaves must be None or an integer from 1 to {MAX_LEAVES}, got {max_leaves!r}"
        )
    if not is_real(seconds) or not float(seconds) >= 0:
        raise ParameterError(f"time_limit must be a number of at least 0, got {seconds!r}")
    return None if max_leaves is None else int(max_leaves), float(seconds)


def _weight_of(target: Target, which: np.ndarray[Any, np.dtype[np.bool_]]) -> int:
    """Return the weight of some rows, in units."""
    return int(which.sum() if target.units is None else target.units[which].sum())


def _relaxed(params: GrowParams, uses_categories: bool) -> tuple[str, ...]:
    """Return the parameters that restrict trees more than the search does."""
    names = [n for n, free in _RESTRICTIONS.items() if getattr(params, n) != free]
    if uses_categories and "groups" not in params.families:
        names.append("families")
    return tuple(names)
