"""Tasks on a Dask cluster: results that come back, or one clear error, and never a hang."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from concurrent import futures as threads
from time import monotonic
from typing import Any
from uuid import uuid4

import dask
from distributed import Client, Future, KilledWorker, default_client
from distributed.client import ClosedClientError

from polytomy._errors import DataFileError, PolytomyError

PATIENCE = 60.0
"""The seconds that a cluster may do nothing while results are pending.

``dask.config.set({"polytomy.patience": 300})`` changes it.
"""

FAN_IN = 8
"""The number of answers that one task merges."""
_FEW = 4  # tasks that get their own copy of an argument
_GLANCE = 1.0  # seconds between two looks at a cluster that does not answer


_CLOSED = "the Dask client was closed during the fit; fit again with a connected client"
_CANCELLED = (
    "the fit was cancelled: the Dask client was closed, or the connection to the scheduler or a "
    "task was lost; fit again with a connected client"
)


class ClusterError(PolytomyError, RuntimeError):
    """Raised if a cluster cannot finish a fit: no workers, lost tasks, or a closed client."""


class Cluster:
    """A Dask cluster as this process sees it, through the current client.

    Parameters
    ----------
    client : distributed.Client, default=None
        The client; None for the current one.
    """

    def __init__(self, client: Client | None = None) -> None:
        self.client = client or _current_client()
        if self.client.asynchronous:
            raise ClusterError("fit needs a synchronous client: Client(asynchronous=False)")
        self.patience = float(dask.config.get("polytomy.patience", PATIENCE))
        self.sent = 0  # round trips, for measurements

    def submit(self, name: str, function: Callable[..., Any], *arguments: Any) -> Future:
        """Start a task.

        Parameters
        ----------
        name : str
            What it does, for Dask's dashboard.
        function : callable
            A pure function.
        *arguments
            Its arguments; futures among them, also in lists, are replaced by their results.

        Returns
        -------
        Future
            The result to be.
        """
        key = f"polytomy-{name}-{uuid4().hex}"
        try:
            return self.client.submit(function, *arguments, key=key, pure=False)
        except ClosedClientError:
            raise ClusterError(_CLOSED) from None

    def each(
        self, name: str, function: Callable[..., Any], blocks: Sequence[Future], *arguments: Any
    ) -> list[Future]:
        """Start a task for each block, all in one message to the scheduler.

        Parameters
        ----------
        name : str
            What they do, for Dask's dashboard.
        function : callable
            A pure function.
        blocks : sequence of Future
            The first argument of each task.
        *arguments
            The other arguments, the same for all of them.

        Returns
        -------
        list of Future
            The results to be.
        """
        run, others = uuid4().hex, [[argument] * len(blocks) for argument in arguments]
        keys = [f"polytomy-{name}-{run}-{i}" for i in range(len(blocks))]
        try:
            started = self.client.map(function, list(blocks), *others, key=keys, pure=False)
        except ClosedClientError:
            raise ClusterError(_CLOSED) from None
        return list(started)

    def shared(self, argument: Any, n_tasks: int) -> Any:
        """Return an argument of several tasks in the form in which they get it soonest.

        Parameters
        ----------
        argument : object
            The argument.
        n_tasks : int
            The number of tasks.

        Returns
        -------
        object or Future
            The argument itself, or if there are many tasks, a task that holds it, so that it is
            sent once.
        """
        return argument if n_tasks <= _FEW else self.held(argument)

    def held(self, argument: Any) -> Future:
        """Return a task that holds an argument of other tasks, so that it is sent once.

        Parameters
        ----------
        argument : object
            The argument.

        Returns
        -------
        Future
            The task.
        """
        return self.submit("share", _same, argument)

    def merged(self, pending: Sequence[Future], merge: Callable[..., Any]) -> Any:
        """Return results merged into one, on the workers if there are many of them.

        Parameters
        ----------
        pending : sequence of Future
            The results to be, at least one.
        merge : callable
            Merges a list of results.

        Returns
        -------
        object
            The merged result.
        """
        while len(pending) > FAN_IN:
            groups = [pending[i : i + FAN_IN] for i in range(0, len(pending), FAN_IN)]
            pending = [self.submit("merge", merge, list(group)) for group in groups]
        return merge(self.results(pending))

    def results(self, pending: Iterable[Future]) -> list[Any]:
        """Wait for results and return them.

        Parameters
        ----------
        pending : iterable of Future
            The results to be.

        Returns
        -------
        list
            The results, in order.

        Raises
        ------
        ClusterError
            If the cluster cannot compute them.
        """
        wanted = list(pending)
        self.sent += 1
        return list(self._watched(lambda: self.client.gather(wanted, asynchronous=True)))

    def finish(self, pending: Sequence[Future]) -> None:
        """Wait until partitions are computed, without fetching them.

        Parameters
        ----------
        pending : sequence of Future
            The partitions.

        Raises
        ------
        ClusterError
            If a partition cannot be computed.
        DataFileError
            If a partition is a file that cannot be read.
        """

        async def wait() -> None:
            await asyncio.gather(*(future._state.wait() for future in pending))

        self._watched(wait)
        for number, future in enumerate(pending):
            if future.status == "error":
                error = future.exception()
                if isinstance(error, DataFileError):  # it names the file
                    raise error
                failed = ClusterError(
                    f"partition {number} could not be computed: {type(error).__name__}: {error}"
                )
                failed.partition = number
                raise failed from error
            if future.status == "cancelled":
                raise ClusterError(_CANCELLED)

    def _watched(self, start: Callable[[], Any]) -> Any:
        """Return the result of a coroutine, watching the cluster while it takes its time."""

        async def begin() -> Any:
            return await start()

        if self.client.status != "running":
            raise ClusterError(_CLOSED)
        coming = asyncio.run_coroutine_threadsafe(begin(), self.client.loop.asyncio_loop)
        last_sign = monotonic()
        try:
            while True:
                try:
                    return coming.result(timeout=_GLANCE)
                except TimeoutError:
                    if coming.done():
                        raise
                if self._is_busy():
                    last_sign = monotonic()
                elif monotonic() - last_sign > self.patience:
                    raise ClusterError(self._why_idle())
        except (asyncio.CancelledError, threads.CancelledError) as error:
            raise ClusterError(_CANCELLED) from error
        except KilledWorker as error:
            raise ClusterError(
                f"workers died again and again while they ran the task {error.task!r}, most likely "
                "because they ran out of memory; use smaller partitions or workers with more memory"
            ) from error
        finally:
            coming.cancel()

    def _is_busy(self) -> bool:
        """Return whether any worker runs a task, or raise an error if the client is closed."""
        if self.client.status not in ("running", "connecting"):
            raise ClusterError(_CLOSED)
        running = self._asked(self.client.scheduler.processing)
        return running is not None and any(running.values())

    def _why_idle(self) -> str:
        workers = self._asked(self.client.scheduler.ncores)
        waited = f"for {self.patience:g} seconds"
        if workers is None:
            return f"the Dask scheduler has not answered {waited}"
        if not workers:
            return f"the Dask cluster has had no workers {waited}; add some and fit again"
        return (
            f"the Dask cluster has been idle {waited} while results are pending: a task was lost; "
            "restart the client and fit again"
        )

    def _asked(self, method: Callable[..., Any]) -> Any:
        """Return the scheduler's answer, or None if it does not come."""

        async def ask() -> Any:
            return await method()

        loop = self.client.loop.asyncio_loop
        asked = asyncio.run_coroutine_threadsafe(ask(), loop)
        try:
            return asked.result(timeout=max(_GLANCE, self.patience / 4))
        except (TimeoutError, threads.CancelledError, OSError):
            asked.cancel()
            return None

    def places(self, pending: Sequence[Future]) -> list[str]:
        """Return the worker that holds each result.

        Parameters
        ----------
        pending : sequence of Future
            Finished results.

        Returns
        -------
        list of str
            The addresses; "" for a result that was lost meanwhile.
        """
        held = self._asked(lambda: self.client.scheduler.who_has(keys=[f.key for f in pending]))
        return [next(iter(sorted((held or {}).get(f.key, ()))), "") for f in pending]

    def n_threads(self) -> dict[str, int]:
        """Return the number of threads of each worker, by its address."""
        return dict(self._asked(self.client.scheduler.ncores) or {})


def _current_client() -> Client:
    try:
        client = default_client()
        if client.status != "running":
            raise ClusterError("the Dask client is closed; make a new one")
        return client
    except ValueError as error:
        if isinstance(error, ClusterError):
            raise
        raise ClusterError(
            "there is no Dask client; make one first: client = dask.distributed.Client()"
        ) from None


def _same(argument: Any) -> Any:
    """Return the argument."""
    return argument
