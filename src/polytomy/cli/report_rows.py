"""The rows of a report: read for a model, their target found where it is not named."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .bad_input import BadInputError
from .models import names_of, read_for
from .read import name_of
from .sample import Sample, parted
from .target import labels_in, missing_rows, weights_in, with_labels

if TYPE_CHECKING:
    from polytomy._types import AnyArray

    from .sheet import Sheet

_NAMED = 5  # classes that a message lists


@dataclass(frozen=True, slots=True)
class Asked:
    """What was given: files, the columns that play a part, and which rows are whose."""

    data: Path | None
    test: Path | None
    target: str | None
    weights: str | None
    drop_unlabelled: bool
    test_fraction: float
    seed: int | None


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows fitted on and those kept from it, where there are any, and the target's name."""

    training: Sample | None = None
    test: Sample | None = None
    target: str | None = None


def rows_for(clf: Any, asked: Asked) -> Rows:
    """Read what a report is to show besides the model."""
    _check(asked)
    if asked.data is None and asked.test is None:
        return Rows()
    training = test = None
    target = asked.target
    if asked.data is not None:
        training, target = _read(clf, asked.data, target, asked)
        training, test = parted(training, asked.test_fraction, asked.seed)
    if asked.test is not None:
        test, target = _read(clf, asked.test, target, asked)
    return Rows(training, test, target)


def _check(asked: Asked) -> None:
    if asked.test is not None and asked.test_fraction:
        raise BadInputError("give --test or --test-fraction, not both: each names the test rows")
    options = {"--test-fraction": asked.test_fraction != 0}
    if asked.test is None:
        options |= {"--target": asked.target is not None, "--weights": asked.weights is not None}
        options |= {"--drop-unlabelled": asked.drop_unlabelled}
    for option, given in options.items():
        if given and asked.data is None:
            raise BadInputError(f"{option} is about rows: add DATA")


def _read(clf: Any, path: Path, target: str | None, asked: Asked) -> tuple[Sample, str]:
    """Return the rows of a file, and the column that is their target."""
    sheet = read_for(clf, path, (target, asked.weights))
    name = target if target is not None else _found(clf, sheet, path, asked.weights)
    if asked.drop_unlabelled:
        sheet = with_labels(sheet, name)
    labels = _as_classes(labels_in(sheet, name), clf.classes_)
    strange = np.flatnonzero(~np.isin(labels, clf.classes_))
    if len(strange):
        held = labels[strange[0]].tolist()
        raise BadInputError(
            f"target {name!r} of {name_of(path)} is {held!r} in row {strange[0] + 1}, which is no "
            f"class of the model: {_listed(clf.classes_)}"
        )
    return Sample(sheet, names_of(clf), labels, weights_in(sheet, asked.weights)), name


def _found(clf: Any, sheet: "Sheet", path: Path, weights: str | None) -> str:
    """Return the one column that can be the target: not the model's, and all of it classes."""
    others = [name for name in sheet.names if name not in (*names_of(clf), weights)]
    found = [name for name in others if _holds_classes(sheet.column(name), clf.classes_)]
    if not found:
        raise BadInputError(
            f"no column of {name_of(path)} holds the model's classes, {_listed(clf.classes_)}, and "
            "nothing else; name the one that was fitted with --target COL"
        )
    if len(found) > 1:
        said = ", ".join(map(repr, found[:_NAMED])) + (", ..." if len(found) > _NAMED else "")
        raise BadInputError(
            f"{len(found)} columns of {name_of(path)} hold classes of the model: {said}; "
            "choose one with --target COL"
        )
    return found[0]


def _holds_classes(values: "AnyArray", classes: "AnyArray") -> bool:
    """Say whether all cells that are not missing are classes, and some are."""
    held = np.delete(values, missing_rows(values))
    if not len(held) or _is_logical(held) != _is_logical(classes):  # 1 is not True here
        return False
    return set(_as_classes(held, classes).tolist()) <= set(np.asarray(classes).tolist())


def _is_logical(values: "AnyArray") -> bool:
    return all(isinstance(v, bool) for v in np.asarray(values).tolist())


def _as_classes(labels: "AnyArray", classes: "AnyArray") -> "AnyArray":
    """Return labels of the classes' type: what looks like numbers may be text in another file."""
    if np.asarray(classes).dtype.kind in "UO" and labels.dtype.kind not in "UO":
        return np.array([str(v) for v in labels.tolist()])
    return labels


def _listed(classes: "AnyArray") -> str:
    names = [str(c) for c in np.asarray(classes).tolist()]
    return ", ".join(names[:_NAMED]) + (", ..." if len(names) > _NAMED else "")
