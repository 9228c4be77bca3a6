"""A progress bar on stderr for work that takes longer than a second."""

from threading import Timer
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from polytomy.table import ScanProgress

DELAY = 1.0  # seconds before the bar is shown


class ProgressBar:
    """Shows a bar while its block runs, after a delay, and only if stderr is a terminal.

    Parameters
    ----------
    description : str
        What is being done, such as "reading".
    total : int, default=None
        The number of steps; each is counted by ``step``. None shows a bar without a length.
    delay : float, default=1.0
        Seconds before the bar is shown.
    """

    def __init__(self, description: str, total: int | None = None, delay: float = DELAY) -> None:
        self._description, self._total, self._delay = description, total, delay
        self._bar: Any = None
        self._timer: Timer | None = None
        self._task: Any = None

    def __enter__(self) -> Self:
        from rich.console import Console

        console = Console(stderr=True)
        if console.is_terminal:
            self._bar = _rich_bar(console, counts=self._total is not None)
            self._task = self._bar.add_task(self._description, total=self._total)
            self._timer = Timer(self._delay, self._bar.start)
            self._timer.daemon = True
            self._timer.start()
        return self

    def step(self) -> None:
        """Advance the bar by one step."""
        if self._bar is not None:
            self._bar.advance(self._task)

    def show(self, progress: "ScanProgress") -> None:
        """Show how much of a table has been read."""
        if self._bar is not None:
            is_done = progress.cells >= progress.total
            self._bar.update(
                self._task,
                total=None if is_done else progress.total,
                completed=0 if is_done else progress.cells,
                description=self._description if is_done else f"{self._description}: {progress}",
            )

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer.join()  # otherwise the bar could start after it was stopped
            if self._bar.live.is_started:
                self._bar.stop()


def _rich_bar(console: Any, *, counts: bool) -> Any:
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
    )

    counter = [MofNCompleteColumn()] if counts else []
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        *counter,
        TimeElapsedColumn(),
        console=console,
        transient=True,
    )
