"""Procedures: what a split with k branches costs, and when a tree may take it.

A procedure scores a split by gain / price(k), and in a tree of T leaves that may have s it looks
only at the acceptable numbers of branches k. The four procedures differ in nothing else, except
that ``per-leaf`` looks at all leaves at once (see ``grower``).
"""

from math import ceil, inf, log2, prod

PROCEDURES = ("per-leaf", "hatano", "mansour-mcallester", "kearns-mansour")
"""The procedures by name."""


def e(n: int, gamma: float) -> float:
    """Return e(n) = (1 - gamma/1) (1 - gamma/2) ... (1 - gamma/(n - 1)), at most n^-gamma.

    Source: Mansour and McAllester (1999), section 3, who print gamma/n for gamma/i: a misprint.

    >>> e(1, 0.5), e(2, 0.5), e(3, 0.5)
    (1, 0.5, 0.375)
    """
    return prod(1 - gamma / i for i in range(1, n))


def phi(s: int, gamma: float) -> float:
    """Return (1 - gamma)^i (1 - gamma r / 2^i) with s = 2^i + r, 0 <= r < 2^i; at most e(s).

    Source: the proof of theorem 4 of Hatano (2004): the index of a tree that was split level by
    level, each leaf into two of equal weight with advantage gamma.

    >>> phi(1, 0.5), phi(2, 0.5), phi(3, 0.5), phi(4, 0.5)
    (1.0, 0.5, 0.375, 0.25)
    """
    i = s.bit_length() - 1
    return float((1 - gamma) ** i * (1 - gamma * (s - 2**i) / 2**i))


def price(procedure: str, k: int, gamma: float | None = None) -> float:
    """Return the price of a split with k branches; a binary split costs 1 everywhere.

    ``kearns-mansour``: 1. ``hatano``: ceil(log2 k), figure 2 of Hatano (2004).
    ``mansour-mcallester``: g(k) = (1 - e(k)) / gamma, section 4 of Mansour and McAllester (1999),
    about ln k. ``per-leaf``: k - 1, the leaves that the split adds.

    >>> [price("hatano", k) for k in (2, 3, 4, 5, 8, 9)]
    [1, 2, 2, 3, 3, 4]
    >>> [round(price("mansour-mcallester", k, 0.4), 3) for k in (2, 3, 8)]
    [1.0, 1.3, 1.742]
    """
    match procedure:
        case "per-leaf":
            return k - 1
        case "hatano":
            return ceil(log2(k))
        case "mansour-mcallester":
            assert gamma is not None
            return (1 - e(k, gamma)) / gamma
        case "kearns-mansour":
            return 1
    raise ValueError(f"procedure must be one of {', '.join(PROCEDURES)}; got {procedure!r}")


def acceptable(
    procedure: str, k: int, leaves: int, s: float = inf, gamma: float | None = None
) -> bool:
    """Return whether a tree of T = ``leaves`` leaves that may have s can take a k-way split.

    ``kearns-mansour``: k = 2. ``hatano``: k = 2 or k <= s/T, section 4 of Hatano (2004).
    ``mansour-mcallester``: k = 2 or T < e(k) s gamma / (2 k), section 4 of Mansour and McAllester
    (1999). ``per-leaf``: T + k - 1 <= s. Without a budget, s = inf, every k is acceptable to the
    last three.

    >>> [k for k in range(2, 20) if acceptable("hatano", k, leaves=3, s=16)]
    [2, 3, 4, 5]
    >>> [k for k in range(2, 20) if acceptable("mansour-mcallester", k, 1, s=100, gamma=0.4)]
    [2, 3, 4, 5, 6]
    """
    match procedure:
        case "per-leaf":
            return leaves + k - 1 <= s
        case "hatano":
            return k == 2 or k <= s / leaves
        case "mansour-mcallester":
            assert gamma is not None
            return k == 2 or s == inf or leaves < e(k, gamma) * s * gamma / (2 * k)
        case "kearns-mansour":
            return k == 2
    raise ValueError(f"procedure must be one of {', '.join(PROCEDURES)}; got {procedure!r}")
