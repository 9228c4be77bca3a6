"""Parameters of the estimators: documentation, checks, and the record that a fit keeps.

``GrowParams`` and ``BoostParams`` declare the names, the defaults and the checks. The signatures of
the estimators repeat the defaults, because scikit-learn reads them there; a test compares the two.
"""

import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from math import isfinite
from typing import Any, TypeVar

import numpy as np

from polytomy._errors import ParameterError
from polytomy._numbers import is_integer, is_real
from polytomy._types import IntArray
from polytomy.encode import checked_max_bins
from polytomy.format import refuse
from polytomy.grow import GrowParams

_NOT_GROWTH = (  # set by each fit
    "branch_price",
    "columns_per_node",
    "seed",
    "monotonic",
    "constraints",
)

GROWTH = tuple(f.name for f in fields(GrowParams) if f.name not in _NOT_GROWTH)
"""The names of the growth parameters of estimators."""

CV_LEAVES = 1024  # max_leaves="cv" chooses among the prunings of a tree of up to this many leaves

_MAX_JOBS = 1 << 16

# The type and the description of every parameter that both classifiers have.
_SHARED: dict[str, tuple[str, str]] = {
    "procedure": (
        '{"priced", "per-leaf", "hatano", "mansour-mcallester", "kearns-mansour", "id3", '
        '"gain-ratio"}',
        """\
The rule that limits the number of branches of a split and compares splits with different
numbers of branches. ``"priced"``, for single trees only, prices leaves and questions: it grows
more leaves than it keeps, prunes to the least cost and merges branches, so that splits are wide
where that pays; groupings of categories must pay for their description. ``"per-leaf"`` maximises
the gain per added leaf. ``"id3"`` splits on the column with the largest information gain, with a
branch for each category and one threshold for numbers; ``"gain-ratio"`` divides each column's gain
by the entropy of its branches, as C4.5 does, because columns with many categories win otherwise.
The others are the published procedures of that name.""",
    ),
    "gamma": (
        "float or None",
        """\
The advantage over guessing that ``"mansour-mcallester"`` assumes, between 0 and 1. Required
by that procedure, and not allowed with the others.""",
    ),
    "leaf_order": (
        '{"auto", "heaviest", "steepest"}',
        """\
Which leaf to split next: the one with the largest impurity (``"heaviest"``), or the one with
the best split (``"steepest"``). ``"auto"`` is ``"heaviest"`` for ``"hatano"``,
``"mansour-mcallester"`` and ``"kearns-mansour"``, and ``"steepest"`` for the others.""",
    ),
    "families": (
        '"auto" or tuple of str or family objects',
        """\
The kinds of splits to search. ``"intervals"`` cuts an ordered column into ranges, ``"values"``
gives each category a branch, ``"groups"`` gives each group of categories a branch. An object
with ``name`` and ``propose`` adds splits of your own. ``"auto"`` is all three, but only
``("values", "intervals")`` for ``"id3"`` and ``"gain-ratio"``.""",
    ),
    "max_arity": (
        "int",
        """\
The maximum number of branches of a split by intervals or groups. It is 2 for ``"id3"`` and
``"gain-ratio"``, where the widest split would always gain most. A contracted tree can have nodes
with more branches, because it merges splits on the same column; those of ensembles are not
contracted.""",
    ),
    "max_depth": (
        "int or None",
        "The maximum depth of a grown tree. None sets no limit.",
    ),
    "min_samples_split": (
        "int",
        "The minimum number of rows (not their weight) that a node needs to be split.",
    ),
    "min_samples_leaf": (
        "int",
        "The minimum number of rows (not their weight) in each child of a split.",
    ),
    "min_weight_fraction_leaf": (
        "float",
        """\
The minimum weight of each child of a split, as a fraction of the weight of all rows, from 0 to
0.5.""",
    ),
    "min_gain": (
        "float",
        "The minimum gain of a split, divided by the weight of all rows.",
    ),
    "class_weight": (
        'dict, "balanced" or None',
        """\
Weights of the classes, multiplied by the weights of the rows. ``"balanced"`` gives all classes
the same total weight.""",
    ),
    "cost_matrix": (
        "dict of pairs, or DataFrame or array of shape (n_classes, n_classes)",
        """\
What mistakes cost, at least 0: a dict from pairs (true class, predicted class) to costs, or an
array with a row for each true class and a column for each predicted class, in the order of
``classes_``; a DataFrame names the classes itself, in its index and its columns. Pairs that a dict
leaves out cost 1, or 0 if the two classes are the same. Leaves predict the class of least cost, and
the tree is grown and pruned by costs; ``predict_proba`` remains the class shares. None counts every
mistake alike.""",
    ),
    "monotonic_cst": (
        "dict from str or int to int, or array of shape (n_columns,)",
        """\
Columns, by name or position, along which the prediction must go in one direction: 1 if it must
not decrease when the value of the column increases and all others stay the same, -1 if it must not
increase, 0 for any.
The prediction is the share of the second class, which is ``classes_[1]`` unless y has an ordered
type that says otherwise; the mean position of the class if there are more, which must be numbers or
of an ordered type then; or the mean. It holds for the shares to expect of new rows too, and
``verify`` checks it. Missing cells have no place in the order.""",
    ),
    "never_ask": (
        "str, int, list of them or None",
        """\
Columns that no split may be on, by name or position. They stay columns of the table: ``predict``
takes the same columns as ``fit``, whatever these hold.""",
    ),
    "columns_first": (
        "str, int, list of them or None",
        """\
Columns that are asked before any other, in whichever order gains most: on every path, as long as
one of them that has not been asked there has a split that gains, a node splits on one of these.""",
    ),
    "only_after": (
        "dict or None",
        """\
Columns that may be asked only below others: from each to one column, or to a list of columns of
which one must have been asked above, such as ``{"biopsy": ["scan", "age"]}``.""",
    ),
    "column_cost": (
        "dict from column to float, or None",
        """\
What asking about a column costs more, at least 0. Asking all rows must save this fraction of what
the tree saves in all, like ``question_price``. For procedures without prices it is a fraction of
the impurity of the root, taken off the gain, and a split that gains less is not made. A column
that has been asked costs nothing further down the path.""",
    ),
    "min_child_share": (
        "float",
        """\
The least weight of each branch, as a share of its node's, from 0 to 0.5.
``min_weight_fraction_leaf`` is a share of all rows. The tree is not contracted then.""",
    ),
    "min_difference": (
        "float",
        """\
The least difference between neighbouring branches: of the share of the second class, or of the
mean. Ranges are neighbours if they follow each other, groups in the order of their values. Needs
two classes or a numeric target. The tree is not contracted then, nor are branches merged.""",
    ),
    "categorical_features": (
        '"from_dtype", array of bool, array of int or array of str',
        """\
The columns to treat as categorical, as a mask, positions or names. ``"from_dtype"`` chooses the
columns of text and unordered categories.""",
    ),
    "max_bins": (
        'int or "auto"',
        """\
The maximum number of bins of an ordered column. A column with at most this many distinct values
has a bin for each of them; a column with more has bins of about equal weight, whose values no
split separates. ``"auto"`` keeps up to 500 distinct values, and divides a column with more into
255 bins. A ``TreeClassifier`` with ``max_leaves=None`` keeps up to 10,000 if rows that differ
would otherwise share all their bins, so that every training row can be classified correctly.
Boosting uses 255 by default, because its trees are small and many: more bins cost time in every
round.""",
    ),
    "n_jobs": (
        "int or None",
        """\
The number of threads, as in scikit-learn: None is 1 and -1 uses all cores. The fitted model does
not depend on it.""",
    ),
}

