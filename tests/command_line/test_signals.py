"""Signals that end the command line."""

import signal
import threading

import pytest

from pugam.command_line import running
from pugam.command_line.signals import Signals


@pytest.fixture(autouse=True)
def not_in_the_background():
    """Signals as in a terminal: shells let processes in the background ignore Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


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


def test_an_import_that_breaks_when_it_is_interrupted_ends_as_an_interruption(capsys, monkeypatch):
    """Modules written in C make an ImportError of it."""

    def interrupted_import(*arguments, **options):
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt as interruption:
            raise ImportError("numpy.core.multiarray failed to import") from interruption

    monkeypatch.setattr(running, "command", interrupted_import)
    with Signals() as signals:
        code = running.run(signals)

    assert code == 128 + signal.SIGINT
    assert capsys.readouterr().err == "pugam: Interrupted.\n"


def test_an_exception_that_no_signal_came_before_is_not_hidden(monkeypatch):
    def broken(*arguments, **options):
        raise ImportError("of another kind")

    monkeypatch.setattr(running, "command", broken)
    with Signals() as signals, pytest.raises(ImportError, match="of another kind"):
        running.run(signals)
