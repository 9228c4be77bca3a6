"""From a file to rows to learn from: columns chosen, labels and weights taken, a part kept back."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .bad_input import BadInputError, check_known
from .read import name_of, read_table
from .target import checked_classes, labels_in, missing_rows, weights_in, with_labels

if TYPE_CHECKING:
    from polytomy._types import AnyArray, FloatArray, IntArray

    from .kinds import Kind
    from .sheet import Sheet

MOST_CATEGORIES = 100_000
_FEW = 20  # in so few rows, different texts say nothing yet


@dataclass(frozen=True, slots=True)
class Request:
    """Which columns of a file play which part."""

    data: Path
    target: str
    weights: str | None = None
    categorical: Sequence[str] = ()
    numeric: Sequence[str] = ()
    drop: Sequence[str] = ()
    drop_unlabelled: bool = False


@dataclass(frozen=True, slots=True)
class Sample:
    """Rows with their labels and weights, and the columns a model may ask about."""

    sheet: "Sheet"
    names: list[str]
    labels: "AnyArray"
    weights: "FloatArray | None" = None
    left_out: tuple[str, ...] = ()  # sentences: which columns are left out, and why

    @property
    def X(self) -> Any:  # what estimators call it
        """The columns as estimators take them."""
        return self.sheet.select(self.names)

    def take(self, rows: "IntArray") -> "Sample":
        """Return the sample of these rows."""
        weights = None if self.weights is None else self.weights[rows]
        sheet, labels = self.sheet.take(rows), self.labels[rows]
        return Sample(sheet, self.names, labels, weights, self.left_out)

    def error_of(self, clf: Any) -> float:
        """Return the share of the weight that a classifier gets wrong."""
        wrong = clf.predict(self.X) != self.labels
        return float(np.average(wrong, weights=self.weights))


def sample_of(request: Request) -> Sample:
    """Read a file and take from it what a request names."""
    kinds: dict[str, Kind] = dict.fromkeys(request.categorical, "text")
    kinds |= dict.fromkeys(request.numeric, "number")
    both = sorted(set(request.categorical) & set(request.numeric))
    if both:
        raise BadInputError(f"{both[0]!r} is given both as --categorical and as --numeric")
    _check_roles(request)
    sheet = read_table(request.data, kinds)
    apart = [request.target] + ([request.weights] if request.weights is not None else [])
    named = [*apart, *request.categorical, *request.numeric, *request.drop]
    check_known(named, sheet.names, name_of(request.data))
    if request.drop_unlabelled:
        sheet = with_labels(sheet, request.target)
    labels = labels_in(sheet, request.target)
    checked_classes(labels, request.target)
    weights = weights_in(sheet, request.weights)
    asked = [n for n in sheet.names if n not in (*apart, *request.drop)]
    wanted = {*request.categorical, *request.numeric}
    reasons = {n: naming_rows(sheet.column(n)) for n in asked if n not in wanted}
    names = [n for n in asked if reasons.get(n) is None]
    if not names:
        raise BadInputError(f"{name_of(request.data)} has no column left to ask about")
    for name in names:
        _check_categories(name, sheet.column(name))
    told = tuple(f"{n}: {why} {n} keeps it)" for n, why in reasons.items() if why is not None)
    return Sample(sheet, names, labels, weights, told)


def _check_roles(request: Request) -> None:
    """Refuse a column that is to be two things at once."""
    options = {"--categorical": request.categorical, "--numeric": request.numeric}
    options |= {"--drop": request.drop}
    for name, role in ((request.target, "the target"), (request.weights, "the weights")):
        for option, names in options.items():
            if name in names:
                raise BadInputError(f"{name!r} is {role}; {option} is for other columns")
    if request.weights == request.target:
        raise BadInputError(f"{request.target!r} is the target and cannot be the weights too")


def naming_rows(values: "AnyArray") -> str | None:
    """Say why a column only names the rows, which a tree would learn by heart; None if not so.

    The sentence ends with the option that keeps the column, for its name to follow.
    """
    n_rows = len(values)
    if n_rows <= _FEW:
        return None
    if values.dtype.kind in "iu":
        counts = int(values[0]) in (0, 1) and bool((np.diff(values) == 1).all())
        return "it counts the rows (--numeric" if counts else None
    held = set(values.tolist()) - {None} if values.dtype.kind == "O" else set()
    if not all(isinstance(cell, str) for cell in held):  # times with a zone
        return None
    if len(held) <= (n_rows - len(missing_rows(values))) / 2:
        return None
    return f"{len(held):,} different texts in {n_rows:,} rows (--categorical"


def _check_categories(name: str, values: "AnyArray") -> None:
    """Refuse more categories than any question could be read with."""
    held = set(values.tolist()) if values.dtype.kind == "O" else set()
    n = sum(isinstance(cell, str) for cell in held)
    if n > MOST_CATEGORIES:
        raise BadInputError(
            f"column {name!r} has {n:,} categories in {len(values):,} rows, of at most "
            f"{MOST_CATEGORIES:,}; leave it out with --drop {name}"
        )


def parted(sample: Sample, fraction: float, seed: int | None) -> tuple[Sample, Sample | None]:
    """Return what is to be learnt from and what is kept back, the same share of every class."""
    if not 0 <= fraction < 1:
        raise BadInputError(f"--test-fraction must be from 0 to less than 1, got {fraction:g}")
    if fraction == 0:
        return sample, None
    random = np.random.default_rng(0 if seed is None else seed)
    held = np.zeros(len(sample.labels), dtype=bool)
    for label in np.unique(sample.labels):
        own = random.permutation(np.flatnonzero(sample.labels == label))
        held[own[: min(len(own) - 1, round(fraction * len(own)))]] = True
    if not held.any():
        raise BadInputError(
            f"{fraction:g} of {len(held)} rows is none; give a larger --test-fraction"
        )
    return sample.take(np.flatnonzero(~held)), sample.take(np.flatnonzero(held))
