"""What is known about the best tree of a size, beside a given tree."""

from dataclasses import dataclass
from math import floor

from polytomy._text import count

from .search import MAX_LEAVES


@dataclass(frozen=True, slots=True)
class Optimality:
    """The training error of a tree, and bounds on that of the best tree of the same size.

    Errors are fractions of the weight of the training rows, class weights included. ``str`` gives a
    sentence.

    Parameters
    ----------
    leaves : int
        The most leaves of the trees that are compared.
    error : float
        The training error of the tree.
    bound : float
        No tree with at most as many leaves has a smaller training error.
    best : float
        The smallest training error that is known to be possible: that of the tree, or of a better
        one that the search found.
    unavoidable : float
        The part of the error that is due to rows that no split separates.
    relaxed : tuple of str
        The parameters that restrict trees and that ``bound`` and ``best`` ignore: with them, the
        smallest possible error may be larger.
    seconds : float
        The time that the search took.

    Examples
    --------
    >>> print(Optimality(8, 0.121, 0.1145, 0.121, 0.0, (), 10.0))
    8 leaves, 12.1 %; no such tree does better than 11.4 %
    >>> print(Optimality(3, 0.04, 0.04, 0.04, 0.0, (), 0.01))
    3 leaves, 4.0 %; no such tree does better
    >>> print(Optimality(4, 0.03, 0.02, 0.02, 0.0, (), 0.01))
    4 leaves, 3.0 %; the best such tree has 2.0 %
    >>> print(Optimality(16, 0.03, 0.0, 0.03, 0.0, (), 10.0))
    16 leaves, 3.0 %; no lower bound found in 10 s
    >>> print(Optimality(80, 0.03, 0.0, 0.03, 0.0, (), 0.01))
    80 leaves, 3.0 %; no lower bound is searched for beyond 64 leaves
    >>> print(Optimality(8, 0.121, 0.05, 0.11, 0.0, (), 10.0))
    8 leaves, 12.1 %; no such tree does better than 5.0 %; a tree with 11.0 % exists
    """

    leaves: int
    error: float
    bound: float
    best: float
    unavoidable: float
    relaxed: tuple[str, ...]
    seconds: float

    @property
    def is_optimal(self) -> bool:
        """Whether no tree with at most as many leaves has a smaller training error."""
        return self.bound >= self.error

    @property
    def is_exact(self) -> bool:
        """Whether the smallest possible training error is known: the bound is reached."""
        return self.bound >= self.best

    def __str__(self) -> str:
        begin = f"{count(self.leaves, 'leaf', 'leaves')}, {100 * self.error:.1f} %; "
        if self.is_optimal:
            return f"{begin}no such tree does better"
        if self.is_exact:
            return f"{begin}the best such tree has {100 * self.best:.1f} %"
        tenths = floor(1000 * self.bound + 1e-9)  # rounding up would claim too much
        bound = f"no such tree does better than {tenths / 10:.1f} %"
        if not tenths:
            bound = f"no lower bound found in {self.seconds:.3g} s"
            if self.leaves > MAX_LEAVES:
                bound = f"no lower bound is searched for beyond {MAX_LEAVES} leaves"
        better = f"; a tree with {100 * self.best:.1f} % exists" if self.best < self.error else ""
        return f"{begin}{bound}{better}"
