"""A progress bar for long work: on a terminal, after two seconds, and gone when the work is done."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any

__all__ = ["Progress"]

PATIENCE = 2.0  # seconds


class Progress:
    """Counts steps of some work and shows them while it lasts.

    Parameters
    ----------
    label : str
    total : int
    show : bool, optional
        True or False; None shows the bar on a terminal only.
    """

    def __init__(self, label: str, total: int, show: bool | None = None) -> None:
        self.label, self.total, self.done = label, total, 0
        self._show = sys.stderr.isatty() if show is None else show
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
        self._task = self._bar.add_task(self.label, total=self.total, completed=self.done)
        self._bar.start()
