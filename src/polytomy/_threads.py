"""The number of threads, and tasks on several threads."""

from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextlib import suppress
from functools import partial
from numbers import Integral
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

from polytomy._errors import ParameterError

_MAX_THREADS = 256


def checked_threads(threads: Any) -> int:
    """Return the number of threads as an int, at most 256; raise an error if it is invalid."""
    if isinstance(threads, bool) or not isinstance(threads, Integral) or int(threads) < 1:
        raise ParameterError(f"threads must be an integer of at least 1, got {threads!r}")
    return min(int(threads), _MAX_THREADS)


class ThreadPool(Executor):
    """Tasks on several threads, or on fewer if the system does not start as many.

    If not even one thread can be started, ``submit`` runs the task itself.

    Parameters
    ----------
    threads : int
        The largest number of threads.

    Examples
    --------
    >>> with ThreadPool(2) as pool:
    ...     list(pool.map(abs, [-1, 2, -3]))
    [1, 2, 3]
    """

    def __init__(self, threads: int) -> None:
        self._most = threads
        self._workers: list[Thread] = []
        self._tasks: SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = SimpleQueue()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Return the future of a call ``fn(*args, **kwargs)``."""
        future: Future[Any] = Future()
        call = partial(fn, *args, **kwargs)
        if len(self._workers) < self._most:
            self._start_worker()
        if self._workers:
            self._tasks.put((future, call))
        else:
            _complete(future, call)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the threads after the tasks that have begun, or after all of them.

        Parameters
        ----------
        wait : bool, default=True
            Whether to return only when the threads have ended.
        cancel_futures : bool, default=False
            Whether to leave out tasks that have not begun.
        """
        while cancel_futures and not self._tasks.empty():
            with suppress(Empty):
                if (task := self._tasks.get_nowait()) is not None:
                    task[0].cancel()
        for _ in self._workers:
            self._tasks.put(None)
        for worker in self._workers if wait else ():
            worker.join()

    def _start_worker(self) -> None:
        worker = Thread(target=self._work, daemon=True)
        try:
            worker.start()
        except (RuntimeError, MemoryError):  # "can't start new thread"
            self._most = len(self._workers)
        else:
            self._workers.append(worker)

    def _work(self) -> None:
        while (task := self._tasks.get()) is not None:
            _complete(*task)
            del task  # its result may be large


def _complete(future: Future[Any], call: Callable[[], Any]) -> None:
    """Make a call and store its result, or what it raises, in its future."""
    if not future.set_running_or_notify_cancel():
        return
    try:
        future.set_result(call())
    except BaseException as error:
        future.set_exception(error)
