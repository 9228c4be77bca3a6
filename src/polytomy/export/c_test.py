"""The test of one branch as a condition in C."""

from collections.abc import Iterable, Iterator
from math import inf

from polytomy._errors import TreeError
from polytomy.encode import ColumnSpec, OrderedColumn
from polytomy.model import Model
from polytomy.table import Times

from .branch_test import OneOf, branch_test, values_of
from .c_columns import c_number
from .instants import last_tick
from .ladder import Rung, ladder
from .words import Range

_MOST_RUNS = 6  # of neighbouring codes that are written out; more are a table
_LAST = 2**63 - 1


def c_test(x: str, column: ColumnSpec, test: Range | OneOf, at: tuple[str, Rung]) -> str:
    """Return a condition that is true of the rows that take a branch.

    ``at`` is the function's name and the rung, which name the table of a large set.
    """
    if isinstance(test, OneOf):
        return _set_test(x, column, test, at)
    assert isinstance(column, OrderedColumn)
    timed = isinstance(column.scale, Times)
    gone = f"{x} == INT64_MIN" if timed else f"isnan({x})"
    if not test.present:
        return gone if test.missing else "0"
    held = _time_test(x, column, test) if timed else _number_test(x, test)
    if not test.missing:
        return held
    return f"({held}) || {gone}" if "&&" in held else f"{held} || {gone}"


def _number_test(x: str, test: Range) -> str:
    """Compare; NAN makes every comparison false."""
    parts = []
    if test.low is not None:
        parts.append(f"{x} > {'-INFINITY' if test.low == -inf else c_number(test.low)}")
    if test.high is not None:
        parts.append(f"{x} <= {'-INFINITY' if test.high == -inf else c_number(test.high)}")
    return " && ".join(parts) or f"!isnan({x})"


def _time_test(x: str, column: OrderedColumn, test: Range) -> str:
    """Compare ticks; INT64_MIN, which is missing, is below every bound."""
    parts = []
    if test.low is not None:
        parts.append(f"{x} > {_tick(test.low, column)}")
    elif test.missing:
        return "1" if test.high is None else f"{x} <= {_tick(test.high, column)}"
    else:
        parts.append(f"{x} != INT64_MIN")
    if test.high is not None:
        parts.append(f"{x} <= {_tick(test.high, column)}")
    return " && ".join(parts)


def _tick(threshold: float, column: OrderedColumn) -> str:
    tick = last_tick(threshold)
    if not -_LAST <= tick <= _LAST:
        raise TreeError(
            f"column {column.name!r} is asked about a time that no int64_t can hold; clip such "
            "times before growing the tree"
        )
    return f"INT64_C({tick})"


def _set_test(x: str, column: ColumnSpec, test: OneOf, at: tuple[str, Rung]) -> str:
    """Ask for codes: -1 is missing, and what is not among the codes is a new value."""
    runs = _runs(test.codes)
    if len(runs) > _MOST_RUNS:
        among = f"{x} >= 0 && {x} < {len(values_of(column))} && {_table_name(*at)}({x})"
    else:
        among = " || ".join(_run_test(x, first, last) for first, last in runs)
    if test.inside:
        if not test.missing:
            return among or "0"
        return f"{x} == -1 || ({among})" if among else f"{x} == -1"
    outside = f"!({among})" if among else "1"
    if test.missing:  # -1 is not among the codes either
        return outside
    return f"{x} != -1 && {outside}" if among else f"{x} != -1"


def _run_test(x: str, first: int, last: int) -> str:
    return f"{x} == {first}" if first == last else f"({x} >= {first} && {x} <= {last})"


def set_tables(model: Model, name: str) -> Iterator[str]:
    """Yield a function with a table for each set of codes that is too ragged to write out."""
    for step in ladder(model.tree):
        if not isinstance(step, Rung):
            continue
        test = branch_test(model, step.node, step.branch)
        if isinstance(test, OneOf) and len(_runs(test.codes)) > _MOST_RUNS:
            column = model.schema[int(model.tree.feature[step.node])]
            yield _table(_table_name(name, step), test.codes, len(values_of(column)))


def _table_name(name: str, step: Rung) -> str:
    return f"{name}_node_{step.node}_branch_{step.branch}"


def _table(name: str, codes: Iterable[int], n: int) -> str:
    """Return a function that looks a code up in a bit map."""
    data = bytearray(n // 8 + 1)
    for code in codes:
        data[code // 8] |= 1 << code % 8
    rows = [", ".join(map(str, data[i : i + 16])) for i in range(0, len(data), 16)]
    listed = ",\n".join(f"        {row}" for row in rows)
    return (
        f"static inline int {name}(int code) {{\n"
        f"    static const unsigned char bits[] = {{\n{listed}}};\n"
        "    return (bits[code / 8] >> (code % 8)) & 1;\n}"
    )


def _runs(codes: Iterable[int]) -> list[tuple[int, int]]:
    """Return codes as runs of neighbours, first and last."""
    runs: list[tuple[int, int]] = []
    for code in codes:
        if runs and runs[-1][1] == code - 1:
            runs[-1] = (runs[-1][0], code)
        else:
            runs.append((code, code))
    return runs
