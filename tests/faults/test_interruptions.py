"""Ctrl-C and other signals end a command within two seconds: one line, nothing half-written, no orphans."""

import inspect
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import pugam
from pugam import PUGAM, load
from pugam.datasets import simulate
from pugam.engines import one_blas_thread

WITHIN = 2.0  # seconds
INTERRUPTED = 128 + signal.SIGINT
MANY_COLUMNS = 30
PACKAGE = str(Path(pugam.__file__).parent)

FIT = ("fit", "rows.csv", "--label", "z", "--out", "out.json", "--report", "out.html")
COMMANDS = {
    "fit": FIT,
    "many columns": ("fit", "wide.csv", *FIT[2:]),
    "streamed": ("fit", "long.parquet", *FIT[2:], "--engine", "stream"),
    "bootstrap": (*FIT, "--ci", "bootstrap", "--resamples", "100000"),
    "bootstrap, two threads": (*FIT, "--ci", "bootstrap", "--resamples", "100000", "--jobs", "2"),
    "predict": ("predict", "model.json", "many.csv", "--out", "out.csv.gz"),
    "report": ("report", "model.json", "rows.csv", "--label", "z", "--out", "out.html"),
    "study": ("study", "small", "--out", "results", "--replicates", "1000", "--jobs", "1"),
    "study, two processes": ("study", "small", "--out", "results", "--replicates", "1000", "--jobs", "2"),
}
IN_MAKE_TEST = ("predict",)


def few_or_many(names):
    for name in COMMANDS:
        yield pytest.param(name, 2, marks=() if name in names else pytest.mark.long, id=f"{name}, few moments")
        yield pytest.param(name, 20, marks=pytest.mark.long, id=f"{name}, many moments")


@pytest.fixture(scope="module")
def more_inputs(inputs):
    """Tables with many columns and with many rows, too."""
    rng = np.random.default_rng(0)
    data = simulate(2, n0=1250, n=1500, pi=0.4, random_state=0)
    noise = {f"noise{number}": rng.random(1500) for number in range(MANY_COLUMNS)}
    data.X.assign(**noise, z=data.z.astype(int)).to_csv(inputs / "wide.csv", index=False)
    rows = data.X.assign(z=data.z.astype(int)).iloc[np.tile(np.arange(1500), 200)]
    rows.to_parquet(inputs / "long.parquet", index=False)
    return inputs


@pytest.fixture
def folder(tmp_path, more_inputs):
    for path in more_inputs.iterdir():
        (tmp_path / path.name).symlink_to(path)
    return tmp_path


def require_clean(folder, before):
    """No file is new but whole ones; a study may have kept records."""
    for path in folder.iterdir():
        if path not in before and path.name != "results":
            assert path.name.startswith("out.")
            assert path.suffix != ".json" or load(path).n0_ == 1250
            assert path.suffix != ".html" or path.read_text(encoding="utf-8").rstrip().endswith("</html>")
            path.unlink()


def interrupt(started, number, group=True):
    """Send a signal and return how long the end took to come."""
    began = time.monotonic()
    started.send(number, group)
    assert started.wait(30.0) is not None, "It did not end."
    return time.monotonic() - began


@pytest.mark.parametrize(("name", "n_moments"), [*few_or_many(IN_MAKE_TEST)])
def test_ctrl_c_at_any_moment(name, n_moments, folder, start, small_study):
    before = {*folder.iterdir()}
    moments = 0.05 + 2.5 * np.random.default_rng(0).beta(1, 2, n_moments)
    codes = set()
    for moment in moments:
        started = start(folder, *COMMANDS[name], before=small_study)
        started.wait(moment)

        took = interrupt(started, signal.SIGINT)

        codes.add(started.process.exitcode)
        # Where exec() of text was interrupted, Python ends as if killed by the signal; shells call that 130 too.
        assert started.process.exitcode in (0, INTERRUPTED, -signal.SIGINT)
        if started.process.exitcode:
            assert took < WITHIN
            assert started.stderr.startswith("pugam: ")
            assert started.stderr.count("\n") == 1, started.stderr
        require_clean(folder, before)
        until = time.monotonic() + WITHIN
        while started.relatives() and time.monotonic() < until:
            time.sleep(0.01)
        assert started.relatives() == []
    assert codes != {0}


