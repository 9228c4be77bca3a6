"""Constraints of an estimator, given by the names of columns, in the form that growing takes."""

from collections.abc import Iterable, Mapping
from numbers import Integral
from typing import Any

import numpy as np

from polytomy._errors import ParameterError
from polytomy._numbers import is_integer, is_real
from polytomy._text import suggestion
from polytomy._types import AnyArray
from polytomy.encode import Schema
from polytomy.model import Model
from polytomy.prune import Pruner
from polytomy.tree import Constraints

CONSTRAINTS = (
    "never_ask",
    "columns_first",
    "only_after",
    "column_cost",
    "min_child_share",
    "min_difference",
)
"""The names of these parameters."""

_NUMBER_THEM = (
    "number them in their order, for example by y.cat.codes of an ordered pandas series, or "
    "y.to_physical() of a polars Enum"
)


def contracts(tree: Any) -> bool:
    """Return whether the tree of an estimator is contracted.

    A contracted split has branches of the splits below it, which may be smaller than
    ``min_child_share`` of its node, or differ from their new neighbours by less than
    ``min_difference``.
    """
    return bool(tree.contract) and not (tree.min_child_share or tree.min_difference)


def check_shares(tree: Any) -> None:
    """Raise an error unless the constraints on branches are numbers in their ranges."""
    for name in ("min_child_share", "min_difference"):
        value = getattr(tree, name)
        if not is_real(value):
            raise ParameterError(f"{name} must be a number, got {value!r}")
    Constraints(
        min_child_share=float(tree.min_child_share), min_difference=float(tree.min_difference)
    )


def constraints_of(tree: Any, schema: Schema, classes: AnyArray) -> Constraints:
    """Return the constraints of an estimator for the columns of a table.

    Parameters
    ----------
    tree : TreeClassifier or TreeRegressor
        The estimator.
    schema : Schema
        The columns.
    classes : ndarray
        The classes; empty for numbers.

    Returns
    -------
    Constraints
        The constraints, with columns by position.
    """
    check_shares(tree)
    never = _columns("never_ask", tree.never_ask, schema)
    first = _columns("columns_first", tree.columns_first, schema)
    after = _after(tree.only_after, schema)
    if len(never) == len(schema):
        raise ParameterError("never_ask names every column, so that nothing can be asked")
    for name, columns in (("columns_first", first), ("only_after", after)):
        both = [schema.names[j] for j in columns if j in never]
        if both:
            raise ParameterError(f"never_ask and {name} both name {_listed(both)}")
    _check_reachable(after, never, schema)
    if tree.min_difference and len(classes) > 2:
        raise ParameterError(
            f"min_difference compares one number of each branch: with {len(classes)} classes a "
            "branch has as many shares; it needs two classes, or a numeric target"
        )
    return Constraints(
        never=tuple(sorted(never)),
        first=tuple(sorted(first)),
        after=tuple(tuple(sorted(after.get(j, ()))) for j in range(len(schema))) if after else (),
        costs=_costs(tree.column_cost, schema),
        min_child_share=float(tree.min_child_share),
        min_difference=float(tree.min_difference),
    )


def directions_of(
    monotonic_cst: Any, schema: Schema, classes: AnyArray, order: int
) -> tuple[int, ...]:
    """Return the direction of each column; empty if none has one.

    Directions are those of the position of a class in ``classes``.

    Parameters
    ----------
    monotonic_cst : dict, array or None
        The parameter of that name.
    schema : Schema
        The columns.
    classes : ndarray
        The classes; empty for numbers.
    order : {-1, 0, 1}
        The order of the target's own (see ``class_order``); 1 for numbers.
    """
    if monotonic_cst is None:
        return ()
    if isinstance(monotonic_cst, Mapping):
        given: list[Any] = [0] * len(schema)
        for column, direction in monotonic_cst.items():
            given[_column("monotonic_cst", column, schema)] = direction
    else:
        given = np.asarray(monotonic_cst, dtype=object).tolist()
        if not isinstance(given, list) or len(given) != len(schema):
            raise ParameterError(
                f"monotonic_cst must be a dict, or have one entry for each of {len(schema)} columns"
            )
    if not all(is_real(d) and d in (-1, 0, 1) for d in given):
        raise ParameterError(f"monotonic_cst must hold -1, 0 and 1, got {monotonic_cst!r}")
    directions = tuple(int(d) * (order or 1) for d in given)
    if not any(directions):
        return ()
    for spec, direction in zip(schema, directions, strict=True):
        if direction and spec.kind == "nominal":
            raise ParameterError(
                f"column {spec.name!r} holds categories without an order, so that nothing can be "
                "monotonic in it; use an ordered categorical type, or numbers"
            )
    if order == 0 and len(classes) > 2 and np.asarray(classes).dtype.kind not in "iuf":
        raise ParameterError(
            f"monotonic_cst needs two classes, or classes that are numbers: {len(classes)} classes "
            f"of text have no order; {_NUMBER_THEM}"
        )
    return directions


def check_directions(monotonic_cst: Any, model: Model) -> None:
    """Raise an error unless the directions of a model's columns are those of the parameter.

    The order of the target's own, which may reverse all directions, is not part of a model: a
    classifier may have either.

    Parameters
    ----------
    monotonic_cst : dict, array or None
        The parameter of that name.
    model : Model
        The model of the fit.
    """
    stated = model.run.rules.monotonic
    orders = (1,) if model.is_numeric else (1, -1)
    given = [directions_of(monotonic_cst, model.schema, model.classes, n) for n in orders]
    if stated not in given:
        raise ParameterError(
            f"monotonic_cst gives the directions {list(given[0])}, but the tree was grown with "
            f"{list(stated)}"
        )


