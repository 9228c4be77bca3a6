"""Values of a numeric target as text, with as many digits as its spread justifies."""

from dataclasses import dataclass
from math import ceil, floor, isfinite, log10

from polytomy.model import Model

_STEP = 1 / 30  # of the standard deviation: the last digit shown is worth at most this
_CONSTANT = 1e-12  # of the mean: a smaller standard deviation is due to rounding
_CONSTANT_DIGITS = 6  # of a constant target
_LARGE, _SMALL = 1e9, 1e-4  # numbers from here on have an exponent if they have no digit between


@dataclass(frozen=True, slots=True)
class TargetFormat:
    """The format of a numeric target's values; call it with a value.

    Attributes
    ----------
    decimals : int
        The decimals shown; if negative, numbers are rounded to tens, hundreds and so on.
    has_exponent : bool, default=False
        Whether numbers are written with an exponent: ``1.25e-09``.
    is_trimmed : bool, default=False
        Whether zeros at the end of the decimals are left out.

    Examples
    --------
    >>> TargetFormat(1)(23.35), TargetFormat(-2)(182345.0), TargetFormat(11, True)(1.25e-9)
    ('23.4', '182300', '1.25e-09')
    """

    decimals: int
    has_exponent: bool = False
    is_trimmed: bool = False

    def __call__(self, value: float) -> str:
        """Return a value as text."""
        if not isfinite(value):
            return str(value)
        rounded = round(value, self.decimals) + 0.0  # without the sign of -0.0
        if rounded == 0:
            return f"{0:.{0 if self.has_exponent or self.is_trimmed else max(self.decimals, 0)}f}"
        if self.has_exponent:
            digits = max(0, floor(log10(abs(rounded))) + self.decimals)
            mantissa, _, exponent = f"{rounded:.{digits}e}".partition("e")
            return f"{self._trimmed(mantissa)}e{exponent}"
        return self._trimmed(f"{rounded:.{max(self.decimals, 0)}f}")

    def _trimmed(self, text: str) -> str:
        return text.rstrip("0").rstrip(".") if self.is_trimmed and "." in text else text


def target_format(model: Model) -> TargetFormat:
    """Return the format of the values of a model's numeric target.

    The last digit shown is worth between 1/300 and 1/30 of the target's standard deviation: enough
    to tell means apart, without digits that are noise.

    Parameters
    ----------
    model : Model
        A model of a numeric target.

    Returns
    -------
    TargetFormat
        A callable that returns a value as text.

    Examples
    --------
    >>> from polytomy import TreeRegressor
    >>> reg = TreeRegressor().fit([[1], [2], [3]], [10.0, 25.0, 30.0])
    >>> target_format(reg._model)(21.6666)
    '21.7'
    """
    means = model.node_means
    return format_for(float(means.training[0]), float(means.deviation[0]))


def format_for(mean: float, deviation: float) -> TargetFormat:
    """Return the format of numbers with a mean and a standard deviation.

    Parameters
    ----------
    mean, deviation : float
        The mean and the standard deviation of the numbers.

    Returns
    -------
    TargetFormat

    Examples
    --------
    >>> format_for(152.1, 77.0)(152.133), format_for(23.4, 7.8)(23.446), format_for(3, 0)(3.0)
    ('152', '23.4', '3')
    """
    is_constant = not deviation > _CONSTANT * abs(mean)
    if is_constant and mean == 0:
        return TargetFormat(0)
    if is_constant:
        decimals = _CONSTANT_DIGITS - 1 - floor(log10(abs(mean)))
    else:
        decimals = ceil(-log10(_STEP * deviation))
    size = max(abs(mean), deviation)
    is_large, is_small = size >= _LARGE and decimals < 0, size < _SMALL
    return TargetFormat(decimals, is_large or is_small, is_constant)
