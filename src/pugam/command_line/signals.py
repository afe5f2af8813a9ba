"""Signals that end the command line: Ctrl-C, a terminal that is closed, a system that shuts down."""

from __future__ import annotations

import os
import signal
import threading

TYPE_CHECKING = False  # the module `typing` takes longer to import than all else before somebody listens
if TYPE_CHECKING:
    from types import FrameType, TracebackType
    from typing import Any

__all__ = ["Signals"]

ENDINGS = {"SIGINT": "Interrupted.", "SIGTERM": "Terminated.", "SIGHUP": "Interrupted: the terminal was closed."}


class Signals:
    """Turns signals that end a program into KeyboardInterrupt, so that what is half done is cleared away.

    Until `ready` they end it at once: nothing is begun, and an exception in the middle of imports may be taken for
    another fault. A signal that the program was told to ignore, as by `nohup`, stays ignored.
    """

    def __init__(self) -> None:
        self._number = signal.SIGINT
        self._ready = False
        self.received = False
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Signals:
        if threading.current_thread() is threading.main_thread():
            for number in (getattr(signal, name) for name in ENDINGS if hasattr(signal, name)):
                before = signal.getsignal(number)
                if before in (signal.SIG_DFL, signal.default_int_handler):
                    self._before[number] = before
                    signal.signal(number, self._receive)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)
        threading.excepthook = threading.__excepthook__

    def ready(self) -> None:
        """Raise KeyboardInterrupt from now on."""
        self._ready = True

    @property
    def ending(self) -> str:
        """What is said at the end."""
        return ENDINGS[self._number.name]

    @property
    def code(self) -> int:
        """The exit code, as shells have it: 130 for Ctrl-C."""
        return 128 + self._number

    def _receive(self, number: int, frame: FrameType | None) -> None:
        self._number, self.received = signal.Signals(number), True
        if self._ready:
            threading.excepthook = _say_nothing
            raise KeyboardInterrupt
        os.write(2, f"pugam: {self.ending}\n".encode())
        os._exit(self.code)


def _say_nothing(arguments: threading.ExceptHookArgs) -> None:
    """Threads that look after other processes may break when these are ended: that is no news."""
