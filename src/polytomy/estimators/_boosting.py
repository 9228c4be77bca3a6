"""From what a user passes to fit to a booster that has run."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_sample_weight

from polytomy._errors import TargetError
from polytomy._types import AnyArray, FloatArray, IntArray
from polytomy.boost import (
    Booster,
    BoostParams,
    Checkpoint,
    EarlyStopping,
    HeldOut,
    Keeper,
    Progress,
    Sample,
    fingerprint,
)
from polytomy.encode import Coded, encode, fixed_point
from polytomy.table import Table

from ._input import labels_of, renamed, table_of, weights_of, without_weightless
from ._progress import Teller


@dataclass(frozen=True, eq=False)
class Prepared:
    """A sample ready to boost, and the rows held out."""

    params: BoostParams
    sample: Sample
    table: Table
    held_out: HeldOut | None
    mark: dict[str, str]
    threads: int

    def booster(self, progress: Progress | None) -> Booster:
        """Return a booster on the sample that goes on from a progress."""
        return Booster(
            self.sample,
            self.params,
            table=self.table,
            held_out=self.held_out,
            threads=self.threads,
            progress=progress,
        )


def prepared(
    estimator: BaseEstimator, params: BoostParams, data: tuple[Any, Any, Any], stopping: Any
) -> Prepared:
    """Read, weigh, hold out and encode what was passed to fit: (X, y, sample_weight)."""
    X, y, sample_weight = data
    threads = effective_n_jobs(estimator.n_jobs)
    table = table_of(estimator, X, reset=True)
    estimator.classes_, labels = labels_of(y, table.n_rows)
    n_classes = len(estimator.classes_)
    if n_classes < 2:
        raise TargetError(
            f"boosting needs at least two classes, but y has one class, {estimator.classes_[0]!r}"
        )
    params.kind(n_classes)
    classes = estimator.classes_[labels]
    weights = weights_of(X, classes, sample_weight, estimator.class_weight)
    rows = without_weightless(table, labels, weights)
    held_out = None
    if stopping is not None and stopping.X_val is None:
        seed = 0 if estimator.random_state is None else estimator.random_state
        rows, held_out = _split(rows, stopping.fraction, seed)
    table, labels, weights = rows
    units = None if weights is None else fixed_point(weights, len(labels))[0]
    coded = encode(table, units, estimator.max_bins, threads)
    if stopping is not None and stopping.X_val is not None:
        held_out = _given(estimator, stopping, coded)
    sample = Sample.of(coded, labels, n_classes, weights)
    mark = fingerprint(sample, params, held_out)
    return Prepared(params, sample, table, held_out, mark, threads)


def boosted(
    ready: Prepared,
    estimator: BaseEstimator,
    stopping: EarlyStopping | None,
    progress: Progress | None,
) -> Booster:
    """Boost until the estimator's rounds are done, held-out rows object, or nothing is left."""
    checkpoint = Checkpoint.of(estimator.checkpoint)
    keeper = None if checkpoint is None else Keeper(checkpoint, ready.mark)
    if keeper is not None and progress is None:
        progress = _cut(keeper.load(), estimator.n_rounds)
    booster = ready.booster(progress)

    def is_over() -> bool:
        return stopping is not None and stopping.is_over(booster.rounds)

    with Teller(estimator.verbose, estimator.n_rounds) as teller:

        def on_round(running: Booster) -> bool:
            if keeper is not None:
                keeper.round_done(running.progress)
            teller.round_done(len(running.rounds), running.rounds[-1])
            return is_over()

        if not is_over():
            booster.run(estimator.n_rounds, on_round)
    if keeper is not None:
        keeper.write(booster.progress)
    return booster


def _cut(progress: Progress | None, n_rounds: int) -> Progress | None:
    """Return the progress as it was when it had no more than so many rounds."""
    if progress is None or len(progress.rounds) <= n_rounds:
        return progress
    rounds = progress.rounds[:n_rounds]
    members = progress.members[: sum(r.trees for r in rounds)]
    return Progress(members, rounds, progress.start)


def _split(
    rows: tuple[Table, AnyArray, FloatArray | None], fraction: float, seed: Any
) -> tuple[tuple[Table, AnyArray, FloatArray | None], HeldOut]:
    """Hold out a part of each class's rows, at least one row in all and never a whole class."""
    table, labels, weights = rows
    random = check_random_state(seed)
    held = np.zeros(len(labels), dtype=bool)
    for label in np.unique(labels):
        own: IntArray = np.flatnonzero(labels == label)
        n = min(len(own) - 1, max(1, round(fraction * len(own))))
        held[random.permutation(own)[:n]] = True
    if not held.any():
        raise TargetError(
            f"{len(labels)} rows are too few to hold any out for early stopping; pass X_val, y_val"
        )
    inside, outside = (np.flatnonzero(m).astype(np.uint32) for m in (~held, held))
    kept = table.take(inside), labels[inside], None if weights is None else weights[inside]
    own_weights = None if weights is None else weights[outside]
    return kept, HeldOut.of(table.take(outside), labels[outside], own_weights)


def _given(estimator: BaseEstimator, stopping: EarlyStopping, coded: Coded) -> HeldOut:
    """Return the held-out rows a user passed."""
    schema = coded.schema
    table = renamed(table_of(estimator, stopping.X_val, reset=False, schema=schema), schema)
    classes, place = labels_of(stopping.y_val, table.n_rows)
    unknown = np.setdiff1d(classes, estimator.classes_)
    if len(unknown):
        raise TargetError(f"y_val has classes that y has not: {unknown.tolist()}")
    labels = np.searchsorted(estimator.classes_, classes)[place]
    weights = stopping.sample_weight_val
    if weights is not None:
        weights = _check_sample_weight(weights, stopping.X_val, dtype=np.float64)
    return HeldOut.of(table, labels, weights)
