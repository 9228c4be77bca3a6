"""Procedures: the price of a split with k branches, and when a tree may take it.

A procedure scores a split by gain / price(k). In a tree of T leaves with a budget of s leaves it
considers only the acceptable numbers of branches k. The four published procedures do not differ
otherwise, except that ``per-leaf`` compares all leaves in each step (see ``grower``).

``priced`` is ``per-leaf`` with two more rules:

1. A grouping of categories pays for being one of very many. Its **charge** (see ``splits``) is
   subtracted from its gain, and what remains, its **worth**, takes the place of the gain in every
   comparison. A negative worth is not divided by the price.
2. With a **branch price** b, each branch must add b to the worth: a leaf takes the arity with the
   largest worth - b (k - 1) instead of worth / (k - 1). Leaves still compete by worth / (k - 1).

``id3`` is BuildTree of Guestrin's lecture (2006), Quinlan's ID3: the largest information gain wins,
with a branch for each category and one threshold for numbers. It has no price, so ranges and groups
have two branches only; with more, the widest would always win. The lecture stops at a node if all
rows have the same class, or if no column differs. A third base case, no gain, is what it warns of
(XOR); ``min_gain`` adds it. ``gain-ratio`` chooses the column by C4.5's rule (see ``gain_ratio``).

``Rules`` has all parameters of a run.
"""

from dataclasses import dataclass
from math import ceil, inf, log2, prod

from .index import INDICES, Index
from .splits import FAMILIES

BY_GAIN = ("id3", "gain-ratio")
"""The procedures without a price."""
PROCEDURES = ("per-leaf", "hatano", "mansour-mcallester", "kearns-mansour", "priced", *BY_GAIN)
"""The procedures by name."""
EVIDENCE = 8
"""The lowest branch price, in multiples of what chance gains by a branch."""


def e(n: int, gamma: float) -> float:
    """Return e(n) = (1 - gamma/1) (1 - gamma/2) ... (1 - gamma/(n - 1)), at most n^-gamma.

    Source: Mansour and McAllester (1999), section 3, who print gamma/n for gamma/i: a misprint.

    Parameters
    ----------
    n : int
        The number of leaves.
    gamma : float
        The advantage per price.

    Returns
    -------
    float
        e(n).

    Examples
    --------
    >>> e(1, 0.5), e(2, 0.5), e(3, 0.5)
    (1, 0.5, 0.375)
    """
    return prod(1 - gamma / i for i in range(1, n))


def phi(s: int, gamma: float) -> float:
    """Return (1 - gamma)^i (1 - gamma r / 2^i) with s = 2^i + r, 0 <= r < 2^i; at most e(s).

    Source: the proof of theorem 4 of Hatano (2004): the index of a tree that was split level by
    level, each leaf into two of equal weight with advantage gamma.

    Parameters
    ----------
    s : int
        The number of leaves.
    gamma : float
        The advantage per price.

    Returns
    -------
    float
        phi(s).

    Examples
    --------
    >>> phi(1, 0.5), phi(2, 0.5), phi(3, 0.5), phi(4, 0.5)
    (1.0, 0.5, 0.375, 0.25)
    """
    i = s.bit_length() - 1
    return float((1 - gamma) ** i * (1 - gamma * (s - 2**i) / 2**i))


def price(procedure: str, k: int, gamma: float | None = None) -> float:
    """Return the price of a split with k branches; a binary split costs 1 in every procedure.

    ``kearns-mansour``, ``id3``, ``gain-ratio``: 1. ``hatano``: ceil(log2 k), figure 2 of Hatano
    (2004). ``mansour-mcallester``: g(k) = (1 - e(k)) / gamma, section 4 of Mansour and McAllester
    (1999), about ln k. ``per-leaf`` and ``priced``: k - 1, the number of leaves that the split
    adds.

    Parameters
    ----------
    procedure : str
        One of ``PROCEDURES``.
    k : int
        The number of branches.
    gamma : float, optional
        The gamma of ``mansour-mcallester``.

    Returns
    -------
    float
        The price.

    Examples
    --------
    >>> [price("hatano", k) for k in (2, 3, 4, 5, 8, 9)]
    [1, 2, 2, 3, 3, 4]
    >>> [round(price("mansour-mcallester", k, 0.4), 3) for k in (2, 3, 8)]
    [1.0, 1.3, 1.742]
    """
    match procedure:
        case "per-leaf" | "priced":
            return k - 1
        case "hatano":
            return ceil(log2(k))
        case "mansour-mcallester":
            assert gamma is not None
            return (1 - e(k, gamma)) / gamma
        case "kearns-mansour" | "id3" | "gain-ratio":
            return 1
    raise ValueError(f"procedure must be one of {', '.join(PROCEDURES)}; got {procedure!r}")


