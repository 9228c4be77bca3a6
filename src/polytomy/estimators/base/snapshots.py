"""Estimators that other threads may use during a fit: every call sees one fitted model."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from types import FunctionType
from typing import Any, Self, TypeVar, cast

from sklearn.base import BaseEstimator

from polytomy._cancellation import check

Fit = TypeVar("Fit", bound=Callable[..., Any])

_CHANGING = ("fit", "set_")  # prefixes of the methods that change an estimator
_SPECIAL = ("__getitem__", "__iter__", "__len__", "_verify")  # read the fitted state, too


class SnapshotEstimator(BaseEstimator):
    """Base class of the estimators: a fit replaces the model in one step, a call reads it once.

    ``fit`` works on a draft, a copy that nobody else sees. The draft's attributes replace those of
    the estimator in one assignment when it is finished; if it fails, the estimator is left as it
    was. Every other public method and property of the library's estimators runs on a shallow copy
    made when it is called, so that all attributes it reads belong to the same fit.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if cls.__module__.partition(".")[0] != __name__.partition(".")[0]:
            return  # methods of a user's class may set attributes
        for name, member in list(vars(cls).items()):
            is_public = not name.startswith("_") and not name.startswith(_CHANGING)
            if not (is_public or name in _SPECIAL):
                continue
            if isinstance(member, FunctionType):
                setattr(cls, name, _on_snapshot(member))
            elif isinstance(member, property) and member.fget is not None:
                setattr(cls, name, member.getter(_on_snapshot(member.fget)))

    @classmethod
    @cache  # reading the signature takes as long as a fifth of a small fit
    def _parameter_names(cls) -> tuple[str, ...]:
        """Return the names of the parameters."""
        return tuple(cls._get_param_names())

    def _snapshot(self) -> Self:
        """Return a shallow copy of the estimator as it is now."""
        other = object.__new__(type(self))
        other.__dict__ = vars(self).copy()
        return other

    @contextmanager
    def _draft(self, *, same_rows: bool = False) -> Iterator[Self]:
        """Yield a copy to fit; at the end its fitted state replaces that of the estimator.

        The record of the training data is dropped, unless the fit goes on with the same rows.
        The parameters stay those of the estimator, which may have been set meanwhile. Nothing
        changes if the block raises an error, or if the call was cancelled.
        """
        check()
        draft = self._snapshot()
        if not same_rows:
            draft.__dict__.pop("_training_record", None)
        yield draft
        check()
        now = vars(self)
        parameters = {name: now[name] for name in self._parameter_names() if name in now}
        self.__dict__ = {**vars(draft), **parameters}


def on_draft(fit: Fit) -> Fit:
    """Return a method that fits a draft of the estimator; see ``SnapshotEstimator``."""

    @wraps(fit)
    def run(self: SnapshotEstimator, *args: Any, **kwargs: Any) -> SnapshotEstimator:
        with self._draft() as draft:
            fit(draft, *args, **kwargs)
        return self

    return cast(Fit, run)


def _on_snapshot(method: Callable[..., Any]) -> Any:
    """Return a method that reads a snapshot of the estimator."""

    @wraps(method)
    def run(self: SnapshotEstimator, *args: Any, **kwargs: Any) -> Any:
        return method(self._snapshot(), *args, **kwargs)

    return run
