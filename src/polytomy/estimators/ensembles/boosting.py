"""Running a boosting fit, and computing with its votes.

A run takes held-out rows, checkpoints, early stopping and progress into account.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from polytomy._errors import CheckpointError, ParameterError, PolytomyError, TargetError
from polytomy._types import AnyArray, FloatArray, IntArray
from polytomy.boost import (
    BoostCertificate,
    Booster,
    BoostingSample,
    BoostParams,
    Checkpoint,
    CheckpointWriter,
    EarlyStopping,
    HeldOut,
    Progress,
    Round,
    Rounds,
    StoppingMonitor,
    Training,
)
from polytomy.certify.verify import BoostedRun, Report, verify_boosted
from polytomy.ensemble import Ensemble
from polytomy.estimators.base.callbacks import ProgressPrinter, RoundCallbacks
from polytomy.estimators.base.rows import LabelledRows
from polytomy.index import Index
from polytomy.table import Table
from polytomy.tree import split_gains

from .files import BoostedState
from .learners import LearnerSplit


@dataclass(frozen=True, eq=False)
class Prepared:
    """Encoded training rows and held-out rows, ready for boosting.

    ``training`` has the training rows if they are elsewhere: then ``sample`` has none of them.
    """

    params: BoostParams
    sample: BoostingSample
    table: Table | None
    held_out: HeldOut | None
    fingerprint: dict[str, str]
    threads: int
    training: Training | None = None

    def booster(self, progress: Progress | None) -> Booster:
        """Return a booster that continues from a progress."""
        return Booster(
            self.sample,
            self.params,
            table=self.table,
            held_out=self.held_out,
            threads=self.threads,
            progress=progress,
            training=self.training,
        )


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How long to run, and what to report on the way."""

    n_rounds: int
    stopping: EarlyStopping | None
    checkpoint: Checkpoint | None
    verbose: int


@dataclass(frozen=True, eq=False)
class Outcome:
    """A booster after its run.

    ``best`` is the best round, if there were held-out rows; ``ended`` is why it ended early.
    """

    booster: Booster
    best: int | None
    ended: str | None


def check_classes(params: BoostParams, classes: AnyArray) -> None:
    """Raise an error if the algorithm cannot boost on these classes."""
    if len(classes) < 2:
        raise TargetError(
            f"boosting needs at least two classes, but y has one class, {classes.tolist()[0]!r}"
        )
    params.kind(len(classes))  # raises an error if the algorithm supports fewer classes


def earlier_progress(estimator: Any, ready: Prepared) -> Progress | None:
    """Return the existing rounds of an estimator, for a warm start."""
    if not estimator.__sklearn_is_fitted__():
        return None
    state: BoostedState = estimator._state
    if state.fingerprint != ready.fingerprint:
        raise ParameterError(
            "warm_start continues with the same rows and parameters, and these differ; set "
            "warm_start=False to start again"
        )
    n_rounds = len(state.progress.rounds)
    if estimator.n_rounds < n_rounds:
        raise ParameterError(
            f"n_rounds={estimator.n_rounds} must be at least the {n_rounds} rounds that "
            "exist already if warm_start=True"
        )
    return state.progress


def split_rows(
    given: LabelledRows, stopping: EarlyStopping | None, random_state: Any
) -> tuple[LabelledRows, LabelledRows | None, IntArray | None]:
    """Return the training rows, the rows held out for early stopping, and their numbers.

    No rows are held out without early stopping, or if its rows are given as ``X_val``.
    """
    if stopping is None or stopping.X_val is not None:
        return given.with_weight()[0], None, None
    seed = 0 if random_state is None else random_state
    training, held_out, numbers = given.hold_out(stopping.fraction, seed, at_least=1)
    if not len(numbers):
        raise TargetError(
            f"the rows ({len(training.labels)}) are too few to hold any out for early stopping; "
            "pass X_val and y_val"
        )
    return training, held_out, numbers


def boost(
    ready: Prepared, options: RunOptions, progress: Progress | None, callbacks: RoundCallbacks
) -> Outcome:
    """Boost until all rounds are done, no round can follow, or something asks to stop."""
    stopping, checkpoint = options.stopping, options.checkpoint
    keeper = (
        None
        if checkpoint is None
        else CheckpointWriter(checkpoint, ready.fingerprint, ready.sample.coded.schema)
    )
    booster = _start(ready, keeper, progress, options.n_rounds)
    watch = None if stopping is None else StoppingMonitor(stopping, booster.rounds)
    with ProgressPrinter(options.verbose, options.n_rounds) as printer:
        monitor = _Monitor(keeper, watch, printer, callbacks)
        if watch is None or not watch.is_over:
            booster.run(options.n_rounds, monitor)
    if keeper is not None:
        keeper.write(booster.progress)
    ended = booster.ended
    if ended is None and monitor.stopped_by_callback:
        ended = "a callback asked to stop"
    if ended is None and stopping is not None and watch is not None and watch.is_over:
        rounds = "1 round" if stopping.patience == 1 else f"{stopping.patience} rounds"
        ended = f"held-out rows became no better in {rounds}"
    return Outcome(booster, None if watch is None else watch.best, ended)


