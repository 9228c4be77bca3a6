"""Ending a call from another thread."""

from contextlib import AbstractContextManager
from contextvars import ContextVar
from threading import get_ident, main_thread
from types import TracebackType
from typing import NoReturn, Self

from polytomy._errors import Cancelled

_ACTIVE: ContextVar[tuple["Cancellation", ...]] = ContextVar("polytomy_cancellations", default=())


class Cancellation(AbstractContextManager["Cancellation"]):
    """Ends calls of polytomy when another thread asks for it.

    Calls inside the ``with`` block raise ``polytomy.Cancelled`` within a fraction of a second after
    ``cancel`` was called, also in the middle of a long search, and so do calls that begin there
    later: fits at once, other calls if they take longer than that. An estimator that was being
    fitted is left as it was. Blocks may be nested, and one object may be used by several threads at
    once; a call is ended by any of the blocks around it. A block belongs to the thread (or the
    asyncio task) that entered it, and to the threads that polytomy starts in it.

    A copy is the same object, and pickling raises a ``TypeError``: other processes cannot be
    reached.

    Examples
    --------
    >>> import threading
    >>> import polytomy
    >>> X, y = [[0.0], [1.0], [2.0]], ["a", "b", "b"]
    >>> stop = polytomy.Cancellation()
    >>> button = threading.Timer(0.0, stop.cancel)  # another thread
    >>> button.start(); button.join()
    >>> with stop:
    ...     polytomy.TreeClassifier().fit(X, y)
    Traceback (most recent call last):
    ...
    polytomy._errors.Cancelled: the call was cancelled
    """

    def __init__(self) -> None:
        self._flag = bytearray(1)  # which kernels read without the interpreter lock

    @property
    def is_cancelled(self) -> bool:
        """Whether ``cancel`` was called."""
        return bool(self._flag[0])

    def cancel(self) -> None:
        """End the calls inside the ``with`` blocks of this object, also those that begin later.

        It cannot be undone: use a new object for the next calls. It may be called from any thread,
        from a callback and from a signal handler.
        """
        self._flag[0] = 1

    def __enter__(self) -> Self:
        _ACTIVE.set((*_ACTIVE.get(), self))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        active = _ACTIVE.get()
        own = (at for at, entered in enumerate(active) if entered is self)
        last = max(own, default=len(active))  # none if the block was entered in another context
        _ACTIVE.set((*active[:last], *active[last + 1 :]))

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a Cancellation cannot be pickled: it ends calls of its own process only. Make one in "
            "the process that makes the calls"
        )


def check() -> None:
    """Raise ``Cancelled`` if the call that this thread works for was cancelled.

    Kernels look every 50 ms; loops in Python that take longer call it themselves.
    """
    if any(cancellation.is_cancelled for cancellation in _ACTIVE.get()):
        raise Cancelled("the call was cancelled")


def endings() -> tuple[bool, list[bytearray]]:
    """Return what can end a call that this thread makes: signals, and the flags to look at.

    Only the main thread handles signals. A flag is a byte that is not 0 once it is set.
    """
    return get_ident() == main_thread().ident, [active._flag for active in _ACTIVE.get()]
