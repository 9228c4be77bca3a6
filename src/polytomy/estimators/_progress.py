"""How boosting tells where it stands: a bar on a terminal, plain lines, and callbacks."""

from collections.abc import Callable
from types import TracebackType
from typing import Any

from polytomy.boost import Booster, Round

from ._callbacks import Callbacks

_STEPS = (1, 2, 5)  # lines after 1, 2, 5, 10, 20, 50, ... rounds


class Teller:
    """Tells of each round, as ``verbose`` asks: 0 nothing, 1 a bar or some lines, 2 every round."""

    def __init__(self, verbose: int, n_rounds: int) -> None:
        self._verbose, self._n_rounds = int(verbose), n_rounds
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> "Teller":
        if self._verbose:
            self._bar = _bar()
        if self._bar is not None:
            self._task = self._bar.add_task("boosting", total=self._n_rounds, said="")
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def round_done(self, number: int, record: Round) -> None:
        """Tell of a round."""
        if self._bar is not None:
            self._bar.update(self._task, completed=number, said=describe(record))
        elif self._verbose > 1 or (self._verbose == 1 and self._is_due(number)):
            print(f"round {number} of {self._n_rounds}: {describe(record)}", flush=True)

    def _is_due(self, number: int) -> bool:
        power = 10 ** (len(str(number)) - 1)
        return number == self._n_rounds or number in [power * step for step in _STEPS]


class RoundCallbacks(Callbacks):
    """Tells an estimator's callbacks when fitting begins, of every round, and when it ends.

    ``fitted`` returns the attributes with which a copy of the estimator could predict: those
    callbacks that score want one after every round.
    """

    def __init__(
        self,
        estimator: Any,
        data: dict[str, Any],
        n_rounds: int,
        fitted: Callable[[Booster], dict[str, Any]],
    ) -> None:
        super().__init__(estimator, data, n_rounds)
        self._fitted = fitted

    def round_done(self, running: Booster) -> bool:
        """Report one round; a callback may ask to stop."""
        if self._context is None or not getattr(self._estimator, "_skl_callbacks", None):
            return False
        task = self._context.subcontext(task_name="round")
        task.call_on_fit_task_begin(estimator=self._estimator)
        return bool(
            task.call_on_fit_task_end(
                estimator=self._estimator,
                **self._data,
                reconstruction_attributes=lambda: self._fitted(running),
            )
        )


def describe(record: Round) -> str:
    """Return a round's figures in a few words."""
    words = [f"training error {record.training_error:.4f}"]
    if record.bound is not None:
        words.append(f"bound {record.bound:.4g}")
    if record.validation_error is not None:
        words.append(f"held-out error {record.validation_error:.4f}")
    return ", ".join(words)


def _bar() -> Any:
    """Return a progress bar, or None where there is no terminal to draw it on."""
    # rich is imported only where somebody wants to see something
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn  # noqa: PLC0415

    console = Console(stderr=True)
    if not console.is_terminal:
        return None
    said = TextColumn("{task.fields[said]}")
    return Progress(TextColumn("rounds"), BarColumn(), MofNCompleteColumn(), said, console=console)