@dataclass(eq=False)
class _Monitor:
    """Passes each round on to early stopping, the checkpoint, the printer and the callbacks."""

    keeper: CheckpointWriter | None
    watch: StoppingMonitor | None
    printer: ProgressPrinter
    callbacks: RoundCallbacks
    stopped_by_callback: bool = False

    def __call__(self, running: Booster) -> bool:
        """Report a round; return whether to stop."""
        rounds = running.rounds
        record, number = rounds[-1], len(rounds)
        if self.watch is not None:
            self.watch.see(record)
        if self.keeper is not None:
            self.keeper.round_done(running.progress)
        self.printer.done(number, lambda: round_figures(record))
        self.stopped_by_callback = self.callbacks.round_done(running)
        return self.stopped_by_callback or (self.watch is not None and self.watch.is_over)


def _start(
    ready: Prepared, keeper: CheckpointWriter | None, progress: Progress | None, n_rounds: int
) -> Booster:
    """Return a booster that continues from a warm start or a checkpoint, whichever is later."""
    kept = None if keeper is None else _first_rounds(keeper.load(), n_rounds)
    if kept is not None and (progress is None or len(kept.rounds) > len(progress.rounds)):
        try:
            booster = ready.booster(kept)
        except PolytomyError as error:  # the file is intact, but has other columns or classes
            raise CheckpointError(
                f"the checkpoint does not belong to this fit ({error}); delete it, or use another "
                "file"
            ) from error
    else:
        booster = ready.booster(progress)
    if keeper is not None:
        keeper.begin(booster.progress)
    return booster


def _first_rounds(progress: Progress | None, n_rounds: int) -> Progress | None:
    """Return a progress without the rounds after the first ``n_rounds``."""
    if progress is None or len(progress.rounds) <= n_rounds:
        return progress
    rounds = progress.rounds[:n_rounds]
    members = progress.members[: sum(r.trees for r in rounds)]
    return Progress(members, rounds, progress.start)


def margins_of(ensemble: Ensemble, voted: FloatArray, labels: AnyArray) -> FloatArray:
    """Return the margin of each row, in [-1, 1].

    The margin is the votes for the row's class minus the most votes for any other class, divided by
    the largest possible difference.
    """
    both = _one_per_class(voted)
    every = np.arange(len(both))
    own = both[every, labels]
    others = both.copy()
    others[every, labels] = -np.inf
    most = float(np.ptp(_one_per_class(ensemble.start[np.newaxis])))
    for member in ensemble.members:
        most += float(np.ptp(_one_per_class(member.scores), axis=1).max())
    return np.asarray((own - others.max(axis=1)) / most if most > 0 else np.zeros(len(own)))


def _one_per_class(voted: FloatArray) -> FloatArray:
    """Return votes with a column for each class; votes with one column are for the second class."""
    return np.concatenate((-voted, voted), axis=1) if voted.shape[1] == 1 else voted


def importances_of(ensemble: Ensemble, rounds: Rounds, index: Index) -> FloatArray:
    """Return the fraction of the total gain that each column contributes.

    The gains of a tree are multiplied by its alpha. Splits of a user-defined family have no column
    and are left out. Raises an ``AttributeError`` if the splits are those of another estimator.
    """
    own = (branching for member in ensemble.members for branching in member.tree.own.values())
    if any(isinstance(branching, LearnerSplit) for branching in own):
        raise AttributeError("columns have no importances if another estimator is boosted")
    gains = np.zeros(len(ensemble.schema) + 1)  # as in column_importances; the last stays 0
    alphas = np.repeat(rounds.alpha, [r.trees for r in rounds])
    for alpha, member in zip(alphas, ensemble.members, strict=True):
        tree = member.tree
        inner = np.flatnonzero(tree.feature >= 0)
        np.add.at(gains, tree.feature[inner], alpha * split_gains(tree, index)[inner])
    total = gains.sum()
    return gains[:-1] / total if total > 0 else gains[:-1]


def decision_of(voted: FloatArray, n_classes: int) -> FloatArray:
    """Return votes in scikit-learn's form: for two classes, one number per row."""
    if n_classes > 2:
        return voted
    return voted[:, 0] if voted.shape[1] == 1 else (voted[:, 1] - voted[:, 0]) / 2


def verify_ensemble(
    model: Ensemble,
    state: BoostedState,
    rounds: tuple[Rounds, int],
    certificate: BoostCertificate,
    training: LabelledRows,
    held_out: LabelledRows | None,
) -> Report:
    """Check a boosted model against its rows.

    ``rounds`` are the stated figures of all rounds, and the number of rounds that vote.
    """
    params = state.params
    run = BoostedRun(
        algorithm=model.algorithm,
        n_classes=len(model.classes),
        start=model.start,
        members=tuple((m.tree, m.scores) for m in state.progress.members),
        voting=tuple((m.tree, m.scores) for m in model.members),
        rounds=tuple(rounds[0]),
        n_rounds=rounds[1],
        learning_rate=float(params.learning_rate),
        smoothing=None if params.smoothing == "auto" else float(params.smoothing),
    )
    return verify_boosted(
        run,
        certificate,
        model.schema,
        (training.table, training.labels, training.weights),
        None if held_out is None else (held_out.table, held_out.labels, held_out.weights),
    )


def round_figures(record: Round) -> str:
    """Return the errors and the bound of a round as text."""
    words = [f"training error {record.training_error:.4f}"]
    if record.bound is not None:
        words.append(f"bound {record.bound:.4g}")
    if record.validation_error is not None:
        words.append(f"held-out error {record.validation_error:.4f}")
    return ", ".join(words)
