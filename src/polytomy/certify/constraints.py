"""The constraints of a run in words."""

from collections.abc import Iterable

from polytomy._text import count, one_line, shorten
from polytomy.encode import Schema

from .record import Rules

_SHOWN = 8  # columns of a list


def constraint_sentences(rules: Rules, schema: Schema, predicted: str = "prediction") -> list[str]:
    """Return what a tree had to observe, one sentence for each constraint.

    Parameters
    ----------
    rules : Rules
        The rules of the run.
    schema : Schema
        The columns.
    predicted : str, default="prediction"
        What goes in the direction of monotonic columns, for example "share of malignant".

    Returns
    -------
    list of str
        The sentences; none without constraints.

    Examples
    --------
    >>> from polytomy.encode import OrderedColumn
    >>> from polytomy.tree import Constraints
    >>> import numpy as np
    >>> ends = np.array([0.0])
    >>> schema = Schema(tuple(OrderedColumn(n, ends, ends, has_missing=False) for n in "ab"))
    >>> held = Constraints(never=(1,), min_child_share=0.1)
    >>> rules = Rules("priced", "steepest", None, 8, ("intervals",), False, constraints=held)
    >>> constraint_sentences(rules, schema)
    ['Never asked: b.', 'Each branch has at least 10 % of the weight of its node.']
    """
    held, sentences = rules.constraints, []

    def names(columns: Iterable[int], joined: str = ", ") -> str:
        listed = [shorten(one_line(schema[j].name), 40) for j in columns]
        more = [count(len(listed) - _SHOWN, "other")] if len(listed) > _SHOWN else []
        return joined.join(listed[:_SHOWN] + more)

    for direction, word in ((1, "rises"), (-1, "falls")):
        columns = [j for j, d in enumerate(rules.monotonic) if d == direction]
        if columns:
            sentences.append(f"The {predicted} only {word} with: {names(columns)}.")
    if held.never:
        sentences.append(f"Never asked: {names(held.never)}.")
    if held.first:
        sentences.append(f"Asked before any other column: {names(held.first)}.")
    if any(held.after):
        waits = [(j, others) for j, others in enumerate(held.after) if others]
        listed = [f"{names([j])} below {names(others, ' or ')}" for j, others in waits[:_SHOWN]]
        more = [count(len(waits) - _SHOWN, "other")] if len(waits) > _SHOWN else []
        sentences.append(f"Asked only below others: {'; '.join(listed + more)}.")
    if any(held.costs):
        priced = [j for j, cost in enumerate(held.costs) if cost]
        listed = [f"{names([j])} {held.costs[j]:g}" for j in priced[:_SHOWN]]
        more = [count(len(priced) - _SHOWN, "other")] if len(priced) > _SHOWN else []
        sentences.append(f"Costs of columns: {', '.join(listed + more)}.")
    if held.min_child_share:
        share = f"{held.min_child_share * 100:.4g} %"
        sentences.append(f"Each branch has at least {share} of the weight of its node.")
    if held.min_difference:
        sentences.append(f"Neighbouring branches differ by at least {held.min_difference:g}.")
    return sentences