def class_order(monotonic_cst: Any, dtype: Any, classes: AnyArray) -> int:
    """Return the order that the type of a target gives to its classes.

    Parameters
    ----------
    monotonic_cst : dict, array or None
        The parameter of that name.
    dtype : object
        The type of the target. An ordered categorical type of pandas, and an Enum of polars, have
        an order.
    classes : ndarray
        The classes in ascending order.

    Returns
    -------
    int
        1 if that is the order of the type, -1 if it is the reverse, 0 if the type has none or no
        column has a direction.

    Raises
    ------
    ParameterError
        If it is neither.
    """
    if monotonic_cst is None:
        return 0
    given = list(monotonic_cst.values()) if isinstance(monotonic_cst, Mapping) else monotonic_cst
    if all(is_real(d) and d == 0 for d in np.asarray(given, dtype=object).flat):
        return 0
    is_ordered = getattr(dtype, "ordered", type(dtype).__name__ == "Enum")
    categories = getattr(dtype, "categories", None)
    if not is_ordered or categories is None:
        return 0
    known = np.asarray(classes).tolist()
    own = [name for name in list(categories) if name in known]
    if own == known:
        return 1
    if own == known[::-1]:
        return -1
    raise ParameterError(
        f"y has classes with an order of their own, {_chain(own)}, but monotonic_cst follows "
        f"the order of their names, {_chain(known)}, or its reverse; {_NUMBER_THEM}"
    )


def _chain(names: list[Any]) -> str:
    """Return the first of some classes in their order: 'a' < 'b' < 'c'."""
    return " < ".join(map(repr, names[:5])) + (" < ..." if len(names) > 5 else "")


def check_pruner(constraints: Constraints, pruner: Pruner | None) -> None:
    """Raise an error if a pruner may break constraints."""
    if pruner is None or not getattr(pruner, "raising", False):
        return
    if constraints.on_paths or constraints.on_branches:
        raise ParameterError(
            f"the {pruner.name} pruner raises subtrees, which may then lack the questions above "
            "them that the constraints ask for; use raising=False"
        )


def _column(name: str, given: Any, schema: Schema) -> int:
    """Return the position of a column that a parameter names."""
    if isinstance(given, str):
        if given not in schema.names:
            raise ParameterError(
                f"{name} names a column that the table does not have: {given!r}; "
                + suggestion(given, schema.names)
            )
        return schema.names.index(given)
    if is_integer(given):
        if not 0 <= int(given) < len(schema):
            raise ParameterError(
                f"{name} names column {given}, but the table has {len(schema)} columns"
            )
        return int(given)
    raise ParameterError(f"{name} must have names or positions of columns, got {given!r}")


def _columns(name: str, given: Any, schema: Schema) -> list[int]:
    """Return the positions of the columns that a parameter lists; a single one is a list of it."""
    if given is None:
        return []
    if isinstance(given, str | Integral) or not isinstance(given, Iterable):
        given = [given]
    found = [_column(name, one, schema) for one in given]
    if len(set(found)) < len(found):
        twice = sorted({schema.names[j] for j in found if found.count(j) > 1})
        raise ParameterError(f"{name} names {_listed(twice)} twice")
    return found


def _mapping(name: str, given: Any, what: str) -> Mapping[Any, Any]:
    if not isinstance(given, Mapping):
        raise ParameterError(f"{name} must be a dict from columns to {what}, got {given!r}")
    return given


def _after(given: Any, schema: Schema) -> dict[int, list[int]]:
    if given is None:
        return {}
    after: dict[int, list[int]] = {}
    for column, others in _mapping("only_after", given, "columns").items():
        j = _column("only_after", column, schema)
        after[j] = _columns("only_after", others, schema)
        if not after[j]:
            raise ParameterError(
                f"only_after lists no column for {schema.names[j]!r}; use never_ask if it must not "
                "be asked at all"
            )
    return after


def _check_reachable(after: Mapping[int, list[int]], never: list[int], schema: Schema) -> None:
    """Raise an error if a column can never be asked because of what must be asked above it."""
    reached = {j for j in range(len(schema)) if j not in after and j not in never}
    while more := {j for j in after if j not in reached and reached.intersection(after[j])}:
        reached |= more
    lost = [j for j in after if j not in reached]
    if lost:
        waits = "; ".join(
            f"{schema.names[j]!r} waits for {_listed([schema.names[i] for i in after[j]], 'or')}"
            for j in lost
        )
        raise ParameterError(
            f"only_after leaves columns that can never be asked: {waits}, and nothing above them "
            "can be asked first"
        )


def _costs(given: Any, schema: Schema) -> tuple[float, ...]:
    if given is None:
        return ()
    costs = [0.0] * len(schema)
    for column, cost in _mapping("column_cost", given, "numbers").items():
        if not is_real(cost) or not 0 <= float(cost) < float("inf"):
            raise ParameterError(f"column_cost must be at least 0, got {cost!r} for {column!r}")
        costs[_column("column_cost", column, schema)] = float(cost)
    return tuple(costs) if any(costs) else ()


def _listed(names: list[str], joined: str = "and") -> str:
    quoted = [repr(name) for name in names]
    head = ", ".join(quoted[:-1])
    return f"{head} {joined} {quoted[-1]}" if head else quoted[-1]