_Class = TypeVar("_Class", bound=type)


def document_parameters(cls: _Class) -> _Class:
    """Complete the Parameters section of a class docstring, in the order of the signature.

    The docstring in the source describes the parameters that only this class has. This decorator
    adds the shared ones, and appends each default from the signature.
    """
    if cls.__doc__ is None:  # python -OO
        return cls
    text = inspect.cleandoc(cls.__doc__)
    head, own, tail = re.split(r"(?:Parameters\n-{10}\n)|(?:\n(?=Attributes\n-{10}\n))", text)
    described = _entries(own)
    lines = []
    for parameter in inspect.signature(cls).parameters.values():
        kind, description = described.get(parameter.name) or _SHARED[parameter.name]
        lines.append(f"{parameter.name} : {kind}, default={parameter.default!r}")
        lines += [f"    {line}" for line in description.splitlines()]
    section = "\n".join(["Parameters", "----------", *lines])
    cls.__doc__ = f"{head}{section}\n\n{tail}\n"
    return cls


def _entries(section: str) -> dict[str, tuple[str, str]]:
    """Return the type and the description of each parameter in a Parameters section."""
    found = re.findall(r"^(\w+) : (.+)\n((?:    .*\n?)+)", section, re.MULTILINE)
    return {name: (kind, inspect.cleandoc(text)) for name, kind, text in found}


