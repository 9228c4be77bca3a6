"""The parameters of boosting and of forests, checked."""

import inspect
from dataclasses import fields, replace
from typing import Any

import numpy as np

from polytomy._errors import ParameterError
from polytomy._numbers import is_integer
from polytomy._types import AnyArray
from polytomy.boost import BoostParams
from polytomy.estimators.base.parameters import GROWTH, grow_params
from polytomy.forest import ForestParams
from polytomy.grow import GrowParams

from .learners import NO_FILE, LearnerFamily

BOOSTING = tuple(f.name for f in fields(BoostParams) if f.name != "grow")
"""The names of the parameters of boosting itself."""

FOREST_ROWS = tuple(f.name for f in fields(ForestParams) if f.name != "grow")
"""The names of the parameters of a forest itself."""


def boost_params(estimator: Any) -> BoostParams:
    """Return the parameters of boosting of an estimator, checked."""
    # `index` is resolved by the algorithm, so the trees' own parameter keeps its default.
    changed: dict[str, Any] = {"index": GrowParams.__dataclass_fields__["index"].default}
    if estimator.estimator is not None:
        _check_free_of_trees(estimator)
        family = LearnerFamily(estimator.estimator)
        changed |= {"families": (family,), "max_depth": 1, "max_leaves": None}
    grow = grow_params(estimator, **changed)
    return BoostParams(**{name: getattr(estimator, name) for name in BOOSTING}, grow=grow)


def with_class_names(params: BoostParams, classes: AnyArray) -> BoostParams:
    """Return the parameters with the names of the classes for splits by another learner."""
    names = tuple(map(str, classes.tolist()))
    families = tuple(
        replace(family, classes=names) if isinstance(family, LearnerFamily) else family
        for family in params.grow.families
    )
    return replace(params, grow=replace(params.grow, families=families))


def check_rounds(name: str, value: Any) -> None:
    """Raise an error unless a number of rounds is a positive integer."""
    if not is_integer(value) or value < 1:
        raise ParameterError(f"{name} must be an integer of at least 1, got {value!r}")


def _check_free_of_trees(boosted: Any) -> None:
    """Raise an error for parameters that boosting of another learner has no use for."""
    defaults = inspect.signature(type(boosted)).parameters
    for name in GROWTH:
        default = defaults[name].default
        if not np.array_equal(getattr(boosted, name), default):
            raise ParameterError(
                f"{name} is a parameter of trees: leave it at {default!r} if an estimator is given"
            )
    if boosted.algorithm == "logitboost":
        raise ParameterError(
            "logitboost fits numbers, not classes: choose another algorithm if an estimator is "
            "given"
        )
    if boosted.checkpoint is not None:
        raise ParameterError(NO_FILE.format(name=type(boosted.estimator).__name__))


def forest_params(estimator: Any, **changed: Any) -> ForestParams:
    """Return the parameters of a forest, checked; growth parameters may be changed."""
    values = {name: getattr(estimator, name) for name in FOREST_ROWS}
    return ForestParams(**values, grow=grow_params(estimator, **changed))
