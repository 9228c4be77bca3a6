"""Progress of a fit: scikit-learn's callbacks, a progress bar, and printed lines."""

from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from polytomy._cancellation import check
from polytomy.grow import Expansion

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # scikit-learn before 1.9 has no callbacks

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Replacement for the class of newer versions of scikit-learn."""

    def with_callbacks(method: Any) -> Any:
        """Return the method unchanged."""
        return method


__all__ = [
    "CallbackSupportMixin",
    "FitCallbacks",
    "ProgressPrinter",
    "RoundCallbacks",
    "with_callbacks",
]

OnStep = Callable[[Expansion], bool | None]

_STEPS = (1, 2, 5)  # lines are printed after 1, 2, 5, 10, 20, 50, ... rounds


class FitCallbacks:
    """Calls an estimator's callbacks at the start of a fit, after every split and at the end.

    A callback may cancel the fit.
    """

    def __init__(self, estimator: Any, data: dict[str, Any], max_steps: int | None) -> None:
        self._estimator, self._data = estimator, data
        self._context = None
        if hasattr(estimator, "_init_callback_context"):
            self._context = estimator._init_callback_context(max_subtasks=max_steps)
            self._context.call_on_fit_task_begin(estimator=estimator, **data)
            check()

    @property
    def on_step(self) -> OnStep | None:
        """The function for the grower to call after each split; None without callbacks."""
        return self._split_done if self._has_callbacks else None

    @property
    def _has_callbacks(self) -> bool:
        return self._context is not None and bool(getattr(self._estimator, "_skl_callbacks", None))

    def _split_done(self, _expansion: Expansion) -> bool:
        """Report a split; return whether a callback asked to stop."""
        assert self._context is not None
        task = self._context.subcontext(task_name="split")
        task.call_on_fit_task_begin(estimator=self._estimator)
        is_over = bool(task.call_on_fit_task_end(estimator=self._estimator))
        check()
        return is_over

    def end(self) -> None:
        """Report the end of the fit."""
        if self._context is not None:
            self._context.call_on_fit_task_end(estimator=self._estimator, **self._data)
            check()


class RoundCallbacks(FitCallbacks):
    """Calls an estimator's callbacks at the start of a fit, after every round and at the end.

    ``fitted`` returns the attributes that a copy of the estimator needs to predict with the rounds
    so far. Callbacks that score after every round use such a copy. ``task`` is the name of a round:
    in a forest, it is a tree.
    """

    def __init__(
        self,
        estimator: Any,
        data: dict[str, Any],
        n_rounds: int,
        fitted: Callable[[Any], dict[str, Any]],
        task: str = "round",
    ) -> None:
        super().__init__(estimator, data, n_rounds)
        self._fitted, self._task = fitted, task

    def round_done(self, running: Any) -> bool:
        """Report a round; return whether a callback asked to stop."""
        if not self._has_callbacks:
            return False
        assert self._context is not None
        task = self._context.subcontext(task_name=self._task)
        task.call_on_fit_task_begin(estimator=self._estimator)
        is_over = bool(
            task.call_on_fit_task_end(
                estimator=self._estimator,
                **self._data,
                reconstruction_attributes=lambda: self._fitted(running),
            )
        )
        check()
        return is_over


class ProgressPrinter:
    """Shows the progress of a fit of many rounds, or of many trees.

    With ``verbose=0`` nothing is printed. 1 shows a progress bar on a terminal, and elsewhere
    prints a line after 1, 2, 5, 10, 20, ... rounds; 2 prints a line after every round.
    """

    def __init__(self, verbose: int, n_rounds: int, unit: str = "round") -> None:
        self._verbose, self._n_rounds, self._unit = int(verbose), n_rounds, unit
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> Self:
        if self._verbose:
            self._bar = _progress_bar(f"{self._unit}s")
        if self._bar is not None:
            self._task = self._bar.add_task("fitting", total=self._n_rounds, figures="")
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

    def done(self, number: int, figures: Callable[[], str], total: int | None = None) -> None:
        """Show a round, with the figures that a function returns as text.

        ``total`` is the number of rounds, if it has changed.
        """
        if total is not None:
            self._n_rounds = total
        if self._bar is not None:
            completed = {"completed": number, "total": self._n_rounds}
            self._bar.update(self._task, figures=figures(), **completed)
        elif self._verbose > 1 or (self._verbose == 1 and self._is_due(number)):
            print(f"{self._unit} {number} of {self._n_rounds}: {figures()}", flush=True)

    def _is_due(self, number: int) -> bool:
        power = 10 ** (len(str(number)) - 1)
        return number == self._n_rounds or number in [power * step for step in _STEPS]


def _progress_bar(units: str) -> Any:
    """Return a progress bar, or None without a terminal."""
    # rich takes a while to import, so it is imported only if progress is to be shown
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn  # noqa: PLC0415

    console = Console(stderr=True)
    if not console.is_terminal:
        return None
    figures = TextColumn("{task.fields[figures]}")
    return Progress(TextColumn(units), BarColumn(), MofNCompleteColumn(), figures, console=console)
