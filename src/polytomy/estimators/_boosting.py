"""From what a user passes to fit to a booster that has run."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_sample_weight

from polytomy._errors import CheckpointError, PolytomyError, TargetError
from polytomy._types import AnyArray, FloatArray, IntArray
from polytomy.boost import (
    Booster,
    BoostingSample,
    BoostParams,
    Checkpoint,
    CheckpointWriter,
    EarlyStopping,
    HeldOut,
    Progress,
    StoppingMonitor,
    fingerprint,
)
from polytomy.encode import Coded, encode, fixed_point
from polytomy.table import Table

from ._input import check_classes, labels_of, renamed, table_of, weights_of
from ._progress import RoundCallbacks, Teller
from ._sample import Sample as Rows


@dataclass(frozen=True, eq=False)
class Prepared:
    """A sample ready to boost, and the rows held out."""

    params: BoostParams
    sample: BoostingSample
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
    check_classes(estimator.classes_)
    n_classes = len(estimator.classes_)
    if n_classes < 2:
        raise TargetError(
            f"boosting needs at least two classes, but y has one class, {estimator.classes_[0]!r}"
        )
    params.kind(n_classes)
    told = estimator.classes_, labels
    weights = weights_of(X, told, sample_weight, estimator.class_weight)
    weighing = Rows(table, labels, weights, n_classes).weighing()[0]
    rows = weighing.table, weighing.labels, weighing.weights
    held_out = None
    if stopping is not None and stopping.X_val is None:
        seed = 0 if estimator.random_state is None else estimator.random_state
        rows, held_out = _split(rows, stopping.fraction, seed)
    table, labels, weights = rows
    units = None if weights is None else fixed_point(weights, len(labels))[0]
    coded = encode(table, units, estimator.max_bins, threads)
    if stopping is not None and stopping.X_val is not None:
        held_out = _given(estimator, stopping, coded)
    sample = BoostingSample.of(coded, labels, n_classes, weights)
    mark = fingerprint(sample, params, held_out)
    return Prepared(params, sample, table, held_out, mark, threads)


@dataclass(frozen=True, eq=False)
class Outcome:
    """A booster that has run, its best round where rows were held out, and why it ended early."""

    booster: Booster
    best: int | None
    why: str | None


def boosted(
    ready: Prepared,
    estimator: BaseEstimator,
    stopping: EarlyStopping | None,
    progress: Progress | None,
    callbacks: RoundCallbacks,
) -> Outcome:
    """Boost until the estimator's rounds are done, somebody objects, or nothing is left."""
    checkpoint = Checkpoint.of(estimator.checkpoint)
    keeper = (
        None
        if checkpoint is None
        else CheckpointWriter(checkpoint, ready.mark, ready.sample.coded.schema)
    )
    booster = _begun(ready, keeper, progress, estimator.n_rounds)
    watch = None if stopping is None else StoppingMonitor(stopping, booster.rounds)
    with Teller(estimator.verbose, estimator.n_rounds) as teller:
        following = _Following(keeper, watch, teller, callbacks)
        if watch is None or not watch.is_over:
            booster.run(estimator.n_rounds, following)
    if keeper is not None:
        keeper.write(booster.progress)
    why = booster.ended
    if why is None and following.asked:
        why = "a callback asked to stop"
    if why is None and stopping is not None and watch is not None and watch.is_over:
        rounds = "1 round" if stopping.patience == 1 else f"{stopping.patience} rounds"
        why = f"held-out rows became no better in {rounds}"
    return Outcome(booster, None if watch is None else watch.best, why)


@dataclass(eq=False)
class _Following:
    """Those who are told of every round; some of them may end the run."""

    keeper: CheckpointWriter | None
    watch: StoppingMonitor | None
    teller: Teller
    callbacks: RoundCallbacks
    asked: bool = False  # whether a callback asked to stop

    def __call__(self, running: Booster) -> bool:
        """Tell of a round; return whether it was the last."""
        record, number = running.rounds[-1], len(running.rounds)
        if self.watch is not None:
            self.watch.see(record)
        if self.keeper is not None:
            self.keeper.round_done(running.progress)
        self.teller.round_done(number, record)
        self.asked = self.callbacks.round_done(running)
        return self.asked or (self.watch is not None and self.watch.is_over)


def _begun(
    ready: Prepared, keeper: CheckpointWriter | None, progress: Progress | None, n_rounds: int
) -> Booster:
    """Return a booster at the later of a warm start's progress and that on disk."""
    kept = None if keeper is None else _cut(keeper.load(), n_rounds)
    if kept is not None and (progress is None or len(kept.rounds) > len(progress.rounds)):
        try:
            booster = ready.booster(kept)
        except PolytomyError as error:  # whole, and yet not of these columns or classes
            raise CheckpointError(
                f"the checkpoint does not fit this run ({error}); delete it, or name another file"
            ) from error
    else:
        booster = ready.booster(progress)
    if keeper is not None:
        keeper.begin(booster.progress)
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
        weights = _check_sample_weight(
            weights, stopping.X_val, dtype=np.float64, ensure_non_negative=True
        )
    return HeldOut.of(table, labels, weights)
