"""Signs of long work: on a terminal, after two seconds, and gone when the work is done."""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType
from typing import Any

__all__ = ["Progress", "Waiting"]

PATIENCE = 2.0  # seconds


def _is_watched() -> bool:
    """Whether somebody looks at standard error; where it is closed, Python has none."""
    return sys.stderr is not None and sys.stderr.isatty()


class Progress:
    """Counts steps of some work and shows them while it lasts.

    Parameters
    ----------
    label : str
    total : int
        0 where it is not known.
    show : bool, optional
        True or False; None shows the bar on a terminal only.
    """

    def __init__(self, label: str, total: int, show: bool | None = None) -> None:
        self.label, self.total, self.done = label, total, 0
        self._show = _is_watched() if show is None else show
        self._began = time.monotonic()
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def advance(self, steps: int = 1) -> None:
        """Count steps that are done."""
        self.done += steps
        if self._show and self._bar is None and time.monotonic() - self._began > PATIENCE:
            self._start()
        if self._bar is not None:
            self._bar.update(self._task, completed=self.done)

    def _start(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self._bar = Bar(*columns, console=Console(stderr=True), transient=True)
        self._task = self._bar.add_task(self.label, total=self.total or None, completed=self.done)
        self._bar.start()


class Waiting:
    """Shows that some work, whose steps cannot be counted, goes on; the arguments are those of `Progress`."""

    def __init__(self, label: str, show: bool | None = None) -> None:
        self.label = label
        self._show = _is_watched() if show is None else show
        self._timer: threading.Timer | None = None
        self._status: Any = None
        self._lock = threading.Lock()

    def __enter__(self) -> Waiting:
        if self._show:
            self._timer = threading.Timer(PATIENCE, self._start)
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            if self._status is not None:
                self._status.stop()

    def _start(self) -> None:
        from rich.console import Console
        from rich.status import Status

        with self._lock:
            if self._timer is not None:
                self._status = Status(f"{self.label} ...", console=Console(stderr=True))
                self._status.start()
