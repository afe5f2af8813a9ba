"""Signals that end the command line."""

import signal
import threading

import pytest

from pugam.command_line.signals import Signals


def break_a_thread():
    thread = threading.Thread(target=lambda: {}["nothing"])
    thread.start()
    thread.join()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_threads_that_break_after_an_interruption_say_nothing(capfd, monkeypatch):
    monkeypatch.setattr(threading, "__excepthook__", threading.excepthook)  # pytest has its own
    with Signals() as signals:
        signals.ready()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        break_a_thread()
        silent = threading.excepthook

    assert capfd.readouterr().err == ""
    assert threading.excepthook is not silent
