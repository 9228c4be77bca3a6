"""A sign of life for whatever takes longer than a second: on a terminal, on stderr."""

from threading import Timer
from types import TracebackType
from typing import Any, Self

PATIENCE = 1.0  # seconds before anything is shown


class Waiting:
    """Shows a bar while its block runs, once a second has passed; nothing where stderr is a file.

    ``total`` steps fill the bar, each by ``step``; without a total it only moves.
    """

    def __init__(self, what: str, total: int | None = None, patience: float = PATIENCE) -> None:
        self._what, self._total, self._patience = what, total, patience
        self._bar: Any = None
        self._timer: Timer | None = None
        self._task: Any = None

    def __enter__(self) -> Self:
        from rich.console import Console

        console = Console(stderr=True)
        if console.is_terminal:
            self._bar = _bar(console, counts=self._total is not None)
            self._task = self._bar.add_task(self._what, total=self._total)
            self._timer = Timer(self._patience, self._bar.start)
            self._timer.daemon = True
            self._timer.start()
        return self

    def step(self) -> None:
        """Fill the bar by one."""
        if self._bar is not None:
            self._bar.advance(self._task)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer.join()  # else it might start after we have stopped
            if self._bar.live.is_started:
                self._bar.stop()


def _bar(console: Any, *, counts: bool) -> Any:
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
    )

    number = [MofNCompleteColumn()] if counts else []
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        *number,
        TimeElapsedColumn(),
        console=console,
        transient=True,
    )