def test_ctrl_c_stops_a_study_with_one_line_and_it_goes_on(tmp_path, start, run, waiting, small_study):
    command = ("study", "small", "--out", "results", "--replicates", "15", "--jobs", "1", "--quiet")
    started = start(tmp_path, *command, before=small_study)
    records = tmp_path / "results/records/small.jsonl"
    assert waiting(lambda: records.exists() and records.read_bytes().count(b"\n") > 4, started)

    interrupt(started, signal.SIGINT)

    said = "pugam: Stopped; what is done is kept in results/records. The same command goes on from there.\n"
    assert (started.process.exitcode, started.stderr) == (INTERRUPTED, said)
    kept = records.read_bytes()
    assert run(tmp_path, *command, before=small_study)[0] == 0
    assert records.read_bytes().startswith(kept)
    assert records.read_bytes().count(b"\n") == 31


@pytest.mark.parametrize(
    ("number", "said"),
    [(signal.SIGTERM, "Terminated."), (signal.SIGHUP, "Interrupted: the terminal was closed.")],
    ids=["SIGTERM", "SIGHUP"],
)
def test_other_signals_end_in_one_line_too(folder, start, waiting, number, said):
    before = {*folder.iterdir()}
    started = start(folder, *COMMANDS["predict"])
    assert waiting(lambda: {*folder.iterdir()} - before, started)

    interrupt(started, number, group=False)

    assert (started.process.exitcode, started.stderr) == (128 + number, f"pugam: {said}\n")
    assert {*folder.iterdir()} == before


@pytest.mark.long
def test_workers_end_when_a_study_is_told_to(tmp_path, start, waiting, small_study):
    started = start(tmp_path, *COMMANDS["study, two processes"], before=small_study)
    records = tmp_path / "results/records/small.jsonl"
    assert waiting(lambda: records.exists() and records.read_bytes().count(b"\n") > 3, started)

    took = interrupt(started, signal.SIGTERM, group=False)

    assert took < WITHIN
    assert started.process.exitcode == 128 + signal.SIGTERM
    assert started.stderr.startswith("pugam: Stopped; ")
    assert started.stderr.count("\n") == 1
    time.sleep(0.5)
    assert started.relatives() == []


@pytest.mark.long
def test_a_signal_that_is_to_be_ignored_is_ignored(inputs, start_afresh):
    """As under nohup."""
    ignore = lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)  # noqa: E731
    started = start_afresh("fit", inputs / "rows.csv", "--label", "z", "--quiet", preexec_fn=ignore)
    for _ in range(8):
        time.sleep(0.15)
        os.kill(started.pid, signal.SIGHUP)

    out, err = started.communicate(timeout=60)

    assert (started.returncode, err) == (0, "")
    assert out.startswith("pi = ")


def wait_until_it_listens(started, number=signal.SIGTERM):
    """Wait until a process has a handler of its own for a signal; Python itself has one for SIGINT alone."""
    status = Path(f"/proc/{started.pid}/status")
    while not int(re.search(r"SigCgt:\s*(\w+)", status.read_text())[1], 16) >> (number - 1) & 1:
        assert started.poll() is None
        time.sleep(0.002)


def test_little_is_imported_before_somebody_listens_to_ctrl_c():
    """It would end in a traceback until then."""
    listed = "import sys; import pugam.command_line.main; print(*sys.modules)"
    imported = subprocess.run([sys.executable, "-c", listed], capture_output=True, text=True, check=True).stdout.split()

    assert {"numpy", "typer", "inspect"}.isdisjoint(imported)
    ours = {"pugam", "pugam.version", "pugam.command_line", "pugam.command_line.main", "pugam.command_line.signals"}
    assert {name for name in imported if name.startswith("pugam")} == ours


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="looks at processes as Linux shows them")
@pytest.mark.parametrize(
    "moments",
    [(0.0, 0.5), pytest.param(tuple(np.linspace(0.0, 0.6, 16)), marks=pytest.mark.long)],
    ids=["few moments", "many moments"],
)
def test_ctrl_c_while_libraries_are_imported(start_afresh, inputs, moments):
    """From the moment on at which somebody listens: before that, it is Python that starts."""
    for moment in moments:
        started = start_afresh("fit", inputs / "rows.csv", "--label", "z", "--out", "out.json")
        wait_until_it_listens(started)
        time.sleep(moment)
        os.killpg(started.pid, signal.SIGINT)

        out, err = started.communicate(timeout=WITHIN)

        assert started.returncode in (INTERRUPTED, -signal.SIGINT)
        assert (out, err) == ("", "pugam: Interrupted.\n")


