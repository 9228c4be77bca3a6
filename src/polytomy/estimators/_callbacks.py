"""scikit-learn's progress callbacks, where the installed version has them (1.9 and later)."""

from collections.abc import Callable
from typing import Any

from polytomy.grow import Expansion

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # an older scikit-learn: nobody can set callbacks

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands in for what is not there."""

    def with_callbacks(method: Any) -> Any:
        """Return the method as it is."""
        return method


__all__ = ["CallbackSupportMixin", "Callbacks", "with_callbacks"]

OnStep = Callable[[Expansion], bool | None]


class Callbacks:
    """Tells an estimator's callbacks when fitting begins, of every split, and when it ends."""

    def __init__(self, estimator: Any, data: dict[str, Any], max_steps: int | None) -> None:
        self._estimator, self._data = estimator, data
        self._context = None
        if hasattr(estimator, "_init_callback_context"):
            self._context = estimator._init_callback_context(max_subtasks=max_steps)
            self._context.call_on_fit_task_begin(estimator=estimator, **data)

    @property
    def on_step(self) -> OnStep | None:
        """What the grower should call after each split; None when nobody listens."""
        listened = getattr(self._estimator, "_skl_callbacks", None)
        return self._split if listened and self._context is not None else None

    def _split(self, _expansion: Expansion) -> bool:
        """Report one split; a callback may ask to stop."""
        assert self._context is not None
        task = self._context.subcontext(task_name="split")
        task.call_on_fit_task_begin(estimator=self._estimator)
        return bool(task.call_on_fit_task_end(estimator=self._estimator))

    def end(self) -> None:
        """Report that fitting has ended."""
        if self._context is not None:
            self._context.call_on_fit_task_end(estimator=self._estimator, **self._data)
