"""Numbers for SQLite, whose reading of decimals is not always the nearest float64."""

from decimal import Decimal
from fractions import Fraction
from math import frexp, ulp

_STEP = 62  # 2^62 is the largest power of two that is an SQLite integer
_SAFE_INTEGER, _SAFE_EXPONENT = 2**53, 22


def sqlite_number(x: float) -> str:
    """Return an expression for a float64 that every SQLite reads exactly.

    The shortest decimal where it is safe: few enough digits that one multiplication or division by
    a power of ten reads it, and not so near the middle between two numbers that extended precision
    could round it twice. Otherwise an integer times or over a power of two, which is exact.

    >>> sqlite_number(2.45), sqlite_number(-1e300)[:40]
    ('2.45', '(CAST(-1681218273811815 AS REAL) * CAST(')
    """
    return repr(x) if _is_safe(x) else _exactly(x)


def _is_safe(x: float) -> bool:
    written = Decimal(repr(x))
    _, digits, exponent = written.as_tuple()
    significand = int("".join(map(str, digits)))
    if significand > _SAFE_INTEGER or abs(int(exponent)) > _SAFE_EXPONENT:
        return False
    return abs(Fraction(written) - Fraction(x)) <= Fraction(ulp(x)) * Fraction(48, 100)


def _exactly(x: float) -> str:
    mantissa, exponent = frexp(x)
    whole, power = int(mantissa * 2**53), exponent - 53
    while whole % 2 == 0:
        whole, power = whole // 2, power + 1
    operator = "*" if power >= 0 else "/"
    factors = []
    while power:
        step = min(abs(power), _STEP)
        factors.append(f" {operator} CAST({2**step} AS REAL)")
        power += -step if power > 0 else step
    return f"(CAST({whole} AS REAL){''.join(factors)})"
