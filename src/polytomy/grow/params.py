"""Growth parameters: the only place where they are declared and checked."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from polytomy._errors import ParameterError
from polytomy._numbers import is_integer, is_real
from polytomy.theory import BY_GAIN, LEAF_ORDERS, PROCEDURES
from polytomy.tree import UNCONSTRAINED, Constraints

FAMILIES = ("intervals", "values", "groups")
"""The built-in families."""

LeafOrder = Literal["heaviest", "steepest"]


@dataclass(frozen=True, kw_only=True, slots=True)
class GrowParams:
    """How to grow a tree.

    Parameters
    ----------
    max_leaves : int or None, default=32
        The budget s of leaves; None grows until nothing can be split.
    procedure : str, default="per-leaf"
        ``per-leaf``, ``hatano``, ``mansour-mcallester`` or ``kearns-mansour``: which arities are
        acceptable, and at what price. ``priced`` is one run of the estimators' default: per-leaf,
        but groupings of categories pay for their description, and with ``branch_price`` the arity
        is chosen by what each further branch adds. ``id3`` takes the largest gain, with a child
        for each category and one threshold for numbers; ``gain-ratio`` takes the column whose best
        split has the largest gain divided by the entropy of its branches, among the columns that
        gain at least the mean.
    gamma : float or None, default=None
        The advantage in (0, 1) that ``mansour-mcallester`` needs; None for the other procedures.
    index : str or callable, default="auto"
        The impurity measure: ``sqrt``, ``gini``, ``entropy``, ``error``, or a function on count
        vectors. ``auto`` becomes ``entropy`` for ``id3`` and ``gain-ratio``, and ``gini``
        otherwise.
    leaf_order : str, default="auto"
        ``heaviest`` splits the leaf with the largest impurity F(c); ``steepest`` takes the best
        option over all leaves; ``auto`` is heaviest for the published three procedures and steepest
        for the others.
    families : sequence or "auto", default="auto"
        The splits a node may choose from: names of built-in families, and objects with ``name`` and
        ``propose``. ``auto`` becomes ``("values", "intervals")`` for ``id3`` and ``gain-ratio``,
        and ``("intervals", "values", "groups")`` otherwise.
    max_arity : int, default=8
        The most branches of ``intervals`` and ``groups``; 2 with ``id3`` and ``gain-ratio``, where
        the widest split would always gain most. Contraction can merge splits into wider ones.
    max_depth : int or None, default=None
        The most splits on a path; None for no limit.
    min_samples_split : int, default=2
        The fewest rows (not weight) of a node that may be split.
    min_samples_leaf : int, default=1
        The fewest rows (not weight) of a child.
    min_weight_fraction_leaf : float, default=0.0
        The smallest weight of a child, as a fraction of the sample's, at most 0.5.
    min_gain : float, default=0.0
        The smallest gain of a split, in units of the tree index (gain over the sample's weight).
    branch_price : float or None, default=None
        For ``priced``: the gain that each branch beyond the second must add, in the same units,
        and at least eight times what chance would give it. None chooses the arity by gain per leaf.
    columns_per_node : int or None, default=None
        The number of columns that each node draws at random to split on; None for all columns. If
        none of them can split the node, it draws further columns until one can. Users' own
        families are asked at every node.
    seed : int, default=0
        The seed of these draws, at least 0 and below 2**64. What a node draws depends on the seed
        and on its path from the root only.
    monotonic : tuple of int, default=()
        The direction of each column: 1 if what a tree predicts must not decrease along it, -1 if it
        must not increase, 0 for any. Predicted is the mean number, or the mean position of the
        class. Empty if no column has a direction.
    constraints : Constraints, default=UNCONSTRAINED
        Which columns may be asked and when, what asking costs, and what branches must be like.
    """

    max_leaves: int | None = 32
    procedure: str = "per-leaf"
    gamma: float | None = None
    index: str | Callable[..., Any] = "auto"
    leaf_order: str = "auto"
    families: Sequence[Any] = "auto"
    max_arity: int = 8
    max_depth: int | None = None
    min_samples_split: int = 2
    min_samples_leaf: int = 1
    min_weight_fraction_leaf: float = 0.0
    min_gain: float = 0.0
    branch_price: float | None = None
    columns_per_node: int | None = None
    seed: int = 0
    monotonic: tuple[int, ...] = ()
    constraints: Constraints = UNCONSTRAINED

    def __post_init__(self) -> None:
        _check_integer("max_leaves", self.max_leaves, 1, optional=True)
        _check_integer("max_arity", self.max_arity, 2)
        _check_integer("max_depth", self.max_depth, 1, optional=True)
        _check_integer("min_samples_split", self.min_samples_split, 2)
        _check_integer("min_samples_leaf", self.min_samples_leaf, 1)
        _check_integer("columns_per_node", self.columns_per_node, 1, optional=True)
        _check_integer("seed", self.seed, 0)
        if self.seed >= 2**64:
            raise ParameterError(f"seed must be below 2**64, got {self.seed!r}")
        if not _is_number_in(self.min_gain, lambda x: 0 <= x < float("inf")):
            raise ParameterError(f"min_gain must be a number of at least 0, got {self.min_gain!r}")
        if not _is_number_in(self.min_weight_fraction_leaf, lambda x: 0 <= x <= 0.5):
            raise ParameterError(
                "min_weight_fraction_leaf must be a number from 0 to 0.5, "
                f"got {self.min_weight_fraction_leaf!r}"
            )
        if self.procedure not in PROCEDURES:
            raise ParameterError(
                f"procedure must be one of {', '.join(PROCEDURES)}; got {self.procedure!r}"
            )
        self._resolve()
        if not isinstance(self.families, tuple | list) or not self.families:
            raise ParameterError(
                f"families must be a non-empty tuple of names or objects, got {self.families!r}"
            )
        if self.procedure == "gain-ratio" and not all(isinstance(f, str) for f in self.families):
            raise ParameterError(
                "gain-ratio compares columns, so it cannot use families of your own; use id3"
            )
        self._check_gamma()
        self._check_branch_price()
        self._check_order()
        self._check_monotonic()
        self._check_constraints()

    def _check_constraints(self) -> None:
        constraints = self.constraints
        if constraints.is_empty:
            return
        if not all(isinstance(family, str) for family in self.families):
            raise ParameterError(
                "constraints on columns and branches need built-in families: the splits of a "
                "family of your own are on no single column"
            )
        if constraints.on_paths and self.columns_per_node is not None:
            raise ParameterError(
                "columns that each node draws at random cannot observe an order of columns or costs"
            )

    def _check_monotonic(self) -> None:
        if not self.monotonic:
            return
        if not all(type(d) is int and d in (-1, 0, 1) for d in self.monotonic):
            raise ParameterError(f"monotonic must hold -1, 0 and 1, got {self.monotonic!r}")
        if not all(isinstance(family, str) for family in self.families):
            raise ParameterError("a family of your own cannot be kept monotonic")

    def _resolve(self) -> None:
        """Replace ``auto`` by the procedure's own index and families."""
        by_gain = self.procedure in BY_GAIN
        if isinstance(self.index, str) and self.index == "auto":
            object.__setattr__(self, "index", "entropy" if by_gain else "gini")
        if isinstance(self.families, str) and self.families == "auto":
            object.__setattr__(self, "families", ("values", "intervals") if by_gain else FAMILIES)

    def _check_gamma(self) -> None:
        if self.procedure != "mansour-mcallester":
            if self.gamma is not None:
                raise ParameterError(
                    f"gamma is for procedure='mansour-mcallester'; {self.procedure!r} needs none"
                )
        elif not _is_number_in(self.gamma, lambda x: 0 < x < 1):
            raise ParameterError(
                f"mansour-mcallester needs gamma between 0 and 1, got {self.gamma!r}; "
                "procedure='hatano' works without one"
            )

    def _check_branch_price(self) -> None:
        if self.branch_price is None:
            return
        if self.procedure != "priced":
            raise ParameterError(f"branch_price is for procedure='priced', not {self.procedure!r}")
        if not _is_number_in(self.branch_price, lambda x: 0 <= x < float("inf")):
            raise ParameterError(
                f"branch_price must be a number of at least 0 or None, got {self.branch_price!r}"
            )

    def _check_order(self) -> None:
        if self.leaf_order not in ("auto", "heaviest", "steepest"):
            raise ParameterError(
                f"leaf_order must be auto, heaviest or steepest, got {self.leaf_order!r}"
            )
        orders = LEAF_ORDERS[self.procedure]
        if self.leaf_order == "heaviest" and "heaviest" not in orders:
            raise ParameterError(
                f"{self.procedure} is always steepest: no theorem covers it with heaviest"
            )
        if self.leaf_order == "steepest" and "steepest" not in orders:
            raise ParameterError(
                f"{self.procedure} always takes the heaviest leaf: "
                "no theorem covers it with steepest"
            )

    @property
    def order(self) -> LeafOrder:
        """The leaf order with ``auto`` resolved."""
        order = LEAF_ORDERS[self.procedure][0] if self.leaf_order == "auto" else self.leaf_order
        return "steepest" if order == "steepest" else "heaviest"

    @property
    def range_arity(self) -> int:
        """The most branches of ``intervals`` and ``groups``."""
        return 2 if self.procedure in BY_GAIN else self.max_arity


def _is_number_in(value: Any, holds: Callable[[float], bool]) -> bool:
    if not is_real(value):
        return False
    try:
        return holds(float(value))
    except OverflowError:  # a whole number too large for a float
        return False


def _check_integer(name: str, value: Any, least: int, *, optional: bool = False) -> None:
    if optional and value is None:
        return
    if not is_integer(value) or int(value) < least:
        none = " or None" if optional else ""
        raise ParameterError(f"{name} must be an integer of at least {least}{none}, got {value!r}")