def acceptable(
    procedure: str, k: int, leaves: int, s: float = inf, gamma: float | None = None
) -> bool:
    """Return whether a tree of T = ``leaves`` leaves that may have s can take a k-way split.

    ``kearns-mansour``: k = 2. ``hatano``: k = 2 or k <= s/T, section 4 of Hatano (2004).
    ``mansour-mcallester``: k = 2 or T < e(k) s gamma / (2 k), section 4 of Mansour and McAllester
    (1999). The others: T + k - 1 <= s. Without a budget, s = inf, every k is acceptable to all but
    ``kearns-mansour``.

    Parameters
    ----------
    procedure : str
        One of ``PROCEDURES``.
    k : int
        The number of branches.
    leaves : int
        The number of leaves T of the tree.
    s : float, default=inf
        The largest number of leaves of the final tree.
    gamma : float, optional
        The gamma of ``mansour-mcallester``.

    Returns
    -------
    bool
        Whether the split is acceptable.

    Examples
    --------
    >>> [k for k in range(2, 20) if acceptable("hatano", k, leaves=3, s=16)]
    [2, 3, 4, 5]
    >>> [k for k in range(2, 20) if acceptable("mansour-mcallester", k, 1, s=100, gamma=0.4)]
    [2, 3, 4, 5, 6]
    """
    match procedure:
        case "per-leaf" | "priced" | "id3" | "gain-ratio":
            return leaves + k - 1 <= s
        case "hatano":
            return k == 2 or k <= s / leaves
        case "mansour-mcallester":
            assert gamma is not None
            return k == 2 or s == inf or leaves < e(k, gamma) * s * gamma / (2 * k)
        case "kearns-mansour":
            return k == 2
    raise ValueError(f"procedure must be one of {', '.join(PROCEDURES)}; got {procedure!r}")


@dataclass(frozen=True)
class Rules:
    """The parameters of a run; they are those of ``polytomy.TreeClassifier``.

    Parameters
    ----------
    max_leaves : int or None, default=32
        The budget of leaves, the papers' s; None for no budget.
    procedure : str, default="per-leaf"
        One of ``PROCEDURES``.
    gamma : float, optional
        The gamma of ``mansour-mcallester``.
    index : str or callable, default="auto"
        The name of an index function, or a function F of count vectors. "auto" is ``entropy`` for
        ``id3`` and ``gain-ratio``, and ``gini`` for the others.
    leaf_order : {"auto", "heaviest", "steepest"}, default="auto"
        The leaf to split next. "auto" is heaviest for ``hatano``, ``mansour-mcallester`` and
        ``kearns-mansour``, and steepest for the others.
    families : tuple of str or "auto", default="auto"
        The families of splits. "auto" is ``("values", "intervals")`` for ``id3`` and
        ``gain-ratio``, and all of them for the others.
    max_arity : int, default=4
        The most branches of ranges and groups; 2 for ``id3`` and ``gain-ratio``. It is smaller than
        in the library, because every split is enumerated.
    max_depth : int or None, default=None
        The largest depth of the tree; None for no limit.
    min_samples_split : int, default=2
        The fewest rows of a node that is split.
    min_samples_leaf : int, default=1
        The fewest rows of a leaf.
    min_weight_fraction_leaf : float, default=0.0
        The smallest weight of a leaf, as a fraction of the sample's.
    min_gain : float, default=0.0
        The smallest gain of a split, as a fraction of the sample's weight.
    branch_price : float or None, default=None
        For ``priced``: what each branch must add, as a fraction of the sample's weight. None
        chooses the arity by worth per leaf.
    columns_per_node : int or None, default=None
        The number of columns that each node draws; None for all of them. See ``draws``.
    seed : int, default=0
        The seed of these draws.

    Examples
    --------
    >>> Rules().steepest, Rules(procedure="hatano").steepest, Rules(max_leaves=None).budget
    (True, False, inf)
    >>> Rules(procedure="id3").index, Rules(procedure="id3").families
    ('entropy', ('values', 'intervals'))
    """

    max_leaves: int | None = 32
    procedure: str = "per-leaf"
    gamma: float | None = None
    index: str | Index = "auto"
    leaf_order: str = "auto"
    families: tuple[str, ...] | str = "auto"
    max_arity: int = 4
    max_depth: int | None = None
    min_samples_split: int = 2
    min_samples_leaf: int = 1
    min_weight_fraction_leaf: float = 0.0
    min_gain: float = 0.0
    branch_price: float | None = None
    columns_per_node: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        by_gain = self.procedure in BY_GAIN
        if self.index == "auto":
            object.__setattr__(self, "index", "entropy" if by_gain else "gini")
        if self.families == "auto":
            object.__setattr__(self, "families", ("values", "intervals") if by_gain else FAMILIES)

    @property
    def steepest(self) -> bool:
        """Whether a step looks for the best split over all leaves."""
        published = ("hatano", "mansour-mcallester", "kearns-mansour")
        auto = self.leaf_order == "auto" and self.procedure not in published
        return auto or self.leaf_order == "steepest"

    @property
    def range_arity(self) -> int:
        """The most branches of ranges and groups."""
        return 2 if self.procedure in BY_GAIN else self.max_arity

    @property
    def function(self) -> Index:
        """The index function F."""
        return INDICES[self.index] if isinstance(self.index, str) else self.index

    @property
    def budget(self) -> float:
        """The papers' s; infinite without a budget."""
        return inf if self.max_leaves is None else self.max_leaves

    def price(self, k: int) -> float:
        """Return the price of a k-way split.

        Parameters
        ----------
        k : int
            The number of branches.

        Returns
        -------
        float
            The price.
        """
        return price(self.procedure, k, self.gamma)

    def acceptable(self, k: int, leaves: int) -> bool:
        """Return whether a tree with this many leaves may take a k-way split.

        Parameters
        ----------
        k : int
            The number of branches.
        leaves : int
            The number of leaves of the tree.

        Returns
        -------
        bool
            Whether the split is acceptable.
        """
        return acceptable(self.procedure, k, leaves, self.budget, self.gamma)
