"""The sample that a teacher leaves to a tree: real rows with softened targets, and synthetic rows.

The target of a real row is a mixture of its label and the teacher's forecast, that of a synthetic
row the forecast alone.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from polytomy._types import AnyArray, FloatArray
from polytomy.encode import Coded, NumericTarget, Target

from .synthetic import Mixture


@dataclass(frozen=True, slots=True, eq=False)
class Forecasts:
    """What a teacher says about the rows.

    Parameters
    ----------
    real : ndarray of shape (n_rows, n_classes) or (n_rows,)
        The class shares, or the number, that it forecasts for each real row without having learned
        from that row's label. nan where it has none.
    mixture : Mixture or None
        The synthetic rows.
    synthetic : ndarray or None
        What it forecasts for them.
    """

    real: FloatArray
    mixture: Mixture | None = None
    synthetic: FloatArray | None = None


@dataclass(frozen=True, slots=True)
class Blend:
    """How labels, forecasts and synthetic rows are weighed.

    Parameters
    ----------
    mix : float
        The share of the label in the target of a real row.
    weight : float
        The weight of all synthetic rows, as a multiple of that of the real ones.
    """

    mix: float
    weight: float


def soft_sample(
    coded: Coded, target: Target, forecasts: Forecasts, blend: Blend
) -> tuple[Coded, Target]:
    """Return the codes and the target that a tree with a teacher is grown on.

    Parameters
    ----------
    coded : Coded
        The codes of the real rows.
    target : Target
        Their labels and weights.
    forecasts : Forecasts
        The teacher's forecasts.
    blend : Blend
        How they are weighed.

    Returns
    -------
    Coded
        The codes of the real rows, then those of the synthetic ones.
    Target
        Their soft targets.
    """
    units, unit = target.case_units
    weights = np.full(target.n_rows, unit) if units is None else units * unit
    mixture = forecasts.mixture
    if isinstance(target, NumericTarget):
        mixed = _mixed(target.values, forecasts.real, blend.mix)
    else:
        mixed = _mixed(_one_hot(target), forecasts.real, blend.mix)
    if mixture is not None:
        assert forecasts.synthetic is not None
        each = blend.weight * float(weights.sum()) / mixture.n_rows
        mixed = np.concatenate([mixed, forecasts.synthetic])
        weights = np.concatenate([weights, np.full(mixture.n_rows, each)])
        coded = _joined(coded, mixture.of_codes(coded))
    n_real = None if mixture is None else target.n_rows
    if isinstance(target, NumericTarget):
        soft = NumericTarget.of_numbers(mixed, weights, target.criterion)
        return coded, replace(soft, n_real=n_real)
    return coded, Target.soft(mixed, weights, n_real)


def known_rows(forecasts: FloatArray) -> AnyArray:
    """Return whether each row has a forecast.

    Parameters
    ----------
    forecasts : ndarray of shape (n_rows,) or (n_rows, n_classes)
        The forecasts; nan where there is none.

    Returns
    -------
    ndarray of bool
        One value for each row.
    """
    known = np.isfinite(forecasts)
    return known if forecasts.ndim == 1 else np.asarray(known.all(axis=1))


def _mixed(labels: FloatArray, forecasts: FloatArray, mix: float) -> FloatArray:
    """Mix labels with forecasts; where there is none, the label stands alone."""
    known = known_rows(forecasts)
    mixed = labels.copy()
    mixed[known] = mix * labels[known] + (1 - mix) * forecasts[known]
    return mixed


def _one_hot(target: Target) -> FloatArray:
    shares = np.zeros((target.n_rows, target.n_classes))
    shares[np.arange(target.n_rows), target.labels] = 1.0
    return shares


def _joined(first: Coded, second: Coded) -> Coded:
    pairs: Any = zip(first.columns, second.columns, strict=True)
    columns: tuple[AnyArray, ...] = tuple(np.concatenate(pair) for pair in pairs)
    return Coded(first.schema, columns, first.n_rows + second.n_rows)
