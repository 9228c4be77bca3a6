"""The gain of a split worked out step by step, with the numbers filled into the formulas."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from polytomy._types import FloatArray
from polytomy.index import INDICES
from polytomy.theory import price

_MINUS = "\N{MINUS SIGN}"
_MOST_TERMS = 6  # classes in a formula


@dataclass(frozen=True, slots=True)
class IndexText:
    """How an index is named and written.

    Parameters
    ----------
    name : str
        What the page calls it.
    formula : str
        Its definition, for shares p of the classes.
    unit : str
        The unit of its values, if they have one.
    """

    name: str
    formula: str
    unit: str = ""


INDEX_TEXTS = {
    "entropy": IndexText("Entropy", f"{_MINUS}Σ p log₂ p", "bits"),
    "gini": IndexText("Gini", f"2 (1 {_MINUS} Σ p²)"),
    "sqrt": IndexText("Square root", f"(Σ √p)² {_MINUS} 1"),
}
"""The indices that a lesson can use."""

PRICES = {
    "id3": "1: gains are compared as they are",
    "per-leaf": f"k {_MINUS} 1, the number of added leaves",
    "hatano": "⌈log₂ k⌉",
    "kearns-mansour": "1: all splits have two branches",
}
"""The price of a split with k branches, by procedure, in words."""


def worked_node(index: str, counts: FloatArray) -> dict[str, Any]:
    """Return the index of a node with its formula filled in.

    Parameters
    ----------
    index : str
        A name in ``INDEX_TEXTS``.
    counts : ndarray
        The rows of each class.

    Returns
    -------
    dict
        ``counts``, ``rows``, ``value`` and ``formula``.

    Examples
    --------
    >>> import numpy as np
    >>> worked_node("entropy", np.array([9.0, 5.0]))["formula"].replace(_MINUS, "-")
    '-9/14·log₂(9/14) - 5/14·log₂(5/14)'
    """
    rows = float(counts.sum())
    return {
        "counts": [round(c) for c in counts.tolist()],
        "rows": round(rows),
        "value": _mean_impurity(index, counts[None], rows),
        "formula": _filled_in(index, counts),
    }


def worked_split(
    index: str, procedure: str, counts: FloatArray, answers: Sequence[str]
) -> dict[str, Any]:
    """Return the gain of a split, worked out from the counts of its branches.

    Parameters
    ----------
    index : str
        A name in ``INDEX_TEXTS``.
    procedure : str
        The growth procedure, whose price divides the gain.
    counts : ndarray of shape (branches, classes)
        The rows of each class in each branch.
    answers : sequence of str
        The branches in words.

    Returns
    -------
    dict
        ``node``, ``branches``, the mean index of the branches ``rest``, ``gain``, ``price`` and the
        gain divided by the price, ``worth``, with the formulas of each.
    """
    node = worked_node(index, counts.sum(axis=0))
    branches = [
        {"answer": answer, **worked_node(index, held)}
        for answer, held in zip(answers, counts, strict=True)
    ]
    rows = node["rows"]
    rest = _mean_impurity(index, counts, rows)
    gain = max(node["value"] - rest, 0.0)
    cost = price(procedure, len(branches))
    # one digit more than the results are shown with, so that readers get the same
    mean = " + ".join(f"{b['rows']}/{rows}·{b['value']:.4f}" for b in branches)
    return {
        "node": node,
        "branches": branches,
        "rest": {"formula": mean, "value": rest},
        "gain": {"formula": f"{node['value']:.4f} {_MINUS} {rest:.4f}", "value": gain},
        "price": cost,
        "worth": gain / cost,
    }


def _mean_impurity(index: str, counts: FloatArray, rows: float) -> float:
    """Return the index of some groups of rows, the mean over all rows."""
    return float(INDICES[index].value(counts).sum()) / rows


def _filled_in(index: str, counts: FloatArray) -> str:
    """Return the formula of an index with the counts of a node in it."""
    rows = round(float(counts.sum()))
    held = [f"{round(c)}/{rows}" for c in counts.tolist() if c > 0]
    if len(held) == 1:
        return "all rows have the same class"
    shown, more = held[:_MOST_TERMS], len(held) > _MOST_TERMS
    if index == "entropy":
        terms = f" {_MINUS} ".join(f"{p}·log₂({p})" for p in shown)
        return f"{_MINUS}{terms}" + (f" {_MINUS} …" if more else "")
    if index == "gini":
        terms = f" {_MINUS} ".join(f"({p})²" for p in shown)
        return f"2·(1 {_MINUS} {terms}" + (f" {_MINUS} …)" if more else ")")
    terms = " + ".join(f"√({p})" for p in shown)
    return f"({terms}" + (" + …" if more else "") + f")² {_MINUS} 1"
