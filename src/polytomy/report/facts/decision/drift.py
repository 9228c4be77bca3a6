"""Drift of another table against the training rows: by leaf, or by predicted value."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from polytomy._types import AnyArray
from polytomy.evaluate import Drift, drift
from polytomy.honesty import wilson
from polytomy.report.facts.json_values import rounded, rounded_list

_DIGITS = 5


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Numbers of rows in the same cells of a reference and of another table.

    Attributes
    ----------
    reference, new : ndarrays
        The number of rows in each cell.
    nodes : list of int or None
        The leaves that the cells are, or None.
    labels : list of str or None
        The names of other cells, or None.
    """

    reference: AnyArray
    new: AnyArray
    nodes: list[int] | None = None
    labels: list[str] | None = None


def drift_facts(cells: Cells) -> dict[str, Any]:
    """Return the stability of the shares of rows in some cells, with the part of each cell.

    Parameters
    ----------
    cells : Cells
        The numbers of rows.
    """
    found = drift(cells.reference, cells.new)
    low, high = wilson(found.new, float(np.sum(cells.new)))
    listed: dict[str, Any] = {
        "reference": rounded_list(found.reference, _DIGITS),
        "new": rounded_list(found.new, _DIGITS),
        "low": rounded_list(low, _DIGITS),
        "high": rounded_list(high, _DIGITS),
        "part": rounded_list(found.parts, _DIGITS),
    }
    if cells.nodes is not None:
        listed["nodes"] = cells.nodes
    if cells.labels is not None:
        listed["labels"] = cells.labels
    return {
        **stability(found),
        "reference_rows": rounded(np.sum(cells.reference)),
        "new_rows": rounded(np.sum(cells.new)),
        "smoothed": found.smoothed,
        "cells": listed,
    }


def stability(found: Drift) -> dict[str, Any]:
    """Return the population stability index with its interval and p-value."""
    return {
        "psi": rounded_list((found.psi, found.low, found.high), _DIGITS),
        "expected": rounded(found.expected, _DIGITS),
        "p": rounded(found.p_value, 3),
    }
