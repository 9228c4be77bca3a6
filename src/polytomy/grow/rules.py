"""What the engine is given besides the codes: its rules, and a target in its form."""

from dataclasses import dataclass
from typing import Any

from polytomy import kernels
from polytomy._errors import ParameterError
from polytomy._numbers import is_integer
from polytomy._threads import checked_threads
from polytomy._types import IntArray, LabelArray
from polytomy.encode import Layer, NumericTarget, Residues, Target
from polytomy.index import NUMERIC, Index, resolve
from polytomy.theory import cases_per_weight

from .params import GrowParams

_MOST_LEAVES = 1 << 53  # larger integers are not exact in float64


@dataclass(frozen=True, slots=True)
class Tuning:
    """Settings that change how long a run takes, and never its tree.

    Parameters
    ----------
    threads : int, default=1
        The number of threads.
    small : int or None, default=None
        Rows up to which the histograms of a node list only the codes present; None for twice the
        mean number of codes of a column.
    apart : int or None, default=0
        Rows up to which a subtree is grown by a single thread, in runs without a budget; 0 for
        never, None for a size that keeps all threads busy. Such a run can neither be restarted nor
        read out its rows' leaves.
    subtree : int or None, default=None
        Rows up to which all splits below a node are found at once, in runs without a budget that
        allow it; 0 for never, None for a number that was found to be fast.
    batch : int, default=1
        Leaves to request from a source at a time, ahead of need.
    """

    threads: int = 1
    small: int | None = None
    apart: int | None = 0
    subtree: int | None = None
    batch: int = 1

    def __post_init__(self) -> None:
        checked_threads(self.threads)
        for name, least in (("small", 0), ("apart", 0), ("subtree", 0), ("batch", 1)):
            value = getattr(self, name)
            if name != "batch" and value is None:
                continue
            if not is_integer(value) or not (least <= int(value) <= _MOST_LEAVES):
                raise ParameterError(
                    f"{name} must be an integer of at least {least}, got {value!r}"
                )


def target_arguments(
    target: Target,
) -> tuple[LabelArray, IntArray | None, list[Layer], int, Residues | None]:
    """Return a target as the engine takes it."""
    return target.labels, target.units, list(target.more), target.n_classes, target.residues


def resolved(index: Any, n_classes: int) -> Index:
    """Return the index of a name, for classes or numbers, or that of a user's function.

    Parameters
    ----------
    index : str or callable
        A name in ``polytomy.index.INDICES`` or ``NUMERIC``, or a function on count vectors.
    n_classes : int
        The number of classes for which a user's function is checked.

    Returns
    -------
    Index
        The index.
    """
    is_numeric = isinstance(index, str) and index in NUMERIC
    return NUMERIC[index] if is_numeric else resolve(index, n_classes)


def span_of(target: Target) -> float:
    """Return the range of the numbers of a target; 1 for classes."""
    return target.scale.span if isinstance(target, NumericTarget) else 1.0


def cases_per_unit(target: Target) -> float:
    """Return the cases that a unit of weight stands for.

    Parameters
    ----------
    target : Target
        The classes or numbers of the rows, and their weights.

    Returns
    -------
    float
        The cases: 1 without weights.
    """
    units = target.n_rows if target.units is None else int(target.total().sum())
    return cases_per_weight(target.n_cases, units * target.unit) * target.unit


def engine_rules(
    params: GrowParams,
    n_rows: int,
    tuning: Tuning | None = None,
    cases: float = 1.0,
    gain_unit: float = 1.0,
    n_classes: int = 2,
    span: float = 1.0,
) -> kernels.GrowthRules:
    """Return growth parameters as the engine takes them.

    ``gain_unit`` is its unit of gains, and ``span`` the range of a numeric target.
    """
    held = params.constraints
    ranks: list[float] = []
    if (
        params.monotonic or held.min_difference
    ):  # the first component of a number is how far it lies above the least one
        is_numeric = isinstance(params.index, str) and params.index in NUMERIC
        ranks = [1.0, 0.0] if is_numeric else [float(c) for c in range(n_classes)]

    def clamped(number: int) -> int:
        return int(min(number, n_rows + 1))  # a limit beyond the number of rows limits nothing

    tuning = Tuning() if tuning is None else tuning
    return kernels.GrowthRules(
        procedure=kernels.PROCEDURES.index(params.procedure),
        max_leaves=None if params.max_leaves is None else min(int(params.max_leaves), _MOST_LEAVES),
        gamma=0.0 if params.gamma is None else float(params.gamma),
        steepest=params.order == "steepest",
        max_arity=clamped(max(2, params.range_arity)),
        max_depth=None if params.max_depth is None else clamped(params.max_depth),
        min_samples_split=clamped(params.min_samples_split),
        min_samples_leaf=clamped(params.min_samples_leaf),
        min_weight_fraction_leaf=float(params.min_weight_fraction_leaf),
        min_gain=float(params.min_gain) / gain_unit,
        branch_price=None
        if params.branch_price is None
        else float(params.branch_price) / gain_unit,
        charge_groups=params.procedure == "priced",
        cases_per_unit=cases,
        columns_per_node=None if params.columns_per_node is None else int(params.columns_per_node),
        seed=int(params.seed),
        ranks=ranks,
        directions=list(params.monotonic),
        min_difference=float(held.min_difference) / span if span > 0 else 0.0,
        min_child_share=float(held.min_child_share),
        first_columns=list(held.first),
        after_columns=[list(columns) for columns in held.after],
        column_costs=[cost * (held.cost_unit or 1.0) for cost in held.costs],
        refuse_losses=held.cost_unit is None,
        threads=tuning.threads,
        small=tuning.small,
        apart=tuning.apart,
        subtree=tuning.subtree,
        batch=tuning.batch,
    )
