"""The arithmetic of the boosting theorems: decay rates, prices and acceptability.

``e`` is Mansour and McAllester's rate (their printed gamma/n is a misprint for gamma/i), ``g``
their price of a k-way branch, ``phi`` the rate of Hatano's worst case.
"""

from polytomy._errors import ParameterError


def e(n: int, gamma: float) -> float:
    """Return e(n) = prod over i < n of (1 - gamma/i), the bound on I(T)/I(root) at n leaves.

    >>> round(e(3, 0.4), 6)
    0.48
    """
    product = 1.0
    for i in range(1, n):
        product *= 1.0 - gamma / i
    return product


def g(k: int, gamma: float) -> float:
    """Return g(k) = (1 - e(k)) / gamma, about ln k: the price of k branches, 1 for two of them.

    >>> g(2, 0.4), round(g(3, 0.4), 6)
    (1.0, 1.3)
    """
    total, rate = 0.0, 1.0
    for i in range(1, k):  # the sum of e(i)/i: as it is defined, it would cancel for small gamma
        total += rate / i
        rate *= 1.0 - gamma / i
    return total


def phi(s: int, gamma: float) -> float:
    """Return phi(s) = (1-gamma)^i (1 - gamma r / 2^i) for s = 2^i + r, 0 <= r < 2^i.

    >>> round(phi(6, 0.4), 6)
    0.288
    """
    i = s.bit_length() - 1
    return float((1.0 - gamma) ** i * (1.0 - gamma * (s - 2**i) / 2**i))


def acceptable(
    procedure: str, k: int, leaves: int, s: int | None, gamma: float | None = None
) -> bool:
    """Say whether a procedure may take a k-way option in a tree of ``leaves``, with a budget of s.

    Without a budget (None) every arity is acceptable to every procedure but ``kearns-mansour``.

    >>> acceptable("hatano", 3, leaves=4, s=12), acceptable("hatano", 4, leaves=4, s=12)
    (True, False)
    """
    if procedure not in ("per-leaf", "hatano", "mansour-mcallester", "kearns-mansour"):
        raise ParameterError(f"no procedure is called {procedure!r}")
    if procedure == "kearns-mansour":
        return k == 2 and (s is None or leaves < s)
    if s is None:
        return True
    if procedure == "per-leaf" or k == 2:
        return leaves + k - 1 <= s
    if procedure == "hatano":
        return k * leaves <= s
    if gamma is None:
        raise ParameterError("mansour-mcallester needs gamma")
    return leaves < e(k, gamma) * s * gamma / (2 * k)