@pytest.mark.parametrize(
    "arguments",
    [pytest.param(("fit", "rows.csv", "--label", "z"), marks=pytest.mark.long), ("--help",)],
    ids=["fit", "help"],
)
def test_a_reader_that_goes_away_is_no_fault(arguments, inputs):
    """As in `pugam fit ... | head -1`."""
    command = [sys.executable, "-m", "pugam", *arguments]
    with subprocess.Popen(command, cwd=inputs, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as started:
        started.stdout.close()
        err = started.stderr.read()

    assert started.returncode == 1
    assert err == ""


# In the library


class Interrupting:
    """Raises KeyboardInterrupt at the n-th call of a function of the package, as a signal would.

    Generators are left out: what is raised while one is thrown away is lost in Python itself.
    """

    def __init__(self, after):
        self.after, self.calls = after, 0

    def __call__(self, frame, event, argument):
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(PACKAGE) and not code.co_flags & inspect.CO_GENERATOR:
            self.calls += 1
            if self.calls == self.after:
                sys.setprofile(None)
                raise KeyboardInterrupt


def profiled(fit, profiler):
    """Fit under a profiler; one stopped on the very way out leaves BLAS at one thread, which others shall not see."""
    limit = one_blas_thread()
    before = limit._inside
    sys.setprofile(profiler)
    try:
        fit()
    finally:
        sys.setprofile(None)
        while limit._inside > before:
            limit.__exit__()


@pytest.mark.parametrize("n_moments", [6, pytest.param(200, marks=pytest.mark.long)], ids=["few", "many"])
def test_an_interrupted_fit_leaves_the_estimator_as_it_was(n_moments):
    data = simulate(1, n0=250, n=300, pi=0.4, random_state=0)
    settings = {"terms": "s(x0, k=5) + x1", "smoothing": 1.0, "n_starts": 2}
    first, second = data.X.to_numpy()[:, :3], data.X.to_numpy()[:, 1:]
    for _ in range(2):  # the first fills caches
        counting = Interrupting(after=-1)
        model = PUGAM(**settings)
        profiled(lambda model=model: model.fit(second, data.z), counting)
    assert counting.calls > 200

    # The last calls are those in which the fit is remembered.
    late = counting.calls - np.arange(n_moments // 2) * 2
    for after in (*np.linspace(1, counting.calls, n_moments - n_moments // 2).astype(int), *late):
        fresh, fitted = PUGAM(**settings), PUGAM(**settings).fit(first, data.z)
        before = dict(vars(fitted))
        for model in (fresh, fitted):
            with pytest.raises(KeyboardInterrupt):
                profiled(lambda model=model: model.fit(second, data.z), Interrupting(after))
        if "pi_" in vars(fresh):  # it was complete, and about to warn
            assert fresh.predict(second).shape == fitted.predict(second).shape == (300,)
            continue
        assert vars(fresh) == vars(PUGAM(**settings))
        with pytest.raises(NotFittedError):
            fresh.predict(second)
        assert vars(fitted).keys() == before.keys()
        assert all(vars(fitted)[name] is before[name] for name in before)
        assert fitted.predict(first).shape == (300,)


def test_a_failed_fit_leaves_the_estimator_as_it_was():
    data = simulate(1, n0=250, n=300, pi=0.4, random_state=0)
    model = PUGAM("s(x1, k=5) + x2", smoothing=1.0, n_starts=2).fit(data.X, data.z)
    expected = model.predict_proba(data.X)

    with pytest.raises(ValueError, match="has no values at all"):
        model.fit(data.X[["x1", "x2"]].assign(x2=np.nan), data.z)

    assert model.feature_names_in_.tolist() == ["x1", "x2", "x3", "x4", "x5"]
    np.testing.assert_array_equal(model.predict_proba(data.X), expected)
