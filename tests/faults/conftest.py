"""Real processes that run the command line, to be killed, interrupted and let down by their disks."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from pugam import PUGAM
from pugam.datasets import simulate

PATIENCE = 120.0  # seconds, for a machine with other work

# What a process does. `before` may prepare it, as by making up a study.
PROGRAM = """
import atexit, os, signal, sys, threading
os.setsid()
# Whoever runs the tests may ignore these, as nohup does.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGTERM, signal.SIG_DFL)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
os.chdir(folder)
for number, name in ((1, "stdout"), (2, "stderr")):
    os.dup2(os.open(logs + "/" + name, os.O_CREAT | os.O_WRONLY | os.O_TRUNC), number)
sys.stdout, sys.stderr = open(1, "w", closefd=False), open(2, "w", closefd=False)
sys.argv = ["pugam", *arguments]
from pugam.inference.boosting import TREES
TREES["max_iter"] = 3  # nothing here is about what trees say, nor about the number of points of a profile
from pugam.inference import diagnosis
from pugam.presentation.report import collecting
diagnosis.PROFILE_POINTS, collecting.SLIDER_VALUES = 5, ((float("inf"), 5),)
exec(before)
from pugam.command_line import main
try:
    main()
except SystemExit as end:
    # As an interpreter ends; what ends processes of multiprocessing waits for workers before it has told them to go.
    code = end.code or 0
sys.stdout.flush()
sys.stderr.flush()
threading._shutdown()
atexit._run_exitfuncs()
os._exit(code)
"""

# A study whose replicates take a moment each; everything else is as in the others.
STUDY = """
import time
from pugam.studies import catalogue
from pugam.studies.monte_carlo import Comparison, Measured
from pugam.studies.plans import Experiment
from pugam.studies.running import gather
from pugam.studies.tables import Row, Table

def replicate(cell, rng, plan):
    time.sleep(0.03)
    return {"value": float(rng.random()), "text": "x" * 1000}

def small(plan):
    records = gather(Experiment("small", replicate, "small"), [(1,), (2,)], plan)
    values = {cell: sum(record["value"] for record in of_cell) for cell, of_cell in records.items()}
    rows = [Row((str(cell[0]),), {"sum": Comparison(Measured(value, 0.0, 2), None)}) for cell, value in values.items()]
    Table("small", "Small", ("cell",), rows, []).write(plan.folder)

catalogue.STUDIES["small"] = small
"""


class Run:
    """A running command: its process, and what it said."""

    def __init__(self, process, logs):
        self.process, self.logs = process, logs

    @property
    def stderr(self):
        return (self.logs / "stderr").read_text(encoding="utf-8")

    @property
    def stdout(self):
        return (self.logs / "stdout").read_text(encoding="utf-8")

    def send(self, number, group=False):
        with suppress(ProcessLookupError):  # it has ended by itself
            (os.killpg if group else os.kill)(self.process.pid, number)

    def wait(self, seconds=PATIENCE):
        """Wait for the end and return the exit code; None if it does not come in time."""
        self.process.join(seconds)
        return self.process.exitcode

    def alive(self):
        return self.process.exitcode is None

    def relatives(self):
        """Processes of the same session that are still there."""
        return [number for number, session in _sessions() if session == self.process.pid]


def _sessions():
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, session, *_ = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if state != "Z":
            yield int(path.parent.name), int(session)


@pytest.fixture(scope="session")
def nursery():
    """Forks processes that have imported everything already: twenty moments would take a minute of imports else."""
    if not Path("/proc/self/stat").exists():
        pytest.skip("looks at processes as Linux shows them")
    context = multiprocessing.get_context("forkserver")
    ours = ["pugam.command_line.verbs", "pugam.presentation.report", "pugam.studies"]
    context.set_forkserver_preload([*ours, "pyarrow.parquet", "joblib", "matplotlib"])
    first = context.Process(target=exec, args=("",))  # waits for the imports, so that no test does
    first.start()
    first.join()
    return context


@pytest.fixture
def start(nursery, tmp_path_factory):
    """Start the command line in a folder, in a process and a session of its own."""
    runs = []

    def start_one(folder, *arguments, before=""):
        logs = tmp_path_factory.mktemp("logs")
        given = {"folder": str(folder), "logs": str(logs), "arguments": [*map(str, arguments)], "before": before}
        run = Run(nursery.Process(target=exec, args=(PROGRAM, given)), logs)
        run.process.start()
        runs.append(run)
        assert wait_until(logs.joinpath("stderr").exists, run), "It did not start."  # no signal finds it before
        return run

    yield start_one
    for run in runs:
        if run.alive():
            run.send(signal.SIGKILL)
        for number in run.relatives():
            with suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)


@pytest.fixture
def run(start):
    """Let the command line run to its end; gives its exit code, what it printed and what it complained of."""

    def run_one(folder, *arguments, before=""):
        started = start(folder, *arguments, before=before)
        code = started.wait()
        return code, started.stdout, started.stderr

    return run_one


@pytest.fixture
def start_afresh(tmp_path):
    """Start the command line in a new interpreter, imports included."""

    def listen():
        # Whoever runs the tests may ignore them, as shells do of what runs in the background.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)

    def start_one(*arguments, **options):
        piped = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "cwd": tmp_path}
        piped["preexec_fn"] = listen
        command = [sys.executable, "-m", "pugam", *map(str, arguments)]
        return subprocess.Popen(command, start_new_session=True, **(piped | options))

    return start_one


@pytest.fixture
def run_afresh():
    """As `run`, in a new interpreter: only there do worker processes of joblib end as they do for users."""

    def run_one(folder, *arguments, before=""):
        code = f"import sys\n{before}\nfrom pugam.command_line import main\nmain()"
        command = [sys.executable, "-c", code, *map(str, arguments)]
        ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False)
        return ended.returncode, ended.stdout, ended.stderr

    return run_one


@pytest.fixture(scope="session")
def data():
    """A small table that is fitted in a moment."""
    return simulate(1, n0=250, n=300, pi=0.4, random_state=0)


@pytest.fixture(scope="session")
def inputs(tmp_path_factory):
    """A table to fit, the model of it, and a longer table to score."""
    folder = tmp_path_factory.mktemp("inputs")
    data = simulate(2, n0=1250, n=1500, pi=0.4, random_state=0)
    data.X.assign(z=data.z.astype(int)).to_csv(folder / "rows.csv", index=False)
    PUGAM(smoothing=0.1).fit(data.X, data.z).save(folder / "model.json")
    many = data.X.iloc[np.random.default_rng(0).integers(1500, size=20_000)]
    many.to_csv(folder / "many.csv", index=False)
    return folder


def wait_until(true, process, seconds=PATIENCE):
    """Wait until something holds; False if the process ends before."""
    until = time.monotonic() + seconds
    while not true():
        if not process.alive():
            return bool(true())
        assert time.monotonic() < until, "It did not happen."
        time.sleep(0.002)
    return True


@pytest.fixture(scope="session")
def waiting():
    return wait_until


@pytest.fixture(scope="session")
def small_study():
    """Makes up `pugam study small` in a process that is started with it."""
    return STUDY
