"""Choosing a pruning by a floor on its sensitivity, or specificity, for a class."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np

from polytomy._errors import ParameterError
from polytomy._numbers import is_real
from polytomy._types import TIE, AnyArray, FloatArray, IntArray
from polytomy.estimators.base.rows import LabelledRows
from polytomy.format import Node
from polytomy.honesty import wilson

_RATES = ("sensitivity", "specificity")


@dataclass(frozen=True)
class Rate:
    """A rate on held-out rows, with the 95 % interval of Wilson.

    Attributes
    ----------
    name : {"sensitivity", "specificity"}
        The rate.
    value : float
        What was found on the held-out rows.
    low, high : float
        The ends of the interval.
    cases : float
        The number of held-out rows that the rate is about, or their weight.
    floor : float
        What was asked for, at least.
    """

    name: str
    value: float
    low: float
    high: float
    cases: float
    floor: float

    def __str__(self) -> str:
        return (
            f"{self.name} {self.value:.3f} [{self.low:.3f}-{self.high:.3f}] on {self.cases:,.10g} "
            f"held-out cases, at least {self.floor:g}"
        )


@dataclass(frozen=True)
class Selection:
    """Why a pruning was selected: the floors that it keeps on the held-out rows.

    The pruning was chosen on these rows, as the smallest one that keeps the floors. Its rates are
    therefore too good on average, and the intervals are those of a tree that was chosen without
    them: check it on other rows.

    Attributes
    ----------
    of : Any
        The class.
    rates : tuple of Rate
        The rates with a floor.
    leaves : int
        The number of leaves of the pruning.
    """

    of: Any
    rates: tuple[Rate, ...]
    leaves: int

    def __str__(self) -> str:
        rates = "; ".join(map(str, self.rates))
        return (
            f"{self.of!r}: {rates}. The tree was chosen on these rows, so check it on other rows."
        )


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Held-out rows at the nodes of a grown tree.

    Parameters
    ----------
    counts : ndarray of shape (nodes, classes)
        The weight of each class at each node, with the weights of classes and costs; or moments.
    cases : ndarray of shape (classes,) or None
        The rows of each class, or their case weights; None for a numeric target.
    """

    counts: FloatArray
    cases: FloatArray | None

    @classmethod
    def of(cls, rows: LabelledRows, counts: FloatArray, *, is_numeric: bool) -> "HeldOut":
        """Return held-out rows, given their weights at the nodes."""
        if is_numeric:
            return cls(counts, None)
        held = np.bincount(rows.labels, rows.case_weights, rows.n_classes)
        return cls(counts, held.astype(np.float64))

    @property
    def by_case(self) -> FloatArray:
        """The rows of each class at each node, without the weights of classes and costs."""
        assert self.cases is not None
        weight = self.counts[0]
        scale = np.divide(self.cases, weight, out=np.zeros(len(weight)), where=weight > 0)
        return np.asarray(self.counts * scale)


AtLeaves = Callable[[int, FloatArray], tuple[IntArray, FloatArray]]
"""The labels of the leaves of the pruning of a size, and the held-out rows of each class there."""


def check_floors(how: Any, floors: dict[str, float | None], of: Any, others: str) -> bool:
    """Return whether floors choose the pruning; raise an error if another criterion does, too."""
    wanted = [name for name, floor in floors.items() if floor is not None]
    if how is None and not wanted:
        raise ParameterError(f"select needs {others}, or a floor such as sensitivity=0.98")
    if how is not None and wanted:
        raise ParameterError(f"select takes {how!r} or a floor on the {wanted[0]}, not both")
    if of is not None and not wanted:
        raise ParameterError("of is for a floor on the sensitivity or specificity")
    return bool(wanted)


def with_selection(estimator: Any, of: Any, rates: tuple[Rate, ...]) -> Any:
    """Return a pruned estimator that states the floors by which it was chosen."""
    of = of.item() if isinstance(of, np.generic) else of
    estimator.selection_ = Selection(of, rates, estimator.n_leaves_)
    return estimator


def selection_to_plain(selection: Selection, classes: AnyArray) -> dict[str, Any]:
    """Return a selection as plain data for a model file.

    The intervals and the number of leaves follow from the rest.
    """
    names = ("name", "value", "cases", "floor")
    rates = [{name: getattr(rate, name) for name in names} for rate in selection.rates]
    return {"of": _class_number(classes, selection.of), "rates": rates}


