"""The number of threads, and tasks on several threads."""

from _thread import LockType, allocate_lock, start_new_thread
from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Any

from polytomy._cancellation import Cancellation
from polytomy._errors import ParameterError
from polytomy._numbers import is_integer
from polytomy.kernels import can_throw

_MAX_THREADS = 256
_PATIENCE = 5.0  # seconds for a thread to begin; without memory for its frame, it never does


def checked_threads(threads: Any) -> int:
    """Return the number of threads as an int, at most 256; raise an error if it is invalid."""
    if not is_integer(threads) or int(threads) < 1:
        raise ParameterError(f"threads must be an integer of at least 1, got {threads!r}")
    return min(int(threads), _MAX_THREADS)


class ThreadPool(Executor):
    """Tasks on several threads, or on fewer if the system does not start as many.

    If not even one thread can be started, ``submit`` runs the task itself. What can cancel the
    caller can cancel its tasks. If the ``with`` block ends with an exception, also an interrupt,
    tasks that have begun are cancelled, and the others are left out.

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
        self._cancellation = Cancellation()  # of the tasks
        self._workers: list[LockType] = []  # each is released when its thread ends
        self._tasks: SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = SimpleQueue()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Return the future of a call ``fn(*args, **kwargs)``."""
        future: Future[Any] = Future()
        call = partial(copy_context().run, self._call, partial(fn, *args, **kwargs))
        if len(self._workers) < self._most:
            self._start_worker()
        if self._workers:
            self._tasks.put((future, call))
        else:
            _complete(future, call)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the threads after all tasks, or cancel these.

        Parameters
        ----------
        wait : bool, default=True
            Whether to return only when the threads have ended.
        cancel_futures : bool, default=False
            Whether to cancel tasks that have begun, and leave out those that have not.
        """
        if cancel_futures:
            self._cancellation.cancel()
        while cancel_futures and not self._tasks.empty():
            with suppress(Empty):
                if (task := self._tasks.get_nowait()) is not None:
                    task[0].cancel()
        self._tasks.put(None)
        for ended in self._workers if wait else ():
            with ended:
                pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.shutdown(cancel_futures=error is not None)

    def _call(self, call: Callable[[], Any]) -> Any:
        with self._cancellation:
            return call()

    def _start_worker(self) -> None:
        begun, ended = allocate_lock(), allocate_lock()
        begun.acquire()
        ended.acquire()
        try:  # threading.Thread.start would wait for ever for a thread that dies as it begins
            start_new_thread(self._work, (begun, ended))
            begun.acquire(timeout=_PATIENCE)
        except (RuntimeError, MemoryError):  # "can't start new thread"
            pass
        if ended not in self._workers:
            self._most = len(self._workers)

    def _work(self, begun: LockType, ended: LockType) -> None:
        is_useful = can_throw()
        if is_useful:
            self._workers.append(ended)
        begun.release()
        if not is_useful:
            return
        try:
            while (task := self._tasks.get()) is not None:
                _complete(*task)
                del task  # its result may be large
            self._tasks.put(None)  # for the next thread
        finally:
            ended.release()


def _complete(future: Future[Any], call: Callable[[], Any]) -> None:
    """Make a call and store its result, or what it raises, in its future."""
    if not future.set_running_or_notify_cancel():
        return
    try:
        future.set_result(call())
    except BaseException as error:
        future.set_exception(error)
