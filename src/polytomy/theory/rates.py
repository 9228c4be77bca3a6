"""The formulas of the boosting theorems: decay rates, prices and acceptable arities.

``e`` is Mansour and McAllester's rate (they print gamma/n for gamma/i), ``g`` is their price of a
k-way split, and ``phi`` is the rate of Hatano's worst case.
"""

from math import inf
from operator import index

from polytomy._errors import ParameterError
from polytomy._numbers import is_real

LEAF_ORDERS = {
    "per-leaf": ("steepest",),
    "hatano": ("heaviest",),
    "mansour-mcallester": ("heaviest",),
    "kearns-mansour": ("heaviest", "steepest"),
    "priced": ("steepest",),
    "id3": ("steepest",),
    "gain-ratio": ("steepest",),
}
"""The leaf orders of each growth procedure; the first is the default."""

PROCEDURES = tuple(LEAF_ORDERS)
"""The names of the growth procedures."""

BY_GAIN = ("id3", "gain-ratio")
"""The procedures that compare gains without a price. No theorem bounds them before a run: a wide
split with a large gain may gain little per added leaf, whatever gamma the binary splits have."""


def e(n: int, gamma: float) -> float:
    """Return e(n) = prod over i < n of (1 - gamma/i), a bound on I(T)/I(root) at n leaves.

    Mansour and McAllester, section 3. For example, e(4, 0.3) = 0.7 * 0.85 * 0.9.

    Parameters
    ----------
    n : int
        The number of leaves, at least 1.
    gamma : float
        From 0 to 1.

    Returns
    -------
    float
        The rate, from 0 to 1.

    >>> round(e(4, 0.3), 6)
    0.5355
    """
    n = whole("n", n, 1)
    gamma = checked_gamma(gamma)
    product = 1.0
    for i in range(1, n):
        product *= 1.0 - gamma / i
    return product


def g(k: int, gamma: float) -> float:
    """Return g(k) = (1 - e(k)) / gamma, about ln k: the price of k branches; 1 for two.

    Mansour and McAllester, section 4. For example, g(3, 0.4) = (1 - 0.6 * 0.8) / 0.4.

    Parameters
    ----------
    k : int
        The number of branches, at least 2.
    gamma : float
        From 0 to 1.

    Returns
    -------
    float
        The price.

    >>> g(2, 0.4), round(g(3, 0.4), 6)
    (1.0, 1.3)
    """
    k = whole("k", k, 2)
    gamma = checked_gamma(gamma)
    total, rate = 0.0, 1.0
    for i in range(1, k):  # the sum of e(i)/i, because the definition cancels for small gamma
        total += rate / i
        rate *= 1.0 - gamma / i
    return total


def phi(s: int, gamma: float) -> float:
    """Return phi(s) = (1-gamma)^i (1 - gamma r / 2^i) for s = 2^i + r, 0 <= r < 2^i.

    This weight is left if the heaviest leaf is halved until there are s leaves, which is the worst
    case of the Weight Distribution Game (Hatano, Proposition 8). For example,
    phi(6, 0.2) = 0.8^2 * (1 - 0.1).

    Parameters
    ----------
    s : int
        The number of leaves, at least 1.
    gamma : float
        From 0 to 1.

    Returns
    -------
    float
        The rate, from 0 to 1.

    >>> round(phi(6, 0.2), 6)
    0.576
    """
    s = whole("s", s, 1)
    gamma = checked_gamma(gamma)
    i = s.bit_length() - 1
    return float((1.0 - gamma) ** i * (1.0 - gamma * ((s - 2**i) / 2**i)))


def price(procedure: str, k: int, gamma: float | None = None) -> float:
    """Return the price of a k-way option, by which its gain is divided; 1 for binary options.

    It is k - 1 for ``per-leaf`` and ``priced``, ceil(log2 k) for ``hatano``, g(k) for
    ``mansour-mcallester`` and 1 for ``kearns-mansour``, ``id3`` and ``gain-ratio``.

    Parameters
    ----------
    procedure : str
        A name in ``PROCEDURES``.
    k : int
        The number of branches, at least 2.
    gamma : float or None, default=None
        The gamma of ``mansour-mcallester``, which needs it.

    Returns
    -------
    float
        The price.

    >>> price("per-leaf", 5), price("hatano", 5), round(price("mansour-mcallester", 5, 0.1), 3)
    (4.0, 3.0, 1.942)
    """
    _check_procedure(procedure)
    k = whole("k", k, 2)
    if procedure in ("per-leaf", "priced"):
        return float(k - 1)
    if procedure == "hatano":
        return float((k - 1).bit_length())  # ceil(log2 k)
    if procedure == "mansour-mcallester":
        return g(k, _needed(gamma))
    return 1.0