def grow_params(estimator: Any, **changed: Any) -> GrowParams:
    """Return the growth parameters of an estimator, checked.

    Parameters
    ----------
    estimator : TreeClassifier, BoostedTreeClassifier or ForestClassifier
        The estimator.
    **changed : Any
        Values that replace those of the estimator.
    """
    values = {name: getattr(estimator, name) for name in GROWTH if name not in changed}
    return GrowParams(**values, **changed)


def check_common_parameters(clf: Any) -> None:
    """Raise an error for values that no estimator accepts in the parameters that all have."""
    checked_max_bins(clf.max_bins)
    check_integer("verbose", clf.verbose, 0)
    if clf.n_jobs is not None:
        check_integer("n_jobs", clf.n_jobs, -_MAX_JOBS)
        if clf.n_jobs == 0 or clf.n_jobs > _MAX_JOBS:
            raise ParameterError(f"n_jobs must not be {clf.n_jobs}")
    check_class_weight("parameters.class_weight", getattr(clf, "class_weight", None))


def check_flag(name: str, value: Any) -> None:
    """Raise an error if a parameter is not a bool."""
    if not isinstance(value, bool | np.bool_):
        raise ParameterError(f"{name} must be True or False, got {value!r}")


def check_integer(name: str, value: Any, least: int) -> None:
    """Raise an error if a parameter is not an integer of at least ``least``."""
    if not is_integer(value) or value < least:
        raise ParameterError(f"{name} must be an integer of at least {least}, got {value!r}")


def check_not_negative(name: str, value: Any) -> None:
    """Raise an error unless a parameter is a finite number of at least 0."""
    if not is_real(value) or not (isfinite(value) and value >= 0):
        raise ParameterError(f"{name} must be a number of at least 0, got {value!r}")


def check_class_weight(place: str, value: Any) -> None:
    """Refuse class weights that are not numbers of at least 0; ``place`` says where they are."""
    if value is None or (isinstance(value, str) and value == "balanced"):
        return
    if not isinstance(value, Mapping):
        refuse(place, f"must be a dictionary, 'balanced' or None, not {value!r}")
    for weight in value.values():
        is_number = isinstance(weight, int | float | np.integer | np.floating)
        if not is_number or not 0 <= weight < float("inf"):
            refuse(place, f"weights must be finite and not negative, not {weight!r}")


@dataclass(frozen=True, eq=False)
class FitRecord:
    """The parameters and the rows of a fit; ``set_params`` does not change it.

    Parameters
    ----------
    params : GrowParams, BoostParams or ForestParams
        The parameters of the algorithm.
    class_weight : dict, "balanced" or None
        The weights of the classes.
    max_bins : int or "auto"
        The maximum number of bins of an ordered column.
    n_rows : int or None
        The number of rows passed to ``fit``; None for a boosted model that was loaded.
    held_out : ndarray of int or None, default=None
        The rows passed to ``fit`` that the model was not trained on.
    smoothing : float or None, default=None
        What ``smoothing`` was; None if the file does not say, or the estimator has none.
    """

    params: Any
    class_weight: Any
    max_bins: int | str
    n_rows: int | None
    held_out: IntArray | None = None
    smoothing: float | None = None