def selection_from_plain(node: Node, classes: AnyArray, leaves: int) -> Selection:
    """Return the selection that ``selection_to_plain`` wrote, checked."""
    of, listed = node.fields("of", "rates")
    rates: list[Rate] = []
    for item in listed.items():
        name, value, cases, floor = item.fields("name", "value", "cases", "floor")
        if not 0 < floor.number() <= 1:
            floor.fail("must be above 0 and at most 1")
        if not floor.number() - TIE <= value.number() <= 1:
            value.fail("must be at least the floor and at most 1")
        if not cases.number() > 0:
            cases.fail("must be above 0")
        known = [kind for kind in _RATES if kind not in {rate.name for rate in rates}]
        rates.append(_rate(name.word(known), value.number(), cases.number(), floor.number()))
    if not rates:
        listed.fail("must have a rate")
    return Selection(classes.tolist()[of.whole(0, len(classes) - 1)], tuple(rates), leaves)


def choose_by_floor(
    sizes: IntArray,
    at_leaves: AtLeaves,
    held: HeldOut | None,
    classes: AnyArray,
    of: Any,
    floors: dict[str, float | None],
) -> tuple[int, tuple[Rate, ...]]:
    """Return the smallest size whose pruning keeps floors on its rates, and these rates.

    A pruning that predicts one class for all rows keeps a floor without telling rows apart. It is
    chosen only if no other keeps the floors.

    Parameters
    ----------
    sizes : ndarray of int
        The sizes of the prunings, ascending.
    at_leaves : callable
        Returns the leaves of the pruning of a size.
    held : HeldOut or None
        The held-out rows.
    classes : ndarray
        The classes.
    of : Any
        The class whose rates are meant.
    floors : dict
        The floors of ``"sensitivity"`` and ``"specificity"``; None for no floor.
    """
    wanted = {n: _checked_floor(n, floor) for n, floor in floors.items() if floor is not None}
    if held is None or held.cases is None:
        what = "a class target" if held is not None else "a path with held-out rows"
        raise ParameterError(f"a floor on the {' and '.join(wanted)} needs {what}")
    number = _class_number(classes, of)
    of = classes.tolist()[number]
    in_class, rest = float(held.cases[number]), float(held.cases.sum() - held.cases[number])
    cases = {"sensitivity": in_class, "specificity": rest}
    for name in wanted:
        if not cases[name] > 0:
            which = "no row" if name == "sensitivity" else "only rows"
            raise ParameterError(
                f"the held-out rows have {which} of class {of!r}, so the {name} is unknown"
            )
    rows, best, best_size, best_found = held.by_case, -1.0, 0, {}
    constant: tuple[int, tuple[Rate, ...]] | None = None
    for size in sizes.tolist():
        label, here = at_leaves(size, rows)
        said = label == number
        hits, alarms = float(here[said, number].sum()), float(here[said].sum())
        found = {
            "sensitivity": hits / in_class if in_class > 0 else 1.0,
            "specificity": 1.0 - (alarms - hits) / rest if rest > 0 else 1.0,
        }
        if all(found[name] >= floor - TIE for name, floor in wanted.items()):
            rates = tuple(_rate(n, found[n], cases[n], f) for n, f in wanted.items())
            if (label != label[0]).any():
                return size, rates
            constant = constant or (size, rates)
            continue
        reached = min(found[name] - floor for name, floor in wanted.items())
        if best_size == 0 or reached > best + TIE:
            best, best_size, best_found = reached, size, found
    reached_words = " and ".join(f"a {name} of {best_found[name]:.4g}" for name in wanted)
    floor_words = " and ".join(f"a {name} of at least {f:g}" for name, f in wanted.items())
    closest = f"the closest, of size {best_size}, has {reached_words}"
    if constant is not None:
        also = f"; of the others, {closest}" if best_size else ""
        warnings.warn(
            f"only a tree that predicts one class for all rows has {floor_words} for {of!r} on the "
            f"held-out rows{also}",
            UserWarning,
            stacklevel=4,
        )
        return constant
    raise ParameterError(
        f"no tree on the path has {floor_words} for {of!r} on the held-out rows; {closest}. "
        "A cost_matrix in which such mistakes cost more gives other trees"
    )


def _rate(name: str, value: float, cases: float, floor: float) -> Rate:
    value = min(max(value, 0.0), 1.0)
    low, high = wilson(value, cases)
    return Rate(name, value, low, high, cases, floor)


def _checked_floor(name: str, floor: Any) -> float:
    if not is_real(floor) or not isfinite(floor) or not 0 < floor <= 1:
        raise ParameterError(f"{name} must be a number above 0 and at most 1, got {floor!r}")
    return float(floor)


def _class_number(classes: AnyArray, of: Any) -> int:
    names = classes.tolist()
    if of is None:
        raise ParameterError(f"of must name the class that is meant, one of {names[:10]}")
    if of not in names:
        raise ParameterError(f"of must be one of the classes {names[:10]}, got {of!r}")
    return int(names.index(of))
