"""The progress bar: silent where nobody looks, patient at first, right in its count, and gone in the end."""

import io
import re
import sys
from types import SimpleNamespace

import pytest

from pugam import PUGAM
from pugam import progress as progress_module
from pugam.datasets import simulate
from pugam.progress import Progress, Waiting

ERASE_LINE = "\x1b[2K"


class Terminal(io.StringIO):
    """A stream that takes itself for a terminal."""

    def isatty(self):
        return True


@pytest.fixture
def open_terminal(monkeypatch):
    """Put a terminal in the place of stderr; called by the test itself, as pytest captures each of its phases anew."""

    def open_now():
        stream = Terminal()
        monkeypatch.setattr(sys, "stderr", stream)
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setenv("COLUMNS", "100")
        for name in ("NO_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "FORCE_COLOR"):
            monkeypatch.delenv(name, raising=False)
        return stream

    return open_now


@pytest.fixture
def wait(monkeypatch):
    """A clock that stands still until it is told to go on."""
    now = [100.0]
    monkeypatch.setattr(progress_module, "time", SimpleNamespace(monotonic=lambda: now[0]))

    def pass_by(seconds):
        now[0] += seconds

    return pass_by


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(progress_module, "PATIENCE", -1.0)


def shown(stream):
    """What was written, without the codes that move the cursor and colour the text."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", stream.getvalue())


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("show", [None, False])
def test_off_a_terminal_nothing_is_written(capsys, show):
    with Progress("bootstrap", 10, show) as bar:
        for _ in range(10):
            bar.advance()

    written = capsys.readouterr()
    assert written.err == written.out == ""
    assert bar.done == 10


@pytest.mark.usefixtures("impatient")
def test_a_bar_that_is_not_wanted_stays_away_from_a_terminal_too(open_terminal):
    terminal = open_terminal()
    with Progress("bootstrap", 10, show=False) as bar:
        bar.advance(4)

    assert terminal.getvalue() == ""
    assert bar.done == 4


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("show", [None, True])
def test_on_a_terminal_the_bar_shows_what_is_done(open_terminal, capsys, show):
    terminal = open_terminal()
    with Progress("bootstrap", 250, show) as bar:
        bar.advance(3)
        assert "3/250" in shown(terminal)
        bar.advance(40)
        bar._bar.refresh()  # not to wait for the next time it is drawn
        assert "43/250" in shown(terminal)

    assert "bootstrap" in shown(terminal)
    assert capsys.readouterr().out == ""


def test_short_work_shows_no_bar(open_terminal, wait):
    terminal = open_terminal()
    with Progress("bootstrap", 10, show=True) as bar:
        bar.advance()
        wait(1.9)
        bar.advance()

    assert terminal.getvalue() == ""


def test_the_bar_appears_after_two_seconds_with_all_that_was_done_before(open_terminal, wait):
    terminal = open_terminal()
    with Progress("bootstrap", 10, show=True) as bar:
        bar.advance(4)
        assert terminal.getvalue() == ""
        wait(2.1)
        bar.advance(2)
        assert "6/10" in shown(terminal)


@pytest.mark.usefixtures("impatient")
def test_the_bar_is_wiped_away_when_the_work_is_done(open_terminal):
    terminal = open_terminal()
    with Progress("bootstrap", 10, show=True) as bar:
        bar.advance(10)
        assert bar._bar.live.is_started

    assert not bar._bar.live.is_started
    assert terminal.getvalue().endswith(ERASE_LINE)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_the_bar_is_closed_when_the_work_fails_and_the_error_goes_on(open_terminal, error):
    terminal = open_terminal()
    bar = Progress("bootstrap", 10, show=True)

    def work():
        with bar:
            bar.advance(3)
            assert bar._bar.live.is_started
            raise error("stop")

    with pytest.raises(error, match="stop"):
        work()

    assert not bar._bar.live.is_started
    assert terminal.getvalue().endswith(ERASE_LINE)
    assert bar.done == 3


@pytest.mark.usefixtures("impatient")
def test_a_bootstrap_counts_its_refits(open_terminal, monkeypatch):
    monkeypatch.setattr("pugam.engines.counted.CountedRows.most_weightings", 8)
    data = simulate(1, n0=200, n=400, random_state=4)
    model = PUGAM("x1 + x2", n_starts=2, shrinkage="never").fit(data.X, data.z)
    terminal = open_terminal()

    model.bootstrap(20, progress=False)
    assert terminal.getvalue() == ""
    model.bootstrap(20, progress=True)

    assert "8/20" in shown(terminal)
    assert "20/20" in shown(terminal)  # drawn a last time before it is wiped away


@pytest.mark.parametrize("sign", [Waiting, lambda label: Progress(label, 2)], ids=["waiting", "progress"])
def test_nobody_looks_where_standard_error_is_closed(monkeypatch, sign):
    monkeypatch.setattr(sys, "stderr", None)

    with sign("rows") as shown:
        assert not shown._show
