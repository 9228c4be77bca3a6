"""Best intervals on a number that is no column: a help for users' own families."""

import numpy as np

from polytomy import kernels
from polytomy._types import FloatArray
from polytomy.encode import OrderedColumn
from polytomy.grow.ask import Ask
from polytomy.grow.stats import NodeRows


def best_thresholds(
    values: FloatArray, node: NodeRows, ask: Ask, max_bins: int = 255
) -> list[FloatArray]:
    """Return the best thresholds on ``values``, one array per arity that could win.

    Parameters
    ----------
    values : float64 array
        A number for each of the node's rows, such as a projection of its columns; no NaN.
    node : NodeRows
        The node.
    ask : Ask
        What the family was asked.
    max_bins : int
        Beyond this many distinct values, thresholds lie between quantiles.
    """
    numbers = np.ascontiguousarray(values, dtype=np.float64)
    table = kernels.value_table([numbers], [kernels.PLAIN], len(numbers))
    ((low, high, has_missing),) = kernels.find_cuts(table, None, max_bins, 1)
    if has_missing:
        raise ValueError("best_thresholds needs a number for every row; fill the missing ones")
    weights = node.class_weights
    code = np.searchsorted(high, numbers)
    counts = np.zeros((len(low), weights.shape[1]))
    np.add.at(counts, code, weights)
    query = kernels.NodeQuery(
        counts.astype(np.int64),
        np.bincount(code, minlength=len(low)),
        np.array([0, len(low)]),
        np.zeros(1, dtype=np.uint8),
        ask.index.kernel,
        ask.node_value,
        ask.least,
        1,
    )
    column = OrderedColumn("", low, high, has_missing=False)
    menu = query.interval_menu(np.zeros(1, dtype=np.int32), ask.prices, ask.floor)
    return [
        np.array([column.threshold(a, b) for a, b in zip(left, right, strict=True)])
        for _, _, _, left, right, _ in menu
    ]