def acceptable(
    procedure: str, k: int, leaves: int, s: int | None, gamma: float | None = None
) -> bool:
    """Return whether a procedure may take a k-way option in a tree with a given number of leaves.

    ``kearns-mansour``: k = 2. ``hatano``: k = 2 or k <= s/leaves. ``mansour-mcallester``: k = 2 or
    leaves < e(k) s gamma / (2k). The others: leaves + k - 1 <= s. Without a budget every arity is
    acceptable, except to ``kearns-mansour``.

    Parameters
    ----------
    procedure : str
        A name in ``PROCEDURES``.
    k : int
        The number of branches, at least 2.
    leaves : int
        The number of leaves of the tree before the step.
    s : int or None
        The budget: the largest number of leaves, or None.
    gamma : float or None, default=None
        The gamma of ``mansour-mcallester``, which needs it.

    Returns
    -------
    bool
        Whether the option is acceptable.

    >>> acceptable("hatano", 3, leaves=4, s=12), acceptable("hatano", 4, leaves=4, s=12)
    (True, False)
    """
    _check_procedure(procedure)
    k, leaves = whole("k", k, 2), whole("leaves", leaves, 1)
    s = None if s is None else whole("s", s, 1)
    if procedure == "mansour-mcallester" and k > 2 and s is not None:
        gamma = checked_gamma(_needed(gamma))
    return accepts(procedure, k, leaves, s, gamma)


def accepts(procedure: str, k: int, leaves: int, s: int | None, gamma: float | None) -> bool:
    """Return ``acceptable`` without checking the arguments; a run calls it at every step."""
    if procedure == "kearns-mansour":
        return k == 2 and (s is None or leaves < s)
    if s is None:
        return True
    if procedure == "hatano" and k > 2:
        return k * leaves <= s
    if procedure != "mansour-mcallester" or k == 2:
        return leaves + k - 1 <= s
    gamma = float(gamma or 0.0)
    return leaves < e(k, gamma) * s * gamma / (2 * k)


def steps_for(error: float, gamma: float) -> float:
    """Return (1/error)^(1/gamma), a number of leaves that is enough for a training error.

    Hatano, section 1, from error <= s^-gamma, which holds if I(root) <= 1: for two classes, but not
    for more. For example, (1/0.1)^(1/0.5).

    Parameters
    ----------
    error : float
        The training error to reach, above 0 and at most 1.
    gamma : float
        From 0 to 1.

    Returns
    -------
    float
        The number of leaves; inf if it is too large for a float.

    >>> round(steps_for(0.1, 0.5), 6)
    100.0
    """
    if not is_real(error) or not 0 < error <= 1:
        raise ParameterError(f"error must be in (0, 1], got {error!r}")
    gamma = checked_gamma(gamma)
    try:
        return float((1.0 / error) ** (1.0 / gamma))
    except (OverflowError, ZeroDivisionError):
        return 1.0 if error == 1 else inf


def _needed(gamma: float | None) -> float:
    if gamma is None:
        raise ParameterError("mansour-mcallester needs gamma")
    return gamma


def _check_procedure(procedure: str) -> None:
    if procedure not in PROCEDURES:
        raise ParameterError(
            f"no procedure is called {procedure!r}; choose one of {', '.join(PROCEDURES)}"
        )


def whole(name: str, value: int, least: int | None = None) -> int:
    """Return an integer, including NumPy's, as an int; raise ``ParameterError`` otherwise."""
    try:
        number = index(value)
    except TypeError:
        raise ParameterError(f"{name} must be an integer, got {value!r}") from None
    if least is not None and number < least:
        raise ParameterError(f"{name} must be at least {least}, got {value!r}")
    return number


def checked_gamma(gamma: float) -> float:
    """Return gamma as a float; raise ``ParameterError`` unless it is from 0 to 1."""
    if not is_real(gamma) or not 0 <= gamma <= 1:
        raise ParameterError(f"gamma must be from 0 to 1, got {gamma!r}")
    return float(gamma)
